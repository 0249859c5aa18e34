//! What can be claimed when walks have found nothing.
//!
//! A walk from an initial state, to its end or to the bound on its length, is one draw of a fixed experiment that succeeds with some
//! probability p. When N independent draws all fail, then with confidence 1 − δ we have p ≤ 1 − δ^(1/N); to know p < ε with that
//! confidence takes N = ln δ / ln (1 − ε) draws (Grosu and Smolka, "Monte Carlo Model Checking", TACAS 2005; Bui 2009, theorem
//! 5.3.4). The claim is about the distribution that was sampled, which a heuristic changes, and says nothing about p = 0: rare errors
//! are rare. Walks that start where another one left off are no such draws. Where walks differ ([`Bias::Softening`](crate::Bias)), p is the mean of
//! their probabilities: independent draws with different ones all fail with a probability of at most (1 − p)^N.
//!
//! Which draws count must not depend on how they end. A walk that is cut at its bound is a draw like any other, but then the claim is about
//! walks of that length: to leave it out would be to choose the short walks, which may be those that find nothing. For the same
//! reason only the draws before the first unfinished walk count when time is up: with several threads, short walks overtake long ones.

use std::collections::BTreeMap;

/// The number of draws needed to claim a probability below `epsilon` with confidence 1 − `delta`, rounded up.
/// None unless both are between 0 and 1.
pub fn n_walks_for(delta: f64, epsilon: f64) -> Option<u64> {
    let is_probability = |number: f64| number > 0.0 && number < 1.0;
    (is_probability(delta) && is_probability(epsilon))
        .then(|| (delta.ln() / (-epsilon).ln_1p()).ceil().max(1.0) as u64)
}

/// What a run of walks without a finding says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Claim {
    /// Number of walks that were made.
    pub n_walks: u64,
    /// Of these, the independent ones before the first that was not finished: the draws that count.
    pub n_draws: u64,
    /// Of these, those that were cut at the bound on their length. With any, the claim is about walks of at most that length.
    pub n_cut: u64,
    /// The bound on the length of a walk.
    pub max_depth: Option<u32>,
    /// The probability that the statement is wrong.
    pub delta: f64,
    /// The probability of success of one walk is at most this, unless an event with probability `delta` has
    /// happened. 1 without draws.
    pub epsilon: f64,
}

impl Claim {
    /// What failed draws say.
    pub fn new(n_walks: u64, draws: Draws, max_depth: Option<u32>, delta: f64) -> Claim {
        let Draws { n_draws, n_cut } = draws;
        let epsilon = if n_draws == 0 { 1.0 } else { 1.0 - (delta.ln() / n_draws as f64).exp() };
        Claim { n_walks, n_draws, n_cut, max_depth, delta, epsilon }
    }
}

/// Draws that found nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Draws {
    /// All of them.
    pub n_draws: u64,
    /// Those cut at the bound.
    pub n_cut: u64,
}

impl Draws {
    fn add(&mut self, other: Draws) {
        self.n_draws += other.n_draws;
        self.n_cut += other.n_cut;
    }
}

/// The draws of tasks that end in any order, up to the first task that has not ended.
#[derive(Debug, Default)]
pub(crate) struct InOrder {
    next: u64,
    draws: Draws,
    /// Those of tasks that have overtaken another one.
    ahead: BTreeMap<u64, Draws>,
}

impl InOrder {
    /// Notes that a task has ended.
    pub fn end(&mut self, number: u64, draws: Draws) {
        self.ahead.insert(number, draws);
        while let Some(draws) = self.ahead.remove(&self.next) {
            self.draws.add(draws);
            self.next += 1;
        }
    }

    /// The draws before the first task that has not ended.
    pub fn draws(&self) -> Draws {
        self.draws
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_the_source_comes_out_rounded_up() {
        assert_eq!(n_walks_for(4e-5, 5e-3), Some(2021));
        assert_eq!(n_walks_for(0.5, 0.5), Some(1));
        assert_eq!(n_walks_for(0.0, 0.5), None);
        assert_eq!(n_walks_for(0.5, 1.0), None);
    }

    #[test]
    fn so_many_draws_support_the_claim_and_one_less_does_not() {
        let n_walks = n_walks_for(0.01, 0.05).unwrap();
        let epsilon = |n_draws: u64| Claim::new(n_walks, Draws { n_draws, n_cut: 0 }, None, 0.01).epsilon;
        assert!(epsilon(n_walks) <= 0.05);
        assert!(epsilon(n_walks - 1) > 0.05);
        assert_eq!(epsilon(0), 1.0);
    }

    #[test]
    fn what_overtakes_an_unfinished_walk_does_not_count() {
        let mut in_order = InOrder::default();
        let one = Draws { n_draws: 1, n_cut: 0 };
        for number in [1, 0, 4, 5, 3] {
            in_order.end(number, one);
        }
        assert_eq!(in_order.draws().n_draws, 2);
        in_order.end(2, Draws { n_draws: 1, n_cut: 1 });
        assert_eq!(in_order.draws(), Draws { n_draws: 6, n_cut: 1 });
    }
}
