//! The textual form: processes, instantiations, the system line; and queries.

use fathom_source::Span;

use crate::branch::join_branches;
use crate::lexer::Kind;
use crate::parse_expression::Parser;
use crate::syntax::{
    Direction, Document, Edge, Expression, Instantiation, Location, Name, Query, QueryKind, Template,
    TypeExpression,
};

/// What is said of weights.
pub(crate) const WEIGHTS: &str =
    "weights of branches (probabilities) are not supported; without them a branch point is a choice";

impl Parser<'_> {
    /// A whole file in text, or the part of it that stands in a section of XML.
    pub fn document(&mut self, document: &mut Document) {
        while !self.is_end() {
            let from = self.at;
            document.declarations.extend(self.declarations());
            if self.is_end() {
                break;
            }
            let read = match self.peek() {
                Kind::Word(word) if word == "process" => self.process(document),
                Kind::Word(word) if word == "system" => self.system(document),
                Kind::Word(word) if word == "IO" => self.alphabet(document),
                Kind::Word(word) if word == "progress" || word == "gantt" => {
                    self.at += 1;
                    self.recover(self.at);
                    Some(())
                }
                Kind::Word(_) => self.instantiation(document),
                _ => self.unexpected("expected a declaration"),
            };
            if read.is_none() {
                self.recover(from);
            }
            if self.at == from {
                self.at += 1;
            }
        }
    }

    fn instantiation(&mut self, document: &mut Document) -> Option<()> {
        let name = self.name()?;
        let parameters = if self.accept("(") { self.parameters(")")? } else { Vec::new() };
        if !self.accept("=") {
            self.expect(":=")?;
        }
        let template = self.name()?;
        self.expect("(")?;
        let arguments = self.expressions_to(")")?;
        self.expect(";")?;
        document.instantiations.push(Instantiation { name, parameters, template, arguments });
        Some(())
    }

    fn system(&mut self, document: &mut Document) -> Option<()> {
        let span = self.span();
        self.at += 1;
        if !document.system.is_empty() {
            return self.complain("uppaal::redeclared", "there is a system line already", span);
        }
        let mut groups = vec![Vec::new()];
        loop {
            groups.last_mut()?.push(self.name()?);
            if self.accept("<") {
                groups.push(Vec::new());
            } else if !self.accept(",") {
                break;
            }
        }
        self.expect(";")?;
        document.system = groups;
        Some(())
    }

    fn alphabet(&mut self, document: &mut Document) -> Option<()> {
        self.at += 1;
        let name = self.name()?;
        self.expect("{")?;
        // An alphabet is not empty.
        let mut channels = vec![self.postfix()?];
        if !self.is_at("}") {
            self.expect(",")?;
        }
        while !self.accept("}") {
            channels.push(self.postfix()?);
            if !self.is_at("}") {
                self.expect(",")?;
            }
        }
        document.alphabets.push((name, channels));
        Some(())
    }

    fn process(&mut self, document: &mut Document) -> Option<()> {
        self.at += 1;
        let name = self.name()?;
        let parameters = if self.accept("(") { self.parameters(")")? } else { Vec::new() };
        self.expect("{")?;
        let declarations = self.declarations();
        let mut template = Template {
            name,
            parameters,
            declarations,
            locations: Vec::new(),
            edges: Vec::new(),
            initial: None,
        };
        let mut branch_points = Vec::new();
        while !self.accept("}") {
            match self.peek().clone() {
                Kind::Word(word) => match word.as_str() {
                    "state" => self.states(&mut template)?,
                    "commit" | "urgent" => self.marks(&mut template, word == "commit")?,
                    "init" => {
                        self.at += 1;
                        template.initial = Some(self.name()?);
                        self.expect(";")?;
                    }
                    "trans" => self.transitions(&mut template)?,
                    "branchpoint" => {
                        self.at += 1;
                        branch_points.push(self.name()?);
                        while self.accept(",") {
                            branch_points.push(self.name()?);
                        }
                        self.expect(";")?;
                    }
                    _ => return self.unexpected("expected states, transitions or '}'"),
                },
                _ => return self.unexpected("expected states, transitions or '}'"),
            }
        }
        join_branches(&mut template, &branch_points, self.diagnostics);
        document.templates.push(template);
        Some(())
    }

    fn states(&mut self, template: &mut Template) -> Option<()> {
        self.at += 1;
        loop {
            let name = self.name()?;
            let mut invariant = None;
            if self.accept("{") {
                if !self.is_at("}") && !self.is_at(";") {
                    invariant = Some(self.expression()?);
                }
                if self.accept(";") && !self.is_at("}") {
                    // The rate of leaving, for statistics only.
                    self.expression()?;
                }
                self.expect("}")?;
            }
            template.locations.push(Location {
                id: name.text.clone(),
                name: name.text,
                invariant,
                is_urgent: false,
                is_committed: false,
                span: name.span,
            });
            if self.accept(";") {
                return Some(());
            }
            self.expect(",")?;
        }
    }

    fn marks(&mut self, template: &mut Template, is_committed: bool) -> Option<()> {
        self.at += 1;
        loop {
            let name = self.name()?;
            match template.locations.iter_mut().find(|location| location.id == name.text) {
                Some(location) if is_committed => location.is_committed = true,
                Some(location) => location.is_urgent = true,
                None => {
                    let message = format!("there is no location '{}'", name.text);
                    self.complain::<()>("uppaal::undeclared", &message, name.span);
                }
            }
            if self.accept(";") {
                return Some(());
            }
            self.expect(",")?;
        }
    }

    fn transitions(&mut self, template: &mut Template) -> Option<()> {
        self.at += 1;
        let mut source: Option<Name> = None;
        loop {
            let start = self.span();
            if !self.is_at("->") {
                source = Some(self.name()?);
            }
            self.expect("->")?;
            let target = self.name()?;
            let Some(source) = source.clone() else { return self.unexpected("expected a location") };
            let span = start.to(target.span);
            let mut edge = Edge {
                source,
                target,
                selects: Vec::new(),
                guard: None,
                synchronization: None,
                updates: Vec::new(),
                span,
            };
            if self.accept("{") {
                self.edge_parts(&mut edge)?;
            }
            template.edges.push(edge);
            if self.accept(";") {
                return Some(());
            }
            self.expect(",")?;
        }
    }

    fn edge_parts(&mut self, edge: &mut Edge) -> Option<()> {
        while !self.accept("}") {
            if self.accept("select") {
                edge.selects = self.selects(";")?;
            } else if self.accept("guard") {
                edge.guard = Some(self.conjunction()?);
                self.expect(";")?;
            } else if self.accept("sync") {
                edge.synchronization = Some(self.synchronization()?);
                self.expect(";")?;
            } else if self.accept("assign") {
                edge.updates = self.expressions_to(";")?;
            } else if self.is_at("probability") {
                return self.complain("uppaal::weight", WEIGHTS, self.span());
            } else {
                return self.unexpected("expected select, guard, sync, assign or '}'");
            }
        }
        Some(())
    }

    /// Conditions; in old files a comma means `and`.
    pub fn conjunction(&mut self) -> Option<Expression> {
        let mut condition = self.expression()?;
        while self.accept(",") {
            let right = self.expression()?;
            let span = condition.span.to(right.span);
            let kind = crate::syntax::ExpressionKind::Binary(
                crate::syntax::Operator::And,
                Box::new(condition),
                Box::new(right),
            );
            condition = Expression { kind, span };
        }
        Some(condition)
    }

    /// `i : type, …`, up to a closing symbol or, if that is empty, the end.
    pub fn selects(&mut self, close: &str) -> Option<Vec<(Name, TypeExpression)>> {
        let mut found = Vec::new();
        loop {
            let name = self.name()?;
            self.expect(":")?;
            found.push((name, self.type_expression()?));
            if self.accept(close) || (close.is_empty() && self.is_end()) {
                return Some(found);
            }
            self.expect(",")?;
        }
    }

    /// A channel with its direction.
    pub fn synchronization(&mut self) -> Option<(Expression, Direction)> {
        let channel = self.postfix()?;
        let direction = if self.accept("!") {
            Direction::Send
        } else if self.accept("?") {
            Direction::Receive
        } else {
            Direction::Together
        };
        Some((channel, direction))
    }

    /// Everything has been read.
    pub fn finish(&mut self) -> Option<()> {
        if self.is_end() { Some(()) } else { self.unexpected("expected the end") }
    }

    /// A query. Those for statistics, games and the like have a diagnostic of their own.
    pub fn query(&mut self) -> Option<Query> {
        let start = self.span();
        let kind = self.query_kind(start)?;
        Some(Query { kind, span: start.to(self.last_span()) })
    }

    fn query_kind(&mut self, start: Span) -> Option<QueryKind> {
        let symbols = |parser: &Self, texts: &[&'static str]| {
            texts.iter().enumerate().all(|(ahead, text)| *parser.peek_ahead(ahead + 1) == Kind::Symbol(text))
        };
        let word = match self.peek() {
            Kind::Word(word) => word.clone(),
            _ => String::new(),
        };
        match word.as_str() {
            "E" | "A" if symbols(self, &["<", ">"]) || symbols(self, &["[", "]"]) => {
                let is_box = symbols(self, &["[", "]"]);
                self.at += 3;
                let condition = self.expression()?;
                Some(match (word.as_str(), is_box) {
                    ("E", false) => QueryKind::Possibly(condition),
                    ("E", true) => QueryKind::PotentiallyAlways(condition),
                    ("A", false) => QueryKind::Eventually(condition),
                    _ => QueryKind::Invariantly(condition),
                })
            }
            "sup" | "inf" if symbols(self, &["{"]) || symbols(self, &[":"]) => {
                self.at += 1;
                let condition = if self.accept("{") {
                    let condition = self.expression()?;
                    self.expect("}")?;
                    Some(condition)
                } else {
                    None
                };
                self.expect(":")?;
                let mut values = vec![self.expression()?];
                while self.accept(",") {
                    values.push(self.expression()?);
                }
                Some(match word.as_str() {
                    "sup" => QueryKind::Supremum(condition, values),
                    _ => QueryKind::Infimum(condition, values),
                })
            }
            "simulate" | "Pr" | "E" | "A" | "control" | "control_t" | "strategy" | "minE" | "maxE"
            | "sat" | "bounds" | "saveStrategy" | "loadStrategy" | "refinement" | "minPr" | "maxPr" => {
                let message = format!("queries with '{word}' are not supported");
                self.complain("uppaal::unsupported-query", &message, start)
            }
            _ => {
                let premise = self.expression()?;
                if self.accept("-->") {
                    return Some(QueryKind::LeadsTo(premise, self.expression()?));
                }
                self.unexpected("expected a query: E<>, A[], E[], A<>, sup, inf or '-->'")
            }
        }
    }
}
