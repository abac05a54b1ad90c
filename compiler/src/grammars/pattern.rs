//! Says patterns as XGrammar reads them in the dialect that is read here.
//!
//! There `.` is any character at all, `\d` and `\w` are those of ASCII, and `\s` is the white
//! space of ECMA-262.

/// What `\s` stands for.
const SPACE: &str = r"\t\n\x0B\x0C\r \u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF";

/// `pattern` in this dialect; itself where both mean the same by it.
pub(super) fn translated(pattern: &str) -> String {
    let mut made = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    let mut dot = false;
    while let Some(c) = characters.next() {
        dot |= c == '.';
        if c != '\\' {
            made.push(c);
            continue;
        }
        match characters.next() {
            Some('d') => made.push_str("[0-9]"),
            Some('D') => made.push_str("[^0-9]"),
            Some('w') => made.push_str("[0-9A-Z_a-z]"),
            Some('W') => made.push_str("[^0-9A-Z_a-z]"),
            Some('s') => made.extend(["[", SPACE, "]"]),
            Some('S') => made.extend(["[^", SPACE, "]"]),
            other => {
                made.push('\\');
                made.extend(other);
            }
        }
    }
    // A dot in a class or behind a backslash is one in both dialects, and the flag changes none.
    if dot { format!("(?s:{made})") } else { made }
}
