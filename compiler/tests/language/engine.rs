//! The engine on the texts of a case, and all texts of a language that has few.

use std::collections::{BTreeSet, VecDeque};
use std::sync::OnceLock;

use blueprints_compiler::Ir;
use blueprints_runtime::{Limits, Matcher, Program, Token, TokenId, Vocabulary};

/// A token for each byte, and no other.
fn bytes() -> &'static Vocabulary {
    static BYTES: OnceLock<Vocabulary> = OnceLock::new();
    BYTES.get_or_init(|| {
        let tokens = (0..=u8::MAX).map(|byte| Token::Bytes([byte].into())).collect();
        Vocabulary::new(tokens).expect("there are tokens")
    })
}

fn matcher(ir: &Ir) -> Matcher {
    let program = Program::compile_ir(ir, bytes(), Limits::default());
    program.unwrap_or_else(|error| panic!("{error}: {ir}")).matcher()
}

/// Compares the engine with what is expected, byte by byte and as a whole.
pub(crate) fn run(id: &str, ir: &Ir, texts: &[(String, bool)]) {
    if ir.facts().is_none_or(|facts| !facts.productive) {
        return;
    }
    // A budget of tokens is the engine's, and no part of the language.
    if ir.to_string().contains(" tokens ") {
        return;
    }
    let mut matcher = matcher(ir);
    for (text, expected) in texts {
        matcher.reset();
        let read = text.bytes().try_for_each(|byte| matcher.accept(TokenId(byte.into())));
        let accepts = read.is_ok() && matcher.is_accepting();
        assert_eq!(accepts, *expected, "{text:?}: {id}\n{ir}");
    }
}

/// Places that one search looks at.
const PLACES_MAX: usize = 20_000;

/// Texts of a language, at least `count` if there are so many, and whether these are all of them:
/// at each place of a search in breadth, the shortest text that goes on from there.
pub(crate) fn some(ir: &Ir, count: usize) -> (BTreeSet<String>, bool) {
    let mut found = BTreeSet::new();
    if ir.facts().is_none_or(|facts| !facts.productive) {
        return (found, true);
    }
    let mut pending = VecDeque::from([(Vec::<u8>::new(), matcher(ir))]);
    for _ in 0..PLACES_MAX {
        let Some((text, mut at)) = pending.pop_front() else { return (found, true) };
        if let Ok(end) = at.shortest_end() {
            let end = end.tokens.iter().map(|token| token.0 as u8);
            let whole = text.iter().copied().chain(end).collect();
            found.insert(String::from_utf8(whole).expect("UTF-8"));
        }
        if found.len() >= count {
            return (found, false);
        }
        let mask = at.mask().expect("within the limits").clone();
        for token in mask.iter() {
            if pending.len() >= PLACES_MAX {
                break;
            }
            let mut next = at.fork();
            next.accept(token).expect("the mask lets it");
            pending.push_back(([&text[..], &[token.0 as u8]].concat(), next));
        }
    }
    (found, false)
}
