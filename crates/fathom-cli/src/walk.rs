//! One walk through a model: a state, the steps that leave it, and the way back.

use fathom_core::model::{Fault, Interpreter, Move, NoRegion, Question, Steps, System};

use crate::session::Session;
use crate::story::{StoryStep, conclusion, explain_step, process_name};

/// A walk that has come to some state.
pub struct Walk<'a> {
    session: &'a Session,
    interpreter: &'a Interpreter<'a>,
    scratch: <Interpreter<'a> as System>::Scratch,
    /// The steps that leave the current state.
    steps: Steps<NoRegion, Move>,
    /// The states on the way, the current one last; only that one when there is no way back.
    states: Vec<Vec<u8>>,
    /// The choice made in each state.
    choices: Vec<u32>,
    remembers: Remembers,
    /// The number of the state at the start.
    initial: usize,
    /// How many there are to start in.
    n_initial: usize,
}

/// States to start in beyond which none is looked at.
const MOST_INITIAL: usize = 1 << 16;

/// Whether a walk can go back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remembers {
    /// Every state on the way.
    TheWay,
    /// Only where it is.
    Nothing,
}

/// Something wrong with the current state, or with a step that would leave it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What, in words.
    pub text: String,
    /// The moves up to and including the one that goes wrong; empty when it is the state itself.
    pub moves: Vec<Move>,
    /// Whether the moves lead nowhere because of it: anything but a failed assertion.
    pub is_dead_end: bool,
}

impl<'a> Walk<'a> {
    /// Starts at the initial state that is picked by its number, of so many.
    ///
    /// # Errors
    ///
    /// In words, when the model has none because of a run-time error.
    pub fn start(
        session: &'a Session,
        interpreter: &'a Interpreter<'a>,
        remembers: Remembers,
        pick: impl FnOnce(usize) -> usize,
    ) -> Result<Walk<'a>, String> {
        let mut scratch = interpreter.scratch();
        let mut steps = Steps::recording();
        interpreter.first_initial(MOST_INITIAL, &mut scratch, &mut steps);
        if steps.is_empty() {
            let fault = steps.findings().iter().find_map(|finding| finding.fault.as_ref());
            let fault = fault.map_or("no initial state".to_owned(), ToString::to_string);
            return Err(format!("before the first step: {fault}"));
        }
        let n_initial = steps.len();
        let initial = pick(n_initial).min(n_initial - 1);
        let states = vec![steps.state(initial).to_vec()];
        let choices = Vec::new();
        let mut walk =
            Walk { session, interpreter, scratch, steps, states, choices, remembers, initial, n_initial };
        walk.expand();
        Ok(walk)
    }

    /// The number of the state at the start, and how many there are.
    pub fn initial(&self) -> (usize, usize) {
        (self.initial, self.n_initial)
    }

    /// What the steps that leave the current state do, where they are many of one edge.
    pub fn told(&mut self, option: usize) -> Result<StoryStep, String> {
        let moves = self.steps.labels(option);
        let before = &self.states[self.states.len() - 1];
        explain_step(self.interpreter, &mut self.scratch, before, moves, self.choices.len(), true)
    }

    /// The current state.
    pub fn state(&self) -> &[u8] {
        &self.states[self.states.len() - 1]
    }

    /// The choices made so far.
    pub fn choices(&self) -> &[u32] {
        &self.choices
    }

    /// Number of steps that leave the current state.
    pub fn n_options(&self) -> usize {
        self.steps.len()
    }

    /// The moves of a step that leaves the current state.
    pub fn moves(&self, option: usize) -> &[Move] {
        self.steps.labels(option)
    }

    /// Takes a step.
    pub fn take(&mut self, option: usize) -> Result<StoryStep, String> {
        let moves = self.steps.labels(option).to_vec();
        let n_before = self.choices.len();
        let next = self.steps.state(option).to_vec();
        let before = &self.states[self.states.len() - 1];
        let step = explain_step(self.interpreter, &mut self.scratch, before, &moves, n_before, true)?;
        if self.remembers == Remembers::Nothing {
            self.states.clear();
        }
        self.states.push(next);
        self.choices.push(u32::try_from(option).map_err(|_| "too many steps to choose from".to_owned())?);
        self.expand();
        Ok(step)
    }

    /// Explains the moves into a problem.
    pub fn explain_problem(&mut self, problem: &Problem) -> Result<StoryStep, String> {
        let (n_before, before) = (self.choices.len(), &self.states[self.states.len() - 1]);
        explain_step(self.interpreter, &mut self.scratch, before, &problem.moves, n_before, false)
    }

    /// Goes one step back; false at the start.
    pub fn back(&mut self) -> bool {
        if self.states.len() < 2 || self.choices.pop().is_none() {
            return false;
        }
        self.states.pop();
        self.expand();
        true
    }

    /// What is wrong here.
    pub fn problems(&self) -> Vec<Problem> {
        let properties = &self.session.model().properties;
        let problem = |finding: &fathom_core::model::Finding| {
            let question = &properties[finding.property.index()].question;
            let moves = self.steps.finding_labels(finding).to_vec();
            (!matches!(question, Question::Reach(_))).then(|| Problem {
                text: conclusion(question, finding.fault.as_ref(), None),
                is_dead_end: !moves.is_empty() && finding.fault != Some(Fault::Assertion),
                moves,
            })
        };
        self.steps.findings().iter().filter_map(problem).collect()
    }

    /// A step in one line: process, place, statement.
    pub fn summary(&self, moves: &[Move]) -> String {
        let Some(first) = moves.first() else { return String::new() };
        let template = self.session.model().template(first.template);
        let edge = template.edge(first.edge);
        let place = self.session.place(edge.span).map_or(String::new(), |place| format!("  {place}"));
        let mut text = format!("{}{place}  {}", process_name(&template.name, first.process), edge.text);
        if let Some(partner) = first.partner {
            let template = self.session.model().template(partner.template);
            let name = process_name(&template.name, partner.process);
            text += &format!("  →  {name}  {}", template.edge(partner.edge).text);
        }
        if moves.len() > 1 {
            text += &format!("  (and {} more, atomic)", moves.len() - 1);
        }
        text
    }

    fn expand(&mut self) {
        self.steps.clear();
        let state = &self.states[self.states.len() - 1];
        self.interpreter.successors(state, &NoRegion, &mut self.scratch, &mut self.steps);
    }
}
