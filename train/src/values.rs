//! Makes the values of arguments: mostly invented words, so that they are copied, not remembered.

use serde_json::{Value, json};

use crate::random::Random;

/// What an argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    City,
    Name,
    Word,
    Phrase,
    /// Words enough that copying them is most of a document.
    Text,
    Code,
    Path,
    Address,
    Email,
    Date,
    Time,
    Integer,
    Number,
    Boolean,
    Choice(Vec<String>),
}

/// A value as the request spells it, and as the call does.
#[derive(Clone, Debug)]
pub(crate) struct Spelled {
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl Kind {
    /// Reads the kind that tools.txt names.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Some(list) = text.strip_prefix("enum(").and_then(|text| text.strip_suffix(')')) {
            return Some(Self::Choice(list.split('|').map(str::to_owned).collect()));
        }
        Some(match text {
            "city" => Self::City,
            "name" => Self::Name,
            "word" => Self::Word,
            "phrase" => Self::Phrase,
            "text" => Self::Text,
            "code" => Self::Code,
            "path" => Self::Path,
            "address" => Self::Address,
            "email" => Self::Email,
            "date" => Self::Date,
            "time" => Self::Time,
            "int" => Self::Integer,
            "number" => Self::Number,
            "bool" => Self::Boolean,
            _ => return None,
        })
    }

    /// The JSON Schema of such values.
    pub(crate) fn schema(&self) -> Value {
        match self {
            Self::Integer => json!({ "type": "integer" }),
            Self::Number => json!({ "type": "number" }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Choice(names) => json!({ "type": "string", "enum": names }),
            _ => json!({ "type": "string" }),
        }
    }

    /// Makes a value.
    pub(crate) fn make(&self, random: &mut Random) -> Spelled {
        let text = match self {
            Self::Integer => integer(random).to_string(),
            Self::Number => number(random),
            Self::Boolean => random.pick(&["on", "off"]).to_owned(),
            Self::City => city(random),
            Self::Name => name(random),
            Self::Word => word(random),
            Self::Phrase => phrase(random, 1, 5),
            Self::Text => phrase(random, 4, 10),
            Self::Code => code(random),
            Self::Path => path(random),
            Self::Address => format!("{} {} {}", integer(random), capital(random), "Street"),
            Self::Email => email(random),
            Self::Date => {
                let (month, day) = (random.between(1, 12), random.between(1, 28));
                format!("20{}-{month:02}-{day:02}", random.between(24, 31))
            }
            Self::Time => format!("{:02}:{:02}", random.below(24), random.below(60)),
            Self::Choice(names) => names[random.below(names.len())].clone(),
        };
        let json = match self {
            Self::Integer | Self::Number => serde_json::from_str(&text).unwrap_or(Value::Null),
            Self::Boolean => Value::Bool(text == "on"),
            _ => Value::String(text.clone()),
        };
        Spelled { text, json }
    }
}

fn integer(random: &mut Random) -> usize {
    let max = random.pick(&[&9, &99, &999, &9999]);
    random.between(1, *max)
}

fn number(random: &mut Random) -> String {
    match random.below(3) {
        0 => integer(random).to_string(),
        1 => format!("{}.5", integer(random)),
        _ => format!("{}.{:02}", integer(random), random.between(11, 99) / 10 * 10 + 5),
    }
}

/// An invented word of two or three syllables.
pub(crate) fn word(random: &mut Random) -> String {
    const ONSETS: [&str; 24] = [
        "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z",
        "br", "ch", "st", "tr", "pl", "sh",
    ];
    const VOWELS: [&str; 9] = ["a", "e", "i", "o", "u", "a", "e", "ai", "ou"];
    const CODAS: [&str; 12] = ["", "", "", "", "n", "r", "s", "l", "m", "nd", "x", "t"];
    let mut word = String::new();
    if random.percent(15) {
        word.push_str(random.pick(&VOWELS));
        word.push_str(random.pick(&["n", "l", "r", "m", "s"]));
    }
    for _ in 0..random.between(2, 3) {
        word.push_str(random.pick(&ONSETS));
        word.push_str(random.pick(&VOWELS));
        word.push_str(random.pick(&CODAS));
    }
    word
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn capital(random: &mut Random) -> String {
    capitalised(&word(random))
}

fn city(random: &mut Random) -> String {
    match random.below(20) {
        0..6 => random.pick(&CITIES).to_owned(),
        6 | 7 => {
            let first = random.pick(&["New", "San", "Port", "Saint", "Lake", "Old"]);
            format!("{first} {}", capital(random))
        }
        _ => capital(random),
    }
}

fn name(random: &mut Random) -> String {
    match random.below(10) {
        0 | 1 => random.pick(&NAMES).to_owned(),
        2 => format!("{} {}", random.pick(&NAMES), capital(random)),
        3 | 4 => format!("{} {}", capital(random), capital(random)),
        _ => capital(random),
    }
}

fn phrase(random: &mut Random, min: usize, max: usize) -> String {
    let words = (0..random.between(min, max)).map(|_| match random.below(3) {
        0 => word(random),
        _ => random.pick(&WORDS).to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn code(random: &mut Random) -> String {
    let letters = word(random);
    let upper = letters[..random.between(2, 4).min(letters.len())].to_uppercase();
    match random.below(3) {
        0 => upper,
        1 => format!("{upper}-{}", integer(random)),
        _ => format!("{upper}{}", integer(random)),
    }
}

fn path(random: &mut Random) -> String {
    let folder = match random.below(3) {
        0 => format!("/{}/", word(random)),
        1 => format!("{}/", random.pick(&WORDS)),
        _ => String::new(),
    };
    format!("{folder}{}.{}", word(random), random.pick(&["txt", "md", "csv", "json", "py", "rs"]))
}

fn email(random: &mut Random) -> String {
    let user = match random.below(2) {
        0 => random.pick(&NAMES).to_lowercase(),
        _ => word(random),
    };
    format!("{user}@{}.{}", word(random), random.pick(&["com", "org", "net", "io", "example"]))
}

const CITIES: [&str; 40] = [
    "Paris",
    "London",
    "Berlin",
    "Madrid",
    "Rome",
    "Vienna",
    "Warsaw",
    "Prague",
    "Lisbon",
    "Dublin",
    "Oslo",
    "Stockholm",
    "Helsinki",
    "Athens",
    "Budapest",
    "Amsterdam",
    "Brussels",
    "Zurich",
    "Tokyo",
    "Kyoto",
    "Seoul",
    "Beijing",
    "Delhi",
    "Mumbai",
    "Sydney",
    "Melbourne",
    "Toronto",
    "Boston",
    "Chicago",
    "Denver",
    "Dallas",
    "Seattle",
    "New York",
    "San Francisco",
    "Cairo",
    "Nairobi",
    "Lima",
    "Bogota",
    "Istanbul",
    "Rio de Janeiro",
];

const NAMES: [&str; 30] = [
    "Anna", "Ben", "Clara", "David", "Emma", "Frank", "Grace", "Henry", "Iris", "Jack", "Kate",
    "Leo", "Mia", "Noah", "Olivia", "Paul", "Quinn", "Rosa", "Sam", "Tina", "Uma", "Victor",
    "Wendy", "Xavier", "Yara", "Zoe", "Alice", "Bob", "Maria", "John",
];

const WORDS: [&str; 96] = [
    "the", "a", "new", "old", "red", "blue", "green", "big", "small", "good", "late", "early",
    "house", "car", "book", "paper", "report", "meeting", "lunch", "dinner", "party", "plan",
    "team", "project", "budget", "market", "price", "order", "train", "plane", "ticket", "garden",
    "water", "milk", "bread", "coffee", "tea", "cheese", "pizza", "soup", "salad", "music",
    "movie", "game", "phone", "computer", "energy", "science", "history", "art", "health", "sport",
    "school", "office", "home", "work", "summer", "winter", "spring", "autumn", "monday",
    "tuesday", "friday", "sunday", "morning", "evening", "night", "today", "tomorrow", "buy",
    "call", "clean", "fix", "see", "meet", "pay", "bring", "we", "you", "is", "are", "will", "be",
    "for", "of", "and", "my", "our", "your", "about", "hello", "thank", "happy", "birthday",
    "ready", "now",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_for_the_same_seed_and_fit_their_schema() {
        let names =
            ["city", "name", "word", "phrase", "text", "code", "path", "address", "email", "date"];
        for kind in names.iter().chain(&["time", "int", "number", "bool", "enum(a|b)"]) {
            let kind = Kind::read(kind).unwrap();
            for seed in 0..200 {
                let made = kind.make(&mut Random::new(seed));
                assert_eq!(made.text, kind.make(&mut Random::new(seed)).text);
                assert!(!made.text.is_empty());
                let expected = kind.schema()["type"].as_str().unwrap().to_owned();
                let found = match &made.json {
                    Value::Bool(_) => "boolean",
                    Value::Number(_) => {
                        if expected == "integer" {
                            "integer"
                        } else {
                            "number"
                        }
                    }
                    Value::String(_) => "string",
                    other => panic!("{other}"),
                };
                assert_eq!(found, expected, "{kind:?}");
            }
        }
        assert_eq!(Kind::read("colour"), None);
    }
}
