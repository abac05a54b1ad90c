//! The command that measures: our engine beside others, on the same texts in the same tokens.
//!
//! All times are CPU time of this thread with the clock's own cost taken off.

mod cases;
mod check;
mod clock;
mod drive;
mod engine;
mod growth;
mod index;
mod ours;
mod parse;
#[cfg(feature = "llguidance")]
mod peer;
mod plot;
mod probes;
mod record;
mod statistics;
mod table;
mod worst;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use blueprints_compiler::SchemaOptions;
use clap::{Parser, Subcommand};
use serde_json::{Value, json};

use crate::cases::Choice;
use crate::clock::Clock;
use crate::drive::{Drive, Mode};
use crate::engine::{Engine, Fault};
use crate::ours::Ours;
use crate::record::Record;
use crate::table::Run;

/// Measures the matcher beside other engines.
#[derive(Parser)]
#[command(name = "blueprints-bench", version)]
struct Command {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    /// Drives the instances of schemas through the engines and prints the table.
    Run(RunArguments),
    /// Prints the chosen cases in tokens, for the scripts that run other engines.
    Prepare {
        #[command(flatten)]
        shared: Shared,
        #[command(flatten)]
        choice: Choice,
    },
    /// The table of records that were written before, by `run --records` and by the scripts.
    Table {
        /// Files of records. The first engine is the one that others are compared with.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Prints JSON.
        #[arg(long)]
        json: bool,
    },
    /// Languages that are hard for engines.
    Probes(probes::Arguments),
    /// The cost of a token as a text grows.
    Growth(growth::Arguments),
    /// Compares masks with those made by trying every token.
    Check(check::Arguments),
    /// The speed of reading tool calls back, whole and as a stream.
    Parse,
    /// The time and size of a vocabulary's index.
    Index(index::Arguments),
}

/// What every measurement needs.
#[derive(clap::Args)]
pub(crate) struct Shared {
    /// A `tokenizer.json`.
    #[arg(long)]
    pub(crate) tokenizer: PathBuf,
    /// An option of schemas, such as `order=any`.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Leaves the other engines out.
    #[arg(long)]
    pub(crate) alone: bool,
    /// Sets llguidance back between texts, which keeps what its lexer has found out. By default
    /// each text gets a deep clone of its compiled parser.
    #[arg(long)]
    pub(crate) reset: bool,
    /// Prints JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
struct RunArguments {
    #[command(flatten)]
    shared: Shared,
    #[command(flatten)]
    choice: Choice,
    /// What a text finds: a program that its schema's other texts have used, or a fresh one.
    #[arg(long, value_enum, default_value_t = Mode::Cold)]
    mode: Mode,
    /// Also walks each accepted text again, many tokens between two readings of the clock.
    #[arg(long)]
    warm: bool,
    /// Shows so many of our slowest masks.
    #[arg(long, default_value_t = 15)]
    worst: usize,
    /// Writes every single time to this file.
    #[arg(long)]
    records: Option<PathBuf>,
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let done = match Command::parse().job {
        Job::Run(arguments) => run(&arguments),
        Job::Prepare { shared, choice } => prepare(&shared, &choice),
        Job::Table { files, json } => table(&files, json),
        Job::Probes(arguments) => probes::measure(&arguments),
        Job::Growth(arguments) => growth::measure(&arguments),
        Job::Check(arguments) => check::check(&arguments),
        Job::Parse => parse::measure(),
        Job::Index(arguments) => index::measure(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::from(2)
        }
    }
}

impl Shared {
    /// How schemas are read.
    pub(crate) fn schema_options(&self) -> Result<SchemaOptions, Fault> {
        let mut arguments = Vec::new();
        for option in &self.options {
            let (name, value) = option.split_once('=').ok_or("an option is `name=value`")?;
            arguments.push((name.to_owned(), Value::from(value)));
        }
        Ok(SchemaOptions::from_arguments(&arguments)?)
    }

    /// Ours first, then the others.
    pub(crate) fn engines(
        &self,
        tokenizer: &blueprints_runtime::Tokenizer,
    ) -> Result<Vec<Box<dyn Engine>>, Fault> {
        let ours = Ours::new(tokenizer.vocabulary().clone(), self.schema_options()?);
        let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(ours)];
        if !self.alone {
            engines.extend(self.others()?);
        }
        Ok(engines)
    }

    #[cfg(feature = "llguidance")]
    fn others(&self) -> Result<Vec<Box<dyn Engine>>, Fault> {
        let clones = if self.reset { peer::Clones::Reset } else { peer::Clones::Deep };
        Ok(vec![Box::new(peer::Peer::new(&self.tokenizer, clones)?)])
    }

    #[cfg(not(feature = "llguidance"))]
    fn others(&self) -> Result<Vec<Box<dyn Engine>>, Fault> {
        eprintln!("note: built without the feature `llguidance`, so ours is alone");
        Ok(Vec::new())
    }
}

fn run(arguments: &RunArguments) -> Result<(), Fault> {
    let tokenizer = cases::tokenizer(&arguments.shared.tokenizer)?;
    let cases = cases::read(&arguments.choice, &tokenizer)?;
    let engines = arguments.shared.engines(&tokenizer)?;
    let drive = Drive { mode: arguments.mode, warm: arguments.warm };
    let mut run = Run::default();
    for (at, case) in cases.iter().enumerate() {
        // Engines take turns, so that what else the machine does meets all of them.
        for engine in &engines {
            drive.case(&**engine, case).into_iter().for_each(|record| run.add(record));
        }
        if (at + 1) % 250 == 0 {
            eprintln!("{} of {} schemas", at + 1, cases.len());
        }
    }
    if let Some(path) = &arguments.records {
        let mut file = BufWriter::new(File::create(path)?);
        for record in run.records() {
            writeln!(file, "{}", record.line())?;
        }
        file.flush()?;
    }
    let ours = engines.first().map(|engine| engine.name());
    let own = run.records().filter(|record| Some(&record.engine) == ours.as_ref());
    let worst = worst::worst(own, &cases, tokenizer.vocabulary(), arguments.worst);
    let head = json!({
        "schemas": cases.len(), "mode": format!("{:?}", arguments.mode).to_lowercase(),
        "tokenizer": arguments.shared.tokenizer, "clock_ns": Clock::calibrated().cost(),
        "verdicts": run.verdicts(),
    });
    if arguments.shared.json {
        println!("{}", json!({ "head": head, "sections": run.sections(), "worst": worst }));
        return Ok(());
    }
    print_head(&head);
    run.sections().iter().for_each(|section| print!("{}", table::print(section)));
    print!("{}", worst::print(&worst));
    Ok(())
}

fn print_head(head: &Value) {
    println!(
        "{} schemas, {}, {}; the clock's own {} ns a pair of readings taken off",
        head["schemas"], head["mode"], head["tokenizer"], head["clock_ns"]
    );
    for one in head["verdicts"].as_array().into_iter().flatten() {
        println!(
            "{}: refused {} of {} schemas; judged right {} of {} valid and {} of {} invalid; \
             bytes of states {}, of masks {}",
            one["engine"],
            one["refused"],
            one["grammars"],
            one["valid"]["right"],
            one["valid"]["of"],
            one["invalid"]["right"],
            one["invalid"]["of"],
            one["memory"]["states"],
            one["memory"]["masks"],
        );
    }
}

fn prepare(shared: &Shared, choice: &Choice) -> Result<(), Fault> {
    let tokenizer = cases::tokenizer(&shared.tokenizer)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for case in cases::read(choice, &tokenizer)? {
        writeln!(out, "{}", cases::line(&case))?;
    }
    Ok(out.flush()?)
}

fn table(files: &[PathBuf], json: bool) -> Result<(), Fault> {
    let mut run = Run::default();
    for file in files {
        for line in BufReader::new(File::open(file)?).lines() {
            let record = Record::read(&serde_json::from_str(&line?)?);
            run.add(record.ok_or_else(|| format!("{} holds no records", file.display()))?);
        }
    }
    let head = json!({ "verdicts": run.verdicts() });
    if json {
        println!("{}", json!({ "head": head, "sections": run.sections() }));
    } else {
        run.sections().iter().for_each(|section| print!("{}", table::print(section)));
    }
    Ok(())
}
