//! Queries to questions.

use std::rc::Rc;

use fathom_source::Span;
use fathom_timed::extremum::{Extremum, Measured};
use fathom_timed::{Conjunct, TimedProperty, TimedQuestion};

use crate::resolve::Lowering;
use crate::scope::Scope;
use crate::syntax::{Query, QueryKind};
use crate::types::Type;

impl<'a> Lowering<'a> {
    /// What a query asks: one thing, but for lists of values, each of which is a question of its own.
    pub fn questions(
        &mut self,
        global: &Rc<Scope<'a>>,
        query: &'a Query,
    ) -> Option<Vec<(TimedQuestion, Span)>> {
        let (condition, values) = match &query.kind {
            QueryKind::Supremum(condition, values) | QueryKind::Infimum(condition, values) => {
                (condition, values)
            }
            _ => return Some(vec![(self.query(global, query)?, query.span)]),
        };
        let is_largest = matches!(query.kind, QueryKind::Supremum(..));
        let among = match condition {
            Some(condition) => self.conjuncts(global, condition, false)?,
            None => vec![Conjunct::default()],
        };
        if among.iter().any(|conjunct| conjunct.is_stuck.is_some()) {
            return self.complain("uppaal::deadlock", "'deadlock' cannot be asked here", query.span);
        }
        let mut found = Vec::new();
        for value in values {
            let measured = match self.type_hint(global, value) {
                Some(Type::Clock) => {
                    let mut prelude = Vec::new();
                    Measured::Clock(self.object(global, value, &mut prelude)?.clock())
                }
                _ => Measured::Integer(self.pure(global, value)?),
            };
            let span = if values.len() == 1 { query.span } else { value.span };
            let extremum = Extremum { is_largest, among: among.clone(), measured };
            found.push((TimedQuestion::Extremum(extremum), span));
        }
        Some(found)
    }

    fn query(&mut self, global: &Rc<Scope<'a>>, query: &'a Query) -> Option<TimedQuestion> {
        match &query.kind {
            QueryKind::Possibly(condition) => {
                Some(TimedQuestion::Reach(self.conjuncts(global, condition, false)?))
            }
            QueryKind::Invariantly(condition) => {
                Some(TimedQuestion::Never(self.conjuncts(global, condition, true)?))
            }
            QueryKind::PotentiallyAlways(condition) => {
                let within = self.conjuncts(global, condition, false)?;
                Some(TimedQuestion::Always(self.convex(within, condition.span)?))
            }
            QueryKind::Eventually(condition) => {
                let within = self.conjuncts(global, condition, true)?;
                Some(TimedQuestion::NotAlways(self.convex(within, condition.span)?))
            }
            QueryKind::LeadsTo(premise, conclusion) => {
                let within = self.conjuncts(global, conclusion, true)?;
                let within = self.convex(within, conclusion.span)?;
                let premise_alone = self.conjuncts(global, premise, false)?;
                let beginning = self.combine(true, premise_alone, within.clone(), query.span)?;
                if beginning.iter().any(|conjunct| conjunct.is_stuck.is_some()) {
                    return self.complain(
                        "uppaal::deadlock",
                        "'deadlock' cannot be asked here",
                        premise.span,
                    );
                }
                Some(TimedQuestion::LeadsTo(beginning, within))
            }
            QueryKind::Supremum(..) | QueryKind::Infimum(..) => None,
        }
    }

    /// What has to be true for ever is convex in every state: at most one conjunct speaks of clocks.
    fn convex(&mut self, within: Vec<Conjunct>, span: Span) -> Option<Vec<Conjunct>> {
        if within.iter().any(|conjunct| conjunct.is_stuck.is_some()) {
            return self.complain("uppaal::deadlock", "'deadlock' cannot be asked here", span);
        }
        if within.iter().filter(|conjunct| !conjunct.clocks.is_empty()).count() > 1 {
            let message =
                "what has to be true for ever has to be convex: one conjunction of bounds on clocks";
            return self.complain("uppaal::not-convex", message, span);
        }
        Some(within)
    }

    /// The properties of a file: run-time errors, its queries, and deadlocks on request.
    pub fn properties(&mut self, global: &Rc<Scope<'a>>, queries: &'a [Query]) -> Vec<TimedProperty> {
        let of_all = |name: &str, question| TimedProperty { name: name.to_owned(), question, span: None };
        let mut found = vec![of_all("runtime-error", TimedQuestion::RuntimeError)];
        for (number, query) in queries.iter().enumerate() {
            let questions = self.questions(global, query).unwrap_or_default();
            let is_list = questions.len() > 1;
            for (place, (question, span)) in questions.into_iter().enumerate() {
                let place = if is_list { format!("-{}", place + 1) } else { String::new() };
                let name = format!("query-{}{place}", number + 1);
                found.push(TimedProperty { name, question, span: Some(span) });
            }
        }
        found.push(of_all("deadlock", TimedQuestion::Deadlock));
        found
    }
}
