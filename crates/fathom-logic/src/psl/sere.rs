//! Sequential extended regular expressions, and automata on finite words for them.
//!
//! The automata have no empty moves; each operation keeps it so. Conjunction is a product. Repetition copies, so
//! sizes are bounded.

use crate::{Formula, Formulas};

/// A regular expression over state formulas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sere {
    /// One letter.
    Boolean(Formula),
    /// No letter: `[*0]`.
    Empty,
    /// One after the other: `r ; s`.
    Concat(Box<Sere>, Box<Sere>),
    /// One after the other, with the last letter of the first as the first of the second: `r : s`.
    Fusion(Box<Sere>, Box<Sere>),
    /// Either: `r | s`.
    Or(Box<Sere>, Box<Sere>),
    /// Both, on the same letters: `r && s`.
    And(Box<Sere>, Box<Sere>),
    /// Any number of times: `r[*]`.
    Star(Box<Sere>),
}

impl Sere {
    /// Any letters, any number: `[*]`.
    pub fn anything() -> Sere {
        Sere::Star(Box::new(Sere::Boolean(Formula::TRUE)))
    }

    /// What comes before any one letter at the end: the sequence of `{r} |=> f`, which is `{r; true} |-> f`.
    pub fn before_any(&self) -> Option<&Sere> {
        match self {
            Sere::Concat(r, last) if **last == Sere::Boolean(Formula::TRUE) => Some(r),
            _ => None,
        }
    }

    /// One after the other.
    #[must_use]
    pub fn then(self, other: Sere) -> Sere {
        Sere::Concat(Box::new(self), Box::new(other))
    }

    /// Between `least` and `most` times; any number from `least` on if `most` is none.
    #[must_use]
    pub fn repeat(self, least: usize, most: Option<usize>) -> Sere {
        let required = (0..least).fold(Sere::Empty, |done, _| match done {
            Sere::Empty => self.clone(),
            _ => done.then(self.clone()),
        });
        match most {
            None => required.then(Sere::Star(Box::new(self))),
            Some(most) => {
                let optional = (least..most).fold(Sere::Empty, |rest, _| {
                    Sere::Or(Box::new(Sere::Empty), Box::new(self.clone().then(rest)))
                });
                required.then(optional)
            }
        }
    }

    /// Both, the shorter one on a beginning of the letters of the other: `r & s`.
    #[must_use]
    pub fn and_shorter(self, other: Sere) -> Sere {
        let first = Sere::And(Box::new(self.clone().then(Sere::anything())), Box::new(other.clone()));
        let second = Sere::And(Box::new(self), Box::new(other.then(Sere::anything())));
        Sere::Or(Box::new(first), Box::new(second))
    }

    /// The first somewhere inside the second: `r within s`.
    #[must_use]
    pub fn within(self, other: Sere) -> Sere {
        let padded = Sere::anything().then(self).then(Sere::anything());
        Sere::And(Box::new(padded), Box::new(other))
    }

    /// A bound on the states of an automaton on finite words for it.
    pub fn most_states(&self) -> usize {
        match self {
            Sere::Boolean(_) | Sere::Empty => 2,
            Sere::Star(r) => r.most_states() + 1,
            Sere::Concat(r, s) | Sere::Fusion(r, s) | Sere::Or(r, s) => r.most_states() + s.most_states(),
            Sere::And(r, s) => r.most_states().saturating_mul(s.most_states()),
        }
    }

    /// How many letters and operators it is made of.
    pub fn size(&self) -> usize {
        match self {
            Sere::Boolean(_) | Sere::Empty => 1,
            Sere::Star(r) => 1 + r.size(),
            Sere::Concat(r, s) | Sere::Fusion(r, s) | Sere::Or(r, s) | Sere::And(r, s) => {
                1 + r.size() + s.size()
            }
        }
    }
}

/// An automaton on finite words; state 0 is the start.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    pub edges: Vec<Vec<(Formula, usize)>>,
    pub accepting: Vec<bool>,
}

/// Automata with more states than this are refused.
const MOST_STATES: usize = 5000;

impl Matcher {
    /// The automaton of an expression, without states from which nothing can match; none if it is too large.
    pub fn build(formulas: &mut Formulas, sere: &Sere) -> Option<Matcher> {
        Matcher::raw(formulas, sere).map(Matcher::trimmed)
    }

    fn raw(formulas: &mut Formulas, sere: &Sere) -> Option<Matcher> {
        let result = match sere {
            Sere::Empty => Matcher { edges: vec![Vec::new()], accepting: vec![true] },
            Sere::Boolean(b) => {
                Matcher { edges: vec![vec![(*b, 1)], Vec::new()], accepting: vec![false, true] }
            }
            Sere::Concat(r, s) => Matcher::raw(formulas, r)?.concat(Matcher::raw(formulas, s)?),
            Sere::Fusion(r, s) => {
                let (r, s) = (Matcher::raw(formulas, r)?, Matcher::raw(formulas, s)?);
                r.fusion(s, formulas)
            }
            Sere::Or(r, s) => Matcher::raw(formulas, r)?.or(Matcher::raw(formulas, s)?),
            Sere::And(r, s) => {
                let (r, s) = (Matcher::raw(formulas, r)?, Matcher::raw(formulas, s)?);
                r.and(&s, formulas)?
            }
            Sere::Star(r) => Matcher::raw(formulas, r)?.star(),
        };
        (result.edges.len() <= MOST_STATES).then_some(result)
    }

    /// Adds the states of another one; says where its start is now.
    fn append(&mut self, other: Matcher) -> usize {
        let shift = self.edges.len();
        self.edges.extend(
            other.edges.into_iter().map(|list| list.into_iter().map(|(b, to)| (b, to + shift)).collect()),
        );
        self.accepting.extend(other.accepting);
        shift
    }

    fn concat(mut self, other: Matcher) -> Matcher {
        let n_first = self.edges.len();
        let start = self.append(other);
        let nullable = self.accepting[start];
        for state in 0..n_first {
            if self.accepting[state] {
                let more = self.edges[start].clone();
                self.edges[state].extend(more);
                self.accepting[state] = nullable;
            }
        }
        self
    }

    fn fusion(mut self, other: Matcher, formulas: &mut Formulas) -> Matcher {
        let n_first = self.edges.len();
        let start = self.append(other);
        for state in 0..n_first {
            let overlaps: Vec<(Formula, usize)> = self.edges[state]
                .iter()
                .filter(|(_, to)| self.accepting[*to])
                .flat_map(|&(b, _)| self.edges[start].iter().map(move |&(c, to)| (b, c, to)))
                .map(|(b, c, to)| (formulas.and(b, c), to))
                .collect();
            self.edges[state].extend(overlaps);
        }
        self.accepting[..n_first].fill(false);
        self
    }

    fn or(self, other: Matcher) -> Matcher {
        let mut result = Matcher { edges: vec![Vec::new()], accepting: vec![false] };
        for part in [self, other] {
            let start = result.append(part);
            let more = result.edges[start].clone();
            result.edges[0].extend(more);
            result.accepting[0] |= result.accepting[start];
        }
        result
    }

    fn star(self) -> Matcher {
        let mut result = Matcher { edges: vec![Vec::new()], accepting: vec![true] };
        let start = result.append(self);
        let first = result.edges[start].clone();
        for state in 0..result.edges.len() {
            if result.accepting[state] && state != start {
                result.edges[state].extend(first.iter().copied());
            }
        }
        result.accepting[0] = true;
        result
    }

    fn and(&self, other: &Matcher, formulas: &mut Formulas) -> Option<Matcher> {
        let mut numbers = rustc_hash::FxHashMap::from_iter([((0, 0), 0)]);
        let mut list = vec![(0, 0)];
        let mut result = Matcher { edges: Vec::new(), accepting: Vec::new() };
        while result.edges.len() < list.len() {
            let (one, two) = list[result.edges.len()];
            let mut edges = Vec::new();
            for &(b, b_to) in &self.edges[one] {
                for &(c, c_to) in &other.edges[two] {
                    let target = *numbers.entry((b_to, c_to)).or_insert_with(|| {
                        list.push((b_to, c_to));
                        list.len() - 1
                    });
                    edges.push((if b == c { b } else { formulas.and(b, c) }, target));
                }
            }
            if list.len() > MOST_STATES {
                return None;
            }
            result.edges.push(edges);
            result.accepting.push(self.accepting[one] && other.accepting[two]);
        }
        Some(result)
    }

    /// Without edges to states from which no accepting state can be reached; equal edges once.
    fn trimmed(mut self) -> Matcher {
        let mut useful = self.accepting.clone();
        loop {
            let mut changed = false;
            for state in 0..self.edges.len() {
                if !useful[state] && self.edges[state].iter().any(|&(_, to)| useful[to]) {
                    useful[state] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for edges in &mut self.edges {
            edges.retain(|&(_, to)| useful[to]);
            edges.sort_unstable();
            edges.dedup();
        }
        self
    }
}
