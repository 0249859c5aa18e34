//! Comparisons of clocks are taken out of conditions, and deadlines become places where time stops.
//!
//! A condition with comparisons of clocks becomes alternatives, each a conjunction of conditions on integers and bounds on clocks.

use fathom_model::{BinaryOp, Expr, UnaryOp};
use fathom_source::Diagnostic;
use fathom_timed as timed;
use fathom_timed::extremum::Measured;
use fathom_timed::{ClockConstraint, ClockPlace, StopRule};

use super::{Clause, Conversion, not, number};
use crate::lower::{TimeNote, Why};

/// Most clauses of one condition.
const MOST_CLAUSES: usize = 64;
/// Largest number that a clock is compared with.
const MOST_BOUND: i64 = 1 << 20;

impl Conversion {
    pub(super) fn speaks_of_clocks(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(place) => self.clock_of(place).is_some(),
            Expr::Unary(_, operand) => self.speaks_of_clocks(operand),
            Expr::Binary(_, left, right) => self.speaks_of_clocks(left) || self.speaks_of_clocks(right),
            Expr::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].iter().any(|one| self.speaks_of_clocks(one))
            }
            _ => false,
        }
    }

    /// A condition on locations and integers: what a formula can see after a move.
    pub(crate) fn proposition(&mut self, expr: &Expr) -> Option<timed::Expr> {
        if self.speaks_of_clocks(expr) {
            let message = "a formula about runs cannot speak of clocks: these change while time passes";
            let diagnostic = Diagnostic::error("if::clock-in-formula", message);
            self.diagnostics.push(match self.span {
                Some(span) => diagnostic.at(span, ""),
                None => diagnostic,
            });
            return None;
        }
        self.expr(expr)
    }

    /// What the largest or least value is asked of.
    pub(crate) fn measured(&mut self, expr: &Expr) -> Option<Measured> {
        if let Expr::Load(place) = expr
            && let Some(clock) = self.clock_of(place)
        {
            return Some(Measured::Clock(ClockPlace::clock(clock)));
        }
        if self.speaks_of_clocks(expr) {
            self.refuse("largest and least values of expressions of clocks");
            return None;
        }
        self.expr(expr).map(Measured::Integer)
    }

    /// The alternatives under which a condition is true, or false, each a conjunction.
    pub(crate) fn clauses(&mut self, expr: &Expr, is_wanted: bool) -> Option<Vec<Clause>> {
        if !self.speaks_of_clocks(expr) {
            let condition = self.expr(expr)?;
            let condition = if is_wanted { condition } else { not(condition) };
            return Some(vec![Clause { conditions: vec![condition], clocks: Vec::new() }]);
        }
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.clauses(operand, !is_wanted),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.clauses(left, is_wanted)?, self.clauses(right, is_wanted)?);
                if (*op == BinaryOp::Or) == is_wanted {
                    return Some([left, right].concat());
                }
                if left.len() * right.len() > MOST_CLAUSES {
                    self.refuse("conditions with so many alternatives of clocks");
                    return None;
                }
                let both = |one: &Clause, other: &Clause| Clause {
                    conditions: [&one.conditions[..], &other.conditions[..]].concat(),
                    clocks: [&one.clocks[..], &other.clocks[..]].concat(),
                };
                Some(left.iter().flat_map(|one| right.iter().map(move |other| both(one, other))).collect())
            }
            Expr::Binary(op, left, right) => self.comparison(*op, left, right, is_wanted),
            _ => {
                self.refuse("expressions of clocks other than comparisons");
                None
            }
        }
    }

    /// A comparison of a clock, or of the difference of two, with something else.
    fn comparison(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        is_wanted: bool,
    ) -> Option<Vec<Clause>> {
        // This is how it is said that a clock is active.
        if let (BinaryOp::GreaterEqual, Expr::Load(place), Expr::Const(0)) = (op, left, right)
            && let Some(clock) = self.clock_of(place)
        {
            let active = timed::Expr::Variable(self.active[clock]);
            let condition = if is_wanted { active } else { not(active) };
            return Some(vec![Clause { conditions: vec![condition], clocks: Vec::new() }]);
        }
        let sides = match (self.difference(left), self.difference(right)) {
            (Some(clocks), None) if !self.speaks_of_clocks(right) => Some((clocks, right, op)),
            (None, Some(clocks)) if !self.speaks_of_clocks(left) => Some((clocks, left, mirrored(op))),
            (Some((Some(one), None)), Some((Some(other), None))) => {
                Some(((Some(one), Some(other)), &Expr::Const(0), op))
            }
            _ => None,
        };
        let Some(((plus, minus), bound, op)) = sides else {
            self.refuse("expressions of clocks other than comparisons");
            return None;
        };
        let bound = self.expr(bound)?;
        let timed::Interval { least, most } = bound.interval(&self.network.ranges());
        if least < -MOST_BOUND || most > MOST_BOUND {
            let message = format!("clocks are compared with numbers up to {MOST_BOUND}");
            let diagnostic = Diagnostic::error("if::clock-bound", message);
            self.diagnostics.push(match self.span {
                Some(span) => diagnostic.at(span, "").help("give what it is compared with a smaller range"),
                None => diagnostic,
            });
            return None;
        }
        let op = if is_wanted { op } else { negated(op) };
        let place = |clock: Option<usize>| clock.map(ClockPlace::clock);
        let below = |is_strict: bool| ClockConstraint {
            left: place(plus),
            right: place(minus),
            bound: bound.clone(),
            is_strict,
        };
        let above = |is_strict: bool| ClockConstraint {
            left: place(minus),
            right: place(plus),
            bound: match &bound {
                timed::Expr::Constant(value) => number(-value),
                other => timed::Expr::Unary(timed::UnaryOp::Minus, Box::new(other.clone())),
            },
            is_strict,
        };
        // Whether single clocks are active is said beside; whether those of a difference are, is not.
        let of_difference = |expr: &Expr| matches!(expr, Expr::Binary(BinaryOp::Subtract, ..));
        let active: Vec<timed::Expr> = match of_difference(left) || of_difference(right) {
            true => [plus, minus]
                .into_iter()
                .flatten()
                .map(|one| timed::Expr::Variable(self.active[one]))
                .collect(),
            false => Vec::new(),
        };
        let inactive =
            active.iter().map(|one| Clause { conditions: vec![not(one.clone())], clocks: Vec::new() });
        let mut found: Vec<Clause> = if is_wanted { Vec::new() } else { inactive.collect() };
        let one = |clocks: Vec<ClockConstraint>| Clause { conditions: active.clone(), clocks };
        found.extend(match op {
            BinaryOp::Less => vec![one(vec![below(true)])],
            BinaryOp::LessEqual => vec![one(vec![below(false)])],
            BinaryOp::Greater => vec![one(vec![above(true)])],
            BinaryOp::GreaterEqual => vec![one(vec![above(false)])],
            BinaryOp::Equal => vec![one(vec![below(false), above(false)])],
            _ => vec![one(vec![below(true)]), one(vec![above(true)])],
        });
        Some(found)
    }

    /// `x` or `x - y` of clocks.
    fn difference(&self, expr: &Expr) -> Option<(Option<usize>, Option<usize>)> {
        let clock = |expr: &Expr| match expr {
            Expr::Load(place) => self.clock_of(place),
            _ => None,
        };
        match expr {
            Expr::Binary(BinaryOp::Subtract, left, right) => Some((Some(clock(left)?), Some(clock(right)?))),
            other => Some((Some(clock(other)?), None)),
        }
    }

    /// Where time stops for the process at hand.
    pub(super) fn time_stop(&mut self, note: &TimeNote) {
        self.span = Some(note.span);
        let Some(clauses) = self.clauses(&note.condition, true) else { return };
        let rule = match note.why {
            Why::Eager | Why::Broken => StopRule::WhileTrue,
            Why::Delayable | Why::Breaks => StopRule::BeforeFalse,
        };
        if rule == StopRule::BeforeFalse
            && clauses.iter().filter(|clause| !clause.clocks.is_empty()).count() > 1
        {
            return self
                .refuse("delayable transitions, and conditions of `tpc`, with alternatives of clocks");
        }
        for guard in clauses {
            let stop =
                timed::TimeStop { process: self.process, location: note.location.index(), guard, rule };
            // Without bounds on clocks, nothing ever becomes false by waiting.
            if rule == StopRule::BeforeFalse && stop.guard.clocks.is_empty() {
                continue;
            }
            // A condition of a state need not have an end: time comes as near as it likes.
            if matches!(note.why, Why::Eager | Why::Delayable) && !stop.has_end() {
                let message = match rule {
                    StopRule::WhileTrue => "there is no first moment at which this is possible",
                    StopRule::BeforeFalse => "there is no last moment at which this is possible",
                };
                let diagnostic = Diagnostic::error("if::open-deadline", message).at(note.span, "");
                self.diagnostics.push(diagnostic.help("use `>=` and `<=` instead of `>` and `<`, or `lazy`"));
                return;
            }
            self.network.time_stops.push(stop);
        }
    }
}

/// The operator when its operands change places.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

/// The operator that is true when it is false.
fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        other => {
            if other == BinaryOp::NotEqual {
                BinaryOp::Equal
            } else {
                other
            }
        }
    }
}
