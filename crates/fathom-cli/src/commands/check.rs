//! `fathom check`: answers the properties of a model.

use clap::Args;
use fathom::CheckOptions;
use fathom::model::PropertyId;

use super::check_report;
use super::run_arguments::{RunArguments, RunConfig, choose_properties, run_summary};
use crate::failure::Failure;
use crate::monitor::{Interrupt, Watch};
use crate::session::Session;
use crate::trace_file::TraceNames;

/// The flags of `check`.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 every property holds, 1 some property is violated, 2 could not run, \
                        3 inconclusive.")]
pub struct CheckArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub trace: TraceArguments,
}

/// What to do with traces.
#[derive(Debug, Args)]
#[command(next_help_heading = "Traces")]
pub struct TraceArguments {
    /// Write the trace of the first violated property to FILE, those of others to FILE with their names inserted
    #[arg(long, value_name = "FILE")]
    pub trace: Option<String>,
    /// Overwrite trace files that exist
    #[arg(long, requires = "trace")]
    pub force: bool,
    /// Show the messages of traces as a chart, one column for each process
    #[arg(long)]
    pub msc: bool,
}

impl TraceArguments {
    /// Checks before any work is done that the traces of these properties can be written, if they are wanted.
    pub fn claim(&self, session: &Session, properties: &[PropertyId]) -> Result<Option<TraceNames>, Failure> {
        let Some(base) = &self.trace else { return Ok(None) };
        let name = |id: &PropertyId| session.model().properties[id.index()].name.clone();
        let names: Vec<String> = properties.iter().map(name).collect();
        TraceNames::claim(base, self.force, &names).map(Some)
    }
}

/// Runs the command.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let CheckArguments { run, trace } = arguments;
    let config = RunConfig { msc: trace.msc, ..run.validate()? };
    let interrupt = Interrupt::listen();
    let mut session = Session::open(config.model.clone())?;
    let properties = choose_properties(&config, &mut session)?;
    if !run.output.quiet {
        session.show_warnings();
    }
    let traces = trace.claim(&session, &properties)?;
    let options = CheckOptions {
        guidance: run.sample.guidance(&run.guide, config.seed, &session)?,
        ..run.to_options(&config, properties)
    };
    let mut watch = Watch::start(run.limits.time, interrupt, run.output.quiet);
    let mut report = fathom::check(session.model(), &options, &mut watch);
    report.statistics.seconds = watch.finish().as_secs_f64();
    let answered = check_report::Answered {
        config: &config,
        session: &session,
        asked: &options.properties,
        report: &report,
        run: run_summary(&config, &report),
        command: run.to_command(&config, &report),
        arms: Vec::new(),
    };
    check_report::publish(&answered, traces.as_ref())
}
