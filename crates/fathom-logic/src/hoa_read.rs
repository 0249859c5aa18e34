//! Automata in the Hanoi omega-automata format, from other tools.
//!
//! Version 1 of the format (Babiak and others, CAV 2015) without alternation: several start states, labels on transitions or
//! states, implicit labels, aliases, acceptance on states or transitions. The acceptance condition must be a conjunction
//! of `Inf` of sets, which is Büchi and generalised Büchi; others are refused with a diagnostic of their own. Header items
//! that start with a lower-case letter carry no meaning and are passed over, as the format demands.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

use crate::PropositionId;
use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::guard::{Guard, Guards};
use crate::hoa_tokens::{Item, Token, tokens};
use crate::parse::ResolveProposition;

/// No automaton may have more states than this.
const MOST_STATES: usize = 1 << 20;

/// With more propositions than this implicit labels are refused.
const MOST_IMPLICIT: usize = 16;

/// Reads a file that holds one automaton; texts of propositions are given to the resolver.
///
/// # Errors
///
/// What is wrong with the text, with its place.
pub fn read_hoa(
    file: FileId,
    sources: &SourceMap,
    resolver: &mut dyn ResolveProposition,
) -> Result<Automaton, Vec<Diagnostic>> {
    let mut reader = Reader {
        tokens: tokens(file, sources)?,
        at: 0,
        resolver,
        guards: Guards::new(),
        propositions: Vec::new(),
        aliases: FxHashMap::default(),
        n_states: None,
        starts: Vec::new(),
        needed: None,
        n_sets: 0,
        depth: 0,
    };
    reader.header()?;
    reader.body()
}

type Read<T> = Result<T, Vec<Diagnostic>>;

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    resolver: &'a mut dyn ResolveProposition,
    guards: Guards,
    propositions: Vec<PropositionId>,
    aliases: FxHashMap<&'a str, Guard>,
    n_states: Option<usize>,
    starts: Vec<StateIndex>,
    /// The sets that must be met; none before the acceptance condition was read.
    needed: Option<Marks>,
    n_sets: usize,
    depth: usize,
}

fn problem<T>(code: &'static str, message: impl Into<String>, span: Span) -> Read<T> {
    Err(vec![Diagnostic::error(code, message).at(span, "here")])
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn eat(&mut self, item: Item) -> bool {
        let found = self.peek().item == item;
        self.at += usize::from(found);
        found
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        let token = self.peek();
        problem("hoa::syntax", format!("expected {what}, found {}", token.describe()), token.span)
    }

    fn expect(&mut self, item: Item, what: &str) -> Read<()> {
        if self.eat(item) { Ok(()) } else { self.expected(what) }
    }

    fn number(&mut self, what: &str) -> Read<usize> {
        match self.peek().item {
            Item::Number(number) => {
                self.next();
                Ok(number)
            }
            _ => self.expected(what),
        }
    }

    fn header(&mut self) -> Read<()> {
        self.expect(Item::Header("HOA"), "`HOA:`")?;
        self.expect(Item::Word("v1"), "`v1`")?;
        loop {
            let token = self.next();
            match token.item {
                Item::Body => break,
                Item::Header("States") => self.n_states = Some(self.count_of_states()?),
                Item::Header("Start") => self.start()?,
                Item::Header("AP") => self.names(token.span)?,
                Item::Header("Alias") => self.alias()?,
                Item::Header("Acceptance") => self.acceptance()?,
                Item::Header(name) if name.starts_with(char::is_lowercase) => self.skip_item(),
                Item::Header(name) => {
                    return problem(
                        "hoa::unsupported",
                        format!("header `{name}:` is not supported"),
                        token.span,
                    );
                }
                _ => {
                    self.at -= 1;
                    return self.expected("a header item or `--BODY--`");
                }
            }
        }
        if self.needed.is_none() {
            self.at -= 1;
            return self.expected("`Acceptance:` before the body");
        }
        Ok(())
    }

    fn skip_item(&mut self) {
        while !matches!(self.peek().item, Item::Header(_) | Item::Body | Item::Ended | Item::End) {
            self.next();
        }
    }

    fn count_of_states(&mut self) -> Read<usize> {
        let span = self.peek().span;
        let count = self.number("the number of states")?;
        if count > MOST_STATES {
            return problem("hoa::too-large", format!("more than {MOST_STATES} states"), span);
        }
        Ok(count)
    }

    fn start(&mut self) -> Read<()> {
        let state = self.number("a state")?;
        if self.peek().item == Item::Sign('&') {
            return problem("hoa::unsupported", "alternating automata are not supported", self.peek().span);
        }
        self.starts.push(state);
        Ok(())
    }

    fn names(&mut self, span: Span) -> Read<()> {
        let count = self.number("the number of propositions")?;
        for _ in 0..count {
            let token = self.peek();
            let Item::Text(text) = token.item else {
                return self.expected("the name of a proposition in quotes");
            };
            self.next();
            let text = text.replace("\\\"", "\"").replace("\\\\", "\\");
            self.propositions.push(self.resolver.resolve(&text, token.span)?);
        }
        if matches!(self.peek().item, Item::Text(_)) {
            return problem("hoa::syntax", format!("more than {count} names of propositions"), span);
        }
        Ok(())
    }

    fn alias(&mut self) -> Read<()> {
        let Item::Alias(name) = self.peek().item else { return self.expected("an alias, `@name`") };
        self.next();
        let guard = self.label(0)?;
        self.aliases.insert(name, guard);
        Ok(())
    }

    /// The number of sets and a conjunction of `Inf(set)`.
    fn acceptance(&mut self) -> Read<()> {
        let token = self.peek();
        self.n_sets = self.number("the number of acceptance sets")?;
        if self.n_sets > Marks::MOST {
            return problem(
                "hoa::too-large",
                format!("more than {} acceptance sets", Marks::MOST),
                token.span,
            );
        }
        let mut needed = Marks::NONE;
        let mut depth = 0;
        loop {
            let token = self.next();
            match token.item {
                Item::Word("t") => {}
                Item::Sign('(') => {
                    depth += 1;
                    continue;
                }
                Item::Word("Inf") => {
                    self.expect(Item::Sign('('), "`(`")?;
                    let set = self.set()?;
                    needed = needed.with(set);
                    self.expect(Item::Sign(')'), "`)`")?;
                }
                Item::Word("Fin" | "f") | Item::Sign('|' | '!') => {
                    let message = "only conjunctions of `Inf` are supported: Büchi and generalized Büchi";
                    return problem("hoa::unsupported", message, token.span);
                }
                _ => {
                    self.at -= 1;
                    return self.expected("an acceptance condition");
                }
            }
            while depth > 0 && self.eat(Item::Sign(')')) {
                depth -= 1;
            }
            if self.peek().item == Item::Sign('|') {
                continue;
            }
            if !self.eat(Item::Sign('&')) {
                break;
            }
        }
        if depth > 0 {
            return self.expected("`)`");
        }
        self.needed = Some(needed);
        Ok(())
    }

    fn set(&mut self) -> Read<usize> {
        let span = self.peek().span;
        let set = self.number("an acceptance set")?;
        if set >= self.n_sets {
            return problem("hoa::unknown", format!("there is no acceptance set {set}"), span);
        }
        Ok(set)
    }

    /// A label expression whose operators bind at least as tightly as `least`: 0 or, 1 and.
    fn label(&mut self, least: u8) -> Read<Guard> {
        self.depth += 1;
        if self.depth > 200 {
            return problem("hoa::syntax", "the label is nested too deeply", self.peek().span);
        }
        let mut left = self.label_operand()?;
        loop {
            let is_or = self.peek().item == Item::Sign('|');
            let is_and = self.peek().item == Item::Sign('&');
            if !(is_and || is_or && least == 0) {
                break;
            }
            self.next();
            if is_and {
                let right = self.label_operand()?;
                left = self.guards.and(left, right);
            } else {
                let right = self.label(1)?;
                left = self.guards.or(left, right);
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    fn label_operand(&mut self) -> Read<Guard> {
        let token = self.next();
        match token.item {
            Item::Word("t") => Ok(Guard::TRUE),
            Item::Word("f") => Ok(Guard::FALSE),
            Item::Number(number) => match self.propositions.get(number) {
                Some(proposition) => {
                    let variable = proposition.index() as u32;
                    Ok(self.guards.variable(variable))
                }
                None => problem("hoa::unknown", format!("there is no proposition {number}"), token.span),
            },
            Item::Alias(name) => match self.aliases.get(name) {
                Some(&guard) => Ok(guard),
                None => problem("hoa::unknown", format!("alias `@{name}` is not defined"), token.span),
            },
            Item::Sign('!') => {
                self.depth += 1;
                if self.depth > 200 {
                    return problem("hoa::syntax", "the label is nested too deeply", token.span);
                }
                let operand = self.label_operand()?;
                self.depth -= 1;
                Ok(self.guards.not(operand))
            }
            Item::Sign('(') => {
                let guard = self.label(0)?;
                self.expect(Item::Sign(')'), "`)`")?;
                Ok(guard)
            }
            _ => {
                self.at -= 1;
                self.expected("a label")
            }
        }
    }

    fn body(mut self) -> Read<Automaton> {
        let mut states: Vec<Vec<Transition>> = vec![Vec::new(); self.n_states.unwrap_or(0)];
        let mut is_state_based = true;
        loop {
            match self.peek().item {
                Item::Ended => break,
                Item::Header("State") => {
                    self.next();
                    is_state_based &= self.state(&mut states)?;
                }
                _ => return self.expected("`State:` or `--END--`"),
            }
        }
        let end = self.peek().span;
        for &start in &self.starts {
            if start >= states.len() {
                return problem("hoa::unknown", format!("start state {start} is not defined"), end);
            }
        }
        let undefined = states.iter().flatten().find(|transition| transition.target >= states.len());
        if let Some(transition) = undefined {
            let message = format!("state {} is not defined", transition.target);
            return problem("hoa::unknown", message, end);
        }
        Ok(self.finish(states, is_state_based))
    }

    /// One state with its transitions; whether all of them have the same marks.
    fn state(&mut self, states: &mut Vec<Vec<Transition>>) -> Read<bool> {
        let common = if self.peek().item == Item::Sign('[') { Some(self.bracketed()?) } else { None };
        let span = self.peek().span;
        let state = self.number("a state")?;
        if state >= MOST_STATES || self.n_states.is_some_and(|n_states| state >= n_states) {
            return problem("hoa::unknown", format!("state {state} is beyond the number of states"), span);
        }
        if state >= states.len() {
            states.resize(state + 1, Vec::new());
        }
        if matches!(self.peek().item, Item::Text(_)) {
            self.next();
        }
        let state_marks = self.marks()?;
        let mut implicit = 0;
        let mut is_uniform = true;
        while matches!(self.peek().item, Item::Sign('[') | Item::Number(_)) {
            let has_label = self.peek().item == Item::Sign('[');
            let guard = match (has_label, common) {
                (true, _) => self.bracketed()?,
                (false, Some(guard)) => guard,
                (false, None) => self.implicit(&mut implicit)?,
            };
            let target = self.number("a state")?;
            if self.peek().item == Item::Sign('&') {
                return problem(
                    "hoa::unsupported",
                    "alternating automata are not supported",
                    self.peek().span,
                );
            }
            let marks = self.marks()?;
            is_uniform &= marks == Marks::NONE;
            states[state].push(Transition { guard, marks: marks.union(state_marks), target });
        }
        Ok(is_uniform)
    }

    fn bracketed(&mut self) -> Read<Guard> {
        self.expect(Item::Sign('['), "`[`")?;
        let guard = self.label(0)?;
        self.expect(Item::Sign(']'), "`]`")?;
        Ok(guard)
    }

    /// The next letter in binary order.
    fn implicit(&mut self, next: &mut usize) -> Read<Guard> {
        let n_propositions = self.propositions.len();
        if n_propositions > MOST_IMPLICIT || *next >= 1 << n_propositions {
            return problem("hoa::syntax", "more transitions than letters", self.peek().span);
        }
        let letter: Vec<(u32, bool)> = self
            .propositions
            .iter()
            .enumerate()
            .map(|(at, proposition)| (proposition.index() as u32, *next >> at & 1 == 1))
            .collect();
        *next += 1;
        Ok(self.guards.cube(&letter))
    }

    fn marks(&mut self) -> Read<Marks> {
        let mut marks = Marks::NONE;
        if self.eat(Item::Sign('{')) {
            while !self.eat(Item::Sign('}')) {
                marks = marks.with(self.set()?);
            }
        }
        Ok(marks)
    }

    /// Several start states become one, and sets that nobody asks for go.
    fn finish(self, mut states: Vec<Vec<Transition>>, is_state_based: bool) -> Automaton {
        let needed = self.needed.unwrap_or_default();
        let sets: Vec<usize> = (0..self.n_sets).filter(|&set| needed.contains(set)).collect();
        for transition in states.iter_mut().flatten() {
            let old = transition.marks;
            let kept = sets.iter().enumerate().filter(|(_, set)| old.contains(**set));
            transition.marks = kept.fold(Marks::NONE, |marks, (new, _)| marks.with(new));
        }
        let initial = match self.starts[..] {
            [one] => one,
            _ => {
                let mut joined: Vec<Transition> =
                    self.starts.iter().flat_map(|&start| states[start].clone()).collect();
                if is_state_based {
                    // The state is left at once; its marks mean nothing, but must agree.
                    joined.iter_mut().for_each(|transition| transition.marks = Marks::NONE);
                }
                states.push(joined);
                states.len() - 1
            }
        };
        for transitions in &mut states {
            transitions.retain(|transition| transition.guard != Guard::FALSE);
        }
        let mut propositions = self.propositions;
        propositions.sort_unstable();
        propositions.dedup();
        Automaton { propositions, guards: self.guards, initial, states, n_sets: sets.len(), is_state_based }
    }
}
