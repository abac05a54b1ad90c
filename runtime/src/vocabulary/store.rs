//! A folder of indexed vocabularies, so that each is made once on a machine.

use std::fs;
use std::path::{Path, PathBuf};

use super::saved::digest;
use super::{SavedError, Vocabulary, VocabularyError};

/// A folder that keeps vocabularies with their indexes. A file that is broken or of another
/// version is made anew.
///
/// # Examples
/// ```no_run
/// use blueprints_runtime::VocabularyStore;
///
/// let store = VocabularyStore::new("/var/cache/blueprints");
/// let stored = store.load(&std::fs::read("tokenizer.json")?)?;
/// if let Some(warning) = &stored.warning {
///     eprintln!("{warning}");
/// }
/// println!("{} tokens", stored.vocabulary.width());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VocabularyStore {
    folder: PathBuf,
}

/// A vocabulary from a [`VocabularyStore`].
#[derive(Debug)]
pub struct Stored {
    /// The vocabulary; its index is ready.
    pub vocabulary: Vocabulary,
    /// Whether it came from the store.
    pub found: bool,
    /// What was wrong with the store; the vocabulary is right all the same.
    pub warning: Option<StoreWarning>,
}

/// What was wrong with a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreWarning {
    /// A file that could not be used and was made anew.
    #[error("{path}: {error}; it was made anew", path = path.display())]
    Rebuilt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: SavedError,
    },
    /// A file that could not be read or written, so that the next start has to make it again.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
}

impl VocabularyStore {
    /// The store in `folder`, which is made when something is kept.
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self { folder: folder.as_ref().to_owned() }
    }

    /// The vocabulary of a `tokenizer.json`, from the store if it is there; else it is made and
    /// kept. A store that cannot be read or written is a warning.
    ///
    /// # Errors
    /// [`VocabularyError`] if `json` is no tokenizer.
    ///
    /// # Complexity
    /// O(bytes of the file) if it is there, else as [`Vocabulary::from_tokenizer_json`].
    pub fn load(&self, json: &[u8]) -> Result<Stored, VocabularyError> {
        let path = self.folder.join(format!("{:032x}.vocabulary", digest(json)));
        let mut warning = None;
        match fs::read(&path) {
            Ok(saved) => match Vocabulary::from_saved(&saved, json) {
                Ok(vocabulary) => return Ok(Stored { vocabulary, found: true, warning }),
                Err(error) => {
                    warning = Some(StoreWarning::Rebuilt { path: path.clone(), error });
                }
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => warning = Some(StoreWarning::File { path: path.clone(), error }),
        }
        let vocabulary = Vocabulary::from_tokenizer_json(json)?;
        if let Err(error) = self.keep(&path, &vocabulary.save(json)) {
            warning.get_or_insert(StoreWarning::File { path, error });
        }
        Ok(Stored { vocabulary, found: false, warning })
    }

    /// Writes beside the place and moves there, so that no reader sees half a file.
    fn keep(&self, path: &Path, saved: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let beside = path.with_extension(format!("{}.part", std::process::id()));
        let written = fs::write(&beside, saved).and_then(|()| fs::rename(&beside, path));
        if written.is_err() {
            // What is left of it is of no use; that it cannot be removed changes nothing.
            let _ = fs::remove_file(&beside);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &[u8] =
        br#"{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": []},
        "added_tokens": [{"id": 3, "content": "<s>", "special": true}],
        "decoder": {"type": "ByteLevel"}, "pre_tokenizer": {"type": "ByteLevel"}}"#;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("blueprints-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn the_second_time_it_is_there() {
        let folder = folder("store");
        let store = VocabularyStore::new(&folder);
        let first = store.load(JSON).expect("a tokenizer");
        assert!(!first.found && first.warning.is_none(), "{first:?}");
        let second = store.load(JSON).expect("a tokenizer");
        assert!(second.found && second.warning.is_none(), "{second:?}");
        assert_eq!(second.vocabulary.save(JSON), first.vocabulary.save(JSON));
        let files: Vec<_> = fs::read_dir(&folder).expect("it was made").flatten().collect();
        assert_eq!(files.len(), 1);
        fs::write(files[0].path(), b"bpvocab").expect("it can be written");
        let third = store.load(JSON).expect("a tokenizer");
        assert!(matches!(third.warning, Some(StoreWarning::Rebuilt { .. })), "{third:?}");
        assert!(store.load(JSON).expect("a tokenizer").found);
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn a_folder_that_cannot_be_is_a_warning() {
        let file = folder("no-store");
        fs::write(&file, "a file").expect("it can be written");
        let stored = VocabularyStore::new(file.join("in")).load(JSON).expect("a tokenizer");
        assert!(matches!(stored.warning, Some(StoreWarning::File { .. })), "{stored:?}");
        fs::remove_file(file).expect("it can be removed");
    }
}
