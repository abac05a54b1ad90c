//! Finds the template that a command works on, and binds it to its context.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use blueprints::{
    Blueprint, Catalog, Extensions, Folder, LoadError, Loader, Outline, TemplateLimits,
};
use serde_json::{Map, Value};

use super::context;
use super::failure::Failure;
use super::input::{self, Inputs};
use super::output;

const NO_T: &str = "T is a path, a name of the catalog, or -e 'TEMPLATE'";

/// The template and the variables it is bound to.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// A name of the catalog, or a path; `./NAME` is a path
    #[arg(value_name = "T")]
    template: Option<PathBuf>,

    /// The template itself, in place of T
    #[arg(short = 'e', value_name = "TEMPLATE", allow_hyphen_values = true)]
    #[arg(conflicts_with = "template")]
    expression: Option<String>,

    #[command(flatten)]
    pub(crate) context: context::Arguments,
}

/// The template, the variables it is bound to, and a text to read by it.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct WithText {
    /// A name of the catalog or a path, and the text; each may be `-`
    // Not two arguments: the first may be left out, and options may stand between.
    #[arg(value_names = ["T", "TEXT"], num_args = 1..=2, required = true)]
    #[arg(allow_negative_numbers = true)]
    operands: Vec<OsString>,

    /// The template itself, in place of T
    #[arg(short = 'e', value_name = "TEMPLATE", allow_hyphen_values = true)]
    expression: Option<String>,

    #[command(flatten)]
    context: context::Arguments,
}

impl WithText {
    /// The template, and the text as it was given.
    pub(crate) fn split(&self) -> Result<(Arguments, &str), Failure> {
        let (template, text) = match (&self.expression, self.operands.as_slice()) {
            (Some(_), [text]) => (None, text),
            (None, [template, text]) => (Some(PathBuf::from(template)), text),
            (None, [_]) => {
                return Err(Failure::Input(format!("one of T and TEXT is missing; {NO_T}")));
            }
            (Some(_), _) => {
                return Err(Failure::Input("with -e there is no T, but one TEXT".into()));
            }
            (None, _) => return Err(Failure::Input("there is one T and one TEXT".into())),
        };
        let text = text.to_str().ok_or(Failure::Input("the text is not UTF-8".into()))?;
        let expression = self.expression.clone();
        Ok((Arguments { template, expression, context: self.context.clone() }, text))
    }
}

impl Arguments {
    /// Whether there is a template at all.
    pub(crate) fn is_given(&self) -> bool {
        self.template.is_some() || self.expression.is_some()
    }

    /// How messages name the template.
    pub(crate) fn name(&self) -> String {
        match &self.template {
            Some(path) => input::shown(path),
            None => "<template>".to_owned(),
        }
    }

    /// The template, checked without a context.
    pub(crate) fn blueprint(&self, inputs: &mut Inputs) -> Result<Blueprint, Failure> {
        let folder = Folder::new(".");
        if let Some(template) = &self.expression {
            let loader = Beside { main: None, folder };
            return Ok(Blueprint::extended_with_loader(template, loader, extensions())?);
        }
        let Some(path) = &self.template else {
            return Err(Failure::Input(format!("no template; {NO_T}")));
        };
        let catalog = Catalog::builtin();
        if let Some(name) = path.to_str().filter(|name| catalog.source(name).is_some()) {
            return Ok(catalog.get(name)?);
        }
        let text = inputs.text(path).map_err(|failure| not_found(path, failure))?;
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => Folder::new(parent),
            _ => folder,
        };
        let name = self.name();
        let loader = Beside { main: Some((name.clone(), text)), folder };
        let limits = TemplateLimits::default();
        Ok(Blueprint::with_extensions(&name, loader, limits, extensions())?)
    }

    /// The template bound to the context that the options give.
    pub(crate) fn outline(&self, inputs: &mut Inputs) -> Result<Outline, Failure> {
        let blueprint = self.blueprint(inputs)?;
        let context = self.context.read(inputs)?;
        bind(&blueprint, &context)
    }
}

/// What this program adds to templates: the time.
fn extensions() -> Extensions {
    Extensions::default().clock(|| {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
    })
}

/// Binds `blueprint` to `context`, and shows doubts.
pub(crate) fn bind(
    blueprint: &Blueprint,
    context: &Map<String, Value>,
) -> Result<Outline, Failure> {
    let outline = blueprint.outline(context)?;
    output::warnings(outline.warnings());
    Ok(outline)
}

/// Says, where a bare name is no file, that it is no template of the catalog either.
fn not_found(path: &Path, failure: Failure) -> Failure {
    let is_bare = path.components().count() == 1 && path.extension().is_none();
    match failure {
        Failure::Input(message) if is_bare && !path.exists() && path != Path::new("-") => {
            let catalog = Catalog::builtin();
            let names: Vec<&str> = catalog.names().collect();
            Failure::Input(format!("{message}; the catalog has {}", names.join(", ")))
        }
        other => other,
    }
}

/// A template, and those that it may include: the files of its folder, then the catalog.
struct Beside {
    /// The name and the text of the template, if it is a file.
    main: Option<(String, String)>,
    folder: Folder,
}

impl Loader for Beside {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        match &self.main {
            Some((main, text)) if main == name => Ok(Some(text.clone())),
            _ => match self.folder.load(name)? {
                Some(text) => Ok(Some(text)),
                None => Catalog::builtin().load(name),
            },
        }
    }
}
