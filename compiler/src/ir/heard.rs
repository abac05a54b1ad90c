//! The characters of a JSON string as far as its bytes were heard.

/// The characters of a string so far.
pub(super) struct Decoded {
    pub(super) characters: Vec<char>,
    /// Whether it ends in the middle of an escape or a character.
    pub(super) partial: bool,
    pub(super) closed: bool,
}

impl Decoded {
    /// The string whose text after the first quotation mark is `bytes`.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut text = Self { characters: Vec::new(), partial: false, closed: false };
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if *first == b'"' {
                text.closed = true;
                break;
            }
            let Some((character, length)) = next_character(rest) else {
                text.partial = true;
                break;
            };
            text.characters.push(character);
            rest = &rest[length..];
        }
        text
    }
}

/// The character that `bytes` begin with and how many bytes spell it; `None` if it is cut off.
fn next_character(bytes: &[u8]) -> Option<(char, usize)> {
    if bytes[0] != b'\\' {
        let length = match bytes[0] {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
        return Some((text.chars().next()?, length));
    }
    let short = match bytes.get(1)? {
        b'u' => None,
        b'b' => Some('\u{8}'),
        b'f' => Some('\u{c}'),
        b'n' => Some('\n'),
        b'r' => Some('\r'),
        b't' => Some('\t'),
        other => Some(char::from(*other)),
    };
    if let Some(character) = short {
        return Some((character, 2));
    }
    let unit = |at: usize| {
        let digits = std::str::from_utf8(bytes.get(at + 2..at + 6)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some((char::from_u32(first)?, 6));
    }
    let second = unit(6)?;
    let point = 0x1_0000 + ((first - 0xD800) << 10) + (second.checked_sub(0xDC00)?);
    Some((char::from_u32(point)?, 12))
}
