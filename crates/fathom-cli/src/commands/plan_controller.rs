//! Plans as controllers: an automaton that makes the choices of a plan, to be put back into a model in their place.
//!
//! What is chosen is what the user says: the values of some expressions after each step, or after those steps at which something is true. The
//! controller is a chain of locations, one for each choice, closed when the plan is a loop; the last place of a plan with an end has no way on. In
//! Uppaal's XML it is a template, which can replace one of the same name in a model; in Promela it is text to be included, with an
//! inline that makes one choice. A model with the controller in place of its choices is then checked like any other: a plan comes from a search
//! that may have been bounded or lossy, on a model with simplifications (J. Ernits, 2007, verifies a synthesized arbiter so).

use std::fmt::Write;

use clap::Args;

use super::plan::Watched;
use crate::failure::Failure;
use crate::files::read_text;
use crate::graph::short;
use crate::output::quoted;
use crate::wire::PlanReportForm;

/// The name of the template, and the beginning of names in Promela.
const NAME: &str = "Controller";

/// Plans as automata.
#[derive(Debug, Args)]
#[command(next_help_heading = "Controllers")]
pub struct ControllerArguments {
    /// Write the plan as an automaton that makes its choices: a template of Uppaal (.xml) or text to be included in Promela (.pml)
    #[arg(long, value_name = "FILE", requires = "control")]
    pub emit_controller: Option<String>,
    /// What the controller chooses: an expression, or a name for it in the controlled model and an expression: `bus` or `bus=slot[now]`
    #[arg(long, value_name = "[NAME=]E", requires = "emit_controller")]
    pub control: Vec<String>,
    /// The controller chooses after those steps only at whose end this is true
    #[arg(long, value_name = "E", requires = "emit_controller")]
    pub control_at: Option<String>,
    /// The controller begins again after the last choice of a plan with an end, as when the goal is to be back where one was
    #[arg(long, requires = "emit_controller")]
    pub control_repeat: bool,
    /// A synchronization on every edge of the controller: 'tick!'. For Uppaal
    #[arg(long, value_name = "SYNC", requires = "emit_controller")]
    pub control_sync: Option<String>,
    /// The time between two choices, for plans without time. For Uppaal
    #[arg(long, value_name = "N", requires = "emit_controller")]
    pub control_period: Option<u32>,
    /// Write this model, with its template Controller replaced. For Uppaal
    #[arg(long, value_name = "FILE", requires = "emit_controller")]
    pub control_into: Option<String>,
}

/// The language of a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Uppaal,
    Promela,
}

impl Form {
    fn of_file(path: &str) -> Option<Form> {
        match path.rsplit_once('.')?.1 {
            "xml" => Some(Form::Uppaal),
            "pml" => Some(Form::Promela),
            _ => None,
        }
    }
}

impl ControllerArguments {
    /// Checks that the flags belong together.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let Some(path) = &self.emit_controller else { return Ok(()) };
        let Some(form) = Form::of_file(path) else {
            return Err(Failure::new(format!(
                "--emit-controller {}: the extension says the language: .xml (Uppaal) or .pml (Promela)",
                quoted(path)
            )));
        };
        for text in &self.control {
            let (name, _) = name_and_expression(text);
            if !is_assignable(name) {
                return Err(Failure::new(format!(
                    "--control {}: this is no variable; say the name of one: NAME=E",
                    quoted(text)
                )));
            }
        }
        let given = [
            ("--control-sync", self.control_sync.is_some()),
            ("--control-period", self.control_period.is_some()),
            ("--control-into", self.control_into.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given && form == Form::Promela) {
            Some((flag, _)) => {
                Err(Failure::new(format!("{flag} has a meaning for controllers of Uppaal only")))
            }
            None => Ok(()),
        }
    }

    /// The expressions whose values are wanted.
    pub(super) fn watched(&self) -> Vec<Watched> {
        let chosen = self
            .control
            .iter()
            .map(|text| Watched { flag: "--control", text: name_and_expression(text).1.to_owned() });
        let at = self.control_at.iter().map(|text| Watched { flag: "--control-at", text: text.clone() });
        chosen.chain(at).collect()
    }

    /// The text of the controller. The values of what it chooses begin at `first` in those of each step.
    pub(super) fn write(
        &self,
        path: &str,
        plan: &PlanReportForm,
        values: &[Vec<i64>],
        first: usize,
        has_fixed_delays: bool,
    ) -> Result<String, Failure> {
        let form = Form::of_file(path).unwrap_or(Form::Promela);
        let chain = Chain::new(self, plan, values, first)?;
        if form == Form::Promela {
            return Ok(self.to_promela(plan, &chain));
        }
        if !has_fixed_delays {
            return Err(Failure::new(
                "--emit-controller: the loop cannot be gone round twice with the same delays, so that no controller follows it",
            ));
        }
        let delays = chain.delays(self.control_period)?;
        let template = self.to_template(&chain, delays.as_deref());
        match &self.control_into {
            None => Ok(self.to_document(plan, &chain, &template)),
            Some(model) => replace_template(&read_text(model)?, &template).ok_or_else(|| {
                Failure::new(format!(
                    "--control-into {}: there is no template {NAME} to be replaced",
                    quoted(model)
                ))
            }),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.control.iter().map(|text| name_and_expression(text).0)
    }

    fn assignments(&self, values: &[i64]) -> Vec<String> {
        self.names().zip(values).map(|(name, value)| format!("{name} = {value}")).collect()
    }

    fn to_promela(&self, plan: &PlanReportForm, chain: &Chain) -> String {
        let n = chain.choices.len();
        let ty = if n < 256 { "byte" } else { "short" };
        let mut text = format!(
            "/* Controller, {}.\n * Written by `fathom plan`. controller_step() makes one choice: it sets {}.\n */\n\
             #define CONTROLLER_STEPS {n}\n",
            about(plan).replace("*/", "* /"),
            self.names().collect::<Vec<_>>().join(", ")
        );
        if chain.loop_to.is_none() {
            let _ = writeln!(text, "#define CONTROLLER_DONE (controller_at == CONTROLLER_STEPS)");
        }
        let _ = writeln!(text, "{ty} controller_at;\n\ninline controller_step()\n{{\n    if");
        for (at, choice) in chain.choices.iter().enumerate() {
            let _ = writeln!(
                text,
                "    :: controller_at == {at} -> {}; controller_at = {}    /* {} */",
                self.assignments(&choice.values).join("; "),
                chain.next(at),
                choice.text.replace("*/", "* /")
            );
        }
        text + "    fi\n}\n"
    }

    fn to_template(&self, chain: &Chain, delays: Option<&[i64]>) -> String {
        let n_places = chain.choices.len() + usize::from(chain.loop_to.is_none());
        let mut text = format!("<template>\n  <name>{NAME}</name>\n");
        if delays.is_some() {
            text += "  <declaration>clock waited;</declaration>\n";
        }
        for place in 0..n_places {
            let (x, y) = (170 * (place % 8), 120 * (place / 8));
            let _ = write!(text, "  <location id=\"c{place}\" x=\"{x}\" y=\"{y}\"><name>at_{place}</name>");
            if let Some(delay) = delays.and_then(|delays| delays.get(place)) {
                let _ = write!(text, "<label kind=\"invariant\">waited &lt;= {delay}</label>");
            }
            text += "</location>\n";
        }
        text += "  <init ref=\"c0\"/>\n";
        for (at, choice) in chain.choices.iter().enumerate() {
            let _ =
                write!(text, "  <transition><source ref=\"c{at}\"/><target ref=\"c{}\"/>", chain.next(at));
            let mut assignments = self.assignments(&choice.values);
            if let Some(delays) = delays {
                let _ = write!(text, "<label kind=\"guard\">waited &gt;= {}</label>", delays[at]);
                assignments.push("waited = 0".to_owned());
            }
            if let Some(sync) = &self.control_sync {
                let _ = write!(text, "<label kind=\"synchronisation\">{}</label>", escaped(sync));
            }
            let _ = write!(text, "<label kind=\"assignment\">{}</label>", escaped(&assignments.join(", ")));
            let _ = writeln!(text, "<label kind=\"comments\">{}</label></transition>", escaped(&choice.text));
        }
        text + "</template>"
    }

    /// A model of the controller alone, with what it needs declared.
    fn to_document(&self, plan: &PlanReportForm, chain: &Chain, template: &str) -> String {
        let mut declarations = String::new();
        for (place, name) in self.names().enumerate().filter(|(_, name)| is_word(name)) {
            let values = || chain.choices.iter().map(|choice| choice.values[place]).chain([0]);
            let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            let _ = writeln!(declarations, "int[{least}, {most}] {name};");
        }
        if let Some(channel) =
            self.control_sync.as_deref().map(|sync| sync.trim_end_matches(['!', '?']).trim())
            && is_word(channel)
        {
            let _ = writeln!(declarations, "broadcast chan {channel};");
        }
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- Controller, {}. Written by fathom plan. -->\n<nta>\n\
             <declaration>{}</declaration>\n{template}\n<system>system {NAME};</system>\n</nta>\n",
            about(plan).replace("--", "- -"),
            escaped(&declarations)
        )
    }
}

/// One choice.
#[derive(Clone, Debug)]
struct Choice {
    values: Vec<i64>,
    time: Option<f64>,
    /// What the plan does there.
    text: String,
}

/// Choices in a row.
#[derive(Debug)]
struct Chain {
    choices: Vec<Choice>,
    /// Which choice comes after the last.
    loop_to: Option<usize>,
    /// From one time that a loop is entered to the next.
    period: f64,
    /// From when a loop is entered to its first choice, and from its last choice to its end.
    rests: (f64, f64),
}

impl Chain {
    fn new(
        arguments: &ControllerArguments,
        plan: &PlanReportForm,
        values: &[Vec<i64>],
        first: usize,
    ) -> Result<Chain, Failure> {
        let end = first + arguments.control.len();
        let loop_at = plan.loop_at.or(arguments.control_repeat.then_some(0));
        let is_chosen = |step: usize| arguments.control_at.is_none() || values[step][end] != 0;
        let (mut choices, mut n_before) = (Vec::new(), 0);
        for step in plan.steps.iter().skip(1).filter(|step| is_chosen(step.number)) {
            let moved: Vec<String> =
                step.moves.iter().map(|one| format!("{}: {}", one.process, short(&one.text))).collect();
            choices.push(Choice {
                values: values[step.number][first..end].to_vec(),
                time: step.time,
                text: moved.first().cloned().unwrap_or_default(),
            });
            n_before += usize::from(loop_at.is_some_and(|at| step.number <= at));
        }
        let time = |step: usize| plan.steps.get(step).and_then(|step| step.time).unwrap_or(0.0);
        let mut chain = Chain { choices, loop_to: None, period: 0.0, rests: (0.0, 0.0) };
        if let Some(at) = loop_at {
            let (entered, left) = (time(at), time(plan.steps.len() - 1));
            let (Some(first), Some(last)) = (chain.choices.get(n_before), chain.choices.last()) else {
                return Err(Failure::new("--emit-controller: nothing is chosen in the loop"));
            };
            let moment = |choice: &Choice| choice.time.unwrap_or(0.0);
            chain.rests = (moment(first) - entered, left - moment(last));
            chain.period = left - entered;
            chain.loop_to = Some(n_before);
            chain.unroll_if_needed();
        }
        match chain.choices.is_empty() {
            true => Err(Failure::new("--emit-controller: nothing is chosen in the plan")),
            false => Ok(chain),
        }
    }

    /// The first choice of a loop has one wait before it, wherever it comes from. Where the loop is entered with another wait than it is gone
    /// round, the first round counts as before the loop.
    fn unroll_if_needed(&mut self) {
        let Some(loop_to) = self.loop_to else { return };
        if self.waits(loop_to) == Some(self.rests.0 + self.rests.1) || self.choices[loop_to].time.is_none() {
            return;
        }
        let again: Vec<Choice> = self.choices[loop_to..]
            .iter()
            .map(|choice| Choice { time: choice.time.map(|time| time + self.period), ..choice.clone() })
            .collect();
        self.loop_to = Some(self.choices.len());
        self.choices.extend(again);
    }

    /// The wait before a choice when it is made first.
    fn waits(&self, at: usize) -> Option<f64> {
        let before = if at == 0 { Some(0.0) } else { self.choices[at - 1].time };
        Some(self.choices[at].time? - before?)
    }

    /// The place after a choice.
    fn next(&self, at: usize) -> usize {
        let is_last = at + 1 == self.choices.len();
        self.loop_to.filter(|_| is_last).unwrap_or(at + 1)
    }

    /// The wait before each choice; none when the plan has no time and there is no period.
    fn delays(&self, period: Option<u32>) -> Result<Option<Vec<i64>>, Failure> {
        let waits: Option<Vec<f64>> = (0..self.choices.len()).map(|at| self.waits(at)).collect();
        match (waits, period) {
            (Some(_), Some(_)) => {
                Err(Failure::new("--control-period has a meaning for plans without time only"))
            }
            (None, period) => Ok(period.map(|period| vec![i64::from(period); self.choices.len()])),
            (Some(waits), None) if waits.iter().any(|wait| wait.fract() != 0.0) => Err(Failure::new(
                "--emit-controller: some delays of the plan are no whole numbers, which guards need",
            )),
            (Some(waits), None) => Ok(Some(waits.into_iter().map(|wait| wait as i64).collect())),
        }
    }
}

/// A name for what is chosen, and the expression.
fn name_and_expression(text: &str) -> (&str, &str) {
    let is_operator = |at: usize| {
        let before = text[..at].chars().next_back();
        before.is_some_and(|character| "=<>!".contains(character)) || text[at + 1..].starts_with('=')
    };
    match text.match_indices('=').map(|(at, _)| at).find(|&at| !is_operator(at)) {
        Some(at) => (text[..at].trim(), text[at + 1..].trim()),
        None => (text.trim(), text.trim()),
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

/// Whether a text looks like a variable, or a part of one.
fn is_assignable(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|character| character.is_ascii_alphanumeric() || "_.[]".contains(character))
}

/// What a plan is about, in a few words.
fn about(plan: &PlanReportForm) -> String {
    let keep = plan.keep.iter().map(|keep| format!(" keep {keep}"));
    let goal = plan.goal.iter().map(|goal| format!(" goal {goal}"));
    let words: String = goal.chain(keep).collect();
    format!("a plan of {}:{words}", plan.file)
}

/// A model with the template of the controller replaced; nothing when there is none.
fn replace_template(model: &str, template: &str) -> Option<String> {
    const END: &str = "</template>";
    let mut from = 0;
    while let Some(start) = model[from..].find("<template").map(|at| from + at) {
        let end = start + model[start..].find(END)? + END.len();
        if name_of(&model[start..end]) == Some(NAME) {
            return Some(format!("{}{template}{}", &model[..start], &model[end..]));
        }
        from = end;
    }
    None
}

/// The name of a template.
fn name_of(template: &str) -> Option<&str> {
    let name = &template[template.find("<name")?..];
    let text = &name[name.find('>')? + 1..];
    Some(text[..text.find('<')?].trim())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_comparisons() {
        assert_eq!(name_and_expression("bus"), ("bus", "bus"));
        assert_eq!(name_and_expression("mbs = slot[now]"), ("mbs", "slot[now]"));
        assert_eq!(name_and_expression("on=a == b"), ("on", "a == b"));
        assert_eq!(name_and_expression("a <= b"), ("a <= b", "a <= b"));
        assert!(is_assignable("bus[1].x") && !is_assignable("a <= b"));
    }

    #[test]
    fn only_the_template_of_the_controller_is_replaced() {
        let model = "<nta><template><name>P</name></template><template><name x=\"1\"> Controller </name>old</template></nta>";
        let replaced = replace_template(model, "<new/>").unwrap();
        assert_eq!(replaced, "<nta><template><name>P</name></template><new/></nta>");
        assert_eq!(replace_template("<nta><template><name>P</name></template></nta>", "<new/>"), None);
    }

    fn chain(times: &[f64], loop_to: usize, period: f64, rests: (f64, f64)) -> Chain {
        let choice = |&time: &f64| Choice { values: vec![0], time: Some(time), text: String::new() };
        Chain { choices: times.iter().map(choice).collect(), loop_to: Some(loop_to), period, rests }
    }

    #[test]
    fn a_loop_that_is_entered_with_another_wait_is_unrolled_once() {
        // Choices at 0 and 40, the loop goes round in 80: the first wait is 0, later ones 40.
        let mut uneven = chain(&[0.0, 40.0], 0, 80.0, (0.0, 40.0));
        uneven.unroll_if_needed();
        assert_eq!((uneven.loop_to, uneven.choices.len()), (Some(2), 4));
        assert_eq!(uneven.delays(None).ok().flatten(), Some(vec![0, 40, 40, 40]));
        let mut even = chain(&[40.0, 80.0], 0, 80.0, (40.0, 0.0));
        even.unroll_if_needed();
        assert_eq!((even.loop_to, even.next(1), even.choices.len()), (Some(0), 0, 2));
        assert!(chain(&[0.5], 0, 1.0, (0.5, 0.5)).delays(None).is_err());
    }
}
