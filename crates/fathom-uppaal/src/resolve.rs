//! Names, types and objects in expressions.

use std::rc::Rc;

use fathom_source::{Diagnostic, Span, similar};
use fathom_timed::{BinaryOp, Coordinates, Expr, Network, Place, ScalarSet, Statement};

use crate::scope::{Object, Scope, Storage, Symbol, binary, fold};
use crate::syntax::{
    BaseType, Declarator, Dimension, Expression, ExpressionKind, Function, Name, TypeExpression,
};
use crate::types::{INT, INTEGERS, Type};

/// Elements of an array, members of a type and the like after which something is too large.
pub(crate) const MOST_ELEMENTS: i64 = 1 << 16;

/// A channel of the network.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub name: String,
    pub is_urgent: bool,
    pub is_broadcast: bool,
    pub priority: i32,
    pub place: Coordinates,
}

/// Everything that lowering collects.
pub(crate) struct Lowering<'a> {
    pub network: Network,
    pub channels: Vec<Channel>,
    pub diagnostics: Vec<Diagnostic>,
    /// The process under way among others like it.
    pub place: Coordinates,
    /// Functions under way, against recursion.
    pub calls: Vec<&'a Function>,
    /// The next free local.
    pub next_local: usize,
    /// By process: its names.
    pub process_scopes: Vec<Rc<Scope<'a>>>,
    /// Process, location, how fast cost grows there, and where that is written.
    pub cost_rates: Vec<(usize, usize, i64, Span)>,
}

impl<'a> Lowering<'a> {
    pub fn complain<T>(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Option<T> {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
        None
    }

    fn undeclared<T>(&mut self, scope: &Scope<'a>, name: &str, span: Span) -> Option<T> {
        let message = format!("'{name}' is not declared");
        let mut diagnostic = Diagnostic::error("uppaal::undeclared", message).at(span, "");
        let names = scope.all_names();
        if let Some(near) = similar(name, names.iter().map(String::as_str)) {
            diagnostic = diagnostic.help(format!("did you mean '{near}'?"));
        }
        self.diagnostics.push(diagnostic);
        None
    }

    pub fn lookup(&mut self, scope: &Scope<'a>, name: &str, span: Span) -> Option<Symbol<'a>> {
        match scope.find(name) {
            Some(symbol) => Some(symbol),
            None => self.undeclared(scope, name, span),
        }
    }

    /// A number that is known when the model is read.
    pub fn constant(&mut self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<i64> {
        let expr = self.pure(scope, expression)?;
        match expr.constant() {
            Some(value) => Some(value),
            None => self.complain("uppaal::not-constant", "expected a constant", expression.span),
        }
    }

    /// A type, and whether it is constant.
    pub fn type_of(&mut self, scope: &Rc<Scope<'a>>, written: &'a TypeExpression) -> Option<(Type, bool)> {
        let mut is_const = written.is_const;
        let ty = match &written.base {
            BaseType::Int(None) => INT,
            BaseType::Int(Some(bounds)) => {
                let (least, most) = (self.constant(scope, &bounds.0), self.constant(scope, &bounds.1));
                let (least, most) = (least?, most?);
                let in_range = |bound: i64| i32::try_from(bound).ok();
                match (in_range(least), in_range(most)) {
                    (Some(least), Some(most)) if least <= most => Type::Int { least, most },
                    _ => {
                        let message = format!("there are no numbers between {least} and {most}");
                        return self.complain("uppaal::range", message, written.span);
                    }
                }
            }
            BaseType::Bool => Type::Bool,
            BaseType::Clock => Type::Clock,
            BaseType::Channel => {
                Type::Channel { is_urgent: written.is_urgent, is_broadcast: written.is_broadcast }
            }
            BaseType::Void => Type::Void,
            BaseType::Scalar(size) => {
                let size = self.constant(scope, size)?;
                if !(1..=MOST_ELEMENTS).contains(&size) {
                    return self.complain("uppaal::range", format!("a set of {size} scalars"), written.span);
                }
                let sets = &mut self.network.scalars.sets;
                sets.push(ScalarSet { size: size as u32, first: 0 });
                Type::Scalar { set: sets.len() - 1, size: size as u32 }
            }
            BaseType::Struct(parts) => {
                let mut fields = Vec::new();
                for (ty, declarators) in parts {
                    let (ty, _) = self.type_of(scope, ty)?;
                    for declarator in declarators {
                        fields.push((
                            declarator.name.text.clone(),
                            self.with_dimensions(scope, &ty, declarator)?,
                        ));
                    }
                }
                Type::Struct(Rc::new(fields))
            }
            BaseType::Named(name) => match self.lookup(scope, name, written.span)? {
                Symbol::Type(ty, also) => {
                    is_const |= also;
                    ty
                }
                _ => return self.complain("uppaal::type", format!("'{name}' is no type"), written.span),
            },
        };
        Some((ty, is_const))
    }

    /// The type of what is declared: an array where there are dimensions.
    pub fn with_dimensions(
        &mut self,
        scope: &Rc<Scope<'a>>,
        ty: &Type,
        declarator: &'a Declarator,
    ) -> Option<Type> {
        let mut ty = ty.clone();
        for dimension in declarator.dimensions.iter().rev() {
            let (first, length, set) = self.dimension(scope, dimension)?;
            ty = Type::Array { element: Rc::new(ty), first, length, set };
            if ty.size().iter().any(|&size| size as i64 > MOST_ELEMENTS) {
                return self.complain("uppaal::too-large", "array is too large", declarator.name.span);
            }
        }
        Some(ty)
    }

    fn dimension(
        &mut self,
        scope: &Rc<Scope<'a>>,
        dimension: &'a Dimension,
    ) -> Option<(i64, u32, Option<usize>)> {
        let (ty, span) = match dimension {
            Dimension::Type(written) => (self.type_of(scope, written)?.0, written.span),
            Dimension::Size(Expression { kind: ExpressionKind::Name(name), span })
                if matches!(scope.find(name), Some(Symbol::Type(..))) =>
            {
                match scope.find(name) {
                    Some(Symbol::Type(ty, _)) => (ty, *span),
                    _ => return None,
                }
            }
            Dimension::Size(size) => {
                let length = self.constant(scope, size)?;
                if !(1..=MOST_ELEMENTS).contains(&length) {
                    return self.complain(
                        "uppaal::range",
                        format!("an array of {length} elements"),
                        size.span,
                    );
                }
                return Some((0, length as u32, None));
            }
        };
        let values = self.values_of(&ty, span)?;
        let set = match &ty {
            Type::Scalar { set, .. } => Some(*set),
            _ => None,
        };
        Some((*values.start(), (values.end() - values.start() + 1) as u32, set))
    }

    /// The values of a type, where something runs through all of them.
    pub fn values_of(&mut self, ty: &Type, span: Span) -> Option<std::ops::RangeInclusive<i64>> {
        let (least, most) = ty.range();
        if !ty.is_integer() {
            let message = format!("expected a type of integers, found {}", ty.describe());
            return self.complain("uppaal::type", message, span);
        }
        if most - least >= MOST_ELEMENTS - 1 {
            let message = format!("more than {MOST_ELEMENTS} values: a range has to be given");
            return self.complain("uppaal::too-large", message, span);
        }
        Some(least..=most)
    }

    /// Room for locals.
    pub fn new_local(&mut self, ty: &Type) -> Object {
        let first = self.next_local;
        self.next_local += ty.size()[INTEGERS];
        self.network.n_locals = self.network.n_locals.max(self.next_local);
        let ty = ty.clone();
        Object { storage: Storage::Local, base: [first, 0, 0], steps: Vec::new(), ty, is_const: false }
    }

    /// A local that keeps a value from now on; constants need none.
    pub fn keep(&mut self, value: Expr, prelude: &mut Vec<Statement>) -> Expr {
        if value.constant().is_some() {
            return value;
        }
        let local = self.new_local(&INT).base[INTEGERS];
        prelude
            .push(Statement::Assign { place: Place::Local { first: local, length: 1, index: None }, value });
        Expr::Local(local)
    }

    /// An object whose indices no longer change.
    pub fn keep_object(&mut self, object: &mut Object, prelude: &mut Vec<Statement>) {
        for index in 0..object.steps.len() {
            let value = object.steps[index].0.clone();
            object.steps[index].0 = self.keep(value, prelude);
        }
    }

    /// What an expression stands for, if it stands for something with a place or for a constant.
    pub fn object(
        &mut self,
        scope: &Rc<Scope<'a>>,
        expression: &'a Expression,
        prelude: &mut Vec<Statement>,
    ) -> Option<Object> {
        match &expression.kind {
            ExpressionKind::Name(name) => match self.lookup(scope, name, expression.span)? {
                Symbol::Object(object) => Some(object),
                _ => self.complain("uppaal::type", format!("'{name}' has no value"), expression.span),
            },
            ExpressionKind::Index(of, index) => {
                let object = self.object(scope, of, prelude)?;
                let index = self.integer(scope, index, prelude)?;
                self.element(object, index, expression.span)
            }
            ExpressionKind::Member(of, name) => {
                if let Some(process) = self.process(scope, of) {
                    let inside = self.process_scopes.get(process?)?.clone();
                    return match inside.own(&name.text) {
                        Some(Symbol::Object(object)) => Some(object),
                        Some(_) => {
                            self.complain("uppaal::type", format!("'{}' has no value", name.text), name.span)
                        }
                        None => self.undeclared(&inside, &name.text, name.span),
                    };
                }
                let object = self.object(scope, of, prelude)?;
                self.field(object, name)
            }
            ExpressionKind::Call(function, arguments) => {
                match self.call(scope, function, arguments, expression.span, prelude)? {
                    Some(result) => Some(result),
                    None => self.complain("uppaal::type", "a function without a result", expression.span),
                }
            }
            _ => self.complain("uppaal::type", "expected a variable", expression.span),
        }
    }

    fn element(&mut self, mut object: Object, index: Expr, span: Span) -> Option<Object> {
        let Type::Array { element, first, length, .. } = object.ty.clone() else {
            let message = format!("expected an array, found {}", object.ty.describe());
            return self.complain("uppaal::type", message, span);
        };
        let index = if first == 0 { index } else { binary(BinaryOp::Subtract, index, Expr::Constant(first)) };
        let stride = element.size();
        match index.constant() {
            Some(known) if (0..i64::from(length)).contains(&known) => {
                for (base, stride) in object.base.iter_mut().zip(stride) {
                    *base += known as usize * stride;
                }
            }
            Some(known) if stride[INTEGERS] == 0 || matches!(object.storage, Storage::Constant(_)) => {
                let message = format!("index {} is outside of the array", known + first);
                return self.complain("uppaal::index", message, span);
            }
            // What is wrong is wrong when it happens.
            _ => object.steps.push((fold(index), length, stride)),
        }
        object.ty = (*element).clone();
        Some(object)
    }

    fn field(&mut self, mut object: Object, name: &Name) -> Option<Object> {
        let Type::Struct(fields) = object.ty.clone() else {
            let message = format!("{} has no members", object.ty.describe());
            return self.complain("uppaal::type", message, name.span);
        };
        for (field, ty) in fields.iter() {
            if *field == name.text {
                object.ty = ty.clone();
                return Some(object);
            }
            let size = ty.size();
            for (base, size) in object.base.iter_mut().zip(size) {
                *base += size;
            }
        }
        self.complain("uppaal::undeclared", format!("there is no field '{}'", name.text), name.span)
    }

    /// The process that an expression stands for, if it stands for one at all.
    pub fn process(&mut self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<Option<usize>> {
        match &expression.kind {
            ExpressionKind::Name(name) => match scope.find(name)? {
                Symbol::Process(process) => Some(Some(process)),
                _ => None,
            },
            ExpressionKind::Call(function, arguments) => {
                let ExpressionKind::Name(name) = &function.kind else { return None };
                let Symbol::Family(family) = scope.find(name)? else { return None };
                let values: Option<Vec<i64>> =
                    arguments.iter().map(|argument| self.constant(scope, argument)).collect();
                let Some(values) = values else { return Some(None) };
                let process = family.get(&values).copied();
                if process.is_none() {
                    let message = format!("there is no process '{name}' with these arguments");
                    self.complain::<()>("uppaal::undeclared", message, expression.span);
                }
                Some(process)
            }
            _ => None,
        }
    }
}
