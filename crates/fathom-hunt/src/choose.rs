//! How a guided walk chooses: near steps more often, far steps still sometimes.
//!
//! Source: Bui, *Guided Random-Walk Based Model Checking* (2009), sections 3.5 and 3.11: each candidate weighs the
//! largest estimate less its own. There the worst candidate weighs nothing, so that some errors can never be found
//! and lists of equally bad candidates have no weight at all. Here every weight is at least 1 (or positive), which
//! keeps every step possible and the Monte-Carlo claim meaningful.

use fathom_search::Random;

/// How estimates become weights.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bias {
    /// The largest estimate less the estimate, plus this floor, at least 1.
    Linear {
        /// Weight of the worst.
        floor: u32,
    },
    /// Falls by a factor e for every so many steps of distance.
    Exponential {
        /// The number of steps.
        temperature: f64,
    },
    /// The same, with a number of steps that is doubled in every second walk, doubled again in every fourth, and so on: most walks go
    /// straight, and some climb out of what looks near and leads nowhere.
    Softening {
        /// The number of steps in the first walk.
        temperature: f64,
    },
    /// The nearest, but with this probability any other one.
    Greedy {
        /// The probability.
        epsilon: f64,
    },
}

/// A factor e for every half step at first: over the example models this finds errors on shorter traces, and more often, than the linear
/// weights of the source, which tell states hardly apart when estimates are large; and softer walks find those that sharp ones never do
/// (`docs/benchmarks/hunting-bias.md`).
impl Default for Bias {
    fn default() -> Bias {
        Bias::Softening { temperature: 0.5 }
    }
}

/// How often the temperature is doubled at most.
const MOST_DOUBLINGS: u32 = 6;

impl Bias {
    /// The bias of a walk, by its number: 1, 2, 1, 4, 1, 2, 1, 8, … times the first temperature, like the restarts of Luby, Sinclair
    /// and Zuckerman (1993).
    pub fn of_walk(self, number: u64) -> Bias {
        match self {
            Bias::Softening { temperature } => {
                let doublings = number.wrapping_add(1).trailing_zeros().min(MOST_DOUBLINGS);
                Bias::Exponential { temperature: temperature * f64::from(1_u32 << doublings) }
            }
            same => same,
        }
    }
}

/// What weights are given to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Share {
    /// Each step has its own.
    #[default]
    EachStep,
    /// All steps with one estimate have one together: a lone good step among many bad ones is chosen more often.
    EachEstimate,
}

/// Chooses one of the candidates, which are not none, by their estimates.
pub(crate) fn choose(
    estimates: &[u32],
    largest: u32,
    bias: Bias,
    share: Share,
    weights: &mut Vec<f64>,
    random: &mut Random,
) -> usize {
    weigh(estimates, largest, bias, weights);
    if share == Share::EachEstimate && !matches!(bias, Bias::Greedy { .. }) {
        for (index, &estimate) in estimates.iter().enumerate() {
            weights[index] /= estimates.iter().filter(|&&other| other == estimate).count() as f64;
        }
    }
    draw(weights, random)
}

/// Chooses one of several classes of steps, each with an estimate that its steps share and the number of them.
pub fn choose_class(
    classes: &[(u32, f64)],
    largest: u32,
    bias: Bias,
    share: Share,
    random: &mut Random,
) -> usize {
    let estimates: Vec<u32> = classes.iter().map(|(estimate, _)| *estimate).collect();
    let mut weights = Vec::with_capacity(classes.len());
    weigh(&estimates, largest, bias, &mut weights);
    if share == Share::EachStep {
        for (weight, (_, count)) in weights.iter_mut().zip(classes) {
            *weight *= count;
        }
    }
    draw(&weights, random)
}

/// Makes estimates weights.
fn weigh(estimates: &[u32], largest: u32, bias: Bias, weights: &mut Vec<f64>) {
    weights.clear();
    match bias {
        Bias::Linear { floor } => {
            // What is farther than the largest is as far as that: a dead end must not make all others look alike.
            let most = estimates.iter().copied().min().unwrap_or(0).max(largest);
            let weight = |&estimate: &u32| f64::from(most - estimate.min(most)) + f64::from(floor.max(1));
            weights.extend(estimates.iter().map(weight));
        }
        Bias::Exponential { temperature } | Bias::Softening { temperature } => {
            // Relative to the nearest, so that the weights of near steps never vanish together.
            let nearest = estimates.iter().copied().min().unwrap_or(0);
            let scale = temperature.max(1e-3);
            let weight = |&estimate: &u32| (-f64::from(estimate - nearest) / scale).exp().max(1e-9);
            weights.extend(estimates.iter().map(weight));
        }
        Bias::Greedy { epsilon } => {
            let nearest = estimates.iter().copied().min().unwrap_or(0);
            let n_nearest = estimates.iter().filter(|&&estimate| estimate == nearest).count() as f64;
            let n_others = estimates.len() as f64 - n_nearest;
            let epsilon = epsilon.clamp(1e-6, 1.0);
            weights.extend(estimates.iter().map(|&estimate| match estimate == nearest {
                true => (1.0 - epsilon).max(1e-6) / n_nearest,
                false => epsilon / n_others,
            }));
        }
    }
}

/// Draws an index with probability in proportion to its weight.
fn draw(weights: &[f64], random: &mut Random) -> usize {
    const PARTS: usize = 1 << 53;
    let total: f64 = weights.iter().sum();
    let mut rest = random.below(PARTS) as f64 / PARTS as f64 * total;
    for (index, weight) in weights.iter().enumerate() {
        rest -= weight;
        if rest < 0.0 {
            return index;
        }
    }
    weights.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of 10 000 choices.
    fn counts(estimates: &[u32], largest: u32, bias: Bias, share: Share) -> Vec<f64> {
        let mut random = Random::new(11);
        let mut weights = Vec::new();
        let mut counts = vec![0.0; estimates.len()];
        for _ in 0..10_000 {
            counts[choose(estimates, largest, bias, share, &mut weights, &mut random)] += 1.0;
        }
        counts
    }

    /// Pearson's statistic for expected shares.
    fn chi_square(counts: &[f64], shares: &[f64]) -> f64 {
        let total: f64 = shares.iter().sum();
        let term = |(count, share): (&f64, &f64)| {
            let expected = 10_000.0 * share / total;
            (count - expected).powi(2) / expected
        };
        counts.iter().zip(shares).map(term).sum()
    }

    #[test]
    fn choices_follow_the_weights() {
        let linear = Bias::Linear { floor: 1 };
        let each = counts(&[0, 1, 3, 3], 3, linear, Share::EachStep);
        assert!(chi_square(&each, &[4.0, 3.0, 1.0, 1.0]) < 16.3, "{each:?}");
        // The toy of the source: distances 1 and 3 with four layers weigh 3 to 1, one state against two.
        let classes = counts(&[1, 3, 3], 3, linear, Share::EachEstimate);
        assert!(chi_square(&classes, &[3.0, 0.5, 0.5]) < 13.8, "{classes:?}");
        let exponential = counts(&[2, 3], 9, Bias::Exponential { temperature: 1.0 }, Share::EachStep);
        assert!(chi_square(&exponential, &[1.0, (-1.0_f64).exp()]) < 10.8, "{exponential:?}");
        let greedy = counts(&[5, 2, 2], 9, Bias::Greedy { epsilon: 0.1 }, Share::EachStep);
        assert!(chi_square(&greedy, &[0.1, 0.45, 0.45]) < 13.8, "{greedy:?}");
    }

    #[test]
    fn classes_weigh_together_or_each_of_their_steps_does() {
        let counts = |share: Share| {
            let mut random = Random::new(5);
            let mut counts = [0.0; 2];
            for _ in 0..10_000 {
                let classes = [(1, 1.0), (3, 2.0)];
                counts[choose_class(&classes, 3, Bias::Linear { floor: 1 }, share, &mut random)] += 1.0;
            }
            counts
        };
        // The toy of the source: distances 1 and 3 with four layers weigh 3 to 1.
        assert!(chi_square(&counts(Share::EachEstimate), &[3.0, 1.0]) < 10.8);
        assert!(chi_square(&counts(Share::EachStep), &[3.0, 2.0]) < 10.8);
    }

    #[test]
    fn every_second_walk_is_softer_and_every_fourth_softer_still() {
        let temperature = |number| match (Bias::Softening { temperature: 0.5 }).of_walk(number) {
            Bias::Exponential { temperature } => temperature,
            other => panic!("{other:?}"),
        };
        let first: Vec<f64> = (0..8).map(temperature).collect();
        assert_eq!(first, [0.5, 1.0, 0.5, 2.0, 0.5, 1.0, 0.5, 4.0]);
        assert_eq!(temperature((1 << 40) - 1), 32.0);
        assert_eq!(Bias::Linear { floor: 2 }.of_walk(7), Bias::Linear { floor: 2 });
    }

    #[test]
    fn no_weight_is_ever_zero() {
        for bias in [
            Bias::Linear { floor: 0 },
            Bias::Exponential { temperature: 0.0 },
            Bias::Greedy { epsilon: 0.0 },
            Bias::Greedy { epsilon: 1.0 },
        ] {
            for share in [Share::EachStep, Share::EachEstimate] {
                let mut weights = Vec::new();
                choose(&[0, 7, 7, u32::MAX], 7, bias, share, &mut weights, &mut Random::new(1));
                assert!(weights.iter().all(|&weight| weight > 0.0), "{bias:?} {share:?}: {weights:?}");
            }
        }
    }
}
