//! What each code means at length, with a template that has the problem.

use crate::diagnostic::code::Code;

/// One code at length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The smallest template that has the problem; empty where no template alone has it.
    pub example: &'static str,
    /// Why it is a problem, and what to do.
    pub text: &'static str,
}

const fn of(example: &'static str, text: &'static str) -> Explanation {
    Explanation { example, text }
}

impl Code {
    /// What it means at length.
    #[must_use]
    pub fn explanation(self) -> Explanation {
        match self {
            Self::ReservedCharacter
            | Self::UnclosedDelimiter
            | Self::UnknownTag
            | Self::RefusedTag
            | Self::UnexpectedTag
            | Self::UnclosedBlock
            | Self::TextInChoice
            | Self::OptionOutsideChoice
            | Self::UnknownArgument
            | Self::MalformedArgument
            | Self::Syntax
            | Self::UnknownFilter
            | Self::BadArgument => spelling(self),
            Self::LostIndentation
            | Self::ImpossibleChoice
            | Self::UnreachableOption
            | Self::NullableRepeat
            | Self::EndlessText
            | Self::NearlySpecial
            | Self::AmbiguousCapture
            | Self::UnknownToken => doubt(self),
            _ => meaning(self),
        }
    }
}

/// Problems with how a template is spelled.
fn spelling(code: Code) -> Explanation {
    match code {
        Code::ReservedCharacter => of(
            "a \u{F0001} b",
            "While a template renders, private-use characters stand for its parts, so a template\n\
             cannot hold them itself. In a pattern write the character as an escape: `\\x{F0001}`.",
        ),
        Code::UnclosedDelimiter => of(
            "{{ (name }}",
            "A delimiter ends only outside of brackets and strings, so an open bracket hides it.",
        ),
        Code::UnknownTag => of(
            "{% repeet min=1 %}a{% endrepeet %}",
            "The tags are those of Jinja and `repeat`, `choice`, `option`, `optional`,\n\
             `anything`, `capture`, `free`, `on`, `anyorder` and `part`.",
        ),
        Code::RefusedTag => of(
            "{% for x in [1] %}{% break %}{% endfor %}",
            "`break` and `continue` would lose what the blocks around them hold, and nothing\n\
             is ever escaped, so there is no `autoescape`. Filter the loop instead:\n\
             `{% for x in l if ... %}`.",
        ),
        Code::UnexpectedTag => of(
            "{% if yes %}{% endrepeat %}{% endif %}",
            "Blocks close in the reverse order in which they open.",
        ),
        Code::UnclosedBlock => of("{% optional %}a", "Every block has an end tag."),
        Code::TextInChoice => of(
            "{% choice %}a{% option %}b{% endoption %}{% endchoice %}",
            "A choice holds options, `free` holds `on` blocks, `anyorder` holds parts. Blanks\n\
             between them are no text; anything else would have no meaning there.",
        ),
        Code::OptionOutsideChoice => of(
            "{% repeat %}{% option %}a{% endoption %}{% endrepeat %}",
            "An option stands in a choice, `on` in `free`, a part in `anyorder`. Loops,\n\
             conditions and macros may stand between.",
        ),
        Code::UnknownArgument => of(
            "{% repeat mim=1 %}a{% endrepeat %}",
            "Each tag and function knows its arguments; none is ignored.",
        ),
        Code::MalformedArgument => of(
            "{% repeat 3 %}a{% endrepeat %}",
            "Arguments are of the form name=value, divided by blanks or commas. Only the name of\n\
             a `capture` and the text of an `on` stand without one.",
        ),
        Code::Syntax => of("{{ 1 + }}", "This is no expression of Jinja."),
        Code::UnknownFilter => of(
            "{{ 'a' | jsn_schema }}",
            "There is no such filter. Those that make safe text of data, such as `safe`, are left\n\
             out on purpose: a printed value is always exactly its text.",
        ),
        _ => of(
            "{% anyorder %}{% part optional='yes' %}a{% endpart %}{% endanyorder %}",
            "The argument exists, but not with this value.",
        ),
    }
}

/// Problems with what a template means under a context.
fn meaning(code: Code) -> Explanation {
    match code {
        Code::Undefined => of(
            "{{ nope }}",
            "The context has no such variable. If it may lack it, say so: `{% if x is defined %}`\n\
             or `{{ x | default(\"...\") }}`.",
        ),
        Code::FailedExpression => of("{{ 1 / 'a' }}", "The expression has no value."),
        Code::BadCount => of(
            "{% repeat min='a' %}a{% endrepeat %}",
            "Counts are whole numbers from 0 to 4294967295.",
        ),
        Code::EmptyRepeat => of(
            "{% repeat min=5 max=2 %}a{% endrepeat %}",
            "The bounds are inclusive, and no number is at least 5 and at most 2.",
        ),
        Code::ConflictingCounts => of(
            "{% repeat times=3 max=5 %}a{% endrepeat %}",
            "`times=3` means `min=3 max=3`, so it excludes both.",
        ),
        Code::EmptyChoice => of(
            "{% choice %}{% endchoice %}",
            "A choice without options has no text, and with it the whole blueprint. A choice that\n\
             may be empty belongs into an `optional`, or behind an `{% if %}`.",
        ),
        _ => part(code),
    }
}

/// Problems with one filter, function or block.
fn part(code: Code) -> Explanation {
    match code {
        Code::BadPattern => of(
            "{{ '(' | regex }}",
            "Patterns are in the dialect of Rust's regex crate. Look-around and backreferences\n\
             are not regular: text up to a delimiter is `anything(until=...)`.",
        ),
        Code::BadSchema => of(
            "{{ {'type': 1} | json_schema }}",
            "The schema is invalid, or holds what cannot be held exactly. The message names the\n\
             place as a JSON pointer.",
        ),
        Code::BadSchemaOption => of(
            "{{ true | json_schema(colour='red') }}",
            "`json_schema` has no such option, or not with this value.",
        ),
        Code::UnnamedDelimiter => of(
            "{{ anything() }}{{ 'p' | regex }}",
            "Free text ends at the first occurrence of what must follow. Here that is no literal\n\
             text, so name it: `anything(until=\"...\")`, with that text behind it.",
        ),
        Code::MissingDelimiter => of(
            "{{ anything(until='a') }}b",
            "`until` does not include the delimiter: it must follow in the template. To include\n\
             it, write `include=true`.",
        ),
        Code::OverlappingDelimiters => of(
            "{{ anything() }}{% optional %}ab{% endoptional %}ba",
            "After `a` the text may end before `b...` but not before another delimiter that its\n\
             own end begins. Name one delimiter with `until`, or let the texts begin differently.",
        ),
        Code::BadDelimiter => of(
            "{% anything until='' %}a",
            "Delimiters are texts of at least one character, one or a list of them.",
        ),
        Code::TornPart => of(
            "{{ ('p' | regex)[0:2] }}",
            "A part was cut or spelled out, or data holds a character that stands for parts.",
        ),
        Code::PartAsText => of(
            "{{ 'p' | regex | upper }}",
            "This works on the characters of a text, and a part of a blueprint has none.",
        ),
        Code::NotFound => of("{% include 'nope' %}", "The loader has no template of this name."),
        Code::LimitExceeded => of(
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "Templates from anywhere may be compiled, so their work is bounded.",
        ),
        Code::CoveredTrigger => of(
            "{% free %}{% on '<a' %}{% endon %}{% on '<ab>' %}{% endon %}{% endfree %}",
            "The first trigger that occurs counts, and the longer one holds the shorter one.",
        ),
        Code::UnnumberedIteration => of(
            "{% repeat %}{{ iteration() }}{% endrepeat %}",
            "Numbered iterations are spelled out one by one, so the repeat needs a `max`.",
        ),
        Code::Raised => of(
            "{{ raise_exception('no tools') }}",
            "The author of the template calls this an error.",
        ),
        Code::BadGrammar => of(
            "{{ 'root ::= (' | grammar }}",
            "The grammar is not well formed, or holds what cannot be said here.",
        ),
        _ => outside(code),
    }
}

/// Problems that no template has by itself.
fn outside(code: Code) -> Explanation {
    match code {
        Code::Unreadable => of("", "The file is there but no text, or leads out of its folder."),
        Code::BadContext => of("", "The context is an object of variables."),
        Code::InexactNumber => of("", "A number is never rounded in silence: pass it as a string."),
        Code::BadCall => of("", "A blueprint with one variable can be called with its value."),
        _ => of("", "A filter or function that the host added refused its arguments."),
    }
}

/// What is doubtful.
fn doubt(code: Code) -> Explanation {
    match code {
        Code::LostIndentation => of(
            "a\n  {% choice %}\n  {% option %}b{% endoption %}\n  {% endchoice %}\nc",
            "A line that holds only tags vanishes with its blanks. If the blanks are meant, write\n\
             `{%+ choice %}`.",
        ),
        Code::ImpossibleChoice => of(
            "{% optional %}{% choice %}{% endchoice %}{% endoptional %}",
            "Under this context the choice has no options, so what holds it cannot be written.",
        ),
        Code::UnreachableOption => of(
            "{% choice %}{% option %}{{ 'a+' | regex }}{% endoption %}{% option %}aa{% endoption %}\
             {% endchoice %}",
            "Every text of one option is a text of another, so it changes nothing.",
        ),
        Code::NullableRepeat => of(
            "{% repeat %}{% optional %}a{% endoptional %}{% endrepeat %}",
            "Iterations may be empty, so their number means nothing and readings multiply. Put\n\
             `min` on the outside and let each iteration hold something.",
        ),
        Code::EndlessText => of(
            "{{ anything() }}",
            "The text runs to the end of the turn, and the model alone decides where that is.\n\
             If a stop token is meant, write it: `<|im_end|>` or `{{ token(eos) }}`.",
        ),
        Code::NearlySpecial => of(
            "Hello<|im_ned|>",
            "The text looks like a special token that is misspelled; the model would have to\n\
             write it letter by letter.",
        ),
        Code::AmbiguousCapture => of(
            "{% capture a %}{{ '[a-z]+' | regex }}{% endcapture %}{{ 'x?' | regex }}",
            "A text can be read in several ways. A repeat that can go on does, so the capture\n\
             takes what it can; or two captures of one name become a list.",
        ),
        Code::LooseSchema => of(
            "{{ {'format': 'regex'} | json_schema(lenient=true) }}",
            "What cannot be held was left out because `lenient` says so, or a keyword is spelled\n\
             as in an older draft: name the draft by `$schema`.",
        ),
        _ => of("", "Without the token, `token(...)` means the characters of its spelling."),
    }
}
