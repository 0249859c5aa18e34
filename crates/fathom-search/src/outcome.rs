//! What a search has seen, and the answers that follow from it.

use fathom_model::{Answer, PropertyId, Question, Statistics, Stop, Trace, Trust, Verdict};

use crate::stopwatch::Profile;

/// What a search has seen.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The first evidence about each property asked, in the order of the options.
    pub evidence: Vec<(PropertyId, Option<Trace>)>,
    /// Why the search ended. [`Stop::Depth`]: nothing was left to explore within the bound, and something
    /// was left beyond it.
    pub stop: Stop,
    /// Whether the bound on depth cut something off, whatever ended the search.
    pub depth_cut: bool,
    /// How far the store can be trusted.
    pub trust: Trust,
    /// With a lossy store: how many states were probably taken for others and so missed, with all that can
    /// be reached only through them left out of account.
    pub expected_omissions: f64,
    /// Where the time went, if there was a clock.
    pub profile: Option<Profile>,
    /// What it cost; the time is left to the caller.
    pub statistics: Statistics,
}

/// What evidence about a property says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The property is violated.
    Violation,
    /// The property holds: it asks whether something can be reached.
    Witness,
}

impl Meaning {
    /// What evidence says about a question.
    pub fn of(question: &Question) -> Meaning {
        match question {
            Question::Reach(_) => Meaning::Witness,
            _ => Meaning::Violation,
        }
    }
}

/// The answers that follow from what a search has seen, one for each property asked.
///
/// Evidence decides, whatever else was seen. Without evidence, only a search that has explored everything
/// decides; a search that ended early leaves the property inconclusive, for the reason it ended.
pub fn verdicts(outcome: &Outcome, meaning: impl Fn(PropertyId) -> Meaning) -> Vec<Verdict> {
    let verdict = |(property, trace): &(PropertyId, Option<Trace>)| {
        let property = *property;
        let (with_evidence, without) = match meaning(property) {
            Meaning::Violation => (Answer::Violated, Answer::Holds),
            Meaning::Witness => (Answer::Holds, Answer::Violated),
        };
        let (answer, trust, stop) = match (trace, outcome.stop) {
            // A trace can be replayed: it is to be trusted however it was found.
            (Some(_), _) => (with_evidence, Trust::Complete, Stop::Found),
            (None, Stop::Exhausted) if !outcome.depth_cut => (without, outcome.trust, Stop::Exhausted),
            (None, Stop::Exhausted) => (Answer::Inconclusive, Trust::Sampled, Stop::Depth),
            (None, stop) => (Answer::Inconclusive, Trust::Sampled, stop),
        };
        Verdict { property, answer, trust, stop, trace: trace.clone() }
    };
    outcome.evidence.iter().map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_model::Evidence;

    fn check(has_evidence: bool, stop: Stop, meaning: Meaning, expected: (Answer, Trust, Stop)) {
        let trace = Trace { initial: 0, choices: vec![], evidence: Evidence::State, loop_at: None };
        let outcome = Outcome {
            evidence: vec![(PropertyId(3), has_evidence.then_some(trace))],
            stop,
            depth_cut: stop == Stop::Depth,
            trust: Trust::Lossy,
            expected_omissions: 0.5,
            profile: None,
            statistics: Statistics::default(),
        };
        let verdicts = verdicts(&outcome, |_| meaning);
        assert_eq!(verdicts.len(), 1);
        let verdict = &verdicts[0];
        assert_eq!(verdict.property, PropertyId(3));
        assert_eq!((verdict.answer, verdict.trust, verdict.stop), expected);
        assert_eq!(verdict.trace.is_some(), has_evidence);
    }

    #[test]
    fn evidence_decides_even_when_a_limit_ended_the_search() {
        check(true, Stop::Memory, Meaning::Violation, (Answer::Violated, Trust::Complete, Stop::Found));
        check(true, Stop::Depth, Meaning::Witness, (Answer::Holds, Trust::Complete, Stop::Found));
    }

    #[test]
    fn exhaustion_decides_without_evidence_as_far_as_the_store_is_trusted() {
        check(false, Stop::Exhausted, Meaning::Violation, (Answer::Holds, Trust::Lossy, Stop::Exhausted));
        check(false, Stop::Exhausted, Meaning::Witness, (Answer::Violated, Trust::Lossy, Stop::Exhausted));
    }

    #[test]
    fn an_early_end_without_evidence_is_inconclusive() {
        for stop in [Stop::Found, Stop::States, Stop::Depth, Stop::Time, Stop::Memory, Stop::Cancelled] {
            check(false, stop, Meaning::Violation, (Answer::Inconclusive, Trust::Sampled, stop));
            check(false, stop, Meaning::Witness, (Answer::Inconclusive, Trust::Sampled, stop));
        }
    }
}
