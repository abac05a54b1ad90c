//! What was measured of one text under one engine, and its form as a line of JSON.

use serde_json::{Value, json};

/// One text under one engine. Times are nanoseconds with the clock's cost taken off.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) engine: String,
    /// The grammar.
    pub(crate) id: String,
    /// The text's place among those of the grammar.
    pub(crate) test: usize,
    /// Whether the case says that the text is right.
    pub(crate) valid: bool,
    /// Whether the engine took all its tokens, and it may end there.
    pub(crate) accepted: bool,
    /// Why not, if the engine says.
    pub(crate) error: Option<String>,
    /// Compiling the grammar, if that was done for this text.
    pub(crate) compile: Option<f64>,
    /// Each mask, the one after the last token included.
    pub(crate) masks: Vec<f64>,
    /// Each token that was accepted.
    pub(crate) accepts: Vec<f64>,
    /// Mask and accept of a token when all is known, measured over many tokens at once.
    pub(crate) warm: Option<f64>,
    /// Bytes of the program after this text: its states and its masks.
    pub(crate) memory: Option<(usize, usize)>,
}

impl Record {
    pub(crate) fn new(engine: &str, id: &str, test: usize, valid: bool) -> Self {
        Self {
            engine: engine.to_owned(),
            id: id.to_owned(),
            test,
            valid,
            accepted: false,
            error: None,
            compile: None,
            masks: Vec::new(),
            accepts: Vec::new(),
            warm: None,
            memory: None,
        }
    }

    /// Mask and accept of each token that was accepted.
    pub(crate) fn both(&self) -> impl Iterator<Item = f64> + '_ {
        self.masks.iter().zip(&self.accepts).map(|(mask, accept)| mask + accept)
    }

    /// From the grammar's text to the first mask, where it was compiled for this text.
    pub(crate) fn first(&self) -> Option<f64> {
        Some(self.compile? + self.masks.first()?)
    }

    pub(crate) fn line(&self) -> Value {
        let memory = self.memory.map(|(states, masks)| [states, masks]);
        json!({
            "engine": self.engine, "id": self.id, "test": self.test, "valid": self.valid,
            "accepted": self.accepted, "error": self.error, "compile": self.compile,
            "masks": self.masks, "accepts": self.accepts, "warm": self.warm, "memory": memory,
        })
    }

    /// The record of a line, in which numbers may be missing.
    pub(crate) fn read(line: &Value) -> Option<Self> {
        let text = |key: &str| line[key].as_str().map(str::to_owned);
        let times = |key: &str| {
            let list = line[key].as_array().into_iter().flatten();
            list.filter_map(Value::as_f64).collect::<Vec<f64>>()
        };
        let bytes = |at: usize| Some(line["memory"][at].as_u64()? as usize);
        Some(Self {
            engine: text("engine")?,
            id: text("id")?,
            test: line["test"].as_u64()? as usize,
            valid: line["valid"].as_bool()?,
            accepted: line["accepted"].as_bool()?,
            error: text("error"),
            compile: line["compile"].as_f64(),
            masks: times("masks"),
            accepts: times("accepts"),
            warm: line["warm"].as_f64(),
            memory: bytes(0).zip(bytes(1)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Record;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut record = Record::new("blueprints 0", "a", 3, true);
        record.compile = Some(12.5);
        record.masks = vec![1.5, -0.25];
        record.accepts = vec![2.0];
        record.memory = Some((10, 20));
        assert_eq!(Record::read(&record.line()), Some(record));
    }
}
