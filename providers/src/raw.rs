//! Checks fields of the provider's own against its rules.

use serde_json::{Map, Value};

use crate::facts::{Facts, RawRule};
use crate::problem::Problem;

type Members = Map<String, Value>;

/// The rules that `fields` break; null counts as absent.
pub(crate) fn problems(facts: &Facts, fields: &Members) -> Vec<Problem> {
    facts.raw.iter().filter_map(|rule| broken(facts, rule, fields)).collect()
}

fn broken(facts: &Facts, rule: &RawRule, fields: &Members) -> Option<Problem> {
    let inside = match rule.at.as_str() {
        "" => fields,
        at => fields.get(at)?.as_object()?,
    };
    let has = |name: &String| inside.get(name).is_some_and(|value| !value.is_null());
    let says =
        |wanted: &Members| wanted.iter().all(|(name, value)| inside.get(name) == Some(value));
    let off = rule.unless.iter().any(|(name, value)| inside.get(name) == Some(value));
    let problem = || Problem::new(&facts.family, &rule.error);
    if off {
        return None;
    }
    if let Some(name) = rule.removed.iter().find(|name| has(name)) {
        return Some(problem().detail(name));
    }
    let given = |names: &[String]| names.iter().filter(|name| has(name)).count();
    let mistaken = rule.present.as_ref().is_some_and(has) && !says(&rule.needs);
    let lacking = says(&rule.when) && rule.needs_present.as_ref().is_some_and(|name| !has(name));
    let counted = (!rule.exactly_one.is_empty() && given(&rule.exactly_one) != 1)
        || (!rule.at_most_one.is_empty() && given(&rule.at_most_one) > 1)
        || (!rule.not_both.is_empty() && given(&rule.not_both) > 1);
    (mistaken || lacking || counted).then(problem)
}
