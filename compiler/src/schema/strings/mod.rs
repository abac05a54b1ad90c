//! Sets of strings, closed under union, intersection and complement.
//!
//! The signatures that the rest of the schema's lowering is written against:
//!
//! ```text
//! pub(crate) struct StringLanguage            // Clone, Debug, cheap to clone; strings are sequences of characters
//!   fn all() / never() / exactly(&str) -> Self
//!   fn one_of(impl IntoIterator<Item = impl Into<String>>) -> Self          // any order, repeats allowed, linear after sorting
//!   fn length(min: u64, max: Option<u64>) -> Self                           // in characters
//!   fn pattern(ecma: &str) -> Result<Self, PatternFault>                    // searched for, not anchored
//!   fn format(name: &str) -> FormatMeaning                                  // Language(Self) | Refused(&'static str) | Annotation
//!   fn union/intersection/difference(&self, &Self) -> Result<Self, TooLarge>
//!   fn complement(&self) -> Self
//!   fn is_never(&self) -> bool                                              // exact
//!   fn is_all(&self) -> bool                                                // exact
//!   fn contains(&self, &str) -> bool
//!   fn is_subset/is_disjoint/is_equal(&self, &Self) -> Result<bool, TooLarge>
//!   fn is_finite(&self) -> bool
//!   fn words(&self, most: usize) -> Option<Vec<String>>                     // all of them, sorted, if there are at most `most`
//!   fn to_ir(&self, Spelling) -> Result<Ir, TooLarge>                       // JSON: with the quotation marks
//! pub(crate) enum Spelling { Json(Escapes), Raw }  enum Escapes { All, Minimal }
//! pub(crate) enum PatternFault { Refused(PatternError), TooLarge(TooLarge) }
//!
//! pub(crate) struct KeyClasses                // one automaton that tells which class a key is in
//!   fn new(words: &[&str], languages: &[&StringLanguage]) -> Result<Self, TooLarge>
//!   fn len(&self) -> usize                    // every word is a class of its own (number = its index), then one class for each
//!                                             // set of languages that some other key is in (the set may be empty: the rest)
//!   fn members(&self, class: usize) -> &[usize]    // the languages that the keys of this class are in, ascending (for words too)
//!   fn language(&self, class: usize) -> StringLanguage
//!   fn to_ir(&self, tails: &[Option<Ir>], Spelling) -> Result<Ir, TooLarge>
//!        // for each class with a tail: the spelled keys (with quotation marks), each followed by the tail of its class;
//!        // one automaton; tails come after the closing quotation mark, or in front of it where `tails` say so by Act
//! ```
