//! Further problems: values that arguments cannot have, and what is doubtful about a language.

use std::ops::Range;

use crate::diagnostic::code::Code;
use crate::diagnostic::problem::{Problem, quoted};

impl Problem {
    /// `{% part optional="yes" %}`
    pub(crate) fn bad_argument(owner: &str, name: &str, what: &str, found: &str) -> Self {
        let message = format!("`{name}` of `{owner}` must be {what}, not {found}");
        Self::new(Code::BadArgument, message)
    }

    /// `{% capture x type="colour" %}`
    pub(crate) fn unknown_type(word: &str, guess: Option<&str>) -> Self {
        Self::new(Code::BadArgument, format!("there is no type {}", quoted(word)))
            .with_help("the types are text, string, json, integer, number and boolean")
            .with_guess(guess)
    }

    /// `{% choice type="json" %}`
    pub(crate) fn type_without_name(owner: &str) -> Self {
        Self::new(Code::BadArgument, format!("`{owner}` has a type but no name"))
            .with_help("the type says what a named result becomes: add `name=\"...\"`")
    }

    /// `{% capture %}`
    pub(crate) fn nameless_capture() -> Self {
        Self::new(Code::MalformedArgument, "a capture needs a name")
            .with_help("write for example `{% capture city %}`")
    }

    /// `{% on %}`
    pub(crate) fn triggerless_on() -> Self {
        Self::new(Code::MalformedArgument, "`on` needs the text that starts it")
            .with_help("write for example `{% on \"<tool_call>\" %}`")
    }

    /// `{{ token(1) }}`
    pub(crate) fn bad_token(found: &str) -> Self {
        Self::new(Code::BadArgument, format!("`token` takes one text or `eos`, not {found}"))
            .with_help("write for example `token(\"<|im_end|>\")`")
    }

    /// `{{ 1 | literal }}`
    pub(crate) fn filter_of_no_text(name: &str, found: &str) -> Self {
        Self::new(Code::BadArgument, format!("`{name}` is made of a text, not of {found}"))
    }

    /// `{{ "a" | choice }}`
    pub(crate) fn choice_of_no_list(found: &str) -> Self {
        Self::new(Code::BadArgument, format!("`choice` is made of a list, not of {found}"))
            .with_help("write for example `{{ [\"yes\", \"no\"] | choice }}`")
    }

    /// `{{ [[1]] | choice }}`
    pub(crate) fn choice_of_no_text(found: &str) -> Self {
        Self::new(Code::BadArgument, format!("an item of a `choice` cannot be {found}"))
            .with_help("items are texts, numbers, truth values, none, or parts")
    }

    /// `{{ integer(min=3, max=1) }}`
    pub(crate) fn empty_range(min: i128, max: i128) -> Self {
        Self::new(Code::BadArgument, format!("max ({max}) is less than min ({min})"))
            .with_help("write the smaller bound as `min`")
    }

    /// `{{ anything(min_chars=3, max_chars=1) }}`
    pub(crate) fn empty_length(min: u32, max: u32) -> Self {
        let message = format!("max_chars ({max}) is less than min_chars ({min})");
        Self::new(Code::BadArgument, message).with_help("write the smaller bound as `min_chars`")
    }

    /// `{{ anything(include=true) }}`
    pub(crate) fn include_without_until() -> Self {
        Self::new(Code::BadArgument, "`include` needs the delimiter that it includes")
            .with_help("name it: `anything(until=\"...\", include=true)`")
    }

    /// `{% on "<a" %}` … `{% on "<a>" %}`
    pub(crate) fn covered_trigger(trigger: &str, by: &str) -> Self {
        let message = format!("the trigger {trigger} never starts anything, for it holds {by}");
        Self::new(Code::CoveredTrigger, message)
            .with_help("the first text that occurs counts: take away one of the two")
    }

    /// `{{ iteration() }}`
    pub(crate) fn unnumbered_iteration() -> Self {
        let message = "the number of an iteration needs a repeat around it that has a `max`";
        Self::new(Code::UnnumberedIteration, message)
            .with_help("where there is no bound, any number is `{{ integer(min=0) }}`")
    }

    /// `{{ raise_exception("...") }}`
    pub(crate) fn raised(message: &str) -> Self {
        Self::new(Code::Raised, message)
    }

    /// A call with a value of a template that has two variables.
    pub(crate) fn bad_call(message: String) -> Self {
        Self::new(Code::BadCall, message)
    }

    /// What a filter of the host says.
    pub(crate) fn host_failed(owner: &str, message: &str) -> Self {
        Self::new(Code::HostFailed, format!("`{owner}`: {message}"))
    }

    /// `{{ "root ::= (" | grammar }}`
    pub(crate) fn bad_grammar(text: &str, range: &Range<usize>, message: &str) -> Self {
        let before = text.get(..range.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let message = format!("line {line}, column {column} of the grammar: {message}");
        let problem = Self::new(Code::BadGrammar, message);
        match text.get(range.clone()).filter(|text| !text.is_empty() && text.len() < 80) {
            Some(found) => problem.with_help(format!("the place is {}", quoted(found))),
            None => problem,
        }
    }

    /// `{% optional %}{% choice %}{% endchoice %}{% endoptional %}`
    pub(crate) fn impossible_choice() -> Self {
        let message = "this choice has no options, so what holds it can never be written";
        Self::new(Code::ImpossibleChoice, message)
            .with_help("if that is meant, put `{% if %}` around what holds it")
    }

    /// Whether it says that something can never be written.
    pub(crate) fn is_impossible(&self) -> bool {
        self.code == Code::ImpossibleChoice
    }

    /// Two options of the same text.
    pub(crate) fn unreachable_option(option: usize, cover: usize) -> Self {
        let message = format!("option {option} adds nothing: option {cover} has all its texts");
        Self::new(Code::UnreachableOption, message).with_help("take one of the two away")
    }

    /// `{% repeat %}{% optional %}a{% endoptional %}{% endrepeat %}`
    pub(crate) fn nullable_repeat() -> Self {
        Self::new(Code::NullableRepeat, "what is repeated here may be empty")
            .with_help("then `min` means nothing, and a text can be read in many ways")
    }

    /// `{{ {"format": "regex"} | json_schema(lenient=true) }}`
    pub(crate) fn relaxed_schema(error: &crate::schema::SchemaError) -> Self {
        let place = if error.pointer.is_empty() { "the root" } else { &error.pointer };
        let message = format!("at {place} the schema is not held: {error}");
        Self::new(Code::LooseSchema, message).with_help("`lenient` leaves out what cannot be held")
    }

    /// `{{ {"minimum": 1, "exclusiveMinimum": true} | json_schema }}`
    pub(crate) fn repaired_schema(note: &crate::schema::SchemaError) -> Self {
        Self::new(Code::LooseSchema, format!("at {}: {note}", note.pointer))
            .with_help("name the draft of the schema by `$schema`")
    }

    /// `{{ anything() }}` at the end of a template.
    pub(crate) fn endless_text() -> Self {
        Self::new(Code::EndlessText, "nothing in the blueprint ends this free text").with_help(
            "let a stop token follow, as `<|im_end|>` or `{{ token(eos) }}`, or set `max_tokens`",
        )
    }

    /// `<|im_ned|>`
    pub(crate) fn nearly_special(text: &str, known: &str) -> Self {
        let message = format!("`{text}` is text, but nearly the special token `{known}`");
        Self::new(Code::NearlySpecial, message).with_guess(Some(known))
    }

    /// `{{ token("<|nope|>") }}`
    pub(crate) fn unknown_token(spelling: &str, guess: Option<&str>) -> Self {
        let message = format!("the tokenizer has no special token `{spelling}`, so it is text");
        Self::new(Code::UnknownToken, message).with_guess(guess)
    }

    /// `{% capture a %}{{ "x*" | regex }}{% endcapture %}x`
    pub(crate) fn ambiguous_capture(name: &str) -> Self {
        let message = format!("what follows the capture `{name}` can also continue it");
        Self::new(Code::AmbiguousCapture, message)
            .with_help("it takes as much as it can; put a text between that it cannot hold")
    }

    /// Two captures of one name in a row.
    pub(crate) fn repeated_capture(name: &str) -> Self {
        let message = format!("the capture `{name}` comes twice in a row");
        Self::new(Code::AmbiguousCapture, message)
            .with_help("the result is a list of both; other names keep them apart")
    }
}
