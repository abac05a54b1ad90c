//! Finds the shared test data, which is no part of the project.

use std::path::{Path, PathBuf};

/// The path of `name` in the shared data; none, and a note, if it is not there.
///
/// The folder is `BLUEPRINTS_SHARED`, by default one beside the project's. With
/// `BLUEPRINTS_REQUIRE_SHARED=1` what is missing fails the test.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("BLUEPRINTS_SHARED").map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var("BLUEPRINTS_REQUIRE_SHARED").is_ok_and(|value| value == "1");
    assert!(!required, "{} is not there", path.display());
    println!("skipped: {} is not there", path.display());
    None
}

/// A number from the environment, by which a run is made longer than it is by default.
pub(crate) fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}
