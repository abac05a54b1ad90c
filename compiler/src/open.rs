//! Which parts of a language are in progress behind the beginning of a text.

use std::collections::{BTreeSet, HashSet};

use crate::diagnostic::problem::quoted;
use crate::ir::{Ir, Kind, Origin};
use crate::template::member::Reader;

/// How deep parts may nest.
const DEPTH_MAX: usize = 100;

impl Ir {
    /// The parts that are in progress behind `text`, the beginning of a text of this language, in
    /// words and from the outside in. One way to read it is told, where there are several; none
    /// where the text is long or the language is not cheap to search.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Ir;
    /// let list = Ir::sequence([Ir::text("["), Ir::regex("[0-9]+").unwrap(), Ir::text("]")]);
    /// assert_eq!(list.open_parts("[1"), ["text that matches `[0-9]+`"]);
    /// ```
    #[must_use]
    pub fn open_parts(&self, text: &str) -> Vec<String> {
        let mut search = Search { reader: Reader::new(text), seen: HashSet::new() };
        let mut path = Vec::new();
        match search.open(self, 0, 0, &mut path) {
            Some(true) => path.into_iter().rev().collect(),
            _ => Vec::new(),
        }
    }
}

struct Search<'a> {
    reader: Reader<'a>,
    /// Parts and places that were tried in vain.
    seen: HashSet<(*const Kind, usize)>,
}

impl Search<'_> {
    /// Whether `ir`, begun at `at`, can be in progress at the end of the text. The parts that are
    /// go into `path`, the innermost first. `None` if that is not cheap to say.
    fn open(&mut self, ir: &Ir, at: usize, depth: usize, path: &mut Vec<String>) -> Option<bool> {
        if depth > DEPTH_MAX || !self.seen.insert((std::ptr::from_ref(ir.kind()), at)) {
            return Some(false);
        }
        let rest = &self.reader.text()[at..];
        let found = match ir.kind() {
            Kind::Text(text) => text.string.len() > rest.len() && text.string.starts_with(rest),
            Kind::Class(_) => rest.is_empty(),
            Kind::Sequence(parts) => {
                let mut from = BTreeSet::from([at]);
                let mut found = false;
                'parts: for part in parts {
                    for &start in from.iter().rev() {
                        if self.open(part, start, depth + 1, path)? {
                            found = true;
                            break 'parts;
                        }
                    }
                    from = self.reader.all(part, &from, 0)?;
                }
                found
            }
            Kind::Choice(arms) => self.any(arms, at, depth, path)?,
            Kind::Repeat(repeat) => {
                let mut from = BTreeSet::from([at]);
                let mut tried = BTreeSet::new();
                let mut found = false;
                while let Some(start) = from.pop_last() {
                    if !tried.insert(start) {
                        continue;
                    }
                    if self.open(&repeat.body, start, depth + 1, path)? {
                        found = true;
                        break;
                    }
                    for end in self.reader.ends(&repeat.body, start, 0)? {
                        match &repeat.separator {
                            None => drop(from.insert(end)),
                            Some(separator) => {
                                if self.open(separator, end, depth + 1, path)? {
                                    found = true;
                                    break;
                                }
                                from.extend(self.reader.ends(separator, end, 0)?);
                            }
                        }
                    }
                    if found {
                        break;
                    }
                }
                found
            }
            Kind::Capture(capture) => self.open(&capture.body, at, depth + 1, path)?,
            Kind::Regex(regex) => {
                let found = self.open(&regex.body, at, depth + 1, path)?;
                // What a pattern is made of is no part of the blueprint.
                path.retain(|_| !found);
                found
            }
            Kind::Automaton(_) | Kind::Anything(_) | Kind::Dispatch(_) => true,
            // Rules and machines are not searched: if the text got here, they are in progress.
            _ => true,
        };
        if found {
            path.extend(named(ir));
        }
        Some(found)
    }

    fn any(
        &mut self,
        arms: &[Ir],
        at: usize,
        depth: usize,
        path: &mut Vec<String>,
    ) -> Option<bool> {
        for arm in arms {
            if self.open(arm, at, depth + 1, path)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// What a part is called, if it is one that an author thinks of.
fn named(ir: &Ir) -> Option<String> {
    Some(match ir.kind() {
        Kind::Text(text) => {
            let whose = if text.origin == Origin::Source { "text" } else { "value" };
            format!("the {whose} {}", quoted(&text.string))
        }
        Kind::Choice(arms) => format!("a choice of {}", arms.len()),
        Kind::Repeat(repeat) if repeat.max == Some(1) => "an optional".to_owned(),
        Kind::Repeat(_) => "a repeat".to_owned(),
        Kind::Capture(capture) => format!("the capture `{}`", capture.name),
        Kind::Sequence(_) | Kind::Class(_) | Kind::Act(_) | Kind::Observed(_) => return None,
        _ => ir.describe().lines().next().unwrap_or_default().to_owned(),
    })
}
