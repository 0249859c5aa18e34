//! `fathom replay`: follows a trace file on the model it belongs to.
//!
//! The model is loaded again; a fingerprint says whether it changed since. The trace is followed on the reference
//! interpreter and must show at its end what it claims.

use std::path::Path;

use clap::Args;
use fathom::model::Interpreter;

use crate::arguments::{Format, ModelConfig, OutputArguments, language_named};
use crate::failure::{self, Failure};
use crate::output;
use crate::sequence_chart::Chart;
use crate::session::Session;
use crate::story::{Story, describe, state_to_wire, steps_to_wire, tell};
use crate::story_text::{state_to_text, story_to_text};
use crate::trace_file::{evidence_to_wire, read, to_trace};
use crate::units::counted;
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
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Runs the command. The status is 0 when the trace shows what it claims.
pub fn run(arguments: &ReplayArguments) -> Result<u8, Failure> {
    let file = read(&arguments.trace)?;
    let mut session = open_model(arguments, &file)?;
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
    let (trace, story) = to_trace(session.model(), property, &file)
        .and_then(|trace| tell(&interpreter, property, &trace).map(|story| (trace, story)))
        .map_err(|error| Failure::new(format!("{} does not fit the model: {error}", arguments.trace)))?;
    let evidence = evidence_to_wire(&session.model().properties[property.index()].question, &trace);
    let followed = Followed { session: &session, interpreter: &interpreter, file: &file, story, evidence };
    match arguments.output.format {
        Format::Json => output::print_json(&followed.to_wire().map_err(Failure::new)?)?,
        Format::Text => output::print(&followed.to_text(arguments.msc))?,
    }
    Ok(failure::HOLDS)
}

/// Looks for the model where the user says, where the trace says, and beside the trace.
fn open_model(arguments: &ReplayArguments, file: &TraceFile) -> Result<Session, Failure> {
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
        let path = candidate.to_string_lossy().into_owned();
        let config = ModelConfig {
            file: path.clone(),
            language: language_named(&file.model.language)?,
            defines: file.model.defines.clone(),
        };
        let found = Session::open(config);
        match found {
            Ok(session) if session.traced_model().sha256 == file.model.sha256 => return Ok(session),
            Ok(_) => {
                problem.get_or_insert(Failure::new(format!(
                    "{path} is not the model of the trace {}: it changed since the trace was written",
                    arguments.trace
                )));
            }
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
    file: &'a TraceFile,
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
            property: self.file.property.clone(),
            evidence: self.evidence.clone(),
            loop_at: self.file.loop_at,
            steps: steps_to_wire(self.session, self.interpreter, &self.story)?,
            state: last.map(|state| state_to_wire(self.session, &describe(self.interpreter, state))),
        })
    }

    fn to_text(&self, msc: bool) -> String {
        let mut text = format!(
            "{}: {}, {}:\n",
            self.session.traced_model().file,
            self.file.property,
            counted(self.story.n_steps() as u64, "step")
        );
        let mut chart = Chart::default();
        text += &story_to_text(self.session, self.interpreter, &self.story, |step| {
            if msc {
                chart.add_step(step);
            }
        });
        text += &format!("        {}\n", self.evidence.text);
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
