//! Statements: what an edge does to integers and clocks.
//!
//! Statements run one after the other and see what those before have done. Integers and clocks do not depend on each
//! other here: no integer is computed from a clock. So running statements gives new integers at once, and for the
//! clocks a list of updates to be made in order, on a zone or on numbers.

use std::sync::Arc;

use fathom_model::Fault;

use crate::expr::{Environment, Expr, checked_index};
use crate::network::{ClockPlace, Network, RangeRule, Variable};

/// Steps of loops after which a sequence of statements counts as endless.
const MOST_ITERATIONS: u32 = 1_000_000;

/// A statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Statement {
    /// Gives an integer a value.
    Assign {
        /// The integer.
        place: Place,
        /// The value.
        value: Expr,
    },
    /// Sets a clock to a number, or to another clock and a number.
    SetClock {
        /// The clock.
        clock: ClockPlace,
        /// The other clock.
        from: Option<ClockPlace>,
        /// The number.
        value: Expr,
    },
    /// One or the other.
    If {
        /// Which.
        condition: Expr,
        /// When it is true.
        then: Vec<Statement>,
        /// When it is not.
        otherwise: Vec<Statement>,
    },
    /// Again and again.
    While {
        /// As long as this is true.
        condition: Expr,
        /// What.
        body: Vec<Statement>,
    },
    /// Statements that [`Statement::Leave`] ends: the body of a function.
    Block(Arc<[Statement]>),
    /// Goes on after the innermost block.
    Leave,
}

/// Statements that compute a value and change nothing but locals.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Compute {
    /// The statements.
    pub statements: Vec<Statement>,
    /// The value, in the end.
    pub result: Expr,
    /// Locals that they need.
    pub n_locals: usize,
}

impl Compute {
    pub(crate) fn evaluate(&self, environment: &Environment<'_>) -> Result<i64, Fault> {
        let mut locals = environment.locals.to_vec();
        locals.resize(self.n_locals.max(locals.len()), 0);
        let mut values = environment.values.to_vec();
        let mut updates = Vec::new();
        let mut runner = Runner {
            variables: &[],
            range_rule: RangeRule::Fault,
            locations: environment.locations,
            values: &mut values,
            locals: &mut locals,
            updates: &mut updates,
            n_left: MOST_ITERATIONS,
        };
        match runner.run(&self.statements) {
            Ok(_) => self.result.evaluate(&Environment { locals: &locals, ..*environment }),
            Err(Outcome::Fault(fault)) => Err(fault),
            Err(_) => Err(Fault::EndlessInside),
        }
    }
}

/// Something that can be assigned to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A variable of the network, or an element of an array.
    Variable {
        /// The variable or first element.
        first: usize,
        /// Number of elements.
        length: u32,
        /// Which one; none for a variable that is no element of an array.
        index: Option<Expr>,
    },
    /// A local variable, or an element of a local array.
    Local {
        /// The local or first element.
        first: usize,
        /// Number of elements.
        length: u32,
        /// Which one; none for a local that is no element of an array.
        index: Option<Expr>,
    },
}

/// Sets a clock of the network to a number, or to another clock and a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockUpdate {
    /// The clock.
    pub clock: usize,
    /// The other clock.
    pub from: Option<usize>,
    /// The number, 0 or more.
    pub value: i32,
}

/// What became of a sequence of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It cannot be done: a variable would leave its range.
    Blocked,
    /// A run-time error.
    Fault(Fault),
}

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Outcome {
        Outcome::Fault(fault)
    }
}

/// Runs statements: changes the values, and adds updates of clocks to a list. Locations are those before the move.
pub(crate) fn run(
    statements: &[Statement],
    network: &Network,
    locations: &[u32],
    values: &mut [i32],
    locals: &mut [i32],
    updates: &mut Vec<ClockUpdate>,
) -> Outcome {
    let Network { variables, range_rule, .. } = network;
    let mut runner = Runner {
        variables,
        range_rule: *range_rule,
        locations,
        values,
        locals,
        updates,
        n_left: MOST_ITERATIONS,
    };
    match runner.run(statements) {
        Ok(_) => Outcome::Done,
        Err(outcome) => outcome,
    }
}

struct Runner<'a> {
    variables: &'a [Variable],
    range_rule: RangeRule,
    locations: &'a [u32],
    values: &'a mut [i32],
    locals: &'a mut [i32],
    updates: &'a mut Vec<ClockUpdate>,
    /// Iterations that are left.
    n_left: u32,
}

/// How statements go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Leave,
}

impl Runner<'_> {
    fn run(&mut self, statements: &[Statement]) -> Result<Flow, Outcome> {
        for statement in statements {
            match statement {
                Statement::Assign { place, value } => {
                    let value = self.evaluate(value)?;
                    self.assign(place, value)?;
                }
                Statement::SetClock { clock, from, value } => self.set_clock(clock, from.as_ref(), value)?,
                Statement::If { condition, then, otherwise } => {
                    let branch = if self.evaluate(condition)? != 0 { then } else { otherwise };
                    if self.run(branch)? == Flow::Leave {
                        return Ok(Flow::Leave);
                    }
                }
                Statement::While { condition, body } => {
                    while self.evaluate(condition)? != 0 {
                        self.n_left = self.n_left.checked_sub(1).ok_or(Fault::EndlessInside)?;
                        if self.run(body)? == Flow::Leave {
                            return Ok(Flow::Leave);
                        }
                    }
                }
                Statement::Block(body) => {
                    self.run(body)?;
                }
                Statement::Leave => return Ok(Flow::Leave),
            }
        }
        Ok(Flow::Next)
    }

    fn evaluate(&self, expr: &Expr) -> Result<i64, Outcome> {
        let environment =
            Environment { values: self.values, locals: self.locals, locations: self.locations, labels: &[] };
        expr.evaluate(&environment).map_err(Outcome::from)
    }

    fn index(&self, index: Option<&Expr>, length: u32) -> Result<usize, Outcome> {
        match index {
            None => Ok(0),
            Some(index) => Ok(checked_index(self.evaluate(index)?, length)?),
        }
    }

    fn assign(&mut self, place: &Place, value: i64) -> Result<(), Outcome> {
        match place {
            Place::Variable { first, length, index } => {
                let variable = first + self.index(index.as_ref(), *length)?;
                let declared = &self.variables[variable];
                if value < i64::from(declared.least) || value > i64::from(declared.most) {
                    return Err(match self.range_rule {
                        RangeRule::Blocks => Outcome::Blocked,
                        RangeRule::Fault => Outcome::Fault(Fault::ValueOutOfRange {
                            value,
                            least: i64::from(declared.least),
                            most: i64::from(declared.most),
                        }),
                    });
                }
                self.values[variable] = value as i32;
            }
            Place::Local { first, length, index } => {
                let local = first + self.index(index.as_ref(), *length)?;
                // Locals have the range of the machine.
                self.locals[local] = i32::try_from(value).map_err(|_| match self.range_rule {
                    RangeRule::Blocks => Outcome::Blocked,
                    RangeRule::Fault => Outcome::Fault(Fault::ValueOutOfRange {
                        value,
                        least: i64::from(i32::MIN),
                        most: i64::from(i32::MAX),
                    }),
                })?;
            }
        }
        Ok(())
    }

    fn set_clock(
        &mut self,
        clock: &ClockPlace,
        from: Option<&ClockPlace>,
        value: &Expr,
    ) -> Result<(), Outcome> {
        let clock = clock.first + self.index(clock.index.as_ref(), clock.length)?;
        let from = match from {
            None => None,
            Some(from) => Some(from.first + self.index(from.index.as_ref(), from.length)?),
        };
        let value = self.evaluate(value)?;
        let most = i64::from(MOST_CLOCK_VALUE);
        if value < 0 || value > most {
            return Err(Outcome::Fault(Fault::ValueOutOfRange { value, least: 0, most }));
        }
        self.updates.push(ClockUpdate { clock, from, value: value as i32 });
        Ok(())
    }
}

/// Largest number that a clock is set to.
pub(crate) const MOST_CLOCK_VALUE: i32 = 1 << 20;
