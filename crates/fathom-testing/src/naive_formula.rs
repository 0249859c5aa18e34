//! A slow and obvious answer to a formula of linear temporal logic.
//!
//! No automata: every state of the model is paired with every guess about which temporal subformulas are true there
//! (Lichtenstein and Pnueli, POPL 1985). A guess must fit what comes next; a run violates the formula when the formula is
//! guessed false at its start and no promise of an until is put off for ever, and, if only fair runs count, no
//! process that can always move waits for ever.

use fathom_core::model::{Formula, Interpreter, System};

use crate::naive_runs::{Product, graph};

/// A formula in few operators; operands are earlier in the list.
enum Simple<'f> {
    State(&'f fathom_core::model::Expr),
    True,
    Not(usize),
    And(usize, usize),
    /// With the number of its guess.
    Next(usize, usize),
    Until(usize, usize, usize),
}

#[derive(Default)]
struct List<'f> {
    all: Vec<Simple<'f>>,
    n_guesses: usize,
}

impl<'f> List<'f> {
    fn push(&mut self, simple: Simple<'f>) -> usize {
        self.all.push(simple);
        self.all.len() - 1
    }

    fn not(&mut self, operand: usize) -> usize {
        self.push(Simple::Not(operand))
    }

    fn until(&mut self, left: usize, right: usize) -> usize {
        self.n_guesses += 1;
        self.push(Simple::Until(left, right, self.n_guesses - 1))
    }

    fn or(&mut self, left: usize, right: usize) -> usize {
        let (left, right) = (self.not(left), self.not(right));
        let neither = self.push(Simple::And(left, right));
        self.not(neither)
    }

    fn add(&mut self, formula: &'f Formula) -> usize {
        match formula {
            Formula::State(expr) => self.push(Simple::State(expr)),
            Formula::Not(operand) => {
                let operand = self.add(operand);
                self.not(operand)
            }
            Formula::And(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                self.push(Simple::And(left, right))
            }
            Formula::Or(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                self.or(left, right)
            }
            Formula::Implies(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                let left = self.not(left);
                self.or(left, right)
            }
            Formula::Equivalent(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                let both = self.push(Simple::And(left, right));
                let (left, right) = (self.not(left), self.not(right));
                let neither = self.push(Simple::And(left, right));
                self.or(both, neither)
            }
            Formula::Next(operand) => {
                let operand = self.add(operand);
                self.n_guesses += 1;
                self.push(Simple::Next(operand, self.n_guesses - 1))
            }
            Formula::Eventually(operand) => {
                let operand = self.add(operand);
                let anything = self.push(Simple::True);
                self.until(anything, operand)
            }
            Formula::Always(operand) => {
                let operand = self.add(operand);
                let operand = self.not(operand);
                let anything = self.push(Simple::True);
                let broken = self.until(anything, operand);
                self.not(broken)
            }
            Formula::Until(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                self.until(left, right)
            }
            // Not: the right one is false from some moment on up to which the left one was not true.
            Formula::Release(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                let (left, right) = (self.not(left), self.not(right));
                let broken = self.until(left, right);
                self.not(broken)
            }
            // As long as the left one is true, or for ever: the right one releases either.
            Formula::WeakUntil(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                let either = self.or(left, right);
                let (not_right, not_either) = (self.not(right), self.not(either));
                let broken = self.until(not_right, not_either);
                self.not(broken)
            }
        }
    }
}

/// Whether some run of the model, a fair one if only those count, violates the formula. None when the model or
/// the formula is too large.
pub fn is_violated(
    interpreter: &Interpreter<'_>,
    formula: &Formula,
    is_fair: bool,
    most_states: usize,
) -> Option<bool> {
    let nodes = graph(interpreter, most_states)?;
    let mut list = List::default();
    let whole = list.add(formula);
    if list.n_guesses > 5 {
        return None;
    }
    let n_guesses = 1 << list.n_guesses;
    let mut scratch = interpreter.scratch();
    // The truth of every subformula, by state and guess.
    let truths: Vec<Vec<bool>> = (0..nodes.len() * n_guesses)
        .map(|pair| {
            let (node, guess) = (&nodes[pair / n_guesses], pair % n_guesses);
            let mut truth: Vec<bool> = Vec::with_capacity(list.all.len());
            for simple in &list.all {
                truth.push(match *simple {
                    Simple::State(expr) => interpreter.evaluate(&mut scratch, &node.state, expr) != Ok(0),
                    Simple::True => true,
                    Simple::Not(operand) => !truth[operand],
                    Simple::And(left, right) => truth[left] && truth[right],
                    Simple::Next(_, number) | Simple::Until(_, _, number) => guess >> number & 1 == 1,
                });
            }
            truth
        })
        .collect();
    let fits = |from: usize, to: usize| {
        let (now, next) = (&truths[from], &truths[to]);
        list.all.iter().enumerate().all(|(index, simple)| match *simple {
            Simple::Next(operand, _) => now[index] == next[operand],
            Simple::Until(left, right, _) => now[index] == (now[right] || now[left] && next[index]),
            _ => true,
        })
    };
    let successors: Vec<Vec<(usize, &[u32])>> = (0..truths.len())
        .map(|from| {
            let steps = nodes[from / n_guesses].steps.iter();
            steps
                .flat_map(|(target, moved)| {
                    (0..n_guesses).map(move |guess| (target * n_guesses + guess, &moved[..]))
                })
                .filter(|(to, _)| fits(from, *to))
                .collect()
        })
        .collect();
    let starts: Vec<usize> = (0..n_guesses).filter(|&guess| !truths[guess][whole]).collect();
    let is_kept = |members: &[usize]| {
        list.all.iter().enumerate().all(|(index, simple)| match *simple {
            Simple::Until(_, right, _) => {
                members.iter().any(|&member| !truths[member][index] || truths[member][right])
            }
            _ => true,
        })
    };
    let product = Product { able: &|pair| &nodes[pair / n_guesses].able, successors };
    Some(product.has_run(&starts, &is_kept, is_fair))
}
