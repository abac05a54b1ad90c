//! An intent and a provider's facts to a request.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Calls, Form};
use crate::facts::Facts;
use crate::fill::{self, Gaps};
use crate::intent::{Intent, Kind, OnUnsupported};
use crate::merge::{self, MergeConflict};
use crate::problem::{Problem, RequestError, RequestLoss, Warning};
use crate::prompt;
use crate::schema::{Counts, check_together};
use crate::sense;
use crate::way::said;

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
    pub(crate) feature: &'static str,
    pub(crate) fields: Map<String, Value>,
    pub(crate) answer: Option<Answer>,
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
    let problems = sense::problems(&intent.kind);
    if !problems.is_empty() {
        return Err(RequestError { problems });
    }
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
