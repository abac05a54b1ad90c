//! Where the templates of `include`, `import` and `extends` come from: the one door to files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Finds a template's text by its name.
pub trait Loader: Send + Sync {
    /// The text of the template `name`; `None` if there is no such template.
    ///
    /// # Errors
    /// [`LoadError`] if there is one, but it cannot be read.
    fn load(&self, name: &str) -> Result<Option<String>, LoadError>;
}

/// Why a template cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The system cannot read it.
    #[error("{path}: {error}")]
    Io {
        /// Its path.
        path: String,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// It is no text in UTF-8.
    #[error("{path}: byte {at} is not UTF-8")]
    Encoding {
        /// Its path.
        path: String,
        /// The first byte that is wrong.
        at: usize,
    },
    /// It has more bytes than a template may have.
    #[error("{path}: {length} bytes are more than a template may have")]
    TooLarge {
        /// Its path.
        path: String,
        /// Its bytes.
        length: u64,
    },
    /// A folder has more templates than a catalog may have.
    #[error("{path}: more than 10,000 templates")]
    TooMany {
        /// The folder.
        path: String,
    },
    /// Its name leads out of the folder.
    #[error("`{0}` leads out of the folder of the templates")]
    Outside(String),
}

/// The templates below a folder. Names are relative paths with `/`; none leads out of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The templates below `root`.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The paths of the files in it and in its folders whose names end with `ending`, in order:
    /// at most 10,000 files, and eight folders deep. Links to folders are not followed.
    ///
    /// # Errors
    /// [`LoadError`] if a folder cannot be read, or there are more.
    pub fn paths(&self, ending: &str) -> Result<Vec<String>, LoadError> {
        let mut found = Vec::new();
        let mut left = vec![(self.root.clone(), String::new(), 0)];
        while let Some((folder, prefix, depth)) = left.pop() {
            let fault = |error| LoadError::Io { path: folder.display().to_string(), error };
            for entry in fs::read_dir(&folder).map_err(fault)? {
                let entry = entry.map_err(fault)?;
                // A name that is no Unicode cannot be said in a template.
                let Ok(name) = entry.file_name().into_string() else { continue };
                let is_folder = entry.file_type().map_err(fault)?.is_dir();
                if is_folder && depth < DEPTH_MAX {
                    left.push((entry.path(), format!("{prefix}{name}/"), depth + 1));
                } else if !is_folder && name.ends_with(ending) {
                    found.push(format!("{prefix}{name}"));
                }
            }
            if found.len() > FILES_MAX {
                return Err(LoadError::TooMany { path: self.root.display().to_string() });
            }
        }
        found.sort();
        Ok(found)
    }
}

/// The most files that [`Folder::paths`] lists.
const FILES_MAX: usize = 10_000;
/// The most folders below each other that it looks into.
const DEPTH_MAX: usize = 8;

impl Loader for Folder {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        let outside = || LoadError::Outside(name.to_owned());
        let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
        if name.contains(['\\', '\0', ':']) || !name.split('/').all(plain) {
            return Err(outside());
        }
        let path = self.root.join(name);
        let fault = |error| LoadError::Io { path: path.display().to_string(), error };
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(error)),
        };
        // A link may lead out, too.
        let root = self.root.canonicalize().map_err(fault)?;
        if !real.starts_with(root) {
            return Err(outside());
        }
        read(&real).map(Some)
    }
}

impl Loader for BTreeMap<String, String> {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        Ok(self.get(name).cloned())
    }
}

/// The text of a file that may be a template.
pub(crate) fn read(path: &Path) -> Result<String, LoadError> {
    /// Far above any limit of a template, so that a huge file is never read whole.
    const BYTES_MAX: u64 = 64 << 20;
    let shown = || path.display().to_string();
    let fault = |error| LoadError::Io { path: shown(), error };
    let length = fs::metadata(path).map_err(fault)?.len();
    if length > BYTES_MAX {
        return Err(LoadError::TooLarge { path: shown(), length });
    }
    let bytes = fs::read(path).map_err(fault)?;
    String::from_utf8(bytes).map_err(|error| LoadError::Encoding {
        path: shown(),
        at: error.utf8_error().valid_up_to(),
    })
}
