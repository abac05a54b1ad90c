//! The bounds of the work that one template can cause.

/// How much a template may ask for. Exceeding a bound is a diagnostic with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The bytes of one template file.
    pub template_bytes: usize,
    /// The problems of one template file that are reported.
    pub problems: usize,
    /// Blocks inside blocks, in one template file; one of ours counts 2, an `elif` counts 1.
    pub block_depth: usize,
    /// Operators, filters, brackets and `elif` branches that hang on one another.
    pub expression_depth: usize,
    /// Steps of rendering; a printed or joined 64 bytes count as one more.
    pub fuel: u64,
    /// Macros and includes inside one another, weighed: an include counts 10, a macro 4.
    pub recursion: usize,
    /// The parts of the finished outline, each counted as often as it is used.
    pub parts: usize,
    /// The depth of parts inside parts in the finished outline.
    pub part_depth: usize,
    /// The characters of one delimiter of `anything`.
    pub delimiter_length: usize,
    /// The texts that may follow one `anything`.
    pub delimiters: usize,
    /// Steps to find the delimiters of all free text and to build the automata of it.
    pub delimiter_steps: usize,
    /// Objects and arrays inside one another in the context.
    pub context_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            template_bytes: 1 << 20,
            problems: 100,
            block_depth: 100,
            expression_depth: 100,
            fuel: 2_000_000,
            recursion: 200,
            parts: 200_000,
            part_depth: 100,
            delimiter_length: 4096,
            delimiters: 1024,
            delimiter_steps: 50_000_000,
            context_depth: 128,
        }
    }
}
