//! What an inference engine does with a matcher: drafts, stop tokens, batches, threads.

use blueprints::{
    Ir, Limits, Matcher, Program, Rejected, Row, StopPolicy, TokenId, TokenMask, Vocabulary,
    fill_batch,
};

use crate::random_ir;
use crate::toy::{self, Random};

fn compile(ir: &Ir, vocabulary: &Vocabulary) -> Program {
    Program::compile_ir(ir, vocabulary, Limits::default()).expect("compiles")
}

/// A walk through the masks: its tokens, and the mask before each and after the last.
fn walk(
    matcher: &mut Matcher,
    random: &mut Random,
    steps: usize,
) -> (Vec<TokenId>, Vec<TokenMask>) {
    let (mut tokens, mut masks) = (Vec::new(), Vec::new());
    for _ in 0..steps {
        let mask = matcher.mask().expect("within limits").clone();
        let allowed: Vec<TokenId> = mask.iter().collect();
        masks.push(mask);
        if allowed.is_empty() {
            return (tokens, masks);
        }
        let token = allowed[random.below(allowed.len())];
        matcher.accept(token).expect("the mask allows it");
        tokens.push(token);
    }
    masks.push(matcher.mask().expect("within limits").clone());
    (tokens, masks)
}

fn words(mask: &TokenMask) -> Vec<u32> {
    mask.words().to_vec()
}

#[test]
fn drafts_are_validated_as_they_would_be_accepted() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(11);
    for _ in 0..60 {
        let program = compile(&random_ir::any(&mut random, 3), &vocabulary);
        let (path, masks) = walk(&mut program.matcher(), &mut random, 8);
        let mut draft = path.clone();
        // A draft that goes wrong somewhere, or not at all.
        let wrong = random.below(path.len() + 1);
        if let Some(token) = draft.get_mut(wrong) {
            *token = TokenId(random.below(vocabulary.width()) as u32);
        }
        let mut stepped = program.matcher();
        let right = draft.iter().take_while(|&&token| stepped.accept(token).is_ok()).count();
        let mut matcher = program.matcher();
        assert_eq!(matcher.validate(&draft), Ok(right));
        assert!(matcher.is_empty());
        let row = vocabulary.width().div_ceil(32);
        let mut rows = vec![7; (draft.len() + 2) * row];
        assert_eq!(matcher.fill_along(&draft, &mut rows, row), Ok(right + 1));
        assert!(matcher.is_empty());
        for (at, filled) in rows.chunks(row).enumerate().take(wrong.min(right) + 1) {
            assert_eq!(filled, words(&masks[at]), "row {at}");
        }
        assert!(rows[(right + 1) * row..].iter().all(|&word| word == 7));
        assert_eq!(matcher.fill_along(&draft, &mut rows[..row + 1], row), Ok(1));
        assert_eq!(matcher.accept_prefix(&draft), Ok(right));
        assert_eq!(matcher.len(), right);
        assert_eq!(matcher.mask(), stepped.mask());
        matcher.rollback(right).expect("there are as many");
        assert_eq!(words(matcher.mask().expect("within limits")), words(&masks[0]));
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(12);
    for _ in 0..40 {
        let program = compile(&random_ir::any(&mut random, 3), &vocabulary);
        let mut matcher = program.matcher();
        walk(&mut matcher, &mut random, 3);
        let before = (matcher.len(), matcher.mask().cloned(), matcher.is_accepting());
        for id in toy::ids(&vocabulary) {
            let allowed = matcher.allows(id).expect("within limits");
            assert_eq!(allowed, matcher.mask().expect("within limits").contains(id));
            if !allowed {
                assert_eq!(matcher.accept(id), Err(Rejected::Token(id)));
            }
        }
        // No text of characters holds these bytes.
        assert!(matches!(matcher.accept_bytes(b"\xFF\xFE"), Err(Rejected::Byte(0))));
        let after = (matcher.len(), matcher.mask().cloned(), matcher.is_accepting());
        assert_eq!(before, after);
    }
}

#[test]
fn stop_tokens_stand_where_the_policy_says() {
    let plain = toy::vocabulary();
    let id = |spelling: &str| plain.special_id(spelling).expect("it is special");
    let stops = [id("<|im_end|>"), id("<|x|>")];
    let vocabulary = plain.with_stop_tokens(&stops);
    // `a`, then it may end or go on; after `ab` nothing can follow.
    let ir = Ir::sequence([Ir::text("a"), Ir::optional(Ir::text("b"))]);
    for (policy, expected) in [
        (StopPolicy::WhereAccepting, [false, true, true]),
        (StopPolicy::WhereComplete, [false, false, true]),
        (StopPolicy::Caller, [false, false, false]),
    ] {
        let program = compile(&ir, &vocabulary.with_stop_policy(policy));
        let mut matcher = program.matcher();
        for (text, expected) in ["", "a", "b"].iter().zip(expected) {
            matcher.accept_bytes(text.as_bytes()).expect("it may come");
            assert_eq!(matcher.is_accepting(), !text.is_empty());
            for stop in stops {
                assert_eq!(matcher.mask().expect("within limits").contains(stop), expected);
                assert_eq!(matcher.allows(stop), Ok(expected), "{policy:?} {text}");
                assert_eq!(matcher.mask_by_trial(), matcher.mask().cloned());
                assert_eq!(matcher.validate(&[stop, stops[0]]), Ok(if expected { 2 } else { 0 }));
                if expected {
                    matcher.accept(stop).expect("the mask allows it");
                    assert!(matcher.is_stopped() && matcher.is_finished());
                    assert!(matcher.accept_bytes(b"b").is_err());
                    let after: Vec<TokenId> = matcher.mask().expect("known").iter().collect();
                    assert_eq!(after, stops);
                    matcher.rollback(1).expect("one was taken");
                    assert!(!matcher.is_stopped());
                }
            }
        }
    }
}

/// A stop token that the outline spells is part of the text, whatever the policy.
#[test]
fn a_spelled_stop_token_is_no_end_of_its_own() {
    let plain = toy::vocabulary();
    let stop = plain.special_id("<|im_end|>").expect("it is special");
    let ir = Ir::sequence([Ir::text("a<|im_end|>"), Ir::optional(Ir::text("b"))]);
    for policy in [StopPolicy::WhereAccepting, StopPolicy::WhereComplete, StopPolicy::Caller] {
        let vocabulary = plain.with_stop_tokens(&[stop]).with_stop_policy(policy);
        let mut matcher = compile(&ir, &vocabulary).matcher();
        matcher.accept_bytes(b"a").expect("it may come");
        assert_eq!(matcher.allows(stop), Ok(true));
        matcher.accept(stop).expect("it is spelled");
        assert!(!matcher.is_stopped());
        matcher.accept_bytes(b"b").expect("it goes on");
    }
}

#[test]
fn logits_are_masked_bit_for_bit() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(13);
    for _ in 0..20 {
        let mut matcher = compile(&random_ir::any(&mut random, 3), &vocabulary).matcher();
        for length in [0, 1, 31, 32, 33, vocabulary.width(), vocabulary.width() + 70] {
            let mut logits: Vec<f32> = (0..length).map(|at| at as f32).collect();
            matcher.apply(&mut logits).expect("within limits");
            for (at, &logit) in logits.iter().enumerate() {
                let allowed = matcher.allows(TokenId(at as u32)).expect("within limits");
                let expected = if allowed { at as f32 } else { f32::NEG_INFINITY };
                assert_eq!(logit, expected, "{at}");
            }
        }
    }
}

#[test]
fn a_batch_is_filled_as_one_by_one() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(14);
    let mut matchers: Vec<Matcher> = Vec::new();
    for _ in 0..10 {
        let program = compile(&random_ir::any(&mut random, 3), &vocabulary);
        for steps in 0..5 {
            let mut matcher = program.matcher();
            walk(&mut matcher, &mut random, steps);
            matchers.push(matcher);
        }
    }
    let row = vocabulary.width().div_ceil(32);
    for count in [0, 1, 7, matchers.len()] {
        let mut alone = vec![7; count * row];
        for (matcher, words) in matchers.iter_mut().zip(alone.chunks_mut(row)) {
            matcher.fill(words).expect("within limits");
        }
        let mut together = vec![9; count * row];
        let rows = matchers.iter_mut().zip(together.chunks_mut(row));
        let mut rows: Vec<Row<'_>> = rows.map(|(matcher, words)| Row { matcher, words }).collect();
        let filled = fill_batch(&mut rows);
        assert_eq!(filled, vec![Ok(()); count]);
        assert_eq!(alone, together);
    }
}

/// Sixteen threads that share a program, each in an order of its own, find what one thread finds.
#[test]
fn threads_share_a_program() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(15);
    for _ in 0..25 {
        let ir = random_ir::any(&mut random, 4);
        let alone = compile(&ir, &vocabulary);
        let walks: Vec<(Vec<TokenId>, Vec<TokenMask>)> =
            (0..12).map(|_| walk(&mut alone.matcher(), &mut random, 10)).collect();
        let shared = compile(&ir, &vocabulary);
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let (shared, walks) = (&shared, &walks);
                scope.spawn(move || {
                    for at in 0..walks.len() {
                        let (tokens, masks) = &walks[(at * 5 + thread) % walks.len()];
                        let mut matcher = shared.matcher();
                        for (token, mask) in tokens.iter().zip(masks) {
                            assert_eq!(matcher.mask().expect("within limits"), mask);
                            matcher.accept(*token).expect("the mask allows it");
                        }
                    }
                });
            }
        });
    }
}
