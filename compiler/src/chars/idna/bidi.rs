//! The rule of RFC 5893 for labels with letters that are written from right to left.

use unicode_bidi::{BidiClass, bidi_class};

/// Whether `label` satisfies the rule, or need not.
pub(super) fn holds(label: &[char]) -> bool {
    use BidiClass::{AL, AN, BN, CS, EN, ES, ET, NSM, ON, R};
    let classes: Vec<BidiClass> = label.iter().map(|c| bidi_class(*c)).collect();
    if !classes.iter().any(|class| matches!(class, R | AL | AN)) {
        return true;
    }
    let last = classes.iter().rev().find(|class| **class != NSM);
    let (Some(first), Some(last)) = (classes.first(), last) else { return false };
    match first {
        R | AL => {
            let fit = |class: &BidiClass| {
                matches!(class, R | AL | AN | EN | ES | CS | ET | ON | BN | NSM)
            };
            let mixed = classes.contains(&EN) && classes.contains(&AN);
            classes.iter().all(fit) && matches!(last, R | AL | EN | AN) && !mixed
        }
        // A label from left to right has no such letter, and it begins with no digit.
        _ => false,
    }
}
