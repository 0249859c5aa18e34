//! Finite words as infinite ones that end in a letter of their own.
//!
//! A finite word is followed by letters in which a fresh proposition, *ended*, is true for ever. What a formula says about the finite word is
//! then a formula about the infinite one, so that one kind of automaton serves all. The weak view accepts at the first such letter, the
//! strong view rejects there: that is `abort`, and its dual. The neutral view restricts strong operators to what comes before.

use super::{Psl, PslEnd, Sere};
use crate::{Formula, Formulas};

impl Psl {
    /// A formula that an infinite word in which `ended` is never true satisfies iff it satisfies this one, and that a word
    /// in which `ended` is true from some letter but the first on for ever satisfies iff what comes before satisfies this one with that end.
    ///
    /// With [`PslEnd::Loop`] nothing changes.
    #[must_use]
    pub fn until_ended(&self, formulas: &mut Formulas, end: PslEnd, ended: Formula) -> Psl {
        match end {
            PslEnd::Loop(_) => self.clone(),
            PslEnd::Top => Psl::Abort(Box::new(self.clone()), ended),
            PslEnd::Bottom => Psl::Abort(Box::new(self.clone().negated()), ended).negated(),
            PslEnd::Stop => {
                let goes_on = formulas.not(ended);
                Neutral { formulas, ended, goes_on }.restrict(self)
            }
        }
    }
}

struct Neutral<'f> {
    formulas: &'f mut Formulas,
    ended: Formula,
    /// Not ended.
    goes_on: Formula,
}

impl Neutral<'_> {
    fn restrict(&mut self, psl: &Psl) -> Psl {
        match psl {
            Psl::Boolean(_) | Psl::StrongBoolean(_) => psl.clone(),
            Psl::Not(f) => self.restrict(f).negated(),
            Psl::And(l, r) => self.restrict(l).and(self.restrict(r)),
            Psl::Next(f) => Psl::Next(Box::new(self.before_end(f))),
            Psl::Until(l, r) => {
                let goal = self.before_end(r);
                Psl::Until(Box::new(self.restrict(l)), Box::new(goal))
            }
            Psl::Abort(f, b) => {
                let condition = self.formulas.and(*b, self.goes_on);
                Psl::Abort(Box::new(self.restrict(f)), condition)
            }
            Psl::Strong(r) => Psl::Strong(self.restrict_sere(r)),
            // A word that ends while a match is still possible has not ruled it out.
            Psl::Weak(r) => Psl::Abort(Box::new(Psl::Weak(self.restrict_sere(r))), self.ended),
            Psl::Suffix(r, f) => Psl::Suffix(self.restrict_sere(r), Box::new(self.restrict(f))),
        }
    }

    /// Here, and the word has not ended.
    fn before_end(&mut self, psl: &Psl) -> Psl {
        self.restrict(psl).and(Psl::Boolean(self.goes_on))
    }

    /// The same with letters before the end only.
    fn restrict_sere(&mut self, sere: &Sere) -> Sere {
        let both = |neutral: &mut Self, r: &Sere, s: &Sere| {
            (Box::new(neutral.restrict_sere(r)), Box::new(neutral.restrict_sere(s)))
        };
        match sere {
            Sere::Boolean(b) => Sere::Boolean(self.formulas.and(*b, self.goes_on)),
            Sere::Empty => Sere::Empty,
            Sere::Concat(r, s) => {
                let (r, s) = both(self, r, s);
                Sere::Concat(r, s)
            }
            Sere::Fusion(r, s) => {
                let (r, s) = both(self, r, s);
                Sere::Fusion(r, s)
            }
            Sere::Or(r, s) => {
                let (r, s) = both(self, r, s);
                Sere::Or(r, s)
            }
            Sere::And(r, s) => {
                let (r, s) = both(self, r, s);
                Sere::And(r, s)
            }
            Sere::Star(r) => Sere::Star(Box::new(self.restrict_sere(r))),
        }
    }
}
