//! Graphs to look at: the control flow of processes, and small state spaces.

pub mod control_flow;
pub mod coverage;
pub mod dot;
pub mod explore;
pub mod roles;
pub mod states;
pub mod svg;

pub use roles::{Role, Roles};

/// A directed graph with texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// Its name.
    pub name: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}

/// A node of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What stands in it; may have several lines.
    pub label: String,
    /// What it is, which says how it is drawn.
    pub roles: Roles,
}

impl Node {
    /// A node with this text that is nothing in particular.
    pub fn new(label: impl Into<String>) -> Node {
        Node { label: label.into(), roles: Roles::default() }
    }

    /// The same, which is where something starts or not.
    #[must_use]
    pub fn starting(mut self, is_initial: bool) -> Node {
        self.roles.set(Role::Initial, is_initial);
        self
    }

    /// Adds a line of text, unless it is there.
    pub fn note(&mut self, line: &str) {
        if !self.label.lines().any(|other| other == line) {
            self.label.push('\n');
            self.label.push_str(line);
        }
    }
}

/// An arrow of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it enters.
    pub to: usize,
    /// What stands at it.
    pub label: String,
    /// Of lower precedence than another arrow that leaves the same node.
    pub dashed: bool,
    /// What tests make of it.
    pub color: Color,
}

/// The color of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Color {
    /// Black.
    #[default]
    Plain,
    /// Green: a test takes it.
    Covered,
    /// Red: no test takes it.
    Missing,
    /// Gray: nothing takes it.
    Impossible,
}

impl Color {
    /// Its name; none for black.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Color::Plain => None,
            Color::Covered => Some("darkgreen"),
            Color::Missing => Some("red"),
            Color::Impossible => Some("gray"),
        }
    }
}

/// A text without line ends and of bounded length: pictures have little room.
pub fn short(text: &str) -> String {
    const MAX: usize = 60;
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MAX {
        return text;
    }
    let mut cut: String = text.chars().take(MAX - 1).collect();
    cut.push('…');
    cut
}
