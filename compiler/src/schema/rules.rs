//! A compiled schema: its rules, made when they are first called.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::SchemaError;
use super::formula::Formula;
use super::options::SchemaOptions;
use super::schemas::Schemas;
use super::values::{Lowering, Rule};
use crate::ir::{self, Facts, GrammarError, Ir, RuleError, RuleId, Rules};

/// The most rules of a schema that are made all at once.
const RULES_MAX: usize = 10_000;

/// The rules of a schema, and what was relaxed to get them.
pub(crate) struct Compiled {
    pub(crate) rules: Arc<dyn Rules>,
    pub(crate) relaxed: Arc<[SchemaError]>,
    pub(crate) repaired: Arc<[SchemaError]>,
    pub(crate) facts: Facts,
}

/// The JSON texts that are valid for `source`, as rules.
pub(crate) fn compile(source: &Value, options: &SchemaOptions) -> Result<Compiled, SchemaError> {
    let source = &effective(source, options);
    let mut schemas = Schemas::new(source, options)?;
    schemas.survey()?;
    let root = schemas.root;
    if schemas.is_empty(root)? {
        return Err(schemas.unsatisfiable(root));
    }
    let mut lowering = Lowering::new(schemas);
    let mut made = lowering.look_ahead()?;
    let start = lowering.number(lowering.first());
    let facts = match options.style {
        Some(_) => lowering.make_entries(&mut made)?,
        None => Facts::json(),
    };
    let relaxed = lowering.schemas.relaxed.as_slice().into();
    let repaired = lowering.schemas.repaired.as_slice().into();
    let rules = Arc::new(Lazy { start, made: Mutex::new(Made { lowering, bodies: made }) });
    Ok(Compiled { rules, relaxed, repaired, facts })
}

/// A schema as one language, without registers for numbers.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) ir: Ir,
    /// The pointer of the first number some of whose spellings are left out.
    pub(crate) narrowed: Option<String>,
}

/// All rules of `source` as one language.
pub(crate) fn body(source: &Value, options: &SchemaOptions) -> Result<Body, RuleError> {
    whole(source, options).map_err(|error| RuleError(error.to_string()))
}

fn whole(source: &Value, options: &SchemaOptions) -> Result<Body, SchemaError> {
    let source = &effective(source, options);
    let mut schemas = Schemas::new(source, options)?;
    schemas.survey()?;
    let mut lowering = Lowering::new(schemas);
    lowering.inlined = Some(Vec::new());
    let start = lowering.number(lowering.first());
    let mut bodies = Vec::new();
    while let Some(rule) = lowering.rules().get(bodies.len()).copied() {
        if bodies.len() >= RULES_MAX {
            let message = format!("the schema has more than {RULES_MAX} rules");
            return Err(SchemaError::too_large("", message));
        }
        bodies.push(lowering.body(rule)?);
    }
    let narrowed = lowering.narrowed.take();
    if let [only] = bodies.as_slice()
        && only.facts().is_some()
    {
        return Ok(Body { ir: only.clone(), narrowed });
    }
    let names = lowering.names();
    let rules = names.into_iter().zip(bodies);
    let rules = rules.map(|(name, body)| ir::Rule { name, body }).collect();
    let ir = Ir::grammar(rules, start).map_err(|error: GrammarError| {
        SchemaError::invalid("", format!("the schema refers to itself: {error}"))
    })?;
    Ok(Body { ir, narrowed })
}

/// What `source` says; no schema at all is that of a call without arguments, if it has a style.
fn effective<'a>(source: &'a Value, options: &SchemaOptions) -> Cow<'a, Value> {
    match (source, &options.style) {
        (Value::Null, Some(_)) => {
            Cow::Owned(json!({ "type": "object", "additionalProperties": false }))
        }
        _ => Cow::Borrowed(source),
    }
}

/// Rules that are made when they are first called.
#[derive(Debug)]
struct Lazy {
    start: RuleId,
    made: Mutex<Made>,
}

#[derive(Debug)]
struct Made {
    lowering: Lowering,
    bodies: HashMap<RuleId, Ir>,
}

impl Rules for Lazy {
    fn start(&self) -> RuleId {
        self.start
    }

    fn body(&self, rule: RuleId) -> Result<Ir, RuleError> {
        // A rule that was being made when a thread died is made again.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(body) = made.bodies.get(&rule) {
            return Ok(body.clone());
        }
        let Some(meaning) = made.lowering.rules().get(rule.0 as usize).copied() else {
            return Err(RuleError(format!("there is no rule {}", rule.0)));
        };
        let body = made.lowering.body(meaning).map_err(|error| {
            RuleError(format!("{error} (at {:?} in the schema)", error.pointer))
        })?;
        made.bodies.insert(rule, body.clone());
        Ok(body)
    }
}

impl Lowering {
    /// The rule of the whole schema.
    fn first(&self) -> Rule {
        let root = self.schemas.root;
        let style = self.schemas.options.style.as_ref();
        match style.is_some_and(|style| style.entry.is_some()) {
            true => Rule::Entries(root),
            false => Rule::Value(root, 0),
        }
    }

    /// Makes the rules of the style at once, since what cannot be written is only found so.
    fn make_entries(&mut self, made: &mut HashMap<RuleId, Ir>) -> Result<Facts, SchemaError> {
        let first = self.number(self.first()).0 as usize;
        let (mut at, mut facts) = (0, None);
        while let Some(rule) = self.rules().get(at).copied() {
            if let Rule::Entries(_) | Rule::Items(_) = rule {
                let body = self.body(rule)?;
                if at == first {
                    facts = Some(Facts::of_rule(&body));
                }
                made.insert(RuleId(at as u32), body);
            }
            at += 1;
        }
        // What begins a value depends on the notation.
        Ok(facts.unwrap_or_else(|| Facts::of_rule(&Ir::call(RuleId(0)))))
    }

    /// A name for each rule that was called, all different: the last part of its pointer, if
    /// there is one.
    fn names(&self) -> Vec<String> {
        let mut used: HashMap<String, usize> = HashMap::new();
        let mut names = Vec::new();
        for rule in self.rules() {
            let wanted = match rule {
                Rule::Gap => "gap".to_owned(),
                Rule::Types(types, _) => types.name().to_owned(),
                Rule::Value(formula, _) => self.formula_name(*formula),
                Rule::Entries(formula) => format!("{}_entries", self.formula_name(*formula)),
                Rule::Items(formula) => format!("{}_items", self.formula_name(*formula)),
            };
            let mut name = wanted.clone();
            let number = used.entry(wanted.clone()).or_insert(0);
            *number += 1;
            let mut at = *number;
            while at > 1 || used.get(&name).is_some_and(|n| *n > 1 && name != wanted) {
                name = format!("{wanted}-{at}");
                if !used.contains_key(&name) {
                    used.insert(name.clone(), 1);
                    break;
                }
                at += 1;
            }
            names.push(name);
        }
        names
    }

    fn formula_name(&self, formula: Formula) -> String {
        let pointer = self.schemas.pointer(self.schemas.place(formula));
        let last = pointer.rsplit('/').next().unwrap_or_default();
        if last.is_empty() {
            return "root".into();
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name: String = last.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
    }
}
