//! Renders messages with a checkpoint's own chat template.
//!
//! Templates are written for Hugging Face's Jinja: blocks are trimmed, Python's methods exist, and
//! `tojson` writes as `json.dumps` does.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Value as Part};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::Formatter;

/// The name under which templates see themselves in messages.
const NAME: &str = "chat_template";
/// Steps that a template may take: some thousands for each message of a long chat.
const FUEL: u64 = 50_000_000;

/// What a chat template renders.
#[derive(Clone, Debug)]
pub struct Chat<'a> {
    /// The messages so far, each with `role` and `content`.
    pub messages: &'a [Value],
    /// The tools on offer, as the model's template expects them; most expect OpenAI's shape.
    pub tools: &'a [Value],
    /// What ends the prompt.
    pub ending: Ending,
}

/// What ends a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The header of the answer that is to come.
    GenerationPrompt,
    /// The end of the last message.
    LastMessage,
}

/// Why a prompt cannot be rendered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The template is malformed, or it refuses these messages.
    #[error("chat template, line {line}: {message}")]
    Template {
        /// The line of the template, from 1; 0 where it is not known.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl From<Error> for ChatError {
    fn from(error: Error) -> Self {
        let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        Self::Template { line: error.line().unwrap_or(0), message }
    }
}

/// A chat template that has been parsed.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    /// `bos_token`, `eos_token` and the like.
    globals: Vec<(String, String)>,
}

impl ChatTemplate {
    /// Parses a template's source; `globals` are the special tokens that it may name.
    ///
    /// # Errors
    /// [`ChatError`] with the line of the first fault.
    pub fn new(source: &str, globals: Vec<(String, String)>) -> Result<Self, ChatError> {
        let mut environment = Environment::new();
        environment
            .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_fuel(Some(FUEL));
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_filter("tojson", to_json);
        environment.add_function("raise_exception", |message: String| -> Result<Part, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, message))
        });
        environment.add_template_owned(NAME, source.to_owned())?;
        Ok(Self { environment, globals })
    }

    /// The prompt for a chat.
    ///
    /// # Errors
    /// [`ChatError`] where the template raises one, or uses what does not exist.
    pub fn render(&self, chat: &Chat<'_>) -> Result<String, ChatError> {
        let list = |values: &[Value]| values.iter().map(part).collect::<Part>();
        let tools = match chat.tools {
            [] => Part::from(()),
            tools => list(tools),
        };
        let mut context = vec![
            ("messages".to_owned(), list(chat.messages)),
            ("tools".to_owned(), tools),
            (
                "add_generation_prompt".to_owned(),
                Part::from(chat.ending == Ending::GenerationPrompt),
            ),
        ];
        let globals = self.globals.iter().map(|(name, text)| (name.clone(), Part::from(&**text)));
        context.extend(globals);
        let context = Part::from_pairs(context);
        Ok(self.environment.get_template(NAME)?.render(context)?)
    }
}

/// A JSON value as minijinja has it.
///
/// By hand, since numbers that keep their digits would serialise as private objects.
fn part(value: &Value) -> Part {
    match value {
        Value::Null => Part::from(()),
        Value::Bool(flag) => Part::from(*flag),
        Value::Number(number) => {
            let whole = number.as_i64().map(Part::from).or_else(|| number.as_u64().map(Part::from));
            whole.or_else(|| number.as_f64().map(Part::from)).unwrap_or_default()
        }
        Value::String(text) => Part::from(&**text),
        Value::Array(items) => items.iter().map(part).collect(),
        Value::Object(fields) => {
            Part::from_pairs(fields.iter().map(|(name, value)| (name.clone(), part(value))))
        }
    }
}

/// `value | tojson(indent=2)`, as `json.dumps(value, ensure_ascii=False)` writes.
fn to_json(value: Part, indent: Option<usize>, options: Kwargs) -> Result<Part, Error> {
    let indent = indent.or(options.get::<Option<usize>>("indent")?);
    // Hugging Face's filter knows these too; only their defaults are written here.
    if options.get::<Option<bool>>("ensure_ascii")? == Some(true) {
        let message = "`tojson` does not escape what is not ASCII";
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    options.assert_all_used()?;
    let fault =
        |error: serde_json::Error| Error::new(ErrorKind::BadSerialization, error.to_string());
    let mut out = Vec::new();
    match indent {
        None => {
            let mut serializer = serde_json::Serializer::with_formatter(&mut out, Spaced);
            value.serialize(&mut serializer).map_err(fault)?;
        }
        Some(indent) => {
            let indent = " ".repeat(indent.min(16));
            let pretty = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
            let mut serializer = serde_json::Serializer::with_formatter(&mut out, pretty);
            value.serialize(&mut serializer).map_err(fault)?;
        }
    }
    let text = String::from_utf8(out).map_err(|_| ErrorKind::BadSerialization)?;
    Ok(Part::from_safe_string(text))
}

/// `", "` between items and `": "` after keys.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: std::io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: std::io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: std::io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
    ) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

/// JSON text as `json.dumps(value, ensure_ascii=False)` writes it.
pub fn spaced_json(value: &Value) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Spaced);
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        // Writing JSON into memory does not fail; were it to, the compact text is as right.
        Err(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(template: &str, messages: Value, tools: Value) -> Result<String, ChatError> {
        let globals = vec![("eos_token".to_owned(), "<e>".to_owned())];
        let template = ChatTemplate::new(template, globals)?;
        template.render(&Chat {
            messages: messages.as_array().unwrap(),
            tools: tools.as_array().unwrap(),
            ending: Ending::GenerationPrompt,
        })
    }

    #[test]
    fn templates_render_as_they_do_in_python() {
        let cases = [
            ("{{ tools[0] | tojson }}", "{\"b\": [1, 2.5, \"<é'>\"], \"a\": {\"z\": null}}"),
            ("{{ tools[0].a | tojson(indent=2) }}", "{\n  \"z\": null\n}"),
            (
                "{% for m in messages %}\n {{ m.role.upper() }}{{ m['content'].strip() }}\n\
                 {% endfor %}",
                " USERhi\n",
            ),
            ("{{ messages[0].content.split('h')[-1] }}{{ eos_token }}", "i <e>"),
            ("{% if add_generation_prompt %}go{% endif %}{{ nothing.at.all }}", "go"),
            ("{% if strftime_now is defined %}now{% endif %}{{ messages|length }}", "1"),
            ("{% for x in [1, 2] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}", "1"),
        ];
        for (template, expected) in cases {
            let messages = json!([{ "role": "user", "content": " hi " }]);
            let tools = json!([{ "b": [1, 2.5, "<é'>"], "a": { "z": null } }]);
            assert_eq!(render(template, messages, tools).unwrap(), expected, "{template}");
        }
        assert_eq!(render("{{ tools is none }}", json!([]), json!([])).unwrap(), "True");
    }

    #[test]
    fn faults_name_their_line() {
        for (template, line, part) in [
            ("a\n{% if %}", 2, "unexpected"),
            ("a\n\n{{ raise_exception('no system role') }}", 3, "no system role"),
            ("{{ messages.nonsense() }}", 1, "nonsense"),
            (
                "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                1,
                "fuel",
            ),
            ("{{ tools | tojson(ensure_ascii=true) }}", 1, "ASCII"),
        ] {
            let ChatError::Template { line: found, message } =
                render(template, json!([]), json!([])).unwrap_err();
            assert_eq!(found, line, "{template}: {message}");
            assert!(message.contains(part), "{template}: {message}");
        }
    }
}
