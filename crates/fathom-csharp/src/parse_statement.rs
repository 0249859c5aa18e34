//! From the tree of the grammar to our syntax: statements.

use tree_sitter::Node;

use crate::parse::{Reader, children, operand, words};
use crate::syntax::{Block, Expr, ExprKind, Name, Stmt, StmtKind};

impl Reader<'_> {
    /// Statements in braces.
    pub(crate) fn block(&mut self, node: Node<'_>) -> Block {
        children(node).into_iter().map(|child| self.stmt(child)).collect()
    }

    /// A statement.
    pub(crate) fn stmt(&mut self, node: Node<'_>) -> Stmt {
        let span = self.span(node);
        let kind = self.deeper(node, |reader| reader.stmt_kind(node)).unwrap_or(StmtKind::Empty);
        Stmt { span, kind }
    }

    fn boxed(&mut self, node: Option<Node<'_>>) -> Option<Box<Stmt>> {
        node.map(|node| Box::new(self.stmt(node)))
    }

    fn stmt_kind(&mut self, node: Node<'_>) -> Option<StmtKind> {
        let field = |name: &str| node.child_by_field_name(name);
        Some(match node.kind() {
            "empty_statement" => StmtKind::Empty,
            "block" => StmtKind::Block(self.block(node)),
            "local_declaration_statement" => self.local(node)?,
            "expression_statement" => StmtKind::Expr(self.expr(operand(node, |_| true)?)),
            "if_statement" => {
                let condition = self.expr(field("condition")?);
                let then = self.boxed(field("consequence"))?;
                StmtKind::If(condition, then, self.boxed(field("alternative")))
            }
            "while_statement" => {
                let condition = self.expr(field("condition").or_else(|| operand(node, |_| true))?);
                StmtKind::While(condition, self.boxed(field("body"))?)
            }
            "do_statement" => {
                let body = self.boxed(field("body"))?;
                StmtKind::DoWhile(body, self.expr(field("condition")?))
            }
            "for_statement" => self.for_loop(node)?,
            "foreach_statement" => {
                let left = field("left")?;
                let (ty, name) = match field("type") {
                    Some(ty) if left.kind() == "identifier" => (self.type_name(ty)?, self.name(left)),
                    Some(_) => {
                        self.unsupported(left, "a pattern");
                        return None;
                    }
                    None => self.type_and_name(left)?,
                };
                let source = self.expr(field("right")?);
                StmtKind::ForEach(ty, name, source, self.boxed(field("body"))?)
            }
            "switch_statement" => self.switch(node)?,
            "return_statement" => StmtKind::Return(operand(node, |_| true).map(|value| self.expr(value))),
            "yield_statement" => StmtKind::Yield(operand(node, |_| true).map(|value| self.expr(value))),
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "throw_statement" => StmtKind::Throw(operand(node, |_| true).map(|value| self.expr(value))),
            "try_statement" => self.try_block(node)?,
            "checked_statement" if self.text(node).starts_with("unchecked") => {
                StmtKind::Block(self.block(children(node).first().copied()?))
            }
            kind => {
                self.unsupported(node, &words(kind));
                return None;
            }
        })
    }

    fn local(&mut self, node: Node<'_>) -> Option<StmtKind> {
        let declaration = children(node).into_iter().find(|child| child.kind() == "variable_declaration")?;
        let ty = self.field_type(declaration)?;
        let modifiers = children(node).into_iter().filter(|child| child.kind() == "modifier");
        let (constant, others): (Vec<_>, Vec<_>) = modifiers.partition(|word| self.text(*word) == "const");
        for other in others {
            let what = format!("`{}` at a local variable", self.text(other));
            self.unsupported(other, &what);
        }
        let variables = self.declarators(declaration);
        Some(if constant.is_empty() {
            StmtKind::Local(ty, variables)
        } else {
            StmtKind::Const(ty, variables)
        })
    }

    fn for_loop(&mut self, node: Node<'_>) -> Option<StmtKind> {
        let mut cursor = node.walk();
        let mut first = Vec::new();
        for child in node.children_by_field_name("initializer", &mut cursor).filter(Node::is_named) {
            let span = self.span(child);
            let kind = if child.kind() == "variable_declaration" {
                let ty = self.field_type(child)?;
                StmtKind::Local(ty, self.declarators(child))
            } else {
                StmtKind::Expr(self.expr(child))
            };
            first.push(Stmt { span, kind });
        }
        let condition = node.child_by_field_name("condition").map(|condition| self.expr(condition));
        let mut cursor = node.walk();
        let updates: Vec<Node<'_>> =
            node.children_by_field_name("update", &mut cursor).filter(Node::is_named).collect();
        let updates: Vec<Expr> = updates.into_iter().map(|update| self.expr(update)).collect();
        let body = self.boxed(node.child_by_field_name("body"))?;
        Some(StmtKind::For(first, condition, updates, body))
    }

    fn switch(&mut self, node: Node<'_>) -> Option<StmtKind> {
        let value = self.expr(node.child_by_field_name("value")?);
        let mut sections: Vec<(Vec<Option<Expr>>, Block)> = Vec::new();
        let mut labels: Vec<Option<Expr>> = Vec::new();
        for section in children(node.child_by_field_name("body")?) {
            let mut cursor = section.walk();
            let parts: Vec<Node<'_>> = section.children(&mut cursor).collect();
            let mut body = Block::new();
            for part in parts {
                match part.kind() {
                    "default" => labels.push(None),
                    "constant_pattern" => {
                        let constant = operand(part, |_| true)?;
                        labels.push(Some(self.expr(constant)));
                    }
                    kind if kind.ends_with("_pattern") || kind == "when_clause" => {
                        self.unsupported(part, &words(kind));
                    }
                    "comment" => (),
                    _ if part.is_named()
                        && (part.kind().ends_with("_statement") || part.kind() == "block") =>
                    {
                        body.push(self.stmt(part));
                    }
                    _ if part.is_named() => labels.push(Some(self.expr(part))),
                    _ => (),
                }
            }
            // A label without statements belongs to the section that follows.
            if !body.is_empty() {
                sections.push((std::mem::take(&mut labels), body));
            }
        }
        if !labels.is_empty() {
            sections.push((labels, Block::new()));
        }
        Some(StmtKind::Switch(value, sections))
    }

    fn try_block(&mut self, node: Node<'_>) -> Option<StmtKind> {
        let body = self.block(node.child_by_field_name("body")?);
        let (mut handler, mut last) = (None, None);
        for child in children(node) {
            match child.kind() {
                "catch_clause" => {
                    let caught = self.catch(child)?;
                    if handler.replace(caught).is_some() {
                        self.unsupported(child, "more than one catch clause");
                    }
                }
                "finally_clause" => {
                    let block = children(child).into_iter().find(|part| part.kind() == "block")?;
                    last = Some(self.block(block));
                }
                _ => (),
            }
        }
        Some(StmtKind::Try(body, handler, last))
    }

    fn catch(&mut self, node: Node<'_>) -> Option<(Option<Name>, Block)> {
        let mut name = None;
        for child in children(node) {
            match child.kind() {
                "catch_declaration" => {
                    let ty = child.child_by_field_name("type")?;
                    if !["Exception", "System.Exception"].contains(&self.text(ty)) {
                        self.unsupported(ty, "a handler for some errors only");
                    }
                    name = child.child_by_field_name("name").map(|name| self.name(name));
                }
                "catch_filter_clause" => self.unsupported(child, "a handler for some errors only"),
                _ => (),
            }
        }
        let body = node.child_by_field_name("body")?;
        Some((name, self.block(body)))
    }

    /// An expression.
    pub(crate) fn expr(&mut self, node: Node<'_>) -> Expr {
        let span = self.span(node);
        match self.deeper(node, |reader| reader.expr_kind(node)) {
            Some(kind) => Expr { span, kind: Box::new(kind) },
            None => Expr { span, kind: Box::new(ExprKind::Error) },
        }
    }
}
