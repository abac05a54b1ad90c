//! Reads the answer out of a provider's response.

use serde_json::{Value, json};
use thiserror::Error;

use crate::facts::{Facts, Several, Sign};
use crate::lenient::json_in;
use crate::place::Place;
use crate::schema::Restore;

/// Where the answer is, and how it is decoded.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The place in the response.
    pub at: Place,
    /// What of the JSON value is the answer, as a pointer; `None` is all of it.
    pub unwrap: Option<String>,
    /// Where null means that there is nothing, as pointers into the answer: `*` is any item,
    /// `**` any number of steps.
    pub drop_null: Vec<String>,
    pub(crate) form: Form,
    pub(crate) restore: Option<Restore>,
    /// What the answer is one of.
    pub(crate) choices: Vec<String>,
    /// Only the prompt asked for the form.
    pub(crate) prompted: bool,
    pub(crate) signs: Signs,
}

/// What stands at the place of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Text,
    /// A JSON value, or the text of one.
    Json,
}

/// How an answer that is none is told.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Signs {
    refusals: Vec<(Place, Vec<String>)>,
    truncations: Vec<(Place, Vec<String>)>,
    skip: Option<String>,
    several: Several,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The provider or the model refused.
    #[error("the model refused: {why}")]
    Refused {
        /// What the response says.
        why: String,
    },
    /// The answer breaks off, so it need not be of the form.
    #[error("the answer breaks off: {why}")]
    Truncated {
        /// What the response says.
        why: String,
    },
    /// Nothing stands at the place of the answer.
    #[error("the response has nothing at {at}")]
    Missing {
        /// The place.
        at: String,
    },
    /// The answer should be JSON and is not.
    #[error("the answer is not JSON: {message}")]
    NotJson {
        /// What is wrong with it.
        message: String,
        /// The answer.
        text: String,
    },
    /// The JSON lacks the member that holds the answer.
    #[error("the answer has nothing at {pointer}")]
    NotWrapped {
        /// The pointer of the member.
        pointer: String,
    },
    /// The answer is none of the choices.
    #[error("the answer {text:?} is none of the choices")]
    NotAChoice {
        /// The answer.
        text: String,
    },
    /// Reading the value takes too long.
    #[error("the answer is too complex to be read")]
    TooComplex,
}

/// A call of a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// Where calls of tools are.
#[derive(Clone, PartialEq, Debug)]
pub struct Calls {
    pub(crate) calls: Place,
    pub(crate) name: Place,
    pub(crate) arguments: Place,
    pub(crate) restore: Vec<(String, Restore)>,
    pub(crate) signs: Signs,
}

impl Signs {
    pub(crate) fn of(facts: &Facts) -> Self {
        let places = |signs: &[Sign]| {
            signs.iter().map(|sign| (place(&sign.at), sign.values.clone())).collect()
        };
        Self {
            refusals: places(&facts.answer.refusals),
            truncations: places(&facts.answer.truncations),
            skip: facts.answer.skip.clone(),
            several: facts.answer.several,
        }
    }

    fn check(&self, response: &Value) -> Result<(), AnswerError> {
        if let Some(why) = self.shown(&self.refusals, response) {
            return Err(AnswerError::Refused { why });
        }
        match self.shown(&self.truncations, response) {
            Some(why) => Err(AnswerError::Truncated { why }),
            None => Ok(()),
        }
    }

    fn shown(&self, signs: &[(Place, Vec<String>)], response: &Value) -> Option<String> {
        let found = signs.iter().flat_map(|(place, values)| {
            let found = place.values(response, None).into_iter().filter(|value| !value.is_null());
            found.filter_map(move |value| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (values.is_empty() || values.contains(&text)).then_some(text)
            })
        });
        found.into_iter().next()
    }
}

/// A place that the facts were checked to spell.
pub(crate) fn place(text: &str) -> Place {
    text.parse().expect("the places of facts are checked when they are read")
}

impl Answer {
    pub(crate) fn text(facts: &Facts, at: &str) -> Self {
        Self {
            at: place(at),
            unwrap: None,
            drop_null: Vec::new(),
            form: Form::Text,
            restore: None,
            choices: Vec::new(),
            prompted: false,
            signs: Signs::of(facts),
        }
    }

    /// Reads the answer: a text, or the JSON value that was asked for.
    ///
    /// # Errors
    /// [`AnswerError`] for a refusal, an answer that breaks off, and one that is not of the form.
    pub fn read(&self, response: &Value) -> Result<Value, AnswerError> {
        self.signs.check(response)?;
        let found = self.at.values(response, self.signs.skip.as_deref());
        let missing = || AnswerError::Missing { at: self.at.to_string() };
        let first = *found.first().ok_or_else(missing)?;
        let whole = match first.as_str() {
            Some(text) if self.signs.several == Several::First => Value::from(text),
            Some(_) => Value::from(found.iter().filter_map(|v| v.as_str()).collect::<String>()),
            None if first.is_null() => return Err(missing()),
            None => first.clone(),
        };
        self.decode(whole)
    }

    /// Reads the answer from what stands at its place.
    ///
    /// # Errors
    /// [`AnswerError`] if it is not of the form.
    pub fn decode(&self, whole: Value) -> Result<Value, AnswerError> {
        let mut value = match (self.form, &whole) {
            (Form::Json, Value::String(text)) => self.json(text)?,
            _ => whole,
        };
        if let Some(pointer) = &self.unwrap {
            let inner = value.pointer_mut(pointer).map(Value::take);
            value = inner.ok_or_else(|| AnswerError::NotWrapped { pointer: pointer.clone() })?;
        }
        if let Some(restore) = &self.restore {
            restore.apply(&mut value).map_err(|_| AnswerError::TooComplex)?;
        }
        if self.choices.is_empty() { Ok(value) } else { self.choice(&value) }
    }

    fn json(&self, text: &str) -> Result<Value, AnswerError> {
        let lenient = || if self.prompted { json_in(text) } else { None };
        serde_json::from_str(text).or_else(|error| {
            lenient().ok_or_else(|| AnswerError::NotJson {
                message: error.to_string(),
                text: text.to_owned(),
            })
        })
    }

    fn choice(&self, value: &Value) -> Result<Value, AnswerError> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if self.choices.contains(&text) {
            return Ok(Value::String(text));
        }
        let folded = text.trim().to_lowercase();
        let mut same = self.choices.iter().filter(|choice| choice.to_lowercase() == folded);
        match (same.next(), same.next()) {
            (Some(choice), None) => Ok(Value::from(choice.as_str())),
            _ => Err(AnswerError::NotAChoice { text }),
        }
    }

    /// Whether only the prompt asked for the form.
    #[must_use]
    pub fn is_prompted(&self) -> bool {
        self.prompted
    }

    /// The same as JSON: `at`, and `unwrap` and `drop_null` where there are any.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut shown = json!({ "at": self.at.to_string() });
        if let Some(pointer) = &self.unwrap {
            shown["unwrap"] = json!(pointer);
        }
        if !self.drop_null.is_empty() {
            shown["drop_null"] = json!(self.drop_null);
        }
        shown
    }
}

impl Calls {
    /// Reads the calls, in their order.
    ///
    /// # Errors
    /// [`AnswerError`] for a refusal, an answer that breaks off, and arguments that are no JSON.
    pub fn read(&self, response: &Value) -> Result<Vec<Call>, AnswerError> {
        self.signs.check(response)?;
        let calls = self.calls.values(response, None);
        calls.into_iter().map(|call| self.call(call)).collect()
    }

    fn call(&self, call: &Value) -> Result<Call, AnswerError> {
        let one = |place: &Place| {
            let missing = AnswerError::Missing { at: self.calls.then(place).to_string() };
            place.values(call, None).first().map(|value| (*value).clone()).ok_or(missing)
        };
        let name = one(&self.name)?.as_str().unwrap_or_default().to_owned();
        let mut arguments = match one(&self.arguments)? {
            Value::String(text) => serde_json::from_str(&text)
                .map_err(|error| AnswerError::NotJson { message: error.to_string(), text })?,
            value => value,
        };
        if let Some((_, restore)) = self.restore.iter().find(|(own, _)| *own == name) {
            restore.apply(&mut arguments).map_err(|_| AnswerError::TooComplex)?;
        }
        Ok(Call { name, arguments })
    }

    /// The same as JSON: `at`, and `drop_null` by the tool where there is any.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut shown = json!({ "at": self.calls.then(&self.arguments).to_string() });
        for (name, restore) in &self.restore {
            let places = restore.places();
            if !places.is_empty() {
                shown["drop_null"][name] = json!(places);
            }
        }
        shown
    }
}
