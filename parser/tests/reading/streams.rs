//! Texts that come in pieces: the same events however they are cut, and none that is taken back.

use blueprints_compiler::Ir;
use blueprints_parser::{Event, ParseOptions, Parser};

use crate::random::{self, Random};

/// Events with neighbouring texts joined, so that cuts make no difference.
fn joined(events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    for event in events {
        match (all.last_mut(), &event) {
            (Some(Event::Text(last)), Event::Text(more)) => last.push_str(more),
            (Some(Event::Outside(last)), Event::Outside(more)) => last.push_str(more),
            _ => all.push(event),
        }
    }
    all
}

/// Whether `events` begin as `begun` does.
fn begins(events: &[Event], begun: &[Event]) -> bool {
    let Some((last, before)) = begun.split_last() else { return true };
    let Some((events, rest)) = events.split_at_checked(before.len()) else { return false };
    events == before
        && match (last, rest.first()) {
            (Event::Text(begun), Some(Event::Text(whole)))
            | (Event::Outside(begun), Some(Event::Outside(whole))) => whole.starts_with(begun),
            (last, first) => first == Some(last),
        }
}

/// The events of `text` in pieces of random lengths.
fn streamed(parser: &mut Parser, text: &str, random: &mut Random) -> Option<Vec<Event>> {
    parser.restart().expect("it begins anew");
    let mut events = Vec::new();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let (piece, more) = rest.split_at((1 + random.below(4)).min(rest.len()));
        events.extend(parser.push_bytes(piece).ok()?);
        rest = more;
    }
    let (last, parsed) = parser.finish().ok()?;
    events.extend(last);
    let again = parser.parse(text).expect("what was streamed is read");
    assert_eq!(parsed, again, "{text:?}");
    Some(joined(events))
}

fn check(ir: &Ir, texts: &[String], random: &mut Random) -> usize {
    let mut parser = Parser::new(ir, ParseOptions::default()).expect("it can be built");
    let fitting: Vec<&String> = texts.iter().filter(|text| parser.parse(text).is_ok()).collect();
    for text in &fitting {
        let events = streamed(&mut parser, text, random).expect("it fits");
        assert_eq!(Some(&events), streamed(&mut parser, text, random).as_ref(), "{ir}\n{text:?}");
        let told: String = events
            .iter()
            .filter_map(|event| match event {
                Event::Text(text) | Event::Outside(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(told, **text, "{ir}");
        // What is told of a beginning holds for every text that begins so.
        for end in 0..text.len() {
            let begun = &text[..end];
            parser.restart().expect("it begins anew");
            let events = joined(parser.push(begun).expect("a beginning of what fits"));
            for whole in fitting.iter().filter(|whole| whole.starts_with(begun)).take(20) {
                let all = streamed(&mut parser, whole, random).expect("it fits");
                assert!(begins(&all, &events), "{ir}\n{begun:?} {whole:?}\n{events:?}\n{all:?}");
            }
        }
    }
    fitting.len()
}

#[test]
fn events_do_not_depend_on_cuts_and_are_never_taken_back() {
    let mut random = Random(11);
    let mut fitting = 0;
    for _ in 0..150 {
        let ir = random::outline(&mut random);
        if ir.is_never() {
            continue;
        }
        let all = random::texts(4);
        let some: Vec<String> = all.into_iter().filter(|_| random.below(3) == 0).collect();
        fitting += check(&ir, &some, &mut random);
    }
    assert!(fitting > 500, "{fitting}");
}

/// Characters of several bytes, cut anywhere.
#[test]
fn characters_may_be_cut() {
    let ir = Ir::sequence([
        Ir::capture("x", Default::default(), Ir::anything(["é".into()]).expect("built")),
        Ir::text("é"),
    ]);
    let mut parser = Parser::new(&ir, ParseOptions::default()).expect("it can be built");
    let mut random = Random(3);
    for text in ["aé", "😀😀é", "àé", "é"] {
        let first = streamed(&mut parser, text, &mut random);
        assert!(first.is_some(), "{text}");
        for _ in 0..10 {
            assert_eq!(streamed(&mut parser, text, &mut random), first);
        }
    }
    parser.restart().expect("it begins anew");
    assert!(parser.push_bytes(b"\xff").is_err());
    assert!(parser.push("a").is_err(), "it stays failed");
}
