//! The report of `check`: trace files, text or JSON, and the exit status.

use std::fmt::Write;

use fathom_core::model::{Answer, Interpreter, Property, PropertyId, Question, Stop, Trace, Verdict};
use fathom_core::{Insight, Optimality, Report, temporal};

use super::run_arguments::RunConfig;
use super::states_report;
use crate::arguments::Format;
use crate::failure::{self, Failure};
use crate::output;
use crate::sequence_chart::Chart;
use crate::session::{PROCESSES, Session};
use crate::story::{Story, conclusion, describe, fault_of, tell};
use crate::story_text::{processes_to_text, story_to_text};
use crate::trace_file::{TraceNames, to_file, written_text};
use crate::tree_text::TreeTeller;
use crate::units::{counted, display_size};
use crate::{memory, profile, sample, wire};

/// Everything that the report is about.
pub struct Answered<'a> {
    /// What was asked for.
    pub config: &'a RunConfig,
    /// The model.
    pub session: &'a Session,
    /// The properties asked, in the order of the verdicts.
    pub asked: &'a [PropertyId],
    /// The answers.
    pub report: &'a Report,
    /// How the search was made.
    pub run: wire::RunSummary,
    /// The command that reproduces it.
    pub command: String,
    /// Whether formulas of branching time speak about paths that are fair to processes.
    pub is_fair_to_processes: bool,
    /// What the arms of a hunt did.
    pub arms: Vec<wire::ArmForm>,
}

impl Answered<'_> {
    /// Whether engines searched that are made for hunting: then it matters who takes part in an error.
    fn is_hunt(&self) -> bool {
        self.report.note.is_some()
    }
}

/// A verdict with its trace told and written.
struct Told<'a> {
    verdict: &'a Verdict,
    property: &'a Property,
    story: Option<(&'a Trace, Story)>,
    file: Option<String>,
    /// What the property says, if it is a formula.
    formula: Option<wire::FormulaForm>,
    insight: Option<&'a Insight>,
}

/// Writes trace files, prints the report, and gives the exit status.
pub fn publish(answered: &Answered<'_>, names: Option<&TraceNames>) -> Result<u8, Failure> {
    let interpreter = Interpreter::new(answered.session.model(), answered.asked);
    let mut told = tell_all(answered, &interpreter);
    // The answers come first: a disk that is full must not hide them.
    let written = names.map_or(Ok(()), |names| write_traces(answered, &interpreter, names, &mut told));
    let statistics = statistics(answered);
    match answered.config.format {
        Format::Json => output::print_json(&to_wire(answered, &interpreter, &told, statistics))?,
        Format::Text => output::print(&to_text(answered, &interpreter, &told, &statistics))?,
    }
    written?;
    let status = failure::status(answered.report.verdicts.iter(), answered.report.stop);
    let is_counted = answered.report.satisfying.iter().all(|counted| counted.stop == Stop::Exhausted);
    Ok(if status == failure::HOLDS && !is_counted { failure::INCONCLUSIVE } else { status })
}

fn tell_all<'a>(answered: &Answered<'a>, interpreter: &Interpreter<'_>) -> Vec<Told<'a>> {
    let told = |verdict: &'a Verdict| Told {
        verdict,
        property: &answered.session.model().properties[verdict.property.index()],
        // The facade has replayed every trace already: one that fails here is a bug.
        story: verdict.trace.as_ref().map(|trace| {
            (
                trace,
                tell(interpreter, verdict.property, trace)
                    .expect("a trace that was replayed can be explained"),
            )
        }),
        file: None,
        formula: formula_of(answered, verdict.property),
        insight: answered.report.insights.iter().find(|insight| insight.property == verdict.property),
    };
    answered.report.verdicts.iter().map(told).collect()
}

/// What a property says, if it is a formula.
pub fn formula_of(answered: &Answered<'_>, property: PropertyId) -> Option<wire::FormulaForm> {
    let session = answered.session;
    let model = session.model();
    let wording = temporal::wording(model, property)?;
    let asked = &model.properties[property.index()];
    let as_written = || asked.span.map_or(String::new(), |span| session.sources().text(span).to_owned());
    let expansion =
        session.loaded().expansions.iter().find(|(id, _)| *id == property).map(|(_, found)| found);
    let fairness = match &asked.question {
        Question::Ctl(ctl) => {
            let print = |&formula| fathom_core::logic::print_ctl(&ctl.formulas, &ctl.names, formula);
            let processes = answered.is_fair_to_processes.then(|| PROCESSES.to_owned());
            ctl.fairness.iter().map(print).chain(processes).collect()
        }
        _ => Vec::new(),
    };
    let end = match &asked.question {
        Question::Psl(psl) => Some(psl.end.name().to_owned()),
        _ => None,
    };
    // What was given on the command line is shown as it was written.
    let is_asked = matches!(asked.question, Question::Ltl(_))
        && asked.span.is_some_and(|span| session.sources().file(span.file).name().starts_with('<'));
    let text = match (expansion, wording.formula) {
        (Some(expansion), _) => expansion.ltl.clone(),
        (None, Some(printed)) if !is_asked => printed,
        _ => as_written(),
    };
    Some(wire::FormulaForm {
        text,
        reading: wording.words,
        pattern: expansion.map(|found| found.pattern.clone()),
        ctl: expansion.map(|found| found.ctl.clone()),
        fairness,
        end,
    })
}

/// Violations first, then witnesses: the first trace gets the name as given.
fn write_traces(
    answered: &Answered<'_>,
    interpreter: &Interpreter<'_>,
    names: &TraceNames,
    told: &mut [Told<'_>],
) -> Result<(), Failure> {
    let session = answered.session;
    let mut order: Vec<usize> = (0..told.len()).filter(|&index| told[index].story.is_some()).collect();
    order.sort_by_key(|&index| told[index].verdict.answer != Answer::Violated);
    for (rank, index) in order.into_iter().enumerate() {
        let one = &mut told[index];
        let Some((trace, story)) = &one.story else { continue };
        let path = if rank == 0 { names.first() } else { names.for_property(&one.property.name) };
        let verdict = one.verdict.answer.word();
        let asked = &answered.config.asked;
        let file = to_file(session, interpreter, asked, one.verdict.property, verdict, trace, story);
        names.write(&path, &file)?;
        one.file = Some(path.to_string_lossy().into_owned());
    }
    Ok(())
}

fn statistics(answered: &Answered<'_>) -> wire::StatisticsReport {
    let cost = &answered.report.statistics;
    let ratio = |amount: f64, by: f64| if by > 0.0 { amount / by } else { 0.0 };
    wire::StatisticsReport {
        expected_omissions: (answered.report.expected_omissions > 0.0)
            .then_some(answered.report.expected_omissions),
        profile: answered.report.profile.as_ref().map(profile::to_wire),
        states: cost.states,
        expanded: None,
        transitions: cost.transitions,
        matched: cost.matched,
        max_depth: cost.max_depth,
        seconds: cost.seconds,
        setup_seconds: answered.session.setup_seconds,
        states_per_second: ratio(cost.states as f64, cost.seconds),
        store_bytes: cost.store_bytes,
        bytes_per_state: ratio(cost.store_bytes as f64, cost.states as f64),
        peak_memory_bytes: memory::peak(),
    }
}

/// The tree of a formula, told.
fn tree_of<T>(
    told: &Told<'_>,
    tell: impl Fn(&TreeTeller<'_>, &fathom_core::ShownTree) -> T,
    answered: &Answered<'_>,
    interpreter: &Interpreter<'_>,
) -> Option<T> {
    let Question::Ctl(ctl) = &told.property.question else { return None };
    let shown = told.insight?.tree.as_ref()?;
    Some(tell(&TreeTeller { session: answered.session, interpreter, ctl }, shown))
}

fn to_wire(
    answered: &Answered<'_>,
    interpreter: &Interpreter<'_>,
    told: &[Told<'_>],
    statistics: wire::StatisticsReport,
) -> wire::Report {
    let property = |told: &Told<'_>| wire::PropertyReport {
        name: told.property.name.clone(),
        kind: told.property.question.kind().to_owned(),
        verdict: told.verdict.answer.word().to_owned(),
        trust: told.verdict.trust.word().to_owned(),
        stop: told.verdict.stop.word().to_owned(),
        span: answered.session.place(told.property.span),
        trace: told.story.as_ref().map(|(_, story)| wire::TraceSummary {
            steps: story.n_steps(),
            loop_at: story.loop_at,
            file: told.file.clone(),
            optimal: (answered.is_hunt() || answered.report.optimality != Optimality::Unknown)
                .then(|| answered.report.optimality.word().to_owned()),
            factor: match answered.report.optimality {
                Optimality::Within(factor) => Some(factor),
                _ => None,
            },
            participation: answered.is_hunt().then(|| story.participation(interpreter)),
        }),
        program: None,
        timed: None,
        value: None,
        formula: told.formula.clone(),
        tree: tree_of(told, |teller, shown| teller.to_wire(shown), answered, interpreter),
        vacuous: told.insight.map_or_else(Vec::new, |insight| {
            let form = |found: &fathom_core::Vacuous| wire::VacuousForm {
                part: found.part.clone(),
                stronger: found.stronger.clone(),
                cause: found.cause.clone(),
            };
            insight.vacuous.iter().map(form).collect()
        }),
        constants: told.insight.map_or_else(Vec::new, |insight| {
            let form = |found: &fathom_core::Constant| wire::ConstantForm {
                proposition: found.proposition.clone(),
                value: found.value,
            };
            insight.constants.iter().map(form).collect()
        }),
    };
    wire::Report {
        fathom: wire::VERSION.to_owned(),
        model: answered.session.summary(),
        run: answered.run.clone(),
        properties: told.iter().map(property).collect(),
        states_of: states_report::to_wire(answered, interpreter),
        composite: composite_form(answered),
        statistics,
        note: answered.report.note.clone().filter(|_| answered.arms.is_empty()),
        arms: answered.arms.clone(),
        sample: sample::to_wire(answered.report),
    }
}

fn to_text(
    answered: &Answered<'_>,
    interpreter: &Interpreter<'_>,
    told: &[Told<'_>],
    statistics: &wire::StatisticsReport,
) -> String {
    let mut text = header(answered);
    let name_width = told.iter().map(|told| told.property.name.chars().count()).max().unwrap_or(0);
    for one in told {
        let _ = writeln!(text, "{}", verdict_line(answered.session, one, name_width));
        if let Some(formula) = &one.formula {
            write_formula(&mut text, formula, name_width);
        }
        write_insight(&mut text, one, name_width);
    }
    let has_looked = answered.report.searched_states
        && answered.report.stop == Stop::Exhausted
        && told.iter().any(|one| one.property.question.is_safety());
    if has_looked && answered.report.statistics.states == 0 {
        text.push_str("warning: there is no initial state, so nothing is said by what holds\n");
    }
    for one in told {
        if let Some(tree) = tree_of(one, |teller, shown| teller.to_text(shown), answered, interpreter) {
            let _ = write!(text, "\nwhy {} {}:\n{tree}", one.property.name, one.verdict.answer.word());
            write_file(&mut text, one);
        } else if let Some((trace, story)) = &one.story {
            write_trace(&mut text, answered, interpreter, one, trace, story);
        }
    }
    text.push_str(&states_report::to_text(answered, interpreter));
    write_composite(&mut text, answered);
    write_statistics(&mut text, answered, statistics);
    text
}

fn composite_form(answered: &Answered<'_>) -> Option<wire::CompositeForm> {
    let composite = answered.report.composite.as_ref()?;
    let properties = &answered.session.model().properties;
    let distances = composite.distances.iter().map(|one| wire::DistancesForm {
        property: properties[one.property.index()].name.clone(),
        kept: one.kept.clone(),
        bits: one.bits as u64,
        layers: one.layers,
        complete: one.is_complete,
        nodes: one.nodes as u64,
        start: one.start,
    });
    let on_side = |symbolic: bool| {
        let sides = composite.partition.iter().filter(|side| side.symbolic == symbolic);
        sides.map(|side| side.name.clone()).collect()
    };
    Some(wire::CompositeForm {
        symbolic: on_side(true),
        explicit: on_side(false),
        explicit_parts: composite.explicit_parts,
        concrete_states: composite.concrete_states,
        nodes: composite.nodes,
        distances: distances.collect(),
    })
}

/// Which variables were sets of values, and what was seen.
fn write_composite(text: &mut String, answered: &Answered<'_>) {
    let Some(composite) = composite_form(answered) else { return };
    let list = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let _ =
        write!(text, "\nsymbolic: {}\nexplicit: {}\n", list(&composite.symbolic), list(&composite.explicit));
    if composite.explicit_parts > 0 {
        let _ = writeln!(
            text,
            "{} concrete states with {}, {} of diagrams",
            composite.concrete_states,
            counted(composite.explicit_parts, "explicit part"),
            counted(composite.nodes, "node")
        );
    }
    for one in &composite.distances {
        let start = match one.start {
            Some(start) => format!("at least {} from the start", counted(u64::from(start), "step")),
            None => "no way from the start".to_owned(),
        };
        let _ = writeln!(
            text,
            "distances for {}: {start}; {}{}, {}; kept ({}): {}",
            one.property,
            counted(u64::from(one.layers), "layer"),
            if one.complete { "" } else { " and more" },
            counted(one.nodes, "node"),
            counted(one.bits, "bit"),
            list(&one.kept)
        );
    }
}

fn header(answered: &Answered<'_>) -> String {
    let (model, run) = (answered.session.summary(), &answered.run);
    let reductions = if run.reductions.is_empty() { "none".to_owned() } else { run.reductions.join(",") };
    format!(
        "{}: {}, {} processes at the start, {} bits a state\n\
         engine {}, store {}, reductions {reductions}, {}, {}\n\n",
        model.file,
        model.language,
        model.processes,
        model.state_bits,
        run.engine,
        run.store,
        answered.report.code.name(),
        counted(run.threads as u64, "thread")
    )
}

fn verdict_line(session: &Session, told: &Told<'_>, name_width: usize) -> String {
    let verdict = told.verdict;
    let answer = match verdict.stop {
        Stop::Unsupported => "not yet checked".to_owned(),
        stop => format!("{:<12}  {}, {}", verdict.answer.word(), verdict.trust.word(), stop_words(stop)),
    };
    let place = session.place(told.property.span).map_or(String::new(), |place| format!("  {place}"));
    format!("{:<name_width$}  {answer}{place}", told.property.name)
}

/// What a formula says, below its verdict.
pub fn write_formula(text: &mut String, formula: &wire::FormulaForm, name_width: usize) {
    let mut line = |words: &str| {
        let _ = writeln!(text, "{:name_width$}  {words}", "");
    };
    if let (Some(pattern), Some(ctl)) = (&formula.pattern, &formula.ctl) {
        line(&format!("pattern: {pattern}"));
        line(&format!("as LTL:  {}", formula.text));
        line(&format!("as CTL:  {ctl}"));
    } else {
        line(&formula.text);
    }
    line(&format!("that is: {}", formula.reading));
    for constraint in &formula.fairness {
        match constraint.as_str() {
            PROCESSES => line("on paths on which no process that can always move never does"),
            constraint => line(&format!("on paths with, again and again, {constraint}")),
        }
    }
}

/// What else is known about the parts of a formula.
fn write_insight(text: &mut String, told: &Told<'_>, name_width: usize) {
    let mut line = |words: &str| {
        let _ = writeln!(text, "{:name_width$}  {words}", "");
    };
    let Some(insight) = told.insight.filter(|_| told.formula.is_some()) else { return };
    for found in &insight.vacuous {
        let why = match found.cause {
            Some(_) => "is never put to the test",
            None => "makes no difference",
        };
        line(&format!("vacuous: {} {why}; this holds, too: {}", found.part, found.stronger));
    }
    for found in &insight.constants {
        line(&format!("constant: {} is {} in every state", found.proposition, found.value));
    }
}

/// Why a search ended, for people.
fn stop_words(stop: Stop) -> &'static str {
    match stop {
        Stop::Exhausted => "exhausted",
        Stop::Found => "found",
        Stop::States => "limit on states",
        Stop::Depth => "limit on depth",
        Stop::Time => "limit on time",
        Stop::Memory => "limit on memory",
        Stop::Cancelled => "cancelled",
        Stop::Unsupported => "unsupported",
    }
}

fn write_trace(
    text: &mut String,
    answered: &Answered<'_>,
    interpreter: &Interpreter<'_>,
    told: &Told<'_>,
    trace: &Trace,
    story: &Story,
) {
    let session = answered.session;
    let what = if told.verdict.answer == Answer::Violated { "violation" } else { "witness" };
    let n_steps = counted(story.n_steps() as u64, "step");
    let optimal = match answered.report.optimality {
        Optimality::Unknown => String::new(),
        Optimality::Shortest => ", none is shorter".to_owned(),
        Optimality::Within(factor) => format!(", none is shorter by more than a factor of {factor}"),
        Optimality::Cheapest => ", none is cheaper".to_owned(),
    };
    let _ = writeln!(text, "\n{what} of {}, {n_steps}{optimal}:", told.property.name);
    let mut chart = Chart::default();
    text.push_str(&story_to_text(session, interpreter, story, |step| {
        if answered.config.msc {
            chart.add_step(step);
        }
    }));
    let _ = writeln!(text, "        {}", conclusion(&told.property.question, fault_of(trace), trace.loop_at));
    let is_about_the_end = told.property.question.kind() == "deadlock";
    if let Some(state) = story.last_state.as_ref().filter(|_| is_about_the_end) {
        text.push_str(&processes_to_text(session, &describe(interpreter, state)));
    }
    if answered.is_hunt() {
        let _ = writeln!(text, "{}", story.participation(interpreter));
    }
    if answered.config.msc {
        let _ = write!(text, "\n{}", chart.draw());
    }
    write_file(text, told);
}

fn write_file(text: &mut String, told: &Told<'_>) {
    if let Some(file) = &told.file {
        let _ = writeln!(text, "{}", written_text("fathom", file));
    }
}

fn write_statistics(text: &mut String, answered: &Answered<'_>, statistics: &wire::StatisticsReport) {
    if let Some(omissions) = statistics.expected_omissions {
        let _ = write!(text, "\nprobably {omissions:.1} states missed, and whatever lies behind them only\n");
    }
    if let Some(note) = &answered.report.note {
        let _ = write!(text, "\n{}\n{}", note.trim_end(), sample::to_text(answered.report));
    }
    let _ = write!(
        text,
        "\n{}, {}, {} matched, depth {}\n\
         {:.3} s ({:.3} s before the search), {:.0} states/s\n\
         {} for states, {:.1} bytes/state, peak memory {}\n\
         search ended: {}; seed {}\n\
         reproduce: {}\n",
        counted(statistics.states, "state"),
        counted(statistics.transitions, "transition"),
        statistics.matched,
        statistics.max_depth,
        statistics.seconds,
        statistics.setup_seconds,
        statistics.states_per_second,
        display_size(statistics.store_bytes),
        statistics.bytes_per_state,
        display_size(statistics.peak_memory_bytes),
        stop_words(answered.report.stop),
        answered.run.seed,
        answered.command
    );
    if let Some(profile) = &answered.report.profile {
        text.push_str(&profile::to_text(profile));
    }
}
