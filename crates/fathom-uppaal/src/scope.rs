//! Names and what they stand for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fathom_timed::{BinaryOp, ClockPlace, Expr, Place};

use crate::syntax::Function;
use crate::types::{CHANNELS, CLOCKS, INTEGERS, Size, Type};

/// Where a value is kept.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    /// In the variables, clocks and channels of the network.
    Network,
    /// In the locals of a sequence of statements.
    Local,
    /// Nowhere: it is known.
    Constant(Rc<[i64]>),
}

/// Something with a value: a variable, clock, channel or constant, or an element or field of one.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub storage: Storage,
    /// Where it starts in each row.
    pub base: Size,
    /// Indices that are not known: value, number of elements, and how far an element is from the next in each row.
    pub steps: Vec<(Expr, u32, Size)>,
    pub ty: Type,
    pub is_const: bool,
}

impl Object {
    /// A number that is known.
    pub fn constant(value: i64, ty: Type) -> Object {
        let storage = Storage::Constant(Rc::from([value]));
        Object { storage, base: [0; 3], steps: Vec::new(), ty, is_const: true }
    }

    /// Place, number of places and index in a row.
    fn cell(&self, row: usize) -> (usize, u32, Option<Expr>) {
        let first = self.base[row];
        match &self.steps[..] {
            [] => (first, 1, None),
            [(index, length, stride)] if stride[row] == 1 => (first, *length, Some(index.clone())),
            steps => {
                let scaled = |(index, length, stride): &(Expr, u32, Size)| {
                    let index = Expr::Within(Box::new(index.clone()), *length);
                    let stride = Expr::Constant(stride[row] as i64);
                    fold(Expr::Binary(BinaryOp::Multiply, Box::new(index), Box::new(stride)))
                };
                let sum = |left: Expr, right: Expr| {
                    fold(Expr::Binary(BinaryOp::Add, Box::new(left), Box::new(right)))
                };
                let index = steps.iter().map(scaled).reduce(sum).unwrap_or(Expr::Constant(0));
                let length: usize =
                    steps.iter().map(|(_, length, stride)| (*length as usize - 1) * stride[row]).sum();
                (first, length as u32 + 1, Some(index))
            }
        }
    }

    /// The value, of one integer.
    pub fn read(&self) -> Expr {
        let (first, length, index) = self.cell(INTEGERS);
        let index = index.map(Box::new);
        fold(match (&self.storage, index) {
            (Storage::Network, None) => Expr::Variable(first),
            (Storage::Network, Some(index)) => Expr::Element { first, length, index },
            (Storage::Local, None) => Expr::Local(first),
            (Storage::Local, Some(index)) => Expr::LocalElement { first, length, index },
            (Storage::Constant(values), None) => Expr::Constant(values.get(first).copied().unwrap_or(0)),
            (Storage::Constant(values), Some(index)) => {
                let values =
                    values.iter().skip(first).take(length as usize).map(|&value| value as i32).collect();
                Expr::Table { values, index }
            }
        })
    }

    /// Where one integer is assigned; nothing for a constant.
    pub fn place(&self) -> Option<Place> {
        let (first, length, index) = self.cell(INTEGERS);
        match self.storage {
            Storage::Network => Some(Place::Variable { first, length, index }),
            Storage::Local => Some(Place::Local { first, length, index }),
            Storage::Constant(_) => None,
        }
    }

    /// The clock, of one clock.
    pub fn clock(&self) -> ClockPlace {
        let (first, length, index) = self.cell(CLOCKS);
        ClockPlace { first, length, index }
    }

    /// The channel, of one channel: the first that it may be, how many, and which.
    pub fn channel(&self) -> (usize, u32, Option<Expr>) {
        self.cell(CHANNELS)
    }

    /// The integer with this number among those of it.
    pub fn integer(&self, number: usize, ty: Type) -> Object {
        let mut part = self.clone();
        part.base[INTEGERS] += number;
        part.ty = ty;
        part
    }
}

/// What a name stands for.
#[derive(Clone)]
pub(crate) enum Symbol<'a> {
    Type(Type, bool),
    Object(Object),
    Function(&'a Function, Rc<Scope<'a>>),
    /// A process of the system.
    Process(usize),
    /// Processes that differ in the arguments of a template.
    Family(Rc<BTreeMap<Vec<i64>, usize>>),
    /// The cost of runs: its clock.
    Cost(usize),
    /// A location: process and index.
    Location(usize, usize),
}

/// Names, and those around them.
pub(crate) struct Scope<'a> {
    parent: Option<Rc<Scope<'a>>>,
    names: RefCell<BTreeMap<String, Symbol<'a>>>,
}

impl<'a> Scope<'a> {
    /// The outermost one.
    pub fn outermost() -> Rc<Scope<'a>> {
        Rc::new(Scope { parent: None, names: RefCell::default() })
    }

    /// One inside another.
    pub fn inside(parent: &Rc<Scope<'a>>) -> Rc<Scope<'a>> {
        Rc::new(Scope { parent: Some(parent.clone()), names: RefCell::default() })
    }

    /// Gives a name a meaning; false when it has one here already.
    pub fn declare(&self, name: &str, symbol: Symbol<'a>) -> bool {
        self.names.borrow_mut().insert(name.to_owned(), symbol).is_none()
    }

    /// What a name stands for here.
    pub fn own(&self, name: &str) -> Option<Symbol<'a>> {
        self.names.borrow().get(name).cloned()
    }

    /// What a name stands for here or around.
    pub fn find(&self, name: &str) -> Option<Symbol<'a>> {
        self.own(name).or_else(|| self.parent.as_ref()?.find(name))
    }

    /// Every name that can be used here.
    pub fn all_names(&self) -> Vec<String> {
        let mut found: Vec<String> = self.names.borrow().keys().cloned().collect();
        found.extend(self.parent.iter().flat_map(|parent| parent.all_names()));
        found
    }
}

/// An expression, made simpler where parts of it are known.
pub(crate) fn fold(expr: Expr) -> Expr {
    if let Some(value) = expr.constant() {
        return Expr::Constant(value);
    }
    match expr {
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            let absorbing = op == BinaryOp::Or;
            match (left.constant(), right.constant()) {
                (Some(value), _) if (value != 0) == absorbing => Expr::Constant(i64::from(absorbing)),
                (Some(_), _) => truth(*right),
                (_, Some(value)) if (value != 0) != absorbing => truth(*left),
                _ => Expr::Binary(op, left, right),
            }
        }
        Expr::Choose(condition, yes, no) => match condition.constant() {
            Some(0) => *no,
            Some(_) => *yes,
            None => Expr::Choose(condition, yes, no),
        },
        other => other,
    }
}

/// 1 when an expression is not 0, and 0 when it is.
pub(crate) fn truth(expr: Expr) -> Expr {
    use BinaryOp::{And, AtLeast, AtMost, Equal, Greater, Less, NotEqual, Or};
    match &expr {
        Expr::Unary(fathom_timed::UnaryOp::Not, _)
        | Expr::At { .. }
        | Expr::HasLabel(_)
        | Expr::Binary(And | Or | Equal | NotEqual | Less | AtMost | Greater | AtLeast, ..) => expr,
        Expr::Constant(value) => Expr::Constant(i64::from(*value != 0)),
        _ => Expr::Binary(NotEqual, Box::new(expr), Box::new(Expr::Constant(0))),
    }
}

/// An operation on two expressions.
pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    fold(Expr::Binary(op, Box::new(left), Box::new(right)))
}

/// The opposite of a condition.
pub(crate) fn not(expr: Expr) -> Expr {
    fold(Expr::Unary(fathom_timed::UnaryOp::Not, Box::new(expr)))
}
