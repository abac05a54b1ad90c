//! `unevaluatedItems`: which items the schemas that hold beside it have looked at.
//!
//! Places are cut where a list of schemas ends. An item without a value of `unevaluatedItems` is
//! right if and only if a schema that looks at its place holds, or a `contains` that holds it.

use super::super::SchemaError;
use super::super::formula::{Form, Formula, Node};
use super::super::keywords::Keywords;
use super::super::objects::evaluated::Condition;
use super::super::schemas::Schemas;
use super::facts::{Facts, Place, each};

/// The most `contains` that are told apart beside one `unevaluatedItems`.
const CONTAINS_MAX: usize = 6;

/// What looks at the items of some places: when it does, and at which values (`TRUE` is all).
type Lookers = Vec<(Facts, Formula)>;

impl Schemas {
    /// What `unevaluatedItems` of `node` says.
    pub(super) fn unevaluated_items(
        &mut self,
        node: Node,
        keywords: &Keywords,
    ) -> Result<Facts, SchemaError> {
        let Some(schema) = keywords.arrays.unevaluated else { return Ok(Facts::always()) };
        let value = self.formula(schema, node.scope)?;
        if value == Formula::TRUE {
            return Ok(Facts::always());
        }
        let mut cuts: Vec<Place> = vec![0];
        self.cuts_in(node, &mut Vec::new(), &mut cuts)?;
        cuts.sort_unstable();
        cuts.dedup();
        let mut all = Vec::new();
        for (at, from) in cuts.iter().enumerate() {
            let to = cuts.get(at + 1).copied();
            let mut lookers = Vec::new();
            self.lookers(node, *from, &Facts::always(), true, &mut lookers)?;
            let (whole, some): (Lookers, Lookers) =
                lookers.into_iter().partition(|looker| looker.1 == Formula::TRUE);
            if some.len() > CONTAINS_MAX {
                let message = format!("beside it are more than {CONTAINS_MAX} `contains`");
                return Err(SchemaError::too_large(self.pointer(schema), message));
            }
            // Whichever of them hold, what they leave must be right or looked at by the whole.
            for chosen in 0..1_u32 << some.len() {
                let is_chosen = |at: &usize| chosen >> at & 1 == 1;
                let seen = (0..some.len()).filter(is_chosen).map(|at| some[at].1);
                let held = self.formulas.any(seen.chain([value]));
                let others = (0..some.len()).filter(|at| !is_chosen(at));
                let mut any = vec![each(*from, to, held)];
                any.extend(others.map(|at| some[at].0.clone()));
                any.extend(whole.iter().map(|looker| looker.0.clone()));
                all.push(Facts::any(any));
            }
        }
        Ok(Facts::all(all))
    }

    fn cuts_in(
        &mut self,
        node: Node,
        seen: &mut Vec<Node>,
        cuts: &mut Vec<Place>,
    ) -> Result<(), SchemaError> {
        if seen.contains(&node) {
            return Ok(());
        }
        seen.push(node);
        let keywords = self.keywords(node)?;
        if let Some(list) = keywords.arrays.first {
            cuts.push(self.document().size(list) as Place);
        }
        for (_, formula) in self.in_place(node, &keywords)? {
            if let Form::Node(inner) = *self.formulas.get(formula) {
                self.nested(formula, |this| this.cuts_in(inner, seen, cuts))?;
            }
        }
        Ok(())
    }

    /// Adds what looks at the item at `place`, given that `when` holds.
    fn lookers(
        &mut self,
        node: Node,
        place: Place,
        when: &Facts,
        outermost: bool,
        found: &mut Lookers,
    ) -> Result<(), SchemaError> {
        let keywords = self.keywords(node)?;
        let own = &keywords.arrays;
        let listed = own.first.map_or(0, |list| self.document().size(list) as Place);
        if place < listed || own.rest.is_some() || (!outermost && own.unevaluated.is_some()) {
            found.push((when.clone(), Formula::TRUE));
            return Ok(());
        }
        if let Some(contains) = own.contains
            && self.contains_evaluates(node)
        {
            let value = self.formula(contains, node.scope)?;
            found.push((when.clone(), value));
        }
        for (condition, formula) in self.in_place(node, &keywords)? {
            let Form::Node(inner) = *self.formulas.get(formula) else { continue };
            let holds = match condition {
                None => Facts::always(),
                // A dependency applies to objects.
                Some(Condition::Has(_)) => continue,
                Some(Condition::Holds(formula)) => self.array_facts(formula)?,
            };
            if holds.is_never() {
                continue;
            }
            let when = Facts::all([when.clone(), holds]);
            self.nested(formula, |this| this.lookers(inner, place, &when, false, found))?;
        }
        Ok(())
    }
}
