//! Which formulas have values at all, and which have none in common.
//!
//! Formulas may be recursive, so this is a least fixed point: what is being looked at counts as
//! empty, and a formula found empty because of that is looked at again.

use super::SchemaError;
use super::document::{Item, Json};
use super::draft::Types;
use super::formula::{Form, Formula};
use super::keywords::Keywords;
use super::schemas::Schemas;

/// Formulas that are being looked at, and how far down the findings depend on them.
#[derive(Default, Debug)]
pub(super) struct Looking {
    open: Vec<Formula>,
    /// The least place in `open` that was taken as empty since it was last set.
    lowest: Option<usize>,
}

/// The most formulas of one schema whose values are looked for.
const WORK_MAX: usize = 100_000;
/// The most formulas that are being looked at in turn.
const OPEN_MAX: usize = 150;

impl Schemas {
    /// Whether `formula` has no value.
    ///
    /// # Errors
    /// For what cannot be held, and above limits.
    pub(super) fn is_empty(&mut self, formula: Formula) -> Result<bool, SchemaError> {
        if let Some(known) = self.known.empty.get(&formula) {
            return Ok(*known);
        }
        if self.surely_has_values(formula)? {
            self.known.empty.insert(formula, false);
            return Ok(false);
        }
        if let Some(at) = self.looking.open.iter().position(|open| *open == formula) {
            self.looking.lowest = Some(self.looking.lowest.map_or(at, |lowest| lowest.min(at)));
            return Ok(true);
        }
        let here = self.looking.open.len();
        if here > OPEN_MAX {
            let message = format!("more than {OPEN_MAX} values inside one another are required");
            return Err(SchemaError::too_large(self.pointer(self.place(formula)), message));
        }
        self.looking.open.push(formula);
        let outer = self.looking.lowest.take();
        let depth = std::mem::take(&mut self.depth);
        let found = self.spend(1, formula).and_then(|()| self.has_values(formula));
        self.depth = depth;
        self.looking.open.pop();
        let lowest = self.looking.lowest.take();
        let pending = lowest.filter(|lowest| *lowest < here);
        self.looking.lowest = match (outer, pending) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        let found = found?;
        // Empty only as long as what is being looked at is: not known yet.
        if found || pending.is_none() {
            self.known.empty.insert(formula, !found);
        } else {
            self.known.forget_alternatives();
        }
        Ok(!found)
    }

    /// Whether two formulas have no value in common.
    ///
    /// # Errors
    /// As [`Schemas::is_empty`].
    pub(super) fn disjoint(&mut self, one: Formula, two: Formula) -> Result<bool, SchemaError> {
        let (first, second) = (self.bounds(one)?, self.bounds(two)?);
        if first.may.and(second.may) == Types::NONE {
            return Ok(true);
        }
        let both = self.formulas.all([one, two]);
        self.is_empty(both)
    }

    /// Counts steps of the search for values; `formula` is for messages.
    ///
    /// # Errors
    /// Above the limit.
    pub(super) fn spend(&mut self, steps: usize, formula: Formula) -> Result<(), SchemaError> {
        self.work = self.work.saturating_add(steps);
        if self.work <= WORK_MAX {
            return Ok(());
        }
        let message = format!("telling which schemas have values takes more than {WORK_MAX} steps");
        Err(SchemaError::too_large(self.pointer(self.place(formula)), message))
    }

    fn has_values(&mut self, formula: Formula) -> Result<bool, SchemaError> {
        if let Some(parts) = self.arms_of(formula)? {
            for part in parts {
                if !self.nested(part, |this| this.is_empty(part))? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let bounds = self.bounds(formula)?;
        let may = |types: Types| bounds.may.meets(types);
        if may(Types::NULL) || may(Types::BOOLEAN) {
            let words = self.words(formula)?;
            if words.null || words.no || words.yes {
                return Ok(true);
            }
        }
        if may(Types::NUMBER) && !self.numbers(formula)?.is_never() {
            return Ok(true);
        }
        if may(Types::STRING) && !self.strings(formula)?.is_never() {
            return Ok(true);
        }
        if may(Types::ARRAY) {
            for one in self.array_alternatives(formula)?.iter() {
                if self.has_array(one)? {
                    return Ok(true);
                }
            }
        }
        if may(Types::OBJECT) {
            for one in self.object_alternatives(formula)?.iter() {
                if self.has_object(one)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether `formula` is quickly seen to have values.
    fn surely_has_values(&mut self, formula: Formula) -> Result<bool, SchemaError> {
        let node = match self.formulas.get(formula) {
            Form::True | Form::Constant(_) => return Ok(true),
            Form::Node(node) => *node,
            _ => return Ok(self.bounds(formula)?.must != Types::NONE),
        };
        if self.bounds(formula)?.must != Types::NONE {
            return Ok(true);
        }
        if !self.applied(node)?.is_empty() {
            return Ok(false);
        }
        let keywords = self.keywords(node)?;
        if let Some(list) = keywords.enumeration {
            let own = keywords.limited_beside_values();
            let may = |item: Item| keywords.types.holds(self.types_of(item));
            return Ok(!own && keywords.constant.is_none() && self.document().parts(list).any(may));
        }
        Ok(keywords.constant.is_none() && self.has_plain_values(&keywords))
    }

    /// The formulas any of which gives `formula` a value, if that is all it says.
    fn arms_of(&mut self, formula: Formula) -> Result<Option<Vec<Formula>>, SchemaError> {
        match self.formulas.get(formula).clone() {
            Form::Any(parts) => Ok(Some(parts.to_vec())),
            Form::Node(node) if self.keywords(node)?.count == 1 => match *self.applied(node)? {
                [part] => self.arms_of_any(part),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn arms_of_any(&self, formula: Formula) -> Result<Option<Vec<Formula>>, SchemaError> {
        Ok(match self.formulas.get(formula) {
            Form::Any(parts) => Some(parts.to_vec()),
            _ => None,
        })
    }

    fn has_plain_values(&self, keywords: &Keywords) -> bool {
        let strings = &keywords.strings;
        let lengths = strings.length_max.is_none_or(|max| strings.length_min <= max);
        let bounded = strings.length_min > 0 || strings.length_max.is_some();
        let plain = match (strings.pattern, strings.format) {
            (None, None) => lengths,
            (Some(pattern), None) => {
                !bounded && self.document().string(pattern).is_some_and(is_plain)
            }
            (None, Some(_)) => !bounded,
            (Some(_), Some(_)) => false,
        };
        let (arrays, objects) = (&keywords.arrays, &keywords.objects);
        let limits = [
            keywords.numbers.minimum,
            keywords.numbers.maximum,
            keywords.numbers.above,
            keywords.numbers.below,
            keywords.numbers.multiple_of,
        ];
        keywords.types.meets(Types::STRING) && plain
            || keywords.types.meets(Types::NUMBER)
                && limits.iter().filter(|limit| limit.is_some()).count() <= 1
            || keywords.types.meets(Types::ARRAY)
                && arrays.length_min == 0
                && arrays.contains.is_none()
            || keywords.types.meets(Types::OBJECT)
                && objects.size_min == 0
                && objects.required.is_none()
    }

    /// A formula with the values of `formula`, the same one for equal schemas in most cases.
    ///
    /// # Errors
    /// As [`Schemas::bounds`].
    pub(super) fn representative(&mut self, formula: Formula) -> Result<Formula, SchemaError> {
        let inner = match *self.formulas.get(formula) {
            Form::Not(inner) => {
                let inner = self.representative(inner)?;
                return Ok(self.formulas.not(inner));
            }
            Form::Node(node) => node,
            _ => return Ok(formula),
        };
        let bounds = self.bounds(formula)?;
        let text = if bounds.may == bounds.must {
            format!("{:?}", bounds.may)
        } else {
            let resource = self.resources.resource(inner.schema);
            let text = self.canonical(inner.schema);
            format!("{resource:?} {:?} {text}", inner.scope)
        };
        Ok(*self.representatives.entry(text).or_insert(formula))
    }

    /// The first value of the document that equals `item`.
    pub(super) fn first_equal(&mut self, item: Item) -> Item {
        let text = self.canonical(item);
        *self.constants.entry(text).or_insert(item)
    }

    /// A text that two values have in common if and only if they are equal.
    fn canonical(&self, item: Item) -> String {
        let document = self.document();
        match document.get(item) {
            Json::Null => "null".into(),
            Json::Bool(truth) => truth.to_string(),
            Json::Number(text) => match super::numbers::Decimal::parse(text) {
                Some(decimal) => format!("{decimal:?}"),
                None => text.into(),
            },
            Json::String(text) => format!("{text:?}"),
            Json::Array => {
                let parts: Vec<String> =
                    document.parts(item).map(|part| self.canonical(part)).collect();
                format!("[{}]", parts.join(","))
            }
            Json::Object => {
                let members = document.members(item);
                let mut members: Vec<String> = members
                    .map(|(key, member)| format!("{key:?}:{}", self.canonical(member)))
                    .collect();
                members.sort_unstable();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

/// Whether some text surely matches: no assertion stands where it could fail.
fn is_plain(pattern: &str) -> bool {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let doubtful = ["(?=", "(?!", "(?<", "\\b", "\\B", "[]", "[^", "^", "$", "\\u", "\\p", "\\P"];
    !doubtful.iter().any(|part| inner.contains(part))
}
