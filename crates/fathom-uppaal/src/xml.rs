//! The XML form: the flat format of Uppaal 4 and 5.
//!
//! Texts in it are in the same language as the textual form. Each is read where it stands, with the bytes of the file that its
//! characters are written with, so that diagnostics point into the XML.

use fathom_source::{Diagnostic, FileId, Span};
use roxmltree::{Document as XmlDocument, Node, ParsingOptions};

use crate::branch::join_branches;
use crate::lexer::{Placed, lex, placed};
use crate::parse_expression::Parser;
use crate::parse_system::WEIGHTS;
use crate::syntax::{Document, Edge, Location, Name, Template};

/// Reads XML; nothing when it is none.
pub(crate) fn read_xml(text: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Option<Document> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let parsed = match XmlDocument::parse_with_options(text, options) {
        Ok(parsed) => parsed,
        Err(error) => {
            let at = offset_of(text, error.pos().row, error.pos().col);
            let span = Span { file, start: at, end: at };
            diagnostics.push(Diagnostic::error("uppaal::xml", format!("{error}")).at(span, ""));
            return None;
        }
    };
    let mut reader = XmlReader { text, file, diagnostics, document: Document::default() };
    reader.root(parsed.root_element());
    Some(reader.document)
}

/// The byte at which a line and a column, counted from one and in characters, start.
fn offset_of(text: &str, row: u32, column: u32) -> u32 {
    let line_start: usize =
        text.split_inclusive('\n').take(row.saturating_sub(1) as usize).map(str::len).sum();
    let rest = text.get(line_start..).unwrap_or("");
    let inside = rest.char_indices().nth(column.saturating_sub(1) as usize).map_or(0, |(at, _)| at);
    (line_start + inside).min(text.len()) as u32
}

struct XmlReader<'a> {
    text: &'a str,
    file: FileId,
    diagnostics: &'a mut Vec<Diagnostic>,
    document: Document,
}

impl XmlReader<'_> {
    fn span(&self, node: Node<'_, '_>) -> Span {
        let range = node.range();
        // The opening tag says where it is.
        let end = self.text[range.clone()].find('>').map_or(range.end, |at| range.start + at + 1);
        Span { file: self.file, start: range.start as u32, end: end as u32 }
    }

    fn complain(&mut self, code: &'static str, message: &str, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    /// The characters of an element, with their places.
    fn characters(&self, node: Node<'_, '_>) -> Vec<Placed> {
        let mut found = Vec::new();
        for child in node.children().filter(Node::is_text) {
            let range = child.range();
            decode(&self.text[range.clone()], range.start, &mut found);
        }
        found
    }

    fn plain(&self, node: Node<'_, '_>) -> String {
        let text: String = self.characters(node).iter().map(|placed| placed.character).collect();
        text.trim().to_owned()
    }

    /// Reads the text of an element; nothing when it is blank or not understood.
    fn parse<T>(&mut self, node: Node<'_, '_>, read: impl FnOnce(&mut Parser<'_>) -> Option<T>) -> Option<T> {
        let characters = self.characters(node);
        let tokens = lex(&characters, self.file, self.diagnostics);
        if tokens.len() == 1 {
            return None;
        }
        let mut parser = Parser::new(&tokens, self.diagnostics);
        let found = read(&mut parser)?;
        parser.finish()?;
        Some(found)
    }

    fn root(&mut self, root: Node<'_, '_>) {
        if root.tag_name().name() != "nta" {
            let span = self.span(root);
            return self.complain("uppaal::xml", "expected the element 'nta'", span);
        }
        for child in root.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "declaration" | "instantiation" | "system" => {
                    let mut document = std::mem::take(&mut self.document);
                    self.parse(child, |parser| {
                        parser.document(&mut document);
                        Some(())
                    });
                    self.document = document;
                }
                "template" => self.template(child),
                "queries" => self.queries(child),
                "lsc" => {
                    let span = self.span(child);
                    self.complain("uppaal::unsupported", "live sequence charts are not supported", span);
                }
                _ => {}
            }
        }
    }

    fn template(&mut self, node: Node<'_, '_>) {
        let span = self.span(node);
        let name = child(node, "name").map(|name| (self.plain(name), self.span(name)));
        let Some((name, name_span)) = name else {
            return self.complain("uppaal::xml", "template without a name", span);
        };
        let mut template = Template {
            name: Name { text: name, span: name_span },
            parameters: Vec::new(),
            declarations: Vec::new(),
            locations: Vec::new(),
            edges: Vec::new(),
            initial: None,
        };
        let mut branch_points = Vec::new();
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "parameter" => {
                    template.parameters =
                        self.parse(part, |parser| parser.parameters("")).unwrap_or_default();
                }
                "declaration" => {
                    template.declarations =
                        self.parse(part, |parser| Some(parser.declarations())).unwrap_or_default();
                }
                "location" => self.location(part, &mut template),
                "init" => {
                    let text = part.attribute("ref").unwrap_or_default().to_owned();
                    template.initial = Some(Name { text, span: self.span(part) });
                }
                "transition" => self.transition(part, &mut template),
                "branchpoint" => {
                    let text = part.attribute("id").unwrap_or_default().to_owned();
                    branch_points.push(Name { text, span: self.span(part) });
                }
                _ => {}
            }
        }
        join_branches(&mut template, &branch_points, self.diagnostics);
        self.document.templates.push(template);
    }

    fn location(&mut self, node: Node<'_, '_>, template: &mut Template) {
        let id = node.attribute("id").unwrap_or_default().to_owned();
        let name = child(node, "name").map(|name| self.plain(name)).filter(|name| !name.is_empty());
        let mut location = Location {
            name: name.unwrap_or_else(|| format!("_{id}")),
            id,
            invariant: None,
            is_urgent: child(node, "urgent").is_some(),
            is_committed: child(node, "committed").is_some(),
            span: self.span(node),
        };
        for label in node.children().filter(|part| part.tag_name().name() == "label") {
            match label.attribute("kind") {
                Some("invariant") => location.invariant = self.parse(label, |parser| parser.conjunction()),
                Some("exponentialrate") if !self.plain(label).is_empty() => {
                    let span = self.span(label);
                    let message = "the rate of leaving a location is for statistics, and left out";
                    self.diagnostics.push(Diagnostic::warning("uppaal::stochastic", message).at(span, ""));
                }
                _ => {}
            }
        }
        template.locations.push(location);
    }

    fn transition(&mut self, node: Node<'_, '_>, template: &mut Template) {
        let span = self.span(node);
        let end = |which: &str, reader: &Self| {
            child(node, which).map(|end| Name {
                text: end.attribute("ref").unwrap_or_default().to_owned(),
                span: reader.span(end),
            })
        };
        let (Some(source), Some(target)) = (end("source", self), end("target", self)) else {
            return self.complain("uppaal::xml", "transition without source or target", span);
        };
        let mut edge = Edge {
            source,
            target,
            selects: Vec::new(),
            guard: None,
            synchronization: None,
            updates: Vec::new(),
            span,
        };
        for label in node.children().filter(|part| part.tag_name().name() == "label") {
            match label.attribute("kind") {
                Some("select") => {
                    edge.selects = self.parse(label, |parser| parser.selects("")).unwrap_or_default();
                }
                Some("guard") => edge.guard = self.parse(label, |parser| parser.conjunction()),
                Some("synchronisation") => {
                    edge.synchronization = self.parse(label, |parser| parser.synchronization())
                }
                Some("assignment") => {
                    let updates = self.parse(label, |parser| {
                        let mut found = vec![parser.expression()?];
                        while parser.accept(",") {
                            found.push(parser.expression()?);
                        }
                        Some(found)
                    });
                    edge.updates = updates.unwrap_or_default();
                }
                Some("probability") if !self.plain(label).is_empty() => {
                    let span = self.span(label);
                    self.complain("uppaal::weight", WEIGHTS, span);
                }
                _ => {}
            }
        }
        template.edges.push(edge);
    }

    fn queries(&mut self, node: Node<'_, '_>) {
        let formulas = node.children().filter(|part| part.tag_name().name() == "query");
        for formula in formulas.filter_map(|query| child(query, "formula")) {
            let n_before = self.diagnostics.len();
            let query = self.parse(formula, |parser| parser.query());
            self.document.queries.extend(query);
            // A question that cannot be asked leaves the others as they are.
            for diagnostic in &mut self.diagnostics[n_before..] {
                if diagnostic.code == "uppaal::unsupported-query" {
                    diagnostic.severity = fathom_source::Severity::Warning;
                }
            }
        }
    }
}

fn child<'d, 'i>(node: Node<'d, 'i>, name: &str) -> Option<Node<'d, 'i>> {
    node.children().find(|part| part.is_element() && part.tag_name().name() == name)
}

/// The characters that a piece of XML text stands for.
fn decode(raw: &str, offset: usize, out: &mut Vec<Placed>) {
    if let Some(inner) = raw.strip_prefix("<![CDATA[").and_then(|rest| rest.strip_suffix("]]>")) {
        return out.extend(placed(inner, offset + "<![CDATA[".len()));
    }
    let mut rest = raw;
    let mut at = offset;
    while let Some(first) = rest.chars().next() {
        let reference = (first == '&').then(|| rest.find(';')).flatten();
        let length = reference.map_or(first.len_utf8(), |end| end + 1);
        let character = match reference {
            None => first,
            Some(end) => match &rest[1..end] {
                "lt" => '<',
                "gt" => '>',
                "amp" => '&',
                "quot" => '"',
                "apos" => '\'',
                code => numbered(code).unwrap_or(' '),
            },
        };
        out.push(Placed { character, start: at as u32, end: (at + length) as u32 });
        at += length;
        rest = &rest[length..];
    }
}

fn numbered(code: &str) -> Option<char> {
    let code = code.strip_prefix('#')?;
    let number = match code.strip_prefix('x') {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => code.parse().ok()?,
    };
    char::from_u32(number)
}
