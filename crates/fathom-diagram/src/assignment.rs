//! What makes a diagram true: counting, picking one, listing all, and a number for the whole function.
//!
//! These walk over the nodes. A walk takes as many steps as there are nodes, but for the list, which takes as many as
//! it has entries.

// Functions are keys by their nodes; what changes inside of them counts references and is no part of the key.
#![allow(clippy::mutable_key_type)]

use std::hash::Hasher;

use oxidd::bdd::BDDFunction;
use oxidd::util::OptBool;
use oxidd::{BooleanFunction, Function, LevelNo, Manager};
use rustc_hash::{FxHashMap, FxHasher};

use crate::diagram::Diagram;
use crate::diagrams::Variable;

/// Values of variables, by their place in a list of variables.
pub type Assignment = Vec<bool>;

/// The variable that a function asks first; none for a constant.
fn first_variable(function: &BDDFunction) -> Option<Variable> {
    function.with_manager_shared(|manager, edge| match manager.get_node(edge).level() {
        LevelNo::MAX => None,
        level => Some(Variable(manager.level_to_var(level))),
    })
}

/// A number between 0 and 1 that may be very small: with more than a thousand variables, a single assignment is.
#[derive(Clone, Copy)]
struct Density {
    /// 0, or at least 1 and below 2.
    mantissa: f64,
    exponent: i64,
}

impl Density {
    /// The number between this and another.
    fn mean(self, other: Density) -> Density {
        let halved = |one: Density| Density { exponent: one.exponent - 1, ..one };
        let (large, small) = match (self.mantissa, other.mantissa) {
            (0.0, _) => return halved(other),
            (_, 0.0) => return halved(self),
            _ if self.exponent < other.exponent => (other, self),
            _ => (self, other),
        };
        let distance = (small.exponent - large.exponent).max(-2000) as f64;
        let sum = large.mantissa + small.mantissa * distance.exp2();
        match sum >= 2.0 {
            true => Density { mantissa: sum / 2.0, exponent: large.exponent },
            false => Density { mantissa: sum, exponent: large.exponent - 1 },
        }
    }
}

impl Density {
    /// The part of the sum of this and another that this one is.
    fn share_beside(self, other: Density) -> f64 {
        if self.mantissa == 0.0 || other.mantissa == 0.0 {
            return f64::from(u8::from(self.mantissa > 0.0));
        }
        let distance = (other.exponent - self.exponent).clamp(-2000, 2000) as f64;
        1.0 / (1.0 + other.mantissa / self.mantissa * distance.exp2())
    }
}

/// The part of all assignments that make a function true.
fn density_of(function: &BDDFunction, known: &mut FxHashMap<BDDFunction, Density>) -> Density {
    let Some((high, low)) = function.cofactors() else {
        return Density { mantissa: f64::from(u8::from(function.valid())), exponent: 0 };
    };
    if let Some(&density) = known.get(function) {
        return density;
    }
    let density = density_of(&high, known).mean(density_of(&low, known));
    known.insert(function.clone(), density);
    density
}

impl Diagram {
    /// The variable that is asked first, with what is left when it is true and when it is false; none for a constant.
    pub fn split(&self) -> Option<(Variable, Diagram, Diagram)> {
        let node = self.node()?;
        let variable = first_variable(&node.function)?;
        let (high, low) = node.function.cofactors()?;
        Some((variable, node.diagrams.diagram(high), node.diagrams.diagram(low)))
    }

    /// Number of assignments to so many variables that make it true; it must depend on no others. Exact below 2^53.
    pub fn count(&self, n_variables: u32) -> f64 {
        let Density { mantissa, exponent } = self.density();
        if mantissa == 0.0 {
            return 0.0;
        }
        let exponent = exponent + i64::from(n_variables);
        // Two factors, each of which is a number even where the product is not.
        let half = exponent / 2;
        mantissa * (half as f64).exp2() * ((exponent - half) as f64).exp2()
    }

    /// The part of all assignments that make it true.
    fn density(&self) -> Density {
        match self.node() {
            Some(node) => density_of(&node.function, &mut FxHashMap::default()),
            None => Density { mantissa: f64::from(u8::from(self.is_true())), exponent: 0 },
        }
    }

    /// Values of these variables that make it true, given that it depends on no others; none when it is true nowhere.
    /// Where there is a choice, false: the same function always gives the same values.
    pub fn pick(&self, variables: &[Variable]) -> Option<Assignment> {
        let Some(node) = self.node() else {
            return self.is_true().then(|| vec![false; variables.len()]);
        };
        let cube = node.function.pick_cube(|_, _, _| false)?;
        Some(variables.iter().map(|variable| cube[variable.0 as usize] == OptBool::True).collect())
    }

    /// Values of these variables that make it true, given that it depends on no others, at random: every such assignment is as likely as any other. None
    /// when it is true nowhere. `uniform` gives numbers from 0 to 1, without 1.
    pub fn pick_uniformly(
        &self,
        variables: &[Variable],
        uniform: &mut dyn FnMut() -> f64,
    ) -> Option<Assignment> {
        if self.is_false() {
            return None;
        }
        let mut known = FxHashMap::default();
        let mut function = self.node().map(|node| node.function.clone());
        let mut places: Vec<usize> = (0..variables.len()).collect();
        places.sort_by_key(|&place| variables[place]);
        let mut values = vec![false; variables.len()];
        for place in places {
            let asked = function.as_ref().filter(|one| first_variable(one) == Some(variables[place]));
            let Some((high, low)) = asked.and_then(BDDFunction::cofactors) else {
                values[place] = uniform() < 0.5;
                continue;
            };
            let share = density_of(&high, &mut known).share_beside(density_of(&low, &mut known));
            values[place] = uniform() < share;
            function = Some(if values[place] { high } else { low });
        }
        Some(values)
    }

    /// Shows every assignment to these variables that makes it true, given that it depends on no others, until told to
    /// stop. Gives whether all were shown.
    pub fn for_each(&self, variables: &[Variable], show: &mut dyn FnMut(&[bool]) -> bool) -> bool {
        let mut places: Vec<usize> = (0..variables.len()).collect();
        places.sort_by_key(|&place| variables[place]);
        let mut values = vec![false; variables.len()];
        list(self, variables, &places, &mut values, show)
    }

    /// A number that equal functions share; others hardly ever do.
    pub fn fingerprint(&self) -> u64 {
        fn walk(function: &BDDFunction, known: &mut FxHashMap<BDDFunction, u64>) -> u64 {
            let Some((high, low)) = function.cofactors() else { return u64::from(function.valid()) + 1 };
            if let Some(&number) = known.get(function) {
                return number;
            }
            let mut hasher = FxHasher::default();
            hasher.write_u32(first_variable(function).map_or(u32::MAX, |variable| variable.0));
            hasher.write_u64(walk(&high, known));
            hasher.write_u64(walk(&low, known));
            known.insert(function.clone(), hasher.finish());
            hasher.finish()
        }
        match self.node() {
            Some(node) => walk(&node.function, &mut FxHashMap::default()),
            None => u64::from(self.is_true()) + 1,
        }
    }

    /// The variables it depends on, in order.
    pub fn support(&self) -> Vec<Variable> {
        fn walk(function: &BDDFunction, known: &mut FxHashMap<BDDFunction, ()>, found: &mut Vec<Variable>) {
            if let Some(variable) = first_variable(function)
                && known.insert(function.clone(), ()).is_none()
                && let Some((high, low)) = function.cofactors()
            {
                found.push(variable);
                walk(&high, known, found);
                walk(&low, known, found);
            }
        }
        let mut found = Vec::new();
        if let Some(node) = self.node() {
            walk(&node.function, &mut FxHashMap::default(), &mut found);
        }
        found.sort();
        found.dedup();
        found
    }
}

/// Gives the variables at the remaining places all values that leave something true.
fn list(
    diagram: &Diagram,
    variables: &[Variable],
    places: &[usize],
    values: &mut [bool],
    show: &mut dyn FnMut(&[bool]) -> bool,
) -> bool {
    if diagram.is_false() {
        return true;
    }
    let Some((&place, rest)) = places.split_first() else { return show(values) };
    let (high, low) = match diagram.split() {
        Some((first, high, low)) if first == variables[place] => (high, low),
        _ => (diagram.clone(), diagram.clone()),
    };
    for (value, next) in [(false, low), (true, high)] {
        values[place] = value;
        if !list(&next, variables, rest, values, show) {
            return false;
        }
    }
    values[place] = false;
    true
}
