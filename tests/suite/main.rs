//! All tests of the whole: one binary, cases as files and tables.

mod masks;
mod random_ir;
mod reference;
mod toy;
