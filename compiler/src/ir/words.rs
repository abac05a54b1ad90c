//! The printed forms of free text, captures and tokens, each on one line.

use super::print::{is_word, quoted_as};
use super::{Anything, Capture, CaptureKind, FreeText, Literal, Origin, Special, Triggers};

pub(super) fn literal(literal: &Literal) -> String {
    let stretches: Vec<String> =
        literal.stretches().map(|(string, origin)| quoted_as(string, origin)).collect();
    stretches.join(" ")
}

/// ` word "a"` or ` word ("a" | 'b')`; nothing if there is none.
fn list(word: &str, literals: &[Literal]) -> String {
    let texts: Vec<String> = literals.iter().map(literal).collect();
    match literals {
        [] => String::new(),
        // Without parentheses the text that follows would seem to be a part of the delimiter.
        [one] if one.stretches().all(|(_, origin)| origin == Origin::Source) => {
            format!(" {word} {}", texts.concat())
        }
        _ => format!(" {word} ({})", texts.join(" | ")),
    }
}

pub(super) fn anything(anything: &Anything) -> String {
    let FreeText { excludes, min_chars, max_chars, max_tokens, special, before } = &anything.limits;
    let before: Vec<Literal> = before.iter().cloned().collect();
    let mut form = format!(
        "anything{}{}{}",
        list("until", &anything.until),
        list("before", &before),
        list("excluding", excludes)
    );
    match (min_chars, max_chars) {
        (0, None) => {}
        (min, None) => form += &format!(" chars {{{min},}}"),
        (min, Some(max)) => form += &format!(" chars {{{min},{max}}}"),
    }
    if let Some(max) = max_tokens {
        form += &format!(" tokens {max}");
    }
    if *special {
        form += " special";
    }
    form
}

pub(super) fn dispatch(triggers: &Triggers) -> String {
    let mut form = String::from("dispatch");
    if let Some(text) = &triggers.text {
        form += &format!(" text {}", name(text));
    }
    form += if triggers.at_least_one { " needed" } else { "" };
    form += if triggers.stop_after_first { " once" } else { "" };
    form += &list("until", &triggers.until);
    form += &list("excluding", &triggers.excludes);
    form
}

pub(super) fn capture(capture: &Capture) -> String {
    let name = name(&capture.name);
    match capture.kind {
        CaptureKind::Text => format!("capture {name} "),
        kind => format!("capture {name} as {} ", kind.as_str()),
    }
}

fn name(name: &str) -> String {
    match is_word(name) {
        true => name.to_string(),
        false => quoted_as(name, Origin::Source),
    }
}

pub(super) fn special(special: &Special) -> String {
    match special {
        Special::Spelled(spelling) => format!("token {}", quoted_as(spelling, Origin::Source)),
        Special::Stop => "token stop".into(),
        Special::Any { except } => {
            let except: Vec<Literal> = except.iter().map(|text| Literal::from(&**text)).collect();
            format!("token any{}", list("except", &except))
        }
    }
}
