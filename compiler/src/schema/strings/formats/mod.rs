//! The formats that the standard names, each as its RFC defines it.
//!
//! A format's automaton and its written form are made once per process, when first needed.

mod clock;
mod email;
mod hostname;
mod network;
mod pointer;
mod resource;

use std::sync::{Arc, LazyLock, OnceLock};

pub(super) use self::hostname::is_hostname;
use super::spelled::{NUMBERED, Spelling, edges};
use super::{Base, StringLanguage};
use crate::chars::automaton::{Automaton, TooLarge};
use crate::chars::{ecma, search};
use crate::ir::Ir;

/// What the name of a format means where formats are asserted.
#[derive(Clone, Debug)]
pub(crate) enum FormatMeaning {
    /// The strings that have it.
    Language(StringLanguage),
    /// The standard names it, and it cannot be held: why.
    Refused(&'static str),
    /// The standard does not name it.
    Annotation,
}

/// A format with its automaton.
pub(super) struct Named {
    name: &'static str,
    make: fn() -> Result<Automaton, TooLarge>,
    write: Option<fn(Spelling) -> Result<Ir, TooLarge>>,
    automaton: OnceLock<Result<Arc<Automaton>, TooLarge>>,
    written: [OnceLock<Ir>; NUMBERED],
}

impl std::fmt::Debug for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Named {
    fn new(name: &'static str, make: fn() -> Result<Automaton, TooLarge>) -> Self {
        let written = [const { OnceLock::new() }; NUMBERED];
        Self { name, make, write: None, automaton: OnceLock::new(), written }
    }

    fn written_by(self, write: fn(Spelling) -> Result<Ir, TooLarge>) -> Self {
        Self { write: Some(write), ..self }
    }

    pub(super) fn automaton(&self) -> Result<Arc<Automaton>, TooLarge> {
        self.automaton.get_or_init(|| (self.make)().map(Arc::new)).clone()
    }

    pub(super) fn to_ir(&self, spelling: Spelling) -> Result<Ir, TooLarge> {
        let slot = spelling.number().map(|number| &self.written[number]);
        if let Some(ir) = slot.and_then(OnceLock::get) {
            return Ok(ir.clone());
        }
        let ir = match self.write {
            Some(write) => write(spelling)?,
            None => plain(spelling, &*self.automaton()?),
        };
        Ok(slot.map_or(ir.clone(), |slot| slot.get_or_init(|| ir).clone()))
    }
}

fn plain(spelling: Spelling, automaton: &Automaton) -> Ir {
    let body = edges(automaton, &mut *spelling.characters(), &|_| None);
    Ir::sequence([spelling.quote(), body, spelling.quote()])
}

/// The automaton of a pattern that is written here.
fn automaton_of(pattern: &str) -> Result<Automaton, TooLarge> {
    let tree = ecma::read(pattern).map_err(|_| TooLarge("a format's pattern is wrong"))?;
    search::search(&tree).map_err(|fault| match fault {
        search::PatternFault::TooLarge(error) => error,
        search::PatternFault::Refused(_) => TooLarge("a format's pattern is wrong"),
    })
}

static NAMED: LazyLock<Vec<Named>> = LazyLock::new(|| {
    vec![
        Named::new("date", clock::date),
        Named::new("time", clock::time).written_by(clock::write_time),
        Named::new("date-time", clock::date_time).written_by(clock::write_date_time),
        Named::new("duration", clock::duration),
        Named::new("email", email::email),
        Named::new("idn-email", email::idn_email),
        Named::new("ipv4", network::ipv4),
        Named::new("ipv6", network::ipv6),
        Named::new("uuid", network::uuid),
        Named::new("uri", resource::uri),
        Named::new("uri-reference", resource::uri_reference),
        Named::new("iri", resource::iri),
        Named::new("iri-reference", resource::iri_reference),
        Named::new("uri-template", resource::uri_template),
        Named::new("json-pointer", pointer::json_pointer),
        Named::new("relative-json-pointer", pointer::relative_json_pointer),
    ]
});

const REFUSED: [(&str, &str); 2] = [
    (
        "idn-hostname",
        "the length and the form of a label depend on its encoding, which is no regular language",
    ),
    (
        "regex",
        "the groups of a regular expression nest and are referred to by number and name, which is \
         no regular language",
    ),
];

impl StringLanguage {
    /// What the format `name` means. Where names of hosts are `plain`, as up to draft 6, no label
    /// of them encodes another.
    ///
    /// # Errors
    /// [`TooLarge`] if its automaton has too many states.
    pub(crate) fn format(name: &str, plain: bool) -> Result<FormatMeaning, TooLarge> {
        if name == "hostname" {
            let names = if plain { hostname::plain() } else { hostname::hostname() };
            return names.map(FormatMeaning::Language);
        }
        Ok(Self::other_format(name))
    }

    fn other_format(name: &str) -> FormatMeaning {
        if let Some(named) = NAMED.iter().find(|named| named.name == name) {
            return FormatMeaning::Language(Self::of(Base::Named(named)));
        }
        match REFUSED.iter().find(|(known, _)| *known == name) {
            Some((_, why)) => FormatMeaning::Refused(why),
            None => FormatMeaning::Annotation,
        }
    }
}

#[cfg(test)]
mod tests;
