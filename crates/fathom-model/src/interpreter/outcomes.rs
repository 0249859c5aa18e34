//! The outcomes of an effect that chooses values, one after the other.
//!
//! An effect is run again for each outcome, from its start, with the values it chooses told beforehand: the last choice that has another
//! value takes it, and those after it start again. So outcomes come in a fixed order, and whoever runs effects needs no stack.

/// Which values the effect under way chooses.
#[derive(Clone, Default, Debug)]
pub(crate) struct Outcomes {
    /// By choice: which value it takes, and how many it has.
    chosen: Vec<(u64, u64)>,
    /// The next choice.
    next: usize,
    /// Outcomes before this one.
    number: u32,
}

impl Outcomes {
    /// The first outcome of an effect comes next.
    pub fn start(&mut self) {
        self.chosen.clear();
        self.next = 0;
        self.number = 0;
    }

    /// The number of the outcome under way.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Which of so many values the effect chooses now.
    pub fn choose(&mut self, n_values: u64) -> u64 {
        if self.next == self.chosen.len() {
            self.chosen.push((0, n_values));
        }
        self.next += 1;
        self.chosen[self.next - 1].0
    }

    /// The next outcome comes next; false when there is none.
    pub fn advance(&mut self) -> bool {
        while let Some((value, n_values)) = self.chosen.last_mut() {
            *value += 1;
            if *value < *n_values {
                self.next = 0;
                self.number += 1;
                return true;
            }
            self.chosen.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_comes_once_and_choices_may_depend_on_those_before() {
        let mut outcomes = Outcomes::default();
        outcomes.start();
        let mut seen = Vec::new();
        loop {
            let first = outcomes.choose(3);
            let second = if first == 1 { Some(outcomes.choose(2)) } else { None };
            seen.push((outcomes.number(), first, second));
            if !outcomes.advance() {
                break;
            }
        }
        assert_eq!(seen, [(0, 0, None), (1, 1, Some(0)), (2, 1, Some(1)), (3, 2, None)]);
    }
}
