//! What can be claimed when walks have found nothing.
//!
//! A maximal trail (a walk without repeated states, to its end) or a walk to its first repeated state is one draw
//! of a fixed experiment that succeeds with some probability p. When N independent draws all fail, then with
//! confidence 1 − δ we have p ≤ 1 − δ^(1/N); to know p < ε with that confidence takes N = ln δ / ln (1 − ε) draws
//! (Grosu and Smolka, "Monte Carlo Model Checking", TACAS 2005; Bui 2009, theorem 5.3.4). The claim is about the
//! distribution that was sampled, which a heuristic changes, and says nothing about p = 0: rare errors are rare.
//! Walks that were cut at a bound, or that start where another one left off, are no such draws.

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
    /// Of these, the independent ones that were followed to their end: the draws that count.
    pub n_draws: u64,
    /// The probability that the statement is wrong.
    pub delta: f64,
    /// The probability of success of one walk is at most this, unless an event with probability `delta` has
    /// happened. 1 without draws.
    pub epsilon: f64,
}

impl Claim {
    /// What failed draws say.
    pub fn new(n_walks: u64, n_draws: u64, delta: f64) -> Claim {
        let epsilon = if n_draws == 0 { 1.0 } else { 1.0 - (delta.ln() / n_draws as f64).exp() };
        Claim { n_walks, n_draws, delta, epsilon }
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
        assert!(Claim::new(n_walks, n_walks, 0.01).epsilon <= 0.05);
        assert!(Claim::new(n_walks, n_walks - 1, 0.01).epsilon > 0.05);
        assert_eq!(Claim::new(10, 0, 0.01).epsilon, 1.0);
    }
}
