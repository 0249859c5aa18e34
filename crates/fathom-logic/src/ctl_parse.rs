//! CTL as text, and back.
//!
//! A temporal operator stands directly under a path quantifier: `AG p`, `A [] p`, `EF p`, `E <> p`, `AX p`, and for two
//! operands `A [p U q]` or `A (p U q)`, with `W`, `R` and `M` as well. Everything else is as in LTL.

use fathom_source::{Diagnostic, FileId, SourceMap};

use crate::Propositions;
use crate::ctl::{CtlFormula, CtlFormulas, CtlNode, Quantifier};
use crate::lexer::Kind;
use crate::parse::{Binary, Language, Parsed, Parser, ResolveProposition, Tree, TreeKind, Unary, state_text};
use crate::print::proposition_text;

const CTL: Language = Language { code: "ctl::syntax", is_branching: true };

/// Parses a file that holds one formula.
///
/// Returns the formula if there is one, and what there is to say about the text; with an error among it there is none.
pub fn parse_ctl(
    file: FileId,
    sources: &SourceMap,
    formulas: &mut CtlFormulas,
    resolver: &mut dyn ResolveProposition,
) -> (Option<CtlFormula>, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, sources, &CTL);
    let tree = parser.whole();
    let mut diagnostics = parser.diagnostics;
    let formula = tree.and_then(|tree| lower(&tree, sources, formulas, resolver, &mut diagnostics));
    let formula = formula.filter(|_| !fathom_source::has_errors(&diagnostics));
    (formula, diagnostics)
}

/// Parses a formula whose propositions are their texts.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_ctl_text(
    text: &str,
    formulas: &mut CtlFormulas,
    propositions: &mut Propositions,
) -> Result<CtlFormula, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add("formula", text);
    let (formula, diagnostics) = parse_ctl(file, &sources, formulas, propositions);
    formula.ok_or(diagnostics)
}

impl Parser<'_> {
    /// A formula that starts with a path quantifier, if one starts here.
    pub(crate) fn path_formula(&mut self) -> Parsed<Option<Tree>> {
        let token = self.peek();
        let Kind::Word(word) = token.kind else { return Ok(None) };
        let quantifier = match word.as_bytes()[0] {
            b'A' => Quantifier::All,
            b'E' => Quantifier::Exists,
            _ => return Ok(None),
        };
        let letter = |letter: &str| match letter {
            "X" => Some(Unary::Next),
            "F" => Some(Unary::Eventually),
            "G" => Some(Unary::Always),
            _ => None,
        };
        let operator = match word.len() {
            2 => letter(&word[1..]).filter(|_| self.operand_of_path_follows(1)),
            1 => match self.peek_at(1).kind {
                Kind::Sign("[]") => Some(Unary::Always),
                Kind::Sign("<>") => Some(Unary::Eventually),
                Kind::Word(word) if self.operand_of_path_follows(2) => letter(word),
                _ => None,
            },
            _ => return Ok(None),
        };
        if let Some(operator) = operator {
            self.at += if word.len() == 2 { 1 } else { 2 };
            let operand = self.formula(crate::parse::STATE_LEVEL)?;
            let span = token.span.to(operand.span);
            let inner = Tree { kind: TreeKind::Unary(operator, Box::new(operand)), span, is_temporal: true };
            return Ok(Some(Tree {
                kind: TreeKind::Path(quantifier, Box::new(inner)),
                span,
                is_temporal: true,
            }));
        }
        if word.len() == 1 && matches!(self.peek_at(1).kind, Kind::Sign("[" | "(")) {
            return self.path_until(quantifier).map(Some);
        }
        Ok(None)
    }

    fn operand_of_path_follows(&self, distance: usize) -> bool {
        match self.peek_at(distance).kind {
            Kind::Word(_) | Kind::Number(_) | Kind::Quoted(_) => true,
            Kind::Sign(sign) => matches!(sign, "(" | "!" | "~"),
            Kind::End => false,
        }
    }

    /// `A [p U q]`.
    fn path_until(&mut self, quantifier: Quantifier) -> Parsed<Tree> {
        let start = self.next().span;
        let closing = if self.next().is("[") { "]" } else { ")" };
        let left = self.formula(0)?;
        let operator = match self.peek().kind {
            Kind::Word("U" | "until") => Binary::Until,
            Kind::Word("W" | "weakuntil") => Binary::WeakUntil,
            Kind::Word("R" | "V" | "release") => Binary::Release,
            Kind::Word("M" | "strongrelease") => Binary::StrongRelease,
            _ => return self.expected("`U`, `W`, `R` or `M`"),
        };
        self.next();
        let right = self.formula(0)?;
        let span = start.to(self.peek().span);
        self.expect(closing)?;
        let kind = TreeKind::Binary(operator, Box::new(left), Box::new(right));
        let inner = Tree { kind, span, is_temporal: true };
        Ok(Tree { kind: TreeKind::Path(quantifier, Box::new(inner)), span, is_temporal: true })
    }
}

fn lower(
    tree: &Tree,
    sources: &SourceMap,
    formulas: &mut CtlFormulas,
    resolver: &mut dyn ResolveProposition,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<CtlFormula> {
    let mut part =
        |formulas: &mut CtlFormulas, tree: &Tree| lower(tree, sources, formulas, resolver, diagnostics);
    let node = match &tree.kind {
        TreeKind::Constant(true) => CtlNode::True,
        TreeKind::Constant(false) => CtlNode::False,
        TreeKind::State(_) => match resolver.resolve(&state_text(sources, tree), tree.span) {
            Ok(proposition) => CtlNode::Proposition(proposition),
            Err(problems) => {
                diagnostics.extend(problems);
                return None;
            }
        },
        TreeKind::Group(inner) => return part(formulas, inner),
        TreeKind::Unary(_, operand) => CtlNode::Not(part(formulas, operand)?),
        TreeKind::Binary(operator, left, right) => {
            let (left, right) = (part(formulas, left), part(formulas, right));
            let (left, right) = (left?, right?);
            match operator {
                Binary::Equivalent => CtlNode::Equivalent(left, right),
                Binary::Implies => CtlNode::Implies(left, right),
                Binary::Or => CtlNode::Or(left, right),
                Binary::Xor => CtlNode::Not(formulas.make(CtlNode::Equivalent(left, right))),
                _ => CtlNode::And(left, right),
            }
        }
        TreeKind::Path(quantifier, inner) => match &inner.kind {
            TreeKind::Unary(operator, operand) => {
                let operand = part(formulas, operand)?;
                match operator {
                    Unary::Next => CtlNode::Next(*quantifier, operand),
                    Unary::Eventually => CtlNode::Eventually(*quantifier, operand),
                    Unary::Always | Unary::Not => CtlNode::Always(*quantifier, operand),
                }
            }
            TreeKind::Binary(operator, left, right) => {
                let (left, right) = (part(formulas, left), part(formulas, right));
                let (left, right) = (left?, right?);
                match operator {
                    Binary::Until => CtlNode::Until(*quantifier, left, right),
                    Binary::WeakUntil => CtlNode::WeakUntil(*quantifier, left, right),
                    Binary::Release => CtlNode::Release(*quantifier, left, right),
                    _ => CtlNode::StrongRelease(*quantifier, left, right),
                }
            }
            _ => return None,
        },
    };
    Some(formulas.make(node))
}

/// The formula as text that is read back as the same formula.
pub fn print_ctl(formulas: &CtlFormulas, propositions: &Propositions, formula: CtlFormula) -> String {
    let mut out = String::new();
    write(formulas, propositions, formula, true, &mut out);
    out
}

fn write(
    formulas: &CtlFormulas,
    propositions: &Propositions,
    formula: CtlFormula,
    top: bool,
    out: &mut String,
) {
    let name = |quantifier: Quantifier| if quantifier == Quantifier::All { "A" } else { "E" };
    let operand = |f: CtlFormula, out: &mut String| write(formulas, propositions, f, false, out);
    let unary = |sign: String, f: CtlFormula, out: &mut String| {
        out.push_str(&sign);
        operand(f, out);
    };
    let binary = |open: &str, l: CtlFormula, sign: &str, r: CtlFormula, close: &str, out: &mut String| {
        out.push_str(open);
        operand(l, out);
        out.push_str(sign);
        operand(r, out);
        out.push_str(close);
    };
    let (open, close) = if top { ("", "") } else { ("(", ")") };
    match *formulas.node(formula) {
        CtlNode::True => out.push_str("true"),
        CtlNode::False => out.push_str("false"),
        CtlNode::Proposition(proposition) => out.push_str(&proposition_text(propositions.text(proposition))),
        CtlNode::Not(f) => unary("!".to_owned(), f, out),
        CtlNode::And(l, r) => binary(open, l, " && ", r, close, out),
        CtlNode::Or(l, r) => binary(open, l, " || ", r, close, out),
        CtlNode::Implies(l, r) => binary(open, l, " -> ", r, close, out),
        CtlNode::Equivalent(l, r) => binary(open, l, " <-> ", r, close, out),
        CtlNode::Next(q, f) => unary(format!("{}X ", name(q)), f, out),
        CtlNode::Eventually(q, f) => unary(format!("{}F ", name(q)), f, out),
        CtlNode::Always(q, f) => unary(format!("{}G ", name(q)), f, out),
        CtlNode::Until(q, l, r) => binary(&format!("{} [", name(q)), l, " U ", r, "]", out),
        CtlNode::WeakUntil(q, l, r) => binary(&format!("{} [", name(q)), l, " W ", r, "]", out),
        CtlNode::Release(q, l, r) => binary(&format!("{} [", name(q)), l, " R ", r, "]", out),
        CtlNode::StrongRelease(q, l, r) => binary(&format!("{} [", name(q)), l, " M ", r, "]", out),
    }
}
