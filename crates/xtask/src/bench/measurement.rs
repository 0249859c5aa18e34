//! What is measured, and how repeats become one number.
//!
//! Disturbances make a program slower, never faster. The best of several repeats is therefore the steadiest number
//! that a shared machine gives; each quantity has its own best. Counts must not differ between repeats.

use serde::Serialize;

/// How a run of a contender ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "end", content = "reason")]
pub enum End {
    /// Everything was explored.
    Complete,
    /// Killed at the limit of time.
    OutOfTime,
    /// Stopped at the limit of memory.
    OutOfMemory,
    /// Anything else, in words.
    Failed(String),
}

impl End {
    /// For a cell of a table.
    pub fn word(&self) -> &'static str {
        match self {
            End::Complete => "complete",
            End::OutOfTime => "time",
            End::OutOfMemory => "memory",
            End::Failed(_) => "failed",
        }
    }
}

/// One contender on one model. Quantities are absent when the tool did not get so far or does not say.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measurement {
    /// How it ended.
    #[serde(flatten)]
    pub end: End,
    /// The command lines, with paths that mean something elsewhere.
    pub commands: Vec<String>,
    /// Runs behind the numbers.
    pub repeats: usize,
    /// From the text of the model to the answer: for Spin with `spin` and `gcc`.
    pub wall_seconds: Option<f64>,
    /// Before the search: reading and compiling the model.
    pub setup_seconds: Option<f64>,
    /// The search alone, by the tool's own clock.
    pub search_seconds: Option<f64>,
    /// Distinct stored states.
    pub states: Option<u64>,
    /// Executed transitions, as the tool counts them.
    pub transitions: Option<u64>,
    /// Longest path or distance.
    pub depth: Option<u64>,
    /// Memory for states.
    pub state_bytes: Option<u64>,
    /// All memory.
    pub memory_bytes: Option<u64>,
}

impl Measurement {
    /// A run that ended without numbers.
    pub fn without_numbers(end: End, commands: Vec<String>) -> Measurement {
        Measurement {
            end,
            commands,
            repeats: 1,
            wall_seconds: None,
            setup_seconds: None,
            search_seconds: None,
            states: None,
            transitions: None,
            depth: None,
            state_bytes: None,
            memory_bytes: None,
        }
    }

    /// Takes the better of this and another repeat. One that is not complete replaces all.
    pub fn merge(self, other: Measurement) -> Measurement {
        let repeats = self.repeats + other.repeats;
        if self.end != End::Complete || other.end != End::Complete {
            let worse = if self.end == End::Complete { other } else { self };
            return Measurement { repeats, ..worse };
        }
        let is_stable = (self.states, self.transitions) == (other.states, other.transitions);
        let end = if is_stable {
            End::Complete
        } else {
            End::Failed("repeats differ in states or transitions".to_owned())
        };
        Measurement {
            end,
            repeats,
            wall_seconds: least(self.wall_seconds, other.wall_seconds),
            setup_seconds: least(self.setup_seconds, other.setup_seconds),
            search_seconds: least(self.search_seconds, other.search_seconds),
            state_bytes: self.state_bytes.min(other.state_bytes),
            memory_bytes: self.memory_bytes.min(other.memory_bytes),
            ..other
        }
    }

    /// A quantity; none unless the run is complete.
    pub fn get(&self, quantity: Quantity) -> Option<f64> {
        if self.end != End::Complete {
            return None;
        }
        let per_second = |count: Option<u64>| Some(count? as f64 / self.search_seconds?);
        let value = match quantity {
            Quantity::WallSeconds => self.wall_seconds?,
            Quantity::SetupSeconds => self.setup_seconds?,
            Quantity::TransitionRate => per_second(self.transitions)?,
            Quantity::StateRate => per_second(self.states)?,
            Quantity::States => self.states? as f64,
            Quantity::BytesPerState => self.state_bytes? as f64 / self.states? as f64,
            Quantity::MemoryBytes => self.memory_bytes? as f64,
        };
        value.is_finite().then_some(value)
    }
}

fn least(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one?.min(other?))
}

/// What can be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// See [`Measurement::wall_seconds`].
    WallSeconds,
    /// See [`Measurement::setup_seconds`].
    SetupSeconds,
    /// Transitions in a second of pure search.
    TransitionRate,
    /// States in a second of pure search.
    StateRate,
    /// Stored states.
    States,
    /// Memory for states by their number.
    BytesPerState,
    /// All memory.
    MemoryBytes,
}

impl Quantity {
    /// The heading of its table.
    pub fn title(self) -> &'static str {
        match self {
            Quantity::WallSeconds => "Wall time in seconds, set-up included",
            Quantity::SetupSeconds => "Set-up in seconds",
            Quantity::TransitionRate => "Million transitions per second of search",
            Quantity::StateRate => "Million states per second of search",
            Quantity::States => "Stored states",
            Quantity::BytesPerState => "Bytes per state",
            Quantity::MemoryBytes => "Peak memory in MB",
        }
    }

    /// Whether ratios of it mean something. Tools draw the line between set-up and search in different places:
    /// Fathom makes machine code after it, Spin before. Wall time has both.
    pub fn is_compared(self) -> bool {
        self != Quantity::SetupSeconds
    }

    /// How many times better one value is than another: above 1 when `ours` is better.
    pub fn advantage(self, ours: f64, theirs: f64) -> Option<f64> {
        let ratio = match self {
            _ if !self.is_compared() => return None,
            Quantity::TransitionRate | Quantity::StateRate => ours / theirs,
            _ => theirs / ours,
        };
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }
}

/// The mean of ratios that does not depend on which way round they are; none without ratios.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A complete run.
    pub fn complete(wall: f64, search: f64, states: u64) -> Measurement {
        Measurement {
            end: End::Complete,
            commands: vec!["tool model".to_owned()],
            repeats: 1,
            wall_seconds: Some(wall),
            setup_seconds: Some(wall - search),
            search_seconds: Some(search),
            states: Some(states),
            transitions: Some(states * 3),
            depth: Some(5),
            state_bytes: Some(states * 16),
            memory_bytes: Some(states * 20),
        }
    }

    #[test]
    fn each_quantity_takes_its_own_best() {
        let merged = complete(3.0, 1.0, 100).merge(complete(2.0, 1.5, 100));
        assert_eq!((merged.wall_seconds, merged.search_seconds), (Some(2.0), Some(1.0)));
        assert_eq!((merged.setup_seconds, merged.repeats), (Some(0.5), 2));
    }

    #[test]
    fn repeats_with_other_counts_are_a_failure() {
        let merged = complete(3.0, 1.0, 100).merge(complete(2.0, 1.0, 101));
        assert!(matches!(merged.end, End::Failed(_)));
        assert_eq!(merged.get(Quantity::WallSeconds), None);
    }

    #[test]
    fn a_run_out_of_time_is_not_forgotten() {
        let out_of_time = Measurement::without_numbers(End::OutOfTime, Vec::new());
        assert_eq!(out_of_time.clone().merge(complete(1.0, 1.0, 1)).end, End::OutOfTime);
        assert_eq!(complete(1.0, 1.0, 1).merge(out_of_time).end, End::OutOfTime);
    }

    #[test]
    fn rates_and_sizes_are_derived() {
        let run = complete(3.0, 2.0, 100);
        assert_eq!(run.get(Quantity::TransitionRate), Some(150.0));
        assert_eq!(run.get(Quantity::StateRate), Some(50.0));
        assert_eq!(run.get(Quantity::BytesPerState), Some(16.0));
        let too_quick = Measurement { search_seconds: Some(0.0), ..run };
        assert_eq!(too_quick.get(Quantity::TransitionRate), None);
    }

    #[test]
    fn an_advantage_is_above_one_for_the_better() {
        assert_eq!(Quantity::WallSeconds.advantage(1.0, 4.0), Some(4.0));
        assert_eq!(Quantity::TransitionRate.advantage(4.0, 1.0), Some(4.0));
        assert_eq!(Quantity::States.advantage(200.0, 100.0), Some(0.5));
        assert_eq!(Quantity::WallSeconds.advantage(0.0, 1.0), None);
        assert_eq!(Quantity::SetupSeconds.advantage(1.0, 4.0), None);
    }

    #[test]
    fn the_geometric_mean_of_a_ratio_and_its_inverse_is_one() {
        assert!((geometric_mean(&[4.0, 0.25]).unwrap() - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
