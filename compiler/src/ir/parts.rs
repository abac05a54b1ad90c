//! What a language is directly made of, for whoever looks through it.

use std::iter::once;
use std::ops::ControlFlow;

use super::{Ir, Kind};

impl Ir {
    /// Shows `visit` the parts that this one is directly made of, until it breaks. What rules,
    /// patterns and schemas hold is their own.
    ///
    /// # Examples
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use blueprints_compiler::Ir;
    /// let ir = Ir::sequence([Ir::text("a"), Ir::optional(Ir::text("b"))]);
    /// let mut parts = Vec::new();
    /// let all = ir.each_part(|part| -> ControlFlow<()> {
    ///     parts.push(part.to_string());
    ///     ControlFlow::Continue(())
    /// });
    /// assert!(all.is_continue());
    /// assert_eq!(parts, ["\"a\"", "\"b\"?"]);
    /// ```
    pub fn each_part<'a, B>(
        &'a self,
        mut visit: impl FnMut(&'a Self) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self.kind() {
            Kind::Sequence(parts) | Kind::Choice(parts) => parts.iter().try_for_each(visit),
            Kind::Repeat(repeat) => once(&repeat.body).chain(&repeat.separator).try_for_each(visit),
            Kind::Joined(joined) => {
                let parts = joined.parts.iter().map(|part| &part.body);
                parts.chain([&joined.separator]).try_for_each(visit)
            }
            Kind::Automaton(automaton) => {
                let edges = automaton.states.iter().flat_map(|state| &state.edges);
                edges.map(|edge| &edge.0).try_for_each(visit)
            }
            Kind::Dispatch(dispatch) => {
                dispatch.triggers.rules.iter().map(|rule| &rule.1).try_for_each(visit)
            }
            Kind::Capture(capture) => visit(&capture.body),
            Kind::Tracked(tracked) => visit(&tracked.body),
            Kind::Observed(part) => visit(part),
            Kind::Text(_)
            | Kind::Class(_)
            | Kind::Call(_)
            | Kind::Grammar(_)
            | Kind::Regex(_)
            | Kind::Schema(_)
            | Kind::Anything(_)
            | Kind::Special(_)
            | Kind::Act(_) => ControlFlow::Continue(()),
        }
    }

    /// Whether the machine of the part around it has to do with it: it has actions of that
    /// machine, or is heard by it.
    #[must_use]
    pub fn has_acts(&self) -> bool {
        match self.kind() {
            Kind::Act(_) | Kind::Observed(_) => true,
            // The one has a machine of its own, the other's structures run without any.
            Kind::Tracked(_) | Kind::Dispatch(_) => false,
            _ => self.any_part(Self::has_acts),
        }
    }

    /// Whether more matters of it than which texts it holds: captures, registers, free text with
    /// its budget, special tokens.
    pub(crate) fn has_marks(&self) -> bool {
        match self.kind() {
            Kind::Capture(_)
            | Kind::Act(_)
            | Kind::Observed(_)
            | Kind::Tracked(_)
            | Kind::Dispatch(_)
            | Kind::Anything(_)
            | Kind::Special(_) => true,
            Kind::Grammar(grammar) => grammar.rules().iter().any(|rule| rule.body.has_marks()),
            _ => self.any_part(Self::has_marks),
        }
    }

    /// Whether `holds` is true of one of the parts that [`Ir::each_part`] visits.
    fn any_part(&self, holds: impl Fn(&Self) -> bool) -> bool {
        let visited = self.each_part(|part| match holds(part) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        visited.is_break()
    }
}
