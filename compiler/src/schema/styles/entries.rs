//! The entries of the objects that are values of a formula, in a style.

use std::ops::Range;
use std::sync::Arc;

use super::pattern::{Pattern, Piece};
use super::raw;
use super::style::{Blanks, Booleans, KeySpelling, Notation, Style};
use crate::ir::machine::Echo;
use crate::ir::{CaptureKind, Ir, Machine, Part};
use crate::schema::SchemaError;
use crate::schema::document::Item;
use crate::schema::draft::Types;
use crate::schema::formula::Formula;
use crate::schema::layout::any_gap;
use crate::schema::objects::plan::Plan;
use crate::schema::options::Order;
use crate::schema::strings::{Spelling, StringLanguage};
use crate::schema::values::{Lowering, Rule};

/// Values that an entry writes alike: their types, and the words about them.
struct Alike {
    types: Types,
    type_word: String,
    is_string: &'static str,
}

/// What stands around a text that may hold all but the latter.
const CDATA: [&str; 2] = ["<![CDATA[", "]]>"];
/// What keys that are not declared match where keys are identifiers.
const IDENTIFIER: &str = "^[A-Za-z_][A-Za-z0-9_]*$";

/// The key of an entry.
pub(super) struct EntryKey {
    text: Ir,
    /// Whether it is one of many and stands more than once, always the same.
    echoed: bool,
}

/// The JSON types that a style may have words for.
const NAMED: [Types; 6] =
    [Types::STRING, Types::NULL, Types::BOOLEAN, Types::INTEGER, Types::ARRAY, Types::OBJECT];

impl Lowering {
    /// The entries of the objects of `formula`; nothing is one way where there may be no entry.
    ///
    /// # Errors
    /// For what cannot be written in the style, and above limits.
    pub(in crate::schema) fn entries(&mut self, formula: Formula) -> Result<Ir, SchemaError> {
        let Some(style) = self.schemas.options.style.clone() else { return Ok(Ir::never()) };
        let mut arms = Vec::new();
        if let Some(pattern) = &style.entry {
            self.lists(&style, pattern, formula, &mut arms)?;
        }
        if arms.iter().all(Ir::is_never) {
            let pointer = self.schemas.pointer(self.schemas.place(formula));
            let message = "no object is valid, and a style writes nothing but objects";
            return Err(SchemaError::unsatisfiable(pointer, message));
        }
        Ok(Ir::choice(arms))
    }

    /// Adds the lists of entries of `formula` as alternatives.
    fn lists(
        &mut self,
        style: &Style,
        pattern: &Pattern,
        formula: Formula,
        arms: &mut Vec<Ir>,
    ) -> Result<(), SchemaError> {
        if self.schemas.is_empty(formula)? {
            return Ok(());
        }
        if let Some(parts) = self.schemas.union(formula)? {
            for part in parts {
                self.schemas.depth += 1;
                self.lists(style, pattern, part, arms)?;
                self.schemas.depth -= 1;
            }
            return Ok(());
        }
        let alternatives = self.schemas.object_alternatives(formula)?;
        for one in alternatives.iter() {
            if self.schemas.has_object(one)? {
                let plan = self.schemas.plan(one)?;
                let place = self.schemas.place(formula);
                if plan.is_open() && self.keeps_apart(&plan) {
                    self.refuse_repeats(place)?;
                }
                self.check_plan((style, pattern), &plan, place)?;
                arms.push(self.list(style, pattern, plan)?);
            }
        }
        Ok(())
    }

    fn list(&mut self, style: &Style, pattern: &Pattern, plan: Plan) -> Result<Ir, SchemaError> {
        let asked = plan.machine.asked();
        let (count, keys) = (asked.members.len() as u32, plan.keys.len());
        if is_bare(&plan) {
            return Ok(self.blanks(style));
        }
        if plan.simple && self.schemas.options.order != Order::Any {
            return self.list_in_order(style, pattern, &plan);
        }
        let watched = !plan.simple || keys > 0;
        let entry = self.entry((style, pattern), &plan, 0..plan.ways.len(), watched)?;
        let some = Ir::repeat(entry, 1, None, self.separator(style));
        if !watched {
            return Ok(self.surrounded(style, some, true));
        }
        let empty = has_empty(&plan);
        let machine = Machine::Members(plan.machine);
        let some = Ir::tracked(Ir::sequence([some, Ir::act(count)]), Arc::new(machine));
        Ok(self.surrounded(style, some, empty))
    }

    /// Declared keys in their order, and the others after them.
    fn list_in_order(
        &mut self,
        style: &Style,
        pattern: &Pattern,
        plan: &Plan,
    ) -> Result<Ir, SchemaError> {
        let (declared, all) = (plan.keys.len(), plan.ways.len());
        let required = &plan.machine.asked().required;
        let mut parts = Vec::with_capacity(declared + 1);
        for at in 0..declared {
            if !plan.ways[at].is_empty() {
                let body = self.entry((style, pattern), plan, at..at + 1, false)?;
                parts.push(Part { body, required: required.contains(&(at as u32)) });
            }
        }
        if plan.ways[declared..].iter().any(|ways| !ways.is_empty()) {
            let entry = self.entry((style, pattern), plan, declared..all, false)?;
            if !entry.is_never() {
                let body = Ir::repeat(entry, 1, None, self.separator(style));
                parts.push(Part { body, required: false });
            }
        }
        if parts.is_empty() {
            return Ok(self.blanks(style));
        }
        let between = self.separator(style).unwrap_or_else(Ir::empty);
        if style.before.is_empty() && style.after.is_empty() && style.blanks == Blanks::Nowhere {
            return Ok(Ir::joined(between, parts));
        }
        let empty = required.is_empty();
        let some = crate::schema::objects::some_of(&between, parts);
        Ok(self.surrounded(style, some, empty))
    }

    /// White space where the style lets it in.
    fn blanks(&self, style: &Style) -> Ir {
        match style.blanks {
            Blanks::Nowhere => Ir::empty(),
            _ => any_gap(self.schemas.options.blanks_max, false),
        }
    }

    pub(super) fn separator(&self, style: &Style) -> Option<Ir> {
        let text = Ir::sequence([Ir::text(&style.separator), self.blanks(style)]);
        (!text.is_empty()).then_some(text)
    }

    /// Entries, or items, with what stands around them, where there may be none if `empty`.
    pub(super) fn surrounded(&self, style: &Style, some: Ir, empty: bool) -> Ir {
        let parts = [Ir::text(&style.before), some, self.blanks(style), Ir::text(&style.after)];
        let some = Ir::sequence(parts);
        Ir::sequence([self.blanks(style), if empty { Ir::optional(some) } else { some }])
    }

    /// One entry with a key of any of `classes`.
    fn entry(
        &mut self,
        (style, pattern): (&Style, &Pattern),
        plan: &Plan,
        classes: Range<usize>,
        watched: bool,
    ) -> Result<Ir, SchemaError> {
        let mut arms = Vec::new();
        for class in classes {
            let ways = plan.ways[class].clone();
            let Some((_, first)) = ways.first().copied() else { continue };
            let key = match plan.keys.get(class) {
                Some(key) => StringLanguage::exactly(self.schemas.names.text(*key)),
                None => self.open_keys((style, pattern), plan.classes.language(class), first)?,
            };
            if key.is_never() {
                // A machine that waits for such a key would wait for ever.
                if plan.simple { continue } else { return Err(self.unwritten(first)) }
            }
            let key = EntryKey {
                text: self.key(style, &key, first)?,
                echoed: class >= plan.keys.len() && pattern.count(&Piece::Key) > 1,
            };
            for (action, value) in ways {
                let act = if watched { Ir::act(action) } else { Ir::empty() };
                let found = self.written(style, pattern, Some(&key), value)?;
                if found.is_never() {
                    return Err(self.unwritten(value));
                }
                arms.push(Ir::sequence([act, found]));
            }
        }
        Ok(Ir::choice(arms))
    }

    /// A call of the entries of the objects of `formula`, if there are any objects.
    fn nested_entries(&mut self, formula: Formula) -> Result<Option<Ir>, SchemaError> {
        let (mut empty, mut some) = (false, false);
        for one in self.schemas.object_alternatives(formula)?.iter() {
            if self.schemas.has_object(one)? {
                let plan = self.schemas.plan(one)?;
                let blank = self.blank_style();
                empty |= is_bare(&plan) || has_empty(&plan);
                some |= !is_bare(&plan) || blank;
            }
        }
        Ok(self.nested(Rule::Entries(formula), empty, some))
    }

    /// Whether even an empty list may be written as something.
    pub(super) fn blank_style(&self) -> bool {
        self.schemas.options.style.as_ref().is_some_and(|style| style.blanks != Blanks::Nowhere)
    }

    /// Refuses keys that the schema names and the style cannot write.
    fn check_plan(
        &mut self,
        (style, pattern): (&Style, &Pattern),
        plan: &Plan,
        place: Item,
    ) -> Result<(), SchemaError> {
        let free = self.free_keys((style, pattern), Formula::TRUE)?;
        self.check_keys(plan, place, &|key| {
            let starts = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let identifier = starts && key.chars().all(|c| c.is_alphanumeric() || c == '_');
            match style.key == KeySpelling::Identifier && !identifier {
                true => Some("is no identifier"),
                false => (!free.contains(key)).then_some("holds what ends a key"),
            }
        })
    }

    /// A key of `keys` as it is written.
    fn key(
        &mut self,
        style: &Style,
        keys: &StringLanguage,
        value: Formula,
    ) -> Result<Ir, SchemaError> {
        let spelling = match style.key {
            KeySpelling::Plain | KeySpelling::Identifier => Spelling::Raw,
            KeySpelling::XmlAttribute => Spelling::Attribute("&<>\""),
            KeySpelling::XmlQuoted => Spelling::Attribute("&\""),
        };
        self.schemas.within(value, keys.to_ir(spelling))
    }

    /// Those of `keys`, which are not declared, that end where the text after the key begins.
    fn open_keys(
        &mut self,
        (style, pattern): (&Style, &Pattern),
        keys: StringLanguage,
        value: Formula,
    ) -> Result<StringLanguage, SchemaError> {
        if style.plain_keys {
            let identifiers = StringLanguage::pattern(IDENTIFIER);
            let identifiers = identifiers.unwrap_or_else(|_| StringLanguage::never());
            return self.schemas.within(value, keys.intersection(&identifiers));
        }
        let free = self.free_keys((style, pattern), value)?;
        self.schemas.within(value, keys.intersection(&free))
    }

    /// Keys that end where the text after the key begins.
    fn free_keys(
        &mut self,
        (style, pattern): (&Style, &Pattern),
        value: Formula,
    ) -> Result<StringLanguage, SchemaError> {
        let end = pattern.after(&Piece::Key);
        // An entity never holds what it stands for.
        let escaped = match style.key {
            KeySpelling::Plain | KeySpelling::Identifier => false,
            KeySpelling::XmlAttribute => end.contains(['"', '<', '>']),
            KeySpelling::XmlQuoted => end.contains('"'),
        };
        let end = if escaped { "" } else { end };
        self.schemas.within(value, raw::before(end, &style.excludes))
    }

    /// `pattern` with `key` and a value of `value`.
    pub(super) fn written(
        &mut self,
        style: &Style,
        pattern: &Pattern,
        key: Option<&EntryKey>,
        value: Formula,
    ) -> Result<Ir, SchemaError> {
        let echoed = key.is_some_and(|key| key.echoed);
        let mut arms = Vec::new();
        for alike in alike(style, pattern) {
            let mut values = Vec::new();
            self.captured((style, pattern), value, alike.types, &mut values)?;
            let values = Ir::choice(values);
            if values.is_never() {
                continue;
            }
            let mut named = false;
            let pieces = pattern.pieces().iter().map(|piece| match piece {
                Piece::Text(text) => Ir::text(text),
                Piece::Blank => self.blanks(style),
                Piece::Key => self.key_piece(key, std::mem::replace(&mut named, true)),
                Piece::Value => values.clone(),
                Piece::Type => Ir::text(&alike.type_word),
                Piece::IsString => Ir::text(alike.is_string),
            });
            arms.push(Ir::sequence(pieces));
        }
        let written = Ir::choice(arms);
        Ok(if echoed { Ir::tracked(written, Arc::new(Machine::Echo(Echo))) } else { written })
    }

    /// `key` where an entry has it, captured the first time.
    fn key_piece(&self, key: Option<&EntryKey>, again: bool) -> Ir {
        let Some(key) = key else { return Ir::empty() };
        let text = if key.echoed { Ir::observed(key.text.clone()) } else { key.text.clone() };
        let text = match again {
            true => text,
            false => captured_as(self.inlined.is_some(), "key", CaptureKind::Text, text),
        };
        let act = if key.echoed { Ir::act(u32::from(again)) } else { Ir::empty() };
        Ir::sequence([text, act])
    }

    /// Adds the values of `value` that are of `types`, captured: strings come last.
    fn captured(
        &mut self,
        (style, pattern): (&Style, &Pattern),
        value: Formula,
        types: Types,
        arms: &mut Vec<Ir>,
    ) -> Result<(), SchemaError> {
        let may = self.schemas.bounds(value)?.may.and(types);
        let targets = self.inlined.is_some();
        let capture = |kind, text| captured_as(targets, "value", kind, text);
        let mut plain = may.and(Types::STRING.complement());
        let both = style.booleans == Booleans::Both && style.values == Notation::Json;
        if both && may.meets(Types::BOOLEAN) {
            plain = plain.and(Types::BOOLEAN.complement());
            let words = self.schemas.words(value)?;
            let words = [(words.yes, ["true", "True"]), (words.no, ["false", "False"])];
            let words = words.iter().filter(|(is, _)| *is).flat_map(|(_, words)| words);
            let words = Ir::choice(words.map(|word| Ir::value(word)));
            arms.push(capture(CaptureKind::Boolean, words));
        }
        if style.nested {
            plain = plain.and(Types::OBJECT.or(Types::ARRAY).complement());
            if may.meets(Types::OBJECT)
                && let Some(entries) = self.nested_entries(value)?
            {
                arms.push(capture(CaptureKind::Entries, entries));
            }
            if may.meets(Types::ARRAY)
                && let Some(items) = self.nested_items(value)?
            {
                arms.push(capture(CaptureKind::Items, items));
            }
        }
        if plain != Types::NONE {
            arms.push(capture(kind_of(style.values), self.value_of(value, plain)?));
        }
        if style.blanks == Blanks::Values {
            let blanks = self.blanks(style);
            for arm in arms.iter_mut().filter(|arm| !arm.is_never()) {
                *arm = Ir::sequence([blanks.clone(), arm.clone(), blanks.clone()]);
            }
        }
        if may.meets(Types::STRING) {
            let strings = self.schemas.strings(value)?;
            match style.strings {
                None => {
                    for (text, marks) in self.raw((style, pattern), &strings, value)? {
                        let text = capture(CaptureKind::String, text);
                        let [open, close] = marks.map(Ir::text);
                        arms.push(Ir::sequence([open, text, close]));
                    }
                }
                Some(notation) if !strings.is_never() => {
                    let text = self.string_in(notation, &strings, value)?;
                    arms.push(capture(kind_of(notation), text));
                }
                Some(_) => {}
            }
        }
        arms.retain(|arm| !arm.is_never());
        Ok(())
    }

    /// `strings` as raw text, with what stands around it.
    fn raw(
        &mut self,
        (style, pattern): (&Style, &Pattern),
        strings: &StringLanguage,
        value: Formula,
    ) -> Result<Vec<(Ir, [&'static str; 2])>, SchemaError> {
        let mut excludes = style.excludes.clone();
        let mut ways = Vec::with_capacity(2);
        if style.cdata {
            excludes.push(CDATA[0].to_owned());
            ways.push((self.schemas.within(value, raw::before(CDATA[1], &[]))?, CDATA));
        }
        let plain = raw::before(pattern.after(&Piece::Value), &excludes);
        ways.push((self.schemas.within(value, plain)?, ["", ""]));
        let mut free = StringLanguage::never();
        for (way, _) in &ways {
            free = self.schemas.within(value, free.union(way))?;
        }
        let strings = self.writable(strings, &free, value)?;
        let mut texts = Vec::with_capacity(ways.len());
        for (way, marks) in ways {
            let strings = self.schemas.within(value, strings.intersection(&way))?;
            texts.push((self.string_as(&strings, value, Spelling::Raw)?, marks));
        }
        Ok(texts)
    }

    /// Every value of `value` holds what would end it.
    pub(super) fn unwritten(&self, value: Formula) -> SchemaError {
        let pointer = self.schemas.pointer(self.schemas.place(value));
        let message = "no value of it can be written in this style: each holds what would end it";
        SchemaError::unsatisfiable(pointer, message)
    }
}

/// Whether no object of `plan` has a member.
fn is_bare(plan: &Plan) -> bool {
    plan.ways.iter().all(Vec::is_empty) || plan.machine.asked().max == Some(0)
}

/// Whether an object without members satisfies `plan`.
fn has_empty(plan: &Plan) -> bool {
    let machine = Machine::Members(plan.machine.clone());
    let close = plan.machine.asked().members.len() as u32;
    machine.step(&machine.start(), close).is_some()
}

fn kind_of(notation: Notation) -> CaptureKind {
    match notation {
        Notation::Json => CaptureKind::Json,
        Notation::Python => CaptureKind::Python,
        Notation::Gemma => CaptureKind::Gemma,
    }
}

/// `text` with a name, but for targets, which name nothing.
fn captured_as(targets: bool, name: &str, kind: CaptureKind, text: Ir) -> Ir {
    if targets { text } else { Ir::capture(name, kind, text) }
}

/// The types of values by what an entry says of them.
fn alike(style: &Style, pattern: &Pattern) -> Vec<Alike> {
    let says = |piece: &Piece| pattern.count(piece) > 0;
    let (says_type, says_string) = (says(&Piece::Type), says(&Piece::IsString));
    let numbers = Types::NUMBER.and(Types::INTEGER.complement());
    let mut all: Vec<Alike> = Vec::new();
    for types in NAMED.into_iter().chain([numbers]) {
        let is_string = if says_string && types == Types::STRING { "true" } else { "false" };
        let type_word = if says_type { style.type_word(types) } else { String::new() };
        match all.iter_mut().find(|one| one.type_word == type_word && one.is_string == is_string) {
            Some(one) => one.types = one.types.or(types),
            None => all.push(Alike { types, type_word, is_string }),
        }
    }
    all
}

impl Style {
    /// What an entry calls values of `types`.
    fn type_word(&self, types: Types) -> String {
        let name = match types {
            Types::NULL => "null",
            Types::BOOLEAN => "boolean",
            Types::STRING | Types::INTEGER | Types::ARRAY | Types::OBJECT => types.name(),
            _ => Types::NUMBER.name(),
        };
        self.types.get(name).map_or(name, String::as_str).to_owned()
    }
}
