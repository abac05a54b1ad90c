//! Offers tools to a provider, and says where their calls come back.

use serde_json::{Value, json};

use crate::answer::{Calls, Signs, place};
use crate::facts::{Facts, Strict, ToolFacts};
use crate::fill::{self, Gaps};
use crate::intent::{Intent, Kind, OnUnsupported, Tool, ToolChoice, Tools};
use crate::pointer;
use crate::problem::{Problem, RequestLoss, Warning};
use crate::request::Part;
use crate::schema::{Restore, normalise};
use crate::way::{check_name, options};

/// The fields that offer tools.
pub(crate) fn part(facts: &Facts, intent: &Intent, tools: &Tools) -> Result<Part, Vec<Problem>> {
    let unsupported = || vec![Problem::new(&facts.family, "unsupported").detail("tools")];
    let own = facts.tools.as_ref().ok_or_else(unsupported)?;
    let model = intent.model.as_deref();
    let taken = |model: &str| own.models.iter().any(|line| crate::facts::glob(line, model));
    if !own.models.is_empty() && model.is_some_and(|model| !taken(model)) {
        return Err(vec![Problem::new(&facts.family, "model_without_tools")]);
    }
    let mut part = Part::new("tools");
    let sent = chosen(own, tools)?;
    let strict = is_strict(facts, own, intent, tools, &mut part)?;
    let mut problems = Vec::new();
    if let Some(max) = own.strict_max.filter(|max| strict && sent.len() > *max) {
        let detail = format!("{} exceeds {max}", sent.len());
        problems.push(Problem::new(&facts.family, "strict_tools").detail(detail));
    }
    let mut spelled = Vec::new();
    let mut restore = Vec::new();
    for tool in &sent {
        match one(facts, own, intent, tool, strict.then_some(true).or(tools.strict), &mut part) {
            Ok((value, way_back)) => {
                spelled.push(value);
                restore.extend(way_back.map(|way_back| (tool.name.clone(), way_back)));
            }
            Err(more) => problems.extend(more),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let gaps = Gaps::from([("tools", Value::Array(spelled))]);
    part.fields = fill::fields(&own.fields, &gaps);
    choice(facts, own, intent, tools, &mut part)?;
    part.calls = Some(Calls {
        calls: place(&own.calls),
        name: place(&own.name),
        arguments: place(&own.arguments),
        restore,
        signs: Signs::of(facts),
    });
    Ok(part)
}

/// The tools that are sent.
fn chosen<'a>(own: &ToolFacts, tools: &'a Tools) -> Result<Vec<&'a Tool>, Vec<Problem>> {
    if tools.tools.is_empty() {
        return Err(vec![Problem::new("intent", "no_tools")]);
    }
    let Some(ToolChoice::Named(name)) = &tools.choice else {
        return Ok(tools.tools.iter().collect());
    };
    let named: Vec<&Tool> = tools.tools.iter().filter(|tool| tool.name == *name).collect();
    match (named.is_empty(), own.named_alone) {
        (true, _) => Err(vec![Problem::new("intent", "unknown_tool").detail(name)]),
        (false, true) => Ok(named),
        (false, false) => Ok(tools.tools.iter().collect()),
    }
}

/// Whether arguments are held to their schema.
fn is_strict(
    facts: &Facts,
    own: &ToolFacts,
    intent: &Intent,
    tools: &Tools,
    part: &mut Part,
) -> Result<bool, Vec<Problem>> {
    let forced = matches!(tools.choice, Some(ToolChoice::Required | ToolChoice::Named(_)));
    let wanted = tools.strict == Some(true);
    let held = match own.strict {
        Strict::Flag | Strict::WrittenFlag | Strict::Mode | Strict::Always => true,
        Strict::Forced => forced,
        Strict::None => false,
    };
    if wanted && !held {
        if intent.on_unsupported != OnUnsupported::Degrade {
            return Err(vec![Problem::new(&facts.family, "unsupported").detail("strict")]);
        }
        let feature = "strict".to_owned();
        part.warnings.push(Warning::DegradedToPrompt { feature });
        part.losses.push(RequestLoss {
            lost: "strict".to_owned(),
            pointer: "/tools".to_owned(),
            reason: "nothing holds the arguments of calls to their schema".to_owned(),
        });
    }
    Ok(wanted && held)
}

/// One tool; its schema is made to fit where it is held.
fn one(
    facts: &Facts,
    own: &ToolFacts,
    intent: &Intent,
    tool: &Tool,
    strict: Option<bool>,
    part: &mut Part,
) -> Result<(Value, Option<Restore>), Vec<Problem>> {
    if let Some(problem) = check_name(facts, &tool.name) {
        return Err(vec![problem]);
    }
    let (parameters, restore) = match strict {
        Some(true) => {
            let fitted = normalise(&tool.parameters, &facts.schema, options(facts, intent));
            let fitted = fitted.map_err(|problems| of_tool(problems, intent, tool))?;
            if fitted.unwrap.is_some() {
                let problem = Problem::new(&facts.family, "parameters_must_be_object");
                return Err(vec![problem.detail(&tool.name)]);
            }
            part.warnings.extend(fitted.warnings);
            part.counts =
                Some(part.counts.map_or(fitted.counts, |so_far| so_far.and(fitted.counts)));
            (fitted.schema, Some(fitted.restore))
        }
        _ => (tool.parameters.clone(), None),
    };
    let mut gaps = Gaps::from([("name", json!(tool.name)), ("parameters", parameters)]);
    if let Some(description) = &tool.description {
        gaps.insert("description", json!(description));
    }
    match (own.strict, strict) {
        (Strict::Flag | Strict::WrittenFlag, Some(true)) => {
            gaps.insert("strict", Value::Bool(true));
        }
        (Strict::WrittenFlag, _) => {
            gaps.insert("strict", Value::Bool(false));
        }
        _ => {}
    }
    Ok((fill::fill(&own.tool, &gaps).unwrap_or(Value::Null), restore))
}

/// Puts the place of `tool` before the pointers of problems.
fn of_tool(problems: Vec<Problem>, intent: &Intent, tool: &Tool) -> Vec<Problem> {
    let Kind::Tools(tools) = &intent.kind else { return problems };
    let place = place_of(tools, tool);
    let of = |problem: Problem| match problem.pointer.clone() {
        Some(pointer) => problem.at(&format!("{place}{pointer}")),
        None => problem,
    };
    problems.into_iter().map(of).collect()
}

/// What pointers into the parameters of `tool` begin with: its name, where there are several.
pub(crate) fn place_of(tools: &Tools, tool: &Tool) -> String {
    if tools.tools.len() > 1 { pointer::join("", &tool.name) } else { String::new() }
}

/// Which tools must be called.
fn choice(
    facts: &Facts,
    own: &ToolFacts,
    intent: &Intent,
    tools: &Tools,
    part: &mut Part,
) -> Result<(), Vec<Problem>> {
    let mut gaps = Gaps::new();
    let (word, feature) = match &tools.choice {
        None => match (&own.strict_auto, tools.strict) {
            (Some(fields), Some(true)) => return merged(part, fields, &gaps),
            _ => return Ok(()),
        },
        Some(ToolChoice::Auto) => match (&own.strict_auto, tools.strict) {
            (Some(fields), Some(true)) => return merged(part, fields, &gaps),
            _ => ("auto", "tool_choice"),
        },
        Some(ToolChoice::None) => ("none", "tool_choice"),
        Some(ToolChoice::Required) => ("required", "tool_choice"),
        Some(ToolChoice::Named(name)) => {
            gaps.insert("name", json!(name));
            ("named", "tool_choice")
        }
    };
    part.traits.push("tool_choice".into());
    if ["required", "named"].contains(&word) {
        part.traits.push("forced_tool".into());
    }
    match own.choice.get(word) {
        Some(fields) => merged(part, fields, &gaps),
        None if intent.on_unsupported == OnUnsupported::Degrade => {
            part.warnings.push(Warning::DegradedToPrompt { feature: feature.to_owned() });
            part.losses.push(RequestLoss {
                lost: feature.to_owned(),
                pointer: "/tool_choice".to_owned(),
                reason: "only the prompt asks for it".to_owned(),
            });
            part.prompt = crate::prompt::words(&intent.kind);
            Ok(())
        }
        None => Err(vec![Problem::new(&facts.family, "unsupported").detail(feature)]),
    }
}

fn merged(
    part: &mut Part,
    fields: &serde_json::Map<String, Value>,
    gaps: &Gaps,
) -> Result<(), Vec<Problem>> {
    let fields = fill::fields(fields, gaps);
    crate::merge::merge(&mut part.fields, &fields)
        .map_err(|conflict| vec![Problem::new("intent", "conflict").at(&conflict.pointer)])
}
