//! What comes out of a set: rows of measurements, and their comparison.

use serde::Serialize;

use super::environment::Environment;
use super::measurement::{Measurement, Quantity, geometric_mean};
use super::models::Model;
use super::sets::{Comparison, Set, SetName};

/// Everything about one set, in the form that is written as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// The set.
    pub set: SetName,
    /// Where the numbers come from.
    pub environment: Environment,
    /// Repeats asked for.
    pub repeat: usize,
    /// The limit for each run of a contender.
    pub time_limit_seconds: u64,
    /// One for each model.
    pub rows: Vec<Row>,
    /// One for each comparison and quantity; see [`Results::summarize`].
    pub advantages: Vec<Advantage>,
}

/// One model.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub model: String,
    /// Its file.
    pub file: String,
    /// Its parameters.
    pub defines: Vec<String>,
    /// One for each contender, in their order.
    pub measurements: Vec<Entry>,
    /// The states in the list of models, which Spin's table is sized for.
    pub listed_states: u64,
    /// Counts that do not agree although they must.
    pub disagreements: Vec<String>,
}

/// A measurement with the name of its contender.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The contender.
    pub contender: String,
    /// What was measured.
    #[serde(flatten)]
    pub measurement: Measurement,
}

/// The mean advantage of one contender over another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Advantage {
    /// The quantity, as in its table.
    pub quantity: &'static str,
    /// Whose advantage it is.
    pub contender: String,
    /// Over whom.
    pub over: String,
    /// The geometric mean; above 1 is better.
    pub geometric_mean: f64,
    /// Models where both are complete.
    pub models: usize,
}

impl Row {
    /// A row out of the measurements of a set's contenders.
    pub fn new(set: &Set, model: &Model, measurements: Vec<Measurement>) -> Row {
        let disagreements = set.disagreements(&measurements);
        let names = set.contenders.iter().map(|contender| contender.name.clone());
        let entries = names
            .zip(measurements)
            .map(|(contender, measurement)| Entry { contender, measurement })
            .collect();
        Row {
            model: model.name.clone(),
            file: model.shown_path(),
            defines: model.defines.clone(),
            measurements: entries,
            listed_states: model.states,
            disagreements,
        }
    }

    /// Whether there are so many more states than listed that a table of Spin was too small for its best.
    pub fn is_larger_than_listed(&self) -> bool {
        let found = self.measurements.iter().filter_map(|entry| entry.measurement.states).max();
        found.is_some_and(|states| states > self.listed_states.saturating_mul(2))
    }

    /// The measurement of a contender.
    pub fn of(&self, contender: &str) -> Option<&Measurement> {
        let entry = self.measurements.iter().find(|entry| entry.contender == contender)?;
        Some(&entry.measurement)
    }

    /// How many times better one contender is; none when one of them has no number, or when they disagree about
    /// what they explored.
    pub fn advantage(&self, quantity: Quantity, (ours, theirs): &Comparison) -> Option<f64> {
        if !self.disagreements.is_empty() {
            return None;
        }
        quantity.advantage(self.of(ours)?.get(quantity)?, self.of(theirs)?.get(quantity)?)
    }
}

impl Results {
    /// The advantages on all models where there is one.
    pub fn ratios(&self, quantity: Quantity, comparison: &Comparison) -> Vec<f64> {
        self.rows.iter().filter_map(|row| row.advantage(quantity, comparison)).collect()
    }

    /// Fills in the mean advantages.
    pub fn summarize(&mut self, set: &Set) {
        self.advantages.clear();
        for &quantity in &set.quantities {
            for comparison in &set.comparisons {
                let ratios = self.ratios(quantity, comparison);
                if let Some(mean) = geometric_mean(&ratios) {
                    self.advantages.push(Advantage {
                        quantity: quantity.title(),
                        contender: comparison.0.clone(),
                        over: comparison.1.clone(),
                        geometric_mean: mean,
                        models: ratios.len(),
                    });
                }
            }
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::path::Path;

    use super::super::measurement::End;
    use super::super::measurement::tests::complete;
    use super::super::models;
    use super::*;

    /// Results of the plain set: two models that are complete, one where Spin ran out of time.
    pub fn sample() -> (Set, Results) {
        let set = Set::new(SetName::Plain, 2);
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let chosen = models::choose(&repository, None, &[]).expect("models");
        let spin =
            |wall: f64, search: f64| Measurement { transitions: Some(301), ..complete(wall, search, 100) };
        let lost = Measurement::without_numbers(End::OutOfTime, vec!["spin".to_owned()]);
        let rows = vec![
            Row::new(
                &set,
                &chosen[0],
                vec![spin(4.0, 2.0), complete(1.0, 1.0, 100), complete(2.0, 2.0, 100)],
            ),
            Row::new(
                &set,
                &chosen[1],
                vec![spin(1.0, 0.5), complete(1.0, 1.0, 100), complete(2.0, 2.0, 100)],
            ),
            Row::new(&set, &chosen[2], vec![lost, complete(1.0, 1.0, 100), complete(2.0, 2.0, 100)]),
        ];
        let environment = Environment {
            date: "2025-01-02".to_owned(),
            fathom: "fathom 0.1.0, commit abc".to_owned(),
            spin: Some("Spin Version 6.5.2".to_owned()),
            gcc: Some("gcc 12.2.0".to_owned()),
            processor: "A <quick> one & only".to_owned(),
            cores: 2,
            memory_megabytes: 1024,
            kernel: "Linux 6.1".to_owned(),
            load_before: "0.00 0.00 0.00".to_owned(),
        };
        let mut results = Results {
            set: set.name,
            environment,
            repeat: 3,
            time_limit_seconds: 120,
            rows,
            advantages: Vec::new(),
        };
        results.summarize(&set);
        (set, results)
    }

    #[test]
    fn means_are_taken_where_both_are_complete() {
        let (_, results) = sample();
        let of = |over: &str| {
            let is_it = |advantage: &&Advantage| {
                advantage.quantity == Quantity::WallSeconds.title()
                    && advantage.contender == "Fathom bfs"
                    && advantage.over == over
            };
            results.advantages.iter().find(is_it).cloned().expect("an advantage")
        };
        assert_eq!((of("Spin").models, of("Fathom dfs").models), (2, 3));
        assert!((of("Spin").geometric_mean - 2.0).abs() < 1e-12);
    }

    #[test]
    fn models_with_disagreement_do_not_count() {
        let (set, mut results) = sample();
        results.rows[1].disagreements.push("they differ".to_owned());
        let ratios = results.ratios(Quantity::WallSeconds, &set.comparisons[0]);
        assert_eq!(ratios, [4.0]);
    }

    #[test]
    fn a_model_that_is_larger_than_listed_is_noticed() {
        let (_, results) = sample();
        assert!(!results.rows[0].is_larger_than_listed());
        assert!(Row { listed_states: 49, ..results.rows[0].clone() }.is_larger_than_listed());
    }

    #[test]
    fn the_json_says_who_measured_what() {
        let (_, results) = sample();
        let json = serde_json::to_value(&results).expect("JSON");
        assert_eq!(json["set"], "plain");
        assert_eq!(json["rows"][0]["measurements"][0]["contender"], "Spin");
        assert_eq!(json["rows"][0]["measurements"][0]["end"], "complete");
        assert_eq!(json["rows"][2]["measurements"][0]["end"], "out_of_time");
        assert_eq!(json["rows"][0]["measurements"][1]["wall_seconds"], 1.0);
    }
}
