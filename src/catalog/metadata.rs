//! What the comment at the head of a catalog's template says of it.

use std::cmp::Reverse;

use sha2::{Digest, Sha256};

/// What the header comment of a template says. It is lines of `Key: value`; a value may go on in
/// lines that begin with a blank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Metadata {
    /// The family of models: `Family` up to its first comma.
    pub family: String,
    /// What tells it from other formats of the family: the rest of `Family`.
    pub variant: String,
    /// The models, by what their names on a hub have in common: `Models`, between commas.
    pub models: Vec<String>,
    /// Where the facts come from.
    pub source: String,
    /// The special tokens of the format.
    pub special_tokens: String,
    /// The variables with their defaults.
    pub variables: String,
    /// The fingerprints of chat templates whose answers have this format: `Fingerprints`.
    pub fingerprints: Vec<String>,
}

impl Metadata {
    /// What the comment at the head of `source` says; `None` if none is there.
    #[must_use]
    pub fn read(source: &str) -> Option<Self> {
        let comment = source.trim_start().strip_prefix("{#")?;
        let (comment, _) = comment.split_once("#}")?;
        let mut read = Self::default();
        for (key, value) in fields(comment) {
            match key {
                "Family" => {
                    let (family, variant) = value.split_once(',').unwrap_or((&value, ""));
                    read.family = family.trim().to_owned();
                    read.variant = variant.trim().to_owned();
                }
                "Models" => read.models = list(&value),
                "Source" => read.source = value,
                "Special tokens" => read.special_tokens = value,
                "Variables" => read.variables = value,
                "Fingerprints" => read.fingerprints = list(&value),
                _ => {}
            }
        }
        Some(read)
    }

    /// How well it says what `model` is, by the models that it names: the earlier in the name of
    /// `model` one stands the better, then the longer.
    pub(super) fn fit(&self, model: &str) -> Option<(Reverse<usize>, usize)> {
        let model = words(model.rsplit('/').next().unwrap_or(model));
        let fits = self.models.iter().filter_map(|known| {
            let known = words(known);
            model.find(&known).map(|at| (Reverse(at), known.len()))
        });
        fits.max()
    }
}

/// The SHA-256 of a chat template, in hexadecimal digits: of its text without the line breaks and
/// blanks around it, and with LF for CRLF.
#[must_use]
pub fn fingerprint(template: &str) -> String {
    let text = template.trim().replace("\r\n", "\n");
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keys and values; each value on one line.
fn fields(comment: &str) -> Vec<(&str, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for line in comment.lines() {
        match (line.split_once(':'), fields.last_mut()) {
            (_, Some((_, value))) if line.starts_with([' ', '\t']) => {
                value.push(' ');
                value.push_str(line.trim());
            }
            (Some((key, value)), _) => fields.push((key.trim(), value.trim().to_owned())),
            (None, _) => {}
        }
    }
    fields
}

fn list(value: &str) -> Vec<String> {
    value.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// Lower-case words between single hyphens, with one at either end: `Qwen3_8B` is
/// `-qwen3-8b-`.
fn words(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '.');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("-{}-", words.join("-"))
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::{Metadata, fingerprint};

    const HEADER: &str = "{#\nFamily: Qwen, JSON calls, in tags\nModels: Qwen2.5, QwQ-32B\n    \
                          Qwen3\nSource: cards\nFingerprints: ab, cd\nnothing\n#}\ntext";

    #[test]
    fn a_header_is_read_by_its_keys() {
        let read = Metadata::read(HEADER).unwrap();
        assert_eq!((read.family.as_str(), read.variant.as_str()), ("Qwen", "JSON calls, in tags"));
        assert_eq!(read.models, ["Qwen2.5", "QwQ-32B Qwen3"]);
        assert_eq!(read.fingerprints, ["ab", "cd"]);
        assert_eq!(read.variables, "");
        assert_eq!(Metadata::read("text {# Family: a #}"), None);
    }

    #[test]
    fn a_model_is_known_by_whole_words() {
        let read = Metadata::read("{#\nModels: Qwen3, Qwen3-Coder\n#}").unwrap();
        assert_eq!(read.fit("Qwen/Qwen3-8B"), Some((Reverse(0), "-qwen3-".len())));
        assert_eq!(read.fit("qwen3_coder_30b"), Some((Reverse(0), "-qwen3-coder-".len())));
        assert!(read.fit("Some-Qwen3").unwrap() < read.fit("Qwen3").unwrap());
        assert_eq!(read.fit("Qwen/Qwen3.5-8B"), None);
    }

    #[test]
    fn a_fingerprint_overlooks_line_ends_and_what_is_around() {
        assert_eq!(fingerprint("a\r\nb\n"), fingerprint("a\nb"));
        assert_ne!(fingerprint("a\nb"), fingerprint("a b"));
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(fingerprint(""), empty);
    }
}
