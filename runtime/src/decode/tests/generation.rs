//! Generation under a mask, by a model of random weights.

use super::*;

/// `<|im_start|>x\n`, one of some words, and a long forced end.
fn outline() -> Ir {
    Ir::sequence([
        Ir::text("<|im_start|>x\n"),
        Ir::choice(["abd", "abcé", "xyz", "x€"].map(Ir::text)),
        Ir::text(" and then the end<|im_end|>"),
    ])
}

#[test]
fn a_random_model_writes_what_the_outline_allows() {
    let folder = folder("outline");
    let checkpoint = load(&folder);
    let draw = Sampling { temperature: 2.0, top_k: None, top_p: Some(0.99), seed: 0 };
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let sampling = Sampling { seed, ..draw };
        let block = ForcedText::Block(checkpoint.tokenizer());
        let (generated, streamed) =
            run(&checkpoint, &outline(), "hi<|im_start|>x\n", sampling, block);
        assert_eq!((&streamed, generated.finish), (&generated.text, Finish::Stop));
        let word = generated.text.strip_suffix(" and then the end").unwrap().to_owned();
        assert!(["abd", "abcé", "xyz", "x€"].contains(&&*word), "{word}");
        assert_eq!(generated.tokens.last(), Some(&TokenId(259)));
        // The forced end costs no pass: there are as many passes as choices.
        assert_eq!(generated.passes + generated.forced, generated.tokens.len());
        assert!(generated.passes <= 3, "{generated:?}");
        assert_eq!(run(&checkpoint, &outline(), "hi<|im_start|>x\n", sampling, block).0, generated);
        seen.insert(word);
    }
    assert!(seen.len() > 1, "{seen:?}");
}

#[test]
fn forced_text_is_the_same_with_and_without_blocks() {
    let folder = folder("blocks");
    let checkpoint = load(&folder);
    let greedy = Sampling::greedy();
    let block = ForcedText::Block(checkpoint.tokenizer());
    for prompt in ["", "hi<|im_start|>", "hi<|im_start|>x\n", "<|im_start|>x"] {
        let (blocks, _) = run(&checkpoint, &outline(), prompt, greedy, block);
        let (steps, _) = run(&checkpoint, &outline(), prompt, greedy, ForcedText::Choose);
        assert_eq!(blocks.text, steps.text, "{prompt}");
        let header = "<|im_start|>x\n";
        let rest = header.strip_prefix(&prompt[prompt.find('<').unwrap_or(prompt.len())..]);
        assert!(blocks.text.starts_with(rest.unwrap()), "{prompt}: {}", blocks.text);
    }
}

#[test]
fn a_forced_end_is_left_open_where_a_longer_token_could_span_it() {
    let folder = folder("open");
    let checkpoint = load(&folder);
    let forced = |ir: Ir| {
        let mut matcher = matcher(&ir, &checkpoint);
        let taken = forced::accept_forced(&mut matcher, checkpoint.tokenizer(), 100).unwrap();
        let bytes = taken.iter().map(|&token| checkpoint.tokenizer().vocabulary().spelling(token));
        bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect::<Vec<_>>()
    };
    let either = |left: &str, right: &str| Ir::choice([left, right].map(Ir::text));
    // After `xa`, a `b` would make the token `ab`: `a` is not taken.
    assert_eq!(forced(Ir::sequence([Ir::text("xa"), either("b", "d")])), ["x"]);
    assert_eq!(forced(Ir::sequence([Ir::text("xa"), either("c", "d")])), ["x", "a"]);
    // A special token is an end in itself.
    assert_eq!(forced(Ir::text("xab<|im_end|>")), ["x", "ab", "<|im_end|>"]);
    // Two characters that share their first byte: that byte alone is no text.
    assert_eq!(forced(Ir::sequence([Ir::text("x"), either("é", "è")])), ["x"]);
    // Text that spells a special token is left to the mask.
    assert_eq!(forced(Ir::sequence([Ir::text("x"), either("y", "z")])), ["x"]);
}

#[test]
fn generation_ends_for_the_right_reason() {
    let folder = folder("ends");
    let checkpoint = load(&folder);
    let options = |tokens_max| GenerateOptions {
        sampling: Sampling::greedy(),
        tokens_max,
        forced: ForcedText::Block(checkpoint.tokenizer()),
        on_budget: OnBudget::BreakOff,
    };
    let start = |ir: &Ir, prompt: usize, tokens_max, calls: usize| {
        let mut left = calls;
        let mut session = checkpoint.session();
        let prompt = vec![TokenId(9); prompt];
        let result = generate(
            &mut session,
            &mut matcher(ir, &checkpoint),
            &prompt,
            options(tokens_max),
            &mut |_| {
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        result.map(|generated| (generated.finish, generated.text))
    };
    let text = Ir::text("hello");
    assert_eq!(start(&text, 1, 60, 99).unwrap(), (Finish::Complete, "hello".to_owned()));
    assert_eq!(start(&text, 1, 2, 99).unwrap(), (Finish::TokensMax, "he".to_owned()));
    assert_eq!(start(&text, 1, 0, 99).unwrap(), (Finish::TokensMax, String::new()));
    assert_eq!(start(&text, 1, 60, 3).unwrap(), (Finish::Cancelled, "hel".to_owned()));
    assert_eq!(start(&text, 598, 60, 99).unwrap(), (Finish::ContextFull, "he".to_owned()));
    let error = start(&text, 601, 60, 99).unwrap_err();
    assert!(matches!(error, DecodeError::Model(ModelError::ContextFull { length: 601, .. })));
    let many = Ir::repeat(Ir::choice(["a", "b"].map(Ir::text)), 0, None, None);
    let (finish, text) = start(&many, 1, 20, 99).unwrap();
    assert!(finish == Finish::TokensMax || finish == Finish::Stop, "{finish:?}");
    assert!(text.chars().all(|c| "ab".contains(c)), "{text}");
}

#[test]
fn a_header_is_skipped_as_far_as_the_prompt_has_it() {
    let folder = folder("header");
    let checkpoint = load(&folder);
    for (prompt, expected) in [
        ("", 0),
        ("hi", 0),
        ("hi<|im_start|>", 1),
        ("hi<|im_start|>x", 2),
        ("hi<|im_start|>x\n", 3),
        ("<|im_start|>x\n<|im_start|>", 1),
        ("<|im_start|>y\n", 0),
        ("x\n", 0),
    ] {
        let mut matcher = matcher(&outline(), &checkpoint);
        let vocabulary = checkpoint.tokenizer().vocabulary();
        let prompt_tokens = tokens(&checkpoint, prompt);
        let skipped = skip_header(&mut matcher, vocabulary, &prompt_tokens).unwrap();
        assert_eq!(skipped, expected, "{prompt}");
        assert_eq!(matcher.mask().unwrap().contains(TokenId(258)), expected == 0, "{prompt}");
    }
    // The same spelling in bytes is no special token.
    let mut spelled = matcher(&outline(), &checkpoint);
    let bytes: Vec<TokenId> = "<|im_start|>x\n".bytes().map(|b| TokenId(u32::from(b))).collect();
    let vocabulary = checkpoint.tokenizer().vocabulary();
    assert_eq!(skip_header(&mut spelled, vocabulary, &bytes).unwrap(), 0);
    // What begins with no special token is no header, even if the prompt ends with its beginning.
    let mut text = matcher(&Ir::text("hello"), &checkpoint);
    assert_eq!(skip_header(&mut text, vocabulary, &tokens(&checkpoint, "say he")).unwrap(), 0);
}

#[test]
fn a_text_that_fits_its_budget_is_always_complete() {
    let folder = folder("completes");
    let checkpoint = load(&folder);
    let digits = Ir::repeat(Ir::regex("[a-d]{1,9}").unwrap(), 2, None, Some(Ir::text(", ")));
    let schema = json!({ "type": "object", "properties": { "abc": { "type": "string" },
        "ab": { "type": "array", "items": { "type": "integer" } } }, "required": ["abc"] });
    let languages = [
        Ir::sequence([Ir::text("["), digits, Ir::text("]")]),
        Ir::schema(std::sync::Arc::new(schema), blueprints_compiler::SchemaOptions::default())
            .unwrap(),
        Ir::sequence([Ir::anything(["abab".into()]).unwrap(), Ir::text("abab<|im_end|>")]),
    ];
    let mut completing = 0;
    for ir in &languages {
        let least = matcher(ir, &checkpoint).shortest_end().unwrap().tokens.len();
        for (room, temperature) in (least..least + 12).flat_map(|room| [(room, 0.0), (room, 1.5)]) {
            let mut matcher = matcher(ir, &checkpoint);
            let options = GenerateOptions {
                sampling: Sampling { temperature, top_k: None, top_p: None, seed: room as u64 },
                tokens_max: room,
                forced: ForcedText::Block(checkpoint.tokenizer()),
                on_budget: OnBudget::Complete,
            };
            let session = &mut checkpoint.session();
            let hear = &mut |_: Event<'_>| ControlFlow::Continue(());
            let done = generate(session, &mut matcher, &[TokenId(9)], options, hear).unwrap();
            assert!(matcher.is_accepting(), "{ir} in {room}: {}", done.text);
            assert!(done.tokens.len() <= room, "{ir} in {room}: {}", done.text);
            completing += done.completing;
        }
        // Too few from the start: nothing is asked of it.
        let options = GenerateOptions {
            sampling: Sampling::greedy(),
            tokens_max: least - 1,
            forced: ForcedText::Choose,
            on_budget: OnBudget::Complete,
        };
        let mut matcher = matcher(ir, &checkpoint);
        let hear = &mut |_: Event<'_>| ControlFlow::Continue(());
        let session = &mut checkpoint.session();
        let done = generate(session, &mut matcher, &[TokenId(9)], options, hear).unwrap();
        assert_eq!((done.finish, done.completing), (Finish::TokensMax, 0));
    }
    assert!(completing > 0, "no text had to be completed");
}
