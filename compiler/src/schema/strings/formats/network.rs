//! Addresses of machines, and identifiers of RFC 4122.

use super::automaton_of;
use crate::chars::automaton::{Automaton, TooLarge};

/// `IPv4address` of RFC 3986: four numbers up to 255 without zeros in front.
pub(super) const IPV4: &str =
    r"(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)";

/// `IPv4-address-literal` of RFC 5321, where zeros may stand in front.
pub(super) const IPV4_SNUM: &str =
    r"(?:(?:25[0-5]|2[0-4]\d|[01]?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d?\d)";

/// `IPv6address` of RFC 3986, which says in nine forms what RFC 4291 says in words.
pub(super) const IPV6: &str = concat!(
    r"(?:(?:H:){6}L|::(?:H:){5}L|H?::(?:H:){4}L|(?:(?:H:)?H)?::(?:H:){3}L|(?:(?:H:){",
    r"0,2}H)?::(?:H:){2}L|(?:(?:H:){0,3}H)?::H:L|(?:(?:H:){0,4}H)?::L|(?:(?:H:){0,5}",
    r"H)?::H|(?:(?:H:){0,6}H)?::)",
);

/// Sixteen bits of an address.
const GROUP: &str = "[0-9A-Fa-f]{1,4}";

/// An address with its letters replaced by what they stand for.
pub(super) fn spelled_out(pattern: &str) -> String {
    let low = format!("(?:H:H|{IPV4})");
    pattern.replace('L', &low).replace('H', GROUP)
}

/// `IPv6-addr` of RFC 5321: as that of RFC 3986, but `::` stands for two groups or more, and the
/// four numbers at the end have the form of that RFC.
pub(super) fn mail_address() -> String {
    // Groups before the colons, and at most the rest of `most` after them.
    let shortened = |most: usize, end: &str| {
        let arms: Vec<String> = (0..=most)
            .map(|before| {
                let head = vec!["H"; before].join(":");
                let after = most - before;
                match end {
                    "" if after == 0 => format!("{head}::"),
                    "" => format!("{head}::(?:(?:H:){{0,{}}}H)?", after - 1),
                    end => format!("{head}::(?:H:){{0,{after}}}{end}"),
                }
            })
            .collect();
        arms.join("|")
    };
    let numbers = "@";
    let all =
        format!("(?:H:){{7}}H|(?:H:){{6}}{numbers}|{}|{}", shortened(6, ""), shortened(4, numbers));
    format!("(?:{})", all.replace('H', GROUP).replace(numbers, IPV4_SNUM))
}

/// `IPv4address`.
pub(super) fn ipv4() -> Result<Automaton, TooLarge> {
    automaton_of(&format!("^{IPV4}$"))
}

/// `IPv6address`.
pub(super) fn ipv6() -> Result<Automaton, TooLarge> {
    automaton_of(&format!("^{}$", spelled_out(IPV6)))
}

/// `UUID` of RFC 4122, in either case.
pub(super) fn uuid() -> Result<Automaton, TooLarge> {
    automaton_of("^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$")
}
