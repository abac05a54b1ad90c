//! Reads what the command line names: files, standard input, JSON.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;

use super::failure::Failure;

/// The most bytes of one input: far above any tokenizer, below what would exhaust the machine.
const BYTES_MAX: u64 = 1 << 30;

/// The inputs of one command; standard input can be read once.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    stdin_is_read: bool,
}

impl Inputs {
    /// The bytes of the file `path`, or of standard input for `-`.
    pub(crate) fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, Failure> {
        let name = shown(path);
        let fault = |error: io::Error| Failure::of(&name, &error);
        if path != Path::new("-") {
            return whole(&mut File::open(path).map_err(fault)?, &name);
        }
        if std::mem::replace(&mut self.stdin_is_read, true) {
            return Err(Failure::Input("standard input can be read only once".into()));
        }
        whole(&mut io::stdin().lock(), &name)
    }

    /// The text of the file `path`, or of standard input for `-`.
    pub(crate) fn text(&mut self, path: &Path) -> Result<String, Failure> {
        String::from_utf8(self.bytes(path)?).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::Input(format!("{}: byte {at} is not UTF-8", shown(path)))
        })
    }

    /// `text` itself, or standard input for `-`.
    pub(crate) fn argument(&mut self, text: &str) -> Result<String, Failure> {
        if text == "-" { self.text(Path::new(text)) } else { Ok(text.to_owned()) }
    }

    /// The JSON value in the file `path`, or in standard input for `-`.
    pub(crate) fn json(&mut self, path: &Path) -> Result<Value, Failure> {
        json(&shown(path), &self.bytes(path)?)
    }
}

/// The JSON value that `bytes` hold; `name` says where they come from.
pub(crate) fn json(name: &str, bytes: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(bytes).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let what = message.strip_suffix(&place).unwrap_or(&message);
        let (line, column) = (error.line(), error.column());
        Failure::Input(format!("{name}:{line}:{column}: not JSON: {what}"))
    })
}

/// How messages name the input `path`.
pub(crate) fn shown(path: &Path) -> String {
    match path == Path::new("-") {
        true => "<stdin>".to_owned(),
        false => path.display().to_string(),
    }
}

fn whole(reader: &mut dyn Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = reader.take(BYTES_MAX + 1).read_to_end(&mut bytes);
    let length = read.map_err(|error| Failure::of(name, &error))? as u64;
    if length > BYTES_MAX {
        return Err(Failure::Input(format!("{name}: more than {BYTES_MAX} bytes")));
    }
    Ok(bytes)
}
