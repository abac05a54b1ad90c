//! Mail addresses: `Mailbox` of RFC 5321, and of RFC 6531 with characters beyond ASCII.

use super::automaton_of;
use super::network::{IPV4_SNUM, mail_address};
use crate::chars::automaton::{Automaton, TooLarge};

/// `Mailbox` of RFC 5321, section 4.1.2.
pub(super) fn email() -> Result<Automaton, TooLarge> {
    automaton_of(&mailbox(""))
}

/// `Mailbox` of RFC 6531, section 3.3.
pub(super) fn idn_email() -> Result<Automaton, TooLarge> {
    automaton_of(&mailbox(r"\u{80}-\u{10FFFF}"))
}

fn mailbox(more: &str) -> String {
    let atom = format!(r"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~{more}-]+");
    let quoted = format!(r#""(?:[ !#-\[\]-~{more}]|\\[ -~])*""#);
    let label = format!("[A-Za-z0-9{more}](?:[A-Za-z0-9{more}-]*[A-Za-z0-9{more}])?");
    // A tag that is no `IPv6`, with what its standard says, which is not known here.
    let general = r"(?![Ii][Pp][Vv]6:)[A-Za-z0-9-]*[A-Za-z0-9]:[!-Z^-~]+";
    let address = mail_address();
    let literal = format!(r"\[(?:{IPV4_SNUM}|[Ii][Pp][Vv]6:{address}|{general})\]");
    format!(r"^(?:{atom}(?:\.{atom})*|{quoted})@(?:{label}(?:\.{label})*|{literal})$")
}
