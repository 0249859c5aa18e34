//! Propositions: what formulas are about, without knowing what it means.
//!
//! A proposition is a number with the text that the user wrote for it. Two texts are the same proposition
//! when whoever resolves them says so; by default, when they are equal.

use fathom_source::Span;

/// Names one proposition of a table of [`Propositions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PropositionId(u32);

impl PropositionId {
    /// The proposition at a position in its table.
    pub fn new(index: usize) -> PropositionId {
        PropositionId(index as u32)
    }

    /// The position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One proposition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// The state expression as written, or a name.
    pub text: String,
    /// Where it is written first, when it is.
    pub span: Option<Span>,
}

/// A table of propositions.
#[derive(Clone, Default, Debug)]
pub struct Propositions {
    list: Vec<Proposition>,
}

impl Propositions {
    /// An empty table.
    pub fn new() -> Propositions {
        Propositions::default()
    }

    /// The proposition of this text; a new one if there is none yet.
    pub fn intern(&mut self, text: &str, span: Option<Span>) -> PropositionId {
        let known = self.list.iter().position(|proposition| proposition.text == text);
        PropositionId::new(known.unwrap_or_else(|| {
            self.list.push(Proposition { text: text.to_owned(), span });
            self.list.len() - 1
        }))
    }

    /// A proposition of this table.
    pub fn get(&self, id: PropositionId) -> &Proposition {
        &self.list[id.index()]
    }

    /// The text of a proposition of this table.
    pub fn text(&self, id: PropositionId) -> &str {
        &self.get(id).text
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All propositions in their order.
    pub fn iter(&self) -> impl Iterator<Item = (PropositionId, &Proposition)> {
        self.list.iter().enumerate().map(|(index, proposition)| (PropositionId::new(index), proposition))
    }
}
