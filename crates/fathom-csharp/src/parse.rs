//! From the tree of the grammar to our syntax: files, types and members.
//!
//! The grammar is that of tree-sitter, which accepts all of C#. What model programs do not use is left out here, each with a
//! diagnostic at its place.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};
use tree_sitter::Node;

use crate::casts::with_marked_names;
use crate::reparse::parse_tree;
use crate::syntax::{
    Attribute, Block, ClassDeclaration, EnumDeclaration, Expr, ExprKind, File, Member, MemberKind, Name,
    Namespace, Parameter, Passing, Stmt, StmtKind, TypeDeclaration, TypeName, TypeNameKind,
};

/// How deep constructs may nest.
const MOST_NESTED: usize = 200;
/// How many places that are no C# are told.
const MOST_SYNTAX_ERRORS: usize = 20;

/// What may have lines in it that are no directives.
const TEXTS: [&str; 5] =
    ["comment", "verbatim_string_literal", "raw_string_literal", "raw_string_content", "string_content"];

/// Parses a file.
pub fn parse_file(file: FileId, sources: &SourceMap) -> (File, Vec<Diagnostic>) {
    let text = sources.file(file).text();
    let mut reader = Reader { file, text, diagnostics: Vec::new(), depth: 0 };
    let Some(tree) = parse_tree(&with_marked_names(text)) else {
        let whole = Span { file, start: 0, end: text.len() as u32 };
        reader.diagnostics.push(Diagnostic::error("csharp::syntax", "cannot parse this file").at(whole, ""));
        return (File::default(), reader.diagnostics);
    };
    reader.report_conditions(tree.root_node());
    if reader.diagnostics.is_empty() {
        reader.report_errors(tree.root_node());
    }
    let parsed = if reader.diagnostics.is_empty() { reader.file(tree.root_node()) } else { File::default() };
    (parsed, reader.diagnostics)
}

/// Turns nodes of one file into syntax.
pub(crate) struct Reader<'s> {
    file: FileId,
    text: &'s str,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) depth: usize,
}

impl<'s> Reader<'s> {
    pub(crate) fn span(&self, node: Node<'_>) -> Span {
        Span { file: self.file, start: node.start_byte() as u32, end: node.end_byte() as u32 }
    }

    pub(crate) fn text(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    pub(crate) fn unsupported(&mut self, node: Node<'_>, what: &str) {
        let message = format!("{what} is not supported");
        let diagnostic = Diagnostic::error("csharp::unsupported", message).at(self.span(node), "");
        self.diagnostics.push(diagnostic);
    }

    /// Says where text is there under conditions only: the grammar reads all of it, and not everywhere.
    fn report_conditions(&mut self, root: Node<'_>) {
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let at = start + line.len() - line.trim_start().len();
            start += line.len();
            let word = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
            let is_condition =
                word.strip_prefix("if").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            if !is_condition {
                continue;
            }
            let inside = root.descendant_for_byte_range(at, at + 1).map_or("", |node| node.kind());
            if !TEXTS.contains(&inside) {
                let end = at + line.trim().len();
                let span = Span { file: self.file, start: at as u32, end: end as u32 };
                let message = "conditional compilation with `#if` is not supported";
                let error = Diagnostic::error("csharp::unsupported", message).at(span, "");
                self.diagnostics.push(error.help("keep the lines that are meant, and leave out the others"));
            }
        }
    }

    /// Says what is no C#, without recursion: the tree may be of any depth.
    fn report_errors(&mut self, root: Node<'_>) {
        if !root.has_error() {
            return;
        }
        let mut pending = vec![root];
        let mut n_found = 0;
        while let Some(node) = pending.pop() {
            if node.is_error() || node.is_missing() {
                n_found += 1;
                if n_found > MOST_SYNTAX_ERRORS {
                    return;
                }
                let message = if node.is_missing() {
                    format!("expected `{}`", node.kind())
                } else {
                    "this is no C#".to_string()
                };
                // An error may be as long as the file: what is shown is where it starts.
                let Span { file, start, end } = self.span(node);
                let line = self.text.get(start as usize..end as usize).and_then(|text| text.lines().next());
                let end = start + line.map_or(0, str::len) as u32;
                let diagnostic = Diagnostic::error("csharp::syntax", message);
                self.diagnostics.push(diagnostic.at(Span { file, start, end }, ""));
            } else if node.has_error() {
                let mut cursor = node.walk();
                let children: Vec<_> = node.children(&mut cursor).collect();
                pending.extend(children.into_iter().rev());
            }
        }
        if n_found == 0 {
            let whole = Span { file: self.file, start: 0, end: 0 };
            self.diagnostics.push(Diagnostic::error("csharp::syntax", "this is no C#").at(whole, ""));
        }
    }

    /// Goes one level deeper, or says that it is too deep; where nothing comes of it, something has been said about it.
    pub(crate) fn deeper<T>(
        &mut self,
        node: Node<'_>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.depth >= MOST_NESTED {
            let diagnostic = Diagnostic::error("csharp::nesting", "constructs nest too deep");
            self.diagnostics.push(diagnostic.at(self.span(node), ""));
            return None;
        }
        self.depth += 1;
        let n_said = self.diagnostics.len();
        let result = read(self);
        self.depth -= 1;
        if result.is_none() && self.diagnostics.len() == n_said {
            // Nothing is left out without a word.
            self.unsupported(node, &format!("this form of {}", words(node.kind())));
        }
        result
    }

    pub(crate) fn name(&self, node: Node<'_>) -> Name {
        Name { text: self.text(node).trim_start_matches('@').to_string(), span: self.span(node) }
    }

    pub(crate) fn name_of(&self, node: Node<'_>) -> Name {
        self.name(node.child_by_field_name("name").unwrap_or(node))
    }

    fn file(&mut self, root: Node<'_>) -> File {
        let mut file = File::default();
        self.declarations(root, "", &mut file);
        file
    }

    /// What is in a file or a namespace.
    fn declarations(&mut self, node: Node<'_>, namespace: &str, file: &mut File) {
        let mut namespace = namespace.to_string();
        for child in children(node) {
            match child.kind() {
                "using_directive" => self.using(child, file),
                "namespace_declaration" => {
                    let inner = join(&namespace, &self.name_of(child).text);
                    if let Some(body) = child.child_by_field_name("body") {
                        self.deeper(child, |reader| {
                            reader.declarations(body, &inner, file);
                            Some(())
                        });
                    }
                }
                "file_scoped_namespace_declaration" => {
                    namespace = join(&namespace, &self.name_of(child).text);
                    self.declarations(child, &namespace, file);
                }
                "class_declaration" | "enum_declaration" => {
                    let Some(declared) = self.deeper(child, |reader| reader.type_declaration(child)) else {
                        continue;
                    };
                    match file.namespaces.iter_mut().find(|known| known.name == namespace) {
                        Some(known) => known.types.push(declared),
                        None => {
                            file.namespaces.push(Namespace { name: namespace.clone(), types: vec![declared] })
                        }
                    }
                }
                "identifier" | "qualified_name" | "extern_alias_directive" | "global_attribute" => (),
                kind => self.unsupported(child, &words(kind)),
            }
        }
    }

    fn using(&mut self, node: Node<'_>, file: &mut File) {
        let Some(name) = node.child_by_field_name("name") else {
            if self.text(node).split_whitespace().nth(1) == Some("static") {
                self.unsupported(node, "`using static`");
            }
            return;
        };
        let target = children(node).into_iter().find(|child| *child != name);
        if let Some(ty) = target.and_then(|target| self.type_name(target)) {
            file.aliases.push((self.name(name), ty));
        }
    }

    fn type_declaration(&mut self, node: Node<'_>) -> Option<TypeDeclaration> {
        match node.kind() {
            "enum_declaration" => Some(TypeDeclaration::Enum(self.enumeration(node))),
            "class_declaration" => Some(TypeDeclaration::Class(self.class(node))),
            kind => {
                self.unsupported(node, &words(kind));
                None
            }
        }
    }

    fn enumeration(&mut self, node: Node<'_>) -> EnumDeclaration {
        let attributes = self.attributes(node);
        let name = self.name_of(node);
        let mut elements = Vec::new();
        for element in node.child_by_field_name("body").map(children).unwrap_or_default() {
            if element.kind() == "enum_member_declaration" {
                let value = element.child_by_field_name("value").map(|value| self.expr(value));
                elements.push((self.name_of(element), value));
            }
        }
        EnumDeclaration { attributes, name, elements }
    }

    fn class(&mut self, node: Node<'_>) -> ClassDeclaration {
        let attributes = self.attributes(node);
        let name = self.name_of(node);
        let is_partial = self.has_modifier(node, "partial");
        let (bases, members, types) = (Vec::new(), Vec::new(), Vec::new());
        let mut class = ClassDeclaration { attributes, is_partial, name, bases, members, types };
        for child in children(node) {
            match child.kind() {
                "base_list" => {
                    let bases = children(child);
                    class.bases = bases.into_iter().filter_map(|base| self.type_name(base)).collect();
                }
                "type_parameter_list" => self.unsupported(child, "a class with type parameters"),
                "parameter_list" => self.unsupported(child, "a class with parameters"),
                _ => (),
            }
        }
        for child in node.child_by_field_name("body").map(children).unwrap_or_default() {
            self.deeper(child, |reader| reader.member(child, &mut class));
        }
        class
    }

    fn member(&mut self, node: Node<'_>, class: &mut ClassDeclaration) -> Option<()> {
        match node.kind() {
            "class_declaration" | "enum_declaration" => class.types.push(self.type_declaration(node)?),
            "field_declaration" => self.fields(node, &mut class.members)?,
            "property_declaration" => class.members.push(self.property(node)?),
            "method_declaration" => class.members.push(self.method(node)?),
            "constructor_declaration" => class.members.push(self.constructor(node)?),
            kind => self.unsupported(node, &words(kind)),
        }
        Some(())
    }

    pub(crate) fn has_modifier(&self, node: Node<'_>, modifier: &str) -> bool {
        children(node).into_iter().any(|child| child.kind() == "modifier" && self.text(child) == modifier)
    }

    fn fields(&mut self, node: Node<'_>, members: &mut Vec<Member>) -> Option<()> {
        let is_literal = self.has_modifier(node, "const");
        let is_constant = is_literal || self.has_modifier(node, "readonly");
        let is_static = is_literal || self.has_modifier(node, "static");
        let attributes = self.attributes(node);
        let declaration = children(node).into_iter().find(|child| child.kind() == "variable_declaration")?;
        let ty = self.field_type(declaration)?;
        for (name, value) in self.declarators(declaration) {
            let kind = MemberKind::Field { ty: ty.clone(), is_constant, is_literal, value };
            members.push(Member { attributes: attributes.clone(), name, is_static, kind });
        }
        Some(())
    }

    pub(crate) fn field_type(&mut self, node: Node<'_>) -> Option<TypeName> {
        let ty = node.child_by_field_name("type")?;
        self.type_name(ty)
    }

    pub(crate) fn declarators(&mut self, node: Node<'_>) -> Vec<(Name, Option<Expr>)> {
        let mut declarators = Vec::new();
        for child in children(node) {
            if child.kind() == "variable_declarator" {
                let name = child.child_by_field_name("name");
                let value = operand(child, |part| Some(part) != name).map(|value| self.expr(value));
                declarators.push((self.name_of(child), value));
            }
        }
        declarators
    }

    fn property(&mut self, node: Node<'_>) -> Option<Member> {
        let attributes = self.attributes(node);
        let (name, is_static) = (self.name_of(node), self.has_modifier(node, "static"));
        let ty = self.field_type(node)?;
        let value = node.child_by_field_name("value");
        let Some(accessors) = node.child_by_field_name("accessors") else {
            let get = self.arrow(value?, &ty);
            let kind = MemberKind::Property { ty, get: Some(get), set: None };
            return Some(Member { attributes, name, is_static, kind });
        };
        let (mut get, mut set, mut is_automatic, mut can_set) = (None, None, true, false);
        for accessor in children(accessors) {
            let is_getter =
                self.text(accessor.child_by_field_name("name").unwrap_or(accessor)).contains("get");
            can_set |= !is_getter;
            let Some(body) = accessor.child_by_field_name("body") else { continue };
            is_automatic = false;
            let body = if body.kind() == "block" { self.block(body) } else { self.arrow(body, &ty) };
            if is_getter { get = Some(body) } else { set = Some(body) }
        }
        let kind = if is_automatic {
            let value = value.map(|value| self.expr(value));
            MemberKind::Field { ty, is_constant: !can_set, is_literal: false, value }
        } else {
            MemberKind::Property { ty, get, set }
        };
        Some(Member { attributes, name, is_static, kind })
    }

    /// `=> e` as statements.
    fn arrow(&mut self, node: Node<'_>, returns: &TypeName) -> Block {
        let span = self.span(node);
        let value =
            if node.kind() == "arrow_expression_clause" { operand(node, |_| true) } else { Some(node) };
        let Some(value) = value else { return Vec::new() };
        let value = self.expr(value);
        let is_void = matches!(&returns.kind, TypeNameKind::Named(name, _) if name == &["void"]);
        let kind = if is_void { StmtKind::Expr(value) } else { StmtKind::Return(Some(value)) };
        vec![Stmt { span, kind }]
    }

    fn method(&mut self, node: Node<'_>) -> Option<Member> {
        let attributes = self.attributes(node);
        if let Some(parameters) = node.child_by_field_name("type_parameters") {
            self.unsupported(parameters, "a method with type parameters");
            return None;
        }
        for modifier in children(node).into_iter().filter(|child| child.kind() == "modifier") {
            if ["async", "extern", "unsafe"].contains(&self.text(modifier)) {
                let what = format!("`{}`", self.text(modifier));
                self.unsupported(modifier, &what);
            }
        }
        let returns = self.type_name(node.child_by_field_name("returns")?)?;
        let parameters = self.parameters(node.child_by_field_name("parameters")?);
        let Some(body) = node.child_by_field_name("body") else {
            self.unsupported(node, "a method without a body");
            return None;
        };
        let body = if body.kind() == "block" { self.block(body) } else { self.arrow(body, &returns) };
        let kind = MemberKind::Method { returns, parameters, body };
        let (name, is_static) = (self.name_of(node), self.has_modifier(node, "static"));
        Some(Member { attributes, name, is_static, kind })
    }

    fn constructor(&mut self, node: Node<'_>) -> Option<Member> {
        let attributes = self.attributes(node);
        let parameters = self.parameters(node.child_by_field_name("parameters")?);
        let mut delegates = None;
        let initializer = children(node).into_iter().find(|child| child.kind() == "constructor_initializer");
        if let Some(initializer) = initializer {
            let arguments = children(initializer).into_iter().find(|child| child.kind() == "argument_list");
            let arguments = arguments.map(|list| self.arguments(list)).unwrap_or_default();
            let is_own =
                self.text(initializer).trim_start_matches([':', ' ', '\t', '\r', '\n']).starts_with("this");
            if is_own {
                delegates = Some(arguments);
            } else if !arguments.is_empty() {
                self.unsupported(initializer, "a base constructor with arguments");
            }
        }
        let body = node.child_by_field_name("body")?;
        let body = if body.kind() == "block" {
            self.block(body)
        } else {
            operand(body, |_| true)
                .map(|value| self.expr(value))
                .map(|value| Stmt { span: value.span, kind: StmtKind::Expr(value) })
                .into_iter()
                .collect()
        };
        let kind = MemberKind::Constructor { parameters, delegates, body };
        let (name, is_static) = (self.name_of(node), self.has_modifier(node, "static"));
        Some(Member { attributes, name, is_static, kind })
    }

    pub(crate) fn parameters(&mut self, node: Node<'_>) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut cursor = node.walk();
        let all: Vec<_> = node.children(&mut cursor).collect();
        let mut rest: Option<TypeName> = None;
        let mut is_rest = false;
        for child in all {
            match child.kind() {
                "parameter" => {
                    let attributes = self.attributes(child);
                    let passing = if self.has_modifier(child, "out") {
                        Passing::Out
                    } else if self.has_modifier(child, "ref") {
                        Passing::Ref
                    } else {
                        Passing::Value
                    };
                    for modifier in children(child) {
                        if modifier.kind() == "modifier" && !["out", "ref"].contains(&self.text(modifier)) {
                            self.unsupported(modifier, "this kind of parameter");
                        }
                    }
                    let ty = self.field_type(child);
                    let name = child.child_by_field_name("name");
                    let default = operand(child, |part| {
                        !["attribute_list", "modifier"].contains(&part.kind())
                            && Some(part) != name
                            && Some(part) != child.child_by_field_name("type")
                    });
                    if let Some(default) = default {
                        self.unsupported(default, "a default value of a parameter");
                    }
                    parameters.push(Parameter { attributes, name: self.name_of(child), ty, passing });
                }
                "params" => is_rest = true,
                "identifier" if rest.is_some() => {
                    let (ty, name) = (rest.take(), self.name(child));
                    parameters.push(Parameter { attributes: Vec::new(), name, ty, passing: Passing::Rest });
                }
                "implicit_parameter" | "identifier" if !is_rest => {
                    let (name, passing) = (self.name(child), Passing::Value);
                    parameters.push(Parameter { attributes: Vec::new(), name, ty: None, passing });
                }
                _ if is_rest && child.is_named() => rest = self.type_name(child),
                _ => (),
            }
        }
        parameters
    }

    pub(crate) fn attributes(&mut self, node: Node<'_>) -> Vec<Attribute> {
        let lists = children(node).into_iter().filter(|child| child.kind() == "attribute_list");
        let mut attributes = Vec::new();
        for attribute in lists.flat_map(children).filter(|child| child.kind() == "attribute") {
            let mut name = self.name_of(attribute);
            name.text = name.text.rsplit('.').next().unwrap_or_default().to_string();
            if let Some(short) = name.text.strip_suffix("Attribute").filter(|short| !short.is_empty()) {
                name.text = short.to_string();
            }
            let mut read = Attribute { name, values: Vec::new(), named: Vec::new() };
            let list =
                children(attribute).into_iter().find(|child| child.kind() == "attribute_argument_list");
            for argument in list.map(children).unwrap_or_default() {
                let label = argument.child_by_field_name("name");
                let Some(value) = operand(argument, |part| Some(part) != label) else { continue };
                let value = self.expr(value);
                match label {
                    Some(label) => read.named.push((self.name(label), value)),
                    None => read.values.push(value),
                }
            }
            attributes.push(read);
        }
        attributes
    }

    /// The name of a type, if it is one that there can be.
    pub(crate) fn type_name(&mut self, node: Node<'_>) -> Option<TypeName> {
        self.deeper(node, |reader| reader.type_name_here(node))
    }

    fn type_name_here(&mut self, node: Node<'_>) -> Option<TypeName> {
        let span = self.span(node);
        let kind = match node.kind() {
            "implicit_type" => TypeNameKind::Implicit,
            "predefined_type" | "identifier" => TypeNameKind::Named(vec![self.name(node).text], Vec::new()),
            "qualified_name" => {
                let qualifier = self.type_name(node.child_by_field_name("qualifier")?)?;
                let last = self.type_name(node.child_by_field_name("name")?)?;
                let (TypeNameKind::Named(mut path, _), TypeNameKind::Named(name, arguments)) =
                    (qualifier.kind, last.kind)
                else {
                    return None;
                };
                path.extend(name);
                TypeNameKind::Named(path, arguments)
            }
            "generic_name" => {
                let name = children(node).into_iter().find(|child| child.kind() == "identifier")?;
                TypeNameKind::Named(vec![self.name(name).text], self.type_arguments(node))
            }
            "nullable_type" => {
                TypeNameKind::Nullable(Box::new(self.type_name(node.child_by_field_name("type")?)?))
            }
            "array_type" => TypeNameKind::Array(Box::new(self.type_name(node.child_by_field_name("type")?)?)),
            kind => {
                self.unsupported(node, &words(kind));
                return None;
            }
        };
        Some(TypeName { span, kind })
    }

    pub(crate) fn type_arguments(&mut self, node: Node<'_>) -> Vec<TypeName> {
        let list = children(node).into_iter().find(|child| child.kind() == "type_argument_list");
        list.map(children).unwrap_or_default().into_iter().filter_map(|child| self.type_name(child)).collect()
    }

    pub(crate) fn error_expr(&self, node: Node<'_>) -> Expr {
        Expr { span: self.span(node), kind: Box::new(ExprKind::Error) }
    }
}

/// The children with a meaning.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let is_said = |child: &Node<'_>| {
        let kind = child.kind();
        kind != "comment" && (!kind.starts_with("preproc_") || kind.starts_with("preproc_if"))
    };
    node.named_children(&mut cursor).filter(is_said).collect()
}

/// The first child that is an expression: `this` and `base` have no names in the grammar.
pub(crate) fn operand<'t>(node: Node<'t>, is_it: impl Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let is_expr = |child: &Node<'t>| {
        let is_word = matches!(child.kind(), "this" | "base");
        let is_said = child.kind() != "comment" && !child.kind().starts_with("preproc_");
        (child.is_named() && is_said || is_word) && is_it(*child)
    };
    node.children(&mut cursor).find(is_expr)
}

/// The kind of a node as people would say it.
pub(crate) fn words(kind: &str) -> String {
    let word = kind.replace('_', " ");
    match word.chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {word}"),
        _ => format!("a {word}"),
    }
}

fn join(outer: &str, inner: &str) -> String {
    let inner: String = inner.split_whitespace().collect();
    if outer.is_empty() { inner } else { format!("{outer}.{inner}") }
}
