//! Lays nested text out in lines of at most a hundred columns.
//!
//! A group stands on one line if it fits there; else every break that is directly in it becomes
//! a line break. Text that has no break in it is never cut, so a line may still be longer.

/// The columns that a group may fill.
const WIDTH: usize = 100;

/// One step of indentation.
const STEP: usize = 2;

/// Text with places where it may break.
pub(super) struct Doc {
    form: Form,
    /// Its characters when nothing breaks.
    width: usize,
}

enum Form {
    Text(String),
    /// This text, or a line break.
    Break(&'static str),
    Row(Vec<Doc>),
    Indent(Vec<Doc>),
    Group(Vec<Doc>),
}

impl Doc {
    pub(super) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { width: text.chars().count(), form: Form::Text(text) }
    }

    /// A space, or a line break.
    pub(super) fn space() -> Self {
        Self { width: 1, form: Form::Break(" ") }
    }

    /// Nothing, or a line break.
    pub(super) fn seam() -> Self {
        Self { width: 0, form: Form::Break("") }
    }

    /// One after the other, breaking as what is around them does.
    pub(super) fn row(docs: Vec<Self>) -> Self {
        Self { width: width(&docs), form: Form::Row(docs) }
    }

    /// As [`Doc::row`], with the line breaks in it one step further in.
    pub(super) fn indent(docs: Vec<Self>) -> Self {
        Self { width: width(&docs), form: Form::Indent(docs) }
    }

    /// On one line if it fits.
    pub(super) fn group(docs: Vec<Self>) -> Self {
        Self { width: width(&docs), form: Form::Group(docs) }
    }

    pub(super) fn render(&self) -> String {
        let mut page = Page { text: String::new(), column: 0 };
        page.put(self, 0, false);
        page.text
    }
}

fn width(docs: &[Doc]) -> usize {
    docs.iter().map(|doc| doc.width).fold(0, usize::saturating_add)
}

struct Page {
    text: String,
    column: usize,
}

impl Page {
    fn put(&mut self, doc: &Doc, indent: usize, flat: bool) {
        let (docs, indent, flat) = match &doc.form {
            Form::Break(_) if !flat => {
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n(' ', indent));
                self.column = indent;
                return;
            }
            Form::Break(text) => return self.write(text, doc.width),
            Form::Text(text) => return self.write(text, doc.width),
            Form::Row(docs) => (docs, indent, flat),
            Form::Indent(docs) => (docs, indent + STEP, flat),
            Form::Group(docs) => (docs, indent, flat || self.column + doc.width <= WIDTH),
        };
        docs.iter().for_each(|doc| self.put(doc, indent, flat));
    }

    fn write(&mut self, text: &str, width: usize) {
        self.text.push_str(text);
        self.column += width;
    }
}
