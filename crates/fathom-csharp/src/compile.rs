//! From syntax to code: methods and statements.
//!
//! Methods are compiled when something first calls them, and once. Types are checked on the way, since numbers have to be
//! converted, and overloads chosen, by type.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fathom_source::{Diagnostic, Span};

use crate::assigned::{Open, without_value};
use crate::captured::{Own, share};
use crate::code::{Code, Instr, Library, MethodCode, Number, Op, default_value};
use crate::compile_local::is_constant;
use crate::compile_operator::bare;
use crate::declare::{Declarations, Instances, ParameterInfo, has_yield};
use crate::naming::only_looks;
use crate::reach;
use crate::syntax::{Argument, Block, Expr, ExprKind, Passing, Stmt, StmtKind, TypeName, TypeNameKind};
use crate::types::{ClassId, EnumId, Shown, Type};
use crate::value::Value;

/// Compiles what is asked for, and what that needs.
pub struct Compiler<'d> {
    pub(crate) all: &'d Declarations,
    pub(crate) diagnostics: Vec<Diagnostic>,
    methods: BTreeMap<u32, Arc<MethodCode>>,
    queue: VecDeque<u32>,
    asked: BTreeSet<u32>,
    /// Fields that something reads or assigns to.
    pub(crate) used_fields: BTreeSet<u32>,
    /// Fields of classes that something assigns to.
    pub(crate) assigned_statics: BTreeSet<u32>,
    /// Elements of abstract enumerations that something names.
    pub(crate) named_elements: BTreeSet<(EnumId, u32)>,
    /// Something was compiled that may depend on the names of objects.
    pub(crate) may_ask_for_names: bool,
}

impl<'d> Compiler<'d> {
    /// Nothing is compiled yet.
    pub fn new(all: &'d Declarations) -> Compiler<'d> {
        Compiler {
            all,
            diagnostics: Vec::new(),
            methods: BTreeMap::new(),
            queue: VecDeque::new(),
            asked: BTreeSet::new(),
            used_fields: BTreeSet::new(),
            assigned_statics: BTreeSet::new(),
            named_elements: BTreeSet::new(),
            may_ask_for_names: false,
        }
    }

    /// Sees to it that a method is compiled.
    pub fn ask(&mut self, method: usize) {
        let method = method as u32;
        if self.asked.insert(method) {
            self.queue.push_back(method);
        }
    }

    /// Compiles everything that was asked for and gives it.
    pub fn finish(&mut self) -> BTreeMap<u32, Arc<MethodCode>> {
        while let Some(method) = self.queue.pop_front() {
            let code = self.method(method);
            self.methods.insert(method, Arc::new(code));
        }
        self.methods.clone()
    }

    /// The first value of a field, as code that runs in its class.
    pub fn initializer(&mut self, field: usize) -> MethodCode {
        let known = &self.all.fields[field];
        let mut body = Body::new(self, known.class, Type::Void);
        let code = match &known.value {
            Some(value) => body.wanted(value, &known.ty),
            None => Code::Constant(body.default(&known.ty)),
        };
        if known.is_literal && !is_constant(&code, body.compiler.all, &BTreeMap::new()) {
            let message = format!("the value of the constant `{}` has to be a constant", known.name.text);
            body.error("csharp::no-constant", message, known.name.span);
        }
        let mut code = vec![Instr::Return(Some(code))];
        body.check_values(&mut code, Own::default(), known.name.span);
        let n_locals = body.n_locals;
        MethodCode { n_locals, first_parameter: 0, fields: None, body: code, is_iterator: false }
    }

    fn method(&mut self, index: u32) -> MethodCode {
        let method = &self.all.methods[index as usize];
        let class = &self.all.classes[method.class.0 as usize];
        let is_constructor = class.constructors.contains(&(index as usize));
        let is_iterator = has_yield(&method.body);
        let mut body = Body::new(self, method.class, method.returns.clone());
        body.is_iterator = is_iterator;
        if class.static_constructor == Some(index as usize) {
            body.constructs = Some(Constructs::Class);
        } else if is_constructor {
            body.constructs = Some(Constructs::Instance);
        }
        let makes_value = is_constructor && class.instances == Instances::Values;
        if !method.is_static && !makes_value {
            body.this = Some(body.declare("this", Type::Class(method.class)));
        }
        let first_parameter = body.n_locals;
        for parameter in &method.parameters {
            let slot = body.declare(&parameter.name.text, parameter.ty.clone());
            if parameter.passing == Passing::Out {
                body.open.names.insert(slot, parameter.name.clone());
                body.open.parameters.insert(slot);
            }
        }
        let by_reference = |one: &&ParameterInfo| matches!(one.passing, Passing::Out | Passing::Ref);
        if let Some(parameter) = method.parameters.iter().find(by_reference).filter(|_| is_iterator) {
            let message = "an iterator has no `ref` and no `out` parameters".to_string();
            body.error("csharp::yield", message, parameter.name.span);
        }
        let mut fields = None;
        if makes_value {
            let first = body.n_locals;
            let of_instance = body.compiler.all.instance_fields(method.class);
            for field in &of_instance {
                let slot = body.n_locals;
                body.n_locals += 1;
                body.fields.push((*field, slot));
            }
            fields = Some((first, of_instance.len() as u32));
        }
        let mut code = Vec::new();
        if let Some(arguments) = &method.delegates {
            body.delegate(arguments, method.name.span, index, &mut code);
        }
        code.extend(body.block(&method.body));
        if !is_iterator && !matches!(method.returns, Type::Void | Type::Unknown) && reach::block(&code).end {
            let name = method.name.text.trim_start_matches("get_");
            let message = format!("`{name}` can come to its end without giving a value");
            body.error("csharp::no-return", message, method.name.span);
        }
        let mut own = Own::default();
        for (slot, parameter) in (first_parameter..).zip(&method.parameters) {
            let is_own = matches!(parameter.passing, Passing::Value | Passing::Rest);
            if is_own {
                own.parameters.push(slot);
            } else {
                own.fixed.insert(slot);
            }
        }
        own.fixed.extend(body.fields.iter().map(|(_, slot)| *slot));
        body.check_values(&mut code, own, method.name.span);
        let n_locals = body.n_locals;
        MethodCode { n_locals, first_parameter, fields, body: code, is_iterator }
    }
}

/// A variable of a method.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    name: String,
    pub(crate) slot: u32,
    pub(crate) ty: Type,
}

/// What a constructor makes ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Constructs {
    /// A class: it is the static one.
    Class,
    /// An instance.
    Instance,
}

/// One method while it is compiled.
pub(crate) struct Body<'c, 'd> {
    pub(crate) compiler: &'c mut Compiler<'d>,
    pub(crate) class: ClassId,
    returns: Type,
    is_iterator: bool,
    pub(crate) this: Option<u32>,
    /// What it makes ready, if it is a constructor.
    pub(crate) constructs: Option<Constructs>,
    /// The variables that stand for fields while a compound value is made.
    pub(crate) fields: Vec<(usize, u32)>,
    pub(crate) n_locals: u32,
    scopes: Vec<Vec<Variable>>,
    /// Variables below this number belong to what surrounds a function: it must not assign to them.
    pub(crate) frozen: u32,
    /// What the function that is compiled gives: known when its first `return` is.
    lambda_returns: Option<Type>,
    in_lambda: bool,
    /// Variables that keep their value, with what they are.
    pub(crate) fixed: BTreeMap<u32, &'static str>,
    /// Variables that begin without a value.
    pub(crate) open: Open,
    /// What surrounds a statement, for those that leave it.
    pub(crate) around: Around,
}

/// What surrounds a statement.
#[derive(Clone, Default, Debug)]
pub(crate) struct Around {
    /// Whether `break` has something to end.
    pub(crate) can_break: bool,
    /// Whether `continue` has something to go on with.
    pub(crate) can_continue: bool,
    /// The variable with the error that is handled.
    pub(crate) caught: Option<u32>,
    /// Whether it is in what may handle an error, or runs at the end: an iterator cannot wait there.
    pub(crate) cannot_yield: bool,
}

impl<'c, 'd> Body<'c, 'd> {
    fn new(compiler: &'c mut Compiler<'d>, class: ClassId, returns: Type) -> Body<'c, 'd> {
        Body {
            compiler,
            class,
            returns,
            is_iterator: false,
            this: None,
            constructs: None,
            fields: Vec::new(),
            n_locals: 0,
            scopes: vec![Vec::new()],
            frozen: 0,
            lambda_returns: None,
            in_lambda: false,
            fixed: BTreeMap::new(),
            open: Open::default(),
            around: Around::default(),
        }
    }

    pub(crate) fn error(&mut self, code: &'static str, message: String, span: Span) {
        self.compiler.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    pub(crate) fn unsupported(&mut self, what: &str, span: Span) {
        self.error("csharp::unsupported", format!("{what} is not supported"), span);
    }

    pub(crate) fn shown(&self, ty: &Type) -> String {
        Shown(ty, self.compiler.all).to_string()
    }

    pub(crate) fn declare(&mut self, name: &str, ty: Type) -> u32 {
        let slot = self.n_locals;
        self.n_locals += 1;
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Variable { name: name.to_string(), slot, ty });
        }
        slot
    }

    /// Says which variables may be read, or left, without a value.
    ///
    /// Then variables that functions share with what is around them are put where both find them.
    fn check_values(&mut self, code: &mut Vec<Instr>, mut own: Own, span: Span) {
        let open = std::mem::take(&mut self.open);
        let wrong = without_value(code, &open);
        let read = wrong.read.iter().map(|slot| (slot, "may be read before it has a value"));
        let left = wrong.left.difference(&wrong.read).map(|slot| (slot, "may be left without a value"));
        for (slot, what) in read.chain(left) {
            if let Some(name) = open.names.get(slot) {
                self.error("csharp::no-value-yet", format!("`{}` {what}", name.text), name.span);
            }
        }
        own.declared.clone_from(&open.outs);
        for slot in share(code, &own, span) {
            let at = open.names.get(&slot).map_or(span, |name| name.span);
            self.unsupported("a variable here that a function shares and that is assigned to later", at);
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Variable> {
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev())
            .find(|known| known.name == name)
            .cloned()
    }

    /// A variable turns out to have a type.
    pub(crate) fn learn(&mut self, slot: u32, ty: &Type) {
        let known = self.scopes.iter_mut().flatten().find(|known| known.slot == slot);
        if let Some(known) = known {
            known.ty = ty.clone();
        }
    }

    pub(crate) fn resolve(&mut self, name: &TypeName) -> Type {
        self.compiler.all.resolve(name, self.class, &mut self.compiler.diagnostics)
    }

    pub(crate) fn default(&mut self, ty: &Type) -> Value {
        let all = self.compiler.all;
        // Of an abstract enumeration the first element is one like the others: there is none to begin with.
        let is_abstract = |id: EnumId| all.enums[id.0 as usize].sort.is_some();
        default_value(ty, &|id| if is_abstract(id) { Value::Null } else { zero_element(all, id) })
    }

    /// Code for an expression whose value has to be of a type.
    pub(crate) fn wanted(&mut self, expr: &Expr, ty: &Type) -> Code {
        let (code, found) = self.expr_as(expr, ty);
        self.convert(code, &found, ty, expr.span)
    }

    /// Code for an expression whose type may depend on the one that is wanted.
    pub(crate) fn expr_as(&mut self, expr: &Expr, ty: &Type) -> (Code, Type) {
        if let Type::Function(wanted, result) = ty
            && let Some(group) = self.method_group(expr)
        {
            return self.method_value(group, wanted, result, expr.span);
        }
        match (&*expr.kind, ty) {
            (ExprKind::Lambda(parameters, body), Type::Function(wanted, result)) => {
                self.lambda(parameters, body, wanted, result, expr.span)
            }
            (ExprKind::Default(None), ty) => {
                let value = self.default(ty);
                (Code::Constant(value), ty.clone())
            }
            (ExprKind::NewArray(None, None, Some(values)), Type::Array(element)) => {
                let values = values.iter().map(|value| self.wanted(value, element)).collect();
                (Code::ArrayOf(values), ty.clone())
            }
            (ExprKind::Conditional(condition, then, other), _) if *ty != Type::Unknown => {
                let condition = self.wanted(condition, &Type::Bool);
                let (then, other) = (self.wanted(then, ty), self.wanted(other, ty));
                (Code::If(Box::new(condition), Box::new(then), Box::new(other)), ty.clone())
            }
            _ => self.expr(expr),
        }
    }

    /// A value of one type as one of another.
    pub(crate) fn convert(&mut self, code: Code, from: &Type, to: &Type, span: Span) -> Code {
        if !from.fits(to) {
            let message = format!("`{}` is wanted here, and this is `{}`", self.shown(to), self.shown(from));
            self.error("csharp::type-mismatch", message, span);
            return code;
        }
        if matches!(bare(to), Type::Enumerable(_)) {
            self.compiler.go_in_order(bare(from));
        }
        match (bare(from), bare(to)) {
            (Type::Int | Type::Long | Type::Char, Type::Double) => convert(code, Number::Double, span),
            (Type::Char, Type::Int | Type::Long) => convert(code, Number::Long, span),
            _ => code,
        }
    }

    pub(crate) fn block(&mut self, block: &Block) -> Vec<Instr> {
        self.scopes.push(Vec::new());
        let mut code = Vec::new();
        for stmt in block {
            self.stmt(stmt, &mut code);
        }
        self.scopes.pop();
        code
    }

    /// Compiles a statement that is repeated.
    fn repeated(&mut self, stmt: &Stmt) -> Vec<Instr> {
        let around = Around { can_break: true, can_continue: true, ..self.around.clone() };
        self.within(around, |body| body.one(stmt))
    }

    /// Compiles something with other surroundings.
    pub(crate) fn within<T>(&mut self, around: Around, compile: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.around, around);
        let compiled = compile(self);
        self.around = outer;
        compiled
    }

    fn one(&mut self, stmt: &Stmt) -> Vec<Instr> {
        self.block(&vec![stmt.clone()])
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Instr>) {
        match &stmt.kind {
            StmtKind::Empty => (),
            StmtKind::Block(block) => {
                let block = self.block(block);
                out.push(Instr::Block(block));
            }
            StmtKind::Local(ty, variables) => self.local(ty, variables, out),
            StmtKind::Const(ty, variables) => self.local_constants(ty, variables, out),
            StmtKind::Expr(expr) => {
                let (code, _) = self.expr_or_void(expr);
                out.push(Instr::Do(code));
            }
            StmtKind::If(condition, then, other) => {
                let condition = self.wanted(condition, &Type::Bool);
                let then = self.one(then);
                let other = other.as_ref().map(|other| self.one(other)).unwrap_or_default();
                out.push(Instr::If(condition, then, other));
            }
            StmtKind::While(condition, body) => {
                let condition = self.wanted(condition, &Type::Bool);
                let body = self.repeated(body);
                out.push(Instr::Loop(Some(condition), body, Vec::new(), true));
            }
            StmtKind::DoWhile(body, condition) => {
                let condition = self.wanted(condition, &Type::Bool);
                let body = self.repeated(body);
                out.push(Instr::Loop(Some(condition), body, Vec::new(), false));
            }
            StmtKind::For(first, condition, updates, body) => {
                self.scopes.push(Vec::new());
                let mut code = Vec::new();
                first.iter().for_each(|stmt| self.stmt(stmt, &mut code));
                let condition = condition.as_ref().map(|condition| self.wanted(condition, &Type::Bool));
                let updates = updates.iter().map(|update| self.expr_or_void(update).0).collect();
                let body = self.repeated(body);
                self.scopes.pop();
                code.push(Instr::Loop(condition, body, updates, true));
                out.push(Instr::Block(code));
            }
            StmtKind::ForEach(ty, name, source, body) => {
                let (source_code, source_ty) = self.expr(source);
                let Some(found) = source_ty.element() else {
                    let message = format!("`{}` has no members to go through", self.shown(&source_ty));
                    return self.error("csharp::type-mismatch", message, source.span);
                };
                let element = match ty.kind {
                    TypeNameKind::Implicit => found.clone(),
                    _ => self.resolve(ty),
                };
                if !found.fits(&element) {
                    let message =
                        format!("members are `{}` and not `{}`", self.shown(&found), self.shown(&element));
                    self.error("csharp::type-mismatch", message, ty.span);
                }
                if !only_looks(body, self.compiler.all) {
                    self.compiler.go_in_order(&source_ty);
                }
                self.scopes.push(Vec::new());
                let slot = self.declare(&name.text, element);
                self.fixed.insert(slot, "the variable of a `foreach`");
                let body = self.repeated(body);
                self.scopes.pop();
                out.push(Instr::ForEach(slot, source_code, Arc::new(body), source.span));
            }
            StmtKind::Switch(value, sections) => self.switch(value, sections, out),
            StmtKind::Return(value) => self.return_value(value.as_ref(), stmt.span, out),
            StmtKind::Yield(None) => out.push(Instr::YieldBreak),
            StmtKind::Yield(Some(value)) => {
                let element = match &self.returns {
                    Type::Enumerable(element) => (**element).clone(),
                    _ => {
                        return self.unsupported("`yield` in what gives no `IEnumerable<T>`", stmt.span);
                    }
                };
                if self.around.cannot_yield || self.in_lambda {
                    let message = "`yield return` is neither for functions without a name nor for `try` with `catch`, `catch` and `finally`";
                    self.error("csharp::yield", message.to_string(), stmt.span);
                }
                let value = self.wanted(value, &element);
                out.push(Instr::Yield(value));
            }
            StmtKind::Break | StmtKind::Continue => {
                let (instr, word, can) = match stmt.kind {
                    StmtKind::Break => (Instr::Break, "break", self.around.can_break),
                    _ => (Instr::Continue, "continue", self.around.can_continue),
                };
                if !can {
                    let message = format!("there is nothing around this that `{word}` could leave");
                    self.error("csharp::no-loop", message, stmt.span);
                }
                out.push(instr);
            }
            StmtKind::Throw(value) => {
                let error = match (value, self.around.caught) {
                    (Some(value), _) => self.thrown(value),
                    (None, Some(caught)) => Code::Local(caught),
                    (None, None) => {
                        let message = "`throw` without an error is for handlers of errors".to_string();
                        self.error("csharp::no-error", message, stmt.span);
                        Code::Constant(Value::Null)
                    }
                };
                out.push(Instr::Throw(error, stmt.span));
            }
            StmtKind::Try(body, handler, last) => {
                let cannot_yield = handler.is_some() || self.around.cannot_yield;
                let around = Around { cannot_yield, ..self.around.clone() };
                let body = self.within(around, |inner| inner.block(body));
                let handler = handler.as_ref().map(|(name, block)| {
                    self.scopes.push(Vec::new());
                    let name = name.as_ref().map_or(" caught", |name| &name.text);
                    let slot = self.declare(name, Type::Exception);
                    let around = Around { caught: Some(slot), cannot_yield: true, ..self.around.clone() };
                    let block = self.within(around, |body| body.block(block));
                    self.scopes.pop();
                    (slot, block)
                });
                let around = Around { cannot_yield: true, ..self.around.clone() };
                let last = last.as_ref().map(|last| self.within(around, |inner| inner.block(last)));
                let last = last.unwrap_or_default();
                out.push(Instr::Try(body, handler, last));
            }
        }
    }

    /// An error that is thrown.
    fn thrown(&mut self, value: &Expr) -> Code {
        match &*value.kind {
            // What it is called is enough: handlers catch all of them.
            ExprKind::New(ty, arguments) => {
                let name = match &ty.kind {
                    TypeNameKind::Named(path, _) => path.last().cloned().unwrap_or_default(),
                    _ => String::new(),
                };
                self.new_error(&name, arguments, value.span)
            }
            _ => self.wanted(value, &Type::Exception),
        }
    }

    /// An error: what it is called, and its message.
    pub(crate) fn new_error(&mut self, name: &str, arguments: &[Argument], span: Span) -> Code {
        let first = arguments.first().map(|argument| self.expr(&argument.value));
        let message = match first {
            Some((code, ty)) => Code::Op(Op::Concat, vec![self.as_text(code, &ty, span)], span),
            None => Code::Constant(Value::text(&format!("Exception of type 'System.{name}' was thrown."))),
        };
        let name = Code::Constant(Value::text(name));
        Code::Op(Op::Library(Library::NewTuple), vec![name, message], span)
    }

    fn return_value(&mut self, value: Option<&Expr>, span: Span, out: &mut Vec<Instr>) {
        if self.in_lambda {
            let wanted = self.lambda_returns.clone().unwrap_or(Type::Unknown);
            let code = value.map(|value| {
                let (code, found) = self.expr_as(value, &wanted);
                if wanted == Type::Unknown {
                    self.lambda_returns = Some(found.clone());
                }
                self.convert(code, &found, &wanted, value.span)
            });
            return out.push(Instr::Return(code));
        }
        let returns = self.returns.clone();
        match value {
            None => {
                if returns != Type::Void {
                    let message = format!("a value of type `{}` is wanted here", self.shown(&returns));
                    self.error("csharp::type-mismatch", message, span);
                }
                out.push(Instr::Return(None));
            }
            Some(value) if returns == Type::Void || self.is_iterator => {
                self.error("csharp::type-mismatch", "no value is wanted here".to_string(), value.span);
            }
            Some(value) => {
                let code = self.wanted(value, &returns);
                out.push(Instr::Return(Some(code)));
            }
        }
    }

    /// Compiles the body of a function without a name; gives its code and what it gives.
    pub(crate) fn lambda_block(&mut self, block: &Block, result: &Type, span: Span) -> (Vec<Instr>, Type) {
        let outer = (self.in_lambda, self.lambda_returns.take());
        self.in_lambda = true;
        self.lambda_returns = Some(result.clone());
        let code = self.within(Around::default(), |body| body.block(block));
        if *result != Type::Void && reach::block(&code).end {
            let message = "this function can come to its end without giving a value".to_string();
            self.error("csharp::no-return", message, span);
        }
        let found = self.lambda_returns.take().unwrap_or(Type::Unknown);
        (self.in_lambda, self.lambda_returns) = outer;
        (code, found)
    }

    /// Compiles in a scope of its own.
    pub(crate) fn scoped<T>(&mut self, compile: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let result = compile(self);
        self.scopes.pop();
        result
    }
}

/// The element with number 0, or the first.
pub(crate) fn zero_element(all: &Declarations, id: EnumId) -> Value {
    let known = &all.enums[id.0 as usize];
    let place = known.elements.iter().position(|(_, number)| *number == 0).unwrap_or(0);
    Value::Element(known.kind, place as u32)
}

fn convert(code: Code, number: Number, span: Span) -> Code {
    match (code, number) {
        (Code::Constant(Value::Int(value)), Number::Double) => Code::Constant(Value::double(value as f64)),
        (code, number) => Code::Op(Op::Convert(number), vec![code], span),
    }
}
