//! Runs the command `blueprint` as its users do.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder for the files of one test, which the command runs in.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The empty folder of the test `name`.
    pub(crate) fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).unwrap();
        }
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, whose name may begin with folders.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// The command with these arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueprint"));
        command.current_dir(&self.0).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, b"")
    }

    /// Runs the command with these arguments and this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Run {
        let mut child = self.command(arguments).spawn().unwrap();
        // A command that reads no input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        let run = Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!run.stderr.contains("panicked"), "{arguments:?}: {run:?}");
        run
    }

    /// Runs the command and checks its exit code and parts of what it writes. A run that exits
    /// with 2 or 1 must leave standard output empty.
    pub(crate) fn check(&self, arguments: &[&str], code: i32, stdout: &[&str], stderr: &[&str]) {
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {run:#?}");
        for part in stdout {
            assert!(run.stdout.contains(part), "{arguments:?} lacks {part}: {run:#?}");
        }
        for part in stderr {
            assert!(run.stderr.contains(part), "{arguments:?} lacks {part}: {run:#?}");
        }
        assert!(code == 0 || run.stdout.is_empty(), "{arguments:?}: {run:#?}");
    }
}

/// The path of a file of the project.
pub(crate) fn project(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))
}
