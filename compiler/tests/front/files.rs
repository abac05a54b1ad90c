//! Blueprints in files.

use std::fs;
use std::path::{Path, PathBuf};

use blueprints_compiler::{Blueprint, Code};

use crate::short;

/// A folder of its own with the given files.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It may be left from an earlier run, or not be there.
    let _ = fs::remove_dir_all(&root);
    for (path, bytes) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

#[test]
fn a_file_includes_files_of_its_folder() {
    let root = folder(
        "includes",
        &[
            ("inner/main.jinja", b"\xef\xbb\xbf\r\n{% include 'sub/a.jinja' %}\r\nb\r\n"),
            ("inner/sub/a.jinja", b"\xef\xbb\xbf{% optional %}a{% endoptional %}\n"),
        ],
    );
    let blueprint = Blueprint::from_file(root.join("inner/main.jinja")).unwrap();
    let outline = blueprint.outline(()).unwrap();
    assert_eq!(short(outline.ir()), r#""\n" ("a")? "\nb""#);
}

#[test]
fn files_outside_of_the_folder_are_refused() {
    let root = folder(
        "outside",
        &[
            ("secret.jinja", b"secret"),
            ("inner/up.jinja", b"{% include '../secret.jinja' %}"),
            ("inner/absolute.jinja", b"{% include '/etc/hostname' %}"),
            ("inner/none.jinja", b"{% include 'none' %}"),
            ("inner/folder.jinja", b"{% include 'sub' %}"),
            ("inner/sub/a", b""),
            ("inner/bytes.jinja", b"{% include 'latin' %}"),
            ("inner/latin", b"\xe9"),
        ],
    );
    let cases = [
        ("up", Code::Unreadable),
        ("absolute", Code::Unreadable),
        ("none", Code::NotFound),
        ("folder", Code::Unreadable),
        ("bytes", Code::Unreadable),
    ];
    for (name, code) in cases {
        let blueprint = Blueprint::from_file(root.join(format!("inner/{name}.jinja"))).unwrap();
        let faults = blueprint.outline(()).map(|o| o.to_string()).expect_err(name);
        let found: Vec<_> = faults.iter().map(|f| (f.code, f.line, f.column)).collect();
        assert_eq!(found, [(code, 1, 4)], "{name}\n{faults}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_refused() {
    let files: &[(&str, &[u8])] =
        &[("secret", b"secret"), ("inner/main.jinja", b"{% include 'linked' %}")];
    let root = folder("link", files);
    std::os::unix::fs::symlink(root.join("secret"), root.join("inner/linked")).unwrap();
    let blueprint = Blueprint::from_file(root.join("inner/main.jinja")).unwrap();
    let faults = blueprint.outline(()).map(|o| o.to_string()).unwrap_err();
    assert_eq!(faults.iter().next().map(|fault| fault.code), Some(Code::Unreadable), "{faults}");
}

#[test]
fn a_main_file_that_cannot_be_read_is_named() {
    let root = folder("broken", &[("latin", b"a\xe9"), ("sub/a", b"")]);
    for name in ["none", "latin", "sub"] {
        let path = root.join(name);
        let faults = Blueprint::from_file(&path).map(|b| b.warnings()).expect_err(name);
        let found = faults.iter().next().unwrap();
        assert_eq!((found.code, found.line), (Code::Unreadable, 0), "{name}");
        assert!(faults.to_string().contains(&path.display().to_string()), "{faults}");
    }
}

#[test]
fn blueprints_go_to_other_threads() {
    fn check<T: Send + Sync>(_: &T) {}
    let blueprint = Blueprint::from_str("{{ anything() }}").unwrap();
    check(&blueprint);
    check(&blueprint.outline(()).unwrap());
}
