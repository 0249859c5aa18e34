//! State machines as scenarios: `FSM(0, AcceptingStates(2), Transitions(t(0, A(), 1), t(1, B(2), 2)))`.
//!
//! The text form is NModel's: terms of numbers, texts, names and `_`, which stands for anything. A machine may be in several
//! states at once, since one action may lead to several.

use std::collections::BTreeSet;

use fathom_source::{Diagnostic, Span};

/// A term with its place.
#[derive(Clone, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it is written.
    pub span: Span,
}

/// What a term is.
#[derive(Clone, Debug)]
pub enum TermKind {
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
        match &self.kind {
            TermKind::Any => "_".to_string(),
            TermKind::Int(number) => number.to_string(),
            TermKind::Double(number) => number.to_string(),
            TermKind::Text(text) => format!("{text:?}"),
            TermKind::Compound(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Term::show).collect();
                format!("{name}({})", arguments.join(", "))
            }
        }
    }
}

/// A step of a state machine.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Where it begins.
    pub from: usize,
    /// The action.
    pub action: String,
    /// What is said about its arguments.
    pub arguments: Vec<Term>,
    /// Where it leads.
    pub to: usize,
    /// Where the action is written.
    pub span: Span,
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
    pub transitions: Vec<Transition>,
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
        let TermKind::Compound(_, parts) = &transition.kind else { return false };
        let [from, label, to] = &parts[..] else { return false };
        let TermKind::Compound(action, arguments) = &label.kind else { return false };
        let (from, to) = (self.state(from), self.state(to));
        let (action, arguments, span) = (action.clone(), arguments.clone(), label.span);
        self.transitions.push(Transition { from, action, arguments, to, span });
        true
    }

    /// Whether an action is one of its own.
    pub fn knows(&self, action: &str) -> bool {
        self.vocabulary.contains(action)
            || self.transitions.iter().any(|transition| transition.action == action)
    }

    /// All actions that it has a say in.
    pub fn actions(&self) -> BTreeSet<&str> {
        let taken = self.transitions.iter().map(|transition| transition.action.as_str());
        taken.chain(self.vocabulary.iter().map(String::as_str)).collect()
    }
}

/// Reads the text form of a state machine.
pub fn parse_fsm(text: &str, name: &str, whole: Span) -> (Option<Fsm>, Vec<Diagnostic>) {
    let wrong = |message: &str| vec![Diagnostic::error("csharp::fsm", message.to_string()).at(whole, "")];
    let parts = match parse_term(text, whole) {
        Ok(Term { kind: TermKind::Compound(word, parts), .. }) if word == "FSM" => parts,
        Ok(_) => return (None, wrong("expected `FSM(…)`")),
        Err(diagnostic) => return (None, vec![*diagnostic]),
    };
    let mut fsm = Fsm { name: name.to_string(), ..Fsm::default() };
    let mut diagnostics = Vec::new();
    let mut accepting: Vec<&Term> = Vec::new();
    let Some(initial) = parts.first() else { return (None, wrong("expected the state to begin in")) };
    fsm.initial = fsm.state(initial);
    for part in &parts[1..] {
        match &part.kind {
            TermKind::Compound(word, states)
                if ["AcceptingStates", "Acc", "Accepting"].contains(&word.as_str()) =>
            {
                accepting.extend(states);
            }
            TermKind::Compound(word, transitions) if word == "Transitions" => {
                for transition in transitions {
                    if !fsm.add(transition) {
                        let message = format!("`{}` is no transition", transition.show());
                        diagnostics.push(Diagnostic::error("csharp::fsm", message).at(transition.span, ""));
                    }
                }
            }
            TermKind::Compound(word, actions)
                if ["Vocabulary", "Voc", "Actions"].contains(&word.as_str()) =>
            {
                fsm.vocabulary.extend(actions.iter().filter_map(|action| match &action.kind {
                    TermKind::Text(name) | TermKind::Compound(name, _) => Some(name.clone()),
                    _ => None,
                }));
            }
            _ => {
                let message = format!("`{}` is no part of a state machine", part.show());
                diagnostics.push(Diagnostic::error("csharp::fsm", message).at(part.span, ""));
            }
        }
    }
    if !diagnostics.is_empty() {
        return (None, diagnostics);
    }
    for state in accepting {
        let n_states = fsm.states.len();
        let number = fsm.state(state);
        if number == n_states {
            let message =
                format!("no transition leads to the accepting state `{}`, or from it", state.show());
            diagnostics.push(Diagnostic::warning("csharp::fsm-state", message).at(state.span, ""));
        }
        fsm.accepting.insert(number);
    }
    (Some(fsm), diagnostics)
}

/// How deep terms may nest.
const MOST_NESTED: usize = 100;

/// Reads a term.
///
/// # Errors
///
/// A diagnostic at the place, when the text is the one of the span, or at the whole.
pub fn parse_term(text: &str, whole: Span) -> Result<Term, Box<Diagnostic>> {
    // A literal of a program has quotes, and may have escapes: then only the whole is sure.
    let origin = match ((whole.end - whole.start) as usize).checked_sub(text.len()) {
        Some(0) => Some(whole.start),
        Some(2) => Some(whole.start + 1),
        _ => None,
    };
    let mut parser = Parser { text, at: 0, depth: 0, whole, origin };
    let result = parser.term().and_then(|term| {
        parser.skip();
        if parser.at == text.len() { Ok(term) } else { Err("expected the end of the term") }
    });
    result.map_err(|message| {
        let at = parser.at.min(text.len());
        Box::new(Diagnostic::error("csharp::fsm", message.to_string()).at(parser.span(at, at), ""))
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Where the text is written.
    whole: Span,
    /// Where its first character is, if it is written as it is.
    origin: Option<u32>,
}

impl Parser<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        match self.origin {
            Some(origin) => Span { start: origin + start as u32, end: origin + end as u32, ..self.whole },
            None => self.whole,
        }
    }

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
        self.skip();
        let start = self.at;
        let kind = self.term_inside();
        self.depth -= 1;
        Ok(Term { kind: kind?, span: self.span(start, self.at) })
    }

    fn term_inside(&mut self) -> Result<TermKind, &'static str> {
        match self.rest().chars().next() {
            Some('"') => self.quoted(),
            Some(first) if first.is_ascii_digit() || first == '-' => self.number(),
            Some(first) if first.is_alphabetic() || first == '_' => {
                let name = self.while_in(|c| c.is_alphanumeric() || c == '_' || c == '.');
                if self.eat('<') {
                    self.while_in(|c| c != '(' && c != ')');
                }
                if !self.eat('(') {
                    return Ok(if name == "_" {
                        TermKind::Any
                    } else {
                        TermKind::Compound(name, Vec::new())
                    });
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
                Ok(TermKind::Compound(name, arguments))
            }
            _ => Err("expected a term"),
        }
    }

    fn number(&mut self) -> Result<TermKind, &'static str> {
        let digits = self.while_in(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
        if let Ok(number) = digits.parse() {
            return Ok(TermKind::Int(number));
        }
        digits.parse().map(TermKind::Double).map_err(|_| "expected a number")
    }

    fn quoted(&mut self) -> Result<TermKind, &'static str> {
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
                return Ok(TermKind::Text(text));
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
        let first = &fsm.transitions[0];
        assert_eq!(first.arguments.iter().map(Term::show).collect::<Vec<_>>(), ["\"a\"", "_"]);
        assert_eq!(&text[first.span.start as usize..first.span.end as usize], "Put(\"a\", _)");
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
