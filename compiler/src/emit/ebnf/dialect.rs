//! How each dialect spells what all of them say.

use std::fmt::Write;

use regex_syntax::hir::ClassUnicode;

use crate::emit::escape;

/// A language of grammars that some engine reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Dialect {
    /// The EBNF of XGrammar, as of 0.2.9; the start is the rule `root`.
    XGrammar,
    /// The grammars of llama.cpp; the start is the rule `root`.
    Gbnf,
    /// Lark as llguidance 1.9 reads it; the start is the rule `start`.
    Lark,
}

impl Dialect {
    pub(super) fn start(self) -> &'static str {
        match self {
            Self::XGrammar | Self::Gbnf => "root",
            Self::Lark => "start",
        }
    }

    /// What stands between a rule's name and its body.
    pub(super) fn defines(self) -> &'static str {
        match self {
            Self::XGrammar | Self::Gbnf => " ::= ",
            Self::Lark => ": ",
        }
    }

    /// The largest count of a suffix. XGrammar takes larger ones for negative, llguidance does
    /// not read them, and llama.cpp lets go of bounds from 2000 on.
    pub(super) fn count_max(self) -> u32 {
        match self {
            Self::XGrammar | Self::Lark => i32::MAX as u32,
            Self::Gbnf => 1000,
        }
    }

    /// Names that mean something else.
    pub(super) fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::XGrammar => &[
                "ExcludeToken",
                "Regex",
                "Substring",
                "TagDispatch",
                "Token",
                "TokenTagDispatch",
                "false",
                "true",
            ],
            Self::Gbnf | Self::Lark => &[],
        }
    }

    /// A name like `wish` that the dialect reads.
    pub(super) fn name(self, wish: &str) -> String {
        let fit = |c: char| match self {
            Self::XGrammar if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') => c,
            Self::Gbnf if c.is_ascii_alphanumeric() => c,
            Self::Lark if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
            Self::Gbnf => '-',
            Self::XGrammar | Self::Lark => '_',
        };
        let mut name: String = wish.chars().map(fit).collect();
        let begins = name.starts_with(|c: char| match self {
            Self::XGrammar => c.is_ascii_alphabetic() || c == '_',
            Self::Gbnf | Self::Lark => c.is_ascii_alphabetic(),
        });
        match self {
            _ if begins => {}
            Self::XGrammar => name.insert(0, '_'),
            Self::Gbnf => name.insert_str(0, "r-"),
            Self::Lark => name.insert_str(0, "r_"),
        }
        name
    }

    /// The name `name` made different by `number`.
    pub(super) fn numbered(self, name: &str, number: u32) -> String {
        match self {
            Self::Gbnf => format!("{name}-{number}"),
            Self::XGrammar | Self::Lark => format!("{name}_{number}"),
        }
    }

    /// These characters, as one string.
    pub(super) fn string(self, string: &str) -> String {
        let mut out = String::from("\"");
        string.chars().for_each(|c| self.character(c, "\"\\", &mut out));
        out.push('"');
        out
    }

    fn character(self, c: char, marks: &str, out: &mut String) {
        let code = u32::from(c);
        match self {
            // JSON's strings have no long escapes, but two bytes say what they would.
            Self::Lark if escape::is_hidden(c) && code > 0xffff => out.push(c),
            // GBNF knows few marks, but all characters by their number.
            Self::Gbnf if marks.contains(c) && !"\"\\[]".contains(c) => {
                write!(out, "\\x{code:02X}").expect("a string takes all that is written");
            }
            _ => escape::character(c, marks, out),
        }
    }

    /// One character of `set`.
    pub(super) fn class(self, set: &ClassUnicode) -> String {
        if let [range] = set.ranges()
            && range.start() == range.end()
        {
            return self.string(&range.start().to_string());
        }
        let (rest, negated) = match escape::all_but(set) {
            Some(rest) => (rest, true),
            None => (set.clone(), false),
        };
        if rest.ranges().is_empty() {
            let any = match self {
                Self::XGrammar => "[^]",
                Self::Gbnf => ".",
                Self::Lark => r"/[\s\S]/",
            };
            return any.into();
        }
        let (open, close, marks) = match self {
            Self::XGrammar | Self::Gbnf => ("[", "]", r"\[]^-"),
            Self::Lark => ("/[", "]/", r"\[]^-&~|/"),
        };
        let mut out = String::from(open);
        if negated {
            out.push('^');
        }
        match self {
            Self::Gbnf => escape::ranges(&rest, &mut out, |c, out| self.character(c, marks, out)),
            _ => escape::ranges(&rest, &mut out, |c, out| escape::character(c, marks, out)),
        }
        out.push_str(close);
        out
    }

    /// No text at all, if that can be said without a rule.
    pub(super) fn never(self) -> Option<&'static str> {
        match self {
            Self::Gbnf => Some("[^\\x00-\\U0010FFFF]"),
            Self::XGrammar | Self::Lark => None,
        }
    }
}
