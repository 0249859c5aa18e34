//! A model as text: for people who want to see what a front end made of their source.
//!
//! Places are printed with the names of variables instead of byte offsets. Operators look as in C, with no
//! more parentheses than needed.

use std::fmt::Write;

use crate::{
    Action, Base, BinaryOp, ChannelQuery, Edge, Enumeration, Expr, Frame, Guard, Initializer, Model,
    NO_PROCESS, Pattern, Place, PrintForm, PrintPart, Question, ScalarKind, ScalarType, Sync, Template,
    TemplateId, Type, UnaryOp, Which,
};

/// The whole model as text.
pub fn print_model(model: &Model) -> String {
    let mut out = String::new();
    let printer = Printer { model, template: None };
    printer.write_header(&mut out);
    for index in 0..model.templates.len() {
        let template = TemplateId::from(index);
        Printer { model, template: Some(template) }.write_template(model.template(template), &mut out);
    }
    for start in &model.start {
        let name = &model.template(start.template).name;
        let _ = writeln!(out, "start {name}({})", printer.list(&start.arguments));
    }
    for property in &model.properties {
        let _ = write!(out, "property {}: {}", property.name, property.question.kind());
        if let Question::Invariant(expr) | Question::Reach(expr) = &property.question {
            let _ = write!(out, " {}", printer.expr(expr, 0));
        }
        out.push('\n');
    }
    out
}

/// An expression as text. The template says whose locals are the own ones.
pub fn display_expr(model: &Model, template: Option<TemplateId>, expr: &Expr) -> String {
    Printer { model, template }.expr(expr, 0)
}

/// A place as text: the name of a variable with fields and indices.
pub fn display_place(model: &Model, template: Option<TemplateId>, place: &Place) -> String {
    Printer { model, template }.place(place)
}

/// A value as text: members of enumerations and truth values by name.
pub fn display_value(model: &Model, ty: ScalarType, value: i64) -> String {
    let named = match ty.kind {
        ScalarKind::Boolean if value == 0 => Some("false"),
        ScalarKind::Boolean => Some("true"),
        ScalarKind::Enumeration(id) => {
            model.enumerations.get(id.index()).and_then(|names: &Enumeration| names.name_of(value))
        }
        ScalarKind::Channel if value == 0 => Some("none"),
        ScalarKind::Channel => return format!("chan#{value}"),
        ScalarKind::Process if value == NO_PROCESS => Some("nil"),
        ScalarKind::Integer | ScalarKind::Process => None,
    };
    named.map_or_else(|| value.to_string(), str::to_owned)
}

struct Printer<'m> {
    model: &'m Model,
    /// Whose locals are the own ones.
    template: Option<TemplateId>,
}

impl Printer<'_> {
    fn write_header(&self, out: &mut String) {
        let _ = writeln!(out, "model {}", self.model.name);
        for enumeration in &self.model.enumerations {
            let members: Vec<_> =
                enumeration.members.iter().map(|(value, name)| format!("{name} = {value}")).collect();
            let _ = writeln!(out, "enumeration {} {{ {} }}", enumeration.name, members.join(", "));
        }
        for record in &self.model.records {
            let fields: Vec<_> =
                record.fields.iter().map(|field| format!("{}: {}", field.name, self.ty(&field.ty))).collect();
            let _ = writeln!(out, "record {} {{ {} }}", record.name, fields.join(", "));
        }
        for (index, ty) in self.model.channel_types.iter().enumerate() {
            let fields: Vec<_> = ty.fields.iter().map(|field| self.scalar(*field)).collect();
            let _ = writeln!(out, "channel {index} {}: [{}] of {}", ty.name, ty.capacity, fields.join(", "));
        }
        self.write_frame(&self.model.globals, "", out);
    }

    fn write_frame(&self, frame: &Frame, indent: &str, out: &mut String) {
        for variable in &frame.variables {
            let ty = self.ty(&variable.ty);
            let _ = writeln!(out, "{indent}variable {}: {ty} at {}", variable.name, variable.offset);
        }
        for initializer in &frame.initializers {
            let _ = match initializer {
                Initializer::Value { place, value } => {
                    writeln!(out, "{indent}initial {} = {}", self.place(place), self.expr(value, 0))
                }
                Initializer::Channel { place, channel_type } => {
                    writeln!(out, "{indent}initial {} = new channel {}", self.place(place), channel_type.0)
                }
            };
        }
    }

    fn write_template(&self, template: &Template, out: &mut String) {
        let parameters: Vec<_> = template.parameters.iter().map(|place| self.place(place)).collect();
        let _ = write!(out, "template {}({})", template.name, parameters.join(", "));
        if let Some(provided) = &template.provided {
            let _ = write!(out, " provided {}", self.expr(provided, 0));
        }
        let _ = writeln!(out, " from {}", template.initial.0);
        self.write_frame(&template.locals, "  ", out);
        for (index, location) in template.locations.iter().enumerate() {
            let _ = write!(out, "  location {index}");
            for label in &location.labels {
                let _ = write!(out, " {label}:");
            }
            let marks = [
                (location.end, "end"),
                (location.progress, "progress"),
                (location.accept, "accept"),
                (location.deterministic, "deterministic"),
            ];
            for (_, mark) in marks.iter().filter(|(set, _)| *set) {
                let _ = write!(out, " {mark}");
            }
            out.push('\n');
            for (group, edges) in location.groups.iter().enumerate() {
                for edge in edges {
                    let group = if location.groups.len() > 1 { format!("[{group}] ") } else { String::new() };
                    let text = self.edge(template.edge(*edge));
                    let _ = writeln!(out, "    {group}{}: {text}", edge.0);
                }
            }
        }
    }

    fn edge(&self, edge: &Edge) -> String {
        let mut parts = Vec::new();
        match &edge.guard {
            Guard::Always => {}
            Guard::When(condition) => parts.push(format!("when {}", self.expr(condition, 0))),
            Guard::Else => parts.push("else".to_owned()),
            Guard::Youngest => parts.push("when youngest".to_owned()),
        }
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, fields, sorted }) => {
                let operator = if *sorted { "!!" } else { "!" };
                parts.push(format!("{}{operator}{}", self.expr(channel, PRIMARY), self.list(fields)));
            }
            Some(Sync::Receive { channel, patterns, which, copy }) => {
                let operator = receive_operator(*which);
                let (open, close) = if *copy { ("<", ">") } else { ("", "") };
                let patterns = self.patterns(patterns);
                parts.push(format!("{}{operator}{open}{patterns}{close}", self.expr(channel, PRIMARY)));
            }
        }
        parts.extend(edge.effect.iter().map(|action| self.action(action)));
        if parts.is_empty() {
            parts.push("skip".to_owned());
        }
        let atomic = if edge.atomic { " atomic" } else { "" };
        format!("{} -> {}{atomic}", parts.join("; "), edge.target.0)
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Assign(place, value) => format!("{} = {}", self.place(place), self.expr(value, 0)),
            Action::Choose { place, least, most } => {
                format!("{} = choose {least}..{most}", self.place(place))
            }
            Action::Create { template, arguments, .. } => {
                format!("run {}({})", self.model.template(*template).name, self.list(arguments))
            }
            Action::Require(condition) => format!("require {}", self.expr(condition, 0)),
            Action::Assert(condition) => format!("assert {}", self.expr(condition, 0)),
            Action::SetPriority { process, priority } => {
                format!("priority[{}] = {}", self.expr(process, 0), self.expr(priority, 0))
            }
            Action::Print(parts) => self.print_action(parts),
            Action::End => "end".to_owned(),
        }
    }

    fn print_action(&self, parts: &[PrintPart]) -> String {
        let (mut text, mut values) = (String::new(), String::new());
        for part in parts {
            match part {
                PrintPart::Text(part) => text.push_str(&part.escape_debug().to_string()),
                PrintPart::Value(value, form) => {
                    text.push_str(match form {
                        PrintForm::Decimal => "%d",
                        PrintForm::Unsigned => "%u",
                        PrintForm::Hexadecimal => "%x",
                        PrintForm::Octal => "%o",
                        PrintForm::Character => "%c",
                        PrintForm::Truth => "%b",
                        PrintForm::Name(_) => "%e",
                    });
                    let _ = write!(values, ", {}", self.expr(value, 0));
                }
            }
        }
        format!("print \"{text}\"{values}")
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr, 0)).collect::<Vec<_>>().join(", ")
    }

    fn patterns(&self, patterns: &[Pattern]) -> String {
        let pattern = |pattern: &Pattern| match pattern {
            Pattern::Match(Expr::Const(value)) => value.to_string(),
            Pattern::Match(expr) => format!("eval({})", self.expr(expr, 0)),
            Pattern::Bind(place) => self.place(place),
        };
        patterns.iter().map(pattern).collect::<Vec<_>>().join(", ")
    }

    /// An expression in a place where operators that bind less tightly than `tightness` need parentheses.
    fn expr(&self, expr: &Expr, tightness: u8) -> String {
        let (text, own) = match expr {
            Expr::Const(value) => (value.to_string(), if *value < 0 { UNARY } else { PRIMARY }),
            Expr::Load(place) => (self.place(place), PRIMARY),
            Expr::Unary(op, operand) => {
                let op = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Complement => "~",
                    UnaryOp::Not => "!",
                };
                (format!("{op}{}", self.expr(operand, PRIMARY)), UNARY)
            }
            Expr::Binary(op, left, right) => {
                let (word, own) = binary_operator(*op);
                let is_comparison = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
                let member = |expr, beside| is_comparison.then(|| self.member(expr, beside)).flatten();
                let left_text = member(left, right).unwrap_or_else(|| self.expr(left, own));
                let right_text = member(right, left).unwrap_or_else(|| self.expr(right, own + 1));
                (format!("{left_text} {word} {right_text}"), own)
            }
            Expr::Conditional(condition, then, otherwise) => {
                let [condition, then] = [self.expr(condition, 1), self.expr(then, 1)];
                (format!("{condition} ? {then} : {}", self.expr(otherwise, 0)), 0)
            }
            Expr::Poll { channel, patterns, which } => {
                let operator = receive_operator(*which);
                (format!("{}{operator}[{}]", self.expr(channel, PRIMARY), self.patterns(patterns)), PRIMARY)
            }
            _ => (self.question(expr), PRIMARY),
        };
        if own < tightness { format!("({text})") } else { text }
    }

    /// A number beside a variable of an enumeration, by the name that it has there.
    fn member(&self, expr: &Expr, beside: &Expr) -> Option<String> {
        let (Expr::Const(value), Expr::Load(place)) = (expr, beside) else { return None };
        matches!(place.ty.kind, ScalarKind::Enumeration(_))
            .then(|| display_value(self.model, place.ty, *value))
    }

    fn question(&self, expr: &Expr) -> String {
        let call = |name: &str, operand: &Expr| format!("{name}({})", self.expr(operand, 0));
        match expr {
            Expr::Channel(query, channel) => {
                let name = match query {
                    ChannelQuery::Length => "len",
                    ChannelQuery::Empty => "empty",
                    ChannelQuery::NotEmpty => "nempty",
                    ChannelQuery::Full => "full",
                    ChannelQuery::NotFull => "nfull",
                };
                call(name, channel)
            }
            Expr::Enabled(process) => call("enabled", process),
            Expr::LocationOf(process) => call("location", process),
            Expr::Priority(process) => call("priority", process),
            Expr::AtLocation { template, process, location } => {
                let labels = &self.model.template(*template).location(*location).labels;
                let location = labels.first().cloned().unwrap_or_else(|| location.0.to_string());
                format!("{}@{location}", self.other(*template, process.as_deref()))
            }
            Expr::OwnProcess => "_pid".to_owned(),
            Expr::ProcessCount => "_nr_pr".to_owned(),
            Expr::LastProcess => "_last".to_owned(),
            Expr::Created => "created".to_owned(),
            Expr::Timeout => "timeout".to_owned(),
            Expr::NonProgress => "np_".to_owned(),
            Expr::SomeAccepting => "accepting_".to_owned(),
            _ => unreachable!("printed by `expr`"),
        }
    }

    fn other(&self, template: TemplateId, process: Option<&Expr>) -> String {
        let name = &self.model.template(template).name;
        process.map_or_else(|| name.clone(), |process| format!("{name}[{}]", self.expr(process, 0)))
    }

    fn place(&self, place: &Place) -> String {
        let (prefix, frame) = match &place.base {
            Base::Global => (String::new(), Some(&self.model.globals)),
            Base::Own => (String::new(), self.template.map(|own| &self.model.template(own).locals)),
            Base::Other { template, process } => {
                let prefix = format!("{}:", self.other(*template, process.as_deref()));
                (prefix, Some(&self.model.template(*template).locals))
            }
            Base::Temporary => ("next ".to_owned(), Some(&self.model.globals)),
            Base::Discard => return "_".to_owned(),
        };
        let name = frame.and_then(|frame| self.name_in(frame, place));
        format!("{prefix}{}", name.unwrap_or_else(|| format!("@{}", place.offset)))
    }

    /// The name of a place in a frame: follows the offset into arrays and records.
    fn name_in(&self, frame: &Frame, place: &Place) -> Option<String> {
        let holds = |offset: u32, ty: &Type| {
            place.offset >= offset && place.offset - offset < ty.size(self.model).max(1)
        };
        let variable = frame.variables.iter().find(|variable| holds(variable.offset, &variable.ty))?;
        let mut name = variable.name.clone();
        let mut rest = place.offset - variable.offset;
        let mut indices = place.indices.iter().peekable();
        let mut ty = &variable.ty;
        loop {
            match ty {
                Type::Scalar(_) => return Some(name),
                Type::Array { element, length, .. } => {
                    let size = element.size(self.model).max(1);
                    let fixed = rest / size;
                    let index = indices.next_if(|index| index.stride == size && index.length == *length);
                    let index = match index {
                        Some(index) if fixed == 0 => self.expr(&index.value, 0),
                        Some(index) => format!("{} + {fixed}", self.expr(&index.value, ADDITIVE)),
                        None => fixed.to_string(),
                    };
                    let _ = write!(name, "[{index}]");
                    rest %= size;
                    ty = element;
                }
                Type::Record(record) => {
                    let fields = &self.model.records.get(record.index())?.fields;
                    let field = fields.iter().rfind(|field| field.offset <= rest)?;
                    let _ = write!(name, ".{}", field.name);
                    rest -= field.offset;
                    ty = &field.ty;
                }
            }
        }
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Scalar(scalar) => self.scalar(*scalar),
            Type::Array { element, length, .. } => format!("{}[{length}]", self.ty(element)),
            Type::Record(record) => {
                self.model.records.get(record.index()).map_or_else(String::new, |record| record.name.clone())
            }
        }
    }

    fn scalar(&self, ty: ScalarType) -> String {
        match ty.kind {
            ScalarKind::Integer => format!("{}{}", if ty.signed { "i" } else { "u" }, ty.bits),
            ScalarKind::Boolean => "bool".to_owned(),
            ScalarKind::Enumeration(id) => {
                let enumeration = self.model.enumerations.get(id.index());
                enumeration.map_or_else(String::new, |enumeration| enumeration.name.clone())
            }
            ScalarKind::Channel => "channel".to_owned(),
            ScalarKind::Process => "process".to_owned(),
        }
    }
}

/// How tightly `+` binds.
const ADDITIVE: u8 = 9;
/// How tightly operators with one operand bind.
const UNARY: u8 = 11;
/// How tightly names, numbers and calls bind.
const PRIMARY: u8 = 12;

/// An operator with two operands, and how tightly it binds.
/// How a receive is written, by which message it takes.
fn receive_operator(which: Which) -> String {
    match which {
        Which::Front => "?".to_owned(),
        Which::First => "??".to_owned(),
        Which::Beside(passed) => {
            let passed: Vec<String> = (0..64)
                .filter(|value| passed >> value & 1 == 1)
                .map(|value: u32| value.to_string())
                .collect();
            format!("?(beside {})", passed.join(", "))
        }
        Which::At(place) => format!("?(at {place})"),
    }
}

fn binary_operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 1),
        BinaryOp::And => ("&&", 2),
        BinaryOp::BitOr => ("|", 3),
        BinaryOp::BitXor => ("^", 4),
        BinaryOp::BitAnd => ("&", 5),
        BinaryOp::Equal => ("==", 6),
        BinaryOp::NotEqual => ("!=", 6),
        BinaryOp::Less => ("<", 7),
        BinaryOp::LessEqual => ("<=", 7),
        BinaryOp::Greater => (">", 7),
        BinaryOp::GreaterEqual => (">=", 7),
        BinaryOp::ShiftLeft => ("<<", 8),
        BinaryOp::ShiftRight => (">>", 8),
        BinaryOp::Add => ("+", 9),
        BinaryOp::Subtract => ("-", 9),
        BinaryOp::Multiply => ("*", 10),
        BinaryOp::Divide => ("/", 10),
        BinaryOp::Remainder => ("%", 10),
    }
}
