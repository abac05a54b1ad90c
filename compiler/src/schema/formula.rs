//! Boolean formulas over schemas: what values of a place must be.
//!
//! Equal formulas are one number, so that whatever is found out about one is found out once.

use std::collections::HashMap;

use super::document::Item;
use super::reference::Scope;

/// A formula of a [`Formulas`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Formula(pub(super) u32);

impl Formula {
    /// Every value.
    pub(super) const TRUE: Self = Self(0);
    /// No value.
    pub(super) const FALSE: Self = Self(1);
}

/// A schema with the scope that it was reached in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Node {
    pub(super) schema: Item,
    pub(super) scope: Scope,
}

/// What a formula says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Form {
    True,
    False,
    /// The values that are valid for a schema.
    Node(Node),
    /// The values that equal one of a schema.
    Constant(Item),
    Not(Formula),
    All(Box<[Formula]>),
    Any(Box<[Formula]>),
    /// Exactly one of them.
    One(Box<[Formula]>),
}

/// The formulas in use.
#[derive(Debug)]
pub(super) struct Formulas {
    forms: Vec<Form>,
    numbers: HashMap<Form, Formula>,
}

impl Default for Formulas {
    fn default() -> Self {
        let mut formulas = Self { forms: Vec::new(), numbers: HashMap::new() };
        formulas.number(Form::True);
        formulas.number(Form::False);
        formulas
    }
}

impl Formulas {
    /// What `formula` says.
    pub(super) fn get(&self, formula: Formula) -> &Form {
        &self.forms[formula.0 as usize]
    }

    fn number(&mut self, form: Form) -> Formula {
        if let Some(known) = self.numbers.get(&form) {
            return *known;
        }
        let number = Formula(self.forms.len() as u32);
        self.forms.push(form.clone());
        self.numbers.insert(form, number);
        number
    }

    pub(super) fn node(&mut self, node: Node) -> Formula {
        self.number(Form::Node(node))
    }

    pub(super) fn constant(&mut self, value: Item) -> Formula {
        self.number(Form::Constant(value))
    }

    pub(super) fn not(&mut self, formula: Formula) -> Formula {
        match self.get(formula) {
            Form::True => Formula::FALSE,
            Form::False => Formula::TRUE,
            Form::Not(inner) => *inner,
            _ => self.number(Form::Not(formula)),
        }
    }

    pub(super) fn all(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.joined(parts, true)
    }

    pub(super) fn any(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.joined(parts, false)
    }

    fn joined(&mut self, parts: impl IntoIterator<Item = Formula>, all: bool) -> Formula {
        let (neutral, absorbing) = match all {
            true => (Formula::TRUE, Formula::FALSE),
            false => (Formula::FALSE, Formula::TRUE),
        };
        let mut flat = Vec::new();
        for part in parts {
            match self.get(part) {
                Form::All(inner) if all => flat.extend(inner.iter().copied()),
                Form::Any(inner) if !all => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|part| *part != neutral);
        if flat.contains(&absorbing) || self.has_opposites(&flat) {
            return absorbing;
        }
        match flat.as_slice() {
            [] => neutral,
            [only] => *only,
            _ if all => self.number(Form::All(flat.into())),
            _ => self.number(Form::Any(flat.into())),
        }
    }

    /// Whether a formula and its opposite are among `sorted`.
    fn has_opposites(&self, sorted: &[Formula]) -> bool {
        sorted.iter().any(|formula| match self.get(*formula) {
            Form::Not(inner) => sorted.binary_search(inner).is_ok(),
            _ => false,
        })
    }

    pub(super) fn one(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut parts: Vec<Formula> = parts.into_iter().collect();
        parts.retain(|part| *part != Formula::FALSE);
        parts.sort_unstable();
        match parts.as_slice() {
            [] => Formula::FALSE,
            [only] => *only,
            _ => self.number(Form::One(parts.into())),
        }
    }
}
