//! One Boolean function, and what can be done with it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use oxidd::bdd::BDDFunction;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Subst};

use crate::diagrams::{Diagrams, NoRoom, Variable};

/// A Boolean function. Diagrams of one [`Diagrams`] are equal exactly when the functions are; those of two must not meet.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Diagram {
    content: Content,
}

/// Constants are most of what symbolic execution copies and drops: they are no nodes, which are counted.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Content {
    Constant(bool),
    Function(Node),
}

/// A function that is not constant, and where it lives.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) function: BDDFunction,
    pub(crate) diagrams: Diagrams,
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.function == other.function
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl Node {
    fn attempt(&self, operation: impl Fn() -> AllocResult<BDDFunction>) -> Result<Diagram, NoRoom> {
        Ok(self.diagrams.diagram(self.diagrams.attempt(operation)?))
    }

    /// What another diagram is for the library.
    fn function_of<'a>(&'a self, other: &'a Diagram) -> &'a BDDFunction {
        self.diagrams.function_of(other)
    }
}

impl fmt::Debug for Diagram {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(out, "{value}"),
            None => write!(out, "diagram of {} nodes", self.n_nodes()),
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
    pub(crate) fn new<'d>(
        diagrams: &Diagrams,
        pairs: impl IntoIterator<Item = (Variable, &'d Diagram)>,
    ) -> Substitution {
        let (variables, functions): (Vec<u32>, Vec<BDDFunction>) = pairs
            .into_iter()
            .map(|(variable, diagram)| (variable.0, diagrams.function_of(diagram).clone()))
            .unzip();
        let is_empty = variables.is_empty();
        Substitution { inner: Arc::new(Subst::new(variables, functions)), is_empty }
    }
}

impl Diagram {
    /// A constant function, wherever it is used.
    pub(crate) const fn constant(value: bool) -> Diagram {
        Diagram { content: Content::Constant(value) }
    }

    /// A function that is not constant.
    pub(crate) fn new(function: BDDFunction, diagrams: &Diagrams) -> Diagram {
        Diagram { content: Content::Function(Node { function, diagrams: diagrams.clone() }) }
    }

    /// What there is of it in the library; none for constants.
    pub(crate) fn node(&self) -> Option<&Node> {
        match &self.content {
            Content::Constant(_) => None,
            Content::Function(node) => Some(node),
        }
    }

    /// Whether it is true nowhere.
    pub fn is_false(&self) -> bool {
        matches!(self.content, Content::Constant(false))
    }

    /// Whether it is true everywhere.
    pub fn is_true(&self) -> bool {
        matches!(self.content, Content::Constant(true))
    }

    /// The value, when it depends on nothing.
    pub fn as_constant(&self) -> Option<bool> {
        match self.content {
            Content::Constant(value) => Some(value),
            Content::Function(_) => None,
        }
    }

    /// True where this is not.
    pub fn not(&self) -> Result<Diagram, NoRoom> {
        match &self.content {
            Content::Constant(value) => Ok(Diagram::constant(!value)),
            Content::Function(node) => node.attempt(|| node.function.not()),
        }
    }

    /// True where both are.
    pub fn and(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        match (&self.content, &other.content) {
            (Content::Constant(value), _) => Ok(if *value { other } else { self }.clone()),
            (_, Content::Constant(value)) => Ok(if *value { self } else { other }.clone()),
            (Content::Function(one), Content::Function(two)) if one == two => Ok(self.clone()),
            (Content::Function(one), Content::Function(two)) => {
                one.attempt(|| one.function.and(&two.function))
            }
        }
    }

    /// True where one is.
    pub fn or(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        match (&self.content, &other.content) {
            (Content::Constant(value), _) => Ok(if *value { self } else { other }.clone()),
            (_, Content::Constant(value)) => Ok(if *value { other } else { self }.clone()),
            (Content::Function(one), Content::Function(two)) if one == two => Ok(self.clone()),
            (Content::Function(one), Content::Function(two)) => {
                one.attempt(|| one.function.or(&two.function))
            }
        }
    }

    /// True where exactly one is.
    pub fn xor(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        match (&self.content, &other.content) {
            (Content::Constant(false), _) => Ok(other.clone()),
            (_, Content::Constant(false)) => Ok(self.clone()),
            (Content::Constant(true), _) => other.not(),
            (_, Content::Constant(true)) => self.not(),
            (Content::Function(one), Content::Function(two)) => {
                one.attempt(|| one.function.xor(&two.function))
            }
        }
    }

    /// True where both are the same.
    pub fn equivalent(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        match (&self.content, &other.content) {
            (Content::Constant(true), _) => Ok(other.clone()),
            (_, Content::Constant(true)) => Ok(self.clone()),
            (Content::Constant(false), _) => other.not(),
            (_, Content::Constant(false)) => self.not(),
            (Content::Function(one), Content::Function(two)) => {
                one.attempt(|| one.function.equiv(&two.function))
            }
        }
    }

    /// True where this is and the other is not.
    pub fn minus(&self, other: &Diagram) -> Result<Diagram, NoRoom> {
        match (&self.content, &other.content) {
            (Content::Constant(false), _) | (_, Content::Constant(false)) => Ok(self.clone()),
            (_, Content::Constant(true)) => Ok(Diagram::constant(false)),
            (Content::Constant(true), _) => other.not(),
            (Content::Function(one), Content::Function(two)) if one == two => Ok(Diagram::constant(false)),
            (Content::Function(one), Content::Function(two)) => {
                one.attempt(|| two.function.imp_strict(&one.function))
            }
        }
    }

    /// `then` where this is true, `otherwise` elsewhere.
    pub fn ite(&self, then: &Diagram, otherwise: &Diagram) -> Result<Diagram, NoRoom> {
        match &self.content {
            Content::Constant(value) => Ok(if *value { then } else { otherwise }.clone()),
            Content::Function(_) if then == otherwise => Ok(then.clone()),
            Content::Function(node) => {
                let (then, otherwise) = (node.function_of(then), node.function_of(otherwise));
                node.attempt(|| node.function.ite(then, otherwise))
            }
        }
    }

    /// Whether it is true wherever the other is.
    pub fn includes(&self, other: &Diagram) -> Result<bool, NoRoom> {
        Ok(self == other || other.minus(self)?.is_false())
    }

    /// True where some values of these variables make it true.
    pub fn exists(&self, variables: &Variables) -> Result<Diagram, NoRoom> {
        match (self.node(), variables.cube.node()) {
            (Some(node), Some(cube)) => node.attempt(|| node.function.exists(&cube.function)),
            _ => Ok(self.clone()),
        }
    }

    /// True where some values of these variables make both true: the product of a relation, in one pass.
    pub fn and_exists(&self, other: &Diagram, variables: &Variables) -> Result<Diagram, NoRoom> {
        match (self.node(), other.node(), variables.cube.node()) {
            (Some(one), Some(two), Some(cube)) if one != two => {
                one.attempt(|| one.function.apply_exists(BooleanOperator::And, &two.function, &cube.function))
            }
            _ => self.and(other)?.exists(variables),
        }
    }

    /// The function with others in the place of variables.
    pub fn substitute(&self, substitution: &Substitution) -> Result<Diagram, NoRoom> {
        match self.node() {
            Some(node) if !substitution.is_empty => {
                node.attempt(|| node.function.substitute(&*substitution.inner))
            }
            _ => Ok(self.clone()),
        }
    }

    /// The value under an assignment of every variable it depends on.
    pub fn evaluate(&self, value: impl Fn(Variable) -> bool) -> bool {
        match &self.content {
            Content::Constant(constant) => *constant,
            Content::Function(node) => {
                let n_variables = node.diagrams.n_variables();
                node.function.eval((0..n_variables).map(|number| (number, value(Variable(number)))))
            }
        }
    }

    /// Number of nodes, the two constants not counted.
    pub fn n_nodes(&self) -> usize {
        self.node().map_or(0, |node| node.function.node_count() - 2)
    }
}
