//! The rules of a schema: what the values of a formula look like as text.

use std::collections::HashMap;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::SchemaError;
use super::draft::Types;
use super::formula::{Form, Formula};
use super::layout::{Layout, any_gap, gap};
use super::numbers::{NumberLanguage, Numbers};
use super::options::{self, Whitespace};
use super::regular;
use super::schemas::Schemas;
use super::strings::{Spelling, StringLanguage};
use super::styles::Notation;
use crate::ir::{Ir, RuleId};

/// What a rule is the language of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Rule {
    /// White space between two tokens.
    Gap,
    /// Every value of some types, at a depth of the text that matters only for indentation.
    Types(Types, u32),
    /// The values of a formula.
    Value(Formula, u32),
    /// The objects of a formula as entries of the style.
    Entries(Formula),
    /// The arrays of a formula as items of the style.
    Items(Formula),
}

/// The deepest nest of text that is indented.
const INDENTED_MAX: u32 = 64;

/// Rules on their way to bodies.
#[derive(Debug)]
pub(super) struct Lowering {
    pub(super) schemas: Schemas,
    rules: Vec<Rule>,
    numbers: HashMap<Rule, RuleId>,
    /// Values that are said in place, outermost first; `None` where every value is a rule.
    pub(super) inlined: Option<Vec<Formula>>,
    /// Where a number has spellings that only a register can follow, where there are none.
    pub(super) narrowed: Option<String>,
    /// What bare keys may be, once it was asked for.
    pub(super) bare_keys: Option<StringLanguage>,
}

impl Lowering {
    pub(super) fn new(schemas: Schemas) -> Self {
        let (rules, numbers) = (Vec::new(), HashMap::new());
        Self { schemas, rules, numbers, inlined: None, narrowed: None, bare_keys: None }
    }

    /// The rules that were called so far.
    pub(super) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule for `rule`, a new one if it was not called before.
    pub(super) fn number(&mut self, rule: Rule) -> RuleId {
        if let Some(number) = self.numbers.get(&rule) {
            return *number;
        }
        let number = RuleId(self.rules.len() as u32);
        self.rules.push(rule);
        self.numbers.insert(rule, number);
        number
    }

    pub(super) fn call(&mut self, rule: Rule) -> Ir {
        Ir::call(self.number(rule))
    }

    /// What may stand between the parts of a value at `depth`.
    pub(super) fn layout(&mut self, depth: u32) -> Layout {
        let whitespace = self.schemas.options.whitespace;
        Layout::new(whitespace, depth, || match self.inlined {
            Some(_) => self.call(Rule::Gap),
            // Rules that are made on demand read something.
            None => Ir::optional(self.call(Rule::Gap)),
        })
    }

    /// The values of `formula`, which has some, at `depth`.
    pub(super) fn value(&mut self, formula: Formula, depth: u32) -> Result<Ir, SchemaError> {
        let depth = match self.schemas.options.whitespace {
            Whitespace::Indent(_) => depth,
            _ => 0,
        };
        let bounds = self.schemas.bounds(formula)?;
        if bounds.may == bounds.must {
            return Ok(self.types(bounds.may, depth));
        }
        if depth > INDENTED_MAX {
            let message = format!("indented text nests at most {INDENTED_MAX} deep");
            return Err(SchemaError::too_large("", message));
        }
        if let Some(inlined) = &mut self.inlined
            && matches!(self.schemas.formulas.get(formula), Form::Node(_))
            && !self.schemas.targets.contains(&formula)
            && !inlined.contains(&formula)
            && inlined.len() < INLINED_MAX
        {
            inlined.push(formula);
            let body = self.body(Rule::Value(formula, depth));
            self.inlined.iter_mut().for_each(|inlined| {
                inlined.pop();
            });
            return body;
        }
        Ok(self.call(Rule::Value(formula, depth)))
    }

    /// Every value of `types`.
    fn types(&mut self, types: Types, depth: u32) -> Ir {
        let kinds = [(Types::NULL, &["null"][..]), (Types::BOOLEAN, &["true", "false"][..])];
        if types == Types::ALL || !types.meets(Types::NULL.or(Types::BOOLEAN)) && types.is_one() {
            return self.call(Rule::Types(types, depth));
        }
        let mut arms = Vec::new();
        for (kind, words) in kinds {
            if types.holds(kind) {
                arms.extend(words.iter().map(|word| self.word(word)));
            }
        }
        if types.holds(Types::NUMBER) {
            arms.push(self.call(Rule::Types(Types::NUMBER, depth)));
        } else if types.meets(Types::NUMBER) {
            let only = types.and(Types::NUMBER);
            arms.push(self.call(Rule::Types(only, depth)));
        }
        for kind in [Types::STRING, Types::ARRAY, Types::OBJECT] {
            if types.holds(kind) {
                arms.push(self.call(Rule::Types(kind, depth)));
            }
        }
        Ir::choice(arms)
    }

    /// What `rule` means.
    ///
    /// # Errors
    /// Above a limit; what cannot be held was refused before.
    pub(super) fn body(&mut self, rule: Rule) -> Result<Ir, SchemaError> {
        match rule {
            Rule::Gap => {
                let some = self.inlined.is_none();
                let most = self.schemas.options.blanks_max;
                Ok(match self.schemas.options.whitespace {
                    Whitespace::Any => any_gap(most, some),
                    _ => gap(most, some),
                })
            }
            Rule::Types(types, depth) => self.every(types, depth),
            Rule::Value(formula, depth) => {
                let mut arms = Vec::new();
                self.arms(formula, Types::ALL, depth, &mut arms)?;
                Ok(Ir::choice(arms))
            }
            Rule::Entries(formula) => self.entries(formula),
            Rule::Items(formula) => self.items(formula),
        }
    }

    fn every(&mut self, types: Types, depth: u32) -> Result<Ir, SchemaError> {
        let layout = self.layout(depth);
        Ok(match types {
            Types::STRING => self.string(&StringLanguage::all(), Formula::TRUE)?,
            Types::NUMBER => self.number_text(&NumberLanguage::all(), Formula::TRUE)?,
            Types::ARRAY => {
                let item = self.types_below(depth)?;
                let items = Ir::sequence([item, layout.after.clone()]);
                let items = Ir::repeat(items, 1, None, Some(layout.comma.clone()));
                layout.brackets(["[", "]"], items, true, &Ir::empty())
            }
            Types::OBJECT if self.schemas.options.unique_keys => self.any_keyed(depth)?,
            Types::OBJECT => {
                let key = match self.notation() {
                    Notation::Gemma => self.member_key(&StringLanguage::all(), Formula::TRUE)?,
                    _ => self.types(Types::STRING, 0),
                };
                let value = self.types_below(depth)?;
                let member = Ir::sequence([key, layout.colon.clone(), value, layout.after.clone()]);
                let members = Ir::repeat(member, 1, None, Some(layout.comma.clone()));
                layout.brackets(["{", "}"], members, true, &Ir::empty())
            }
            Types::ALL => {
                let null = self.word("null");
                let others = self.types(Types::NULL.complement(), depth);
                Ir::choice([null, others])
            }
            // Some of the numbers: integers, or all others.
            types => {
                let integers = NumberLanguage::integers();
                let numbers = match types.is_integer_only() {
                    true => Ok(integers),
                    false => integers.complement(),
                };
                let numbers = self.schemas.within(Formula::TRUE, numbers)?;
                self.number_text(&numbers, Formula::TRUE)?
            }
        })
    }

    /// Any value one deeper than `depth`.
    fn types_below(&mut self, depth: u32) -> Result<Ir, SchemaError> {
        self.value(Formula::TRUE, depth + 1)
    }

    /// The values of `formula` that are of `types`; there may be none.
    pub(super) fn value_of(&mut self, formula: Formula, types: Types) -> Result<Ir, SchemaError> {
        if types.holds(self.schemas.bounds(formula)?.may) && !self.schemas.is_empty(formula)? {
            return self.value(formula, 0);
        }
        let mut arms = Vec::new();
        self.arms(formula, types, 0, &mut arms)?;
        Ok(Ir::choice(arms))
    }

    /// Adds the values of `formula` that are of `types`, at `depth`, as alternatives.
    fn arms(
        &mut self,
        formula: Formula,
        types: Types,
        depth: u32,
        arms: &mut Vec<Ir>,
    ) -> Result<(), SchemaError> {
        if self.schemas.is_empty(formula)? {
            return Ok(());
        }
        let bounds = self.schemas.bounds(formula)?;
        if bounds.may == bounds.must {
            arms.push(self.types(bounds.may.and(types), depth));
            return Ok(());
        }
        if let Some(parts) = self.schemas.union(formula)? {
            for part in parts {
                self.schemas.depth += 1;
                self.arms(part, types, depth, arms)?;
                self.schemas.depth -= 1;
            }
            return Ok(());
        }
        let may = |kind: Types| bounds.may.and(types).meets(kind);
        if may(Types::NULL) || may(Types::BOOLEAN) {
            let words = self.schemas.words(formula)?;
            let words = [(words.null, "null"), (words.yes, "true"), (words.no, "false")];
            let (null, truth) = (may(Types::NULL), may(Types::BOOLEAN));
            let words = words.iter().filter(|word| if word.1 == "null" { null } else { truth });
            arms.extend(words.filter(|word| word.0).map(|word| self.word(word.1)));
        }
        if may(Types::NUMBER) {
            self.number_arms(formula, types, arms)?;
        }
        if may(Types::STRING) {
            let strings = self.schemas.strings(formula)?;
            if strings.is_all() {
                arms.push(self.types(Types::STRING, 0));
            } else if !strings.is_never() {
                arms.push(self.string(&strings, formula)?);
            }
        }
        if may(Types::ARRAY) {
            self.arrays(formula, depth, arms)?;
        }
        if may(Types::OBJECT) {
            self.objects(formula, depth, arms)?;
        }
        Ok(())
    }

    fn number_arms(
        &mut self,
        formula: Formula,
        types: Types,
        arms: &mut Vec<Ir>,
    ) -> Result<(), SchemaError> {
        let mut numbers = self.schemas.numbers(formula)?;
        if !types.holds(Types::NUMBER) {
            numbers = self.schemas.within(formula, numbers.of_types(types))?;
        }
        if numbers.is_never() {
            return Ok(());
        }
        if !numbers.apart {
            if numbers.digits.is_all() {
                arms.push(self.types(Types::NUMBER, 0));
            } else {
                arms.push(self.number_text(&numbers.digits, formula)?);
            }
            return Ok(());
        }
        if numbers.others.is_all() && self.schemas.options.numbers == options::Numbers::Json {
            arms.push(marked());
        } else if !numbers.others.is_never() {
            let form = match self.schemas.options.numbers {
                options::Numbers::Plain => Numbers::Point,
                options::Numbers::Json => Numbers::Marked,
            };
            let others = numbers.others.to_ir(form);
            arms.push(self.schemas.within(formula, others)?);
        }
        let digits = numbers.digits.to_ir(Numbers::Digits);
        arms.push(self.schemas.within(formula, digits)?);
        Ok(())
    }

    /// How numbers are spelled.
    pub(super) fn numbers_form(&self) -> Numbers {
        match self.schemas.options.numbers {
            options::Numbers::Plain => Numbers::Plain,
            options::Numbers::Json => Numbers::Json,
        }
    }

    pub(super) fn number_text(
        &mut self,
        numbers: &NumberLanguage,
        formula: Formula,
    ) -> Result<Ir, SchemaError> {
        let text = match self.schemas.options.numbers {
            options::Numbers::Plain => numbers.to_ir(Numbers::Plain),
            options::Numbers::Json if self.inlined.is_some() => {
                if !numbers.is_all() && self.narrowed.is_none() {
                    self.narrowed = Some(self.schemas.pointer(self.schemas.place(formula)));
                }
                regular::text(numbers)
            }
            options::Numbers::Json => numbers.to_ir(Numbers::Json),
        };
        self.schemas.within(formula, text)
    }

    /// The strings of `strings` as `spelling` writes them; `formula` is for messages.
    pub(super) fn string_as(
        &mut self,
        strings: &StringLanguage,
        formula: Formula,
        spelling: Spelling,
    ) -> Result<Ir, SchemaError> {
        if self.inlined.is_some()
            && let Some(words) = strings.words(WRITTEN_OUT_MAX)
            && words.len() > 1
        {
            // For targets, one after the other as they are listed.
            let mut arms = Vec::with_capacity(words.len());
            for word in self.schemas.in_listed_order(formula, words)? {
                let text = StringLanguage::exactly(&word).to_ir(spelling);
                arms.push(self.schemas.within(formula, text)?);
            }
            return Ok(Ir::choice(arms));
        }
        let text = strings.to_ir(spelling);
        self.schemas.within(formula, text)
    }
}

/// Any number with a point or an exponent.
fn marked() -> Ir {
    let range = |first, last| Ir::class(ClassUnicode::new([ClassUnicodeRange::new(first, last)]));
    let digits = || Ir::repeat(range('0', '9'), 1, None, None);
    let more = Ir::repeat(range('0', '9'), 0, None, None);
    let natural = Ir::choice([Ir::value("0"), Ir::sequence([range('1', '9'), more])]);
    let sign = Ir::optional(Ir::choice([Ir::value("+"), Ir::value("-")]));
    let e = Ir::choice([Ir::value("e"), Ir::value("E")]);
    let exponent = || Ir::sequence([e.clone(), sign.clone(), digits()]);
    let fraction = Ir::sequence([Ir::value("."), digits(), Ir::optional(exponent())]);
    let tail = Ir::choice([fraction, exponent()]);
    Ir::sequence([Ir::optional(Ir::value("-")), natural, tail])
}

/// The most strings that targets have one after the other.
const WRITTEN_OUT_MAX: usize = 64;

/// The most formulas of which each two are looked at for a value that they have in common.
const APART_MAX: usize = 400;

/// The most values that are said in place inside one another.
const INLINED_MAX: usize = 100;

impl Schemas {
    /// `words` in the order in which `formula` lists them, if it does.
    fn in_listed_order(
        &mut self,
        formula: Formula,
        mut words: Vec<String>,
    ) -> Result<Vec<String>, SchemaError> {
        if let Form::Node(node) = *self.formulas.get(formula)
            && let Some(list) = self.keywords(node)?.enumeration
        {
            let listed: Vec<&str> = {
                let document = self.document();
                document.parts(list).filter_map(|item| document.string(item)).collect()
            };
            words.sort_by_key(|word| listed.iter().position(|listed| listed == word));
        }
        Ok(words)
    }

    /// The formulas whose values together are those of `formula`, if that is all it says.
    pub(super) fn union(&mut self, formula: Formula) -> Result<Option<Vec<Formula>>, SchemaError> {
        match self.formulas.get(formula).clone() {
            Form::Any(parts) => Ok(Some(parts.to_vec())),
            Form::One(parts) => self.apart(&parts),
            Form::Node(node) => {
                let keywords = self.keywords(node)?;
                if keywords.count != 1 {
                    return Ok(None);
                }
                let applied = self.applied(node)?;
                match *applied {
                    [part] if matches!(self.formulas.get(part), Form::Any(_) | Form::One(_)) => {
                        self.union(part)
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// `parts`, if no two of them have a value in common.
    fn apart(&mut self, parts: &[Formula]) -> Result<Option<Vec<Formula>>, SchemaError> {
        if parts.len() > APART_MAX {
            return Ok(None);
        }
        for (at, one) in parts.iter().enumerate() {
            for two in &parts[at + 1..] {
                if !self.disjoint(*one, *two)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(parts.to_vec()))
    }
}
