//! State machines as scenarios: `FSM(0, AcceptingStates(2), Transitions(t(0, A(), 1), t(1, B(2), 2)))`.
//!
//! The text form is NModel's: terms of numbers, texts, names and `_`, which stands for anything. A machine may be in several
//! states at once, since one action may lead to several.

use std::collections::BTreeSet;

use fathom_source::{Diagnostic, Span};

/// A term.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// `_`.
    Any,
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Double(f64),
    /// A text.
    Text(String),
    /// A name with arguments, or none.
    Compound(String, Vec<Term>),
}

impl Term {
    /// The term as text, the same for the same term.
    pub fn show(&self) -> String {
        match self {
            Term::Any => "_".to_string(),
            Term::Int(number) => number.to_string(),
            Term::Double(number) => number.to_string(),
            Term::Text(text) => format!("{text:?}"),
            Term::Compound(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Term::show).collect();
                format!("{name}({})", arguments.join(", "))
            }
        }
    }
}

/// A state machine.
#[derive(Clone, Default, Debug)]
pub struct Fsm {
    /// What it is called.
    pub name: String,
    /// Names of its states.
    pub states: Vec<String>,
    /// Where it begins.
    pub initial: usize,
    /// Where it may end; none means everywhere.
    pub accepting: BTreeSet<usize>,
    /// From a state, by an action with arguments, to a state.
    pub transitions: Vec<(usize, String, Vec<Term>, usize)>,
    /// The actions it has a say in, other than those of its transitions.
    pub vocabulary: BTreeSet<String>,
}

impl Fsm {
    /// The state with a name.
    pub fn state(&mut self, term: &Term) -> usize {
        let name = term.show();
        match self.states.iter().position(|known| *known == name) {
            Some(known) => known,
            None => {
                self.states.push(name);
                self.states.len() - 1
            }
        }
    }

    /// Adds `t(from, action, to)`; gives whether it is one.
    pub fn add(&mut self, transition: &Term) -> bool {
        let Term::Compound(_, parts) = transition else { return false };
        let [from, Term::Compound(action, arguments), to] = &parts[..] else { return false };
        let (from, to) = (self.state(from), self.state(to));
        self.transitions.push((from, action.clone(), arguments.clone(), to));
        true
    }

    /// Whether an action is one of its own.
    pub fn knows(&self, action: &str) -> bool {
        self.vocabulary.contains(action) || self.transitions.iter().any(|(_, known, ..)| known == action)
    }

    /// All actions that it has a say in.
    pub fn actions(&self) -> BTreeSet<&str> {
        let taken = self.transitions.iter().map(|(_, action, ..)| action.as_str());
        taken.chain(self.vocabulary.iter().map(String::as_str)).collect()
    }
}

/// Reads the text form of a state machine.
pub fn parse_fsm(text: &str, name: &str, whole: Span) -> (Option<Fsm>, Vec<Diagnostic>) {
    let wrong = |message: &str| vec![Diagnostic::error("csharp::fsm", message.to_string()).at(whole, "")];
    let parts = match parse_term(text, whole) {
        Ok(Term::Compound(word, parts)) if word == "FSM" => parts,
        Ok(_) => return (None, wrong("expected `FSM(…)`")),
        Err(diagnostic) => return (None, vec![*diagnostic]),
    };
    let mut fsm = Fsm { name: name.to_string(), ..Fsm::default() };
    let mut diagnostics = Vec::new();
    let Some(initial) = parts.first() else { return (None, wrong("expected the state to begin in")) };
    fsm.initial = fsm.state(initial);
    for part in &parts[1..] {
        match part {
            Term::Compound(word, states)
                if ["AcceptingStates", "Acc", "Accepting"].contains(&word.as_str()) =>
            {
                let states: Vec<usize> = states.iter().map(|state| fsm.state(state)).collect();
                fsm.accepting.extend(states);
            }
            Term::Compound(word, transitions) if word == "Transitions" => {
                for transition in transitions {
                    if !fsm.add(transition) {
                        let message = format!("`{}` is no transition", transition.show());
                        diagnostics.push(Diagnostic::error("csharp::fsm", message).at(whole, ""));
                    }
                }
            }
            Term::Compound(word, actions) if ["Vocabulary", "Voc", "Actions"].contains(&word.as_str()) => {
                fsm.vocabulary.extend(actions.iter().filter_map(|action| match action {
                    Term::Text(name) | Term::Compound(name, _) => Some(name.clone()),
                    _ => None,
                }));
            }
            other => {
                let message = format!("`{}` is no part of a state machine", other.show());
                diagnostics.push(Diagnostic::error("csharp::fsm", message).at(whole, ""));
            }
        }
    }
    if diagnostics.is_empty() { (Some(fsm), diagnostics) } else { (None, diagnostics) }
}

/// How deep terms may nest.
const MOST_NESTED: usize = 100;

/// Reads a term.
///
/// # Errors
///
/// A diagnostic at the place, when the text is the one of the span, or at the whole.
pub fn parse_term(text: &str, whole: Span) -> Result<Term, Box<Diagnostic>> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let result = parser.term().and_then(|term| {
        parser.skip();
        if parser.at == text.len() { Ok(term) } else { Err("expected the end of the term") }
    });
    result.map_err(|message| {
        // A literal of a program may have escapes: then only the whole is sure.
        let is_exact = (whole.end - whole.start) as usize == text.len();
        let start = whole.start + parser.at.min(text.len()) as u32;
        let span = if is_exact { Span { start, end: start, ..whole } } else { whole };
        Box::new(Diagnostic::error("csharp::fsm", message.to_string()).at(span, ""))
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, word: char) -> bool {
        self.skip();
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len_utf8();
        }
        found
    }

    fn while_in(&mut self, is_in: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let length = rest.find(|c| !is_in(c)).unwrap_or(rest.len());
        let found = rest[..length].to_string();
        self.at += length;
        found
    }

    fn term(&mut self) -> Result<Term, &'static str> {
        if self.depth >= MOST_NESTED {
            return Err("terms nest too deep");
        }
        self.depth += 1;
        let term = self.term_inside();
        self.depth -= 1;
        term
    }

    fn term_inside(&mut self) -> Result<Term, &'static str> {
        self.skip();
        match self.rest().chars().next() {
            Some('"') => self.quoted(),
            Some(first) if first.is_ascii_digit() || first == '-' => self.number(),
            Some(first) if first.is_alphabetic() || first == '_' => {
                let name = self.while_in(|c| c.is_alphanumeric() || c == '_' || c == '.');
                if self.eat('<') {
                    self.while_in(|c| c != '(' && c != ')');
                }
                if !self.eat('(') {
                    return Ok(if name == "_" { Term::Any } else { Term::Compound(name, Vec::new()) });
                }
                let mut arguments = Vec::new();
                if !self.eat(')') {
                    loop {
                        arguments.push(self.term()?);
                        if self.eat(')') {
                            break;
                        }
                        if !self.eat(',') {
                            return Err("expected `,` or `)`");
                        }
                    }
                }
                Ok(Term::Compound(name, arguments))
            }
            _ => Err("expected a term"),
        }
    }

    fn number(&mut self) -> Result<Term, &'static str> {
        let digits = self.while_in(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
        if let Ok(number) = digits.parse() {
            return Ok(Term::Int(number));
        }
        digits.parse().map(Term::Double).map_err(|_| "expected a number")
    }

    fn quoted(&mut self) -> Result<Term, &'static str> {
        self.at += 1;
        let mut text = String::new();
        let mut is_escaped = false;
        for (place, next) in self.rest().char_indices() {
            if is_escaped {
                text.push(match next {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
                is_escaped = false;
            } else if next == '\\' {
                is_escaped = true;
            } else if next == '"' {
                self.at += place + 1;
                return Ok(Term::Text(text));
            } else {
                text.push(next);
            }
        }
        Err("a text without an end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_source::SourceMap;

    fn read(text: &str) -> (Option<Fsm>, Vec<Diagnostic>) {
        let mut sources = SourceMap::new();
        let file = sources.add("scenario.txt", text);
        parse_fsm(text, "scenario", Span { file, start: 0, end: text.len() as u32 })
    }

    #[test]
    fn a_machine_has_states_transitions_and_a_vocabulary() {
        let text = "FSM(0, Acc(0), Transitions(\n t(0, Put(\"a\", _), 1), t(1, Get(Kind(\"Big\")), 0)), Voc(\"Stop\"))";
        let (fsm, diagnostics) = read(text);
        assert_eq!(diagnostics, []);
        let fsm = fsm.unwrap();
        assert_eq!(fsm.states, ["0", "1"]);
        assert_eq!(fsm.accepting, BTreeSet::from([0]));
        assert_eq!(fsm.transitions[0].2, [Term::Text("a".to_string()), Term::Any]);
        assert_eq!(fsm.actions().into_iter().collect::<Vec<_>>(), ["Get", "Put", "Stop"]);
    }

    #[test]
    fn what_is_no_machine_is_said_where_it_is() {
        let (fsm, diagnostics) = read("FSM(0, Transitions(t(0, A( 1)))");
        assert!(fsm.is_none());
        let span = diagnostics[0].primary.as_ref().unwrap().span;
        assert_eq!((span.start, span.end), (31, 31));
        for wrong in
            ["", "FSM", "FSM(", "FSM()", "FSM(0, What(1))", "FSM(0, Transitions(t(0, 1, 2)))", "f(\""]
        {
            assert!(read(wrong).0.is_none(), "{wrong}");
        }
    }
}
