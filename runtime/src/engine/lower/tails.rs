//! Labels of automata as nodes: what they end with alike is built once, what is plain when met.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::Kind;

use super::super::nfa::{Label, Part};
use super::super::source::LowerError;
use super::Lowering;

/// Parts that were built, with the nodes between which they stand.
#[derive(Default)]
pub(super) struct Tails(Vec<(Ir, u32, u32)>);

/// The most parts that are kept; the common ones come early.
const KEPT_MAX: usize = 64;

impl Tails {
    /// The node at which a part equal to `part` begins that ends at `to`.
    pub(super) fn known(&self, part: &Ir, to: u32) -> Option<u32> {
        let same = |(known, end, _): &&(Ir, u32, u32)| *end == to && known == part;
        self.0.iter().find(same).map(|(_, _, begin)| *begin)
    }

    /// Notes that `part` stands between `begin` and `to`.
    pub(super) fn add(&mut self, part: &Ir, to: u32, begin: u32) {
        if self.0.len() < KEPT_MAX {
            self.0.push((part.clone(), to, begin));
        }
    }
}

impl Lowering<'_> {
    /// Builds `label` between two nodes. What labels before one node end with alike is built once,
    /// so that keys with like values go on from one node.
    pub(super) fn label(
        &mut self,
        label: &Ir,
        from: u32,
        mut to: u32,
        tails: &mut Tails,
    ) -> Result<(), LowerError> {
        let parts = match label.kind() {
            Kind::Sequence(parts) => parts.as_slice(),
            _ => std::slice::from_ref(label),
        };
        let plain = |part: &&Ir| part.facts().is_some_and(|facts| facts.plain && facts.productive);
        let run = match self.heard {
            true => 0,
            false => parts.iter().take_while(plain).count(),
        };
        // Several plain parts are one, made when a state first meets it.
        let run = parts.get(..run).filter(|run| run.len() > 1);
        let run = run.filter(|run| run.iter().any(|part| !self.nullable(part)));
        for part in parts.iter().skip(run.map_or(1, <[Ir]>::len)).rev() {
            to = match tails.known(part, to) {
                Some(begin) => begin,
                None => {
                    let begin = self.node()?;
                    let end = self.part(part, begin)?;
                    self.epsilon(end, to);
                    tails.add(part, to, begin);
                    begin
                }
            };
        }
        match (run, parts.first()) {
            (Some(run), _) => {
                let number = self.fragment.parts.len() as u32;
                self.fragment.parts.push(Part::whole(Ir::sequence(run.iter().cloned())));
                self.fragment.edge(from, Label::Part(number), to);
            }
            (None, Some(first)) => {
                let end = self.part(first, from)?;
                self.epsilon(end, to);
            }
            (None, None) => self.epsilon(from, to),
        }
        Ok(())
    }
}
