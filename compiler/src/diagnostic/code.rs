//! The stable names of the problems a template can have.

use crate::diagnostic::Severity;

/// What kind of problem a [`Diagnostic`](crate::Diagnostic) reports. Numbers never change meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Code {
    /// BP001: the template holds one of the characters U+F0000 to U+F001F, which stand for parts.
    ReservedCharacter,
    /// BP002: a `{{`, `{%` or `{#` is never closed.
    UnclosedDelimiter,
    /// BP003: a tag has a name that means nothing.
    UnknownTag,
    /// BP004: a tag of Jinja that a blueprint cannot have.
    RefusedTag,
    /// BP005: an end or branch tag stands where no block of its kind is open.
    UnexpectedTag,
    /// BP006: a block is never closed.
    UnclosedBlock,
    /// BP007: something else than its own blocks stands directly in `choice`, `free` or `anyorder`.
    TextInChoice,
    /// BP008: an `option`, `on` or `part` does not stand directly in its own block.
    OptionOutsideChoice,
    /// BP009: a tag or function has no argument of this name.
    UnknownArgument,
    /// BP010: an argument is not of the form name=value, or comes twice.
    MalformedArgument,
    /// BP011: an expression or a tag is not well formed.
    Syntax,
    /// BP012: a filter has a name that means nothing.
    UnknownFilter,
    /// BP013: the context has no such variable or attribute.
    Undefined,
    /// BP014: an expression cannot be computed.
    FailedExpression,
    /// BP015: a bound of a repeat is not a whole number from 0 to 4294967295.
    BadCount,
    /// BP016: no count lies between the bounds of a repeat.
    EmptyRepeat,
    /// BP017: a repeat has `times` together with `min` or `max`.
    ConflictingCounts,
    /// BP018: a choice has no option.
    EmptyChoice,
    /// BP019: a regular expression is refused.
    BadPattern,
    /// BP020: a JSON Schema is refused.
    BadSchema,
    /// BP021: an option of `json_schema` is refused.
    BadSchemaOption,
    /// BP022: what follows free text cannot tell where the text ends.
    UnnamedDelimiter,
    /// BP023: the delimiter of free text does not follow it.
    MissingDelimiter,
    /// BP024: where free text ends depends on which of its delimiters follows.
    OverlappingDelimiters,
    /// BP025: a delimiter is not a text, or is empty.
    BadDelimiter,
    /// BP026: a printed text holds a reserved character: a torn part, or data.
    TornPart,
    /// BP027: a part stands where only text can.
    PartAsText,
    /// BP028: a template does not exist.
    NotFound,
    /// BP029: a template cannot be read.
    Unreadable,
    /// BP030: the template asks for more than its limits allow.
    LimitExceeded,
    /// BP031: the context is not a JSON object.
    BadContext,
    /// BP032: a number of the context cannot be computed with exactly.
    InexactNumber,
    /// BP033: the indentation of a value that stands alone is not text.
    LostIndentation,
    /// BP034: an argument has a value that it cannot have.
    BadArgument,
    /// BP035: a trigger can never start anything.
    CoveredTrigger,
    /// BP036: the number of an iteration stands in no repeat that has a `max`.
    UnnumberedIteration,
    /// BP037: the template itself says that something is wrong.
    Raised,
    /// BP038: a blueprint cannot be called with these values.
    BadCall,
    /// BP039: a filter or function of the host failed.
    HostFailed,
    /// BP040: an embedded grammar is refused.
    BadGrammar,
    /// BP041: a choice has no option here, so what holds it can never be written.
    ImpossibleChoice,
    /// BP042: an option adds nothing, for another one covers it.
    UnreachableOption,
    /// BP043: what is repeated may be empty.
    NullableRepeat,
    /// BP044: nothing ends a free text.
    EndlessText,
    /// BP045: a text is nearly the spelling of a special token.
    NearlySpecial,
    /// BP046: where a capture ends, or which one counts, is not certain.
    AmbiguousCapture,
    /// BP047: the tokenizer has no such special token.
    UnknownToken,
    /// BP048: a part of a JSON Schema is left out, or read as an older spelling.
    LooseSchema,
}

/// Every code with its number and what it means, in order.
const TABLE: &[(Code, &str, &str)] = &[
    (
        Code::ReservedCharacter,
        "BP001",
        "the template holds one of the characters U+F0000 to U+F001F, which stand for parts",
    ),
    (Code::UnclosedDelimiter, "BP002", "a `{{`, `{%` or `{#` is never closed"),
    (Code::UnknownTag, "BP003", "a tag has a name that means nothing"),
    (Code::RefusedTag, "BP004", "a tag of Jinja that a blueprint cannot have"),
    (
        Code::UnexpectedTag,
        "BP005",
        "an end or branch tag stands where no block of its kind is open",
    ),
    (Code::UnclosedBlock, "BP006", "a block is never closed"),
    (
        Code::TextInChoice,
        "BP007",
        "something else than its own blocks stands directly in `choice`, `free` or `anyorder`",
    ),
    (
        Code::OptionOutsideChoice,
        "BP008",
        "an `option`, `on` or `part` does not stand directly in its own block",
    ),
    (Code::UnknownArgument, "BP009", "a tag or function has no argument of this name"),
    (Code::MalformedArgument, "BP010", "an argument is not of the form name=value, or comes twice"),
    (Code::Syntax, "BP011", "an expression or a tag is not well formed"),
    (Code::UnknownFilter, "BP012", "a filter has a name that means nothing"),
    (Code::Undefined, "BP013", "the context has no such variable or attribute"),
    (Code::FailedExpression, "BP014", "an expression cannot be computed"),
    (Code::BadCount, "BP015", "a bound of a repeat is not a whole number from 0 to 4294967295"),
    (Code::EmptyRepeat, "BP016", "no count lies between the bounds of a repeat"),
    (Code::ConflictingCounts, "BP017", "a repeat has `times` together with `min` or `max`"),
    (Code::EmptyChoice, "BP018", "a choice has no option"),
    (Code::BadPattern, "BP019", "a regular expression is refused"),
    (Code::BadSchema, "BP020", "a JSON Schema is refused"),
    (Code::BadSchemaOption, "BP021", "an option of `json_schema` is refused"),
    (Code::UnnamedDelimiter, "BP022", "what follows free text cannot tell where the text ends"),
    (Code::MissingDelimiter, "BP023", "the delimiter of free text does not follow it"),
    (
        Code::OverlappingDelimiters,
        "BP024",
        "where free text ends depends on which of its delimiters follows",
    ),
    (Code::BadDelimiter, "BP025", "a delimiter is not a text, or is empty"),
    (Code::TornPart, "BP026", "a printed text holds a reserved character: a torn part, or data"),
    (Code::PartAsText, "BP027", "a part stands where only text can"),
    (Code::NotFound, "BP028", "a template does not exist"),
    (Code::Unreadable, "BP029", "a template cannot be read"),
    (Code::LimitExceeded, "BP030", "the template asks for more than its limits allow"),
    (Code::BadContext, "BP031", "the context is not a JSON object"),
    (Code::InexactNumber, "BP032", "a number of the context cannot be computed with exactly"),
    (Code::LostIndentation, "BP033", "the indentation of a value that stands alone is not text"),
    (Code::BadArgument, "BP034", "an argument has a value that it cannot have"),
    (Code::CoveredTrigger, "BP035", "a trigger can never start anything"),
    (
        Code::UnnumberedIteration,
        "BP036",
        "the number of an iteration stands in no repeat that has a `max`",
    ),
    (Code::Raised, "BP037", "the template itself says that something is wrong"),
    (Code::BadCall, "BP038", "a blueprint cannot be called with these values"),
    (Code::HostFailed, "BP039", "a filter or function of the host failed"),
    (Code::BadGrammar, "BP040", "an embedded grammar is refused"),
    (
        Code::ImpossibleChoice,
        "BP041",
        "a choice has no option here, so what holds it can never be written",
    ),
    (Code::UnreachableOption, "BP042", "an option adds nothing, for another one covers it"),
    (Code::NullableRepeat, "BP043", "what is repeated may be empty"),
    (Code::EndlessText, "BP044", "nothing ends a free text"),
    (Code::NearlySpecial, "BP045", "a text is nearly the spelling of a special token"),
    (Code::AmbiguousCapture, "BP046", "where a capture ends, or which one counts, is not certain"),
    (Code::UnknownToken, "BP047", "the tokenizer has no such special token"),
    (
        Code::LooseSchema,
        "BP048",
        "a part of a JSON Schema is left out, or read as an older spelling",
    ),
];

impl Code {
    /// Every code, in order of its number.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(code, _, _)| *code)
    }

    /// Its stable name, as `BP016`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Whether there is a blueprint all the same.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::LostIndentation
            | Self::ImpossibleChoice
            | Self::UnreachableOption
            | Self::NullableRepeat
            | Self::EndlessText
            | Self::NearlySpecial
            | Self::AmbiguousCapture
            | Self::UnknownToken
            | Self::LooseSchema => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// What it means, in one sentence.
    #[must_use]
    pub fn summary(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// The code of a stable name, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name)).map(|entry| entry.0)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, TABLE};

    #[test]
    fn the_table_is_in_order() {
        for (at, (code, name, _)) in TABLE.iter().enumerate() {
            assert_eq!(*code as usize, at);
            assert_eq!(*name, format!("BP{:03}", at + 1));
            assert_eq!(Code::from_name(&name.to_lowercase()), Some(*code));
        }
        assert_eq!(Code::from_name("BP999"), None);
        assert_eq!(Code::all().count(), Code::LooseSchema as usize + 1);
    }
}
