//! The notations of values: what differs between JSON, Python and Gemma's.

use super::raw;
use super::style::{Booleans, Notation};
use crate::ir::Ir;
use crate::schema::SchemaError;
use crate::schema::document::Item;
use crate::schema::formula::{Form, Formula};
use crate::schema::objects::plan::Plan;
use crate::schema::options;
use crate::schema::strings::{Escapes, KeyClasses, Quote, Spelling, StringLanguage};
use crate::schema::values::Lowering;

/// What bare keys match in Gemma's notation: none of its marks, and no white space around them.
const BARE_KEY: &str = r"^[^\s\x85{}\[\],:](?:[^{}\[\],:]*[^\s\x85{}\[\],:])?$";
/// What stands around strings in Gemma's notation, whatever a style says: no bare key holds it.
const QUOTES: [&str; 2] = ["<|\"|>", "<escape>"];

impl Lowering {
    /// The notation of values.
    pub(in crate::schema) fn notation(&self) -> Notation {
        self.schemas.options.style.as_ref().map_or(Notation::Json, |style| style.values)
    }

    /// Refuses keys that are not declared where no key may repeat: nothing that hears them knows
    /// how they are spelled.
    pub(in crate::schema) fn refuse_repeats(&mut self, place: Item) -> Result<(), SchemaError> {
        let pointer = self.schemas.pointer(place);
        let message = "keys that are not declared cannot be kept from repeating in a style";
        self.schemas.relax(SchemaError::unsupported(pointer, message))
    }

    /// How JSON spells strings.
    pub(in crate::schema) fn spelling(&self) -> Spelling {
        Spelling::Json(match self.schemas.options.escapes {
            options::Escapes::All => Escapes::All,
            options::Escapes::Minimal => Escapes::Minimal,
        })
    }

    /// The word that JSON calls `word`.
    pub(in crate::schema) fn word(&self, word: &str) -> Ir {
        let python = match word {
            "null" => "None",
            "true" => "True",
            _ => "False",
        };
        let style = self.schemas.options.style.as_ref();
        let both = style.is_some_and(|style| style.booleans == Booleans::Both);
        match self.notation() {
            Notation::Python if both => Ir::choice([Ir::value(python), Ir::value(word)]),
            Notation::Python => Ir::value(python),
            Notation::Json | Notation::Gemma => Ir::value(word),
        }
    }

    /// The strings of `strings` in the notation of values; `formula` is for messages.
    pub(in crate::schema) fn string(
        &mut self,
        strings: &StringLanguage,
        formula: Formula,
    ) -> Result<Ir, SchemaError> {
        self.string_in(self.notation(), strings, formula)
    }

    /// The strings of `strings` in `notation`.
    pub(in crate::schema) fn string_in(
        &mut self,
        notation: Notation,
        strings: &StringLanguage,
        formula: Formula,
    ) -> Result<Ir, SchemaError> {
        if notation == Notation::Gemma {
            let quote = self.quote();
            let free = self.schemas.within(formula, raw::before(&quote, &self.excludes()))?;
            let strings = self.writable(strings, &free, formula)?;
            let text = self.string_as(&strings, formula, Spelling::Raw)?;
            return Ok(Ir::sequence([Ir::text(&quote), text, Ir::text(&quote)]));
        }
        let mut arms = Vec::new();
        for spelling in self.spellings(notation) {
            arms.push(self.string_as(strings, formula, spelling)?);
        }
        Ok(Ir::choice(arms))
    }

    /// Strings by their class, each followed by the one of `tails` that `tail_of` names for it.
    pub(in crate::schema) fn strings_by_class(
        &mut self,
        classes: &KeyClasses,
        tail_of: &[Option<usize>],
        tails: &[Ir],
    ) -> Result<Ir, SchemaError> {
        let notation = self.notation();
        if notation == Notation::Gemma {
            return self.each_class(classes, tail_of, tails, |this, strings| {
                this.string_in(notation, &strings, Formula::TRUE)
            });
        }
        let spellings = self.spellings(notation);
        let all = spellings.into_iter().map(|spelling| classes.to_ir(tail_of, tails, spelling));
        Ok(Ir::choice(all))
    }

    /// As [`Lowering::strings_by_class`], for keys of objects.
    pub(in crate::schema) fn keys_by_class(
        &mut self,
        classes: &KeyClasses,
        tail_of: &[Option<usize>],
        tails: &[Ir],
    ) -> Result<Ir, SchemaError> {
        match self.notation() {
            Notation::Gemma => self.each_class(classes, tail_of, tails, |this, keys| {
                this.member_key(&keys, Formula::TRUE)
            }),
            _ => self.strings_by_class(classes, tail_of, tails),
        }
    }

    /// The keys of `keys` as members of an object have them.
    pub(in crate::schema) fn member_key(
        &mut self,
        keys: &StringLanguage,
        formula: Formula,
    ) -> Result<Ir, SchemaError> {
        if self.notation() != Notation::Gemma {
            return self.string(keys, formula);
        }
        let free = self.bare_keys(formula)?;
        let keys = self.schemas.within(formula, keys.intersection(&free))?;
        self.string_as(&keys, formula, Spelling::Raw)
    }

    /// What bare keys may be.
    fn bare_keys(&mut self, formula: Formula) -> Result<StringLanguage, SchemaError> {
        if let Some(known) = &self.bare_keys {
            return Ok(known.clone());
        }
        let mut excludes = self.excludes();
        excludes.push(self.quote());
        excludes.extend(QUOTES.map(str::to_owned));
        let free = self.schemas.within(formula, raw::before("", &excludes))?;
        let bare = StringLanguage::pattern(BARE_KEY).unwrap_or_else(|_| StringLanguage::never());
        let bare = self.schemas.within(formula, free.intersection(&bare))?;
        Ok(self.bare_keys.insert(bare).clone())
    }

    /// Refuses those keys of `plan`, an object at `place`, that are named in the schema and
    /// cannot be written as a bare key.
    ///
    /// # Errors
    /// If there is one, and above limits.
    pub(in crate::schema) fn check_bare_keys(
        &mut self,
        plan: &Plan,
        place: Item,
    ) -> Result<(), SchemaError> {
        if self.notation() != Notation::Gemma {
            return Ok(());
        }
        let free = self.bare_keys(Formula::TRUE)?;
        self.check_keys(plan, place, &|key| match free.contains(key) {
            true => None,
            false => Some("holds what ends a bare key"),
        })
    }

    /// Refuses those keys of `plan`, an object at `place`, that are named in the schema and that
    /// `fault` finds something wrong with.
    ///
    /// # Errors
    /// If there is one.
    pub(super) fn check_keys(
        &mut self,
        plan: &Plan,
        place: Item,
        fault: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Result<(), SchemaError> {
        for (class, ways) in plan.ways.iter().enumerate() {
            let Some((_, value)) = ways.first() else { continue };
            let keys = match plan.keys.get(class) {
                Some(key) => StringLanguage::exactly(self.schemas.names.text(*key)),
                None => plan.classes.language(class),
            };
            let found = keys.listed().find_map(|key| Some((key, fault(key)?)));
            let Some((key, fault)) = found else { continue };
            let message = format!("the key `{key}` cannot be written in this style: it {fault}");
            let place = match self.schemas.formulas.get(*value) {
                Form::True | Form::False => place,
                _ => self.schemas.place(*value),
            };
            let pointer = self.schemas.pointer(place);
            self.schemas.relax(SchemaError::unsupported(pointer, message))?;
        }
        Ok(())
    }

    /// Those of `strings` that can be written, which are `free`: texts of any kind lose the others,
    /// but what a schema names itself is refused.
    ///
    /// # Errors
    /// For a string that is listed in the schema and not `free`, and above limits.
    pub(super) fn writable(
        &mut self,
        strings: &StringLanguage,
        free: &StringLanguage,
        formula: Formula,
    ) -> Result<StringLanguage, SchemaError> {
        if let Some(lost) = strings.listed().find(|text| !free.contains(text)) {
            let message =
                format!("`{lost}` cannot be written in this style: it holds what ends it");
            let pointer = self.schemas.pointer(self.schemas.place(formula));
            self.schemas.relax(SchemaError::unsupported(pointer, message))?;
        }
        self.schemas.within(formula, strings.intersection(free))
    }

    fn each_class(
        &mut self,
        classes: &KeyClasses,
        tail_of: &[Option<usize>],
        tails: &[Ir],
        write: impl Fn(&mut Self, StringLanguage) -> Result<Ir, SchemaError>,
    ) -> Result<Ir, SchemaError> {
        let mut arms = Vec::new();
        for (class, tail) in tail_of.iter().enumerate() {
            let Some(tail) = tail else { continue };
            let text = write(self, classes.language(class))?;
            arms.push(Ir::sequence([text, tails[*tail].clone()]));
        }
        Ok(Ir::choice(arms))
    }

    fn excludes(&self) -> Vec<String> {
        self.schemas.options.style.as_ref().map_or_else(Vec::new, |style| style.excludes.clone())
    }

    fn quote(&self) -> String {
        self.schemas.options.style.as_ref().map_or_else(String::new, |style| style.quote.clone())
    }

    fn spellings(&self, notation: Notation) -> Vec<Spelling> {
        let escapes = match self.schemas.options.escapes {
            options::Escapes::All => Escapes::All,
            options::Escapes::Minimal => Escapes::Minimal,
        };
        match notation {
            Notation::Python => [Quote::Single, Quote::Double]
                .map(|quote| Spelling::Python(quote, escapes))
                .to_vec(),
            _ => vec![Spelling::Json(escapes)],
        }
    }
}
