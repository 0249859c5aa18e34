//! Trees of claims told: as text and as JSON.

use std::fmt::Write;

use fathom_core::ShownTree;
use fathom_core::logic::print_ctl;
use fathom_core::model::{CtlProperty, Interpreter, Move, System};
use fathom_core::temporal::{Branch, Reason, Tree};

use crate::session::Session;
use crate::story::{StoryStep, explain_step, step_to_wire};
use crate::story_text::steps_to_text;
use crate::units::counted;
use crate::wire;

/// Longer paths are not told in JSON: their choices say everything.
const MAX_TOLD_STEPS: usize = 1000;

/// Tells a tree.
pub struct TreeTeller<'a> {
    /// The model.
    pub session: &'a Session,
    /// What the steps mean.
    pub interpreter: &'a Interpreter<'a>,
    /// The formula of the tree.
    pub ctl: &'a CtlProperty,
}

impl TreeTeller<'_> {
    /// The tree as text, a line for each claim, with the steps of paths below those that they show.
    pub fn to_text(&self, shown: &ShownTree) -> String {
        let mut text = String::new();
        self.write_claim(&mut text, 1, "", &shown.tree, &shown.state);
        text
    }

    fn write_claim(&self, text: &mut String, depth: usize, lead: &str, tree: &Tree<Move>, state: &[u8]) {
        let formula = print_ctl(&self.ctl.formulas, &self.ctl.names, tree.formula);
        let truth = if tree.holds { "true" } else { "false" };
        let indent = "  ".repeat(depth);
        let _ = write!(text, "{indent}{lead}{formula} is {truth}");
        match &tree.reason {
            Reason::Here => text.push('\n'),
            Reason::Search => text.push_str(", as the search of all states has shown\n"),
            Reason::Parts(parts) => {
                text.push_str(", since\n");
                parts.iter().for_each(|part| self.write_claim(text, depth + 1, "", part, state));
            }
            Reason::Path(branch) => self.write_branch(text, depth, branch, state),
        }
    }

    fn write_branch(&self, text: &mut String, depth: usize, branch: &Branch<Move>, state: &[u8]) {
        let n_steps = counted(branch.choices.len() as u64, "step");
        match branch.loop_at {
            None if branch.choices.is_empty() => text.push_str(", here already:\n"),
            None => {
                let _ = writeln!(text, ", on a path of {n_steps}:");
            }
            Some(0) => {
                let _ = writeln!(text, ", on a loop of {n_steps}:");
            }
            Some(loop_at) => {
                let n_before = counted(loop_at as u64, "step");
                let n_around = branch.choices.len() - loop_at;
                let _ = writeln!(text, ", on a path of {n_before} and a loop of {n_around}:");
            }
        }
        let steps = self.steps(branch, state);
        let (before, around) = steps.split_at(branch.loop_at.unwrap_or(steps.len()).min(steps.len()));
        let mut told = steps_to_text(self.session, before);
        if !around.is_empty() {
            told.push_str("        <<< here the loop starts >>>\n");
            told.push_str(&steps_to_text(self.session, around));
        }
        let indent = "  ".repeat(depth);
        for line in told.lines() {
            let _ = writeln!(text, "{indent}{line}");
        }
        for (after, claim) in &branch.claims {
            let lead = match after {
                0 => "at the start: ".to_owned(),
                after if *after == branch.choices.len() => "at the end: ".to_owned(),
                after => format!("after {}: ", counted(*after as u64, "step")),
            };
            let at = if *after == 0 { state } else { &branch.steps[after - 1].state };
            self.write_claim(text, depth + 1, &lead, claim, at);
        }
    }

    /// The steps of a path, explained.
    fn steps(&self, branch: &Branch<Move>, state: &[u8]) -> Vec<StoryStep> {
        let mut scratch = self.interpreter.scratch();
        let mut before = state;
        let mut steps = Vec::new();
        for (index, step) in branch.steps.iter().enumerate() {
            let explained = explain_step(self.interpreter, &mut scratch, before, &step.labels, index, true);
            // The facade has taken every step already: one that fails here is a bug.
            steps.push(explained.expect("a step that was taken can be explained"));
            before = &step.state;
        }
        steps
    }

    /// The tree as JSON.
    pub fn to_wire(&self, shown: &ShownTree) -> wire::TreeForm {
        self.claim_to_wire(&shown.tree, &shown.state)
    }

    fn claim_to_wire(&self, tree: &Tree<Move>, state: &[u8]) -> wire::TreeForm {
        let (reason, parts, path) = match &tree.reason {
            Reason::Here => ("state", Vec::new(), None),
            Reason::Search => ("search", Vec::new(), None),
            Reason::Parts(parts) => {
                ("parts", parts.iter().map(|part| self.claim_to_wire(part, state)).collect(), None)
            }
            Reason::Path(branch) => ("path", Vec::new(), Some(self.branch_to_wire(branch, state))),
        };
        wire::TreeForm {
            formula: print_ctl(&self.ctl.formulas, &self.ctl.names, tree.formula),
            holds: tree.holds,
            reason: reason.to_owned(),
            parts,
            path,
        }
    }

    fn branch_to_wire(&self, branch: &Branch<Move>, state: &[u8]) -> wire::PathForm {
        let claim = |(after, claim): &(usize, Tree<Move>)| {
            let at = if *after == 0 { state } else { &branch.steps[after - 1].state };
            wire::PathClaimForm { after: *after, claim: self.claim_to_wire(claim, at) }
        };
        let is_told = branch.choices.len() <= MAX_TOLD_STEPS;
        let steps = if is_told { self.steps(branch, state) } else { Vec::new() };
        wire::PathForm {
            steps: steps.iter().map(|step| step_to_wire(self.session, step)).collect(),
            choices: branch.choices.clone(),
            loop_at: branch.loop_at,
            claims: branch.claims.iter().map(claim).collect(),
        }
    }
}
