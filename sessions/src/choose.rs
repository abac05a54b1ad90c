//! Finds the option that a free text means.

/// What becomes of an answer that means none of the options.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum NoMatch {
    /// It is an error.
    #[default]
    Error,
    /// It means the first option.
    First,
}

/// The option that `text` means: the one that it is; else the one that it is but for the case of
/// letters and what stands around it; else the one with its number, from 1; else the only one that
/// occurs in it, or that it occurs in.
///
/// ```
/// use blueprints_sessions::matched;
///
/// let options = ["north", "northeast", "south"];
/// assert_eq!(matched(" North.\n", &options), Some("north"));
/// assert_eq!(matched("2) that way", &options), Some("northeast"));
/// assert_eq!(matched("I would go northeast", &options), Some("northeast"));
/// assert_eq!(matched("north or south", &options), None);
/// ```
///
/// # Complexity
/// O(text · options).
#[must_use]
pub fn matched<'a>(text: &str, options: &[&'a str]) -> Option<&'a str> {
    if let Some(option) = options.iter().find(|option| **option == text) {
        return Some(option);
    }
    let plain = plain(text);
    let same = options.iter().filter(|option| self::plain(option) == plain);
    if let Some(option) = only(same) {
        return Some(option);
    }
    numbered(text, options).or_else(|| within(&plain, options))
}

/// Lower case, without blanks, quotes and stops around it.
fn plain(text: &str) -> String {
    let around = |character: char| {
        character.is_whitespace() || ['"', '\'', '`', '*', '.', '!'].contains(&character)
    };
    text.trim_matches(around).to_lowercase()
}

fn only<'a, 'b: 'a>(mut found: impl Iterator<Item = &'a &'b str>) -> Option<&'b str> {
    match (found.next(), found.next()) {
        (Some(option), None) => Some(option),
        _ => None,
    }
}

/// The option of a number that the text is or begins with.
fn numbered<'a>(text: &str, options: &[&'a str]) -> Option<&'a str> {
    let text = text.trim_start();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    // `3.5` and `3rd` are no numbers of options.
    let ends = match rest.strip_prefix(['.', ')', ':']) {
        Some(after) => after.is_empty() || after.starts_with(char::is_whitespace),
        None => rest.trim().is_empty(),
    };
    let number: usize = number.parse().ok()?;
    if ends { options.get(number.checked_sub(1)?).copied() } else { None }
}

/// The only option that occurs in the text outside of longer ones, or that the text occurs in.
fn within<'a>(text: &str, options: &[&'a str]) -> Option<&'a str> {
    if text.is_empty() {
        return None;
    }
    let lower: Vec<String> = options.iter().map(|option| option.to_lowercase()).collect();
    let mut spans: Vec<(usize, usize, usize)> = Vec::new();
    for (index, option) in lower.iter().enumerate().filter(|(_, option)| !option.is_empty()) {
        spans.extend(
            text.match_indices(option.as_str()).map(|(at, _)| (at, at + option.len(), index)),
        );
    }
    // By their start, longer ones first: a span is covered if one before it ends no earlier.
    spans.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut covered_to = 0;
    let mut found = std::collections::BTreeSet::new();
    for (_, end, index) in spans {
        if end > covered_to {
            covered_to = end;
            found.insert(index);
        }
    }
    match found.len() {
        1 => found.first().map(|index| options[*index]),
        0 => {
            let around = options.iter().zip(&lower).filter(|(_, option)| option.contains(text));
            only(around.map(|(option, _)| option))
        }
        _ => None,
    }
}
