//! A regular expression being put together, with what it costs.

use regex_syntax::hir::ClassUnicode;
use regex_syntax::utf8::Utf8Sequences;

use crate::emit::escape;

/// What has a meaning of its own outside brackets.
const MARKS: &str = r"\.+*?()|[]{}^$";
/// What has a meaning of its own inside brackets, in some dialect.
const CLASS_MARKS: &str = r"\[]^-&~|";

// What the crate `regex` 1 takes for each state of its automaton, measured by the largest count
// that it compiles under its limit.
const STATE_BYTES: u64 = 56;

/// A regular expression.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    /// How deep it nests, each operator counted.
    pub(super) depth: usize,
    /// An upper estimate of the bytes that it takes when compiled.
    pub(super) cost: u64,
    form: Form,
    /// The characters it matches, if it matches single characters only.
    set: Option<ClassUnicode>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Alternation,
    Sequence,
    /// It has a suffix, and can take no further one.
    Repeated,
    Atom,
}

impl Piece {
    pub(super) fn empty() -> Self {
        Self { text: String::new(), depth: 0, cost: 0, form: Form::Sequence, set: None }
    }

    pub(super) fn never() -> Self {
        let text = r"[^\s\S]".to_string();
        Self { text, depth: 1, cost: STATE_BYTES, form: Form::Atom, set: None }
    }

    pub(super) fn text(string: &str) -> Self {
        let mut text = String::new();
        string.chars().for_each(|c| escape::character(c, MARKS, &mut text));
        let set = escape::single(string);
        let (form, depth) = if set.is_some() { (Form::Atom, 0) } else { (Form::Sequence, 1) };
        let cost = STATE_BYTES.saturating_mul(string.len() as u64);
        Self { text, depth, cost, form, set }
    }

    pub(super) fn class(set: ClassUnicode) -> Self {
        if let [range] = set.ranges()
            && range.start() == range.end()
        {
            return Self::text(&range.start().to_string());
        }
        let mut text = String::new();
        match escape::all_but(&set) {
            Some(rest) if rest.ranges().is_empty() => text.push_str(r"[\s\S]"),
            Some(rest) => {
                text.push_str("[^");
                escape::ranges(&rest, &mut text, class_character);
                text.push(']');
            }
            None => {
                text.push('[');
                escape::ranges(&set, &mut text, class_character);
                text.push(']');
            }
        }
        let states = set
            .ranges()
            .iter()
            .flat_map(|range| Utf8Sequences::new(range.start(), range.end()))
            .fold(1, |states, sequence| states + sequence.len() as u64);
        Self { text, depth: 1, cost: STATE_BYTES * states, form: Form::Atom, set: Some(set) }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn then(&self, next: &Self) -> Self {
        let mut whole = self.clone();
        whole.push(next);
        whole
    }

    /// Puts `next` behind it.
    pub(super) fn push(&mut self, next: &Self) {
        if next.is_empty() {
            return;
        }
        if self.is_empty() {
            self.clone_from(next);
            return;
        }
        if self.form == Form::Alternation {
            self.group();
        }
        let depth = self.depth_under(Form::Sequence);
        if next.form == Form::Alternation {
            self.text.extend(["(?:", &next.text, ")"]);
            self.depth = 1 + depth.max(1 + next.depth);
        } else {
            self.text.push_str(&next.text);
            self.depth = 1 + depth.max(next.depth_under(Form::Sequence));
        }
        self.cost = self.cost.saturating_add(next.cost);
        self.form = Form::Sequence;
        self.set = None;
    }

    /// How deep it nests below an operator of this form, with which it becomes one.
    fn depth_under(&self, form: Form) -> usize {
        if self.form == form { self.depth - 1 } else { self.depth }
    }

    /// Any one of `pieces`. Single characters are joined to one class.
    pub(super) fn any(pieces: Vec<Self>) -> Self {
        let mut arms: Vec<Self> = Vec::with_capacity(pieces.len());
        let mut characters: Option<(usize, ClassUnicode)> = None;
        let mut empty = false;
        for piece in pieces {
            match (&piece.set, &mut characters) {
                (Some(set), Some((_, all))) => all.union(set),
                (Some(set), None) => {
                    characters = Some((arms.len(), set.clone()));
                    arms.push(piece);
                }
                (None, _) if piece.is_empty() => empty = true,
                (None, _) => arms.push(piece),
            }
        }
        if let Some((at, set)) = characters {
            arms[at] = Self::class(set);
        }
        let any = match arms.len() {
            0 if empty => return Self::empty(),
            0 => return Self::never(),
            1 => arms.swap_remove(0),
            _ => Self {
                text: arms.iter().map(|arm| arm.text.as_str()).collect::<Vec<_>>().join("|"),
                depth: 1 + arms
                    .iter()
                    .map(|arm| arm.depth_under(Form::Alternation))
                    .max()
                    .unwrap_or(0),
                cost: arms.iter().fold(STATE_BYTES, |cost, arm| cost.saturating_add(arm.cost)),
                form: Form::Alternation,
                set: None,
            },
        };
        if empty { any.optional() } else { any }
    }

    pub(super) fn optional(&self) -> Self {
        self.repeat(0, Some(1))
    }

    pub(super) fn star(&self) -> Self {
        self.repeat(0, None)
    }

    /// From `min` to `max` times; `None` is no bound.
    pub(super) fn repeat(&self, min: u32, max: Option<u32>) -> Self {
        if max == Some(0) || self.is_empty() {
            return Self::empty();
        }
        let suffix = match (min, max) {
            (1, Some(1)) => return self.clone(),
            (0, Some(1)) => "?".to_string(),
            (0, None) => "*".to_string(),
            (1, None) => "+".to_string(),
            (min, None) => format!("{{{min},}}"),
            (min, Some(max)) if min == max => format!("{{{min}}}"),
            (min, Some(max)) => format!("{{{min},{max}}}"),
        };
        let mut body = self.clone();
        if body.form != Form::Atom {
            body.group();
        }
        let copies = u64::from(max.unwrap_or(min).max(1));
        Self {
            text: body.text + &suffix,
            depth: 1 + body.depth,
            cost: body.cost.saturating_add(STATE_BYTES).saturating_mul(copies),
            form: Form::Repeated,
            set: None,
        }
    }

    fn group(&mut self) {
        self.text = format!("(?:{})", self.text);
        self.depth += 1;
        self.form = Form::Atom;
        self.set = None;
    }
}

fn class_character(c: char, out: &mut String) {
    escape::character(c, CLASS_MARKS, out);
}
