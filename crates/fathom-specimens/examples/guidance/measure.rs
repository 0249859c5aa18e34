//! How many steps a strategy takes to reach a goal.

use fathom_coverage::{Coverage, parse_criterion};
use fathom_online::{
    Embedded, Explored, Implementation, Strategy, TestModel, TestOptions, Tracker, test, universe,
};
use fathom_source::SourceMap;

/// Models, each with what is to be covered.
pub const GOALS: [(&str, &str); 6] = [
    ("buffer", "actions .*"),
    ("buffer", "states .*"),
    ("buffer", "transitions .*"),
    ("sessions", "actions .*"),
    ("lamp", "states .*"),
    ("sessions", "any value >= 1 for actions LockedOut.0. then states \"inside = .true, true, true.*\""),
];

/// Most steps in a run.
const MOST_STEPS: usize = 200_000;

/// The median over seeds from 1 on of the steps to the goal; the limit where it is not reached.
pub fn median_steps<I: Implementation>(
    model: &dyn TestModel,
    make: impl Fn() -> I,
    goal: &str,
    strategy: Strategy,
    n_seeds: u64,
) -> usize {
    let explored = Explored::new(model);
    let mut sources = SourceMap::new();
    let file = sources.add("<goal>", goal);
    let criterion = parse_criterion(file, &sources).expect("a goal");
    let universe = universe(&explored, 100_000, true);
    let coverage = Coverage::new(&criterion, &universe).expect("a goal of this model");
    let mut all: Vec<usize> = (1..=n_seeds)
        .map(|seed| {
            let mut tracker = Tracker::new(coverage.clone());
            let options = TestOptions {
                steps: MOST_STEPS,
                seed,
                strategy,
                stops_when_covered: true,
                ..TestOptions::default()
            };
            let report = test(&explored, &mut Embedded(make()), &options, Some(&mut tracker), &mut ());
            assert_eq!(report.verdict.name(), "pass");
            report.covered_after.unwrap_or(MOST_STEPS)
        })
        .collect();
    all.sort_unstable();
    all[all.len() / 2]
}
