//! `fathom plan`: the best way to a goal, or a schedule that goes on for ever.
//!
//! A plan is a trace to a state in which the goal is true. Which one is best is decided by breadth-first search (steps), by branch and bound over an
//! expression that never falls (Promela, IF, SMV), or by the searches for the fastest and the cheapest run of timed automata. A schedule that goes on
//! for ever ([`plan_cycle`](super::plan_cycle)) is a lasso. A plan is called optimal only when the search that found it proved that there is no
//! better one.
//!
//! What is found is a schedule here, whatever the language: who moves when, and the values of the expressions that the user watches. Tables,
//! pictures and controllers are made of it (`plan_plot.rs`, `plan_controller.rs`).

use clap::Args;
use fathom_core::model::{Answer, Statistics, Stop, Trust, Verdict};
use fathom_plot::{GanttBar, GanttChart, GanttRow};

use super::plan_controller::ControllerArguments;
use super::plan_plot::PlotRequest;
use super::run_arguments::{DEFAULT_SEED, LimitArguments};
use super::store_arguments::StoreArguments;
use super::{plan_model, plan_plot, plan_program, plan_timed};
use crate::arguments::{Format, ModelArguments, ModelConfig, OutputArguments};
use crate::failure::{self, Failure};
use crate::graph::short;
use crate::memory;
use crate::output;
use crate::units::{counted, display_size};
use crate::wire::{PlanReportForm, PlanStatisticsForm, VERSION};

/// The flags of `plan`.
#[derive(Debug, Args)]
#[command(after_help = "A plan is called optimal only when it is proved that there is no better one.\n\
                        Exit status: 0 a plan was found, 1 there is none, 2 could not run, 3 inconclusive.")]
pub struct PlanArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// What is to be reached: an expression about one state; for model programs, the name of a property of states
    #[arg(long, value_name = "E", required_unless_present = "cycle")]
    pub goal: Option<String>,
    /// What is made small: steps (the default), none (any plan: depth-first); time or cost, for timed automata; or an expression that
    /// never falls along a run. With --cycle, the largest value of an expression; any schedule by default
    #[arg(long, value_name = "WHAT")]
    pub minimize: Option<String>,
    #[command(flatten)]
    pub cycle: CycleArguments,
    /// Show the value of this expression after each step
    #[arg(long, value_name = "E")]
    pub show: Vec<String>,
    #[command(flatten)]
    pub pictures: PictureFiles,
    #[command(flatten)]
    pub controller: ControllerArguments,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub store: StoreArguments,
    /// The seed of lossy stores
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Schedules that go on for ever.
#[derive(Debug, Args)]
#[command(next_help_heading = "Schedules without an end")]
pub struct CycleArguments {
    /// Look for a schedule that goes on for ever: some steps, then a loop, in which the goal is true again and again
    #[arg(long)]
    pub cycle: bool,
    /// What is true in every state of the schedule, with --cycle
    #[arg(long, value_name = "E", requires = "cycle")]
    pub keep: Vec<String>,
}

/// Pictures of plans.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureFiles {
    /// Draw the plan, one row for each process, as SVG
    #[arg(long, value_name = "FILE")]
    pub gantt: Option<String>,
    /// Draw the values of expressions along the plan, as SVG or, with the extension png, PNG: `level[1],level[2]=levels.svg`. Given
    /// again for the same file, it adds a panel
    #[arg(long, value_name = "E,E=FILE", value_parser = plan_plot::parse_request)]
    pub plot: Vec<PlotRequest>,
}

/// An expression that the user wants to see along a plan, and the flag that gave it.
pub(super) struct Watched {
    pub flag: &'static str,
    pub text: String,
}

/// What came of a search.
pub(super) struct Sought {
    pub form: PlanReportForm,
    pub chart: GanttChart,
    /// For each step, the value of each expression that is watched.
    pub values: Vec<Vec<i64>>,
    /// For loops with time: whether going round again with the same delays is a run, too.
    pub has_fixed_delays: bool,
}

impl Sought {
    /// A search that found nothing.
    pub(super) fn nothing(form: PlanReportForm) -> Sought {
        Sought { form, chart: GanttChart::default(), values: Vec::new(), has_fixed_delays: true }
    }
}

impl PlanArguments {
    /// What is made small; nothing when any plan will do.
    pub(super) fn minimized(&self) -> Option<&str> {
        match self.minimize.as_deref() {
            Some("none") => None,
            None => (!self.cycle.cycle).then_some("steps"),
            given => given,
        }
    }

    /// Every expression that is watched, in the order of [`Sought::values`]: those that are shown come first.
    pub(super) fn watched(&self) -> Vec<Watched> {
        let shown = self.show.iter().map(|text| Watched { flag: "--show", text: text.clone() });
        let plotted = self.pictures.plot.iter().flat_map(|request| &request.expressions);
        let plotted = plotted.map(|text| Watched { flag: "--plot", text: text.clone() });
        shown.chain(plotted).chain(self.controller.watched()).collect()
    }

    /// Checks before any work is done that flags belong together and files can be written.
    fn check(&self) -> Result<(), Failure> {
        let mut files: Vec<&str> = Vec::new();
        let plots = plan_plot::files(&self.pictures.plot);
        let written = self.pictures.gantt.iter().chain(&self.controller.emit_controller).map(String::as_str);
        for path in written.chain(plots) {
            if files.contains(&path) {
                return Err(Failure::new(format!("{path} cannot be two files")));
            }
            output::claim_file(path, self.force)?;
            files.push(path);
        }
        self.controller.check()?;
        let is_lossless = matches!(self.store.store.as_str(), "exact" | "plain");
        if self.cycle.cycle {
            if self.goal.is_none() && self.cycle.keep.is_empty() {
                return Err(Failure::new("--cycle needs --goal, --keep or both"));
            }
            if let Some("steps" | "time" | "cost") = self.minimized() {
                return Err(Failure::new(
                    "--cycle: --minimize takes an expression, whose largest value is made small",
                ));
            }
            if !is_lossless {
                return Err(Failure::new("--cycle: loops are found with the exact store only"));
            }
        }
        if !is_lossless && self.minimized().is_some() {
            return Err(Failure::new(format!(
                "--store {} may miss plans, and proves nothing about the best; say --minimize none",
                self.store.store
            )));
        }
        Ok(())
    }

    /// A report without a plan.
    pub(super) fn report(
        &self,
        config: &ModelConfig,
        verdict: &Verdict,
        statistics: &Statistics,
        seconds: f64,
    ) -> PlanReportForm {
        PlanReportForm {
            fathom: VERSION.to_owned(),
            file: config.file.clone(),
            language: config.language.name().to_owned(),
            goal: self.goal.clone(),
            keep: self.cycle.keep.clone(),
            cycle: self.cycle.cycle,
            minimize: self.minimized().map(str::to_owned),
            answer: match (verdict.answer, self.cycle.cycle) {
                // What a lossy search has not found may be there.
                (Answer::Violated, false) if verdict.trust != Trust::Complete => "not-found",
                // A run that violates what is asked of formulas is what is wanted.
                (Answer::Holds, false) | (Answer::Violated, true) => "found",
                (Answer::Violated, false) | (Answer::Holds, true) => "impossible",
                (Answer::Inconclusive, _) => "not-found",
            }
            .to_owned(),
            optimal: false,
            value: None,
            stop: verdict.stop.word().to_owned(),
            loop_at: None,
            steps: Vec::new(),
            statistics: PlanStatisticsForm {
                states: statistics.states,
                transitions: statistics.transitions,
                store_bytes: statistics.store_bytes,
                seconds,
                peak_memory_bytes: memory::peak(),
            },
        }
    }
}

/// Whether a search came to its end, by finding what it looked for or because there was no more.
pub(super) fn is_ended(stop: Stop) -> bool {
    matches!(stop, Stop::Found | Stop::Exhausted)
}

/// Runs the command.
pub fn run(arguments: &PlanArguments) -> Result<u8, Failure> {
    let config = arguments.model.validate()?;
    arguments.check()?;
    let mut sought = if config.language.is_program() {
        plan_program::plan(arguments, &config)?
    } else if config.is_timed() {
        plan_timed::plan(arguments, &config)?
    } else {
        plan_model::plan(arguments, &config)?
    };
    let watched = arguments.watched();
    let shown = &watched[..arguments.show.len()];
    for (step, values) in sought.form.steps.iter_mut().zip(&sought.values) {
        step.shown = shown.iter().map(|one| one.text.clone()).zip(values.iter().copied()).collect();
    }
    if sought.form.answer == "found" {
        write_files(arguments, &sought)?;
    }
    match arguments.output.format {
        Format::Json => output::print_json(&sought.form)?,
        Format::Text => output::print(&to_text(&sought.form))?,
    }
    Ok(match sought.form.answer.as_str() {
        "found" => failure::HOLDS,
        "impossible" => failure::VIOLATED,
        _ => failure::INCONCLUSIVE,
    })
}

fn write_files(arguments: &PlanArguments, sought: &Sought) -> Result<(), Failure> {
    if let Some(path) = &arguments.pictures.gantt {
        output::write_file(path, sought.chart.svg(), arguments.force)?;
    }
    let n_shown = arguments.show.len();
    for (path, chart) in plan_plot::charts(&arguments.pictures.plot, n_shown, sought) {
        let picture = if path.ends_with(".png") { chart.png() } else { chart.svg().map(String::into_bytes) };
        let picture = picture.map_err(|error| Failure::new(format!("cannot draw {path}: {error}")))?;
        output::write_file(path, picture, arguments.force)?;
    }
    if let Some(path) = &arguments.controller.emit_controller {
        let first =
            n_shown + arguments.pictures.plot.iter().map(|request| request.expressions.len()).sum::<usize>();
        let text =
            arguments.controller.write(path, &sought.form, &sought.values, first, sought.has_fixed_delays)?;
        output::write_file(path, text, arguments.force)?;
    }
    Ok(())
}

/// A bar of one step for each move.
pub(super) fn moves_chart(form: &PlanReportForm) -> GanttChart {
    let mut chart = GanttChart { axis: "steps".to_owned(), ..GanttChart::default() };
    for step in form.steps.iter().skip(1) {
        let (start, end) = (step.number as f64 - 1.0, step.number as f64);
        // A step of several moves of one process is one bar.
        for (at, one) in step.moves.iter().enumerate() {
            if step.moves[..at].iter().any(|other| other.process == one.process) {
                continue;
            }
            let row = chart.rows.iter().position(|row| row.name == one.process).unwrap_or_else(|| {
                chart.rows.push(GanttRow { name: one.process.clone(), bars: Vec::new() });
                chart.rows.len() - 1
            });
            chart.rows[row].bars.push(GanttBar { start, end, text: short(&one.text) });
        }
    }
    chart.mark = form.loop_at.map(|at| (at as f64, LOOP.to_owned()));
    chart
}

/// What stands where a loop begins.
pub(super) const LOOP: &str = "again and again";

fn to_text(form: &PlanReportForm) -> String {
    let mut text = headline(form);
    for step in &form.steps {
        let time = step.time.map_or(String::new(), |time| format!("{time:>9}  "));
        let moves: Vec<String> =
            step.moves.iter().map(|one| format!("{}: {}", one.process, short(&one.text))).collect();
        let shown: Vec<String> = step.shown.iter().map(|(text, value)| format!("{text} = {value}")).collect();
        let shown = if shown.is_empty() { String::new() } else { format!("   [{}]", shown.join(", ")) };
        text += &format!("  {:>5}  {time}{}{shown}\n", step.number, plan_moves(&moves));
        if form.loop_at == Some(step.number) {
            text += &format!("         {LOOP}:\n");
        }
    }
    let statistics = &form.statistics;
    text += &format!(
        "\n{} states, {} transitions, {:.2} s, {} for states, peak memory {}\n",
        statistics.states,
        statistics.transitions,
        statistics.seconds,
        display_size(statistics.store_bytes),
        display_size(statistics.peak_memory_bytes)
    );
    text
}

fn headline(form: &PlanReportForm) -> String {
    let file = &form.file;
    let steps = |n: usize| counted(n as u64, "step");
    match (form.answer.as_str(), &form.goal) {
        ("found", _) => {
            let n_steps = form.steps.len().saturating_sub(1);
            let what = match form.loop_at {
                Some(at) => {
                    format!("a schedule for ever: {}, then {} {LOOP}", steps(at), steps(n_steps - at))
                }
                None => format!("a plan with {}", steps(n_steps)),
            };
            let (name, value) = (form.minimize.as_deref().unwrap_or_default(), form.value);
            let at_most = if form.cycle { "at most " } else { "" };
            let value = value.map_or(String::new(), |value| format!(", {name} {at_most}{value}"));
            let optimal = match (form.optimal, &form.minimize) {
                (true, _) => "; optimal: proved",
                (false, Some(_)) => "; there may be better ones",
                (false, None) => "",
            };
            format!("{file}: {what}{value}{optimal}\n\n")
        }
        ("impossible", _) if form.cycle => format!("{file}: no schedule goes on for ever like this\n"),
        ("impossible", Some(goal)) => format!("{file}: no state has {goal}: there is no plan\n"),
        _ => format!("{file}: no plan found ({})\n", form.stop),
    }
}

/// The moves of a step: the first, and how many more there are.
fn plan_moves(moves: &[String]) -> String {
    match moves {
        [] => "start".to_owned(),
        [one] => one.clone(),
        [one, other] => format!("{one} | {other}"),
        [one, rest @ ..] => format!("{one} (+{})", rest.len()),
    }
}
