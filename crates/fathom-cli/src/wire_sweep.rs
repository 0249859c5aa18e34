//! The forms of JSON of `sweep`.

use serde::{Deserialize, Serialize};

/// The report of `sweep`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepReport {
    /// Version of Fathom.
    pub fathom: String,
    /// The main file as the user named it.
    pub file: String,
    /// The engine.
    pub engine: String,
    /// What changes: `table`, `seed`, `depth`, or a parameter of the model.
    pub parameter: String,
    /// Share of runs that found something, in percent.
    pub hit_percent: f64,
    /// Whether all values were tried; false when the user ended the sweep.
    pub complete: bool,
    /// A summary for each value.
    pub values: Vec<SweepValue>,
    /// All runs.
    pub runs: Vec<SweepRun>,
}

/// The runs with one value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepValue {
    /// The value.
    pub value: u64,
    /// Number of runs.
    pub runs: usize,
    /// Runs that found something.
    pub hits: usize,
    /// Their share, in percent.
    pub hit_percent: f64,
    /// Seconds of search of all runs.
    pub seconds: Option<Quartiles>,
    /// States of all runs.
    pub states: Option<Quartiles>,
    /// Steps of the traces that were found.
    pub length: Option<Quartiles>,
    /// Walks or pruned searches up to the one that found it, where there are some.
    pub attempts: Option<Quartiles>,
}

/// Median, quartiles and mean.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quartiles {
    /// The lower quartile.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub upper: f64,
    /// The mean.
    pub mean: f64,
}

impl Quartiles {
    /// Those of some numbers, between neighbors where needed; none without numbers.
    pub fn of(mut numbers: Vec<f64>) -> Option<Quartiles> {
        numbers.sort_by(f64::total_cmp);
        let last = numbers.len().checked_sub(1)?;
        let at = |share: f64| {
            let place = share * last as f64;
            let (low, high) = (numbers[place.floor() as usize], numbers[place.ceil() as usize]);
            low + (high - low) * place.fract()
        };
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        Some(Quartiles { lower: at(0.25), median: at(0.5), upper: at(0.75), mean })
    }
}

/// A share in percent; 0 of nothing.
pub fn percent(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 }
}

/// One run of a sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepRun {
    /// The value of the parameter.
    pub value: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether something was found: a violation, or for reachability a witness.
    pub hit: bool,
    /// The property that it is about; without a hit, the first one that is open.
    pub property: Option<String>,
    /// The verdict on this property.
    pub verdict: String,
    /// Its trust.
    pub trust: String,
    /// Why the search ended.
    pub stop: String,
    /// Steps of the trace.
    pub length: Option<usize>,
    /// Walks or pruned searches up to the one that found it.
    pub attempts: Option<u64>,
    /// Seconds of search.
    pub seconds: f64,
    /// Seconds before the search.
    pub setup_seconds: f64,
    /// States visited or stored.
    pub states: u64,
    /// Steps made.
    pub transitions: u64,
    /// Longest path or distance.
    pub max_depth: u64,
}
