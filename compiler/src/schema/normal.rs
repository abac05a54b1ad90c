//! What the values of a formula are, type by type: the scalars as sets, and which types there
//! may be at all.

use std::collections::HashMap;
use std::sync::Arc;

use super::SchemaError;
use super::arrays;
use super::document::{Item, Json};
use super::draft::{Draft, Types};
use super::formula::{Form, Formula, Node};
use super::keywords::Keywords;
use super::numbers::{Decimal, NumberLanguage};
use super::objects;
use super::schemas::{DEPTH_MAX, Schemas};
use super::strings::{StringLanguage, TooLarge};

/// What was found out about formulas.
#[derive(Default, Debug)]
pub(super) struct Known {
    types: HashMap<Formula, Bounds>,
    words: HashMap<Formula, Words>,
    strings: HashMap<Formula, StringLanguage>,
    numbers: HashMap<Formula, NumberPart>,
    pub(super) empty: HashMap<Formula, bool>,
    pub(super) alternatives: HashMap<Formula, Arc<[objects::conjunction::Conjunction]>>,
    pub(super) arrays: HashMap<Formula, Arc<[arrays::conjunction::Conjunction]>>,
}

impl Known {
    /// Forgets what may have left out alternatives that seemed to have no values.
    pub(super) fn forget_alternatives(&mut self) {
        self.alternatives.clear();
        self.arrays.clear();
    }
}

/// Types that a formula may have values of, and types of which it has every value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub(super) may: Types,
    pub(super) must: Types,
}

/// Which of `null`, `false` and `true` there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Words {
    pub(super) null: bool,
    pub(super) no: bool,
    pub(super) yes: bool,
}

/// Numbers by how they are spelled: in draft 4, only digits make an integer.
#[derive(Clone, Debug)]
pub(super) struct NumberPart {
    /// Those that may be spelled as digits alone.
    pub(super) digits: NumberLanguage,
    /// Those that may be spelled with a point or an exponent.
    pub(super) others: NumberLanguage,
    /// Whether the two differ.
    pub(super) apart: bool,
}

/// Boolean operations on a kind of sets.
trait Sets: Clone {
    fn all() -> Self;
    fn never() -> Self;
    fn and(&self, other: &Self) -> Result<Self, TooLarge>;
    fn or(&self, other: &Self) -> Result<Self, TooLarge>;
    fn without(&self, other: &Self) -> Result<Self, TooLarge>;
}

impl Sets for Words {
    fn all() -> Self {
        Self { null: true, no: true, yes: true }
    }

    fn never() -> Self {
        Self { null: false, no: false, yes: false }
    }

    fn and(&self, other: &Self) -> Result<Self, TooLarge> {
        let (null, no) = (self.null && other.null, self.no && other.no);
        Ok(Self { null, no, yes: self.yes && other.yes })
    }

    fn or(&self, other: &Self) -> Result<Self, TooLarge> {
        let (null, no) = (self.null || other.null, self.no || other.no);
        Ok(Self { null, no, yes: self.yes || other.yes })
    }

    fn without(&self, other: &Self) -> Result<Self, TooLarge> {
        let (null, no) = (self.null && !other.null, self.no && !other.no);
        Ok(Self { null, no, yes: self.yes && !other.yes })
    }
}

impl Sets for StringLanguage {
    fn all() -> Self {
        Self::all()
    }

    fn never() -> Self {
        Self::never()
    }

    fn and(&self, other: &Self) -> Result<Self, TooLarge> {
        self.intersection(other)
    }

    fn or(&self, other: &Self) -> Result<Self, TooLarge> {
        self.union(other)
    }

    fn without(&self, other: &Self) -> Result<Self, TooLarge> {
        self.difference(other)
    }
}

impl NumberPart {
    fn alike(language: NumberLanguage) -> Self {
        Self { digits: language.clone(), others: language, apart: false }
    }

    fn each(
        &self,
        other: &Self,
        both: impl Fn(&NumberLanguage, &NumberLanguage) -> Result<NumberLanguage, TooLarge>,
    ) -> Result<Self, TooLarge> {
        let digits = both(&self.digits, &other.digits)?;
        if !self.apart && !other.apart {
            return Ok(Self::alike(digits));
        }
        Ok(Self { digits, others: both(&self.others, &other.others)?, apart: true })
    }

    /// Those of them that are integers, or that are not, as `types` says.
    pub(super) fn of_types(&self, types: Types) -> Result<Self, TooLarge> {
        let mut kept = NumberLanguage::never();
        if types.holds(Types::INTEGER) {
            kept = NumberLanguage::integers();
        } else if types.meets(Types::NUMBER) {
            kept = NumberLanguage::integers().complement()?;
        }
        self.each(&Self::alike(kept), NumberLanguage::intersection)
    }

    pub(super) fn is_never(&self) -> bool {
        // Of what digits may spell, only the integers can be.
        let digits = self.digits.intersection(&NumberLanguage::integers());
        match self.apart {
            true => self.others.is_never() && digits.is_ok_and(|digits| digits.is_never()),
            false => self.digits.is_never(),
        }
    }
}

impl Sets for NumberPart {
    fn all() -> Self {
        Self::alike(NumberLanguage::all())
    }

    fn never() -> Self {
        Self::alike(NumberLanguage::never())
    }

    fn and(&self, other: &Self) -> Result<Self, TooLarge> {
        self.each(other, NumberLanguage::intersection)
    }

    fn or(&self, other: &Self) -> Result<Self, TooLarge> {
        self.each(other, NumberLanguage::union)
    }

    fn without(&self, other: &Self) -> Result<Self, TooLarge> {
        self.each(other, NumberLanguage::difference)
    }
}

impl Schemas {
    /// The types that `formula` may have values of, and those of which it has every value; both
    /// are cheap bounds.
    ///
    /// # Errors
    /// As [`Schemas::applied`].
    pub(super) fn bounds(&mut self, formula: Formula) -> Result<Bounds, SchemaError> {
        if let Some(known) = self.known.types.get(&formula) {
            return Ok(*known);
        }
        let form = self.formulas.get(formula).clone();
        let bounds = match form {
            Form::True => Bounds { may: Types::ALL, must: Types::ALL },
            Form::False => Bounds { may: Types::NONE, must: Types::NONE },
            Form::Constant(item) => Bounds { may: self.types_of(item), must: Types::NONE },
            Form::Not(inner) => {
                let inner = self.nested(inner, |this| this.bounds(inner))?;
                Bounds { may: inner.must.complement(), must: inner.may.complement() }
            }
            Form::All(parts) => {
                let mut all = Bounds { may: Types::ALL, must: Types::ALL };
                for part in parts {
                    let part = self.nested(part, |this| this.bounds(part))?;
                    all = Bounds { may: all.may.and(part.may), must: all.must.and(part.must) };
                }
                all
            }
            Form::Any(parts) | Form::One(parts) => {
                let one = matches!(self.formulas.get(formula), Form::One(_));
                let mut any = Bounds { may: Types::NONE, must: Types::NONE };
                for part in parts {
                    let part = self.nested(part, |this| this.bounds(part))?;
                    let must = if one {
                        let apart = part.must.and(any.may.complement());
                        any.must.and(part.may.complement()).or(apart)
                    } else {
                        any.must.or(part.must)
                    };
                    any = Bounds { may: any.may.or(part.may), must };
                }
                any
            }
            Form::Node(node) => self.node_bounds(node)?,
        };
        self.known.types.insert(formula, bounds);
        Ok(bounds)
    }

    fn node_bounds(&mut self, node: Node) -> Result<Bounds, SchemaError> {
        let keywords = self.keywords(node)?;
        let mut limited = keywords.limited();
        if self.draft(node.schema) == Draft::Four && keywords.types.is_integer_only() {
            limited = limited.or(Types::NUMBER);
        }
        let mut bounds =
            Bounds { may: keywords.types, must: keywords.types.and(limited.complement()) };
        if let Some(list) = keywords.enumeration {
            let values: Vec<Item> = self.document().parts(list).collect();
            let listed = values.iter().map(|value| self.types_of(*value));
            bounds.may = bounds.may.and(listed.fold(Types::NONE, Types::or));
        }
        if let Some(value) = keywords.constant {
            bounds.may = bounds.may.and(self.types_of(value));
        }
        for part in self.applied(node)?.iter().copied() {
            let part = self.nested(part, |this| this.bounds(part))?;
            bounds = Bounds { may: bounds.may.and(part.may), must: bounds.must.and(part.must) };
        }
        Ok(bounds)
    }

    /// Looks into `formula`, one deeper.
    pub(super) fn nested<T>(
        &mut self,
        formula: Formula,
        look: impl FnOnce(&mut Self) -> Result<T, SchemaError>,
    ) -> Result<T, SchemaError> {
        if self.depth > DEPTH_MAX {
            let message = format!("more than {DEPTH_MAX} schemas apply to one value in turn");
            return Err(SchemaError::too_large(self.pointer(self.place(formula)), message));
        }
        self.depth += 1;
        let found = look(self);
        self.depth -= 1;
        found
    }

    /// Which of `null`, `false` and `true` are values of `formula`.
    pub(super) fn words(&mut self, formula: Formula) -> Result<Words, SchemaError> {
        if let Some(known) = self.known.words.get(&formula) {
            return Ok(*known);
        }
        let words =
            self.sets(formula, &mut Self::words, &mut Self::node_words, &|this, item| {
                this.word(item)
            })?;
        self.known.words.insert(formula, words);
        Ok(words)
    }

    /// The numbers that are values of `formula`.
    pub(super) fn numbers(&mut self, formula: Formula) -> Result<NumberPart, SchemaError> {
        if let Some(known) = self.known.numbers.get(&formula) {
            return Ok(known.clone());
        }
        let number = |this: &Self, item: Item| match this.document().get(item) {
            Json::Number(text) => match Decimal::parse(text) {
                Some(decimal) => NumberPart::alike(NumberLanguage::one_of(vec![decimal])),
                None => NumberPart::never(),
            },
            _ => NumberPart::never(),
        };
        let numbers = self.sets(formula, &mut Self::numbers, &mut Self::node_numbers, &number)?;
        self.known.numbers.insert(formula, numbers.clone());
        Ok(numbers)
    }

    /// The strings that are values of `formula`.
    pub(super) fn strings(&mut self, formula: Formula) -> Result<StringLanguage, SchemaError> {
        if let Some(known) = self.known.strings.get(&formula) {
            return Ok(known.clone());
        }
        let string = |this: &Self, item: Item| match this.document().get(item) {
            Json::String(text) => StringLanguage::exactly(text),
            _ => StringLanguage::never(),
        };
        let strings = self.sets(formula, &mut Self::strings, &mut Self::node_strings, &string)?;
        self.spend(strings.cost(), formula)?;
        self.known.strings.insert(formula, strings.clone());
        Ok(strings)
    }

    /// The values of one kind of `formula`, from those of its parts.
    fn sets<T: Sets>(
        &mut self,
        formula: Formula,
        inner: &mut dyn FnMut(&mut Self, Formula) -> Result<T, SchemaError>,
        node: &mut dyn FnMut(&mut Self, Node) -> Result<T, SchemaError>,
        constant: &dyn Fn(&Self, Item) -> T,
    ) -> Result<T, SchemaError> {
        let mut inner =
            |this: &mut Self, part: Formula| this.nested(part, |this| inner(this, part));
        Ok(match self.formulas.get(formula).clone() {
            Form::True => T::all(),
            Form::False => T::never(),
            Form::Constant(item) => constant(self, item),
            Form::Node(schema) => node(self, schema)?,
            Form::Not(part) => {
                let part = inner(self, part)?;
                self.within(formula, T::all().without(&part))?
            }
            Form::All(parts) => {
                let sets = parts.iter().map(|part| inner(self, *part)).collect::<Result<_, _>>()?;
                self.folded(formula, sets, T::and)?.unwrap_or_else(T::all)
            }
            Form::Any(parts) => {
                let sets = parts.iter().map(|part| inner(self, *part)).collect::<Result<_, _>>()?;
                self.folded(formula, sets, T::or)?.unwrap_or_else(T::never)
            }
            Form::One(parts) => {
                // What some part has, and what several have.
                let set = |part: &Formula| Ok((inner(self, *part)?, T::never()));
                let sets = parts.iter().map(set).collect::<Result<_, SchemaError>>()?;
                let joined = |one: &(T, T), two: &(T, T)| {
                    let several = one.1.or(&two.1)?.or(&one.0.and(&two.0)?)?;
                    Ok((one.0.or(&two.0)?, several))
                };
                let all = self.folded(formula, sets, joined)?;
                let (some, several) = all.unwrap_or_else(|| (T::never(), T::never()));
                self.within(formula, some.without(&several))?
            }
        })
    }

    fn word(&self, item: Item) -> Words {
        let json = self.document().get(item);
        Words {
            null: json == Json::Null,
            no: json == Json::Bool(false),
            yes: json == Json::Bool(true),
        }
    }

    fn node_words(&mut self, node: Node) -> Result<Words, SchemaError> {
        let keywords = self.keywords(node)?;
        let (null, bool) =
            (keywords.types.meets(Types::NULL), keywords.types.meets(Types::BOOLEAN));
        let mut words = Words { null, no: bool, yes: bool };
        let mut lists = Vec::new();
        lists.extend(keywords.enumeration.map(|list| self.document().parts(list).collect()));
        lists.extend(keywords.constant.map(|value| vec![value]));
        for list in &lists {
            let mut any = Words::never();
            for item in list {
                any = self.within(Formula::TRUE, any.or(&self.word(*item)))?;
            }
            words = self.within(Formula::TRUE, words.and(&any))?;
        }
        for part in self.applied(node)?.iter().copied() {
            let part = self.nested(part, |this| this.words(part))?;
            words = self.within(Formula::TRUE, words.and(&part))?;
        }
        Ok(words)
    }

    fn node_strings(&mut self, node: Node) -> Result<StringLanguage, SchemaError> {
        let keywords = self.keywords(node)?;
        if !keywords.types.meets(Types::STRING) {
            return Ok(StringLanguage::never());
        }
        let mut sets = Vec::new();
        let strings = &keywords.strings;
        if strings.length_min > 0 || strings.length_max.is_some() {
            sets.push(StringLanguage::length(strings.length_min, strings.length_max));
        }
        if let Some(place) = strings.pattern {
            let pattern = self.document().string(place).unwrap_or_default().to_owned();
            sets.push(self.pattern(&pattern, place)?);
        }
        if let Some(place) = strings.format {
            sets.extend(self.format(place)?);
        }
        if let Some(list) = keywords.enumeration {
            let document = self.document();
            let texts = document.parts(list).filter_map(|item| document.string(item));
            sets.push(StringLanguage::one_of(texts));
        }
        if let Some(value) = keywords.constant {
            let text = self.document().string(value);
            sets.push(text.map_or_else(StringLanguage::never, StringLanguage::exactly));
        }
        for part in self.applied(node)?.iter().copied() {
            sets.push(self.nested(part, |this| this.strings(part))?);
        }
        let mut sets = sets.into_iter();
        let Some(mut all) = sets.next() else { return Ok(StringLanguage::all()) };
        for set in sets {
            all = all.intersection(&set).map_err(|error| self.too_large(node.schema, &error))?;
        }
        Ok(all)
    }

    fn node_numbers(&mut self, node: Node) -> Result<NumberPart, SchemaError> {
        let keywords = self.keywords(node)?;
        if !keywords.types.meets(Types::NUMBER) {
            return Ok(NumberPart::never());
        }
        let mut sets = Vec::new();
        if !keywords.types.holds(Types::NUMBER) {
            let integers = NumberLanguage::integers();
            sets.push(match self.draft(node.schema) {
                Draft::Four => {
                    let others = NumberLanguage::never();
                    NumberPart { digits: integers, others, apart: true }
                }
                _ => NumberPart::alike(integers),
            });
        }
        for (place, set) in self.limits(&keywords) {
            let set = set.map_err(|error| self.too_large(place, &error))?;
            sets.push(NumberPart::alike(set));
        }
        let mut lists: Vec<Vec<Item>> = Vec::new();
        lists.extend(keywords.enumeration.map(|list| self.document().parts(list).collect()));
        lists.extend(keywords.constant.map(|value| vec![value]));
        for list in lists {
            let numbers = list.into_iter().filter_map(|item| match self.document().get(item) {
                Json::Number(text) => Decimal::parse(text),
                _ => None,
            });
            sets.push(NumberPart::alike(NumberLanguage::one_of(numbers.collect())));
        }
        for part in self.applied(node)?.iter().copied() {
            sets.push(self.nested(part, |this| this.numbers(part))?);
        }
        let mut all = NumberPart::all();
        for set in sets {
            all = all.and(&set).map_err(|error| self.too_large(node.schema, &error))?;
        }
        Ok(all)
    }

    /// What the keywords for numbers say, each with its place.
    pub(super) fn limits(
        &self,
        keywords: &Keywords,
    ) -> Vec<(Item, Result<NumberLanguage, TooLarge>)> {
        let own = &keywords.numbers;
        let mut limits = Vec::new();
        let mut limit =
            |place: Option<Item>, set: &dyn Fn(&Decimal) -> Result<NumberLanguage, TooLarge>| {
                if let Some(place) = place
                    && let Json::Number(text) = self.document().get(place)
                    && let Some(decimal) = Decimal::parse(text)
                {
                    limits.push((place, set(&decimal)));
                }
            };
        limit(own.minimum, &|bound| Ok(NumberLanguage::at_least(bound)));
        limit(own.maximum, &|bound| Ok(NumberLanguage::at_most(bound)));
        limit(own.above, &|bound| Ok(NumberLanguage::above(bound)));
        limit(own.below, &|bound| Ok(NumberLanguage::below(bound)));
        limit(own.multiple_of, &|divisor| Ok(NumberLanguage::multiple_of(divisor)));
        limits
    }
}
