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
use crate::ir::Ir;
use crate::limits::Limits;
use crate::loader::{self, Folder, Loader};
use crate::outline::Outline;
use crate::template::arena::{Arena, Placed, Reports};
use crate::template::blame::{self, Templates};
use crate::template::constructs::extension::Extensions;
use crate::template::constructs::{MACRO, Rendering};
use crate::template::environment;
use crate::template::expression::{RESERVED_PREFIX, Words};

use crate::template::format;
use crate::template::lower;
use crate::template::part::{Part, Place};
use crate::template::prepare::{Prepared, prepare};
use crate::template::rewrite::TemplateId;
use crate::template::specials;
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
    words: Words,
    /// The parts of the host's globals.
    globals: Vec<Ir>,
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
        // A file may begin with a mark of its encoding, which is no text.
        let text = match text.strip_prefix('\u{FEFF}') {
            Some(rest) if ends != Ends::Literal => rest.to_owned(),
            _ => text,
        };
        let source = Arc::new(Source::new(name, text));
        let mut all = self.prepared();
        let id = TemplateId(u32::try_from(all.len()).unwrap_or(u32::MAX));
        match prepare(source.clone(), id, ends, &self.words, &self.limits) {
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

    /// Reads a template from a file. CRLF is LF; a line break at its end is dropped, and a byte
    /// order mark at its beginning. Templates that it includes are files in or below its folder.
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
        Self::with_extensions(name, loader, limits, Extensions::default())
    }

    /// Reads a template, as [`from_str`](Self::from_str) does, in which the host's own filters,
    /// functions and globals mean something.
    ///
    /// # Errors
    /// All that is wrong with it without a context, and an extension whose name is taken.
    pub fn extended(template: &str, extensions: Extensions) -> Result<Self, Diagnostics> {
        Self::extended_with_loader(template, NoTemplates, extensions)
    }

    /// As [`extended`](Self::extended); the template includes others from `loader`.
    ///
    /// # Errors
    /// As [`extended`](Self::extended).
    pub fn extended_with_loader(
        template: &str,
        loader: impl Loader + 'static,
        extensions: Extensions,
    ) -> Result<Self, Diagnostics> {
        let source = (template.to_owned(), Ends::Literal);
        Self::build("<template>", source, loader, Limits::default(), &extensions)
    }

    /// Reads the template `name` of `loader`, with other limits and with what the host adds.
    ///
    /// # Errors
    /// All that is wrong with it without a context, a template that is not there, and an
    /// extension whose name is taken.
    pub fn with_extensions(
        name: &str,
        loader: impl Loader + 'static,
        limits: Limits,
        extensions: Extensions,
    ) -> Result<Self, Diagnostics> {
        let problem = match loader.load(name) {
            Ok(Some(text)) => {
                return Self::build(name, (text, Ends::File), loader, limits, &extensions);
            }
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
        Self::build(name, (template, ends), loader, limits, &Extensions::default())
    }

    fn build(
        name: &str,
        (template, ends): (String, Ends),
        loader: impl Loader + 'static,
        limits: Limits,
        extensions: &Extensions,
    ) -> Result<Self, Diagnostics> {
        let fault =
            |problem| Diagnostics::new(vec![Diagnostic::without_place(problem, name)], Vec::new());
        let mut environment = environment::build(&limits, extensions).map_err(fault)?;
        let words = Words {
            filters: extensions.filters.keys().cloned().collect(),
            functions: extensions.functions.keys().cloned().collect(),
        };
        let globals = extensions.parts();
        let shared = Arc::new(Shared { limits, words, globals, prepared: Mutex::default() });
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

    /// The template `text` of the file `name`, laid out anew: blanks inside tags, and the
    /// indentation of lines that vanish. It means the same under every context, which is proved
    /// before it is returned.
    ///
    /// # Errors
    /// What is wrong with its tags.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Blueprint;
    /// let text = Blueprint::format("t", "{%repeat min=1%}\n{{x|regex}}\n {%  endrepeat %}\n")?;
    /// assert_eq!(text, "{% repeat min=1 %}\n{{ x | regex }}\n{% endrepeat %}\n");
    /// # Ok::<(), blueprints_compiler::Diagnostics>(())
    /// ```
    pub fn format(name: &str, text: &str) -> Result<String, Diagnostics> {
        format::format(name, text, &Limits::default())
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
        let reports = Reports::default();
        let rendering =
            Rendering { reports: reports.clone(), globals: self.shared.globals.clone() };
        let context = value::from_json(Json::Object(json), depth)
            .map_err(|problem| self.without_place(problem))?;
        let rendering = minijinja::context! { bp_rendering => Value::from_object(rendering) };
        let context = minijinja::value::merge_maps([rendering, context]);
        let rendered = self.render(context);
        let reported = reports.take();
        let parts = match rendered {
            Ok(parts) => parts,
            Err(error) => {
                let ended = self.diagnose(&error, &variables);
                return Err(self.placed(reported).and(ended));
            }
        };
        match lower::lower(&parts, &self.shared.limits) {
            Ok((ir, doubts)) if reported.is_empty() => {
                Ok(Outline::new(ir, self.warnings().and(self.placed(doubts))))
            }
            Ok(_) => Err(self.placed(reported)),
            Err(problems) => Err(self.placed(reported.into_iter().chain(problems).collect())),
        }
    }

    /// Binds the template to `value`, which becomes its one variable: a blueprint is called like
    /// a function of it.
    ///
    /// # Errors
    /// As [`outline`](Self::outline), and if the template has not exactly one variable.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Blueprint;
    /// let greeting = Blueprint::from_str("{{ name }}{% anything max_chars=9 %}")?;
    /// assert_eq!(greeting.call("Hello")?.to_string(), "'Hello' anything chars {0,9}");
    /// # Ok::<(), blueprints_compiler::Diagnostics>(())
    /// ```
    pub fn call(&self, value: impl Serialize) -> Result<Outline, Diagnostics> {
        let variables = self.undeclared_variables();
        let [name] = variables.as_slice() else {
            let message = match variables.as_slice() {
                [] => "the blueprint has no variable that could take this value".to_owned(),
                several => format!(
                    "a single value does not say which variable it is: there are `{}`",
                    several.join("`, `")
                ),
            };
            return Err(self.without_place(Problem::bad_call(message)));
        };
        let json = serde_json::to_value(value)
            .map_err(|error| self.without_place(Problem::bad_context(&error.to_string())))?;
        self.outline(Json::Object(serde_json::Map::from_iter([(name.clone(), json)])))
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
        let hidden = |name: &str| name.starts_with(RESERVED_PREFIX);
        let names = names.into_iter().filter(|name| !is_global(name) && !hidden(name));
        names.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// What is doubtful about the templates without a context.
    #[must_use]
    pub fn warnings(&self) -> Diagnostics {
        let prepared = self.shared.prepared();
        let list = prepared.iter().flat_map(|prepared| prepared.warnings.clone()).collect();
        Diagnostics::new(list, prepared.iter().map(|prepared| prepared.source.clone()).collect())
    }

    /// What is doubtful about the special tokens of the templates, where `special` are those of a
    /// tokenizer: `token` of others, and text that is nearly one of them. The templates are those
    /// that were read so far.
    #[must_use]
    pub fn check_tokens(&self, special: &[&str]) -> Diagnostics {
        let prepared = self.shared.prepared();
        let list = prepared.iter().flat_map(|prepared| {
            let mut found = specials::unknown_tokens(&prepared.ast, special);
            found.extend(specials::nearly_special(&prepared.ast, special));
            found
        });
        let sources = prepared.iter().map(|prepared| prepared.source.clone()).collect();
        Diagnostics::new(list.collect(), sources)
    }

    fn render(&self, context: Value) -> Result<Vec<Arc<Part>>, minijinja::Error> {
        let template = self.environment.get_template(&self.name)?;
        let captured = template.render_captured(context)?;
        let rendered = captured.output();
        match captured.state().get_extension::<Arena>() {
            Some(arena) => Ok(arena.read(rendered)?),
            None => Ok(Arena::new(&self.shared.limits, Reports::default(), &[]).read(rendered)?),
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

    fn placed(&self, problems: Vec<Placed>) -> Diagnostics {
        let prepared = self.shared.prepared().clone();
        let list = problems.into_iter().map(|(problem, place)| {
            let known = place.and_then(|place| {
                let (prepared, range) = located(&prepared, &place)?;
                Some((prepared, range, place.caller))
            });
            let Some((source, range, caller)) = known else {
                return Diagnostic::without_place(problem, &self.name);
            };
            let mut diagnostic = Diagnostic::new(problem, source, &range);
            let mut caller = caller.as_deref();
            while let Some(place) = caller {
                if let Some((source, range)) = located(&prepared, place) {
                    let include = source.slice(&range).starts_with("{%");
                    let message = if include { "in a template that comes in here" } else { MACRO };
                    diagnostic = diagnostic.with_related(source, &range, message);
                }
                caller = place.caller.as_deref();
            }
            diagnostic
        });
        let sources = prepared.iter().map(|prepared| prepared.source.clone()).collect();
        Diagnostics::new(list.collect(), sources)
    }
}

/// The template of a place, and the place there.
fn located<'a>(
    prepared: &'a [Arc<Prepared>],
    place: &Place,
) -> Option<(&'a Source, std::ops::Range<usize>)> {
    let prepared = prepared.get(place.template.0 as usize)?;
    let argument =
        place.argument.and_then(|name| prepared.rewritten.argument(place.range.start, name));
    Some((&prepared.source, argument.unwrap_or_else(|| place.range.clone())))
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
