//! What the shape of a formula says about its language.
//!
//! *Eventual* formulas are not hurt by putting letters in front of a word, *universal* ones not by taking letters away;
//! what is both is *suspendable*: it can be looked at as late as one likes (Etessami and Holzmann, CONCUR 2000;
//! Babiak, Křetínský, Řehák and Strejček, TACAS 2012). *Safety*, *guarantee* and *obligation* are the lower classes of the
//! hierarchy of Manna and Pnueli (PODC 1990). The shape decides in one direction only: a formula may be in a
//! class without showing it.

use rustc_hash::FxHashMap;

use crate::{Formula, Formulas, Node};

/// Facts that follow from the shape of a formula in negation normal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// About the first state only.
    pub is_boolean: bool,
    /// If it holds of a word, it holds of the word with any letters in front.
    pub is_eventual: bool,
    /// If it holds of a word, it holds of every suffix.
    pub is_universal: bool,
    /// Violated by a finite prefix if at all.
    pub is_safety: bool,
    /// Satisfied by a finite prefix if at all.
    pub is_guarantee: bool,
    /// A Boolean combination of safety and guarantee.
    pub is_obligation: bool,
}

impl Shape {
    /// Both eventual and universal: true of all suffixes of a word or of none.
    pub fn is_suspendable(self) -> bool {
        self.is_eventual && self.is_universal
    }
}

/// Shapes of the formulas of one table, which must be in negation normal form.
#[derive(Clone, Default, Debug)]
pub struct Shapes {
    known: FxHashMap<Formula, Shape>,
}

impl Shapes {
    /// The shape of a formula.
    pub fn of(&mut self, formulas: &Formulas, formula: Formula) -> Shape {
        if let Some(&shape) = self.known.get(&formula) {
            return shape;
        }
        let shapes: Vec<Shape> =
            formulas.operands(formula).into_iter().map(|operand| self.of(formulas, operand)).collect();
        let shape = combine(formulas.node(formula), &shapes);
        self.known.insert(formula, shape);
        shape
    }
}

fn combine(node: &Node, of: &[Shape]) -> Shape {
    let all = |fact: fn(&Shape) -> bool| of.iter().all(fact);
    let constant = matches!(node, Node::True | Node::False);
    let last = of.last();
    let last_is = |fact: fn(&Shape) -> bool| last.is_some_and(fact);
    let temporal = !matches!(node, Node::True | Node::False | Node::Proposition(_))
        && !matches!(node, Node::Not(_) | Node::And(_) | Node::Or(_));
    let eventual = all(|shape| shape.is_eventual);
    let universal = all(|shape| shape.is_universal);
    let (safety, guarantee) = (all(|shape| shape.is_safety), all(|shape| shape.is_guarantee));
    let obligation = all(|shape| shape.is_obligation);
    let (is_eventual, is_universal) = match node {
        Node::True | Node::False => (true, true),
        Node::Proposition(_) | Node::Not(_) => (false, false),
        Node::And(_) | Node::Or(_) | Node::Next(_) => (eventual, universal),
        Node::Eventually(_) => (true, universal),
        Node::Always(_) => (eventual, true),
        Node::Until(..) => (last_is(|shape| shape.is_eventual), universal),
        Node::Release(..) => (eventual, last_is(|shape| shape.is_universal)),
        Node::WeakUntil(..) | Node::StrongRelease(..) => (eventual, universal),
        Node::Implies(..) | Node::Equivalent(..) => (false, false),
    };
    let (is_safety, is_guarantee, is_obligation) = match node {
        Node::True | Node::False | Node::Proposition(_) | Node::Not(_) => (true, true, true),
        Node::And(_) | Node::Or(_) | Node::Next(_) => (safety, guarantee, obligation),
        Node::Eventually(_) => (false, guarantee, guarantee),
        Node::Always(_) => (safety, false, safety),
        // Obligations are closed under until and release only in these combinations (Černá and Pelánek, MFCS 2003).
        Node::Until(..) => (false, guarantee, of[0].is_obligation && of[1].is_guarantee),
        Node::StrongRelease(..) => (false, guarantee, of[0].is_guarantee && of[1].is_obligation),
        Node::WeakUntil(..) => (safety, false, of[0].is_safety && of[1].is_obligation),
        Node::Release(..) => (safety, false, of[0].is_obligation && of[1].is_safety),
        Node::Implies(..) | Node::Equivalent(..) => (false, false, false),
    };
    Shape {
        is_boolean: !temporal && all(|shape| shape.is_boolean),
        is_eventual: constant || is_eventual,
        is_universal: constant || is_universal,
        is_safety,
        is_guarantee,
        is_obligation: is_obligation || is_safety || is_guarantee,
    }
}
