//! The providers side by side, from their facts.

use crate::facts::{Facts, FactsError, Objects, Providers, Recursion, Required, Root, Strict};
use crate::request::{Support, supports};

/// The table of all providers as Markdown, with the day of each provider's facts.
///
/// # Errors
/// [`FactsError`] if facts of the caller's own cannot be read.
pub fn matrix(providers: &Providers) -> Result<String, FactsError> {
    let facts: Result<Vec<Facts>, FactsError> =
        providers.names().map(|name| providers.facts(name, None)).collect();
    let facts = facts?;
    let mut table = String::from("| |");
    for own in &facts {
        table += &format!(" {} |", own.title);
    }
    table += "\n|---|";
    table += &"---|".repeat(facts.len());
    table.push('\n');
    for (title, cell) in ROWS {
        table += &format!("| {title} |");
        for own in &facts {
            table += &format!(" {} |", cell(own).replace('|', "\\|"));
        }
        table.push('\n');
    }
    let mut days: Vec<&str> = facts.iter().map(|own| own.as_of.as_str()).collect();
    days.sort_unstable();
    days.dedup();
    table += &format!("\nAs of {}.\n", days.join(", "));
    Ok(table)
}

type Row = (&'static str, fn(&Facts) -> String);

const ROWS: &[Row] = &[
    ("name", |facts| format!("`{}`", facts.provider)),
    ("request", |facts| facts.endpoint.clone().unwrap_or_default()),
    ("JSON object", |facts| way(facts, "json_object")),
    ("JSON Schema", |facts| way(facts, "json_schema")),
    ("choice", |facts| way(facts, "choice")),
    ("regular expression", |facts| way(facts, "regex")),
    ("grammar", |facts| match facts.formats.get("grammar") {
        Some(way) => format!("{} ({})", parameter(facts, "grammar"), way.syntaxes.join(", ")),
        None => "no".to_owned(),
    }),
    ("structural tag", |facts| way(facts, "structural_tag")),
    ("tools", |facts| if facts.tools.is_some() { "yes" } else { "no" }.to_owned()),
    ("arguments held", |facts| {
        let word = |tools: &crate::facts::ToolFacts| match tools.strict {
            Strict::Flag | Strict::WrittenFlag => "by `strict`",
            Strict::Mode => "by the mode",
            Strict::Forced => "where a call is forced",
            Strict::Always => "always",
            Strict::None => "no",
        };
        facts.tools.as_ref().map_or("no", word).to_owned()
    }),
    ("forced call", |facts| {
        let named =
            |word: &str| facts.tools.as_ref().is_some_and(|own| own.choice.contains_key(word));
        match (named("required"), named("named")) {
            (true, true) => "any, named",
            (true, false) => "any",
            _ => "no",
        }
        .to_owned()
    }),
    ("objects closed", |facts| must(facts.schema.objects == Objects::Closed)),
    ("all properties required", |facts| must(facts.schema.required == Required::All)),
    ("root", |facts| {
        match facts.schema.root {
            Root::Any => "any",
            Root::Object => "object (others are wrapped)",
            Root::Properties => "object with properties (others are wrapped)",
        }
        .to_owned()
    }),
    ("recursion", |facts| {
        match facts.schema.recursion {
            Recursion::Any => "yes",
            Recursion::Optional => "in properties that are not required",
            Recursion::None => "no",
        }
        .to_owned()
    }),
    ("levels at most", |facts| most(facts.schema.limits.depth)),
    ("properties at most", |facts| most(facts.schema.limits.properties)),
    ("enum values at most", |facts| most(facts.schema.limits.enum_values)),
    ("optional properties at most", |facts| most(facts.schema.limits.optional_parameters)),
    ("thinking", |facts| facts.thinking.clone()),
    ("answer", |facts| format!("`{}`", facts.answer.text)),
    ("doubtful", |facts| facts.doubtful.join("; ")),
    ("as of", |facts| facts.as_of.clone()),
];

fn must(must: bool) -> String {
    if must { "yes, must be" } else { "no" }.to_owned()
}

fn most(limit: Option<u64>) -> String {
    limit.map_or_else(String::new, |most| most.to_string())
}

/// How a kind is said: by which parameter, or as which other kind.
fn way(facts: &Facts, feature: &str) -> String {
    match (supports(facts, feature), facts.formats.get(feature)) {
        (Support::Native, _) => parameter(facts, feature),
        (Support::Emulated, Some(way)) => {
            let via = way.via.clone().unwrap_or_default();
            let wrapped = if way.json_wrap { ", as a JSON string" } else { "" };
            format!("as {via}{wrapped}")
        }
        _ => "no".to_owned(),
    }
}

/// The field that a kind is said by, the way to it included.
fn parameter(facts: &Facts, feature: &str) -> String {
    let mut way = Vec::new();
    let mut fields = facts.formats.get(feature).and_then(|way| way.fields.as_ref());
    while let Some(members) = fields {
        let Some((name, value)) = members.iter().next() else { break };
        way.push(name.as_str());
        let inner = value.as_object().filter(|inner| !inner.contains_key("type"));
        fields = inner;
    }
    let gap = |name: &&str| name.len() < 40;
    let shown: Vec<&str> = way.into_iter().filter(gap).take(3).collect();
    format!("`{}`", shown.join("."))
}
