//! A blueprint: a template that was checked, ready to be bound to a context.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::{Environment, ErrorKind, Value};
use serde::Serialize;
use serde_json::Value as Json;

use crate::diagnostic::problem::Problem;
use crate::diagnostic::source::Source;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::Limits;
use crate::loader::{self, Folder, Loader};
use crate::outline::Outline;
use crate::template::arena::{Arena, Part};
use crate::template::blame::{self, Templates};
use crate::template::environment;
use crate::template::expression::RESERVED_PREFIX;
use crate::template::lower;
use crate::template::prepare::{Prepared, prepare};
use crate::template::rewrite::TemplateId;
use crate::template::value;
use crate::template::whitespace::Ends;

/// A template that says what a model may write.
///
/// # Examples
/// ```
/// use blueprints_compiler::Blueprint;
///
/// let blueprint = Blueprint::from_str("{% repeat min=1 sep=', ' %}{{ word }}{% endrepeat %}")?;
/// let outline = blueprint.outline(std::collections::BTreeMap::from([("word", "yes")]))?;
/// assert!(outline.warnings().is_empty());
/// # Ok::<(), blueprints_compiler::Diagnostics>(())
/// ```
#[derive(Clone)]
pub struct Blueprint {
    name: String,
    environment: Arc<Environment<'static>>,
    shared: Arc<Shared>,
}

/// What the loader of the environment and the blueprint both need.
struct Shared {
    limits: Limits,
    /// Every template that was prepared, the main one first.
    prepared: Mutex<Vec<Arc<Prepared>>>,
}

impl Shared {
    fn prepared(&self) -> MutexGuard<'_, Vec<Arc<Prepared>>> {
        // Nothing can be half done when the lock is lost: a push is all that happens under it.
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares the template `name` and returns what minijinja is to render.
    fn add(&self, name: &str, text: String, ends: Ends) -> Result<String, Diagnostics> {
        let source = Arc::new(Source::new(name, text));
        let mut all = self.prepared();
        let id = TemplateId(u32::try_from(all.len()).unwrap_or(u32::MAX));
        match prepare(source.clone(), id, ends, &self.limits) {
            Ok(prepared) => {
                let text = prepared.rewritten.text.clone();
                all.push(Arc::new(prepared));
                Ok(text)
            }
            Err(faults) => Err(Diagnostics::new(faults, vec![source])),
        }
    }
}

impl Blueprint {
    /// Reads a template. CRLF is LF; a line break at its beginning and one at its end are
    /// dropped.
    ///
    /// # Errors
    /// All that is wrong with it without a context.
    #[expect(clippy::should_implement_trait, reason = "it does; this one needs no import")]
    pub fn from_str(template: &str) -> Result<Self, Diagnostics> {
        Self::from_string(template.to_owned())
    }

    /// Reads a template, as [`from_str`](Self::from_str) does.
    ///
    /// # Errors
    /// All that is wrong with it without a context.
    pub fn from_string(template: String) -> Result<Self, Diagnostics> {
        Self::new("<template>", template, Ends::Literal, NoTemplates, Limits::default())
    }

    /// Reads a template, as [`from_str`](Self::from_str) does; it includes others from `loader`.
    ///
    /// # Errors
    /// All that is wrong with it without a context.
    pub fn from_string_with_loader(
        template: String,
        loader: impl Loader + 'static,
    ) -> Result<Self, Diagnostics> {
        Self::new("<template>", template, Ends::Literal, loader, Limits::default())
    }

    /// Reads a template from a file. CRLF is LF; a line break at its end is dropped. Templates
    /// that it includes are files in or below its folder.
    ///
    /// # Errors
    /// All that is wrong with it without a context, and a file that cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Diagnostics> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let fault = |problem| {
            Diagnostics::new(vec![Diagnostic::without_place(problem, &shown)], Vec::new())
        };
        let text = loader::read(path).map_err(|error| match error {
            loader::LoadError::Io { error, .. } => fault(Problem::unreadable(&error.to_string())),
            other => fault(Problem::unreadable(&other.to_string())),
        })?;
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        Self::new(&shown, text, Ends::File, Folder::new(folder), Limits::default())
    }

    /// Reads the template `name` of `loader`, as a file; it includes others from there.
    ///
    /// # Errors
    /// All that is wrong with it without a context, and a template that is not there.
    pub fn with_loader(name: &str, loader: impl Loader + 'static) -> Result<Self, Diagnostics> {
        Self::with_limits(name, loader, Limits::default())
    }

    /// As [`with_loader`](Self::with_loader), with other limits than the default ones.
    ///
    /// # Errors
    /// All that is wrong with it without a context, and a template that is not there.
    pub fn with_limits(
        name: &str,
        loader: impl Loader + 'static,
        limits: Limits,
    ) -> Result<Self, Diagnostics> {
        let problem = match loader.load(name) {
            Ok(Some(text)) => return Self::new(name, text, Ends::File, loader, limits),
            Ok(None) => Problem::not_found(name),
            Err(error) => Problem::unreadable(&error.to_string()),
        };
        Err(Diagnostics::new(vec![Diagnostic::without_place(problem, name)], Vec::new()))
    }

    fn new(
        name: &str,
        template: String,
        ends: Ends,
        loader: impl Loader + 'static,
        limits: Limits,
    ) -> Result<Self, Diagnostics> {
        let fault =
            |problem| Diagnostics::new(vec![Diagnostic::without_place(problem, name)], Vec::new());
        let mut environment = environment::build(&limits).map_err(fault)?;
        let shared = Arc::new(Shared { limits, prepared: Mutex::default() });
        let rewritten = shared.add(name, template, ends)?;
        let main = name.to_owned();
        let weak = Arc::downgrade(&shared);
        environment.set_loader(move |name: &str| match weak.upgrade() {
            Some(shared) => load(&shared, &loader, name),
            None => Ok(None),
        });
        let added = environment.add_template_owned(main.clone(), rewritten);
        let blueprint = Self { name: main, environment: Arc::new(environment), shared };
        match added {
            Ok(()) => Ok(blueprint),
            Err(error) => Err(blueprint.diagnose(&error, &[])),
        }
    }

    /// Binds the template to `context`: every variable gets its value, every part its meaning.
    ///
    /// # Errors
    /// All that is wrong with the template under this context.
    pub fn outline(&self, context: impl Serialize) -> Result<Outline, Diagnostics> {
        let json = serde_json::to_value(context)
            .map_err(|error| self.without_place(Problem::bad_context(&error.to_string())))?;
        let json = match json {
            Json::Object(map) => map,
            Json::Null => serde_json::Map::new(),
            _ => {
                let problem = Problem::bad_context("the context must be an object of variables");
                return Err(self.without_place(problem));
            }
        };
        let variables: Vec<String> = json.keys().cloned().collect();
        if let Some(name) = variables.iter().find(|name| name.starts_with(RESERVED_PREFIX)) {
            return Err(self.without_place(Problem::reserved_name(name)));
        }
        let depth = self.shared.limits.context_depth;
        let context = value::from_json(Json::Object(json), depth)
            .map_err(|problem| self.without_place(problem))?;
        let parts = self.render(context).map_err(|error| self.diagnose(&error, &variables))?;
        match lower::lower(&parts, &self.shared.limits) {
            Ok(ir) => Ok(Outline::new(ir, self.warnings())),
            Err(problems) => Err(self.placed(problems)),
        }
    }

    /// The variables that the template uses and does not set itself, in order of their names.
    /// Those of templates that it includes are not among them.
    #[must_use]
    pub fn undeclared_variables(&self) -> Vec<String> {
        let names = match self.environment.get_template(&self.name) {
            Ok(template) => template.undeclared_variables(false),
            Err(_) => return Vec::new(),
        };
        let is_global = |name: &str| self.environment.globals().any(|(known, _)| known == name);
        let names = names.into_iter().filter(|name| !is_global(name));
        names.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// What is doubtful about the templates without a context.
    #[must_use]
    pub fn warnings(&self) -> Diagnostics {
        let prepared = self.shared.prepared();
        let list = prepared.iter().flat_map(|prepared| prepared.warnings.clone()).collect();
        Diagnostics::new(list, prepared.iter().map(|prepared| prepared.source.clone()).collect())
    }

    fn render(&self, context: Value) -> Result<Vec<Arc<Part>>, minijinja::Error> {
        let template = self.environment.get_template(&self.name)?;
        let captured = template.render_captured(context)?;
        let rendered = captured.output();
        match captured.state().get_extension::<Arena>() {
            Some(arena) => Ok(arena.read(rendered)?),
            None => Ok(Arena::new(&self.shared.limits).read(rendered)?),
        }
    }

    fn without_place(&self, problem: Problem) -> Diagnostics {
        let diagnostic = Diagnostic::without_place(problem, &self.name);
        Diagnostics::new(vec![diagnostic], Vec::new())
    }

    fn diagnose(&self, error: &minijinja::Error, variables: &[String]) -> Diagnostics {
        let prepared = self.shared.prepared().clone();
        let fuel = self.shared.limits.fuel;
        blame::diagnose(error, &Templates { prepared: &prepared, variables, fuel })
    }

    fn placed(&self, problems: Vec<lower::Placed>) -> Diagnostics {
        let prepared = self.shared.prepared().clone();
        let list = problems.into_iter().map(|(problem, place)| {
            let known = place.and_then(|place| {
                let prepared = prepared.get(place.template.0 as usize)?;
                Some((prepared, place.range))
            });
            match known {
                Some((prepared, range)) => Diagnostic::new(problem, &prepared.source, &range),
                None => Diagnostic::without_place(problem, &self.name),
            }
        });
        let sources = prepared.iter().map(|prepared| prepared.source.clone()).collect();
        Diagnostics::new(list.collect(), sources)
    }
}

/// A loader that has nothing: a template given as a string includes no others.
struct NoTemplates;

impl Loader for NoTemplates {
    fn load(&self, _name: &str) -> Result<Option<String>, loader::LoadError> {
        Ok(None)
    }
}

fn load(
    shared: &Shared,
    loader: &impl Loader,
    name: &str,
) -> Result<Option<String>, minijinja::Error> {
    let text = match loader.load(name) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(error) => return Err(Problem::loading(name, &error.to_string()).into()),
    };
    shared.add(name, text, Ends::Included).map(Some).map_err(|faults| {
        minijinja::Error::new(ErrorKind::BadInclude, "the template is faulty").with_source(faults)
    })
}

impl FromStr for Blueprint {
    type Err = Diagnostics;

    fn from_str(template: &str) -> Result<Self, Diagnostics> {
        Self::from_string(template.to_owned())
    }
}

impl fmt::Debug for Blueprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blueprint").field("name", &self.name).finish_non_exhaustive()
    }
}
