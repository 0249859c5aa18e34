//! Three dining philosophers in one word, as in Ernits (2007), table 4.1.

use fathom_model::{NoRegion, Steps, System};

use super::GOAL;

/// Three dining philosophers in the word of the source: from the most significant bit, philosopher 1 (two bits),
/// the fork between 1 and 2, philosopher 2, the fork between 2 and 3, philosopher 3, the fork between 3 and 1. The
/// steps are in the order that gives the published numbers: by action, and then philosophers 1, 3, 2.
#[derive(Clone, Copy, Debug)]
pub struct Philosophers;

impl Philosophers {
    /// The numbers that the source gives to the words.
    pub const NUMBERED: [u16; 26] = [
        0, 129, 10, 80, 13, 139, 90, 7, 93, 219, 87, 321, 209, 448, 331, 458, 461, 455, 233, 104, 56, 185,
        111, 63, 377, 504,
    ];

    fn steps(word: u16) -> Vec<u16> {
        // By philosopher: the place of the two bits, of the left fork, of the right fork.
        let places = [(7, 0, 6), (4, 6, 3), (1, 3, 0)];
        let mut steps = Vec::new();
        for action in 0..4 {
            for philosopher in [0, 2, 1] {
                let (at, left, right): (u16, u16, u16) = places[philosopher];
                let fork = if action == 0 || action == 2 { left } else { right };
                let takes = action < 2;
                if word >> at & 3 == action && (word >> fork & 1 == 0) == takes {
                    let moved = word & !(3 << at) | ((action + 1) % 4) << at;
                    steps.push(moved ^ 1 << fork);
                }
            }
        }
        steps
    }
}

impl System for Philosophers {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        out.push(&[0, 0], NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        let steps = Philosophers::steps(u16::from_le_bytes([state[0], state[1]]));
        if steps.is_empty() {
            out.find(GOAL, None, &[]);
        }
        for step in steps {
            out.push(&step.to_le_bytes(), NoRegion, &[]);
        }
    }
}
