//! Formulas as text that is read back as the same formula.

use crate::{Formula, Formulas, Node, Propositions};

/// The formula in Spin's syntax, with as few parentheses as keep it clear.
///
/// A proposition is printed as written, in parentheses unless it is a plain name.
pub fn print_formula(formulas: &Formulas, propositions: &Propositions, formula: Formula) -> String {
    print_with(formulas, formula, &|proposition| proposition_text(propositions.text(proposition)))
}

/// The formula in Spin's syntax, with the given texts for propositions.
pub fn print_with(
    formulas: &Formulas,
    formula: Formula,
    text: &dyn Fn(crate::PropositionId) -> String,
) -> String {
    let mut out = String::new();
    write(formulas, formula, text, Place::Top, &mut out);
    out
}

/// The text of a proposition as part of a formula.
pub fn proposition_text(text: &str) -> String {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    const RESERVED: [&str; 28] = [
        "U",
        "W",
        "R",
        "V",
        "M",
        "A",
        "E",
        "until",
        "stronguntil",
        "weakuntil",
        "release",
        "strongrelease",
        "not",
        "equivalent",
        "implies",
        "or",
        "xor",
        "and",
        "always",
        "eventually",
        "next",
        "true",
        "TRUE",
        "True",
        "false",
        "FALSE",
        "False",
        "never",
    ];
    let is_operators = text.chars().all(|c| "GFX".contains(c));
    if is_name(text) && !RESERVED.contains(&text) && !is_operators {
        return text.to_owned();
    }
    let quoted = format!("\"{text}\"");
    let compared = ["==", "!=", "<", ">"].iter().any(|sign| text.contains(sign));
    let without_comparison = text.replace("!=", "==");
    let risky = ['"', '(', ')', '&', '|', '!', '~', '^'].iter().any(|&c| without_comparison.contains(c))
        || text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|part| {
            RESERVED.contains(&part) || !part.is_empty() && part.chars().all(|c| "GFX".contains(c))
        })
        || text.contains("->")
        || text.contains("<>")
        || text.contains("[]");
    // A name with indices, fields, labels or what the language attaches to names.
    let is_attached = text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || "_[].@:".contains(c))
        && !text.ends_with(['.', '@', ':'])
        && is_balanced(text);
    match (risky, compared) {
        (false, true) => format!("({text})"),
        (false, false) if is_attached => text.to_owned(),
        _ => quoted,
    }
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    let mut is_sound = true;
    for c in text.chars() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        is_sound &= depth >= 0;
    }
    is_sound && depth == 0
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Top,
    /// Inside a conjunction or disjunction, which say so themselves.
    Operand,
}

fn write(
    formulas: &Formulas,
    formula: Formula,
    text: &dyn Fn(crate::PropositionId) -> String,
    place: Place,
    out: &mut String,
) {
    let unary = |sign: &str, operand: Formula, out: &mut String| {
        out.push_str(sign);
        write(formulas, operand, text, Place::Operand, out);
    };
    let list = |sign: &str, operands: &[Formula], out: &mut String| {
        if place == Place::Operand {
            out.push('(');
        }
        for (at, &operand) in operands.iter().enumerate() {
            if at > 0 {
                out.push_str(sign);
            }
            write(formulas, operand, text, Place::Operand, out);
        }
        if place == Place::Operand {
            out.push(')');
        }
    };
    match formulas.node(formula) {
        Node::True => out.push_str("true"),
        Node::False => out.push_str("false"),
        Node::Proposition(proposition) => out.push_str(&text(*proposition)),
        Node::Not(f) => unary("!", *f, out),
        Node::And(operands) => list(" && ", operands, out),
        Node::Or(operands) => list(" || ", operands, out),
        Node::Implies(l, r) => list(" -> ", &[*l, *r], out),
        Node::Equivalent(l, r) => list(" <-> ", &[*l, *r], out),
        Node::Next(f) => unary("X ", *f, out),
        Node::Eventually(f) => unary("<> ", *f, out),
        Node::Always(f) => unary("[] ", *f, out),
        Node::Until(l, r) => list(" U ", &[*l, *r], out),
        Node::WeakUntil(l, r) => list(" W ", &[*l, *r], out),
        Node::Release(l, r) => list(" R ", &[*l, *r], out),
        Node::StrongRelease(l, r) => list(" M ", &[*l, *r], out),
    }
}
