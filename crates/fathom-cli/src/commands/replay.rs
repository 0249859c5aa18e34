//! `fathom replay`: follows a trace file on the model it belongs to.
//!
//! The model is loaded again; a fingerprint says whether it changed since. The trace is followed on the reference
//! interpreter and must show at its end what it claims.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use fathom_core::model::{Interpreter, PropertyId, Question, Trace};

use crate::arguments::{Format, ModelConfig, OutputArguments, ProgramFiles, language_named};
use crate::failure::{self, Failure};
use crate::monitor::{Interrupt, Watch};
use crate::output;
use crate::program::from_file;
use crate::sequence_chart::Chart;
use crate::session::Session;
use crate::story::{Story, describe, first_to_wire, state_to_wire, steps_to_wire, tell};
use crate::story_text::{state_to_text, story_to_text};
use crate::timed;
use crate::trace_file::{TraceNames, evidence_to_wire, read, to_file, to_trace};
use crate::units::{counted, parse_time};
use crate::wire::{self, TraceFile, TracedEvidence};

/// The flags of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArguments {
    /// The trace, written by `fathom check --trace`
    #[arg(value_name = "FILE.json")]
    pub trace: String,
    /// The model, when it is not where it was
    #[arg(long, value_name = "FILE")]
    pub model: Option<String>,
    /// Show the messages as a chart, one column for each process
    #[arg(long)]
    pub msc: bool,
    /// Make the trace shorter first
    #[arg(long)]
    pub shorten: bool,
    /// Most time for --shorten
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "60s", requires = "shorten")]
    pub time: Duration,
    /// Write the shorter trace to FILE
    #[arg(long = "trace", value_name = "FILE", requires = "shorten")]
    pub shorter: Option<String>,
    /// Overwrite FILE
    #[arg(long, requires = "shorter")]
    pub force: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Runs the command. The status is 0 when the trace shows what it claims.
pub fn run(arguments: &ReplayArguments) -> Result<u8, Failure> {
    let file = read(&arguments.trace)?;
    if let Some(timed) = &file.timed {
        let (config, loaded) = find_model(arguments, &file, |config| timed::replay::open(config, &file))?;
        return timed::replay::replay(arguments, &config, loaded, &file, timed);
    }
    if file.program.is_some() {
        let open = |config: &ModelConfig| from_file::open_traced(config, &file, arguments.output.quiet);
        let (_, opened) = find_model(arguments, &file, open)?;
        return from_file::replay(arguments, &opened, &file);
    }
    let (_, mut session) = find_model(arguments, &file, |config| open_session(config, &file))?;
    for asked in &file.asked {
        session.ask(asked)?;
    }
    let property = session
        .find_property(&file.property)
        .ok_or_else(|| Failure::new(format!("the model has no property '{}'", file.property)))?;
    if !arguments.output.quiet {
        session.show_warnings();
    }
    let interpreter = Interpreter::new(session.model(), &[property]);
    let does_not_fit =
        |error: String| Failure::new(format!("{} does not fit the model: {error}", arguments.trace));
    let mut trace = to_trace(session.model(), property, &file).map_err(does_not_fit)?;
    let mut file = file;
    if arguments.shorten {
        trace = shorten(arguments, &session, property, &trace).map_err(does_not_fit)?;
    }
    let story = tell(&interpreter, property, &trace).map_err(does_not_fit)?;
    if let Some(path) = &arguments.shorter {
        let names = TraceNames::claim(path, arguments.force, &[])?;
        file = to_file(&session, &interpreter, &file.asked, property, &file.verdict, &trace, &story);
        names.write(&names.first(), &file)?;
    }
    let evidence = evidence_to_wire(&session.model().properties[property.index()].question, &trace);
    let property = &file.property;
    let followed = Followed { session: &session, interpreter: &interpreter, property, story, evidence };
    match arguments.output.format {
        Format::Json => output::print_json(&followed.to_wire().map_err(Failure::new)?)?,
        Format::Text => output::print(&followed.to_text(arguments.msc))?,
    }
    Ok(failure::HOLDS)
}

/// The shorter trace; the trace itself when it cannot be made shorter.
fn shorten(
    arguments: &ReplayArguments,
    session: &Session,
    property: PropertyId,
    trace: &Trace,
) -> Result<Trace, String> {
    if let Question::Ctl(_) = session.model().properties[property.index()].question {
        output::complain("evidence about branching time is not made shorter");
        return Ok(trace.clone());
    }
    let mut watch = Watch::start(Some(arguments.time), Interrupt::listen(), true);
    let shorter = fathom_core::shorten(session.model(), property, trace, &mut watch);
    shorter.map_err(|error| error.to_string())
}

fn open_session(config: &ModelConfig, file: &TraceFile) -> Result<Session, Failure> {
    let session = Session::open(config.clone())?;
    match session.traced_model().sha256 == file.model.sha256 {
        true => Ok(session),
        false => Err(changed(config)),
    }
}

/// What is said of a model that is another one now.
pub fn changed(config: &ModelConfig) -> Failure {
    Failure::new(format!(
        "{} is not the model of the trace: it changed since the trace was written",
        config.file
    ))
}

/// Looks for the model where the user says, where the trace says, and beside the trace, and opens it.
fn find_model<T>(
    arguments: &ReplayArguments,
    file: &TraceFile,
    open: impl Fn(&ModelConfig) -> Result<T, Failure>,
) -> Result<(ModelConfig, T), Failure> {
    let beside = Path::new(&arguments.trace).parent().unwrap_or(Path::new(""));
    let named = Path::new(&file.model.file);
    let candidates = match &arguments.model {
        Some(model) => vec![Path::new(model).to_owned()],
        None => vec![
            named.to_owned(),
            beside.join(named),
            beside.join(named.file_name().unwrap_or(named.as_os_str())),
        ],
    };
    let mut problem = None;
    for candidate in candidates.iter().filter(|candidate| candidate.exists()) {
        let config = ModelConfig {
            file: candidate.to_string_lossy().into_owned(),
            language: language_named(&file.model.language)?,
            defines: file.model.defines.clone(),
            program: ProgramFiles::of_parts(&file.model.parts),
        };
        match open(&config) {
            Ok(model) => return Ok((config, model)),
            Err(failure) => {
                problem.get_or_insert(failure);
            }
        }
    }
    Err(problem.unwrap_or_else(|| {
        let wanted = arguments.model.as_ref().unwrap_or(&file.model.file);
        Failure::new(format!("cannot find the model {wanted}; say where it is with --model"))
    }))
}

/// A trace that was followed and shows what it claims.
struct Followed<'a> {
    session: &'a Session,
    interpreter: &'a Interpreter<'a>,
    property: &'a str,
    story: Story,
    /// What was found now, not what the file says about it.
    evidence: TracedEvidence,
}

impl Followed<'_> {
    fn to_wire(&self) -> Result<wire::ReplayReport, String> {
        let last = self.story.last_state.as_ref();
        Ok(wire::ReplayReport {
            fathom: wire::VERSION.to_owned(),
            model: self.session.traced_model(),
            property: self.property.to_owned(),
            evidence: self.evidence.clone(),
            loop_at: self.story.loop_at,
            first: first_to_wire(self.session, self.interpreter, &self.story),
            steps: steps_to_wire(self.session, self.interpreter, &self.story)?,
            participation: self.story.participation(self.interpreter),
            state: last.map(|state| state_to_wire(self.session, &describe(self.interpreter, state))),
        })
    }

    fn to_text(&self, msc: bool) -> String {
        let mut text = format!(
            "{}: {}, {}:\n",
            self.session.traced_model().file,
            self.property,
            counted(self.story.n_steps() as u64, "step")
        );
        let mut chart = Chart::default();
        text += &story_to_text(self.session, self.interpreter, &self.story, |step| {
            if msc {
                chart.add_step(step);
            }
        });
        text += &format!("        {}\n", self.evidence.text);
        text += &format!("{}\n", self.story.participation(self.interpreter));
        if msc {
            text += &format!("\n{}", chart.draw());
        }
        if let Some(state) = &self.story.last_state {
            let state = state_to_text(self.session, &describe(self.interpreter, state));
            text += &format!("\nthe state at the end:\n{state}");
        }
        text
    }
}
