//! A style from the argument that names or spells it, and back.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::pattern::{Pattern, Piece, Wrong};
use super::presets;
use super::style::{Blanks, Booleans, KeySpelling, Notation, Style};
use crate::schema::draft::Types;
use crate::schema::options::{ORDER, OptionError, Order};

const NOTATIONS: [(&str, Notation); 3] =
    [("json", Notation::Json), ("python", Notation::Python), ("gemma", Notation::Gemma)];
const STRINGS: [(&str, Option<Notation>); 4] = [
    ("raw", None),
    ("json", Some(Notation::Json)),
    ("python", Some(Notation::Python)),
    ("gemma", Some(Notation::Gemma)),
];
const BLANKS: [(&str, Blanks); 3] =
    [("nowhere", Blanks::Nowhere), ("entries", Blanks::Entries), ("values", Blanks::Values)];
/// What stands around strings of Gemma's notation by default.
const QUOTE: &str = "<|\"|>";
const BOOLEANS: [(&str, Booleans); 2] = [("json", Booleans::Json), ("both", Booleans::Both)];
const KEYS: [(&str, KeySpelling); 4] = [
    ("plain", KeySpelling::Plain),
    ("xml_attribute", KeySpelling::XmlAttribute),
    ("xml_quoted", KeySpelling::XmlQuoted),
    ("identifier", KeySpelling::Identifier),
];

impl Style {
    /// The style that `value` names, or spells as a map.
    ///
    /// # Errors
    /// [`OptionError::Style`] with what is wrong.
    pub fn from_value(value: &Value) -> Result<Self, OptionError> {
        read(value).map_err(|wrong| OptionError::Style(wrong.0))
    }

    /// The name or the map that spells it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut names = presets::NAMES.iter();
        let name = names.find(|name| named(name).is_ok_and(|style| style == *self));
        name.map_or_else(|| Value::Object(self.to_map()), |name| (*name).into())
    }

    fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        let texts = [
            ("entry", self.entry.as_ref().map(Pattern::to_string)),
            ("item", self.item.as_ref().map(Pattern::to_string)),
            ("separator", Some(self.separator.clone())),
            ("before", Some(self.before.clone())),
            ("after", Some(self.after.clone())),
            ("strings", word(&self.strings, &STRINGS)),
            ("values", word(&self.values, &NOTATIONS)),
            ("booleans", word(&self.booleans, &BOOLEANS)),
            ("key", word(&self.key, &KEYS)),
            ("blanks", word(&self.blanks, &BLANKS)),
            ("quote", (self.quote != QUOTE).then(|| self.quote.clone())),
            ("order", self.order.and_then(|order| word(&order, &ORDER))),
        ];
        for (name, text) in texts {
            let usual = match name {
                "strings" => "raw",
                "values" | "booleans" => "json",
                "key" => "plain",
                "blanks" => "nowhere",
                _ => "",
            };
            // Without an entry, a style is its notation.
            let needed = name == "values" && self.entry.is_none();
            if let Some(text) = text.filter(|text| text != usual || needed) {
                map.insert(name.into(), text.into());
            }
        }
        let flags =
            [("nested", self.nested), ("plain_keys", self.plain_keys), ("cdata", self.cdata)];
        for (name, _) in flags.iter().filter(|flag| flag.1) {
            map.insert((*name).into(), true.into());
        }
        if !self.excludes.is_empty() {
            map.insert("excludes".into(), self.excludes.clone().into());
        }
        if !self.types.is_empty() {
            let types = self.types.iter().map(|(name, word)| (name.clone(), word.clone().into()));
            map.insert("types".into(), Value::Object(types.collect()));
        }
        map
    }
}

fn word<T: PartialEq>(value: &T, words: &[(&str, T)]) -> Option<String> {
    words.iter().find(|(_, known)| known == value).map(|(word, _)| (*word).to_owned())
}

fn named(name: &str) -> Result<Style, Wrong> {
    match presets::preset(name) {
        Some(map) => read(&map),
        None => {
            Err(format!("there is no style `{name}`; there are {}", presets::NAMES.join(", "))
                .into())
        }
    }
}

fn read(value: &Value) -> Result<Style, Wrong> {
    match value {
        Value::String(name) => named(name),
        Value::Object(map) => spelled(map),
        _ => Err("a style is a name or a map".into()),
    }
}

fn spelled(map: &Map<String, Value>) -> Result<Style, Wrong> {
    let mut style = match map.get("preset") {
        Some(Value::String(name)) => named(name)?,
        Some(_) => return Err("`preset` of a style is the name of one".into()),
        None => {
            let needed = ["entry", "values"].iter().any(|name| map.contains_key(*name));
            let missing = "a style needs `entry`, the pattern of one entry, or `values`";
            needed.then(plain).ok_or(missing)?
        }
    };
    for (name, value) in map {
        match name.as_str() {
            "preset" => {}
            "entry" => style.entry = Some(pattern(name, value)?),
            "item" => style.item = Some(pattern(name, value)?),
            "separator" => style.separator = text(name, value)?,
            "before" => style.before = text(name, value)?,
            "after" => style.after = text(name, value)?,
            "strings" => style.strings = choose(name, value, &STRINGS)?,
            "values" => style.values = choose(name, value, &NOTATIONS)?,
            "booleans" => style.booleans = choose(name, value, &BOOLEANS)?,
            "key" => style.key = choose(name, value, &KEYS)?,
            "order" => style.order = Some(choose::<Order>(name, value, &ORDER)?),
            "quote" => style.quote = text(name, value)?,
            "nested" => style.nested = flag(name, value)?,
            "plain_keys" => style.plain_keys = flag(name, value)?,
            "cdata" => style.cdata = flag(name, value)?,
            "blanks" => style.blanks = choose(name, value, &BLANKS)?,
            "excludes" => {
                let list = value.as_array().ok_or("`excludes` of a style is a list of texts")?;
                let texts: Result<_, _> = list.iter().map(|item| text(name, item)).collect();
                style.excludes = texts?;
            }
            "types" => style.types = types(value)?,
            _ => return Err(format!("a style has no `{name}`").into()),
        }
    }
    check(&style)?;
    Ok(style)
}

/// A style of which nothing is said.
fn plain() -> Style {
    Style {
        entry: None,
        item: None,
        separator: String::new(),
        before: String::new(),
        after: String::new(),
        strings: None,
        values: Notation::Json,
        booleans: Booleans::Json,
        nested: false,
        plain_keys: false,
        cdata: false,
        blanks: Blanks::Nowhere,
        key: KeySpelling::Plain,
        order: None,
        quote: QUOTE.into(),
        excludes: Vec::new(),
        types: BTreeMap::new(),
    }
}

fn check(style: &Style) -> Result<(), Wrong> {
    if style.quote.is_empty() || style.excludes.iter().any(String::is_empty) {
        return Err("`quote` or `excludes` of a style has an empty text".into());
    }
    if style.nested != style.item.is_some() {
        return Err("a style that is `nested` has `item`, the pattern of one item".into());
    }
    if let Some(item) = &style.item {
        check_value(style, item)?;
        if item.count(&Piece::Key) > 0 {
            return Err("the item of a style has no `{key}`".into());
        }
    }
    let Some(entry) = &style.entry else {
        return if style.nested {
            Err("a style that is `nested` has `entry`".into())
        } else {
            Ok(())
        };
    };
    check_value(style, entry)?;
    if entry.count(&Piece::Key) == 0 {
        return Err(format!("there is no `{{key}}` in `{entry}`").into());
    }
    if entry.after(&Piece::Key).is_empty() {
        return Err(
            format!("text must follow `{{key}}` in `{entry}`, or the key has no end").into()
        );
    }
    Ok(())
}

fn check_value(style: &Style, pattern: &Pattern) -> Result<(), Wrong> {
    if pattern.count(&Piece::Value) != 1 {
        return Err(format!("`{{value}}` must stand once in `{pattern}`").into());
    }
    if pattern.count(&Piece::Blank) > 0 && style.blanks == Blanks::Nowhere {
        return Err(format!("`{{blank}}` in `{pattern}` needs `blanks` of the style").into());
    }
    if style.strings.is_none() && pattern.after(&Piece::Value).is_empty() {
        return Err(
            format!("text must follow `{{value}}` in `{pattern}`, or raw text has no end").into()
        );
    }
    Ok(())
}

/// Words by the names of JSON types.
type Words = BTreeMap<String, String>;

fn types(value: &Value) -> Result<Words, Wrong> {
    let map = value.as_object().ok_or("`types` of a style is a map from JSON types to words")?;
    let mut types = Words::new();
    for (name, word) in map {
        if Types::of(name).is_none() {
            return Err(format!("`{name}` in `types` of a style is no JSON type").into());
        }
        types.insert(name.clone(), text("types", word)?);
    }
    Ok(types)
}

fn pattern(name: &str, value: &Value) -> Result<Pattern, Wrong> {
    Pattern::parse(&text(name, value)?)
}

fn text(name: &str, value: &Value) -> Result<String, Wrong> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| format!("`{name}` of a style takes text, not `{value}`").into())
}

fn flag(name: &str, value: &Value) -> Result<bool, Wrong> {
    let flag = value.as_bool();
    flag.ok_or_else(|| format!("`{name}` of a style takes true or false, not `{value}`").into())
}

fn choose<T: Copy>(name: &str, value: &Value, words: &[(&str, T)]) -> Result<T, Wrong> {
    let found = value.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
    found.map(|(_, chosen)| *chosen).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        format!("`{name}` of a style takes {}, not `{value}`", known.join(", ")).into()
    })
}
