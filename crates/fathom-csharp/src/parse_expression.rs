//! From the tree of the grammar to our syntax: expressions and literals.

use tree_sitter::Node;

use crate::parse::{Reader, children, operand, words};
use crate::syntax::{Argument, Expr, ExprKind, LambdaBody, Passing, TypeName, TypeNameKind};

const BINARY: [&str; 19] =
    ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "&", "|", "^", "<<", ">>", "??"];
const ASSIGNMENTS: [(&str, &str); 11] = [
    ("+=", "+"),
    ("-=", "-"),
    ("*=", "*"),
    ("/=", "/"),
    ("%=", "%"),
    ("&=", "&"),
    ("|=", "|"),
    ("^=", "^"),
    ("<<=", "<<"),
    (">>=", ">>"),
    ("??=", "??"),
];
const UNARY: [&str; 4] = ["-", "+", "!", "~"];

impl Reader<'_> {
    pub(crate) fn expr_kind(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let field = |name: &str| node.child_by_field_name(name);
        Some(match node.kind() {
            "parenthesized_expression" => return self.expr_kind_of(operand(node, |_| true)?),
            "null_literal" => ExprKind::Null,
            "boolean_literal" => ExprKind::Bool(self.text(node) == "true"),
            "integer_literal" if self.is_marked_name(node) => self.marked_name(node)?,
            "integer_literal" => self.integer(node)?,
            "real_literal" => self.real(node)?,
            "string_literal" => ExprKind::Text(self.quoted(node)?),
            "verbatim_string_literal" => {
                let text = self.text(node).strip_prefix("@\"")?.strip_suffix('"')?;
                ExprKind::Text(text.replace("\"\"", "\""))
            }
            "character_literal" => {
                let text = self.unescape(node, self.text(node).strip_prefix('\'')?.strip_suffix('\'')?)?;
                ExprKind::Char(text.chars().next()?)
            }
            "interpolated_string_expression" => self.interpolated(node)?,
            "identifier" => ExprKind::Name(self.name(node).text),
            "generic_name" => ExprKind::Type(self.type_name(node)?),
            "predefined_type" => ExprKind::Type(self.type_name(node)?),
            "this" => ExprKind::This,
            "base" => ExprKind::Base,
            "member_access_expression" => {
                let object = self.expr(field("expression")?);
                let name = field("name")?;
                let name = if name.kind() == "generic_name" {
                    // Arguments of methods are found out anyway.
                    children(name).into_iter().find(|child| child.kind() == "identifier")?
                } else {
                    name
                };
                ExprKind::Member(object, self.name(name))
            }
            "element_access_expression" => {
                let object = self.expr(field("expression")?);
                let arguments = self.arguments(field("subscript")?);
                ExprKind::Index(object, arguments.into_iter().map(|argument| argument.value).collect())
            }
            "invocation_expression" => {
                let function = self.expr(field("function")?);
                ExprKind::Call(function, self.arguments(field("arguments")?))
            }
            "object_creation_expression" => {
                if let Some(initializer) = field("initializer") {
                    self.unsupported(initializer, "an initializer in braces");
                }
                let ty = self.type_name(field("type")?)?;
                let arguments = field("arguments").map(|list| self.arguments(list)).unwrap_or_default();
                ExprKind::New(ty, arguments)
            }
            "array_creation_expression" => self.new_array(node)?,
            "implicit_array_creation_expression" => {
                let list =
                    children(node).into_iter().find(|child| child.kind() == "initializer_expression")?;
                ExprKind::NewArray(None, None, Some(self.list(list)))
            }
            "initializer_expression" => ExprKind::NewArray(None, None, Some(self.list(node))),
            "prefix_unary_expression" => self.prefix(node)?,
            "postfix_unary_expression" => self.postfix(node)?,
            "binary_expression" => {
                let operator = self.operator(node, &BINARY)?;
                ExprKind::Binary(operator, self.expr(field("left")?), self.expr(field("right")?))
            }
            "assignment_expression" => self.assignment(node)?,
            "conditional_expression" => {
                let condition = self.expr(field("condition")?);
                let then = self.expr(field("consequence")?);
                ExprKind::Conditional(condition, then, self.expr(field("alternative")?))
            }
            "cast_expression" => {
                let ty = self.type_name(field("type")?)?;
                ExprKind::Cast(ty, self.expr(field("value")?))
            }
            "default_expression" => match field("type") {
                Some(ty) => ExprKind::Default(Some(self.type_name(ty)?)),
                None => ExprKind::Default(None),
            },
            "checked_expression" if self.text(node).starts_with("unchecked") => {
                return self.expr_kind_of(operand(node, |_| true)?);
            }
            "typeof_expression" => ExprKind::TypeOf(self.type_name(field("type")?)?),
            "lambda_expression" | "anonymous_method_expression" if self.has_modifier(node, "async") => {
                self.unsupported(node, "`async`");
                return None;
            }
            "lambda_expression" => {
                let parameters = field("parameters")?;
                let parameters = if parameters.kind() == "implicit_parameter" {
                    let (name, passing) = (self.name(parameters), Passing::Value);
                    vec![crate::syntax::Parameter { attributes: Vec::new(), name, ty: None, passing }]
                } else {
                    self.parameters(parameters)
                };
                let body = field("body")?;
                let body = if body.kind() == "block" {
                    LambdaBody::Block(self.block(body))
                } else {
                    LambdaBody::Expr(self.expr(body))
                };
                ExprKind::Lambda(parameters, body)
            }
            "anonymous_method_expression" => {
                let parameters = field("parameters").map(|list| self.parameters(list)).unwrap_or_default();
                let body = children(node).into_iter().find(|child| child.kind() == "block")?;
                ExprKind::Lambda(parameters, LambdaBody::Block(self.block(body)))
            }
            kind => {
                self.unsupported(node, &words(kind));
                return None;
            }
        })
    }

    fn expr_kind_of(&mut self, node: Node<'_>) -> Option<ExprKind> {
        Some(*self.expr(node).kind)
    }

    fn list(&mut self, node: Node<'_>) -> Vec<Expr> {
        children(node).into_iter().map(|child| self.expr(child)).collect()
    }

    pub(crate) fn arguments(&mut self, node: Node<'_>) -> Vec<Argument> {
        let mut arguments = Vec::new();
        for argument in children(node).into_iter().filter(|child| child.kind() == "argument") {
            if let Some(name) = argument.child_by_field_name("name") {
                self.unsupported(name, "an argument by name");
            }
            let mut cursor = argument.walk();
            let word = argument.children(&mut cursor).find_map(|child| match child.kind() {
                "out" => Some(Passing::Out),
                "ref" => Some(Passing::Ref),
                _ => None,
            });
            let label = argument.child_by_field_name("name");
            let Some(value) = operand(argument, |part| Some(part) != label) else { continue };
            let (declares, value) = if value.kind() == "declaration_expression" {
                let declared = self.field_type(value).map(|ty| (ty, self.name_of(value)));
                (declared, self.error_expr(value))
            } else {
                (None, self.expr(value))
            };
            arguments.push(Argument { passing: word.unwrap_or(Passing::Value), declares, value });
        }
        arguments
    }

    fn operator(&mut self, node: Node<'_>, among: &[&'static str]) -> Option<&'static str> {
        let found =
            node.child_by_field_name("operator").map(|operator| self.text(operator)).unwrap_or_default();
        let known = among.iter().find(|operator| **operator == found).copied();
        if known.is_none() {
            self.unsupported(node, &format!("the operator `{found}`"));
        }
        known
    }

    fn prefix(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let value = operand(node, |_| true)?;
        let word = node.child(0).map(|child| self.text(child)).unwrap_or_default();
        if word == "-" && value.kind() == "integer_literal" {
            // The least number has no positive counterpart.
            if let Some(ExprKind::Int(number, is_long)) = self.negative(value) {
                return Some(ExprKind::Int(number, is_long));
            }
        }
        let value = self.expr(value);
        match word {
            "++" => Some(ExprKind::Step(1, false, value)),
            "--" => Some(ExprKind::Step(-1, false, value)),
            _ => match UNARY.iter().find(|known| **known == word) {
                Some(known) => Some(ExprKind::Unary(known, value)),
                None => {
                    self.unsupported(node, &format!("the operator `{word}`"));
                    None
                }
            },
        }
    }

    fn postfix(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let value = self.expr(operand(node, |_| true)?);
        let text = self.text(node);
        if text.ends_with("++") {
            Some(ExprKind::Step(1, true, value))
        } else if text.ends_with("--") {
            Some(ExprKind::Step(-1, true, value))
        } else {
            // `a!` says that `a` is not null, which is found out anyway.
            Some(*value.kind)
        }
    }

    fn assignment(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let left = self.expr(node.child_by_field_name("left")?);
        let found = node.child_by_field_name("operator").map(|operator| self.text(operator)).unwrap_or("=");
        let operator =
            ASSIGNMENTS.iter().find(|(written, _)| *written == found).map(|(_, operator)| *operator);
        if found != "=" && operator.is_none() {
            self.unsupported(node, &format!("the operator `{found}`"));
            return None;
        }
        let right = self.expr(node.child_by_field_name("right")?);
        Some(ExprKind::Assign(left, operator, right))
    }

    fn new_array(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let ty = node.child_by_field_name("type")?;
        let rank = ty.child_by_field_name("rank")?;
        let element = self.type_name(ty.child_by_field_name("type")?)?;
        let sizes = children(rank);
        if sizes.len() > 1 {
            self.unsupported(rank, "an array of several dimensions");
            return None;
        }
        let size = sizes.first().map(|size| self.expr(*size));
        let list = children(node).into_iter().find(|child| child.kind() == "initializer_expression");
        let list = list.map(|list| self.list(list));
        let ty = TypeName { span: self.span(ty), kind: TypeNameKind::Array(Box::new(element)) };
        Some(ExprKind::NewArray(Some(ty), size, list))
    }

    fn interpolated(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let mut parts = Vec::new();
        for child in children(node) {
            let span = self.span(child);
            match child.kind() {
                "interpolation" => {
                    let is_value = |part: Node<'_>| part.kind() != "interpolation_brace";
                    if let Some(value) = operand(child, is_value) {
                        parts.push(self.expr(value));
                    }
                    if children(child).iter().any(|part| part.kind().ends_with("_clause")) {
                        self.unsupported(child, "a format");
                    }
                }
                "string_content" | "escape_sequence" => {
                    let text = self.unescape(child, self.text(child))?.replace("{{", "{").replace("}}", "}");
                    parts.push(Expr { span, kind: Box::new(ExprKind::Text(text)) });
                }
                _ => (),
            }
        }
        Some(ExprKind::Interpolated(parts))
    }

    fn negative(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let (digits, radix, is_long) = number(self.text(node));
        let value = i64::from_str_radix(&format!("-{digits}"), radix).ok()?;
        let is_long = is_long || i32::try_from(value).is_err();
        Some(ExprKind::Int(value, is_long))
    }

    fn integer(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let (digits, radix, is_long) = number(self.text(node));
        match i64::from_str_radix(&digits, radix) {
            Ok(value) => Some(ExprKind::Int(value, is_long || i32::try_from(value).is_err())),
            Err(_) => {
                self.unsupported(node, "a number of this size or kind");
                None
            }
        }
    }

    fn real(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let text: String = self.text(node).chars().filter(|c| *c != '_').collect();
        let text = text.trim_end_matches(['d', 'D']);
        match text.parse() {
            Ok(value) => Some(ExprKind::Double(value)),
            Err(_) => {
                self.unsupported(node, "a number of this kind");
                None
            }
        }
    }

    fn quoted(&mut self, node: Node<'_>) -> Option<String> {
        let text = self.text(node).strip_prefix('"')?.strip_suffix('"')?;
        self.unescape(node, text)
    }

    fn unescape(&mut self, node: Node<'_>, text: &str) -> Option<String> {
        let mut plain = String::new();
        let mut rest = text.chars();
        while let Some(next) = rest.next() {
            if next != '\\' {
                plain.push(next);
                continue;
            }
            let escaped = match rest.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('0') => '\0',
                Some(same @ ('\\' | '"' | '\'')) => same,
                Some(word @ ('u' | 'x')) => {
                    // `\x` has one digit to four of them.
                    let after = rest.as_str();
                    let is_digit = |one: &char| word == 'u' || one.is_ascii_hexdigit();
                    let digits: String = after.chars().take(4).take_while(is_digit).collect();
                    rest = after[digits.len()..].chars();
                    match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                        Some(found) => found,
                        None => {
                            self.unsupported(node, "this escape");
                            return None;
                        }
                    }
                }
                _ => {
                    self.unsupported(node, "this escape");
                    return None;
                }
            };
            plain.push(escaped);
        }
        Some(plain)
    }
}

/// The digits of a whole number, their base, and whether it says that it is a long one.
fn number(text: &str) -> (String, u32, bool) {
    let text: String = text.chars().filter(|c| *c != '_').collect();
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (text[2..].to_string(), 16),
        Some("0b" | "0B") => (text[2..].to_string(), 2),
        _ => (text, 10),
    };
    match digits.strip_suffix(['l', 'L']) {
        Some(short) => (short.to_string(), radix, true),
        None => (digits, radix, false),
    }
}
