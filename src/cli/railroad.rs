//! Draws an outline as a railroad picture, in SVG.

use blueprints::Ir;
use blueprints::ir::{self, Kind, Literal, Special};
use railroad::{
    Choice, Comment, Diagram, Empty, LabeledBox, Node, NonTerminal, Optional, Repeat, Sequence,
    SimpleEnd, SimpleStart, Stylesheet, Terminal,
};

/// How deep parts are drawn; deeper ones are named.
const DEPTH_MAX: usize = 24;
/// How many options of one choice are drawn.
const SHOWN_MAX: usize = 24;
/// The characters of one label.
const LABEL_MAX: usize = 60;

/// The picture of `ir`.
pub(crate) fn picture(ir: &Ir) -> String {
    let parts: Vec<Box<dyn Node>> = vec![Box::new(SimpleStart), node(ir, 0), Box::new(SimpleEnd)];
    let diagram = Diagram::new_with_stylesheet(Sequence::new(parts), &Stylesheet::Light);
    diagram.to_string()
}

fn node(ir: &Ir, depth: usize) -> Box<dyn Node> {
    if depth >= DEPTH_MAX {
        return named("…");
    }
    let inner = |ir: &Ir| node(ir, depth + 1);
    match ir.kind() {
        Kind::Text(text) => Box::new(Terminal::new(label(&text.string))),
        Kind::Sequence(parts) if parts.is_empty() => Box::new(Empty),
        Kind::Sequence(parts) => Box::new(Sequence::new(parts.iter().map(inner).collect())),
        Kind::Choice(arms) => {
            let mut drawn: Vec<Box<dyn Node>> = arms.iter().take(SHOWN_MAX).map(inner).collect();
            if arms.len() > SHOWN_MAX {
                drawn.push(comment(&format!("and {} more", arms.len() - SHOWN_MAX)));
            }
            Box::new(Choice::new(drawn))
        }
        Kind::Repeat(repeat) => self::repeat(repeat, depth),
        Kind::Joined(joined) => {
            let parts = joined.parts.iter().map(|part| match part.required {
                true => inner(&part.body),
                false => Box::new(Optional::new(inner(&part.body))) as Box<dyn Node>,
            });
            let row: Box<dyn Node> = Box::new(Sequence::new(parts.collect()));
            Box::new(LabeledBox::new(row, comment(&format!("joined by {}", joined.separator))))
        }
        Kind::Capture(capture) => {
            Box::new(LabeledBox::new(inner(&capture.body), comment(&capture.name)))
        }
        Kind::Dispatch(dispatch) => {
            let rules = dispatch.triggers.rules.iter().map(|(trigger, body)| {
                let begin: Box<dyn Node> = Box::new(Terminal::new(label(trigger.as_str())));
                Box::new(Sequence::new(vec![begin, inner(body)])) as Box<dyn Node>
            });
            let started: Box<dyn Node> = Box::new(Choice::new(rules.collect()));
            match dispatch.triggers.stop_after_first {
                true => Box::new(Sequence::new(vec![named("free text"), started])),
                false => Box::new(Optional::new(Repeat::new(started, named("free text")))),
            }
        }
        Kind::Grammar(grammar) => {
            let rule = &grammar.rules()[grammar.start().0 as usize];
            named(&format!("grammar {}", rule.name))
        }
        Kind::Call(rule) => named(&format!("rule {}", rule.0)),
        Kind::Regex(regex) => named(&format!("/{}/", regex.pattern)),
        Kind::Schema(schema) => {
            let what = if schema.options.style.is_some() { "entries of" } else { "JSON" };
            named(&format!("{what} {}", schema.source))
        }
        Kind::Anything(anything) => {
            let until: Vec<&str> = anything.until.iter().map(Literal::as_str).collect();
            match until.is_empty() {
                true => named("free text"),
                false => named(&format!("free text until {}", until.join(" or "))),
            }
        }
        Kind::Special(Special::Spelled(spelling)) => Box::new(Terminal::new(label(spelling))),
        Kind::Special(Special::Stop) => named("end of turn"),
        Kind::Special(_) => named("special token"),
        Kind::Automaton(automaton) => named(&format!("{} states", automaton.states.len())),
        Kind::Class(_) => named(&ir.to_string()),
        Kind::Tracked(tracked) => inner(&tracked.body),
        Kind::Observed(part) => inner(part),
        Kind::Act(_) => Box::new(Empty),
    }
}

fn repeat(repeat: &ir::Repeat, depth: usize) -> Box<dyn Node> {
    let body = node(&repeat.body, depth + 1);
    if repeat.max == Some(1) {
        return Box::new(Optional::new(body));
    }
    let between = match &repeat.separator {
        Some(separator) => node(separator, depth + 1),
        None => Box::new(Empty) as Box<dyn Node>,
    };
    let counts = match (repeat.min, repeat.max) {
        (0 | 1, None) => None,
        (min, Some(max)) if min == max => Some(format!("{min} times")),
        (min, Some(max)) => Some(format!("{min} to {max} times")),
        (min, None) => Some(format!("at least {min} times")),
    };
    let repeated: Box<dyn Node> = Box::new(Repeat::new(body, between));
    let labeled: Box<dyn Node> = match counts {
        Some(counts) => Box::new(LabeledBox::new(repeated, comment(&counts))),
        None => repeated,
    };
    if repeat.min == 0 { Box::new(Optional::new(labeled)) } else { labeled }
}

fn named(text: &str) -> Box<dyn Node> {
    Box::new(NonTerminal::new(label(text)))
}

fn comment(text: &str) -> Box<dyn Node> {
    Box::new(Comment::new(label(text)))
}

/// `text` on one line, shortened.
fn label(text: &str) -> String {
    let mut shown: String = text.chars().take(LABEL_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(LABEL_MAX).is_some() {
        shown.push('…');
    }
    shown.replace("\\\"", "\"").replace("\\'", "'")
}
