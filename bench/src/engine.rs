//! What an engine must do to be measured.

/// Any fault of an engine, of a file or of the command line.
pub(crate) type Fault = Box<dyn std::error::Error>;

/// What a text is held to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Grammar<'a> {
    /// The text of a JSON Schema.
    Schema(&'a str),
    /// The same language written for each engine.
    Probe {
        /// Our template, or the printed form of an `Ir`.
        ours: &'a Written,
        /// llguidance's Lark dialect.
        #[cfg_attr(not(feature = "llguidance"), expect(dead_code, reason = "read by the peer"))]
        lark: &'a str,
    },
}

/// A language written for our engine.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// A template.
    Template(&'static str),
    /// A template and its context.
    Bound(&'static str, serde_json::Value),
    /// The printed form of an `Ir`.
    Printed(&'static str),
}

/// An engine with a tokenizer, ready for any number of grammars.
pub(crate) trait Engine {
    /// The name and the version that the table shows.
    fn name(&self) -> String;

    /// All that has to be done before the first mask. This is timed.
    fn compile(&self, grammar: Grammar<'_>) -> Result<Box<dyn Session>, Fault>;
}

/// One grammar in use: texts are read one after the other.
pub(crate) trait Session {
    /// Goes back to the beginning of the text, keeping what the engine keeps. Not timed.
    fn restart(&mut self) -> Result<(), Fault>;

    /// Computes the mask and keeps it for [`Session::allows`]. This is timed.
    fn mask(&mut self) -> Result<(), Fault>;

    /// Whether the mask holds `token`. Not timed.
    fn allows(&mut self, token: u32) -> Result<bool, Fault>;

    /// Moves past a token. This is timed.
    fn accept(&mut self, token: u32) -> Result<(), Fault>;

    /// Whether the text may end. Not timed.
    fn is_accepting(&mut self) -> Result<bool, Fault>;

    /// Mask and accept along all tokens, from where the text stands. Timed as a whole.
    fn walk(&mut self, tokens: &[u32]) -> Result<(), Fault>;

    /// Bytes that the program takes: its states, and its masks, if the engine can say.
    fn memory(&self) -> Option<(usize, usize)> {
        None
    }
}
