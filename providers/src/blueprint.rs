//! A blueprint's language in the strongest form that a provider takes.

use blueprints_compiler::Outline;
use blueprints_compiler::emit::{Dialect, EmitError, Exactness, TagFormats};
use serde_json::Value;
use thiserror::Error;

use crate::facts::Facts;
use crate::intent::{Intent, Kind, OnUnsupported};
use crate::problem::{Problem, RequestError, Warning};
use crate::request::{Request, request};
use crate::spell;

/// What to put into a request for a blueprint's language; `options` has all else, its kind is not
/// looked at.
///
/// The forms that the provider takes are tried in their order; the first that says all of the
/// language is sent.
///
/// # Errors
/// [`RequestError`] if none does and the intent does not degrade; it then has the reason of each.
pub fn blueprint(
    facts: &Facts,
    outline: &Outline,
    options: &Intent,
) -> Result<Request, RequestError> {
    let mut problems = Vec::new();
    let mut weaker: Option<(Request, Vec<String>)> = None;
    for form in &facts.blueprint {
        let (kind, losses) = match form_of(facts, outline, form) {
            Ok(said) => said,
            Err(reason) => {
                let detail = format!("as {form}: {reason}");
                problems.push(Problem::new(&facts.family, "blueprint").detail(detail));
                continue;
            }
        };
        let strict = OnUnsupported::Error;
        let intent = Intent { kind, on_unsupported: strict, ..options.clone() };
        match request(facts, &intent) {
            Ok(request) if losses.is_empty() => return Ok(request),
            Ok(request) => {
                let detail = format!("as {form}: {}", losses.join("; "));
                problems.push(Problem::new(&facts.family, "blueprint").detail(detail));
                let fewer = weaker.as_ref().is_none_or(|(_, known)| losses.len() < known.len());
                if fewer {
                    weaker = Some((request, losses));
                }
            }
            Err(error) => problems.extend(error.problems),
        }
    }
    if options.on_unsupported == OnUnsupported::Degrade {
        if let Some((mut request, losses)) = weaker {
            let losses = losses.into_iter().map(|loss| Warning::Weaker { loss });
            request.warnings.extend(losses);
            return Ok(request);
        }
        let text = match outline.to_ebnf(Dialect::XGrammar, Exactness::Lossy) {
            Ok(emitted) => emitted.text,
            Err(_) => outline.to_string(),
        };
        let kind = Kind::Grammar { syntax: "ebnf".to_owned(), text };
        return request(&without_grammars(facts), &Intent { kind, ..options.clone() });
    }
    if problems.is_empty() {
        problems.push(Problem::new(&facts.family, "unsupported").detail("blueprint"));
    }
    Err(RequestError { problems })
}

/// The provider, for a language that it was found not to take.
fn without_grammars(facts: &Facts) -> Facts {
    let mut facts = facts.clone();
    facts.formats.remove("grammar");
    facts
}

/// A language as a kind of intent, with what the kind does not say.
type Form = (Kind, Vec<String>);

/// Why a language has no form.
#[derive(Debug, Error)]
enum FormError {
    /// It cannot be said.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// Nothing writes this form.
    #[error("this form cannot be written")]
    Unknown,
    /// The emitter and its reader disagree.
    #[error("what was written does not read")]
    Unreadable,
}

/// The language in a form, with what the form does not say.
fn form_of(facts: &Facts, outline: &Outline, form: &str) -> Result<Form, FormError> {
    let lossy = Exactness::Lossy;
    let (emitted, kind): (_, fn(String, &str) -> Option<Kind>) = match form {
        "structural_tag" => {
            // A provider that knows some formats only is one that carries an older XGrammar.
            let formats = match facts.structural_tags.is_empty() {
                true => TagFormats::Current,
                false => TagFormats::Legacy,
            };
            (outline.to_structural_tag_of(formats, lossy), |text, _| {
                serde_json::from_str::<Value>(&text).ok().map(Kind::StructuralTag)
            })
        }
        "json_schema" => (outline.to_json_schema(lossy), |text, _| {
            serde_json::from_str::<Value>(&text).ok().map(Kind::JsonSchema)
        }),
        "regex" => (outline.to_regex(lossy), |text, _| Some(Kind::Regex(text))),
        _ => {
            let syntax = form.strip_prefix("grammar:").and_then(spell::dialect);
            let dialect = syntax.ok_or(FormError::Unknown)?;
            (outline.to_ebnf(dialect, lossy), |text, form| {
                let syntax = form.strip_prefix("grammar:")?.to_owned();
                Some(Kind::Grammar { syntax, text })
            })
        }
    };
    let emitted = emitted?;
    let losses = emitted.losses.iter().filter(|loss| !loss.is_harmless());
    let losses = losses.map(ToString::to_string).collect();
    let kind = kind(emitted.text, form).ok_or(FormError::Unreadable)?;
    Ok((kind, losses))
}
