//! Random schemas against the crate `jsonschema`: whatever it says of an instance, we say.
//!
//! Keywords are drawn from all of the standard, values and keys from a few, so that schemas and
//! instances meet often. One schema in three is of an older draft. `BLUEPRINTS_SCHEMAS` asks for
//! more of them.

use std::sync::Arc;

use blueprints::{Ir, Limits, Order, Recogniser, SchemaFault, SchemaOptions, Verdict};
use serde_json::{Map, Value, json};

/// A generator of numbers, the same on every machine (xorshift, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.roll(list.len())].clone()
    }
}

const KEYS: [&str; 5] = ["a", "b", "ab", "c", "x\""];

fn scalar(dice: &mut Dice) -> Value {
    let texts = ["", "a", "b", "ab", "ba", "aab", "é", "\n"];
    match dice.roll(8) {
        0 => Value::Null,
        1 => Value::Bool(dice.one_in(2)),
        2..=4 => dice.pick(&[json!(0), json!(1), json!(2), json!(3), json!(-1), json!(1.5)]),
        _ => json!(dice.pick(&texts)),
    }
}

fn instance(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 4 } else { 10 }) {
        0..=3 => scalar(dice),
        4..=6 => (0..dice.roll(4)).map(|_| instance(dice, depth - 1)).collect(),
        _ => {
            let members =
                (0..dice.roll(4)).map(|_| (dice.pick(&KEYS).to_owned(), instance(dice, depth - 1)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

fn schemas(dice: &mut Dice, depth: usize) -> Value {
    (0..=dice.roll(3)).map(|_| schema(dice, depth)).collect()
}

fn keyed(dice: &mut Dice, keys: &[&str], depth: usize) -> Value {
    let members = (0..=dice.roll(3)).map(|_| (dice.pick(keys).to_owned(), schema(dice, depth)));
    Value::Object(members.collect::<Map<_, _>>())
}

fn names(dice: &mut Dice) -> Value {
    let mut names: Vec<&str> = (0..=dice.roll(2)).map(|_| dice.pick(&KEYS)).collect();
    names.sort_unstable();
    names.dedup();
    json!(names)
}

fn keyword(dice: &mut Dice, depth: usize) -> (&'static str, Value) {
    let patterns = ["a", "^a", "b$", "^[ab]*$", "^.$", "a.b|b"];
    let types = ["null", "boolean", "string", "integer", "number", "array", "object"];
    let below = depth.saturating_sub(1);
    let sides = if depth == 0 { 16 } else { 38 };
    match dice.roll(sides) {
        0..=2 => ("type", json!(dice.pick(&types))),
        3 => ("type", json!(["string", dice.pick(&["null", "array", "object", "integer"])])),
        4 => ("enum", (0..=dice.roll(3)).map(|_| instance(dice, 1)).collect()),
        5 => ("const", instance(dice, 1)),
        6 => ("minimum", dice.pick(&[json!(0), json!(1), json!(1.5)])),
        7 => ("exclusiveMaximum", dice.pick(&[json!(1), json!(2), json!(3)])),
        8 => ("multipleOf", dice.pick(&[json!(1), json!(2), json!(0.5)])),
        9 => ("minLength", json!(dice.roll(3))),
        10 => ("maxLength", json!(dice.roll(3))),
        11 => ("pattern", json!(dice.pick(&patterns))),
        12 => ("minItems", json!(dice.roll(3))),
        13 => ("maxItems", json!(dice.roll(3))),
        14 => ("required", names(dice)),
        15 => dice.pick(&[
            ("minProperties", json!(1)),
            ("maxProperties", json!(1)),
            ("maxProperties", json!(2)),
        ]),
        16..=19 => ("properties", keyed(dice, &KEYS, below)),
        20 => ("patternProperties", keyed(dice, &patterns, below)),
        21 => ("additionalProperties", schema(dice, below)),
        22 => ("propertyNames", schema(dice, below)),
        23 => ("dependentRequired", json!({ dice.pick(&KEYS): names(dice) })),
        24 => ("dependentSchemas", keyed(dice, &KEYS, below)),
        25 => ("items", schema(dice, below)),
        26 => ("prefixItems", schemas(dice, below)),
        27 => ("contains", schema(dice, below)),
        28 => ("allOf", schemas(dice, below)),
        29 => ("anyOf", schemas(dice, below)),
        30 => ("oneOf", schemas(dice, below)),
        31 | 32 => ("not", schema(dice, below)),
        33 => ("if", schema(dice, below)),
        34 => ("then", schema(dice, below)),
        35 => ("unevaluatedProperties", schema(dice, below)),
        36 => ("unevaluatedItems", schema(dice, below)),
        _ => dice.pick(&[
            ("$ref", json!("#")),
            ("$ref", json!("#/$defs/d")),
            ("maxContains", json!(1)),
        ]),
    }
}

fn schema(dice: &mut Dice, depth: usize) -> Value {
    if dice.one_in(8) {
        return Value::Bool(!dice.one_in(3));
    }
    Value::Object(
        (0..dice.roll(4)).map(|_| keyword(dice, depth)).map(|(k, v)| (k.into(), v)).collect(),
    )
}

/// The drafts, by their `$schema`, with the year of the older ones.
const DRAFTS: [(&str, u32); 5] = [
    ("https://json-schema.org/draft/2020-12/schema", 2020),
    ("https://json-schema.org/draft/2019-09/schema", 2019),
    ("http://json-schema.org/draft-07/schema#", 2018),
    ("http://json-schema.org/draft-06/schema#", 2017),
    ("http://json-schema.org/draft-04/schema#", 2013),
];

/// `schema` with the keywords of `year` for those that have another name since.
fn renamed(schema: &Value, year: u32) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(|item| renamed(item, year)).collect(),
        Value::Object(members) => {
            let listed = members.contains_key("prefixItems");
            let name = |key: &str| match key {
                "prefixItems" if year < 2020 => "items".to_owned(),
                "items" if year < 2020 && listed => "additionalItems".to_owned(),
                "dependentRequired" | "dependentSchemas" if year < 2019 => "dependencies".into(),
                _ => key.to_owned(),
            };
            let members = members.iter().map(|(key, value)| (name(key), renamed(value, year)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// An instance like `value`: often one small change away.
fn near(dice: &mut Dice, value: &Value) -> Value {
    let mut value = value.clone();
    match &mut value {
        Value::Array(items) if !items.is_empty() => {
            let at = dice.roll(items.len());
            match dice.roll(3) {
                0 => drop(items.remove(at)),
                1 => items.push(instance(dice, 1)),
                _ => items[at] = near(dice, &items[at].clone()),
            }
        }
        Value::Object(members) if !members.is_empty() => {
            let at = dice.roll(members.len());
            let key = members.keys().nth(at).cloned().unwrap_or_default();
            match dice.roll(3) {
                0 => drop(members.shift_remove(&key)),
                1 => drop(members.insert(dice.pick(&KEYS).into(), instance(dice, 1))),
                _ => {
                    let inner = near(dice, &members[&key].clone());
                    members.insert(key, inner);
                }
            }
        }
        _ => value = instance(dice, 2),
    }
    value
}

#[derive(Default)]
struct Tally {
    compiled: usize,
    refused: usize,
    empty: usize,
    valid: usize,
    invalid: usize,
}

fn run(seed: u64, tally: &mut Tally) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut source = schema(&mut dice, 3);
    let (draft, year) = match dice.one_in(3) {
        true => dice.pick(&DRAFTS),
        false => DRAFTS[0],
    };
    source = renamed(&source, year);
    if let Value::Object(members) = &mut source {
        members.insert("$schema".into(), json!(draft));
        members.insert("$defs".into(), json!({ "d": renamed(&schema(&mut dice, 1), year) }));
    }
    // Schemas that go round in a circle mean nothing, and the oracle says so too late.
    let options = SchemaOptions { order: Order::Any, ..SchemaOptions::default() };
    let compiled = Ir::schema(Arc::new(source.clone()), options);
    let mut recogniser = match compiled {
        Ok(ir) => match Recogniser::new(&ir, Limits::default()) {
            Ok(recogniser) => Some(recogniser),
            Err(error) => panic!("seed {seed}: {source}: {error}"),
        },
        Err(error) if error.code == SchemaFault::Unsatisfiable => {
            tally.empty += 1;
            None
        }
        Err(error) => {
            assert_ne!(error.message, "", "seed {seed}");
            tally.refused += 1;
            return;
        }
    };
    tally.compiled += 1;
    // In 2019-09 `contains` evaluates nothing (Core, 9.3.1.3); the oracle goes by 2020-12 there.
    let text = source.to_string();
    if year == 2019 && text.contains("\"contains\"") && text.contains("\"unevaluatedItems\"") {
        return;
    }
    let oracle = match jsonschema::validator_for(&source) {
        Ok(oracle) => oracle,
        // Draft 4 has no schemas that are truth values; that we take them is no fault.
        Err(_) if year == 2013 => return,
        Err(error) => panic!("seed {seed}: {source}: {error}"),
    };
    let mut last = instance(&mut dice, 3);
    for _ in 0..30 {
        let value = if dice.one_in(3) { instance(&mut dice, 3) } else { near(&mut dice, &last) };
        let valid = oracle.is_valid(&value);
        let text = value.to_string();
        let ours = recogniser.as_mut().is_some_and(|recogniser| {
            let verdict = recogniser.check(&text);
            let verdict =
                verdict.unwrap_or_else(|error| panic!("seed {seed}: {source} on {text}: {error}"));
            verdict == Verdict::Matches
        });
        assert_eq!(ours, valid, "seed {seed}: {text} under {source}");
        if valid {
            tally.valid += 1;
        } else {
            tally.invalid += 1;
        }
        last = value;
    }
}

#[test]
fn random_schemas_mean_what_the_oracle_says() {
    let count = std::env::var("BLUEPRINTS_SCHEMAS").ok().and_then(|n| n.parse().ok());
    let first = std::env::var("BLUEPRINTS_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut tally = Tally::default();
    for seed in first..first + count.unwrap_or(400) {
        run(seed, &mut tally);
    }
    let Tally { compiled, refused, empty, valid, invalid } = tally;
    println!("{compiled} compiled ({empty} without values), {refused} refused");
    println!("{valid} valid and {invalid} invalid instances");
    assert!(valid > 0 && invalid > 0, "both kinds of instances are met");
}
