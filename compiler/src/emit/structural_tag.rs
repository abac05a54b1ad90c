//! Says an [`Ir`] as a structural tag: the JSON formats of XGrammar 0.2.9, or older ones alone.
//!
//! Each part takes the most readable format that holds it exactly; what no other format holds is
//! an embedded EBNF grammar, which holds everything.

mod held;
mod tags;

use serde_json::{Map, Value, json};

use super::{DEPTH_MAX, Dialect, EmitError, Emitted, Exactness, Loss, Place, Step};
use super::{ebnf, finish, plain};
use crate::ir::{Anything, Dispatch, FreeText, Ir, Kind, Literal, Repeat, Special, Triggers};

/// The largest count of a `repeat`: from there on XGrammar drops the bound.
const COUNT_MAX: u32 = i32::MAX as u32;

/// Which formats a structural tag is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TagFormats {
    /// Those of XGrammar 0.2.9.
    Current,
    /// Those that version 0.1.27 knows, which web-llm carries: constant text, schemas, regular
    /// expressions, grammars, sequences, choices, tags and free text without anything excluded.
    Legacy,
}

pub(super) fn emit(
    ir: &Ir,
    formats: TagFormats,
    exactness: Exactness,
) -> Result<Emitted, EmitError> {
    let legacy = formats == TagFormats::Legacy;
    let place = Place::default();
    let mut emitter = Emitter { legacy, losses: Vec::new(), place, depth: 0 };
    let format = emitter.format(ir)?;
    let tag = json!({ "type": "structural_tag", "format": format });
    finish(format!("{tag:#}\n"), emitter.losses, exactness)
}

struct Emitter {
    legacy: bool,
    losses: Vec<Loss>,
    place: Place,
    depth: usize,
}

impl Emitter {
    fn format(&mut self, ir: &Ir) -> Result<Value, EmitError> {
        if self.depth == DEPTH_MAX {
            return Err(EmitError::TooDeep { depth_max: DEPTH_MAX });
        }
        self.depth += 1;
        let format = match ir.kind() {
            Kind::Text(text) => constant(&text.string),
            Kind::Sequence(parts) if parts.is_empty() => constant(""),
            Kind::Sequence(parts) => self.sequence(parts)?,
            Kind::Choice(arms) if !arms.is_empty() => {
                json!({ "type": "or", "elements": self.all(arms, &Step::Arm)? })
            }
            Kind::Repeat(repeat) => self.repeat(ir, repeat)?,
            Kind::Regex(regex) if plain::is_plain(&regex.pattern) => {
                json!({ "type": "regex", "pattern": &*regex.pattern })
            }
            Kind::Schema(schema)
                if schema.options.style.is_none() && held::is_held(&schema.source) =>
            {
                json!({ "type": "json_schema", "json_schema": *schema.source })
            }
            Kind::Anything(anything) => match any_text(anything, self.legacy) {
                Some(format) => format,
                None => self.grammar(ir)?,
            },
            Kind::Dispatch(dispatch) => self.dispatch(ir, dispatch)?,
            Kind::Capture(capture) => {
                self.losses.push(super::capture(&capture.name, self.place.clone()));
                self.inner(&capture.body, Step::Body)?
            }
            Kind::Special(Special::Spelled(spelling)) if !self.legacy => {
                json!({ "type": "token", "token": &**spelling })
            }
            Kind::Special(Special::Stop) => constant(""),
            _ => self.grammar(ir)?,
        };
        self.depth -= 1;
        Ok(format)
    }

    fn inner(&mut self, ir: &Ir, step: Step) -> Result<Value, EmitError> {
        self.place.0.push(step);
        let format = self.format(ir)?;
        self.place.0.pop();
        Ok(format)
    }

    fn all(&mut self, irs: &[Ir], step: &dyn Fn(usize) -> Step) -> Result<Vec<Value>, EmitError> {
        irs.iter().enumerate().map(|(at, ir)| self.inner(ir, step(at))).collect()
    }

    /// In older formats, free text that holds no end of what follows is a tag with that end.
    fn sequence(&mut self, parts: &[Ir]) -> Result<Value, EmitError> {
        let mut elements: Vec<Value> = Vec::new();
        let mut at = 0;
        while at < parts.len() {
            if self.legacy
                && let [Some(begin), end] = [parts.get(at), parts.get(at + 2)].map(text)
                && let Some(tag) = tags::around(begin, parts.get(at + 1), end)
            {
                elements.push(tag);
                at += 3;
                continue;
            }
            if self.legacy
                && let Some(end) = text(parts.get(at + 1))
                && let Some(tag) = tags::around("", parts.get(at), Some(end))
            {
                elements.push(tag);
                at += 2;
                continue;
            }
            elements.push(self.inner(&parts[at], Step::Part(at))?);
            at += 1;
        }
        Ok(match elements.len() {
            1 => elements.remove(0),
            _ => json!({ "type": "sequence", "elements": elements }),
        })
    }

    fn repeat(&mut self, ir: &Ir, repeat: &Repeat) -> Result<Value, EmitError> {
        let Repeat { body, min, max, separator } = repeat;
        if min.max(&max.unwrap_or(0)) > &COUNT_MAX {
            return self.grammar(ir);
        }
        if let Some(format) = self.tags_with_separator(repeat)? {
            return Ok(format);
        }
        if self.legacy {
            return match (min, max) {
                (0, Some(1)) => {
                    let body = self.inner(body, Step::Body)?;
                    Ok(json!({ "type": "or", "elements": [body, constant("")] }))
                }
                _ => self.grammar(ir),
            };
        }
        let body = self.inner(body, Step::Body)?;
        let Some(separator) = separator else {
            return Ok(counted(body, *min, *max));
        };
        let separator = self.inner(separator, Step::Separator)?;
        let (fewer, most) = (min.saturating_sub(1), max.map(|max| max - 1));
        let some = match most {
            Some(0) => body,
            _ => {
                let more = json!({ "type": "sequence", "elements": [separator, body] });
                json!({ "type": "sequence", "elements": [body, counted(more, fewer, most)] })
            }
        };
        Ok(if *min == 0 { counted(some, 0, Some(1)) } else { some })
    }

    /// Iterations that are tags, with a text between them.
    fn tags_with_separator(&mut self, repeat: &Repeat) -> Result<Option<Value>, EmitError> {
        let Some(separator) = text(repeat.separator.as_ref()) else { return Ok(None) };
        if repeat.min > 1 || repeat.max.is_some() {
            return Ok(None);
        }
        self.place.0.push(Step::Body);
        let tags = self.tags("", &repeat.body)?;
        self.place.0.pop();
        Ok(tags.map(|tags| {
            let mut format = object("tags_with_separator");
            format.insert("tags".into(), tags.into());
            format.insert("separator".into(), separator.into());
            set(&mut format, "at_least_one", repeat.min == 1);
            Value::Object(format)
        }))
    }

    /// The arms of `body` as tags that begin with `begin` and what the arm begins with; `None`
    /// if free text in one of them would not be what it is.
    fn tags(&mut self, begin: &str, body: &Ir) -> Result<Option<Vec<Value>>, EmitError> {
        let arms = match body.kind() {
            Kind::Choice(arms) if !arms.is_empty() => arms.as_slice(),
            _ => std::slice::from_ref(body),
        };
        let losses = self.losses.len();
        let mut tags = Vec::with_capacity(arms.len());
        for arm in arms {
            let (begun, parts, ends) = tags::cut(begin, arm);
            let content = self.format(&Ir::sequence(parts.iter().cloned()))?;
            // Older versions take one end.
            let ends = Some(ends).filter(|ends| !self.legacy || ends.len() == 1);
            match ends.and_then(|ends| tags::tag(begun, content, &ends)) {
                Some(tag) => tags.push(tag),
                None => {
                    self.losses.truncate(losses);
                    return Ok(None);
                }
            }
        }
        Ok(Some(tags))
    }

    fn dispatch(&mut self, ir: &Ir, dispatch: &Dispatch) -> Result<Value, EmitError> {
        let Some(dispatch) = &without_end(dispatch) else { return self.grammar(ir) };
        let triggers = &dispatch.triggers;
        let excluded = !triggers.excludes.is_empty();
        if self.legacy && excluded {
            return self.grammar(ir);
        }
        let mut all = Vec::new();
        for (trigger, body) in &triggers.rules {
            match self.tags(trigger.as_str(), body)? {
                Some(tags) => all.extend(tags),
                None if self.legacy => return self.grammar(ir),
                None => return self.patterns(dispatch),
            }
        }
        self.losses.extend(super::text_name(triggers, &self.place));
        let names: Vec<&str> = triggers.rules.iter().map(|(name, _)| name.as_str()).collect();
        let mut format = object("triggered_tags");
        format.insert("triggers".into(), names.into());
        format.insert("tags".into(), all.into());
        set(&mut format, "at_least_one", triggers.at_least_one);
        set(&mut format, "stop_after_first", triggers.stop_after_first);
        if excluded {
            format.insert("excludes".into(), strings(&triggers.excludes));
        }
        Ok(Value::Object(format))
    }

    /// As patterns with what follows each, which excludes nothing by itself.
    fn patterns(&mut self, dispatch: &Dispatch) -> Result<Value, EmitError> {
        let triggers = &dispatch.triggers;
        self.losses.extend(super::text_name(triggers, &self.place));
        let (mut rules, mut first) = (Vec::new(), Vec::new());
        for (at, (trigger, body)) in triggers.rules.iter().enumerate() {
            let body = self.inner(body, Step::Arm(at))?;
            let pattern = constant(trigger.as_str());
            first.push(json!({ "type": "sequence", "elements": [pattern, body] }));
            rules.push(json!([trigger.as_str(), body]));
        }
        let first = json!({ "type": "or", "elements": first });
        if triggers.at_least_one && triggers.stop_after_first {
            return Ok(first);
        }
        let mut format = object("dispatch");
        format.insert("rules".into(), rules.into());
        if triggers.stop_after_first {
            format.insert("loop".into(), false.into());
        }
        if !triggers.excludes.is_empty() {
            format.insert("excludes".into(), strings(&triggers.excludes));
        }
        Ok(match triggers.at_least_one {
            true => json!({ "type": "sequence", "elements": [first, format] }),
            false => Value::Object(format),
        })
    }

    fn grammar(&mut self, ir: &Ir) -> Result<Value, EmitError> {
        let emitted = ebnf::emit(ir, Dialect::XGrammar, Exactness::Lossy)?;
        self.losses.extend(emitted.losses.into_iter().map(|loss| {
            let steps = self.place.0.iter().chain(&loss.place.0).cloned();
            Loss { place: Place(steps.collect()), ..loss }
        }));
        Ok(json!({ "type": "grammar", "grammar": emitted.text }))
    }
}

fn text(ir: Option<&Ir>) -> Option<&str> {
    match ir?.kind() {
        Kind::Text(text) => Some(&text.string),
        _ => None,
    }
}

fn object(kind: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), kind.into())])
}

/// Switches of a format are off if they are not there.
fn set(format: &mut Map<String, Value>, name: &str, on: bool) {
    if on {
        format.insert(name.into(), true.into());
    }
}

fn constant(text: &str) -> Value {
    json!({ "type": "const_string", "value": text })
}

fn counted(content: Value, min: u32, max: Option<u32>) -> Value {
    match (min, max) {
        (1, Some(1)) => content,
        (0, Some(1)) => json!({ "type": "optional", "content": content }),
        (0, None) => json!({ "type": "star", "content": content }),
        (1, None) => json!({ "type": "plus", "content": content }),
        (min, max) => {
            let max = max.map_or(-1, i64::from);
            json!({ "type": "repeat", "min": min, "max": max, "content": content })
        }
    }
}

fn strings(literals: &[Literal]) -> Value {
    literals.iter().map(Literal::as_str).collect::<Vec<_>>().into()
}

/// The same triggers with what ends them as what is excluded, if no text tells the two apart.
fn without_end(dispatch: &Dispatch) -> Option<Dispatch> {
    let triggers = &dispatch.triggers;
    if triggers.until.is_empty() {
        return Some(dispatch.clone());
    }
    let excludes = triggers.until.iter().chain(&triggers.excludes).cloned().collect();
    let same = Ir::dispatch(Triggers { until: Vec::new(), excludes, ..triggers.clone() }).ok()?;
    match same.kind() {
        Kind::Dispatch(same) if same.body == dispatch.body => Some(same.clone()),
        _ => None,
    }
}

/// Free text as `any_text`, if the texts that may stand before its delimiters are just those
/// that hold none. It is not so for a delimiter that overlaps itself: before `\n\n` no text may
/// end in `\n`.
fn any_text(anything: &Anything, legacy: bool) -> Option<Value> {
    let Anything { until, limits, body } = anything;
    let excludes: Vec<Literal> = until.iter().chain(&limits.excludes).cloned().collect();
    let bounded = limits.max_chars.is_some() || limits.max_tokens.is_some();
    if limits.special || limits.min_chars > 0 || (legacy && (bounded || !excludes.is_empty())) {
        return None;
    }
    if !until.is_empty() {
        let limits = FreeText { excludes: excludes.clone(), ..limits.clone() };
        let same = Ir::free_text([], limits).ok()?;
        let Kind::Anything(same) = same.kind() else { return None };
        if same.body != *body {
            return None;
        }
    }
    let mut format = object("any_text");
    if !excludes.is_empty() {
        format.insert("excludes".into(), strings(&excludes));
    }
    if let Some(max) = limits.max_chars {
        format.insert("max_chars".into(), max.into());
    }
    if let Some(max) = limits.max_tokens {
        format.insert("max_tokens".into(), max.into());
    }
    Some(Value::Object(format))
}
