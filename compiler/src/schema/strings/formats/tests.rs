//! Formats against the official test suite.

use std::path::PathBuf;

use super::super::{Escapes, FormatMeaning, Spelling, StringLanguage};
use super::{NAMED, clock};

fn suite() -> Option<String> {
    let root = std::env::var("BLUEPRINTS_SHARED").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let path = root.join("data/json-schema-test-suite/draft2020-12.jsonl");
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("skipped: {} is absent", path.display());
    }
    text
}

#[test]
fn the_suite_is_answered_right() {
    let Some(text) = suite() else { return };
    let (mut right, mut refused, mut wrong) = (0, 0, Vec::new());
    for line in text.lines() {
        let group: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(name) = group["schema"]["format"].as_str() else { continue };
        if group["format"] != true {
            continue;
        }
        let meaning = StringLanguage::format(name, false).unwrap();
        for test in group["tests"].as_array().unwrap() {
            let Some(text) = test["data"].as_str() else { continue };
            let valid = match &meaning {
                FormatMeaning::Language(language) => language.contains(text),
                FormatMeaning::Refused(_) => {
                    refused += 1;
                    continue;
                }
                FormatMeaning::Annotation => true,
            };
            right += 1;
            if test["valid"] != valid {
                wrong.push(format!("{name}: {text:?} is {valid}: {}", test["description"]));
            }
        }
    }
    println!("{right} answered, {refused} refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right >= 546, "{right} answered");
}

#[test]
fn a_leap_second_is_the_last_of_a_day_in_utc() {
    let Ok(FormatMeaning::Language(time)) = StringLanguage::format("time", false) else { panic!() };
    for local in 0..24 * 60 {
        for offset in (0..24 * 60).step_by(7).chain([local + 1, 1439 - local]) {
            for (sign, utc) in [('+', local + 2 * 1440 - offset), ('-', local + offset)] {
                let (hour, minute) = (offset % 1440 / 60, offset % 60);
                let text =
                    format!("{:02}:{:02}:60{sign}{hour:02}:{minute:02}", local / 60, local % 60);
                assert_eq!(time.contains(&text), utc % 1440 == 1439, "{text}");
            }
        }
    }
}

#[test]
fn every_format_has_a_written_form() {
    for named in NAMED.iter() {
        let ir = named.to_ir(Spelling::Json(Escapes::All)).unwrap();
        assert!(ir.facts().is_some_and(|facts| facts.productive), "{named:?}");
        assert!(!named.to_ir(Spelling::Raw).unwrap().is_never(), "{named:?}");
    }
    assert!(clock::write_time(Spelling::Raw).is_ok());
}
