//! Names and what they stand for.

use std::collections::HashMap;

use fathom_model::{ChannelTypeId, EnumerationId, Model, Type};
use fathom_source::Span;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A variable.
    Variable(VariableSymbol),
    /// A member of an enumeration.
    Constant(i64, EnumerationId),
}

/// A variable: where it lives and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct VariableSymbol {
    /// Whether it is a global rather than a local of the current process.
    pub global: bool,
    /// Its first byte in the frame.
    pub offset: u32,
    /// Its type.
    pub ty: Type,
    /// The type of the channel it is declared with, if it is.
    pub channel: Option<ChannelTypeId>,
    /// The value it starts with, when that is a constant; array sizes may refer to it.
    pub constant: Option<i64>,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// Nested scopes: the globals, then the process, then its blocks.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scopes {
    levels: Vec<HashMap<String, Symbol>>,
}

impl Scopes {
    /// One empty scope for globals.
    pub fn new() -> Scopes {
        Scopes { levels: vec![HashMap::new()] }
    }

    /// The names that are visible everywhere in a finished model.
    pub fn of_model(model: &Model) -> Scopes {
        let mut scopes = Scopes::new();
        for (index, enumeration) in model.enumerations.iter().enumerate() {
            for (value, name) in &enumeration.members {
                let symbol = Symbol::Constant(*value, EnumerationId::from(index));
                scopes.levels[0].insert(name.clone(), symbol);
            }
        }
        for variable in &model.globals.variables {
            let symbol = VariableSymbol {
                global: true,
                offset: variable.offset,
                ty: variable.ty.clone(),
                channel: None,
                constant: None,
                span: variable.span,
            };
            scopes.levels[0].insert(variable.name.clone(), Symbol::Variable(symbol));
        }
        scopes
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.levels.push(HashMap::new());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.levels.pop();
    }

    /// The innermost meaning of a name.
    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.levels.iter().rev().find_map(|level| level.get(name))
    }

    /// Declares a name in the innermost scope; gives back an earlier declaration in that same scope.
    pub fn declare(&mut self, name: &str, symbol: Symbol) -> Option<Symbol> {
        self.levels.last_mut().expect("there is always a scope").insert(name.to_owned(), symbol)
    }

    /// Names that look like this one, for suggestions.
    pub fn similar(&self, name: &str) -> Option<String> {
        let mut names: Vec<&String> = self.levels.iter().flat_map(HashMap::keys).collect();
        names.sort();
        fathom_source::similar(name, names.into_iter().map(String::as_str)).map(str::to_owned)
    }
}
