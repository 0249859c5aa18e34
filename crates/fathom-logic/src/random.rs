//! Random formulas for tests.

use crate::{Formula, Formulas, PropositionId};

/// A seeded stream of numbers (Steele, Lea, Flood, 2014).
#[derive(Clone, Debug)]
pub struct Seed(pub u64);

impl Seed {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 16) as usize % bound
    }
}

/// A stream of formulas.
#[derive(Clone, Debug)]
pub struct RandomFormulas {
    seed: Seed,
    n_propositions: usize,
}

impl RandomFormulas {
    /// Formulas over the first propositions.
    pub fn new(seed: Seed, n_propositions: usize) -> RandomFormulas {
        RandomFormulas { seed, n_propositions }
    }

    /// A formula of about this many nodes.
    pub fn formula(&mut self, formulas: &mut Formulas, size: usize) -> Formula {
        if size <= 1 {
            let choice = self.seed.below(self.n_propositions * 4 + 1);
            return match choice.checked_sub(1) {
                None => formulas.constant(self.seed.below(2) == 0),
                Some(choice) => formulas.proposition(PropositionId::new(choice % self.n_propositions)),
            };
        }
        let operator = self.seed.below(if size == 2 { 4 } else { 13 });
        if operator < 4 {
            let operand = self.formula(formulas, size - 1);
            return match operator {
                0 => formulas.not(operand),
                1 => formulas.next(operand),
                2 => formulas.eventually(operand),
                _ => formulas.always(operand),
            };
        }
        let split = 1 + self.seed.below(size - 2);
        let left = self.formula(formulas, split);
        let right = self.formula(formulas, size - 1 - split);
        match operator {
            4 | 5 => formulas.and(left, right),
            6 | 7 => formulas.or(left, right),
            8 => formulas.until(left, right),
            9 => formulas.weak_until(left, right),
            10 => formulas.release(left, right),
            11 => formulas.strong_release(left, right),
            _ if self.seed.below(2) == 0 => formulas.implies(left, right),
            _ => formulas.equivalent(left, right),
        }
    }
}
