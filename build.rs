//! Lists the templates below blueprints/, so that a new format needs no Rust.

use std::path::Path;
use std::{env, fs, io};

const FOLDER: &str = "blueprints";
const ENDING: &str = ".blueprint.jinja";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let root = env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?;
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let folder = Path::new(&root).join(FOLDER);
    let mut templates = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        if let Some(name) = file.strip_suffix(ENDING) {
            templates.push((name.to_owned(), folder.join(&file).display().to_string()));
        }
    }
    templates.sort();
    let mut table = String::from("&[\n");
    for (name, path) in templates {
        table += &format!("    ({name:?}, include_str!({path:?})),\n");
    }
    table += "]\n";
    fs::write(Path::new(&out).join("catalog.rs"), table)
}
