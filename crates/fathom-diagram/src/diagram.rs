//! One Boolean function, and what can be done with it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use oxidd::bdd::BDDFunction;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Subst};

use crate::diagrams::{Diagrams, NoRoom, Variable};

/// A Boolean function. Diagrams of one [`Diagrams`] are equal exactly when the functions are; those of two must not meet.
#[derive(Clone)]
pub struct Diagram {
    pub(crate) function: BDDFunction,
    pub(crate) diagrams: Diagrams,
}

impl PartialEq for Diagram {
    fn eq(&self, other: &Diagram) -> bool {
        self.function == other.function
    }
}

impl Eq for Diagram {}

impl Hash for Diagram {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl fmt::Debug for Diagram {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_true(), self.is_false()) {
            (true, _) => write!(out, "true"),
            (_, true) => write!(out, "false"),
            _ => write!(out, "diagram of {} nodes", self.n_nodes()),
        }
    }
}

/// A set of variables to be quantified away.
#[derive(Clone, Debug)]
pub struct Variables {
    /// True where all of them are.
    pub(crate) cube: Diagram,
}

/// Functions that take the place of variables, all at once. Made once, it is cheaper to apply again.
#[derive(Clone)]
pub struct Substitution {
    inner: Arc<Subst<BDDFunction>>,
    is_empty: bool,
}

impl fmt::Debug for Substitution {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Substitution").finish_non_exhaustive()
    }
}

impl Substitution {
    pub(crate) fn new(pairs: &[(Variable, Diagram)]) -> Substitution {
        let variables: Vec<u32> = pairs.iter().map(|(variable, _)| variable.0).collect();
        let functions: Vec<BDDFunction> = pairs.iter().map(|(_, diagram)| diagram.function.clone()).collect();
        Substitution { inner: Arc::new(Subst::new(variables, functions)), is_empty: pairs.is_empty() }
    }
}

impl Diagram {
    /// Where it lives.
    pub fn diagrams(&self) -> &Diagrams {
        &self.diagrams
    }

    /// Whether it is true nowhere.
    pub fn is_false(&self) -> bool {
        self.function == *self.diagrams.constant_function(false)
    }

    /// Whether it is true everywhere.
    pub fn is_true(&self) -> bool {
        self.function == *self.diagrams.constant_function(true)
    }

    /// The value, when it depends on nothing.
    pub fn as_constant(&self) -> Option<bool> {
        match (self.is_true(), self.is_false()) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// True where this is not.
    pub fn not(&self) -> Result<Diagram, NoRoom> {
        match self.as_constant() {
            Some(value) => Ok(self.diagrams.constant(!value)),
            None => self.attempt(|| self.function.not()),
        }
    }

    /// True where both are.
    pub fn and(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        // What a constant makes of an operator is known without the library, which locks, looks up and counts: here and below.
        if self.is_false() || other.is_true() || self == other {
            return Ok(self.clone());
        }
        if other.is_false() || self.is_true() {
            return Ok(other.clone());
        }
        self.attempt(|| self.function.and(&other.function))
    }

    /// True where one is.
    pub fn or(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        if self.is_true() || other.is_false() || self == other {
            return Ok(self.clone());
        }
        if other.is_true() || self.is_false() {
            return Ok(other.clone());
        }
        self.attempt(|| self.function.or(&other.function))
    }

    /// True where exactly one is.
    pub fn xor(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        match (self.as_constant(), other.as_constant()) {
            (Some(false), _) => Ok(other.clone()),
            (_, Some(false)) => Ok(self.clone()),
            (Some(true), _) => other.not(),
            (_, Some(true)) => self.not(),
            _ => self.attempt(|| self.function.xor(&other.function)),
        }
    }

    /// True where both are the same.
    pub fn equivalent(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        match (self.as_constant(), other.as_constant()) {
            (Some(true), _) => Ok(other.clone()),
            (_, Some(true)) => Ok(self.clone()),
            (Some(false), _) => other.not(),
            (_, Some(false)) => self.not(),
            _ => self.attempt(|| self.function.equiv(&other.function)),
        }
    }

    /// True where this is and the other is not.
    pub fn minus(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        if self.is_false() || other.is_false() {
            return Ok(self.clone());
        }
        if self == other || other.is_true() {
            return Ok(self.diagrams.constant(false));
        }
        if self.is_true() {
            return other.not();
        }
        self.attempt(|| other.function.imp_strict(&self.function))
    }

    /// `then` where this is true, `otherwise` elsewhere.
    pub fn ite(&self, then: &Diagram, otherwise: &Diagram) -> Result<Diagram, NoRoom> {
        match self.as_constant() {
            Some(true) => Ok(then.clone()),
            Some(false) => Ok(otherwise.clone()),
            None if then == otherwise => Ok(then.clone()),
            None => self.attempt(|| self.function.ite(&then.function, &otherwise.function)),
        }
    }

    /// Whether it is true wherever the other is.
    pub fn includes(&self, other: &Diagram) -> Result<bool, NoRoom> {
        Ok(self == other || other.minus(self)?.is_false())
    }

    /// True where some values of these variables make it true.
    pub fn exists(&self, variables: &Variables) -> Result<Diagram, NoRoom> {
        if self.as_constant().is_some() || variables.cube.is_true() {
            return Ok(self.clone());
        }
        self.attempt(|| self.function.exists(&variables.cube.function))
    }

    /// True where some values of these variables make both true: the product of a relation, in one pass.
    pub fn and_exists(&self, other: &Diagram, variables: &Variables) -> Result<Diagram, NoRoom> {
        if variables.cube.is_true() || self.is_false() || other.is_false() {
            return self.and(other);
        }
        if other.is_true() || self == other {
            return self.exists(variables);
        }
        if self.is_true() {
            return other.exists(variables);
        }
        self.attempt(|| {
            self.function.apply_exists(BooleanOperator::And, &other.function, &variables.cube.function)
        })
    }

    /// The function with others in the place of variables.
    pub fn substitute(&self, substitution: &Substitution) -> Result<Diagram, NoRoom> {
        if substitution.is_empty || self.as_constant().is_some() {
            return Ok(self.clone());
        }
        self.attempt(|| self.function.substitute(&*substitution.inner))
    }

    /// The value under an assignment of every variable it depends on.
    pub fn evaluate(&self, value: impl Fn(Variable) -> bool) -> bool {
        let n_variables = self.diagrams.n_variables();
        self.function.eval((0..n_variables).map(|number| (number, value(Variable(number)))))
    }

    /// Number of nodes, the two constants not counted.
    pub fn n_nodes(&self) -> usize {
        self.function.node_count() - if self.is_true() || self.is_false() { 1 } else { 2 }
    }

    fn attempt(&self, operation: impl Fn() -> AllocResult<BDDFunction>) -> Result<Diagram, NoRoom> {
        Ok(self.diagrams.diagram(self.diagrams.attempt(operation)?))
    }
}
