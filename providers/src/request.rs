//! An intent and a provider's facts to a request.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Calls, Form};
use crate::facts::{Facts, Way};
use crate::fill::{self, Gaps};
use crate::intent::{Intent, Kind, OnUnsupported};
use crate::merge::{self, MergeConflict};
use crate::problem::{Problem, RequestError, RequestLoss, Warning};
use crate::schema::{Counts, Options, check_together, differ_only_in_case, normalise};
use crate::{prompt, raw, spell, tools};

/// What to put into a request, and how to read the answer.
#[derive(Clone, Debug)]
pub struct Request {
    /// The fields to merge into the body.
    pub fields: Map<String, Value>,
    /// Where the answer is.
    pub answer: Answer,
    /// Where calls are, if tools are offered.
    pub calls: Option<Calls>,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// What the provider does not hold.
    pub losses: Vec<RequestLoss>,
    /// Words for the prompt, where it must ask for what nothing holds.
    pub prompt: Option<String>,
}

impl Request {
    /// Puts the fields into a body: objects member by member, lists by the items that they lack.
    ///
    /// # Errors
    /// [`MergeConflict`] if the body says otherwise somewhere; it is then as it was.
    pub fn merge_into(&self, body: &mut Value) -> Result<(), MergeConflict> {
        match body {
            Value::Object(members) => merge::merge(members, &self.fields),
            other => Err(MergeConflict {
                pointer: String::new(),
                there: other.to_string(),
                needed: Value::Object(self.fields.clone()).to_string(),
            }),
        }
    }

    /// The answer's place as JSON: that of calls where only calls are asked for.
    #[must_use]
    pub fn answer_json(&self) -> Value {
        match &self.calls {
            Some(calls) => calls.to_json(),
            None => self.answer.to_json(),
        }
    }
}

/// How well a provider holds a kind of intent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// By fields of its own.
    Native,
    /// As another kind, or inside a JSON string.
    Emulated,
    /// Not at all.
    No,
}

/// How well a provider holds a kind of intent, by its name.
#[must_use]
pub fn supports(facts: &Facts, feature: &str) -> Support {
    match (feature, facts.formats.get(feature)) {
        ("text", _) => Support::Native,
        ("tools", _) if facts.tools.is_some() => Support::Native,
        (_, Some(way)) if way.fields.is_some() => Support::Native,
        (_, Some(way)) if way.via.is_some() => Support::Emulated,
        _ => Support::No,
    }
}

/// What one intent contributes.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    feature: &'static str,
    pub(crate) fields: Map<String, Value>,
    answer: Option<Answer>,
    pub(crate) calls: Option<Calls>,
    pub(crate) traits: Vec<String>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) losses: Vec<RequestLoss>,
    pub(crate) prompt: Option<String>,
    pub(crate) counts: Option<Counts>,
}

impl Part {
    pub(crate) fn new(feature: &'static str) -> Self {
        Self {
            feature,
            fields: Map::new(),
            answer: None,
            calls: None,
            traits: vec![feature.to_owned()],
            warnings: Vec::new(),
            losses: Vec::new(),
            prompt: None,
            counts: None,
        }
    }
}

/// What to put into a request for an intent.
///
/// # Errors
/// [`RequestError`] with all problems if the provider cannot hold it; where the intent degrades,
/// only if the intent makes no sense.
pub fn request(facts: &Facts, intent: &Intent) -> Result<Request, RequestError> {
    // One request has one policy: that of the first intent.
    let mut intents = vec![intent.clone()];
    let mut next = intent.also.as_deref();
    while let Some(also) = next {
        let (name, description) = (also.name.clone(), also.description.clone());
        let kind = also.kind.clone();
        intents.push(Intent { kind, name, description, also: None, ..intent.clone() });
        next = also.also.as_deref();
    }
    let mut parts = Vec::new();
    for one in &intents {
        parts.push(part(facts, one)?);
    }
    for _ in 0..parts.len() {
        let Some(conflict) = conflict(facts, intent, &parts) else { break };
        let degrades = intent.on_unsupported == OnUnsupported::Degrade;
        match parts.iter().position(|part| part.traits.contains(&conflict.all[0])) {
            Some(at) if degrades => {
                parts[at] = degraded(facts, &intents[at], parts[at].feature);
            }
            _ => return Err(Problem::new(&facts.family, &conflict.error).into()),
        }
    }
    joined(facts, intent, parts)
}

/// The first rule about traits that the parts break.
fn conflict<'a>(
    facts: &'a Facts,
    intent: &Intent,
    parts: &[Part],
) -> Option<&'a crate::facts::Conflict> {
    let has = |wanted: &String| {
        (wanted == "thinking" && intent.thinking)
            || parts.iter().any(|part| part.traits.contains(wanted))
    };
    facts.conflicts.iter().find(|conflict| !conflict.all.is_empty() && conflict.all.iter().all(has))
}

/// One request of all parts.
fn joined(facts: &Facts, intent: &Intent, parts: Vec<Part>) -> Result<Request, RequestError> {
    let counts = parts.iter().filter_map(|part| part.counts).reduce(Counts::and);
    let problems =
        counts.map(|counts| check_together(&counts, &facts.schema.limits, &facts.family));
    let problems = problems.unwrap_or_default();
    if !problems.is_empty() {
        if intent.on_unsupported != OnUnsupported::Degrade {
            return Err(RequestError { problems });
        }
        // Together they are too much, so none of them is held.
        let mut alone = intent.clone();
        alone.also = None;
        return joined(facts, intent, vec![degraded(facts, &alone, intent.kind.feature())]);
    }
    let mut request = Request {
        fields: Map::new(),
        answer: Answer::text(facts, &facts.answer.text),
        calls: None,
        warnings: Vec::new(),
        losses: Vec::new(),
        prompt: None,
    };
    if let Some(effort) = &intent.effort {
        let fields = effort_fields(facts, intent, effort, &mut request)?;
        request.fields = fields;
    }
    let mut words = Vec::new();
    let mut answered = false;
    for part in parts {
        merge::merge(&mut request.fields, &part.fields).map_err(|conflict| {
            RequestError::from(Problem::new("intent", "conflict").at(&conflict.pointer))
        })?;
        if let (Some(answer), false) = (part.answer, answered) {
            request.answer = answer;
            answered = true;
        }
        request.calls = request.calls.or(part.calls);
        request.warnings.extend(part.warnings);
        request.losses.extend(part.losses);
        words.extend(part.prompt);
    }
    request.prompt = (!words.is_empty()).then(|| words.join("\n\n"));
    Ok(request)
}

fn effort_fields(
    facts: &Facts,
    intent: &Intent,
    effort: &str,
    request: &mut Request,
) -> Result<Map<String, Value>, RequestError> {
    let known = facts.effort.as_ref().filter(|own| own.values.iter().any(|value| value == effort));
    match known {
        Some(own) => {
            let effort = if own.capitals { effort.to_uppercase() } else { effort.to_owned() };
            Ok(fill::fields(&own.fields, &Gaps::from([("effort", json!(effort))])))
        }
        None if intent.on_unsupported == OnUnsupported::Degrade => {
            let feature = "effort".to_owned();
            request.warnings.push(Warning::DegradedToPrompt { feature });
            Ok(Map::new())
        }
        None => Err(Problem::new(&facts.family, "unsupported").detail("effort").into()),
    }
}

/// What one intent contributes, degraded where it may be and must.
fn part(facts: &Facts, intent: &Intent) -> Result<Part, RequestError> {
    match said(facts, intent) {
        Ok(part) => Ok(part),
        Err(problems) => {
            let senseless = problems.iter().any(|problem| problem.scope == "intent");
            match intent.on_unsupported == OnUnsupported::Degrade && !senseless {
                true => Ok(degraded(facts, intent, intent.kind.feature())),
                false => Err(RequestError { problems }),
            }
        }
    }
}

/// What only the prompt asks for.
fn degraded(facts: &Facts, intent: &Intent, feature: &'static str) -> Part {
    let mut part = Part::new("degraded");
    part.feature = feature;
    part.prompt = match &intent.kind {
        Kind::Tools(own) => Some(prompt::listed_tools(own)),
        kind => prompt::words(kind),
    };
    part.warnings.push(Warning::DegradedToPrompt { feature: feature.to_owned() });
    part.losses.push(RequestLoss {
        lost: feature.to_owned(),
        pointer: String::new(),
        reason: "only the prompt asks for it".to_owned(),
    });
    let mut answer = Answer::text(facts, &facts.answer.text);
    answer.prompted = true;
    match &intent.kind {
        Kind::JsonObject | Kind::JsonSchema(_) => answer.form = Form::Json,
        Kind::Choice(choices) => answer.choices.clone_from(choices),
        _ => {}
    }
    part.answer = Some(answer);
    part
}

/// What one intent contributes.
fn said(facts: &Facts, intent: &Intent) -> Result<Part, Vec<Problem>> {
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
        kind => way(facts, intent, kind),
    }
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
                spell::in_syntax(syntax, text, &way.syntaxes).ok_or_else(|| {
                    vec![Problem::new(&facts.family, "unsupported_syntax").detail(syntax)]
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
