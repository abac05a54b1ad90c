//! The substrings of a text, as its suffix automaton (Blumer and others, 1985).

use std::collections::BTreeMap;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::ir::{Ir, State};

struct Node {
    length: usize,
    link: Option<usize>,
    next: BTreeMap<char, usize>,
}

/// Any run of characters of `text`, the empty one included.
///
/// # Complexity
/// O(n log n) in the characters; at most 2n states and 3n edges.
pub(crate) fn substrings(text: &str) -> Ir {
    let mut nodes = vec![Node { length: 0, link: None, next: BTreeMap::new() }];
    let mut last = 0;
    for character in text.chars() {
        last = extend(&mut nodes, last, character);
    }
    let states = nodes.into_iter().map(|node| {
        let mut targets: BTreeMap<usize, Vec<ClassUnicodeRange>> = BTreeMap::new();
        for (character, to) in node.next {
            targets.entry(to).or_default().push(ClassUnicodeRange::new(character, character));
        }
        let edges = targets.into_iter().map(|(to, set)| (Ir::class(ClassUnicode::new(set)), to));
        State { edges: edges.collect(), accepting: true }
    });
    Ir::automaton(states.collect())
}

/// Adds a character behind the text so far, all of which is the node `last`.
fn extend(nodes: &mut Vec<Node>, last: usize, character: char) -> usize {
    let new = nodes.len();
    let length = nodes[last].length + 1;
    nodes.push(Node { length, link: Some(0), next: BTreeMap::new() });
    let mut at = Some(last);
    while let Some(node) = at.filter(|&node| !nodes[node].next.contains_key(&character)) {
        nodes[node].next.insert(character, new);
        at = nodes[node].link;
    }
    let Some(node) = at else { return new };
    let target = nodes[node].next[&character];
    if nodes[target].length == nodes[node].length + 1 {
        nodes[new].link = Some(target);
        return new;
    }
    let clone = nodes.len();
    let (link, next) = (nodes[target].link, nodes[target].next.clone());
    nodes.push(Node { length: nodes[node].length + 1, link, next });
    let mut at = Some(node);
    while let Some(node) = at.filter(|&node| nodes[node].next.get(&character) == Some(&target)) {
        nodes[node].next.insert(character, clone);
        at = nodes[node].link;
    }
    nodes[target].link = Some(clone);
    nodes[new].link = Some(clone);
    new
}
