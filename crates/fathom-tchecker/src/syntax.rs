//! What is written in a file: declarations with places, names not yet resolved.

use fathom_source::Span;

/// A piece of text with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The text, without space around it.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// An attribute: `key: value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The key.
    pub key: Text,
    /// The value, maybe empty.
    pub value: Text,
}

/// A declaration: a keyword, fields, attributes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The keyword.
    pub keyword: Text,
    /// What follows it, between colons.
    pub fields: Vec<Text>,
    /// What stands in braces.
    pub attributes: Vec<Attribute>,
}

/// All declarations of a file, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Declarations {
    /// The declarations.
    pub list: Vec<Declaration>,
    /// Where the text ends.
    pub end: Option<Span>,
}
