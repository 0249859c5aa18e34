//! Temporal logic as mathematics: formulas, their meaning on words, and automata for them.
//!
//! Nothing here knows systems, states or stores. Propositions are numbers with a text; what they mean is the
//! business of whoever resolves them. See [`Formulas`] for formulas, [`Lasso`] for what they mean,
//! [`Translator`] for automata.

mod automaton;
mod class;
mod components;
mod ctl;
mod ctl_evaluate;
mod ctl_parse;
mod degeneralize;
mod fold;
mod formula;
mod guard;
mod hoa_read;
mod hoa_tokens;
mod hoa_write;
mod implication;
mod lasso;
mod lexer;
mod never_write;
mod normal_form;
mod parse;
#[cfg(test)]
mod parse_tests;
mod pattern;
mod pattern_parse;
#[cfg(test)]
mod pattern_tests;
mod print;
mod product;
mod proposition;
mod psl;
#[cfg(test)]
mod random;
mod reading;
mod simplify;
mod simplify_lists;
mod simulation;
mod stutter;
mod suspend;
mod table;
mod tableau;
mod translate;
mod trim;
mod vacuity;
mod weak_deterministic;

pub use automaton::{Automaton, Marks, StateIndex, Transition};
pub use class::{Shape, Shapes};
pub use ctl::{CtlFormula, CtlFormulas, CtlNode, Quantifier};
pub use ctl_evaluate::{evaluate_ctl, evaluate_fair_ctl};
pub use ctl_parse::{parse_ctl, parse_ctl_text, print_ctl};
pub use fold::{fold_ctl, fold_psl};
pub use formula::{Formula, Formulas, Node};
pub use guard::{Cube, Guard, Guards, Product};
pub use hoa_read::read_hoa;
pub use hoa_write::write_hoa;
pub use lasso::{Lasso, Valuation, all_lassos, evaluate};
pub use never_write::write_never;
pub use normal_form::NormalForms;
pub use parse::{ResolveProposition, parse_ltl, parse_ltl_text};
pub use pattern::{Pattern, PatternKind, Scope};
pub use pattern_parse::{PATTERN_NAMES, parse_pattern, parse_pattern_text};
pub use print::{print_formula, print_with};
pub use product::{are_disjoint, intersection};
pub use proposition::{Proposition, PropositionId, Propositions};
pub use psl::{Inclusive, Psl, PslEnd, PslWord, Sere, parse_psl, parse_psl_text, read_psl};
pub use reading::{read_ctl, read_formula};
pub use simplify::Simplifier;
pub use stutter::is_stutter_invariant;
pub use tableau::{Cut, tableau};
pub use translate::{Class, TranslateError, Translator};
pub use vacuity::{Strengthening, ctl_strengthenings, psl_strengthenings, strengthenings};
pub use weak_deterministic::weak_deterministic;
