//! A part of a rule being put together.

#[derive(Clone)]
pub(super) struct Expression {
    pub(super) text: String,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Choice,
    Sequence,
    /// It can stand in a sequence, but take no suffix.
    Repeated,
    Atom,
}

impl Expression {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), form: Form::Atom }
    }

    pub(super) fn empty() -> Self {
        Self::atom("\"\"")
    }

    fn is_empty(&self) -> bool {
        self.text == "\"\""
    }

    /// Its text where `form` or a tighter one may stand.
    fn under(&self, form: Form) -> String {
        match self.form < form {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }

    pub(super) fn sequence(parts: &[Self]) -> Self {
        let parts: Vec<&Self> = parts.iter().filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            [] => Self::empty(),
            [part] => (*part).clone(),
            _ => {
                let parts: Vec<String> =
                    parts.iter().map(|part| part.under(Form::Sequence)).collect();
                Self { text: parts.join(" "), form: Form::Sequence }
            }
        }
    }

    pub(super) fn choice(arms: &[Self]) -> Self {
        match arms {
            [arm] => arm.clone(),
            _ => {
                let arms: Vec<&str> = arms.iter().map(|arm| arm.text.as_str()).collect();
                Self { text: arms.join(" | "), form: Form::Choice }
            }
        }
    }

    /// Nothing stays nothing: llama.cpp refuses to repeat it.
    pub(super) fn suffixed(&self, suffix: &str) -> Self {
        if self.is_empty() {
            return Self::empty();
        }
        Self { text: self.under(Form::Atom) + suffix, form: Form::Repeated }
    }

    /// From `min` to `max` times; counts above `count_max` are split in two.
    pub(super) fn repeat(&self, mut min: u32, mut max: Option<u32>, count_max: u32) -> Self {
        let mut parts = Vec::new();
        loop {
            let last = min <= count_max && max.is_none_or(|max| max <= count_max);
            let some = min.min(count_max);
            let most = if last { max } else { Some(max.unwrap_or(some).min(count_max)) };
            parts.push(self.counted(some, most));
            if last {
                return Self::sequence(&parts);
            }
            min -= some;
            max = max.zip(most).map(|(max, most)| max - most);
        }
    }

    /// From `min` to `max` times, as one suffix.
    pub(super) fn counted(&self, min: u32, max: Option<u32>) -> Self {
        match (min, max) {
            (_, Some(0)) => Self::empty(),
            (1, Some(1)) => self.clone(),
            (0, Some(1)) => self.suffixed("?"),
            (0, None) => self.suffixed("*"),
            (1, None) => self.suffixed("+"),
            (min, None) => self.suffixed(&format!("{{{min},}}")),
            (min, Some(max)) if min == max => self.suffixed(&format!("{{{min}}}")),
            (min, Some(max)) => self.suffixed(&format!("{{{min},{max}}}")),
        }
    }
}
