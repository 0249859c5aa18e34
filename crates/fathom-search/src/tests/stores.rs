//! The same search with every store.

use fathom_model::{Answer, Trust};
use proptest::prelude::*;

use super::random_graphs::{everything, graphs};
use super::{ENGINES, replayed};
use crate::{Meaning, Options, StoreKind, verdicts};

/// Large enough that nothing is missed on small graphs.
const ROOMY: [StoreKind; 3] = [
    StoreKind::Plain,
    StoreKind::Compact { bits: 61 },
    StoreKind::Bitstate { bits: 5_000_011, hashes: 3, seed: 5 },
];

proptest! {
    #[test]
    fn stores_with_enough_room_see_what_the_default_one_sees(graph in graphs()) {
        for engine in ENGINES {
            let expected = engine.run(&graph, &everything(&graph));
            for store in ROOMY {
                let outcome = engine.run(&graph, &Options { store, ..everything(&graph) });
                prop_assert_eq!(&outcome.evidence, &expected.evidence, "{:?} {:?}", engine, store);
                prop_assert_eq!(outcome.stop, expected.stop);
                let (one, other) = (outcome.statistics, expected.statistics);
                prop_assert_eq!(
                    (one.states, one.transitions, one.matched, one.max_depth),
                    (other.states, other.transitions, other.matched, other.max_depth)
                );
                let is_lossy = store != StoreKind::Plain;
                prop_assert_eq!(outcome.trust == Trust::Lossy, is_lossy);
                prop_assert!(outcome.expected_omissions < 0.01);
            }
        }
    }

    #[test]
    fn lossy_stores_may_miss_states_but_never_invent_evidence(graph in graphs()) {
        for engine in ENGINES {
            let expected = engine.run(&graph, &everything(&graph));
            for store in [StoreKind::Compact { bits: 8 }, StoreKind::Bitstate { bits: 64, hashes: 2, seed: 1 }] {
                let outcome = engine.run(&graph, &Options { store, ..everything(&graph) });
                prop_assert!(outcome.statistics.states <= expected.statistics.states);
                prop_assert!(replayed(&graph, &outcome).count() <= outcome.evidence.len());
                for verdict in verdicts(&outcome, |_| Meaning::Violation) {
                    prop_assert_eq!(verdict.trust == Trust::Lossy, verdict.answer == Answer::Holds);
                }
            }
        }
    }
}
