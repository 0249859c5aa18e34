//! Where the time of a search goes: the clock, and the table.

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Instant;

use fathom_core::search::{Profile, STAGES, Stage};

use crate::wire::ProfileReport;

/// Nanoseconds since this was called first.
pub fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// A profile in seconds.
pub fn to_wire(profile: &Profile) -> ProfileReport {
    let seconds = |stage: Stage| profile[stage as usize] as f64 / 1e9;
    ProfileReport {
        successors: seconds(Stage::Successors),
        keys: seconds(Stage::Keys),
        store: seconds(Stage::Store),
        frontier: seconds(Stage::Frontier),
    }
}

/// A profile as a table, the longest stage first.
pub fn to_text(profile: &Profile) -> String {
    let name = |stage: Stage| match stage {
        Stage::Successors => "successors",
        Stage::Keys => "keys (packing or hashing)",
        Stage::Store => "store",
        Stage::Frontier => "frontier",
    };
    let total: u64 = profile.iter().sum();
    let mut stages = STAGES;
    stages.sort_by_key(|&stage| std::cmp::Reverse(profile[stage as usize]));
    let mut text = String::from("\nwhere the time went (reading the clock included):\n");
    for stage in stages {
        let time = profile[stage as usize];
        let share = if total == 0 { 0.0 } else { 100.0 * time as f64 / total as f64 };
        let _ = writeln!(text, "  {:<26} {:>9.3} s {share:>5.1} %", name(stage), time as f64 / 1e9);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_stage_comes_first() {
        let text = to_text(&[1_000_000_000, 0, 3_000_000_000, 0]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].contains("store") && lines[2].ends_with("3.000 s  75.0 %"), "{text}");
        assert!(lines[3].contains("successors") && lines[3].ends_with("1.000 s  25.0 %"), "{text}");
    }

    #[test]
    fn the_clock_never_goes_back() {
        let first = nanoseconds();
        assert!(nanoseconds() >= first);
    }
}
