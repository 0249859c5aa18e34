//! Boolean functions over numbered variables: the labels on transitions of automata.
//!
//! Reduced ordered decision diagrams without complement edges (Bryant, 1986), each function kept once, so that
//! equality is equality of numbers. Labels have few variables and automata are small: there is no garbage
//! collection and no reordering; a table lives as long as its automaton. [`Guards::cubes`] gives an irredundant sum of
//! products (Minato, 1992; Morreale, 1970), which is what people and other tools read, and what the tableau makes its
//! transitions of.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// Names one function of a table of [`Guards`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(u32);

impl Guard {
    /// Never.
    pub const FALSE: Guard = Guard(0);
    /// Always.
    pub const TRUE: Guard = Guard(1);
}

/// A conjunction of literals: variables with the value that they must have, ascending.
pub type Cube = Vec<(u32, bool)>;

/// A product of variables with the letters that it goes with; see [`Guards::products_above`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// Letters for which it is one of the smallest products.
    pub exact: Guard,
    /// Letters for which it is enough; not all of them if there are very many products.
    pub wide: Guard,
    /// The variables, ascending.
    pub variables: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Decision {
    variable: u32,
    low: Guard,
    high: Guard,
}

/// With more products times parts than this, products are not widened: it would take too long.
const MOST_WIDENED: usize = 500_000;

/// Beyond all variables: the level of the constants.
const TERMINAL: u32 = u32::MAX;

/// A table of Boolean functions.
#[derive(Clone, Debug)]
pub struct Guards {
    nodes: Vec<Decision>,
    known: FxHashMap<Decision, Guard>,
    /// Results of if-then-else.
    results: FxHashMap<(Guard, Guard, Guard), Guard>,
}

impl Default for Guards {
    fn default() -> Guards {
        Guards::new()
    }
}

impl Guards {
    /// A table with the two constants.
    pub fn new() -> Guards {
        let constant = |guard| Decision { variable: TERMINAL, low: guard, high: guard };
        Guards {
            nodes: vec![constant(Guard::FALSE), constant(Guard::TRUE)],
            known: FxHashMap::default(),
            results: FxHashMap::default(),
        }
    }

    /// How many nodes the table has, as a measure of effort.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    fn decision(&self, guard: Guard) -> Decision {
        self.nodes[guard.0 as usize]
    }

    /// The top variable of a function that is not constant, and the function when it is false and when it is true.
    pub(crate) fn parts(&self, guard: Guard) -> (u32, Guard, Guard) {
        let decision = self.decision(guard);
        (decision.variable, decision.low, decision.high)
    }

    fn make(&mut self, variable: u32, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let decision = Decision { variable, low, high };
        *self.known.entry(decision).or_insert_with(|| {
            self.nodes.push(decision);
            Guard(self.nodes.len() as u32 - 1)
        })
    }

    /// The function that is the variable.
    pub fn variable(&mut self, variable: u32) -> Guard {
        self.make(variable, Guard::FALSE, Guard::TRUE)
    }

    /// The function that is the variable or its negation.
    pub fn literal(&mut self, variable: u32, value: bool) -> Guard {
        if value {
            self.make(variable, Guard::FALSE, Guard::TRUE)
        } else {
            self.make(variable, Guard::TRUE, Guard::FALSE)
        }
    }

    /// The conjunction of the literals of a cube.
    pub fn cube(&mut self, cube: &[(u32, bool)]) -> Guard {
        cube.iter().fold(Guard::TRUE, |guard, &(variable, value)| {
            let literal = self.literal(variable, value);
            self.and(guard, literal)
        })
    }

    /// If, then, else.
    pub fn choose(&mut self, condition: Guard, yes: Guard, no: Guard) -> Guard {
        if condition == Guard::TRUE || yes == no {
            return yes;
        }
        if condition == Guard::FALSE {
            return no;
        }
        if yes == Guard::TRUE && no == Guard::FALSE {
            return condition;
        }
        let key = (condition, yes, no);
        if let Some(&result) = self.results.get(&key) {
            return result;
        }
        let variable = [condition, yes, no].map(|part| self.decision(part).variable).into_iter().min();
        let variable = variable.unwrap_or(TERMINAL);
        let [c0, y0, n0] = [condition, yes, no].map(|part| self.branch(part, variable, false));
        let [c1, y1, n1] = [condition, yes, no].map(|part| self.branch(part, variable, true));
        let low = self.choose(c0, y0, n0);
        let high = self.choose(c1, y1, n1);
        let result = self.make(variable, low, high);
        self.results.insert(key, result);
        result
    }

    /// The function when a variable that is at or above its top has this value.
    fn branch(&self, guard: Guard, variable: u32, value: bool) -> Guard {
        let decision = self.decision(guard);
        if decision.variable != variable {
            guard
        } else if value {
            decision.high
        } else {
            decision.low
        }
    }

    /// Both.
    pub fn and(&mut self, left: Guard, right: Guard) -> Guard {
        let (left, right) = (left.min(right), left.max(right));
        self.choose(left, right, Guard::FALSE)
    }

    /// One or both.
    pub fn or(&mut self, left: Guard, right: Guard) -> Guard {
        let (left, right) = (left.min(right), left.max(right));
        self.choose(left, Guard::TRUE, right)
    }

    /// Not.
    pub fn not(&mut self, guard: Guard) -> Guard {
        self.choose(guard, Guard::FALSE, Guard::TRUE)
    }

    /// The first without the second.
    pub fn minus(&mut self, left: Guard, right: Guard) -> Guard {
        self.choose(right, Guard::FALSE, left)
    }

    /// Whether the first is true only where the second is.
    pub fn implies(&mut self, left: Guard, right: Guard) -> bool {
        left == right || self.minus(left, right) == Guard::FALSE
    }

    /// Whether both can be true.
    pub fn intersects(&mut self, left: Guard, right: Guard) -> bool {
        self.and(left, right) != Guard::FALSE
    }

    /// The value under an assignment of the variables.
    pub fn holds(&self, guard: Guard, value: impl Fn(u32) -> bool) -> bool {
        let mut guard = guard;
        while guard > Guard::TRUE {
            let decision = self.decision(guard);
            guard = if value(decision.variable) { decision.high } else { decision.low };
        }
        guard == Guard::TRUE
    }

    /// One assignment that makes it true, as a cube; none for the function that is false.
    pub fn witness(&self, guard: Guard) -> Option<Cube> {
        let mut cube = Cube::new();
        let mut guard = guard;
        while guard > Guard::TRUE {
            let decision = self.decision(guard);
            let value = decision.low == Guard::FALSE;
            cube.push((decision.variable, value));
            guard = if value { decision.high } else { decision.low };
        }
        (guard == Guard::TRUE).then_some(cube)
    }

    /// The variables it depends on, ascending.
    pub fn support(&self, guard: Guard) -> Vec<u32> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![guard];
        let mut variables = Vec::new();
        while let Some(guard) = stack.pop() {
            if guard > Guard::TRUE && seen.insert(guard) {
                let decision = self.decision(guard);
                variables.push(decision.variable);
                stack.extend([decision.low, decision.high]);
            }
        }
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Splits a function at a bound on its variables: pairs of a function of the variables below the bound and
    /// what remains under it. The first parts are disjoint; the pairs with remainder false are left out.
    ///
    /// None if there are more than `most` pairs.
    pub fn split_at(&mut self, guard: Guard, bound: u32, most: usize) -> Option<Vec<(Guard, Guard)>> {
        // Under which letters a path reaches each node, filled from the top, variable by variable.
        let mut reached: BTreeMap<(u32, Guard), Guard> = BTreeMap::new();
        let mut parts: Vec<(Guard, Guard)> = Vec::new();
        reached.insert((self.decision(guard).variable, guard), Guard::TRUE);
        while let Some(((variable, node), letters)) = reached.pop_first() {
            if node == Guard::FALSE {
                continue;
            }
            if variable >= bound {
                parts.push((letters, node));
                continue;
            }
            if reached.len() + parts.len() > most {
                return None;
            }
            let decision = self.decision(node);
            for (value, rest) in [(false, decision.low), (true, decision.high)] {
                let literal = self.literal(variable, value);
                let here = self.and(letters, literal);
                let known = reached.entry((self.decision(rest).variable, rest)).or_insert(Guard::FALSE);
                let before = *known;
                *known = self.or(before, here);
            }
        }
        Some(parts)
    }

    /// The products of a function that is monotone in the variables from a bound on: each with the letters for which no
    /// smaller product will do, and the letters for which it will do. None if there are more than `most`.
    pub fn products_above(&mut self, guard: Guard, bound: u32, most: usize) -> Option<Vec<Product>> {
        let parts = self.split_at(guard, bound, most)?;
        let mut products: Vec<Product> = Vec::new();
        let mut known: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        for &(letters, rest) in &parts {
            for cube in self.cubes(rest) {
                let variables: Vec<u32> = cube.into_iter().map(|(variable, _)| variable).collect();
                match known.get(&variables) {
                    Some(&at) => products[at].exact = self.or(products[at].exact, letters),
                    None => {
                        known.insert(variables.clone(), products.len());
                        products.push(Product { exact: letters, wide: Guard::FALSE, variables });
                    }
                }
            }
            if products.len() > most {
                return None;
            }
        }
        if products.len() * parts.len() > MOST_WIDENED {
            products.iter_mut().for_each(|product| product.wide = product.exact);
            return Some(products);
        }
        for product in &mut products {
            for &(letters, rest) in &parts {
                if self.holds(rest, |variable| product.variables.contains(&variable)) {
                    product.wide = self.or(product.wide, letters);
                }
            }
        }
        Some(products)
    }

    /// An irredundant sum of products: no cube and no literal can be left out.
    ///
    /// A variable in which the function is monotone occurs with one value only.
    pub fn cubes(&mut self, guard: Guard) -> Vec<Cube> {
        let mut memo = FxHashMap::default();
        let mut cubes = self.cover(guard, guard, &mut memo).0;
        for cube in &mut cubes {
            cube.reverse();
        }
        cubes
    }

    /// Cubes that cover `least` and stay within `most`, with the function that they are; literals descending.
    fn cover(
        &mut self,
        least: Guard,
        most: Guard,
        memo: &mut FxHashMap<(Guard, Guard), (Vec<Cube>, Guard)>,
    ) -> (Vec<Cube>, Guard) {
        if least == Guard::FALSE {
            return (Vec::new(), Guard::FALSE);
        }
        if most == Guard::TRUE {
            return (vec![Cube::new()], Guard::TRUE);
        }
        if let Some(result) = memo.get(&(least, most)) {
            return result.clone();
        }
        let variable = self.decision(least).variable.min(self.decision(most).variable);
        let [l0, l1] = [false, true].map(|value| self.branch(least, variable, value));
        let [m0, m1] = [false, true].map(|value| self.branch(most, variable, value));
        let only_low = self.minus(l0, m1);
        let only_high = self.minus(l1, m0);
        let (low_cubes, low) = self.cover(only_low, m0, memo);
        let (high_cubes, high) = self.cover(only_high, m1, memo);
        let rest_low = self.minus(l0, low);
        let rest_high = self.minus(l1, high);
        let rest = self.or(rest_low, rest_high);
        let both = self.and(m0, m1);
        let (rest_cubes, free) = self.cover(rest, both, memo);
        let mut cubes = Vec::with_capacity(low_cubes.len() + high_cubes.len() + rest_cubes.len());
        for (value, part) in [(false, low_cubes), (true, high_cubes)] {
            cubes.extend(part.into_iter().map(|mut cube| {
                cube.push((variable, value));
                cube
            }));
        }
        cubes.extend(rest_cubes);
        let branches = self.make(variable, low, high);
        let result = (cubes, self.or(branches, free));
        memo.insert((least, most), result.clone());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function of three variables with this truth table.
    fn function(guards: &mut Guards, table: u32) -> Guard {
        (0..8u32).filter(|row| table >> row & 1 == 1).fold(Guard::FALSE, |sum, row| {
            let cube: Cube = (0..3).map(|variable| (variable, row >> variable & 1 == 1)).collect();
            let cube = guards.cube(&cube);
            guards.or(sum, cube)
        })
    }

    #[test]
    fn every_function_of_three_variables_is_kept_once_and_has_irredundant_cubes() {
        let mut guards = Guards::new();
        for table in 0..256u32 {
            let guard = function(&mut guards, table);
            assert_eq!(guard, function(&mut guards, table));
            for row in 0..8u32 {
                assert_eq!(guards.holds(guard, |variable| row >> variable & 1 == 1), table >> row & 1 == 1);
            }
            let cubes = guards.cubes(guard);
            let parts: Vec<Guard> = cubes.iter().map(|cube| guards.cube(cube)).collect();
            let sum = parts.iter().fold(Guard::FALSE, |sum, &part| guards.or(sum, part));
            assert_eq!(sum, guard);
            for (at, &part) in parts.iter().enumerate() {
                let others = parts.iter().enumerate().filter(|&(other, _)| other != at);
                let others = others.fold(Guard::FALSE, |sum, (_, &part)| guards.or(sum, part));
                assert!(!guards.implies(part, others), "cube {at} of {table} is needed");
            }
            let negation = guards.not(guard);
            assert_eq!(negation, function(&mut guards, 255 - table));
            assert_eq!(guards.witness(guard).is_none(), table == 0);
        }
    }

    #[test]
    fn splitting_gives_disjoint_parts_that_sum_up() {
        let mut guards = Guards::new();
        for table in 0..256u32 {
            let guard = function(&mut guards, table);
            let parts = guards.split_at(guard, 2, 100).expect("few parts");
            let mut sum = Guard::FALSE;
            for (at, &(here, rest)) in parts.iter().enumerate() {
                for &(other, _) in &parts[..at] {
                    assert!(!guards.intersects(here, other));
                }
                let part = guards.and(here, rest);
                sum = guards.or(sum, part);
            }
            assert_eq!(sum, guard);
        }
    }
}
