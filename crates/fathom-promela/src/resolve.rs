//! Expressions and variable references: from names to places.

use fathom_model::{
    Action, Base, BinaryOp, ChannelQuery, ChannelTypeId, Expr, Index, Place, ScalarKind, ScalarType, Type,
    UnaryOp, Which,
};
use fathom_source::Span;

use crate::constant::constant_value;
use crate::context::{Context, REMOTE_MARK, Remote};
use crate::scope::{Symbol, VariableSymbol};
use crate::syntax;

/// What a variable reference leads to, possibly a whole record or array.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub base: Base,
    pub offset: u32,
    pub indices: Vec<Index>,
    pub ty: Type,
    /// The type of the channel it was declared with.
    pub channel: Option<ChannelTypeId>,
}

impl Context {
    /// Lowers an expression. Problems are reported and give 0.
    pub fn expr(&mut self, expr: &syntax::Expr) -> Expr {
        use syntax::ExprKind;
        match &expr.kind {
            ExprKind::Number(value) => Expr::Const(*value),
            ExprKind::Variable(variable) => self.variable_expr(variable),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr.span),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.span),
            ExprKind::Conditional(condition, then, otherwise) => Expr::Conditional(
                Box::new(self.expr(condition)),
                Box::new(self.expr(then)),
                Box::new(self.expr(otherwise)),
            ),
            ExprKind::Run { process, arguments, priority } => {
                self.run(process, arguments, priority.as_deref(), expr.span)
            }
            ExprKind::Channel(function, channel) => {
                let query = match function {
                    syntax::ChannelFunction::Len => ChannelQuery::Length,
                    syntax::ChannelFunction::Empty => ChannelQuery::Empty,
                    syntax::ChannelFunction::Nempty => ChannelQuery::NotEmpty,
                    syntax::ChannelFunction::Full => ChannelQuery::Full,
                    syntax::ChannelFunction::Nfull => ChannelQuery::NotFull,
                };
                let (channel, _) = self.channel(channel);
                Expr::Channel(query, Box::new(channel))
            }
            ExprKind::Poll { channel, arguments, random } => {
                let (channel, channel_type) = self.channel(channel);
                let patterns = self.patterns(arguments);
                self.check_field_count(channel_type, patterns.len(), expr.span);
                Expr::Poll { channel: Box::new(channel), patterns, which: taken(*random) }
            }
            ExprKind::Process(function, process) => {
                let process = Box::new(self.expr(process));
                match function {
                    syntax::ProcessFunction::Enabled => Expr::Enabled(process),
                    syntax::ProcessFunction::PcValue => Expr::LocationOf(process),
                    syntax::ProcessFunction::GetPriority => {
                        self.model.uses_priorities = true;
                        Expr::Priority(process)
                    }
                }
            }
            ExprKind::Timeout => {
                self.model.uses_timeout = true;
                Expr::Timeout
            }
            ExprKind::NonProgress => Expr::NonProgress,
            ExprKind::RemoteLabel { process, index, label } => {
                self.remote_label(process, index.as_deref(), label)
            }
            ExprKind::RemoteVariable { process, index, variable } => {
                self.remote_variable(process, index.as_deref(), variable)
            }
        }
    }

    fn unary(&mut self, op: syntax::UnaryOp, operand: &syntax::Expr, span: Span) -> Expr {
        let op = match op {
            syntax::UnaryOp::Negate => UnaryOp::Negate,
            syntax::UnaryOp::Complement => UnaryOp::Complement,
            syntax::UnaryOp::Not => UnaryOp::Not,
            _ => return self.temporal_operator(span),
        };
        Expr::Unary(op, Box::new(self.expr(operand)))
    }

    fn binary(
        &mut self,
        op: syntax::BinaryOp,
        left: &syntax::Expr,
        right: &syntax::Expr,
        span: Span,
    ) -> Expr {
        let Some(op) = binary_operator(op) else {
            // `a -> b` and `a <-> b` between plain expressions are plain logic.
            let (left, right) = (self.expr(left), self.expr(right));
            return match op {
                syntax::BinaryOp::Implies => Expr::binary(BinaryOp::Or, Expr::negation(left), right),
                syntax::BinaryOp::Equivalent => {
                    Expr::binary(BinaryOp::Equal, Expr::negation(left), Expr::negation(right))
                }
                _ => self.temporal_operator(span),
            };
        };
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) && constant_value(self, right) == Some(0) {
            self.error("promela::division-by-zero", "division by zero", right.span, "this is always 0");
        }
        Expr::binary(op, self.expr(left), self.expr(right))
    }

    fn temporal_operator(&mut self, span: Span) -> Expr {
        self.error(
            "promela::temporal-operator",
            "temporal operator in an expression about one state",
            span,
            "only an `ltl` formula may have it",
        );
        Expr::Const(0)
    }

    fn variable_expr(&mut self, variable: &syntax::VarRef) -> Expr {
        if let Some(predefined) = self.predefined(variable) {
            return predefined;
        }
        if let [part] = variable.parts.as_slice()
            && let Some(Symbol::Constant(value, _)) = self.scopes.find(&part.name.name)
        {
            return Expr::Const(*value);
        }
        self.place(variable).map_or(Expr::Const(0), Expr::Load)
    }

    fn predefined(&mut self, variable: &syntax::VarRef) -> Option<Expr> {
        let [part] = variable.parts.as_slice() else { return None };
        match part.name.name.as_str() {
            "_pid" => Some(Expr::OwnProcess),
            "_nr_pr" => Some(Expr::ProcessCount),
            "_last" => {
                self.model.uses_last = true;
                Some(Expr::LastProcess)
            }
            "_priority" => {
                self.model.uses_priorities = true;
                Some(Expr::Priority(Box::new(Expr::OwnProcess)))
            }
            "_" => {
                self.error("promela::write-only", "`_` cannot be read", variable.span, "write-only");
                Some(Expr::Const(0))
            }
            _ => None,
        }
    }

    /// The place of a scalar variable; `_` is nowhere. Problems are reported.
    pub fn place(&mut self, variable: &syntax::VarRef) -> Option<Place> {
        if let [part] = variable.parts.as_slice()
            && part.name.name == "_"
        {
            return Some(Place::fixed(Base::Discard, 0, ScalarType::INT));
        }
        let access = self.access(variable)?;
        match access.ty {
            Type::Scalar(ty) => {
                Some(Place { base: access.base, offset: access.offset, indices: access.indices, ty })
            }
            Type::Array { .. } => {
                self.error(
                    "promela::missing-index",
                    "an array is used like a single variable",
                    variable.span,
                    "needs an index",
                );
                None
            }
            Type::Record(_) => {
                self.error(
                    "promela::type-mismatch",
                    "a structure is used like a single variable",
                    variable.span,
                    "name one of its fields",
                );
                None
            }
        }
    }

    /// The place of a variable that is about to be written.
    pub fn assignable(&mut self, variable: &syntax::VarRef) -> Option<Place> {
        if let [part] = variable.parts.as_slice() {
            let name = part.name.name.as_str();
            let constant = matches!(self.scopes.find(name), Some(Symbol::Constant(..)));
            if constant || ["_pid", "_nr_pr", "_last"].contains(&name) {
                let message = format!("`{name}` cannot be assigned");
                self.error("promela::not-assignable", message, variable.span, "not a variable");
                return None;
            }
        }
        self.place(variable)
    }

    /// Follows a reference to a variable, a record or an array.
    pub fn access(&mut self, variable: &syntax::VarRef) -> Option<Access> {
        let (first, rest) = variable.parts.split_first().expect("a reference has a part");
        let symbol = match self.scopes.find(&first.name.name) {
            Some(Symbol::Variable(symbol)) => symbol.clone(),
            Some(Symbol::Constant(..)) => {
                let message = format!("`{}` is a constant", first.name.name);
                self.error("promela::not-assignable", message, first.name.span, "not a variable");
                return None;
            }
            None => return self.undeclared(&first.name),
        };
        let VariableSymbol { global, offset, ty, channel, .. } = symbol;
        let base = if global { Base::Global } else { Base::Own };
        let mut access = Access { base, offset, indices: Vec::new(), ty, channel };
        self.index(&mut access, first)?;
        for part in rest {
            self.field(&mut access, &part.name)?;
            self.index(&mut access, part)?;
        }
        Some(access)
    }

    fn undeclared(&mut self, name: &syntax::Ident) -> Option<Access> {
        let suggestion = self.scopes.similar(&name.name);
        self.error(
            "promela::undeclared-name",
            format!("`{}` is not declared", name.name),
            name.span,
            "not found in this scope",
        );
        if let (Some(suggestion), Some(last)) = (suggestion, self.diagnostics.last_mut()) {
            last.help = Some(format!("there is a `{suggestion}`"));
        }
        None
    }

    fn index(&mut self, access: &mut Access, part: &syntax::VarPart) -> Option<()> {
        let Some(index) = &part.index else { return Some(()) };
        let value = self.expr(index);
        self.apply_index(access, value, part.name.span, &part.name.name)
    }

    pub(crate) fn apply_index(
        &mut self,
        access: &mut Access,
        value: Expr,
        span: Span,
        name: &str,
    ) -> Option<()> {
        let Type::Array { element, length, .. } = access.ty.clone() else {
            let message = format!("`{name}` is not an array");
            self.error("promela::not-an-array", message, span, "cannot have an index");
            return None;
        };
        let stride = element.size_in(&self.model.records);
        access.indices.push(Index { value, length, stride });
        access.ty = *element;
        Some(())
    }

    pub(crate) fn field(&mut self, access: &mut Access, name: &syntax::Ident) -> Option<()> {
        let Type::Record(record) = access.ty else {
            let what = if matches!(access.ty, Type::Array { .. }) {
                "an array without index"
            } else {
                "not a structure"
            };
            let message = format!("field `{}` of something that is {what}", name.name);
            self.error("promela::unknown-field", message, name.span, "no such field");
            return None;
        };
        let record = &self.model.records[record.index()];
        let Some(field) = record.fields.iter().find(|field| field.name == name.name) else {
            let message = format!("structure `{}` has no field `{}`", record.name, name.name);
            self.error("promela::unknown-field", message, name.span, "no such field");
            return None;
        };
        access.offset += field.offset;
        access.ty = field.ty.clone();
        access.channel = None;
        Some(())
    }

    /// The scalars of a variable, structure or array, in order.
    pub fn flatten(&mut self, access: &Access) -> Vec<Place> {
        let mut places = Vec::new();
        self.flatten_into(access, &mut places);
        places
    }

    fn flatten_into(&self, access: &Access, out: &mut Vec<Place>) {
        match &access.ty {
            Type::Scalar(ty) => out.push(Place {
                base: access.base.clone(),
                offset: access.offset,
                indices: access.indices.clone(),
                ty: *ty,
            }),
            Type::Array { element, length, .. } => {
                let stride = element.size_in(&self.model.records);
                for index in 0..*length {
                    let offset = access.offset + index * stride;
                    self.flatten_into(&Access { offset, ty: (**element).clone(), ..access.clone() }, out);
                }
            }
            Type::Record(record) => {
                for field in &self.model.records[record.index()].fields {
                    let offset = access.offset + field.offset;
                    self.flatten_into(&Access { offset, ty: field.ty.clone(), ..access.clone() }, out);
                }
            }
        }
    }

    /// Lowers the arguments of a send or a `run`: structures stand for their fields.
    pub fn arguments(&mut self, arguments: &[syntax::Expr]) -> Vec<Expr> {
        let mut values = Vec::new();
        for argument in arguments {
            match self.structure(argument) {
                Some(access) => values.extend(self.flatten(&access).into_iter().map(Expr::Load)),
                None => values.push(self.expr(argument)),
            }
        }
        values
    }

    fn structure(&mut self, argument: &syntax::Expr) -> Option<Access> {
        let syntax::ExprKind::Variable(variable) = &argument.kind else { return None };
        self.structure_variable(variable)
    }

    pub(crate) fn structure_variable(&mut self, variable: &syntax::VarRef) -> Option<Access> {
        // Only look: the ordinary path reports problems.
        let reported = self.diagnostics.len();
        let access = self.access(variable);
        self.diagnostics.truncate(reported);
        access.filter(|access| matches!(access.ty, Type::Record(_)))
    }

    /// The number of a channel, and its type when the declaration says it.
    pub fn channel(&mut self, variable: &syntax::VarRef) -> (Expr, Option<ChannelTypeId>) {
        let Some(access) = self.access(variable) else { return (Expr::Const(0), None) };
        match access.ty {
            Type::Scalar(ty) if ty.kind == ScalarKind::Channel => {
                let place = Place { base: access.base, offset: access.offset, indices: access.indices, ty };
                (Expr::Load(place), access.channel)
            }
            Type::Array { .. } => {
                self.error(
                    "promela::missing-index",
                    "an array of channels is used like one channel",
                    variable.span,
                    "needs an index",
                );
                (Expr::Const(0), None)
            }
            _ => {
                self.error(
                    "promela::not-a-channel",
                    "a channel is expected here",
                    variable.span,
                    "not declared as `chan`",
                );
                (Expr::Const(0), None)
            }
        }
    }

    fn run(
        &mut self,
        process: &syntax::Ident,
        arguments: &[syntax::Expr],
        priority: Option<&syntax::Expr>,
        span: Span,
    ) -> Expr {
        let Some(&template) = self.processes.get(&process.name) else {
            let message = format!("there is no proctype `{}`", process.name);
            self.error("promela::undeclared-process", message, process.span, "not declared");
            return Expr::Const(0);
        };
        if self.creations.is_none() {
            let label = "not in an expression that is only looked at";
            self.error("promela::misplaced-run", "`run` cannot be used here", span, label);
            return Expr::Const(0);
        }
        let arguments = self.arguments(arguments);
        let expected = self.parameters[template.index()].len();
        if arguments.len() != expected {
            let message =
                format!("`{}` takes {expected} arguments, {} are given", process.name, arguments.len());
            self.error("promela::argument-count", message, span, format!("expected {expected}"));
            return Expr::Const(0);
        }
        let priority = self.priority(priority).unwrap_or(1);
        let creations = self.creations.get_or_insert_default();
        creations.push(Action::Create { template, arguments, priority });
        if creations.len() > 1 {
            self.error("promela::misplaced-run", "only one `run` in a statement", span, "one too many");
        }
        Expr::Created
    }

    /// A constant priority; says that priorities matter.
    pub fn priority(&mut self, priority: Option<&syntax::Expr>) -> Option<u8> {
        let priority = priority?;
        self.model.uses_priorities = true;
        match constant_value(self, priority) {
            Some(value @ 1..=255) => Some(value as u8),
            _ => {
                self.error(
                    "promela::constant-expected",
                    "a priority is a constant from 1 to 255",
                    priority.span,
                    "not such a constant",
                );
                None
            }
        }
    }

    fn remote_process(&mut self, process: &syntax::Ident) -> Option<fathom_model::TemplateId> {
        let template = self.processes.get(&process.name).copied();
        if template.is_none() {
            let message = format!("there is no proctype `{}`", process.name);
            self.error("promela::undeclared-process", message, process.span, "not declared");
        }
        template
    }

    fn remote_label(
        &mut self,
        process: &syntax::Ident,
        index: Option<&syntax::Expr>,
        label: &syntax::Ident,
    ) -> Expr {
        let Some(template) = self.remote_process(process) else { return Expr::Const(0) };
        let process = index.map(|index| Box::new(self.expr(index)));
        self.remote.push(Remote::Label { template, label: label.clone() });
        let location = fathom_model::LocationId(REMOTE_MARK | (self.remote.len() as u32 - 1));
        Expr::AtLocation { template, process, location }
    }

    fn remote_variable(
        &mut self,
        process: &syntax::Ident,
        index: Option<&syntax::Expr>,
        variable: &syntax::VarRef,
    ) -> Expr {
        let Some(template) = self.remote_process(process) else { return Expr::Const(0) };
        let process = index.map(|index| Box::new(self.expr(index)));
        let parts = variable
            .parts
            .iter()
            .map(|part| (part.name.clone(), part.index.as_ref().map(|index| self.expr(index))))
            .collect();
        self.remote.push(Remote::Variable { template, parts, span: variable.span });
        let offset = REMOTE_MARK | (self.remote.len() as u32 - 1);
        Expr::Load(Place::fixed(Base::Other { template, process }, offset, ScalarType::INT))
    }
}

/// Which message a receive takes: the one at the front, or at random the first that fits.
pub(crate) fn taken(random: bool) -> Which {
    if random { Which::First } else { Which::Front }
}

fn binary_operator(op: syntax::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        syntax::BinaryOp::Add => BinaryOp::Add,
        syntax::BinaryOp::Subtract => BinaryOp::Subtract,
        syntax::BinaryOp::Multiply => BinaryOp::Multiply,
        syntax::BinaryOp::Divide => BinaryOp::Divide,
        syntax::BinaryOp::Remainder => BinaryOp::Remainder,
        syntax::BinaryOp::ShiftLeft => BinaryOp::ShiftLeft,
        syntax::BinaryOp::ShiftRight => BinaryOp::ShiftRight,
        syntax::BinaryOp::BitAnd => BinaryOp::BitAnd,
        syntax::BinaryOp::BitOr => BinaryOp::BitOr,
        syntax::BinaryOp::BitXor => BinaryOp::BitXor,
        syntax::BinaryOp::Equal => BinaryOp::Equal,
        syntax::BinaryOp::NotEqual => BinaryOp::NotEqual,
        syntax::BinaryOp::Less => BinaryOp::Less,
        syntax::BinaryOp::LessEqual => BinaryOp::LessEqual,
        syntax::BinaryOp::Greater => BinaryOp::Greater,
        syntax::BinaryOp::GreaterEqual => BinaryOp::GreaterEqual,
        syntax::BinaryOp::And => BinaryOp::And,
        syntax::BinaryOp::Or => BinaryOp::Or,
        syntax::BinaryOp::Implies
        | syntax::BinaryOp::Equivalent
        | syntax::BinaryOp::Until
        | syntax::BinaryOp::WeakUntil
        | syntax::BinaryOp::Release => return None,
    })
}
