//! Free text of so many tokens: a token counts where it begins, and at the last one the text ends
//! as soon as it may.

use blueprints::{Blueprint, Limits, Matcher, Outline, Program, Token, TokenId, Vocabulary};
use serde_json::json;

use crate::toy::{self, Random};

const WORDS: &[&str] = &["x", "b", "xx", "xb", "ax", "é", "bb", "xé", "abx"];

/// Every byte, then [`WORDS`], then the first byte of `é` behind an `x`.
fn vocabulary() -> Vocabulary {
    let mut tokens: Vec<Token> = (0..=u8::MAX).map(|byte| Token::Bytes([byte].into())).collect();
    tokens.extend(WORDS.iter().map(|word| Token::Bytes(word.as_bytes().into())));
    tokens.push(Token::Bytes([b'x', 0xC3].into()));
    Vocabulary::new(tokens).expect("there are tokens")
}

fn outline(template: &str) -> Outline {
    let blueprint = Blueprint::from_str(template).unwrap_or_else(|faults| panic!("{faults}"));
    blueprint.outline(json!({})).unwrap_or_else(|faults| panic!("{faults}"))
}

fn matcher(template: &str, vocabulary: &Vocabulary) -> Matcher {
    let program = Program::compile(&outline(template), vocabulary, Limits::default());
    program.unwrap_or_else(|error| panic!("{template}: {error}")).matcher()
}

/// What `a{{ anything(max_tokens=budget, until="b") }}b` allows, by its definition: `None` once
/// something else was read.
fn defined(tokens: &[&[u8]], budget: usize) -> Option<()> {
    let (mut at, mut begun, mut text) = (0, 0, Vec::new());
    for token in tokens {
        // Free text is open from the `a` to the first `b`.
        let open = at > 0 && !text[1..].contains(&b'b');
        begun += usize::from(open);
        let used_up = open && begun > budget;
        for &byte in *token {
            let continues = byte & 0xC0 == 0x80;
            let within = std::str::from_utf8(&text).is_err();
            let right = match at {
                0 => byte == b'a',
                _ if text[1..].contains(&b'b') => false,
                _ if within => continues,
                _ if used_up => byte == b'b',
                _ => byte.is_ascii() || byte == 0xC3,
            };
            right.then_some(())?;
            text.push(byte);
            at += 1;
        }
    }
    Some(())
}

#[test]
fn tokens_are_counted_where_they_begin() {
    let vocabulary = vocabulary();
    let ids = [b'a', b'x', b'b', 0xC3, 0xA9].map(u32::from).into_iter();
    let ids: Vec<TokenId> = ids.chain(256..256 + WORDS.len() as u32 + 1).map(TokenId).collect();
    let mut compared = 0;
    for budget in 0..4 {
        let template = format!("a{{{{ anything(max_tokens={budget}, until='b') }}}}b");
        let mut pending = vec![(matcher(&template, &vocabulary), Vec::<&[u8]>::new())];
        while let Some((at, tokens)) = pending.pop() {
            for &id in &ids {
                let bytes = vocabulary.bytes(id);
                let mut next = tokens.clone();
                next.push(bytes);
                let expected = defined(&next, budget).is_some();
                let allowed = at.allows(id).expect("within the limits");
                assert_eq!(allowed, expected, "{budget} tokens, {next:?}");
                compared += 1;
                if allowed && next.len() < 5 {
                    let mut after = at.fork();
                    after.accept(id).expect("it may come");
                    pending.push((after, next));
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

const TEMPLATES: &[&str] = &[
    "a{{ anything(max_tokens=3, until='b') }}b",
    "<think>{{ anything(max_tokens=2, until='</think>') }}</think>\n",
    "{{ anything(max_tokens=1) }}",
    "{{ anything(max_tokens=2, min_chars=5) }}<|im_end|>",
    "{{ anything(max_tokens=4, max_chars=6, until=['ab', '</']) }}{% choice %}{% option %}ab{% endoption %}{% option %}</{% endoption %}{% endchoice %}",
    "{% repeat min=1 max=3 sep='\n' %}[{{ anything(max_tokens=2, until=']', excludes='no') }}]{% endrepeat %}",
    "{{ anything(max_tokens=2, special=true, until='<|x|>') }}<|x|>",
    "{{ anything(max_tokens=1, until='aab') }}aab",
];

#[test]
fn masks_know_the_budget_and_never_lead_into_a_dead_end() {
    let vocabulary = toy::vocabulary();
    let (mut random, mut ended) = (Random(11), 0);
    for template in TEMPLATES {
        for _ in 0..12 {
            let mut matcher = matcher(template, &vocabulary);
            for _ in 0..14 {
                let mask = matcher.mask().expect("within the limits").clone();
                let trial = matcher.mask_by_trial().expect("within the limits");
                assert_eq!(mask, trial, "{template}");
                let allowed: Vec<TokenId> = mask.iter().collect();
                if allowed.is_empty() {
                    assert!(matcher.is_accepting(), "{template}: a dead end");
                    ended += 1;
                    break;
                }
                let ending = matcher.shortest_end().expect("within the limits").tokens;
                let mut along = matcher.fork();
                assert_eq!(along.accept_prefix(&ending).expect("within"), ending.len());
                assert!(along.is_accepting(), "{template}");
                matcher.accept(allowed[random.below(allowed.len())]).expect("the mask lets it");
            }
        }
    }
    assert!(ended > 20, "{ended}");
}

#[test]
fn a_budget_is_no_part_of_the_language() {
    use blueprints::MatchText;
    let long = outline(TEMPLATES[0]);
    assert!(long.is_match("a many more than three tokens b").expect("compiles"));
    let counted = outline("{{ anything(max_tokens=3, min_chars=5000, until='b') }}b");
    let program = Program::compile(&counted, &vocabulary(), Limits::default());
    assert_eq!(program.err(), Some(blueprints::CompileError::Budget(3)));
}
