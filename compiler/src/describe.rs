//! Says an [`Ir`] in words: one line for each part, what is inside it indented.

use crate::ir::{Anything, Dispatch, Ir, Kind, Origin, Repeat, Special};

/// How deep parts are told; deeper ones are summed up.
const DEPTH_MAX: usize = 60;
/// How many options or rules of one part are told.
const SHOWN_MAX: usize = 40;

impl Ir {
    /// The language in words, for people.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Ir;
    /// let yes = Ir::optional(Ir::text("yes"));
    /// assert_eq!(yes.describe(), "optionally:\n  the text `yes`\n");
    /// ```
    #[must_use]
    pub fn describe(&self) -> String {
        let mut words = Words { out: String::new(), depth: 0 };
        words.ir(self);
        words.out
    }
}

struct Words {
    out: String,
    depth: usize,
}

impl Words {
    fn line(&mut self, text: &str) {
        self.out.extend(std::iter::repeat_n("  ", self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn inside(&mut self, head: &str, parts: &[&Ir]) {
        self.line(head);
        if self.depth >= DEPTH_MAX {
            return;
        }
        self.depth += 1;
        parts.iter().for_each(|part| self.ir(part));
        self.depth -= 1;
    }

    fn ir(&mut self, ir: &Ir) {
        match ir.kind() {
            Kind::Text(text) => {
                let whose = if text.origin == Origin::Source { "the text" } else { "the value" };
                self.line(&format!("{whose} {}", quoted(&text.string)));
            }
            Kind::Class(_) => self.line(&format!("one character of {ir}")),
            Kind::Sequence(parts) if parts.is_empty() => self.line("nothing"),
            Kind::Sequence(parts) => parts.iter().for_each(|part| self.ir(part)),
            Kind::Choice(arms) => self.choice(arms),
            Kind::Repeat(repeat) => self.repeat(repeat),
            Kind::Joined(joined) => {
                self.line("these parts in order, those in brackets or not:");
                self.depth += 1;
                for part in &joined.parts {
                    let head = if part.required { "- this part:" } else { "- [this part]:" };
                    self.inside(head, &[&part.body]);
                }
                self.inside("- between two of them:", &[&joined.separator]);
                self.depth -= 1;
            }
            Kind::Automaton(automaton) => {
                let states = automaton.states.len();
                self.line(&format!("text that an automaton of {states} states accepts"));
            }
            Kind::Call(rule) => self.line(&format!("rule {} again", rule.0)),
            Kind::Grammar(grammar) => {
                self.line("text of a grammar, whose rules are:");
                for rule in grammar.rules().iter().take(SHOWN_MAX) {
                    self.inside(&format!("- {}:", rule.name), &[&rule.body]);
                }
                self.more(grammar.rules().len(), "rules");
            }
            Kind::Regex(regex) => self.line(&format!("text that matches `{}`", regex.pattern)),
            Kind::Schema(schema) => {
                let source = schema.source.to_string();
                let what = match schema.options.style {
                    Some(_) => "entries, in a style, of an object",
                    None => "JSON",
                };
                self.line(&format!("{what} that is valid for {}", quoted(&source)));
            }
            Kind::Anything(anything) => self.line(&free_text(anything)),
            Kind::Dispatch(dispatch) => self.dispatch(dispatch),
            Kind::Capture(capture) => {
                let head = match capture.kind {
                    crate::ir::CaptureKind::Text => format!("captured as `{}`:", capture.name),
                    kind => format!("captured as `{}`, type {}:", capture.name, kind.as_str()),
                };
                self.inside(&head, &[&capture.body]);
            }
            Kind::Special(special) => self.line(&match special {
                Special::Spelled(spelling) => format!("the special token `{spelling}`"),
                Special::Stop => "a token that ends the turn".to_owned(),
                Special::Any { .. } => "any special token".to_owned(),
            }),
            Kind::Tracked(tracked) => self.inside("counted:", &[&tracked.body]),
            Kind::Act(_) => {}
            Kind::Observed(part) => self.ir(part),
        }
    }

    fn more(&mut self, count: usize, what: &str) {
        if count > SHOWN_MAX {
            self.line(&format!("- and {} more {what}", count - SHOWN_MAX));
        }
    }

    fn choice(&mut self, arms: &[Ir]) {
        if arms.is_empty() {
            return self.line("what can never be written");
        }
        self.line("one of:");
        for arm in arms.iter().take(SHOWN_MAX) {
            // Short options stand on one line each.
            match arm.kind() {
                Kind::Text(text) => self.line(&format!("- {}", quoted(&text.string))),
                _ => self.inside("-", &[arm]),
            }
        }
        self.more(arms.len(), "options");
    }

    fn repeat(&mut self, repeat: &Repeat) {
        let times = match (repeat.min, repeat.max) {
            (0, Some(1)) => "optionally".to_owned(),
            (0, None) => "any number of times".to_owned(),
            (min, None) => format!("at least {}", counted(min)),
            (min, Some(max)) if min == max => format!("exactly {}", counted(min)),
            (0, Some(max)) => format!("at most {}", counted(max)),
            (min, Some(max)) => format!("{min} to {}", counted(max)),
        };
        match &repeat.separator {
            None => self.inside(&format!("{times}:"), &[&repeat.body]),
            Some(separator) => {
                let by = match separator.kind() {
                    Kind::Text(text) => quoted(&text.string),
                    _ => format!("`{separator}`"),
                };
                self.inside(&format!("{times}, with {by} between:"), &[&repeat.body]);
            }
        }
    }

    fn dispatch(&mut self, dispatch: &Dispatch) {
        let triggers = &dispatch.triggers;
        let text = match (triggers.at_least_one, triggers.stop_after_first) {
            (false, false) => "free text, in which each of these texts starts what belongs to it:",
            (true, false) => "one of these starts, then free text in which each may start again:",
            (false, true) => "free text, until one of these texts starts what belongs to it:",
            (true, true) => "one of these, with what belongs to it:",
        };
        match &triggers.text {
            Some(name) => self.line(&format!("(free text is `{name}`) {text}")),
            None => self.line(text),
        }
        for (trigger, body) in triggers.rules.iter().take(SHOWN_MAX) {
            self.inside(&format!("- {}:", quoted(trigger.as_str())), &[body]);
        }
        self.more(triggers.rules.len(), "triggers");
    }
}

fn counted(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn free_text(anything: &Anything) -> String {
    let list = |literals: &[crate::ir::Literal]| {
        let shown: Vec<String> = literals.iter().map(|one| quoted(one.as_str())).collect();
        shown.join(" or ")
    };
    let mut text = match anything.until.as_slice() {
        [] => "free text to the end of the turn".to_owned(),
        until => format!("free text up to the first {}", list(until)),
    };
    let limits = &anything.limits;
    if !limits.excludes.is_empty() {
        text += &format!(", without {}", list(&limits.excludes));
    }
    match (limits.min_chars, limits.max_chars) {
        (0, None) => {}
        (min, None) => text += &format!(", at least {min} characters"),
        (0, Some(max)) => text += &format!(", at most {max} characters"),
        (min, Some(max)) => text += &format!(", {min} to {max} characters"),
    }
    if let Some(max) = limits.max_tokens {
        text += &format!(", a budget of {max} tokens");
    }
    if limits.special {
        text += ", special tokens among it";
    }
    text
}

/// `text` in backquotes, shortened, line breaks shown.
fn quoted(text: &str) -> String {
    crate::diagnostic::problem::quoted(text)
}
