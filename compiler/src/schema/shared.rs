//! What all schemas share: white space, punctuation, and values of any kind.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::lower::{Key, Lowering};
use super::number;
use super::options::Whitespace;
use super::read::Types;
use crate::chars::spelling::Spelling;
use crate::chars::until::every_character;
use crate::ir::Ir;

/// The most blanks and tabs on one line between two tokens where white space is flexible.
const BLANKS_MAX: u32 = 32;

impl Lowering<'_> {
    /// What may stand between two tokens where `json.dumps` writes nothing.
    pub(super) fn gap(&mut self) -> Ir {
        match self.reader.options.whitespace {
            Whitespace::Flexible => self.call(Key::Gap),
            Whitespace::Compact | Whitespace::Spaced => Ir::empty(),
        }
    }

    /// The comma and what follows it.
    pub(super) fn comma(&mut self) -> Ir {
        match self.reader.options.whitespace {
            Whitespace::Spaced => Ir::value(", "),
            _ => Ir::sequence([Ir::value(","), self.gap()]),
        }
    }

    /// A member of an object with the white space after it.
    pub(super) fn member(&mut self, key: Ir, value: Ir) -> Ir {
        let colon = match self.reader.options.whitespace {
            Whitespace::Spaced => Ir::value(": "),
            _ => Ir::sequence([self.gap(), Ir::value(":"), self.gap()]),
        };
        Ir::sequence([key, colon, value, self.gap()])
    }

    /// An object of `members`, each of which brings the white space after it.
    pub(super) fn braces(&mut self, members: Ir) -> Ir {
        Ir::sequence([Ir::value("{"), self.gap(), members, Ir::value("}")])
    }

    /// An array of `items`, each of which brings the white space after it.
    pub(super) fn brackets(&mut self, items: Ir) -> Ir {
        Ir::sequence([Ir::value("["), self.gap(), items, Ir::value("]")])
    }

    /// Any value of `types`.
    pub(super) fn any(&mut self, types: Types) -> Ir {
        if types == Types::ALL {
            return self.call(Key::Value);
        }
        let kinds = [
            (Types::STRING, Key::String),
            (Types::ARRAY, Key::Array),
            (Types::OBJECT, Key::Object),
        ];
        let mut arms = self.scalars(types);
        for (kind, key) in kinds {
            if types.holds(kind) {
                arms.push(self.call(key));
            }
        }
        Ir::choice(arms)
    }

    /// The values of `types` that no keyword in use limits further.
    pub(super) fn scalars(&mut self, types: Types) -> Vec<Ir> {
        let mut arms = Vec::new();
        if types.holds(Types::NULL) {
            arms.push(Ir::value("null"));
        }
        if types.holds(Types::BOOLEAN) {
            arms.extend([Ir::value("true"), Ir::value("false")]);
        }
        if types.holds(Types::NUMBER) {
            arms.push(self.call(Key::Number));
        } else if types.holds(Types::INTEGER) {
            arms.push(self.call(Key::Integer));
        }
        arms
    }

    /// The body of a shared rule.
    pub(super) fn shared(&mut self, key: &Key) -> Ir {
        match key {
            Key::Gap => gap(),
            Key::Number => number::any(),
            Key::Integer => number::integer(self.reader.draft),
            Key::String => self.string_of(0, None),
            Key::Value => {
                let mut arms = self.scalars(Types::ALL);
                arms.extend([Key::String, Key::Array, Key::Object].map(|key| self.call(key)));
                Ir::choice(arms)
            }
            Key::Array => {
                let item = Ir::sequence([self.call(Key::Value), self.gap()]);
                let comma = self.comma();
                self.brackets(Ir::repeat(item, 0, None, Some(comma)))
            }
            Key::Object => {
                let (key, value) = (self.call(Key::String), self.call(Key::Value));
                let (member, comma) = (self.member(key, value), self.comma());
                self.braces(Ir::repeat(member, 0, None, Some(comma)))
            }
            Key::Target(..) => Ir::never(),
        }
    }

    /// A string of `min` to `max` characters.
    pub(super) fn string_of(&mut self, min: u32, max: Option<u32>) -> Ir {
        let character = self.characters.class(&every_character());
        let quote = || Ir::value("\"");
        Ir::sequence([quote(), Ir::repeat(character, min, max, None), quote()])
    }
}

/// At most one line break, and at most `BLANKS_MAX` blanks and tabs before it and after it.
fn gap() -> Ir {
    let blank = Ir::class(ClassUnicode::new([
        ClassUnicodeRange::new('\t', '\t'),
        ClassUnicodeRange::new(' ', ' '),
    ]));
    let blanks = || Ir::repeat(blank.clone(), 0, Some(BLANKS_MAX), None);
    let line_break = Ir::choice([Ir::value("\n"), Ir::value("\r\n")]);
    Ir::sequence([blanks(), Ir::optional(Ir::sequence([line_break, blanks()]))])
}
