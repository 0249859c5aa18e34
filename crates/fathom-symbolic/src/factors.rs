//! Which factors had better be known.
//!
//! The product of two unknown numbers has no small diagram, whatever the order of variables (Bryant, "On the Complexity of VLSI Implementations and Graph
//! Representations of Boolean Functions", 1991); neither has a quotient, nor a shift by an unknown distance. With one side known, each is a sum of shifted
//! copies of the other. So where both sides are wide data, a factor that is narrow and does not change, or changes only as the explicit side decides, belongs to the explicit side:
//! there are then as many explicit parts as it has values, each with small diagrams, instead of one with a large one. This is what da Costa (2005) does by hand with
//! his calculator: "the size of the value range actually assumed" decides.
//!
//! The choice is greedy: first the factor that settles most products, of those the one that takes the fewest values.

use fathom_model::{Action, BinaryOp, Expr, Initializer, Model};

use crate::order::{Groups, Thing};
use crate::partition::scalars_of;

/// Most bits of values at the start that factors may add to the explicit side, all together.
const MOST_BITS: u32 = 12;

/// The factors that had better be explicit.
pub(crate) struct Factors<'g, 'm> {
    groups: &'g Groups<'m>,
    model: &'m Model,
    /// What the two sides of each product read.
    products: Vec<(Vec<usize>, Vec<usize>)>,
    /// By thing: what is assigned to it while the model runs, itself not counted.
    sources: Vec<Vec<usize>>,
    /// By thing: whether some step chooses it, or computes it from itself.
    changes: Vec<bool>,
    /// By thing: whether it may be anything at the start.
    is_open: Vec<bool>,
}

impl<'g, 'm> Factors<'g, 'm> {
    /// Looks at everything that a model does.
    pub fn new(model: &'m Model, groups: &'g Groups<'m>) -> Factors<'g, 'm> {
        let n_things = groups.things().len();
        let mut factors = Factors {
            groups,
            model,
            products: Vec::new(),
            sources: vec![Vec::new(); n_things],
            changes: vec![false; n_things],
            is_open: vec![false; n_things],
        };
        for (template, declared) in model.templates.iter().enumerate() {
            for edge in &declared.edges {
                for action in &edge.effect {
                    factors.look_at(template, action);
                }
            }
            for initializer in &declared.locals.initializers {
                if let Initializer::Value { value, .. } = initializer {
                    factors.find_products(template, value);
                }
            }
        }
        for action in &model.initial_effect {
            if let Action::Choose { place, .. } = action
                && let Some(target) = groups.thing(0, place)
            {
                factors.is_open[target] = true;
            }
        }
        factors
    }

    fn look_at(&mut self, template: usize, action: &Action) {
        match action {
            Action::Assign(place, value) => {
                self.find_products(template, value);
                if let Some(target) = self.groups.thing(template, place) {
                    let mut found = Vec::new();
                    self.groups.loads(template, value, &mut found);
                    self.changes[target] |= found.contains(&target) && !matches!(value, Expr::Load(_));
                    found.retain(|&source| source != target);
                    self.sources[target].append(&mut found);
                }
            }
            Action::Choose { place, .. } => {
                if let Some(target) = self.groups.thing(template, place) {
                    self.changes[target] = true;
                }
            }
            Action::Require(condition) | Action::Assert(condition) => {
                self.find_products(template, condition);
            }
            _ => {}
        }
    }

    fn find_products(&mut self, template: usize, expr: &Expr) {
        match expr {
            Expr::Binary(op, left, right) => {
                self.find_products(template, left);
                self.find_products(template, right);
                let is_product = matches!(
                    op,
                    BinaryOp::Multiply
                        | BinaryOp::Divide
                        | BinaryOp::Remainder
                        | BinaryOp::ShiftLeft
                        | BinaryOp::ShiftRight
                );
                if is_product {
                    let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
                    self.groups.loads(template, left, &mut of_left);
                    self.groups.loads(template, right, &mut of_right);
                    self.products.push((of_left, of_right));
                }
            }
            Expr::Unary(_, operand) => self.find_products(template, operand),
            Expr::Conditional(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    self.find_products(template, part);
                }
            }
            _ => {}
        }
    }

    /// Bits of values that a thing may have at the start.
    fn open_bits(&self, thing: usize) -> u32 {
        let mut bits = 0;
        if let Thing::Global(number) = self.groups.things()[thing]
            && self.is_open[thing]
        {
            let ty = &self.model.globals.variables[number].ty;
            scalars_of(self.model, ty, 0, &mut |_, n_bits, _| bits += n_bits);
        }
        bits
    }

    /// The things to make explicit when those of which a function says so are explicit already.
    pub fn choose(&self, is_explicit: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        let mut bits = 0;
        loop {
            let unknown = |things: &[usize]| -> Vec<usize> {
                let mut unknown: Vec<usize> = things
                    .iter()
                    .copied()
                    .filter(|&thing| !is_explicit(thing) && !chosen.contains(&thing))
                    .collect();
                unknown.sort_unstable();
                unknown.dedup();
                unknown
            };
            let mut settled = vec![0usize; self.groups.things().len()];
            for (left, right) in &self.products {
                let (left, right) = (unknown(left), unknown(right));
                if left.is_empty() || right.is_empty() {
                    continue;
                }
                // A square has one factor on both sides: knowing it settles the product all the same.
                let mut alone: Vec<usize> =
                    [&left, &right].iter().filter(|side| side.len() == 1).map(|side| side[0]).collect();
                alone.dedup();
                alone.iter().for_each(|&factor| settled[factor] += 1);
            }
            let known = |&source: &usize| is_explicit(source) || chosen.contains(&source);
            let best = (0..settled.len())
                .filter(|&factor| settled[factor] > 0 && !self.changes[factor])
                .filter(|&factor| self.sources[factor].iter().all(known))
                .filter(|&factor| bits + self.open_bits(factor) <= MOST_BITS)
                .max_by_key(|&factor| (settled[factor], std::cmp::Reverse((self.open_bits(factor), factor))));
            let Some(best) = best else { return chosen };
            bits += self.open_bits(best);
            chosen.push(best);
        }
    }
}
