//! What a model of each family writes, its blueprint reads back.

use std::collections::BTreeMap;

use blueprints::{Catalog, MatchText, Outline, ParseText};
use serde_json::{Map, Value, json};

use super::catalog_render::{Format, Turn, formats, random};
use super::shared;
use super::toy::Random;

/// The formats write the cases of the families byte for byte, so that they can judge.
#[test]
fn formats_write_the_cases() {
    let Some(path) = shared::path("data/toolcalls/cases.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let formats: BTreeMap<&str, Format> =
        formats().into_iter().map(|format| (format.name, format)).collect();
    assert_eq!(formats.len(), 81);
    let (mut faults, mut seen) = (Vec::new(), 0);
    for case in &cases {
        let format = &formats[case["blueprint"].as_str().unwrap()];
        if let Some(turn) = turn_of(case, format) {
            seen += 1;
            let output = case["output"].as_str().unwrap();
            let written = format.write(&turn, &mut Random(1));
            if without_ids(&written) != without_ids(output) {
                faults.push(format!("{} {}\n{output}\n{written}", case["id"], format.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} of {seen}\n{}", faults.len(), faults.join("\n\n"));
    assert!(seen > 200, "{seen}");
}

/// The turn of a case that says nothing but calls, or calls after a text that is known.
fn turn_of(case: &Value, format: &Format) -> Option<Turn> {
    let scenarios =
        ["one_call", "no_args", "parallel", "parallel_same", "unicode_escapes", "nested"];
    let known = scenarios.contains(&case["scenario"].as_str()?);
    if !known || case["valid"] != true || case["lenient"] == true {
        return None;
    }
    let calls = case["calls"].as_array()?.iter();
    let calls: Vec<(String, Map<String, Value>)> = calls
        .map(|call| {
            let name = call["name"].as_str().unwrap().to_owned();
            (name, call["arguments"].as_object().unwrap().clone())
        })
        .collect();
    let on = case["settings"]["reasoning"] == "on";
    let thought = (on && format.thought.is_some()).then(String::new);
    Some(Turn { thought, content: None, calls })
}

/// `text` with each run of nine or more letters and digits that hold a digit as `#`: ids are made up.
fn without_ids(text: &str) -> String {
    let mut spelled = String::new();
    let mut word = String::new();
    for char in text.chars().chain(['\0']) {
        if char.is_ascii_alphanumeric() {
            word.push(char);
            continue;
        }
        let id = word.len() >= 9 && word.chars().any(|char| char.is_ascii_digit());
        spelled += if id { "#" } else { &word };
        word.clear();
        spelled.push(char);
    }
    spelled
}

/// A random turn of each family is read back to what it says, whole and in pieces, and one with a
/// name that is no tool's is refused.
#[test]
fn blueprints_read_what_models_write() {
    let turns = shared::number("BLUEPRINTS_TURNS").unwrap_or(6);
    let mut faults = Vec::new();
    for format in formats() {
        let mut random = Random(7);
        for _ in 0..turns {
            if let Err(fault) = check(&format, &mut random) {
                faults.push(format!("{}: {fault}", format.name));
                break;
            }
        }
    }
    assert!(faults.is_empty(), "{} formats\n{}", faults.len(), faults.join("\n\n"));
}

fn check(format: &Format, random: &mut Random) -> Result<(), String> {
    let tools = random::tools(random, format);
    let thinks = format.thought.is_some() && random.below(2) == 0;
    let mut turn = random::turn(random, format, &tools, thinks);
    let required = !turn.calls.is_empty() && turn.content.is_none() && random.below(2) == 0;
    let context = json!({
        "tools": tools,
        "tool_choice": if required { "required" } else { "auto" },
        "reasoning": if thinks { "on" } else { "off" },
    });
    let text = format.write(&turn, random);
    let blueprint = Catalog::builtin().get(format.name).map_err(|fault| fault.to_string())?;
    let outline = blueprint.outline(&context).map_err(|fault| format!("{context}\n{fault}"))?;
    let at = |what: &str| format!("{what}\n{context}\n{text:?}\n{text}");
    if !outline.is_match(&text).map_err(|fault| fault.to_string())? {
        return Err(at("does not fit"));
    }
    let read = outline.parse(&text).map_err(|fault| at(&fault.to_string()))?;
    let read = read.calls().map_err(|fault| at(&fault.to_string()))?.to_value();
    compare(&turn, &read).map_err(|fault| at(&fault))?;
    let pieces = in_pieces(&outline, &text, random).map_err(|fault| at(&fault))?;
    if pieces != read {
        return Err(at(&format!("in pieces {pieces}, whole {read}")));
    }
    if required {
        turn.calls[0].0 += "_x";
        let text = format.write(&turn, random);
        if outline.is_match(&text).map_err(|fault| fault.to_string())? {
            return Err(at("a call of a tool that is not there fits"));
        }
    }
    Ok(())
}

/// What is read is what the turn says. Blanks around texts may belong to the format.
fn compare(turn: &Turn, read: &Value) -> Result<(), String> {
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .map(|(name, arguments)| json!({ "name": name, "arguments": arguments }))
        .collect();
    let found = read["tool_calls"].as_array().cloned().unwrap_or_default();
    let found: Vec<Value> = found
        .iter()
        .map(|call| json!({ "name": call["name"], "arguments": call["arguments"] }))
        .collect();
    if found != calls {
        return Err(format!("calls are {}", Value::from(found)));
    }
    for (name, said) in [("content", &turn.content), ("reasoning", &turn.thought)] {
        let found = read[name].as_str().unwrap_or_default().trim();
        if found != said.as_deref().unwrap_or_default() {
            return Err(format!("{name} is {found:?}"));
        }
    }
    Ok(())
}

/// The calls of `text` that comes in pieces of random lengths.
fn in_pieces(outline: &Outline, text: &str, random: &mut Random) -> Result<Value, String> {
    let mut parser = outline.parser().map_err(|fault| fault.to_string())?;
    let mut rest = text;
    while !rest.is_empty() {
        let most = [1, 3, 17, 200][random.below(4)];
        let ends: Vec<usize> = rest.char_indices().map(|(at, char)| at + char.len_utf8()).collect();
        let end = ends[random.below(most.min(ends.len()))];
        parser.push(&rest[..end]).map_err(|fault| fault.to_string())?;
        rest = &rest[end..];
    }
    let (_, parsed) = parser.finish().map_err(|fault| fault.to_string())?;
    Ok(parsed.calls().map_err(|fault| fault.to_string())?.to_value())
}
