//! Tags, and free text in which they occur.

use serde_json::Value;

use super::fields::Fields;
use super::{Place, Read, Reader, TagFault, literals, token};
use crate::grammars::free::{self, Free};
use crate::ir::{Ir, Literal, Origin, Triggers};

/// What begins a tag, what is in it, and what ends it.
pub(super) struct Tag {
    begin: Mark,
    content: Ir,
    ends: Ir,
}

enum Mark {
    Text(String),
    Token(Ir),
}

impl Tag {
    pub(super) fn whole(self) -> Ir {
        let begin = match self.begin {
            Mark::Text(text) => Ir::value(&text),
            Mark::Token(token) => token,
        };
        Ir::sequence([begin, self.content, self.ends])
    }

    /// What follows the trigger, if the tag begins with it.
    fn behind(&self, trigger: &str) -> Option<Ir> {
        let Mark::Text(begin) = &self.begin else { return None };
        let rest = begin.strip_prefix(trigger)?;
        Some(Ir::sequence([Ir::value(rest), self.content.clone(), self.ends.clone()]))
    }
}

impl Reader<'_> {
    pub(super) fn tag(self, fields: &Fields<'_>) -> Result<Tag, TagFault> {
        fields.only(&["type", "begin", "content", "end"])?;
        let begin = match fields.need("begin")? {
            Value::String(text) => Mark::Text(text.clone()),
            token => Mark::Token(self::mark(token, &fields.at("begin"))?),
        };
        let (mut ends, mut marks) = (Vec::new(), Vec::new());
        match fields.need("end")? {
            Value::String(end) => ends.push(end.clone()),
            Value::Array(list) if !list.is_empty() => {
                for (at, end) in list.iter().enumerate() {
                    let place = fields.at("end");
                    let end = end.as_str().ok_or_else(|| {
                        Place::Item(&place, at).fault("an end among others is a string")
                    })?;
                    ends.push(end.to_owned());
                }
            }
            token => marks.push(self::mark(token, &fields.at("end"))?),
        }
        let inner = Reader { ends: &ends, ..self };
        let content = inner.format(fields.need("content")?, &fields.at("content"))?;
        marks.extend(ends.iter().map(|end| Ir::value(end)));
        Ok(Tag { begin, content, ends: Ir::choice(marks) })
    }

    /// The tags of the field `tags`, at least one.
    fn tags(self, fields: &Fields<'_>) -> Result<Vec<Tag>, TagFault> {
        let place = fields.at("tags");
        let list = fields.list("tags")?;
        if list.is_empty() {
            return Err(place.fault("there are no tags"));
        }
        let each = list.iter().enumerate().map(|(at, tag)| {
            let place = Place::Item(&place, at);
            let fields = Fields::of(tag, &place)?;
            match fields.get("type") {
                None => self.tag(&fields),
                Some(kind) if kind == "tag" => self.tag(&fields),
                Some(_) => Err(fields.fault("type", "this must be a `tag`")),
            }
        });
        each.collect()
    }

    pub(super) fn tags_with_separator(self, fields: &Fields<'_>) -> Read {
        fields.only(&["type", "tags", "separator", "at_least_one", "stop_after_first"])?;
        let separator = Ir::value(fields.string("separator")?);
        let tags = Ir::choice(self.tags(fields)?.into_iter().map(Tag::whole));
        let min = u32::from(fields.switch("at_least_one")?);
        match fields.switch("stop_after_first")? {
            true => Ok(Ir::repeat(tags, min, Some(1), None)),
            false => Ok(Ir::repeat(tags, min, None, Some(separator))),
        }
    }

    pub(super) fn triggered_tags(self, fields: &Fields<'_>) -> Read {
        let known = ["type", "triggers", "tags", "at_least_one", "stop_after_first", "excludes"];
        fields.only(&known)?;
        let triggers = fields.strings("triggers")?;
        if triggers.is_empty() {
            return Err(fields.fault("triggers", "there are no triggers"));
        }
        let mut rules: Vec<(String, Vec<Ir>)> =
            triggers.into_iter().map(|trigger| (trigger, Vec::new())).collect();
        let place = fields.at("tags");
        for (at, tag) in self.tags(fields)?.iter().enumerate() {
            let mut found = false;
            for (trigger, bodies) in &mut rules {
                if let Some(body) = tag.behind(trigger) {
                    if std::mem::replace(&mut found, true) {
                        let place = Place::Item(&place, at);
                        return Err(place.fault("the tag begins with more than one trigger"));
                    }
                    bodies.push(body);
                }
            }
            if !found {
                return Err(Place::Item(&place, at).fault("the tag begins with no trigger"));
            }
        }
        // A trigger without tags stands nowhere.
        let (rules, mut excludes): (Vec<_>, Vec<_>) =
            rules.into_iter().partition(|(_, bodies)| !bodies.is_empty());
        let mut excludes: Vec<String> = excludes.drain(..).map(|(trigger, _)| trigger).collect();
        excludes.extend(fields.strings("excludes")?);
        excludes.extend(self.ends.iter().filter(|end| !end.is_empty()).cloned());
        let started = Started {
            rules: rules.into_iter().map(|(trigger, arms)| (trigger, Ir::choice(arms))).collect(),
            excludes,
            at_least_one: fields.switch("at_least_one")?,
            stop_after_first: fields.switch("stop_after_first")?,
        };
        started.lower(fields.place)
    }

    pub(super) fn dispatch(self, fields: &Fields<'_>) -> Read {
        fields.only(&["type", "rules", "loop", "excludes"])?;
        let place = fields.at("rules");
        let mut rules = Vec::new();
        // What follows a pattern is no content of the enclosing tag.
        let inner = Reader { ends: &[], ..self };
        for (at, rule) in fields.list("rules")?.iter().enumerate() {
            let place = Place::Item(&place, at);
            match rule.as_array().map(Vec::as_slice) {
                Some([Value::String(pattern), format]) if !pattern.is_empty() => {
                    let format = inner.format(format, &Place::Item(&place, 1))?;
                    rules.push((pattern.clone(), format));
                }
                _ => return Err(place.fault("a rule is a pattern and a format")),
            }
        }
        if rules.is_empty() {
            return Err(place.fault("there are no rules"));
        }
        let goes_on = fields.get("loop").is_none_or(Value::is_null) || fields.switch("loop")?;
        let started = Started {
            rules,
            excludes: fields.strings("excludes")?,
            at_least_one: false,
            stop_after_first: !goes_on,
        };
        started.lower(fields.place)
    }
}

fn mark(value: &Value, place: &Place<'_>) -> Read {
    let fields = Fields::of(value, place)?;
    match fields.get("type") {
        Some(kind) if kind == "token" => token(&fields),
        _ => Err(place.fault("this is neither a string nor a token")),
    }
}

struct Started {
    rules: Vec<(String, Ir)>,
    excludes: Vec<String>,
    at_least_one: bool,
    stop_after_first: bool,
}

impl Started {
    fn lower(self, place: &Place<'_>) -> Read {
        let literal = |text: &String| Literal::new(text, Origin::Value);
        let triggers = Triggers {
            rules: self.rules.iter().map(|(text, body)| (literal(text), body.clone())).collect(),
            at_least_one: self.at_least_one,
            stop_after_first: self.stop_after_first,
            excludes: literals(&self.excludes),
            ..Triggers::default()
        };
        if let Ok(dispatch) = Ir::dispatch(triggers) {
            return Ok(dispatch);
        }
        // One trigger begins with another: then both may go on.
        let rules = self.rules.iter();
        let first = rules.map(|(text, body)| Ir::sequence([Ir::value(text), body.clone()]));
        let first = Ir::choice(first.collect::<Vec<_>>());
        if self.at_least_one && self.stop_after_first {
            return Ok(first);
        }
        let goes_on = !self.stop_after_first;
        let free = Free { triggers: self.rules, excludes: self.excludes, goes_on };
        let free = free::lower(&free).map_err(|error| place.fault(error.to_string()))?;
        Ok(if self.at_least_one { Ir::sequence([first, free]) } else { free })
    }
}
