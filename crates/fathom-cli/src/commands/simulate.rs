//! `fathom simulate`: walks through a model, led by the user or at random.

use std::fmt::Write;

use clap::Args;
use fathom_core::model::Interpreter;

use super::run_arguments::DEFAULT_SEED;
use super::simulate_interactive;
use crate::arguments::{Format, ModelArguments, OutputArguments};
use crate::failure::{self, Failure};
use crate::monitor::Interrupt;
use crate::program::from_file;
use crate::sequence_chart::Chart;
use crate::session::Session;
use crate::story::{StoryStep, describe, state_to_wire, step_to_wire};
use crate::story_text::{start_to_text, state_to_text, steps_to_text};
use crate::timed;
use crate::walk::{Remembers, Walk};
use crate::{output, wire};
use fathom_core::search::Random;

/// The flags of `simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Without --random, commands are read from standard input: the number of a step, \
                        b (back), r N (N random steps), i N (start again in another initial state), \
                        w EXPR (watch), s (state), h (help), q (quit). Timed automata have no i and w; \
                        model programs have the number, b and q, and show every state.")]
pub struct SimulateArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Take random steps and show where they lead
    #[arg(long)]
    pub random: bool,
    /// The seed of random steps
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Most random steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: u64,
    /// Show every random step, not only what is printed
    #[arg(long)]
    pub show_steps: bool,
    /// Show the messages as a chart, one column for each process
    #[arg(long)]
    pub msc: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Runs the command.
pub fn run(arguments: &SimulateArguments) -> Result<u8, Failure> {
    let model = arguments.model.validate()?;
    if model.language.is_program() {
        return from_file::simulate(arguments, &model);
    }
    if model.is_timed() {
        return timed::simulate::simulate(arguments, &model);
    }
    let session = Session::open(model)?;
    if !arguments.output.quiet {
        session.show_warnings();
    }
    let interpreter = Interpreter::new(session.model(), &session.safety_properties());
    if arguments.random {
        let run = random_run(arguments, &session, &interpreter);
        match arguments.output.format {
            Format::Json => output::print_json(&run.to_wire(&session, &interpreter))?,
            Format::Text => output::print(&run.to_text(arguments, &session, &interpreter))?,
        }
        return Ok(failure::HOLDS);
    }
    if arguments.output.format == Format::Json {
        return Err(Failure::new("--format json needs --random"));
    }
    simulate_interactive::converse(&session, &interpreter, Random::new(arguments.seed))
}

/// Where a random run led.
#[derive(Default)]
struct RandomRun {
    seed: u64,
    stop: &'static str,
    initial: usize,
    /// The state at the start, where there may be several.
    first: Option<Vec<u8>>,
    choices: Vec<u32>,
    n_steps: usize,
    steps: Vec<StoryStep>,
    output: String,
    faults: Vec<String>,
    state: Option<Vec<u8>>,
}

fn random_run(arguments: &SimulateArguments, session: &Session, interpreter: &Interpreter<'_>) -> RandomRun {
    let interrupt = Interrupt::listen();
    let mut random = Random::new(arguments.seed);
    let mut run = RandomRun { seed: arguments.seed, stop: "fault", ..RandomRun::default() };
    let started = Walk::start(session, interpreter, Remembers::Nothing, |n_initial| match n_initial {
        1 => 0,
        _ => random.below(n_initial),
    });
    let mut walk = match started {
        Ok(walk) => walk,
        Err(fault) => {
            run.faults.push(fault);
            return run;
        }
    };
    run.initial = walk.initial().0;
    run.first = (!session.model().initial_effect.is_empty()).then(|| walk.state().to_vec());
    let keeps_steps = arguments.show_steps || arguments.msc || arguments.output.format == Format::Json;
    run.stop = loop {
        if run.n_steps as u64 >= arguments.steps {
            break "steps";
        }
        if interrupt.is_asked() {
            break "cancelled";
        }
        let problems = walk.problems();
        let dead_ends: Vec<_> = problems.iter().filter(|problem| problem.is_dead_end).collect();
        let n_options = walk.n_options() + dead_ends.len();
        if n_options == 0 {
            break if problems.is_empty() { "end" } else { "deadlock" };
        }
        let option = random.below(n_options);
        let taken = match option.checked_sub(walk.n_options()) {
            None => walk.take(option),
            Some(index) => walk.explain_problem(dead_ends[index]),
        };
        // The interpreter offered this step itself: that it cannot be explained would be a bug.
        let step = taken.expect("a step that the interpreter offers can be explained");
        run.add(step, keeps_steps);
        if !run.faults.is_empty() {
            break "fault";
        }
    };
    run.choices = walk.choices().to_vec();
    run.state = Some(walk.state().to_vec());
    run
}

impl RandomRun {
    fn add(&mut self, step: StoryStep, keeps_steps: bool) {
        self.n_steps += 1;
        for explained in &step.moves {
            self.output += &explained.output;
            if let Some(fault) = explained.fault_text() {
                self.faults.push(fault);
            }
        }
        if keeps_steps {
            self.steps.push(step);
        }
    }

    fn to_wire(&self, session: &Session, interpreter: &Interpreter<'_>) -> wire::SimulationReport {
        let state = self.state.as_ref();
        wire::SimulationReport {
            fathom: wire::VERSION.to_owned(),
            model: session.summary(),
            seed: self.seed,
            stop: self.stop.to_owned(),
            initial: state.map(|_| self.initial as u32),
            choices: self.choices.clone(),
            first: self.first.as_ref().map(|first| state_to_wire(session, &describe(interpreter, first))),
            steps: self.steps.iter().map(|step| step_to_wire(session, step)).collect(),
            output: self.output.clone(),
            faults: self.faults.clone(),
            state: state.map(|state| state_to_wire(session, &describe(interpreter, state))),
        }
    }

    fn to_text(
        &self,
        arguments: &SimulateArguments,
        session: &Session,
        interpreter: &Interpreter<'_>,
    ) -> String {
        let mut text = String::new();
        if arguments.show_steps {
            if let Some(first) = &self.first {
                text += &start_to_text(session, &describe(interpreter, first));
            }
            text += &steps_to_text(session, &self.steps);
        } else {
            text += &self.output;
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        if arguments.msc {
            let mut chart = Chart::default();
            self.steps.iter().for_each(|step| chart.add_step(step));
            text += &chart.draw();
        }
        for fault in &self.faults {
            let _ = writeln!(text, "*** {fault}");
        }
        let reason = match self.stop {
            "steps" => "the limit on steps",
            "end" => "a valid end",
            "deadlock" => "a deadlock: no process can move, and not all are where they may rest",
            "cancelled" => "cancelled",
            _ => "an error",
        };
        let _ = writeln!(text, "{} steps with seed {}, then {reason}", self.n_steps, self.seed);
        if let Some(state) = &self.state {
            text += &state_to_text(session, &describe(interpreter, state));
        }
        text
    }
}
