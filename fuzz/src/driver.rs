//! Runs a target on changed inputs for some time, without coverage and without a nightly
//! toolchain: `fuzz-driver TARGET SECONDS [SEED [FROM]]`.
//!
//! Each input follows from the seed and its number alone, so a failure is run again by these two.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use blueprints_fuzz::{Corpus, TARGETS, corpus};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let found = TARGETS.iter().find(|(name, _)| arguments.first().is_some_and(|own| own == name));
    let (Some((name, target)), Some(seconds)) = (found, number(1)) else {
        eprintln!("fuzz-driver TARGET SECONDS [SEED [FROM]], with a TARGET of:");
        TARGETS.iter().for_each(|(name, _)| eprintln!("  {name}"));
        return ExitCode::from(2);
    };
    let (seed, from) = (number(2).unwrap_or(1), number(3).unwrap_or(0));
    let corpus = corpus(name);
    let until = Instant::now() + Duration::from_secs(seconds);
    let (mut at, mut taken, mut slowest) = (from, 0, (Duration::ZERO, 0));
    println!("{name}, seed {seed}, from {from}; on a failure the last number shown is near");
    while Instant::now() < until {
        let input = input(corpus, seed, at);
        note(name, seed, at, &input);
        let begin = Instant::now();
        taken += u64::from(target(&input));
        let took = begin.elapsed();
        if took > slowest.0 {
            slowest = (took, at);
            if took > Duration::from_secs(1) {
                println!("input {at} took {took:?}: {}", String::from_utf8_lossy(&input));
            }
        }
        at += 1;
        if at % 10_000 == 0 {
            println!("{at}");
        }
    }
    let (took, slow) = slowest;
    println!(
        "{name}: {} executions in {seconds} s, of which {taken} were taken; none failed; input {slow} \
         took {took:?}",
        at - from
    );
    ExitCode::SUCCESS
}

/// Makes a panic say which input it was.
fn note(name: &'static str, seed: u64, at: u64, input: &[u8]) {
    let shown = String::from_utf8_lossy(input).into_owned();
    std::panic::set_hook(Box::new(move |panic| {
        eprintln!("{panic}\nfuzz-driver {name} 1 {seed} {at}\ninput: {shown:?}");
    }));
}

/// The input of this number.
fn input(corpus: Corpus, seed: u64, at: u64) -> Vec<u8> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ at);
    let mut bytes = random.pick(corpus.seeds).as_bytes().to_vec();
    for _ in 0..random.below(6) {
        change(&mut bytes, corpus, &mut random);
    }
    // What decides the walk.
    bytes.push(0);
    bytes.extend((0..random.below(40)).map(|_| random.below(256) as u8));
    bytes
}

fn change(bytes: &mut Vec<u8>, corpus: Corpus, random: &mut Random) {
    let place = random.below(bytes.len() + 1);
    let run = place..(place + random.below(12)).min(bytes.len());
    match random.below(8) {
        0..=2 => {
            let piece = random.pick(corpus.pieces);
            bytes.splice(place..place, piece.bytes());
        }
        3 => {
            let piece = random.pick(corpus.pieces);
            bytes.splice(run, piece.bytes());
        }
        4 => {
            bytes.drain(run);
        }
        5 => {
            let copied = bytes[run].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copied);
        }
        6 => {
            let other = random.pick(corpus.seeds).as_bytes();
            let cut = random.below(other.len() + 1);
            bytes.splice(place.., other[cut..].iter().copied());
        }
        _ => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = random.below(256) as u8;
            }
        }
    }
}

/// Repeatable random numbers (Steele and others, splitmix64, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, from: &'a [&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}
