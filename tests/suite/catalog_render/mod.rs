//! Writes turns as models of each family do, from one small description of each format.
//!
//! The descriptions are taken from the families' chat templates and know nothing of the
//! blueprints: what one writes, the other must read.

mod json_formats;
mod literal_formats;
pub(crate) mod random;
mod spelling;
mod xml_formats;

use serde_json::{Map, Value};

use crate::toy::Random;

/// How a family writes a turn.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// The blueprint's name.
    pub(crate) name: &'static str,
    /// What stands around a thought where `reasoning` is on; none: the family never thinks.
    pub(crate) thought: Option<[&'static str; 2]>,
    /// What stands for an empty thought, if not both sides of any other.
    pub(crate) hollow: Option<&'static str>,
    /// What stands around an answer without calls.
    pub(crate) answer: [&'static str; 2],
    /// What stands around text before calls; none: there is no text beside calls.
    pub(crate) preamble: Option<[&'static str; 2]>,
    /// What stands before calls where no text is.
    pub(crate) lead: &'static str,
    /// What stands around all calls.
    pub(crate) section: [&'static str; 2],
    /// One call: `{name}`, `{quoted}` for the name in JSON, `{arguments}`, `{at}` and `{nth}` for
    /// its place from 0 and from 1, `{id}` for nine letters or digits, `{small_id}` for ten without
    /// capitals.
    pub(crate) call: &'static str,
    /// What stands between calls.
    pub(crate) separator: &'static str,
    /// How arguments are spelled.
    pub(crate) arguments: Arguments,
    /// Whether a turn may have several calls.
    pub(crate) many: bool,
    /// Whether names of tools and parameters have to be identifiers.
    pub(crate) identifiers: bool,
    /// Whether there is a spelling for null.
    pub(crate) nulls: bool,
    /// What a prompt without reasoning has written already of the turn.
    pub(crate) written: &'static str,
}

const LETTERS: [u8; 52] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A format in which nothing stands around anything.
const PLAIN: Format = Format {
    name: "",
    thought: None,
    hollow: None,
    answer: ["", ""],
    preamble: Some(["", ""]),
    lead: "",
    section: ["", ""],
    call: "",
    separator: "",
    arguments: Arguments::Json,
    many: true,
    identifiers: false,
    nulls: true,
    written: "",
};

/// How arguments are spelled.
#[derive(Clone, Copy)]
pub(crate) enum Arguments {
    /// As `json.dumps` does.
    Json,
    /// On several lines with four blanks for each level, from this level on.
    Indented(usize),
    /// `key=value` with a blank after each comma.
    Python(Python),
    /// One pattern for each argument.
    Entries(Entries),
    /// Bare keys in the order of the alphabet, strings between this delimiter.
    Gemma(&'static str),
}

/// How Python-like values are spelled.
#[derive(Clone, Copy)]
pub(crate) enum Python {
    /// As `repr` does.
    Literal,
    /// Strings as in JSON, but `True`, `False` and `None`.
    DoubleQuoted,
    /// Strings as `repr` does, all else as JSON.
    StringsOnly,
}

/// How arguments are spelled that stand in markup.
#[derive(Clone, Copy)]
pub(crate) struct Entries {
    /// One argument: `{key}`, `{value}`, and `{type}` for a word that its JSON type has.
    pub(crate) entry: &'static str,
    /// What stands between two.
    pub(crate) joint: &'static str,
    /// The word of each JSON type; of the others it is the last.
    pub(crate) words: &'static [(&'static str, &'static str)],
    /// One item of an array where objects and arrays are markup again.
    pub(crate) item: Option<&'static str>,
    /// Whether text with markup or line breaks stands in a CDATA section.
    pub(crate) cdata: bool,
}

/// What a turn says.
pub(crate) struct Turn {
    pub(crate) thought: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) calls: Vec<(String, Map<String, Value>)>,
}

/// Every format, in the order of the names.
pub(crate) fn formats() -> Vec<Format> {
    let tables = [json_formats::FORMATS, xml_formats::FORMATS, literal_formats::FORMATS];
    let mut all: Vec<Format> = tables.concat();
    all.sort_by_key(|format| format.name);
    all
}

impl Format {
    /// The turn as a model of the family writes it, without what ends a turn.
    pub(crate) fn write(&self, turn: &Turn, random: &mut Random) -> String {
        let text = self.whole(turn, random);
        match turn.thought {
            Some(_) => text,
            None => text.strip_prefix(self.written).unwrap_or(&text).to_owned(),
        }
    }

    fn whole(&self, turn: &Turn, random: &mut Random) -> String {
        let mut text = String::new();
        if let (Some(thought), Some([open, close])) = (&turn.thought, self.thought) {
            match self.hollow {
                Some(hollow) if thought.is_empty() => text += hollow,
                _ => text += &format!("{open}{thought}{close}"),
            }
        }
        let content = turn.content.as_deref();
        if turn.calls.is_empty() {
            let [open, close] = self.answer;
            return text + open + content.unwrap_or_default() + close;
        }
        match (content, self.preamble) {
            (Some(content), Some([open, close])) => text += &format!("{open}{content}{close}"),
            _ => text += self.lead,
        }
        let calls = turn.calls.iter().enumerate();
        let calls: Vec<String> = calls
            .map(|(at, (name, arguments))| {
                let arguments = self.arguments.spell(arguments);
                spelling::fill(
                    self.call,
                    &[
                        ("name", name),
                        ("quoted", &Value::from(name.as_str()).to_string()),
                        ("arguments", &arguments),
                        ("at", &at.to_string()),
                        ("nth", &(at + 1).to_string()),
                        ("id", &random::id(random, &LETTERS, 9)),
                        ("small_id", &random::id(random, &LETTERS[26..], 10)),
                    ],
                )
            })
            .collect();
        text + self.section[0] + &calls.join(self.separator) + self.section[1]
    }

    /// What begins calls: no text outside may hold it.
    pub(crate) fn opener(&self) -> &'static str {
        let call = self.call.split('{').next().unwrap_or_default();
        let opener = if self.section[0].trim().is_empty() { call } else { self.section[0] };
        opener.trim()
    }

    /// What ends a raw text, if there are raw texts.
    pub(crate) fn closer(&self) -> Option<&'static str> {
        match self.arguments {
            Arguments::Entries(entries) => entries.entry.split("{value}").nth(1),
            Arguments::Gemma(quote) => Some(quote),
            _ => None,
        }
    }
}
