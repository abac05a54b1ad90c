//! Boolean formulas over facts about one array or object, with `not` pushed into the facts.

use std::sync::Arc;

/// A formula over facts `F`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Boolean<F> {
    Fact(F),
    All(Arc<[Self]>),
    Any(Arc<[Self]>),
}

impl<F: Clone + PartialEq> Boolean<F> {
    pub(super) fn always() -> Self {
        Self::All(Arc::default())
    }

    pub(super) fn never() -> Self {
        Self::Any(Arc::default())
    }

    pub(super) fn is_always(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    pub(super) fn is_never(&self) -> bool {
        matches!(self, Self::Any(parts) if parts.is_empty())
    }

    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                part if part.is_never() => return part,
                Self::All(inner) => flat.extend(inner.iter().cloned()),
                part => flat.push(part),
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ => Self::All(flat.into()),
        }
    }

    pub(super) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for part in parts {
            match part {
                part if part.is_always() => return part,
                Self::Any(inner) => flat.extend(inner.iter().cloned()),
                part if flat.last() == Some(&part) => {}
                part => flat.push(part),
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ => Self::Any(flat.into()),
        }
    }

    /// Its opposite, where `opposite` tells that of a fact.
    pub(super) fn negated<E>(
        &self,
        opposite: &mut dyn FnMut(&F) -> Result<Self, E>,
    ) -> Result<Self, E> {
        Ok(match self {
            Self::Fact(fact) => opposite(fact)?,
            Self::All(parts) => {
                let parts: Result<Vec<_>, E> = parts.iter().map(|p| p.negated(opposite)).collect();
                Self::any(parts?)
            }
            Self::Any(parts) => {
                let parts: Result<Vec<_>, E> = parts.iter().map(|p| p.negated(opposite)).collect();
                Self::all(parts?)
            }
        })
    }

    /// Whether all its facts are as `wanted`.
    pub(super) fn every_fact(&self, wanted: &dyn Fn(&F) -> bool) -> bool {
        match self {
            Self::Fact(fact) => wanted(fact),
            Self::All(parts) | Self::Any(parts) => parts.iter().all(|p| p.every_fact(wanted)),
        }
    }

    /// How many facts it has.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Fact(_) => 1,
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
        }
    }
}
