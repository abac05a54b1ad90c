//! Micro-benchmarks of the inner loops: a byte's step, a mask that is known, its copy, and what is
//! done with logits. `cargo bench -p blueprints-bench`; a vocabulary of 60,000 made-up tokens
//! stands for a real one.

use std::hint::black_box;

use blueprints_compiler::Ir;
use blueprints_runtime::{Limits, Matcher, Program, Row, Token, TokenId, Vocabulary, fill_batch};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Every byte, then letters in all pairs, triples and some longer runs.
fn vocabulary() -> Vocabulary {
    let mut tokens: Vec<Token> = (0..=u8::MAX).map(|byte| Token::Bytes([byte].into())).collect();
    let letters = b"abcdefghijklmnopqrstuvwxyz .,\"0123456789";
    for &one in letters {
        for &two in letters {
            tokens.push(Token::Bytes([one, two].into()));
            for &three in &letters[..36] {
                tokens.push(Token::Bytes([one, two, three].into()));
            }
        }
    }
    let vocabulary = Vocabulary::new(tokens).expect("there are tokens");
    vocabulary.prepare();
    vocabulary
}

/// A matcher whose states and masks along `text` are all known, and its tokens: three bytes each.
fn known(pattern: &str, text: &str) -> (Matcher, Vec<TokenId>) {
    let vocabulary = vocabulary();
    let ir = Ir::regex(pattern).expect("a pattern");
    let program = Program::compile_ir(&ir, &vocabulary, Limits::default()).expect("compiles");
    let ids: Vec<TokenId> = (0..vocabulary.width() as u32).map(TokenId).collect();
    let tokens = text.as_bytes().chunks(3).map(|bytes| {
        let found = ids.iter().find(|&&id| vocabulary.bytes(id) == bytes);
        *found.expect("there is such a token")
    });
    let tokens: Vec<TokenId> = tokens.collect();
    let mut matcher = program.matcher();
    for &token in &tokens {
        matcher.mask().expect("within limits");
        matcher.accept(token).expect("the text is right");
    }
    matcher.mask().expect("within limits");
    matcher.reset();
    (matcher, tokens)
}

const WORDS: &str = "[a-z]+( [a-z]+)*";
const TEXT: &str = "the quick brown fox jumps over the lazy dog and so on to the end";

#[divan::bench]
fn accept(bencher: Bencher<'_, '_>) {
    let (mut matcher, tokens) = known(WORDS, TEXT);
    bencher.counter(ItemsCount::new(tokens.len())).bench_local(|| {
        matcher.reset();
        for &token in &tokens {
            matcher.accept(black_box(token)).expect("the text is right");
        }
    });
}

#[divan::bench]
fn mask_and_accept(bencher: Bencher<'_, '_>) {
    let (mut matcher, tokens) = known(WORDS, TEXT);
    bencher.counter(ItemsCount::new(tokens.len())).bench_local(|| {
        matcher.reset();
        for &token in &tokens {
            black_box(matcher.mask().expect("within limits"));
            matcher.accept(black_box(token)).expect("the text is right");
        }
    });
}

#[divan::bench]
fn validate(bencher: Bencher<'_, '_>) {
    let (matcher, tokens) = known(WORDS, TEXT);
    bencher
        .counter(ItemsCount::new(tokens.len()))
        .bench_local(|| matcher.validate(black_box(&tokens)));
}

#[divan::bench]
fn fill(bencher: Bencher<'_, '_>) {
    let (mut matcher, _) = known(WORDS, TEXT);
    let mut words = vec![0; matcher.program().vocabulary().width().div_ceil(32)];
    bencher.bench_local(|| matcher.fill(black_box(&mut words)));
}

#[divan::bench(args = [8, 64, 512])]
fn fill_rows(bencher: Bencher<'_, '_>, rows: usize) {
    let (matcher, _) = known(WORDS, TEXT);
    let width = matcher.program().vocabulary().width().div_ceil(32);
    let mut matchers = vec![matcher; rows];
    let mut words = vec![0; rows * width];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        let rows = matchers.iter_mut().zip(words.chunks_mut(width));
        let mut rows: Vec<Row<'_>> = rows.map(|(matcher, words)| Row { matcher, words }).collect();
        fill_batch(&mut rows)
    });
}

#[divan::bench]
fn apply(bencher: Bencher<'_, '_>) {
    let (mut matcher, _) = known(WORDS, TEXT);
    let mut logits = vec![0.0; matcher.program().vocabulary().width()];
    bencher.bench_local(|| matcher.apply(black_box(&mut logits)));
}

#[divan::bench]
fn compile_and_first_mask(bencher: Bencher<'_, '_>) {
    let vocabulary = vocabulary();
    let ir = Ir::regex(WORDS).expect("a pattern");
    bencher.bench_local(|| {
        let program = Program::compile_ir(&ir, &vocabulary, Limits::default()).expect("compiles");
        program.matcher().mask().expect("within limits").width()
    });
}
