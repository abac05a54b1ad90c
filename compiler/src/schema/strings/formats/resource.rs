//! Identifiers of resources: RFC 3986, RFC 3987 and, as templates, RFC 6570.

use super::automaton_of;
use super::network::{IPV6, spelled_out};
use crate::chars::automaton::{Automaton, TooLarge};

const UCSCHAR: &str = concat!(
    r"\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{1FFFD}\u{20000}-",
    r"\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{4FFFD}\u{50000}-\u{5FFFD}\u{60000}-",
    r"\u{6FFFD}\u{70000}-\u{7FFFD}\u{80000}-\u{8FFFD}\u{90000}-\u{9FFFD}\u{A0000}-",
    r"\u{AFFFD}\u{B0000}-\u{BFFFD}\u{C0000}-\u{CFFFD}\u{D0000}-\u{DFFFD}\u{E1000}-",
    r"\u{EFFFD}",
);
const IPRIVATE: &str = r"\u{E000}-\u{F8FF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}";
const ESCAPED: &str = "%[0-9A-Fa-f]{2}";

/// `URI` of RFC 3986.
pub(super) fn uri() -> Result<Automaton, TooLarge> {
    automaton_of(&format!("^{}$", Parts::new("", "").absolute()))
}

/// `URI-reference` of RFC 3986.
pub(super) fn uri_reference() -> Result<Automaton, TooLarge> {
    let parts = Parts::new("", "");
    automaton_of(&format!("^(?:{}|{})$", parts.absolute(), parts.relative()))
}

/// `IRI` of RFC 3987.
pub(super) fn iri() -> Result<Automaton, TooLarge> {
    automaton_of(&format!("^{}$", Parts::new(UCSCHAR, IPRIVATE).absolute()))
}

/// `IRI-reference` of RFC 3987.
pub(super) fn iri_reference() -> Result<Automaton, TooLarge> {
    let parts = Parts::new(UCSCHAR, IPRIVATE);
    automaton_of(&format!("^(?:{}|{})$", parts.absolute(), parts.relative()))
}

/// The parts that an identifier is made of, as patterns.
struct Parts {
    /// After the scheme, with an authority or without; of a reference, without a scheme.
    absolute: String,
    relative: String,
    /// The query and the fragment.
    tail: String,
}

impl Parts {
    /// With `more` characters everywhere, and `private` ones in the query.
    fn new(more: &str, private: &str) -> Self {
        let plain = format!(r"A-Za-z0-9\-._~!$&'()*+,;={more}");
        let one = |set: &str| format!("(?:[{plain}{set}]|{ESCAPED})");
        let (segment, free, named) = (one(":@"), one(":"), one(""));
        let more_segments = format!("(?:/{segment}*)*");
        let future = r"[Vv][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+";
        let literal = format!(r"\[(?:{}|{future})\]", spelled_out(IPV6));
        let authority = format!("(?:{free}*@)?(?:{literal}|{named}*)(?::[0-9]*)?");
        let rooted = format!("/(?:{segment}+{more_segments})?");
        let under = format!("//{authority}{more_segments}|{rooted}");
        let first = one("@");
        Self {
            absolute: format!("(?:{under}|{segment}+{more_segments})?"),
            relative: format!("(?:{under}|{first}+{more_segments})?"),
            tail: format!(r"(?:\?{}*)?(?:#{}*)?", one(&format!(":@/?{private}")), one(":@/?")),
        }
    }

    fn absolute(&self) -> String {
        format!(r"[A-Za-z][A-Za-z0-9+\-.]*:{}{}", self.absolute, self.tail)
    }

    fn relative(&self) -> String {
        format!("{}{}", self.relative, self.tail)
    }
}

/// `URI-Template` of RFC 6570, with the apostrophe that its erratum 6937 lets in.
pub(super) fn uri_template() -> Result<Automaton, TooLarge> {
    let literal = format!(r"[!#$&-;=?-\[\]_a-z~{UCSCHAR}{IPRIVATE}]|{ESCAPED}");
    let character = format!("(?:[A-Za-z0-9_]|{ESCAPED})");
    let variable = format!(r"{character}(?:\.?{character})*(?::[1-9][0-9]{{0,3}}|\*)?");
    let expression = format!(r"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}}");
    automaton_of(&format!("^(?:{literal}|{expression})*$"))
}
