//! The data beside the checkout that some tests need.

use std::env;
use std::fs;
use std::path::Path;

/// The lines of a file of the shared data; `None` if it is not there, which is said.
///
/// Where `BLUEPRINTS_REQUIRE_SHARED` is set, it must be there.
pub(crate) fn lines(name: &str) -> Option<Vec<String>> {
    let below = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = env::var("BLUEPRINTS_SHARED").unwrap_or_else(|_| "../shared".to_owned());
    let path = below.join(folder).join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Some(text.lines().map(str::to_owned).collect()),
        Err(error) => {
            assert!(env::var_os("BLUEPRINTS_REQUIRE_SHARED").is_none(), "{name}: {error}");
            println!("skipped: no {name}");
            None
        }
    }
}
