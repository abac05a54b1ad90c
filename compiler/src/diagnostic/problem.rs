//! What can be wrong with a template, one constructor each, without the place.

use std::fmt;

use crate::diagnostic::code::Code;
use crate::ir::Ir;
use crate::regex::PatternError;
use crate::schema::SchemaError;

/// One problem; a [`Diagnostic`](crate::Diagnostic) adds the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) pointer: Option<String>,
    pub(crate) help: Option<String>,
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), pointer: None, help: None }
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds `did you mean` if there is a name to mean.
    pub(super) fn with_guess(self, guess: Option<&str>) -> Self {
        match guess {
            Some(guess) => self.with_help(format!("did you mean `{guess}`?")),
            None => self,
        }
    }

    /// A private-use character such as U+F0001 in the template.
    pub(crate) fn reserved_character(character: char) -> Self {
        let number = u32::from(character);
        Self::new(
            Code::ReservedCharacter,
            format!("the character U+{number:X} is reserved for the parts of a blueprint"),
        )
        .with_help("in a regular expression write it as an escape, as `\\x{F0001}`")
    }

    /// `{{ a`
    pub(crate) fn unclosed_delimiter(opening: &str) -> Self {
        Self::new(Code::UnclosedDelimiter, format!("`{opening}` is never closed"))
            .with_help("look for a bracket or a string that is not closed, too")
    }

    /// `{% repeet %}`
    pub(crate) fn unknown_tag(name: &str, guess: Option<&str>) -> Self {
        Self::new(Code::UnknownTag, format!("unknown tag `{name}`")).with_guess(guess)
    }

    /// `{% %}`
    pub(crate) fn nameless_tag() -> Self {
        Self::new(Code::Syntax, "a tag needs a name")
    }

    /// `{% break %}`
    pub(crate) fn refused_tag(name: &str, reason: &str) -> Self {
        Self::new(Code::RefusedTag, format!("`{name}` cannot stand in a blueprint: {reason}"))
    }

    /// `{% endif %}`
    pub(crate) fn stray_end(name: &str) -> Self {
        Self::new(Code::UnexpectedTag, format!("`{{% {name} %}}` closes nothing"))
    }

    /// `{% if a %}{% endrepeat %}`
    pub(crate) fn crossed_end(name: &str, open: &str) -> Self {
        Self::new(
            Code::UnexpectedTag,
            format!("found `{{% {name} %}}` while `{{% {open} %}}` is still open"),
        )
    }

    /// `{% repeat %}{% else %}{% endrepeat %}`
    pub(crate) fn stray_branch(name: &str) -> Self {
        Self::new(Code::UnexpectedTag, format!("`{{% {name} %}}` belongs to no open block"))
    }

    /// `{% optional %}`
    pub(crate) fn unclosed_block(name: &str) -> Self {
        Self::new(Code::UnclosedBlock, format!("`{{% {name} %}}` is never closed"))
            .with_help(format!("write `{{% end{name} %}}` where it ends"))
    }

    /// `{% choice %}a{% endchoice %}`
    pub(crate) fn text_in_container(owner: &str, block: &str, text: &str) -> Self {
        Self::part_in_container(owner, block, &quoted(text))
    }

    /// `{% choice %}{{ p | regex }}{% endchoice %}`
    pub(crate) fn part_in_container(owner: &str, block: &str, kind: &str) -> Self {
        let message = match (owner, block) {
            ("choice", _) => format!("only options may stand directly in a choice, not {kind}"),
            _ => format!("only `{block}` blocks may stand directly in `{owner}`, not {kind}"),
        };
        Self::new(Code::TextInChoice, message)
            .with_help(format!("put it between `{{% {block} %}}` and `{{% end{block} %}}`"))
    }

    /// `{% option %}a{% endoption %}`
    pub(crate) fn outside_container(block: &str, owner: &str) -> Self {
        let message = match block {
            "option" => "an option must stand directly in a choice".to_owned(),
            _ => format!("`{{% {block} %}}` must stand directly in `{{% {owner} %}}`"),
        };
        Self::new(Code::OptionOutsideChoice, message)
    }

    /// `{% repeat mim=1 %}`
    pub(crate) fn unknown_argument(owner: &str, name: &str, guess: Option<&str>) -> Self {
        Self::new(Code::UnknownArgument, format!("`{owner}` has no argument `{name}`"))
            .with_guess(guess)
    }

    /// `{% repeat 3 %}`
    pub(crate) fn positional_argument(owner: &str, example: &str) -> Self {
        let problem = Self::new(
            Code::MalformedArgument,
            format!("the arguments of `{owner}` are of the form name=value"),
        );
        match example {
            "" => problem.with_help(format!("`{owner}` takes no arguments")),
            _ => problem.with_help(format!("write for example `{example}`")),
        }
    }

    /// `{% repeat min=1 min=2 %}`
    pub(crate) fn repeated_argument(name: &str) -> Self {
        Self::new(Code::MalformedArgument, format!("the argument `{name}` comes twice"))
    }

    /// `{% repeat min= %}`
    pub(crate) fn valueless_argument(name: &str) -> Self {
        Self::new(Code::MalformedArgument, format!("the argument `{name}` has no value"))
    }

    /// `{{ 1 + }}`
    pub(crate) fn syntax(message: &str) -> Self {
        Self::new(Code::Syntax, message)
    }

    /// `{{ bp_place }}`
    pub(crate) fn reserved_name(name: &str) -> Self {
        Self::new(Code::Syntax, format!("the name `{name}` is reserved"))
            .with_help("choose a name that does not begin with `bp_`")
    }

    /// `{{ s | jsn_schema }}`
    pub(crate) fn unknown_filter(name: &str, guess: Option<&str>) -> Self {
        Self::new(Code::UnknownFilter, format!("unknown filter `{name}`")).with_guess(guess)
    }

    /// `{{ s | safe }}`
    pub(crate) fn refused_filter(name: &str) -> Self {
        Self::new(Code::UnknownFilter, format!("there is no filter `{name}` in a blueprint"))
            .with_help("a printed value is always exactly its text; nothing needs escaping")
    }

    /// `{{ nope }}`
    pub(crate) fn undefined(message: &str, guess: Option<&str>) -> Self {
        Self::new(Code::Undefined, message).with_guess(guess)
    }

    /// `{{ 1 / "a" }}`
    pub(crate) fn failed_expression(message: &str) -> Self {
        Self::new(Code::FailedExpression, message)
    }

    /// `{{ anything }}`
    pub(crate) fn not_text() -> Self {
        Self::new(Code::FailedExpression, "a function is no text that can be printed")
            .with_help("call it: write `()` after its name")
    }

    /// `{% repeat min="a" %}`
    pub(crate) fn bad_count(name: &str, found: &str) -> Self {
        Self::new(Code::BadCount, format!("`{name}` must be a whole number, not {found}"))
            .with_help("counts go from 0 to 4294967295")
    }

    /// `{% repeat min=5 max=2 %}`
    pub(crate) fn empty_repeat(min: u32, max: u32) -> Self {
        Self::new(Code::EmptyRepeat, format!("max ({max}) is less than min ({min})"))
            .with_help("write the smaller bound as `min`")
    }

    /// `{% repeat times=3 max=5 %}`
    pub(crate) fn conflicting_counts(other: &str) -> Self {
        Self::new(Code::ConflictingCounts, format!("`times` excludes `{other}`"))
            .with_help("`times=3` is `min=3 max=3`")
    }

    /// `{% choice %}{% endchoice %}`
    pub(crate) fn empty_choice() -> Self {
        Self::new(Code::EmptyChoice, "a choice without options can never be written")
    }

    /// `{{ "(" | regex }}`
    pub(crate) fn bad_pattern(pattern: &str, error: &PatternError) -> Self {
        let place = error.range.start..error.range.end.max(error.range.start);
        let message = format!(
            "bytes {}..{} of the regular expression: {}",
            place.start, place.end, error.message
        );
        let problem = Self::new(Code::BadPattern, message);
        match (&error.help, pattern.get(place)) {
            (Some(help), _) => problem.with_help(help),
            (None, Some(text)) if !text.is_empty() && text.len() < 80 => {
                problem.with_help(format!("the place is `{text}`"))
            }
            _ => problem,
        }
    }

    /// `{{ 1 | regex }}`
    pub(crate) fn pattern_not_text(found: &str) -> Self {
        Self::new(Code::BadPattern, format!("a regular expression is a text, not {found}"))
    }

    /// `{{ {"type": 1} | json_schema }}`
    pub(crate) fn bad_schema(error: &SchemaError) -> Self {
        let message = match error.pointer.as_str() {
            "" => format!("the schema: {}", error.message),
            pointer => format!("the schema at `{pointer}`: {}", error.message),
        };
        Self { pointer: Some(error.pointer.clone()), ..Self::new(Code::BadSchema, message) }
    }

    /// `{{ "{" | json_schema }}`
    pub(crate) fn schema_not_json(message: &str) -> Self {
        Self::new(Code::BadSchema, format!("the schema is not JSON: {message}"))
    }

    /// `{{ s | json_schema(colour="red") }}`
    pub(crate) fn bad_schema_option(message: &str) -> Self {
        Self::new(Code::BadSchemaOption, message)
    }

    /// `{{ anything() }}{{ p | regex }}`
    pub(crate) fn unnamed_delimiter(what_follows: &str) -> Self {
        Self::new(
            Code::UnnamedDelimiter,
            format!("{what_follows} may follow here, so no delimiter tells where the text ends"),
        )
        .with_help("name what ends it: `anything(until=\"...\")`, with that text after it")
    }

    /// `{{ anything(until="a") }}b`
    pub(crate) fn missing_delimiter(delimiter: &str, follows: &str) -> Self {
        Self::new(
            Code::MissingDelimiter,
            format!("the delimiter {} must follow, but {follows}", quoted(delimiter)),
        )
        .with_help("`until` does not include the delimiter: write it after the text, too")
    }

    /// `{{ anything(until=["a", "b"]) }}a`
    pub(crate) fn unused_delimiter(delimiter: &str) -> Self {
        Self::new(
            Code::MissingDelimiter,
            format!("the delimiter {} never follows", quoted(delimiter)),
        )
    }

    /// `{{ anything() }}{% choice %}` … `ab` … `ba` …
    pub(crate) fn overlapping_delimiters(message: &str) -> Self {
        Self::new(Code::OverlappingDelimiters, message)
            .with_help("name one delimiter with `until`, or let the options begin differently")
    }

    /// `{{ anything(until=1) }}`
    pub(crate) fn bad_delimiter(argument: &str, found: &str) -> Self {
        Self::new(
            Code::BadDelimiter,
            format!("`{argument}` must be a text or a list of texts, not {found}"),
        )
    }

    /// `{{ anything(until="") }}`
    pub(crate) fn empty_delimiter() -> Self {
        Self::new(Code::BadDelimiter, "a delimiter must not be empty")
    }

    /// `{{ part[0:4] }}`
    pub(crate) fn torn_part() -> Self {
        Self::new(
            Code::TornPart,
            "this text holds a reserved character, so it is a torn part or forged data",
        )
        .with_help("a part cannot be cut, spelled backwards or taken from a string")
    }

    /// `{{ (p | regex) | upper }}`
    pub(crate) fn part_as_text(owner: &str) -> Self {
        Self::new(
            Code::PartAsText,
            format!("{owner} works on plain text, but its input holds a part of the blueprint"),
        )
        .with_help("apply it to the text before it becomes a part")
    }

    /// `{% include "nope" %}`
    pub(crate) fn not_found(name: &str) -> Self {
        Self::new(Code::NotFound, format!("there is no template `{name}`"))
    }

    /// A file that is not UTF-8.
    pub(crate) fn unreadable(message: &str) -> Self {
        Self::new(Code::Unreadable, message)
    }

    /// A million nested blocks.
    pub(crate) fn limit(what: &str, bound: u64) -> Self {
        Self::new(Code::LimitExceeded, format!("more than {bound} {what}"))
    }

    /// A loop without end.
    pub(crate) fn limit_reached(message: &str) -> Self {
        Self::new(Code::LimitExceeded, message)
    }

    /// A context that is a list.
    pub(crate) fn bad_context(message: &str) -> Self {
        Self::new(Code::BadContext, message)
    }

    /// `{{ 0.1234567890123456789 }}` from the context.
    pub(crate) fn inexact_number(number: &str) -> Self {
        Self::new(Code::InexactNumber, format!("the number {number} cannot be held exactly"))
            .with_help("pass it as a string")
    }

    /// An indented `{% choice %}` alone on its line.
    pub(crate) fn lost_indentation(name: &str) -> Self {
        Self::new(
            Code::LostIndentation,
            format!("the blanks before `{{% {name} %}}` are not text, for it is alone on its line"),
        )
        .with_help("write `{%+` to keep them, or begin the line with the tag")
    }

    /// What an error of the loader says.
    pub(crate) fn loading(name: &str, message: &str) -> Self {
        Self::new(Code::Unreadable, format!("the template `{name}` cannot be read: {message}"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// `text` in backquotes, shortened, line breaks shown.
pub(crate) fn quoted(text: &str) -> String {
    const LENGTH_MAX: usize = 40;
    let mut shown: String = text.chars().take(LENGTH_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(LENGTH_MAX).is_some() {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\\"", "\"").replace("\\'", "'"))
}

/// What an [`Ir`] made by a filter is called in a message.
pub(crate) fn name_of(ir: &Ir) -> &'static str {
    match ir.kind() {
        crate::ir::Kind::Regex(_) => "a regular expression",
        crate::ir::Kind::Schema(_) => "a JSON Schema",
        _ => "a part",
    }
}
