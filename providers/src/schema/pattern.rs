//! Which patterns a provider holds as they are meant.

use crate::facts::Patterns;

/// Whether a provider that takes `patterns` holds this one.
pub(crate) fn is_held(pattern: &str, patterns: Patterns) -> bool {
    match patterns {
        Patterns::All => true,
        Patterns::Subset => is_plain(pattern),
        Patterns::Anchored => is_anchored(pattern),
    }
}

/// Whether there is no look-around, no back-reference and no word boundary.
fn is_plain(pattern: &str) -> bool {
    let mut in_class = false;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('1'..='9' | 'k') => return false,
                Some('b' | 'B') if !in_class => return false,
                _ => {}
            },
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let rest: String = characters.clone().take(3).collect();
                if ["?=", "?!", "?<=", "?<!"].iter().any(|start| rest.starts_with(start)) {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

/// Whether llama.cpp's converter keeps the meaning: `^…$` around plain characters, escaped
/// punctuation, positive classes, groups, alternatives inside groups, and repetition.
///
/// Its dot and its negated classes let quotes of a JSON string through, and it drops the anchors
/// before it reads alternatives.
fn is_anchored(pattern: &str) -> bool {
    let Some(inner) = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')) else {
        return false;
    };
    let mut depth = 0_usize;
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if !characters.next().is_some_and(|next| "^$.[]()|{}*+?-".contains(next)) => {
                return false;
            }
            '.' | '^' | '$' | '"' => return false,
            '|' if depth == 0 => return false,
            '(' if characters.peek() == Some(&'?') => return false,
            '(' => depth += 1,
            ')' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            '[' => {
                if characters.peek() == Some(&'^') {
                    return false;
                }
                loop {
                    match characters.next() {
                        Some(']') => break,
                        None | Some('\\' | '"') => return false,
                        Some(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
    depth == 0
}
