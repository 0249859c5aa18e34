//! Messages and printed text: fields, patterns, formats.

use fathom_model::{ChannelTypeId, Expr, Pattern, PrintForm, PrintPart, ScalarKind, Type};
use fathom_source::Span;

use crate::context::Context;
use crate::resolve::Access;
use crate::scope::Symbol;
use crate::syntax::{self, ExprKind, ReceiveArg};

impl Context {
    /// Lowers the fields of a receive or poll: structures stand for their fields.
    pub fn patterns(&mut self, arguments: &[ReceiveArg]) -> Vec<Pattern> {
        let mut patterns = Vec::new();
        for argument in arguments {
            match argument {
                ReceiveArg::Eval(value) | ReceiveArg::Constant(value) => {
                    patterns.push(Pattern::Match(self.expr(value)));
                }
                ReceiveArg::Variable(variable) => self.variable_pattern(variable, &mut patterns),
            }
        }
        patterns
    }

    fn variable_pattern(&mut self, variable: &syntax::VarRef, out: &mut Vec<Pattern>) {
        if let [part] = variable.parts.as_slice()
            && let Some(Symbol::Constant(value, _)) = self.scopes.find(&part.name.name)
        {
            out.push(Pattern::Match(Expr::Const(*value)));
        } else if let Some(access) = self.structure_variable(variable) {
            out.extend(self.flatten(&access).into_iter().map(Pattern::Bind));
        } else if let Some(place) = self.assignable(variable) {
            out.push(Pattern::Bind(place));
        }
    }

    /// Warns when a message does not have as many fields as its channel; running into it is an error.
    pub fn check_field_count(&mut self, channel: Option<ChannelTypeId>, found: usize, span: Span) {
        let Some(channel) = channel else { return };
        let channel = self.model.channel_type(channel);
        let (name, expected) = (channel.name.clone(), channel.fields.len());
        if expected != found {
            self.warning(
                "promela::field-count",
                format!("channel `{name}` has messages of {expected} fields, here are {found}"),
                span,
                format!("expected {expected} fields"),
            );
        }
    }

    /// Lowers a `printf`.
    pub fn print_parts(&mut self, format: &str, arguments: &[syntax::Expr], span: Span) -> Vec<PrintPart> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut rest = arguments.iter();
        let mut characters = format.chars().peekable();
        while let Some(character) = characters.next() {
            if character != '%' {
                text.push(character);
                continue;
            }
            // Widths and flags do not matter in a trace.
            while characters.next_if(|next| next.is_ascii_digit() || "-+ #.l".contains(*next)).is_some() {}
            let Some(letter) = characters.next() else {
                text.push('%');
                break;
            };
            if letter == '%' {
                text.push('%');
                continue;
            }
            let Some(argument) = rest.next() else {
                self.warning(
                    "promela::argument-count",
                    "more formats than values",
                    span,
                    "a value is missing",
                );
                continue;
            };
            let form = self.print_form(letter, argument, span);
            if !text.is_empty() {
                parts.push(PrintPart::Text(std::mem::take(&mut text)));
            }
            let value = self.expr(argument);
            parts.push(PrintPart::Value(value, form));
        }
        if !text.is_empty() {
            parts.push(PrintPart::Text(text));
        }
        if let Some(extra) = rest.next() {
            self.warning("promela::argument-count", "more values than formats", extra.span, "not printed");
        }
        parts
    }

    fn print_form(&mut self, letter: char, argument: &syntax::Expr, span: Span) -> PrintForm {
        match letter {
            'd' | 'i' => PrintForm::Decimal,
            'u' => PrintForm::Unsigned,
            'x' | 'X' => PrintForm::Hexadecimal,
            'o' => PrintForm::Octal,
            'c' => PrintForm::Character,
            'e' => self.name_form(argument),
            _ => {
                let message = format!("`%{letter}` is not a format");
                self.warning("promela::format", message, span, "one of d u x o c e");
                PrintForm::Decimal
            }
        }
    }

    /// Prints a value by its name, if it can be told which enumeration it is of.
    pub fn name_form(&mut self, argument: &syntax::Expr) -> PrintForm {
        let ExprKind::Variable(variable) = &argument.kind else { return self.only_enumeration() };
        if let [part] = variable.parts.as_slice()
            && let Some(Symbol::Constant(_, enumeration)) = self.scopes.find(&part.name.name)
        {
            return PrintForm::Name(*enumeration);
        }
        let reported = self.diagnostics.len();
        let access = self.access(variable);
        self.diagnostics.truncate(reported);
        match access {
            Some(Access { ty: Type::Scalar(scalar), .. }) => match scalar.kind {
                ScalarKind::Enumeration(enumeration) => PrintForm::Name(enumeration),
                _ => self.only_enumeration(),
            },
            _ => self.only_enumeration(),
        }
    }

    fn only_enumeration(&self) -> PrintForm {
        match self.enumerations.get("") {
            Some(&enumeration) => PrintForm::Name(enumeration),
            None => PrintForm::Decimal,
        }
    }
}
