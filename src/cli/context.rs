//! Gathers the variables of a template from the command line.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::failure::Failure;
use super::input::{self, Inputs};

/// The variables of the template.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Context")]
pub(crate) struct Arguments {
    /// A JSON object of variables; the options below go before it
    #[arg(long, value_name = "F.json")]
    context: Option<PathBuf>,

    /// The variable `tools`, a JSON array
    #[arg(long, value_name = "F.json")]
    tools: Option<PathBuf>,

    /// The variable `schema`
    #[arg(long, value_name = "F.json")]
    schema: Option<PathBuf>,

    /// A variable that is text
    #[arg(long, value_name = "NAME=TEXT", value_parser = assignment)]
    set: Vec<(String, String)>,

    /// A variable that is any JSON value, or the value in a file
    #[arg(long, value_name = "NAME=JSON|@F", value_parser = assignment)]
    json: Vec<(String, String)>,
}

impl Arguments {
    /// Whether there is a context at all, be it empty.
    pub(crate) fn is_given(&self) -> bool {
        let files = [&self.context, &self.tools, &self.schema];
        files.iter().any(|file| file.is_some()) || !self.set.is_empty() || !self.json.is_empty()
    }

    /// The variables.
    pub(crate) fn read(&self, inputs: &mut Inputs) -> Result<Map<String, Value>, Failure> {
        let mut all = match &self.context {
            None => Map::new(),
            Some(path) => match inputs.json(path)? {
                Value::Object(map) => map,
                _ => return Err(wrong(path, "the context must be a JSON object")),
            },
        };
        for (name, value) in self.single(inputs)? {
            all.insert(name, value);
        }
        Ok(all)
    }

    /// The variables that have an option each.
    fn single(&self, inputs: &mut Inputs) -> Result<Map<String, Value>, Failure> {
        let mut given = Vec::new();
        if let Some(path) = &self.tools {
            let tools = inputs.json(path)?;
            if !tools.is_array() {
                return Err(wrong(path, "the tools must be a JSON array"));
            }
            given.push(("tools".to_owned(), tools));
        }
        if let Some(path) = &self.schema {
            given.push(("schema".to_owned(), inputs.json(path)?));
        }
        for (name, text) in &self.set {
            given.push((name.clone(), Value::from(text.as_str())));
        }
        for (name, text) in &self.json {
            let value = match text.strip_prefix('@') {
                Some(path) => inputs.json(Path::new(path))?,
                None => input::json(&format!("--json {name}"), text.as_bytes())?,
            };
            given.push((name.clone(), value));
        }
        let mut variables = Map::new();
        for (name, value) in given {
            if variables.contains_key(&name) {
                return Err(Failure::Input(format!("the variable `{name}` is given twice")));
            }
            variables.insert(name, value);
        }
        Ok(variables)
    }
}

fn wrong(path: &Path, what: &str) -> Failure {
    Failure::Input(format!("{}: {what}", input::shown(path)))
}

/// `name=value`.
fn assignment(argument: &str) -> Result<(String, String), String> {
    match argument.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected a name, `=`, and a value".to_owned()),
    }
}
