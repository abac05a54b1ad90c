//! Lists the templates below blueprints/, so that a new format needs no Rust.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FOLDER: &str = "blueprints";
const ENDING: &str = ".blueprint.jinja";
const SHARED: &str = "_shared";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let root = env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?;
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let folder = Path::new(&root).join(FOLDER);
    let families = files(&folder, |file| file.strip_suffix(ENDING).map(str::to_owned))?;
    let shared = files(&folder.join(SHARED), |file| {
        file.ends_with(".jinja").then(|| format!("{SHARED}/{file}"))
    })?;
    fs::write(Path::new(&out).join("catalog.rs"), table(families))?;
    fs::write(Path::new(&out).join("shared.rs"), table(shared))
}

/// The files of `folder` to which `named` gives a name, in the order of the names.
fn files(
    folder: &Path,
    named: impl Fn(&str) -> Option<String>,
) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        if let Some(name) = named(&file) {
            found.push((name, folder.join(file)));
        }
    }
    found.sort();
    Ok(found)
}

/// Names and texts as an expression of Rust.
fn table(files: Vec<(String, PathBuf)>) -> String {
    let mut table = String::from("&[\n");
    for (name, path) in files {
        table += &format!("    ({name:?}, include_str!({:?})),\n", path.display().to_string());
    }
    table + "]\n"
}
