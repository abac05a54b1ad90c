//! Computes the mask of a state: which tokens of a vocabulary lead on from it.

use crate::engine::{StateId, Work};
use crate::limits::LimitError;
use crate::mask::TokenMask;
use crate::vocabulary::Vocabulary;

/// What is known about the tokens of a local state, whatever its frame.
pub(crate) struct LocalMask {}

/// The tokens whose bytes lead on from `state`.
pub(crate) fn compute(
    work: &mut Work<'_>,
    state: StateId,
    vocabulary: &Vocabulary,
) -> Result<TokenMask, LimitError> {
    let trie = vocabulary.trie();
    let mut mask = TokenMask::new(vocabulary.width());
    let mut path = vec![state; trie.depth() + 1];
    let nodes = trie.nodes();
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        let next = work.step(path[node.depth as usize - 1], node.byte)?;
        if next == StateId::DEAD {
            at = node.skip as usize;
            continue;
        }
        path[node.depth as usize] = next;
        trie.tokens(node).iter().for_each(|&token| mask.insert(token));
        at += 1;
    }
    Ok(mask)
}
