//! Choices: held by the backend, or found in what it says.

use blueprints_sessions::{NoMatch, SessionError, matched};
use serde_json::json;

use crate::fake::{body, session};

const OPTIONS: &[&str] = &["north", "south", "east", "west"];

#[test]
fn a_choice_is_held_where_the_backend_can() {
    let mut own = session("openai_chat", "gpt-5", &["{\"choice\":\"east\"}"]);
    assert_eq!(own.choose("Pick a direction", OPTIONS).unwrap(), "east");
    let schema = &body(&own, 0)["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["choice"]["enum"], json!(OPTIONS));
    assert_eq!(own.messages()[1].content, "east");
    // A provider that does not keep the case of enums.
    let mut own = session("anthropic", "claude-sonnet-5", &["{\"choice\":\"East\"}"]);
    assert_eq!(own.choose("Pick a direction", OPTIONS).unwrap(), "east");
}

#[test]
fn options_that_a_provider_cannot_tell_apart_are_asked_for() {
    let mut own = session("anthropic", "claude-sonnet-5", &["B"]);
    assert_eq!(own.choose("Which?", &["b", "B"]).unwrap(), "B");
    assert_eq!(body(&own, 0).get("output_config"), None);
    assert_eq!(own.warnings().len(), 1);
}

/// In order: as it is, without case, by number, the only one within.
#[test]
fn an_answer_in_words_means_an_option() {
    let cases: &[(&str, &[&str], Option<&str>)] = &[
        ("south", OPTIONS, Some("south")),
        ("South.", OPTIONS, Some("south")),
        ("\"WEST\"", OPTIONS, Some("west")),
        ("2", OPTIONS, Some("south")),
        ("3. East it is", OPTIONS, Some("east")),
        ("I think we should go west now", OPTIONS, Some("west")),
        ("sou", OPTIONS, Some("south")),
        ("north or south", OPTIONS, None),
        ("up", OPTIONS, None),
        ("", OPTIONS, None),
        ("9", OPTIONS, None),
        ("2.5 miles", OPTIONS, None),
        ("2", &["1", "2", "3"], Some("2")),
        ("2", &["3", "1"], Some("1")),
        ("northeast, I say", &["north", "northeast"], Some("northeast")),
        ("north and northeast", &["north", "northeast"], None),
        ("no", &["no", "not sure"], Some("no")),
        ("NOT SURE", &["no", "not sure"], Some("not sure")),
        ("b", &["b", "B"], Some("b")),
        ("B", &["b", "B"], Some("B")),
    ];
    for (text, options, option) in cases {
        assert_eq!(matched(text, options), *option, "{text:?} of {options:?}");
    }
}

#[test]
fn a_choice_without_a_match_is_an_error_or_the_first() {
    let cloud = "gpt-oss:20b-cloud";
    let mut own = session("ollama", cloud, &["up", "down"]);
    let error = own.choose("Where?", OPTIONS).unwrap_err();
    assert!(matches!(error, SessionError::NoMatch { .. }), "{error}");
    assert!(error.to_string().contains("north, south, east, west"), "{error}");
    assert!(own.messages().is_empty(), "a failed choice is no part of the history");
    let mut own = own.on_no_match(NoMatch::First);
    assert_eq!(own.choose("Where?", OPTIONS).unwrap(), "north");
    assert_eq!(own.warnings().len(), 1);
    assert!(matches!(own.choose("Where?", &[]), Err(SessionError::NoOptions)));
}

#[test]
fn a_choice_from_a_prompt_is_found_in_the_words() {
    let mut own = session("ollama", "gpt-oss:20b-cloud", &["Let us go **South**!"]);
    assert_eq!(own.choose("Where?", OPTIONS).unwrap(), "south");
    let asked = body(&own, 0)["messages"][0]["content"].as_str().unwrap();
    assert!(asked.contains("1. north\n2. south"), "{asked}");
    assert_eq!(own.messages()[1].content, "south");
}
