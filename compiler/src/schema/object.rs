//! Objects: declared keys in order, other required ones after them, and the rest at the end.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::SchemaError;
use super::lower::{Key, Lowering};
use super::read::{Keywords, Types};
use super::reference::child;
use crate::chars::spelling::Spelling;
use crate::chars::until::every_character;
use crate::ir::{Ir, Part, State};

impl<'a> Lowering<'a> {
    /// The objects that are valid for `keywords`.
    pub(super) fn object(
        &mut self,
        keywords: &Keywords<'a>,
        pointer: &str,
    ) -> Result<Ir, SchemaError> {
        let required: BTreeSet<&str> = keywords.required.iter().copied().collect();
        let mut keys: BTreeSet<&str> = required.clone();
        let mut parts = Vec::new();
        let place = child(pointer, "properties");
        for (name, source) in keywords.properties.into_iter().flatten() {
            keys.insert(name);
            let place = child(&place, name);
            let value = self.schema(source, &place, Types::ALL)?;
            let required = required.contains(name.as_str());
            if !value.is_never() {
                let key = self.characters.quoted(name);
                parts.push(Part { body: self.member(key, value), required });
            } else if required {
                self.note(&place, "the key is required, and no value is valid for it");
                return Ok(Ir::never());
            }
        }
        let additional = match keywords.additional {
            Some(additional) => {
                let place = child(pointer, "additionalProperties");
                self.schema(additional, &place, Types::ALL)?
            }
            None => self.any(Types::ALL),
        };
        for name in &keywords.required {
            let is_property = keywords.properties.is_some_and(|all| all.contains_key(*name));
            if is_property {
                continue;
            }
            if additional.is_never() {
                let message = format!(
                    "`{name}` is required, but not in `properties`, and no other key is let in"
                );
                self.note(&child(pointer, "required"), &message);
                return Ok(Ir::never());
            }
            let key = self.characters.quoted(name);
            parts.push(Part { body: self.member(key, additional.clone()), required: true });
        }
        let comma = self.comma();
        if !additional.is_never() {
            let key = self.key_other_than(&keys);
            let member = self.member(key, additional);
            let body = Ir::repeat(member, 1, None, Some(comma.clone()));
            parts.push(Part { body, required: false });
        }
        let members = Ir::joined(comma, parts);
        Ok(self.braces(members))
    }

    /// A key that does not mean any of `keys`, however it is spelled.
    fn key_other_than(&mut self, keys: &BTreeSet<&str>) -> Ir {
        if keys.is_empty() {
            return self.call(Key::String);
        }
        // The tree of the keys' characters. State 0 is its root, state 1 is off the tree.
        let mut children: Vec<BTreeMap<char, usize>> = vec![BTreeMap::new(); 2];
        let mut is_key = vec![false; 2];
        for key in keys {
            let mut at = 0;
            for character in key.chars() {
                let fresh = children.len();
                at = *children[at].entry(character).or_insert(fresh);
                if at == fresh {
                    children.push(BTreeMap::new());
                    is_key.push(false);
                }
            }
            is_key[at] = true;
        }
        let mut states = Vec::with_capacity(children.len());
        for (children, is_key) in children.iter().zip(&is_key) {
            let mut others = every_character();
            let mut edges = Vec::with_capacity(children.len() + 1);
            for (&character, &to) in children {
                let one = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
                others.difference(&one);
                edges.push((self.characters.class(&one), to));
            }
            edges.push((self.characters.class(&others), 1));
            states.push(State { edges, accepting: !is_key });
        }
        Ir::sequence([Ir::value("\""), Ir::automaton(states), Ir::value("\"")])
    }
}
