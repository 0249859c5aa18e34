//! Pieces of a file that are parsed again by themselves, where the grammar takes them for something else.
//!
//! A piece stands at its own place in an otherwise blank text, between as much as makes it a file. So its nodes have the places that they have in the
//! file, and everything that reads nodes can read these.

use tree_sitter::{Node, Tree};

use crate::parse::{Reader, children, words};
use crate::syntax::{Name, TypeName};

/// What a type and a name are a field in.
const FIELD: (&str, &str) = ("class A{", ";}");

/// The tree of a text.
pub fn parse_tree(text: &str) -> Option<Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_c_sharp::LANGUAGE.into()).ok()?;
    parser.parse(text, None)
}

impl Reader<'_> {
    /// The tree of what is written at a node, between two texts that are around it.
    pub(crate) fn parse_alone(&self, node: Node<'_>, around: (&str, &str)) -> Option<Tree> {
        let room = node.start_byte().checked_sub(around.0.len())?;
        parse_tree(&format!("{}{}{}{}", around.0, " ".repeat(room), self.text(node), around.1))
    }

    /// What a `foreach` goes through its members with: `Set<V> s`, which the grammar takes for two comparisons.
    pub(crate) fn type_and_name(&mut self, node: Node<'_>) -> Option<(TypeName, Name)> {
        let tree = self.parse_alone(node, FIELD).filter(|tree| !tree.root_node().has_error());
        let Some(tree) = tree else {
            self.unsupported(node, &words(node.kind()));
            return None;
        };
        let class = children(tree.root_node()).into_iter().next()?;
        let members = children(class.child_by_field_name("body")?);
        let field = members.into_iter().next().filter(|field| field.kind() == "field_declaration")?;
        let declaration = children(field).into_iter().find(|child| child.kind() == "variable_declaration")?;
        let ty = self.field_type(declaration)?;
        match &self.declarators(declaration)[..] {
            [(name, None)] => Some((ty, name.clone())),
            _ => None,
        }
    }
}
