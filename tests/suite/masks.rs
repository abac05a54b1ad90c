//! Masks equal the reference: every token tried one by one, along random walks.

use blueprints::{Ir, Limits, Program, Rejected, TokenId, Vocabulary};

use crate::random_ir;
use crate::reference::Reference;
use crate::toy::{self, Random};

/// Walks at random through the masks of `ir`, comparing each with the reference; then takes all
/// back and walks again. Returns the number of masks compared.
pub(crate) fn walk(ir: &Ir, vocabulary: &Vocabulary, random: &mut Random, steps: usize) -> usize {
    let program = Program::compile_ir(ir, vocabulary, Limits::default()).expect("compiles");
    let mut matcher = program.matcher();
    let mut reference = Reference::new(ir, vocabulary);
    let mut path: Vec<TokenId> = Vec::new();
    let mut compared = 0;
    for _ in 0..steps {
        let mask = matcher.mask().expect("within limits").clone();
        let mut allowed = Vec::new();
        for id in toy::ids(vocabulary) {
            let expected = reference.after(id).is_alive();
            let token = String::from_utf8_lossy(vocabulary.spelling(id)).into_owned();
            assert_eq!(mask.contains(id), expected, "{ir}\nafter {path:?}, token {id} {token:?}");
            if expected {
                allowed.push(id);
            } else {
                let before = matcher.len();
                assert_eq!(matcher.accept(id), Err(Rejected::Token(id)));
                assert_eq!(matcher.len(), before);
            }
        }
        compared += 1;
        assert_eq!(matcher.is_accepting(), reference.is_accepting(), "{ir}\nafter {path:?}");
        assert!(!allowed.is_empty() || reference.is_accepting(), "{ir}\ndead end after {path:?}");
        if allowed.is_empty() {
            assert!(matcher.is_finished(), "{ir}\nafter {path:?}");
            break;
        }
        // Longer tokens and special ones are rarer than single bytes: prefer them now and then.
        let longer: Vec<TokenId> = allowed.iter().copied().filter(|id| id.0 > 255).collect();
        let pool = if longer.is_empty() || random.below(3) == 0 { &allowed } else { &longer };
        let id = pool[random.below(pool.len())];
        matcher.accept(id).expect("the mask allows it");
        reference = reference.after(id);
        path.push(id);
    }
    replays(&program, &mut matcher, &path);
    compared
}

/// Rollback and fork equal replay.
fn replays(program: &Program, matcher: &mut blueprints::Matcher, path: &[TokenId]) {
    let keep = path.len() / 2;
    let mut fork = matcher.fork();
    fork.rollback(path.len() - keep).expect("there are as many");
    let mut fresh = program.matcher();
    path[..keep].iter().for_each(|&id| fresh.accept(id).expect("was allowed"));
    assert_eq!(fork.mask(), fresh.mask());
    path[keep..].iter().for_each(|&id| fork.accept(id).expect("was allowed"));
    assert_eq!(fork.mask(), matcher.mask());
    assert_eq!(fork.is_accepting(), matcher.is_accepting());
    assert!(fork.rollback(path.len() + 1).is_err());
    assert_eq!(fork.len(), path.len());
}

#[test]
fn equal_the_reference_on_random_languages() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(1);
    let mut compared = 0;
    // A longer run: BLUEPRINTS_WALKS=10000 takes some minutes.
    let walks = crate::shared::number("BLUEPRINTS_WALKS").unwrap_or(400);
    for _ in 0..walks {
        let ir = random_ir::any(&mut random, 4);
        compared += walk(&ir, &vocabulary, &mut random, 12);
    }
    println!("{compared} masks compared on {walks} walks");
    assert!(compared > 1_000);
}

#[test]
fn equal_the_reference_near_the_bounds_of_counters() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(2);
    let span = vocabulary.token_bytes_max() as u32;
    for body in ["a", "ab", "é"] {
        for (min, max) in [
            (0, Some(1)),
            (2, Some(2)),
            (span, Some(span)),
            (span + 1, Some(span + 2)),
            (0, Some(3 * span)),
            (2 * span, Some(4 * span)),
            (2 * span + 3, None),
            (3, None),
        ] {
            for separator in [None, Some(Ir::text(",")), Some(Ir::text("\n\n"))] {
                let repeat = Ir::repeat(Ir::text(body), min, max, separator);
                let ir = Ir::sequence([repeat, Ir::text("b")]);
                walk(&ir, &vocabulary, &mut random, 5 * span as usize);
            }
        }
    }
}

#[test]
fn equal_the_reference_where_counts_are_ambiguous_and_bodies_may_be_empty() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(3);
    let a = || Ir::text("a");
    let empty_or_a = || Ir::optional(a());
    let cases = [
        Ir::repeat(Ir::choice([a(), Ir::text("aa")]), 3, Some(5), None),
        Ir::repeat(empty_or_a(), 2, Some(4), None),
        Ir::repeat(empty_or_a(), 2, Some(4), Some(Ir::text("b"))),
        Ir::repeat(empty_or_a(), 3, None, Some(Ir::optional(Ir::text("b")))),
        Ir::repeat(Ir::repeat(a(), 1, Some(3), None), 2, Some(3), Some(Ir::text("b"))),
        Ir::repeat(
            Ir::repeat(Ir::choice([a(), Ir::text("b")]), 2, Some(3), None),
            2,
            Some(9),
            None,
        ),
    ];
    for ir in cases {
        for _ in 0..5 {
            walk(&ir, &vocabulary, &mut random, 12);
        }
    }
}
