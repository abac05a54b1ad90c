//! Compares masks with those made by trying every token, along the instances of schemas.

use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_runtime::{Limits, Matcher, Program, TokenId, Vocabulary};

use crate::Shared;
use crate::cases::{self, Case, Choice, Test};
use crate::engine::Fault;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    shared: Shared,
    #[command(flatten)]
    choice: Choice,
    /// Compares at about one step of so many.
    #[arg(long, default_value_t = 8)]
    every: u64,
    /// Compares at most at so many steps of a text.
    #[arg(long, default_value_t = 12)]
    most: usize,
}

/// Compares, and prints each place where the two differ.
pub(crate) fn check(arguments: &Arguments) -> Result<(), Fault> {
    let tokenizer = cases::tokenizer(&arguments.shared.tokenizer)?;
    let cases = cases::read(&arguments.choice, &tokenizer)?;
    let options = arguments.shared.schema_options()?;
    let (mut compared, mut wrong) = (0_usize, 0_usize);
    for case in &cases {
        let schema = Arc::new(serde_json::from_str(&case.schema)?);
        let vocabulary = tokenizer.vocabulary();
        let program = Ir::schema(schema, options.clone())
            .ok()
            .and_then(|ir| Program::compile_ir(&ir, vocabulary, Limits::default()).ok());
        let Some(program) = program else { continue };
        // One program for all texts: what one has made known is met by the next.
        for (at, test) in case.tests.iter().enumerate() {
            let places = differences(arguments, &mut program.matcher(), test, &mut compared)?;
            for (step, difference) in places {
                wrong += 1;
                println!("{} {at} {step}: {}", case.id, shown(vocabulary, &difference, case));
            }
        }
    }
    println!("{compared} masks of {} schemas compared, {wrong} differ", cases.len());
    if wrong > 0 { Err("masks differ".into()) } else { Ok(()) }
}

/// At which steps of `test` the two differ, and in which tokens.
fn differences(
    arguments: &Arguments,
    matcher: &mut Matcher,
    test: &Test,
    compared: &mut usize,
) -> Result<Vec<(usize, Vec<TokenId>)>, Fault> {
    let mut found = Vec::new();
    let (mut left, mut random) = (arguments.most, test.tokens.len() as u64);
    for step in 0..=test.tokens.len() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        if left > 0 && (random >> 33).is_multiple_of(arguments.every.max(1)) {
            left -= 1;
            *compared += 1;
            let tried = matcher.mask_by_trial()?;
            let mask = matcher.mask()?;
            if *mask != tried {
                let all = (0..mask.width() as u32).map(TokenId);
                let differs = |id: &TokenId| mask.contains(*id) != tried.contains(*id);
                found.push((step, all.filter(differs).collect()));
            }
        }
        let next = test.tokens.get(step);
        if next.is_none_or(|&token| matcher.accept(TokenId(token)).is_err()) {
            break;
        }
    }
    Ok(found)
}

fn shown(vocabulary: &Vocabulary, tokens: &[TokenId], case: &Case) -> String {
    let texts = tokens.iter().take(5).map(|&id| String::from_utf8_lossy(vocabulary.bytes(id)));
    let texts: Vec<_> = texts.collect();
    format!("{} tokens, such as {texts:?}, under {}", tokens.len(), case.schema)
}
