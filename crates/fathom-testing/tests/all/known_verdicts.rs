//! How many temporal properties with known verdicts the corpus has: enough of each logic, true and false, with and without fairness.
//!
//! That the verdicts are the right ones is checked by the tests that run the corpus.

use std::path::Path;

use serde_json::Value;

/// Formulas by their verdicts.
#[derive(Default, Debug)]
struct Known {
    holds: usize,
    violated: usize,
}

impl Known {
    fn add(&mut self, verdict: &Value) {
        match verdict.as_str() {
            Some("holds") => self.holds += 1,
            Some("violated") => self.violated += 1,
            _ => panic!("a verdict is holds or violated, not {verdict}"),
        }
    }

    fn require(&self, least: usize, least_of_each: usize, what: &str) {
        assert!(self.holds + self.violated >= least, "{what}: {self:?}, not {least}");
        assert!(self.holds >= least_of_each && self.violated >= least_of_each, "{what}: {self:?}");
    }
}

fn sidecars(folder: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela").join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let sidecars = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let read = |path| std::fs::read_to_string(path).expect("a sidecar");
    sidecars.map(|path| serde_json::from_str(&read(path)).expect("JSON")).collect()
}

#[test]
fn the_corpus_has_enough_formulas_of_linear_time() {
    let (mut all, mut fair) = (Known::default(), Known::default());
    for sidecar in sidecars("ltl") {
        sidecar["properties"].as_object().expect("formulas").values().for_each(|verdict| all.add(verdict));
        sidecar["fair"].as_object().expect("formulas").values().for_each(|verdict| fair.add(verdict));
    }
    all.require(60, 20, "LTL");
    fair.require(60, 20, "LTL on fair runs");
}

#[test]
fn the_corpus_has_enough_formulas_of_branching_time() {
    let (mut all, mut fair) = (Known::default(), Known::default());
    for sidecar in sidecars("branching") {
        for entry in sidecar["ctl"].as_array().map_or(&[][..], Vec::as_slice) {
            if entry["fairness"].is_null() { &mut all } else { &mut fair }.add(&entry["verdict"]);
        }
    }
    all.require(40, 15, "CTL");
    fair.require(10, 3, "CTL on fair paths");
}

#[test]
fn the_corpus_has_enough_formulas_with_sequences() {
    let (mut all, mut finite) = (Known::default(), Known::default());
    for sidecar in sidecars("branching") {
        for entry in sidecar["psl"].as_array().map_or(&[][..], Vec::as_slice) {
            all.add(&entry["verdict"]);
            if !entry["end"].is_null() {
                finite.add(&entry["verdict"]);
            }
        }
    }
    all.require(25, 10, "PSL");
    finite.require(5, 2, "PSL on runs that end");
}
