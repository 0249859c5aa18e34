//! The report of `fathom test`: text, JSON, pictures and source code.

use fathom_core::model::{Interpreter, Model, PropertyId, Stop, System};
use fathom_core::source::SourceMap;
use fathom_core::testgen::{ChartEdge, ChartValue, Goal, GoalAnswer};
use fathom_core::{TestOptions, TestReport, WrittenStep, WrittenTest};
use fathom_coverage::Rate;
use fathom_source::Span;

use super::test::{TestFlags, WantedGoals, is_settled};
use super::test_code;
use crate::arguments::Format;
use crate::failure::{self, Failure};
use crate::files::read_text;
use crate::graph::{coverage::coverage_graphs, dot::to_dot, short, svg::to_svg};
use crate::memory;
use crate::output;
use crate::sequence_chart::Chart;
use crate::story::explain_step;
use crate::units::{counted, display_size};
use crate::wire::{
    CountedForm, CountedPartForm, GoalForm, TestForm, TestMoveForm, TestReportForm, TestStatisticsForm,
    TestStepForm, TestSummaryForm, VERSION,
};

/// Steps of a test that are shown, unless all are wanted.
const SHOWN_STEPS: usize = 40;

/// Goals without a test that are listed, unless all are wanted.
const SHOWN_GOALS: usize = 60;

/// Items that a criterion lacks, as many as anyone reads.
const SHOWN_ITEMS: usize = 10;

/// Everything that the report is about.
pub(super) struct Written<'a> {
    pub arguments: &'a TestFlags,
    pub file: &'a str,
    pub language: &'a str,
    pub goals: &'a WantedGoals,
    pub options: &'a TestOptions,
    pub report: &'a TestReport,
    pub sources: &'a SourceMap,
    /// The text of a trap.
    pub trap_text: &'a dyn Fn(PropertyId) -> String,
    pub seconds: f64,
    pub setup_seconds: f64,
    /// The messages of each test as a chart, if they are wanted.
    pub charts: Vec<String>,
}

/// Shows the report, writes files, and gives the exit status.
pub(super) fn publish(written: &Written<'_>) -> Result<u8, Failure> {
    let files = &written.arguments.written;
    if let Some(path) = &files.picture {
        let graphs = coverage_graphs(written.report);
        let text = match path.to_ascii_lowercase().ends_with(".dot") {
            true => to_dot(written.file, &graphs),
            false => to_svg(&graphs)
                .map_err(|error| Failure::new(error.replace("--format dot", "a name that ends in .dot")))?,
        };
        output::write_file(path, text, files.force)?;
    }
    let form = written.to_wire();
    if let (Some(template), Some(path)) = (&files.template, &files.code) {
        let text = match test_code::built_in(template) {
            Some(text) => text.to_owned(),
            None => read_text(template)?,
        };
        let code =
            test_code::fill(&text, &form).map_err(|error| Failure::new(format!("{template}: {error}")))?;
        output::write_file(path, code, files.force)?;
    }
    match written.arguments.output.format {
        Format::Json => output::print_json(&form)?,
        Format::Text => output::print(&written.to_text())?,
    }
    Ok(if is_settled(written.report) { failure::HOLDS } else { failure::INCONCLUSIVE })
}

impl Written<'_> {
    fn to_wire(&self) -> TestReportForm {
        let report = self.report;
        let goals =
            report.goals.goals.iter().zip(&report.answers).map(|(goal, answer)| self.goal_form(goal, answer));
        TestReportForm {
            fathom: VERSION.to_owned(),
            file: self.file.to_owned(),
            language: self.language.to_owned(),
            criteria: self.goals.names(),
            engine: self.options.generate.engine.name().to_owned(),
            guide: self.guide_name().to_owned(),
            seed: self.options.generate.seed,
            summary: TestSummaryForm {
                goals: report.goals.len(),
                covered: report.n_covered(),
                infeasible: report.n_infeasible(),
                not_found: report.goals.len() - report.n_covered() - report.n_infeasible(),
                tests: report.tests.len(),
                steps: report.n_steps(),
                shortest: report.is_shortest,
            },
            goals: goals.collect(),
            counted: self.counted_form(),
            tests: report.tests.iter().map(test_form).collect(),
            statistics: TestStatisticsForm {
                searches: report.statistics.searches,
                states: report.statistics.states,
                transitions: report.statistics.transitions,
                store_bytes: report.statistics.store_bytes,
                seconds: self.seconds,
                setup_seconds: self.setup_seconds,
                peak_memory_bytes: memory::peak(),
            },
        }
    }

    /// What came of the criterion that counts.
    fn counted_form(&self) -> Option<CountedForm> {
        let (report, wanted) = (self.report.counted.as_ref()?, self.goals.counted.as_ref()?);
        let part = |(criterion, rate, missing): &(String, Rate, Vec<String>)| CountedPartForm {
            criterion: criterion.clone(),
            rate: rate.to_f64(),
            missing: missing.clone(),
        };
        let (answer, stop) = match report.stop {
            Stop::Found => ("covered", None),
            Stop::Exhausted => ("infeasible", None),
            stop => ("not-found", Some(stop.word().to_owned())),
        };
        Some(CountedForm {
            criterion: wanted.criterion.to_string(),
            rate: report.rate.to_f64(),
            answer: answer.to_owned(),
            stop,
            parts: report.parts.iter().map(part).collect(),
        })
    }

    fn counted_text(&self) -> String {
        let (Some(report), Some(form)) = (&self.report.counted, self.counted_form()) else {
            return String::new();
        };
        let more = match form.answer.as_str() {
            "covered" => String::new(),
            "infeasible" => ", and more cannot be".to_owned(),
            _ => format!(", not found ({})", form.stop.unwrap_or_default()),
        };
        let mut text = format!("goal covered to {}{more}: {}\n", report.rate, form.criterion);
        for (criterion, rate, missing) in report.parts.iter().filter(|(_, rate, _)| !rate.is_full()) {
            let shown = missing.iter().take(SHOWN_ITEMS).cloned().collect::<Vec<_>>().join("; ");
            let more = if missing.len() > SHOWN_ITEMS { "; …" } else { "" };
            text += &format!("  {criterion}: {rate}, missing {shown}{more}\n");
        }
        text
    }

    fn guide_name(&self) -> &'static str {
        self.options.shorten.map_or(self.options.generate.guide, |shortening| shortening.guide).name()
    }

    fn goal_form(&self, goal: &Goal, answer: &GoalAnswer) -> GoalForm {
        let (word, stop, test, step) = match answer {
            GoalAnswer::Covered { test, step } => ("covered", None, Some(*test), Some(*step)),
            GoalAnswer::Infeasible => ("infeasible", None, None, None),
            GoalAnswer::NotFound(stop) => ("not-found", Some(stop.word().to_owned()), None, None),
        };
        GoalForm {
            kind: goal.kind().to_owned(),
            text: self.goal_text(goal),
            span: self.goal_span(goal).map(|span| self.sources.locate(span)),
            answer: word.to_owned(),
            stop,
            test,
            step,
        }
    }

    fn edge(&self, chart: usize, edge: usize) -> &ChartEdge {
        &self.report.charts.charts[chart].edges[edge]
    }

    fn goal_text(&self, goal: &Goal) -> String {
        let charts = &self.report.charts;
        let name = |chart: usize| &charts.charts[chart].name;
        let text = |chart: usize, edge: usize| short(&self.edge(chart, edge).text);
        match goal {
            Goal::Location { chart, location } => {
                format!("{} at {}", name(*chart), charts.charts[*chart].locations[*location].name)
            }
            Goal::Edge { chart, edge } => format!("{}: {}", name(*chart), text(*chart, *edge)),
            Goal::Switch { chart, edges } => {
                let edges: Vec<String> = edges.iter().map(|&edge| text(*chart, edge)).collect();
                format!("{}: {}", name(*chart), edges.join(" | "))
            }
            Goal::DefinitionUse { variable, definition, reading } => format!(
                "{}: {}: {} | {}: {}",
                charts.variables[*variable].name,
                name(definition.0),
                text(definition.0, definition.1),
                name(reading.0),
                text(reading.0, reading.1)
            ),
            Goal::Requirement(name) => name.clone(),
            Goal::Value(value) => {
                let ChartValue { variable, value } = &charts.values[*value];
                format!("{variable} == {value}")
            }
            Goal::Trap(id) => (self.trap_text)(*id),
        }
    }

    fn goal_span(&self, goal: &Goal) -> Option<Span> {
        match goal {
            Goal::Location { chart, location } => self.report.charts.charts[*chart].locations[*location].span,
            Goal::Edge { chart, edge } => self.edge(*chart, *edge).span,
            Goal::Switch { chart, edges } => self.edge(*chart, edges[0]).span,
            Goal::DefinitionUse { definition, .. } => self.edge(definition.0, definition.1).span,
            Goal::Requirement(_) | Goal::Value(_) | Goal::Trap(_) => None,
        }
    }

    fn to_text(&self) -> String {
        let form = self.to_wire();
        let summary = &form.summary;
        let mut text = format!(
            "{}: {}: {} covered, {} infeasible, {} not found\n",
            form.file,
            counted(summary.goals as u64, "goal"),
            summary.covered,
            summary.infeasible,
            summary.not_found
        );
        let shortest = if summary.shortest { ", no sequence is shorter" } else { "" };
        text += &format!(
            "{} with {}{shortest}\n",
            counted(summary.tests as u64, "test"),
            counted(summary.steps as u64, "step")
        );
        text += &self.counted_text();
        text += &self.missing_text(&form);
        for (number, test) in self.report.tests.iter().enumerate() {
            text += &self.test_text(number, test);
        }
        let statistics = &form.statistics;
        text += &format!(
            "\n{}, {} states, {} transitions, largest store {}, {:.2} s, peak memory {}\n",
            counted(statistics.searches, "search").replace("searchs", "searches"),
            statistics.states,
            statistics.transitions,
            display_size(statistics.store_bytes),
            statistics.seconds,
            display_size(statistics.peak_memory_bytes)
        );
        text
    }

    fn missing_text(&self, form: &TestReportForm) -> String {
        let missing: Vec<&GoalForm> = form.goals.iter().filter(|goal| goal.answer != "covered").collect();
        if missing.is_empty() {
            return String::new();
        }
        let n_shown = if self.arguments.written.full { missing.len() } else { SHOWN_GOALS };
        let mut text = "\nwithout a test:\n".to_owned();
        for goal in missing.iter().take(n_shown) {
            let why = goal.stop.as_ref().map_or(String::new(), |stop| format!(" ({stop})"));
            let place = goal.span.as_ref().map_or(String::new(), |span| format!("  {span}"));
            text += &format!("  {}{why}  {} {}{place}\n", goal.answer, goal.kind, goal.text);
        }
        if missing.len() > n_shown {
            text += &format!("  and {} more; --full shows them\n", missing.len() - n_shown);
        }
        text
    }

    fn test_text(&self, number: usize, test: &WrittenTest) -> String {
        let mut text = format!(
            "\ntest {}: {}, reaches {}, {} of them first\n",
            number + 1,
            counted(test.steps.len() as u64, "step"),
            counted(test.covers.len() as u64, "goal"),
            test.reached.len()
        );
        let n_shown = if self.arguments.written.full { test.steps.len() } else { SHOWN_STEPS };
        for (index, step) in test.steps.iter().enumerate().take(n_shown) {
            text += &format!("  {:>5}  {}\n", index + 1, step_text(step));
        }
        if test.steps.len() > n_shown {
            text += &format!("  and {} more steps; --full shows them\n", test.steps.len() - n_shown);
        }
        if let Some(chart) = self.charts.get(number) {
            text += "\n";
            text += chart;
        }
        text
    }
}

fn step_text(step: &WrittenStep) -> String {
    let moves: Vec<String> = step.moves.iter().map(|(who, what)| format!("{who}: {}", short(what))).collect();
    let delay =
        step.delay.filter(|delay| *delay > 0.0).map_or(String::new(), |delay| format!("wait {delay}, "));
    format!("{delay}{}", moves.join(" | "))
}

fn test_form(test: &WrittenTest) -> TestForm {
    let step = |step: &WrittenStep| TestStepForm {
        delay: step.delay,
        moves: step
            .moves
            .iter()
            .map(|(process, text)| TestMoveForm { process: process.clone(), text: text.clone() })
            .collect(),
    };
    let mut goals: Vec<u32> = test.reached.iter().map(|&(_, goal)| goal).collect();
    goals.sort_unstable();
    TestForm {
        initial: test.trace.initial,
        choices: test.trace.choices.clone(),
        steps: test.steps.iter().map(step).collect(),
        goals,
        covers: test.covers.len(),
    }
}

/// The messages of each test, as charts.
pub(super) fn message_charts(model: &Model, report: &TestReport) -> Result<Vec<String>, Failure> {
    let interpreter = Interpreter::new(model, &[]);
    let mut charts = Vec::new();
    for test in &report.tests {
        let replayed = fathom_core::search::replay(&interpreter, &test.trace)
            .map_err(|error| Failure::new(format!("a test does not replay: {error}")))?;
        let (mut chart, mut scratch) = (Chart::default(), interpreter.scratch());
        for (n_before, pair) in replayed.visits.windows(2).enumerate() {
            let (before, moves) = (&pair[0].state, &pair[1].labels);
            let step = explain_step(&interpreter, &mut scratch, before, moves, n_before, true)
                .map_err(Failure::new)?;
            chart.add_step(&step);
        }
        charts.push(chart.draw());
    }
    Ok(charts)
}
