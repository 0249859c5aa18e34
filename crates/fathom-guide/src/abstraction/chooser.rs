//! Choices that are tried one after the other.
//!
//! Where a step of an abstraction depends on something that is not known, every possibility must be tried. The machine runs as if
//! it had tossed coins, and the tosses are written down; for the next run the last one that has another side is turned round.

/// The choices of one way.
#[derive(Clone, Debug, Default)]
pub(super) struct Chooser {
    script: Vec<(u32, u32)>,
    at: usize,
}

impl Chooser {
    pub(super) fn choose(&mut self, among: usize) -> usize {
        if among <= 1 {
            return 0;
        }
        if self.at == self.script.len() {
            self.script.push((0, among as u32));
        }
        self.at += 1;
        self.script[self.at - 1].0 as usize
    }

    /// Goes on to the next way; false when there is none.
    pub(super) fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, among)) = self.script.last_mut() {
            if *choice + 1 < *among {
                *choice += 1;
                return true;
            }
            self.script.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_choices_comes_once() {
        let mut chooser = Chooser::default();
        let mut seen = Vec::new();
        loop {
            let first = chooser.choose(2);
            // What is asked next may depend on what was chosen.
            seen.push((first, if first == 0 { chooser.choose(3) } else { chooser.choose(1) }));
            if !chooser.advance() {
                break;
            }
        }
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 0)]);
    }
}
