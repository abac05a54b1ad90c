//! How a provider says one intent: by fields of its own, or as another kind.

use std::sync::Arc;

use blueprints_compiler::{Ir, SchemaOptions};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Form};
use crate::facts::{Facts, Way};
use crate::fill::{self, Gaps};
use crate::intent::{Intent, Kind, Lower, OnUnsupported};
use crate::problem::{Problem, RequestLoss, Warning};
use crate::request::Part;
use crate::schema::{Options, differ_only_in_case, normalise};
use crate::{raw, spell, tools};

/// What one intent contributes.
pub(crate) fn said(facts: &Facts, intent: &Intent) -> Result<Part, Vec<Problem>> {
    match &intent.kind {
        Kind::Text => {
            let mut part = Part::new("text");
            part.answer = Some(Answer::text(facts, &facts.answer.text));
            Ok(part)
        }
        Kind::Raw(fields) => {
            let problems = raw::problems(facts, fields);
            if !problems.is_empty() {
                return Err(problems);
            }
            let mut part = Part::new("raw");
            part.fields = fields.clone();
            Ok(part)
        }
        Kind::Tools(own) => tools::part(facts, intent, own),
        Kind::Choice(choices) => {
            choices_make_sense(choices)?;
            way(facts, intent, &intent.kind)
        }
        Kind::JsonSchema(schema) if intent.lower == Lower::Grammar => {
            lowered(facts, intent, schema)
        }
        kind => way(facts, intent, kind),
    }
}

/// A schema as a grammar that holds all of it.
fn lowered(facts: &Facts, intent: &Intent, schema: &Value) -> Result<Part, Vec<Problem>> {
    let unsupported = || vec![Problem::new(&facts.family, "unsupported").detail("grammar")];
    let own = facts.formats.get("grammar").ok_or_else(unsupported)?;
    let ir = Ir::schema(Arc::new(schema.clone()), SchemaOptions::default())
        .map_err(|error| vec![Problem::new("schema", "not_lowered").detail(error)])?;
    let grammar = |syntax: &String| Some((syntax.clone(), spell::grammar(&ir, syntax)?));
    let (syntax, text) = own.syntaxes.iter().find_map(grammar).ok_or_else(unsupported)?;
    let text = text.map_err(|error| vec![Problem::new("schema", "not_lowered").detail(error)])?;
    let mut part = way(facts, intent, &Kind::Grammar { syntax, text })?;
    part.feature = "json_schema";
    if let Some(answer) = &mut part.answer {
        answer.form = Form::Json;
    }
    Ok(part)
}

fn choices_make_sense(choices: &[String]) -> Result<(), Vec<Problem>> {
    if choices.is_empty() {
        return Err(vec![Problem::new("intent", "no_choices")]);
    }
    let mut seen = std::collections::BTreeSet::new();
    match choices.iter().find(|choice| !seen.insert(choice.as_str())) {
        Some(twice) => Err(vec![Problem::new("intent", "duplicate_choice").detail(twice)]),
        None => Ok(()),
    }
}

/// A constraint on the answer, by the provider's way of saying it.
fn way(facts: &Facts, intent: &Intent, kind: &Kind) -> Result<Part, Vec<Problem>> {
    let feature = kind.feature();
    let unsupported = || vec![Problem::new(&facts.family, "unsupported").detail(feature)];
    let way = facts.formats.get(feature).ok_or_else(unsupported)?;
    if let Some(rule) = &way.refused {
        return Err(vec![Problem::new(&facts.family, rule)]);
    }
    let degrades = intent.on_unsupported == OnUnsupported::Degrade;
    if way.json_wrap && !(intent.allow_json_wrap || degrades) {
        return Err(unsupported());
    }
    let mut part = match (&way.via, &way.fields) {
        (Some(via), _) => through(facts, intent, kind, via)?,
        (None, Some(fields)) => direct(facts, intent, kind, way, fields)?,
        (None, None) => return Err(unsupported()),
    };
    part.feature = feature;
    if !part.traits.iter().any(|own| own == feature) {
        part.traits.push(feature.to_owned());
    }
    part.traits.push("constraint".to_owned());
    part.traits.extend(way.traits.iter().cloned());
    part.warnings.extend(way.warnings.iter().cloned().map(Warning::Fact));
    if let (Kind::Choice(choices), Some(answer)) = (kind, &mut part.answer) {
        answer.choices.clone_from(choices);
    }
    Ok(part)
}

/// A constraint said as another kind.
fn through(facts: &Facts, intent: &Intent, kind: &Kind, via: &str) -> Result<Part, Vec<Problem>> {
    let unsupported = || vec![Problem::new(&facts.family, "unsupported").detail(kind.feature())];
    let group = &facts.schema.pattern_group;
    let (other, unwrap) = match (kind, via) {
        (Kind::Choice(choices), "json_schema") => {
            let values: Vec<Value> = choices.iter().map(|choice| json!(choice)).collect();
            let loose = facts.schema.enum_case == crate::facts::CaseOfEnums::Loose;
            if loose && differ_only_in_case(&values) {
                return Err(vec![Problem::new(&facts.family, "choices_differ_only_in_case")]);
            }
            (Kind::JsonSchema(spell::choice_schema(choices)), Some("/choice"))
        }
        (Kind::Regex(pattern), "json_schema") => {
            (Kind::JsonSchema(spell::pattern_schema(pattern, group)), Some("/value"))
        }
        (Kind::JsonObject, "json_schema") => (Kind::JsonSchema(json!({ "type": "object" })), None),
        (Kind::Choice(choices), "regex") => (Kind::Regex(spell::choice_pattern(choices)), None),
        (Kind::Regex(pattern), "structural_tag") => {
            let format = json!({ "format": { "type": "regex", "pattern": pattern } });
            (Kind::StructuralTag(format), None)
        }
        (kind, via) => {
            let syntax = via.strip_prefix("grammar:").ok_or_else(unsupported)?;
            let text = spell::as_grammar(kind, syntax).ok_or_else(unsupported)?;
            (Kind::Grammar { syntax: syntax.to_owned(), text }, None)
        }
    };
    let mut named = intent.clone();
    if matches!(kind, Kind::Choice(_)) {
        named.name.get_or_insert_with(|| "choice".to_owned());
    }
    let mut part = way(facts, &named, &other)?;
    if let (Some(pointer), Some(answer)) = (unwrap, &mut part.answer) {
        answer.unwrap = Some(pointer.to_owned());
        answer.restore = None;
        answer.drop_null.clear();
    }
    if matches!((kind, unwrap), (Kind::Regex(_), Some(_))) {
        part.warnings.push(Warning::RegexWrappedInJson);
    }
    Ok(part)
}

/// A constraint said by fields of its own.
fn direct(
    facts: &Facts,
    intent: &Intent,
    kind: &Kind,
    way: &Way,
    fields: &Map<String, Value>,
) -> Result<Part, Vec<Problem>> {
    let mut part = Part::new(kind.feature());
    let mut gaps = Gaps::new();
    let mut answer = Answer::text(facts, way.answer.as_ref().unwrap_or(&facts.answer.text));
    match kind {
        Kind::JsonObject => answer.form = Form::Json,
        Kind::JsonSchema(schema) => {
            answer.form = Form::Json;
            let sent = fitted_schema(facts, intent, way, schema, &mut part, &mut answer)?;
            gaps.insert("schema_text", json!(sent.to_string()));
            gaps.insert("schema", sent);
        }
        Kind::Choice(choices) => drop(gaps.insert("choices", json!(choices))),
        Kind::Regex(pattern) => drop(gaps.insert("pattern", json!(pattern))),
        Kind::Grammar { syntax, text } => {
            let (syntax, text) =
                spell::in_syntax(syntax, text, &way.syntaxes).map_err(|error| {
                    let problem = Problem::new(&facts.family, "unsupported_syntax");
                    vec![match error {
                        spell::NotWritten::Unknown => problem.detail(syntax),
                        error => problem.detail(format!("{syntax}: {error}")),
                    }]
                })?;
            gaps.insert("syntax", json!(syntax));
            gaps.insert("grammar", json!(text));
        }
        Kind::StructuralTag(tag) => {
            let tag = spell::whole_tag(tag);
            tag_is_known(facts, &tag)?;
            gaps.insert("structural_tag_text", json!(tag.to_string()));
            gaps.insert("structural_tag", tag);
        }
        Kind::Text | Kind::Tools(_) | Kind::Raw(_) => {}
    }
    if mentions(fields, "$name") {
        let name = intent.name.as_deref().or(way.default_name.as_deref()).unwrap_or("answer");
        if let Some(problem) = check_name(facts, name) {
            return Err(vec![problem]);
        }
        gaps.insert("name", json!(name));
    }
    if let Some(description) = &intent.description {
        gaps.insert("description", json!(description));
    }
    part.fields = fill::fields(fields, &gaps);
    part.answer = Some(answer);
    Ok(part)
}

/// The schema that is sent.
fn fitted_schema(
    facts: &Facts,
    intent: &Intent,
    way: &Way,
    schema: &Value,
    part: &mut Part,
    answer: &mut Answer,
) -> Result<Value, Vec<Problem>> {
    if let Some(reason) = &way.advice {
        part.losses.push(RequestLoss {
            lost: "json_schema".to_owned(),
            pointer: String::new(),
            reason: reason.clone(),
        });
        return Ok(schema.clone());
    }
    let fitted = normalise(schema, &facts.schema, options(facts, intent))?;
    part.warnings.extend(fitted.warnings);
    part.counts = Some(fitted.counts);
    answer.unwrap = fitted.unwrap;
    answer.drop_null = fitted.restore.places();
    answer.restore = Some(fitted.restore);
    Ok(fitted.schema)
}

pub(crate) fn options<'a>(facts: &'a Facts, intent: &Intent) -> Options<'a> {
    Options {
        family: &facts.family,
        on_unsupported: intent.on_unsupported,
        optional: intent.optional,
        root_wrap: intent.root_wrap,
        property_order: intent.property_order,
    }
}

/// The formats inside a tag that the provider does not know.
fn tag_is_known(facts: &Facts, tag: &Value) -> Result<(), Vec<Problem>> {
    if facts.structural_tags.is_empty() {
        return Ok(());
    }
    let unknown = spell::formats(tag)
        .into_iter()
        .filter(|(_, name)| !facts.structural_tags.iter().any(|own| own == name));
    let problems: Vec<Problem> = unknown
        .map(|(at, name)| Problem::new(&facts.family, "unsupported_tag").detail(name).at(&at))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// The problem of a name that the provider does not take.
pub(crate) fn check_name(facts: &Facts, name: &str) -> Option<Problem> {
    let rule = facts.names.as_ref()?;
    let characters: Vec<char> = rule.characters.chars().collect();
    let is_in = |character: char| {
        let mut at = 0;
        while at < characters.len() {
            let range = at + 2 < characters.len() && characters[at + 1] == '-';
            let last = if range { characters[at + 2] } else { characters[at] };
            if (characters[at]..=last).contains(&character) {
                return true;
            }
            at += if range { 3 } else { 1 };
        }
        false
    };
    let length = name.chars().count();
    let taken = length > 0 && length <= rule.length_max && name.chars().all(is_in);
    let detail = format!("must match ^[{}]{{1,{}}}$", rule.characters, rule.length_max);
    (!taken).then(|| Problem::new(&facts.family, "name").detail(detail))
}

/// Whether a template has this gap; templates are read from text and so are at most 128 deep.
fn mentions(fields: &Map<String, Value>, gap: &str) -> bool {
    let mut waiting: Vec<&Value> = fields.values().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) if text == gap => return true,
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => waiting.extend(members.values()),
            _ => {}
        }
    }
    false
}
