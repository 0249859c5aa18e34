//! LTL as text: Spin's syntax and the common one.
//!
//! | operators | meaning | |
//! | --- | --- | --- |
//! | `<->` `<=>` `equivalent`, `->` `=>` `implies` | | loosest |
//! | `\|\|` `\|` `\/` `or`, `xor` `^` | | |
//! | `&&` `&` `/\` `and` | | |
//! | `U` `until` `stronguntil`, `W` `weakuntil`, `R` `V` `release`, `M` `strongrelease` | | |
//! | `==` `!=` `<` … and arithmetic | parts of a state expression | |
//! | `!` `~` `not`, `[]` `G` `always`, `<>` `F` `eventually`, `X` `next` | | tightest |
//!
//! Operators with two operands group to the left, as in Spin's `ltl` blocks. Where tools differ about the
//! grouping (`a U b U c`, `a -> b -> c`) the author is warned. `GF p` and the like are read letter by letter.
//!
//! A proposition is what has no temporal operator and cannot be divided at Boolean connectives: a name, text between
//! quotes, a comparison or arithmetic. It is handed to a resolver as text with its place; what it means, and which texts
//! mean the same, is decided there. A connective inside arithmetic (`(a && b) == 1`) belongs to the proposition.

use fathom_source::{Diagnostic, FileId, SourceMap, Span, similar};

use crate::lexer::{Kind, Token, tokens};
use crate::{Formula, Formulas, PropositionId, Propositions};

/// Gives the text of a proposition its meaning.
pub trait ResolveProposition {
    /// The proposition that the text stands for.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    fn resolve(&mut self, text: &str, span: Span) -> Result<PropositionId, Vec<Diagnostic>>;
}

impl<F> ResolveProposition for F
where
    F: FnMut(&str, Span) -> Result<PropositionId, Vec<Diagnostic>>,
{
    fn resolve(&mut self, text: &str, span: Span) -> Result<PropositionId, Vec<Diagnostic>> {
        self(text, span)
    }
}

/// Every text is a proposition of its own.
impl ResolveProposition for Propositions {
    fn resolve(&mut self, text: &str, span: Span) -> Result<PropositionId, Vec<Diagnostic>> {
        Ok(self.intern(text, Some(span)))
    }
}

/// Parses a file that holds one formula.
///
/// Returns the formula if there is one, and what there is to say about the text; with an error among it there is none.
pub fn parse_ltl(
    file: FileId,
    sources: &SourceMap,
    formulas: &mut Formulas,
    resolver: &mut dyn ResolveProposition,
) -> (Option<Formula>, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, sources, &LTL);
    let tree = parser.whole();
    let mut diagnostics = parser.diagnostics;
    let formula = tree.and_then(|tree| {
        let mut lower = Lower { sources, formulas, resolver, diagnostics: &mut diagnostics };
        lower.formula(&tree)
    });
    let formula = formula.filter(|_| !fathom_source::has_errors(&diagnostics));
    (formula, diagnostics)
}

/// Parses a formula whose propositions are their texts.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_ltl_text(
    text: &str,
    formulas: &mut Formulas,
    propositions: &mut Propositions,
) -> Result<Formula, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add("formula", text);
    let (formula, diagnostics) = parse_ltl(file, &sources, formulas, propositions);
    formula.ok_or(diagnostics)
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Not,
    Next,
    Eventually,
    Always,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Equivalent,
    Implies,
    Or,
    Xor,
    And,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
    /// A comparison or arithmetic, part of a state expression.
    State(u8),
}

impl Binary {
    fn precedence(self) -> u8 {
        match self {
            Binary::Equivalent | Binary::Implies => 1,
            Binary::Or | Binary::Xor => 2,
            Binary::And => 3,
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => STATE_LEVEL - 1,
            Binary::State(level) => level,
        }
    }

    fn is_connective(self) -> bool {
        self.precedence() < STATE_LEVEL - 1
    }
}

/// Operators of state expressions bind at least this tightly.
pub(crate) const STATE_LEVEL: u8 = 5;

/// A formula as written.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub kind: TreeKind,
    pub span: Span,
    /// Whether there is a temporal operator in it.
    pub is_temporal: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum TreeKind {
    Constant(bool),
    /// A state expression; its text is that of its span, or given.
    State(Option<String>),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
    /// In parentheses.
    Group(Box<Tree>),
    /// `A` or `E` with a path operator; see `ctl_parse.rs`.
    Path(crate::ctl::Quantifier, Box<Tree>),
}

/// Which words are operators.
pub(crate) struct Language {
    /// Prefix of diagnostic codes.
    pub code: &'static str,
    /// Whether temporal operators stand alone (LTL) or under path quantifiers (CTL).
    pub is_branching: bool,
}

pub(crate) const LTL: Language = Language { code: "ltl::syntax", is_branching: false };

/// Parsing gives up on formulas nested more deeply than this.
const MOST_NESTING: usize = 250;

/// A problem that stops parsing; it has been reported.
pub(crate) struct Stop;

pub(crate) type Parsed<T> = Result<T, Stop>;

pub(crate) struct Parser<'t> {
    pub tokens: Vec<Token<'t>>,
    pub at: usize,
    depth: usize,
    pub diagnostics: Vec<Diagnostic>,
    pub language: &'static Language,
}

impl<'t> Parser<'t> {
    pub fn new(file: FileId, sources: &'t SourceMap, language: &'static Language) -> Parser<'t> {
        Parser { tokens: tokens(file, sources), at: 0, depth: 0, diagnostics: Vec::new(), language }
    }

    /// Goes back to a position and forgets what was said since.
    pub fn rewind(&mut self, at: usize, n_problems: usize) {
        self.at = at;
        self.depth = 0;
        self.diagnostics.truncate(n_problems);
    }

    /// A state formula that is one letter of a sequence: no connectives outside parentheses.
    pub fn letter(&mut self) -> Parsed<Tree> {
        self.formula(STATE_LEVEL)
    }

    /// One formula and nothing after it.
    pub fn whole(&mut self) -> Option<Tree> {
        let tree = self.formula(0).ok()?;
        if self.peek().kind != Kind::End {
            let _: Parsed<()> = self.expected("an operator or the end of the formula");
            return None;
        }
        Some(tree)
    }

    pub fn peek(&self) -> Token<'t> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, distance: usize) -> Token<'t> {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)]
    }

    pub fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub fn eat(&mut self, sign: &str) -> bool {
        let found = self.peek().is(sign);
        self.at += usize::from(found);
        found
    }

    /// Reports that something else was expected here.
    pub fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.peek();
        let message = format!("expected {what}, found {}", token.describe());
        let problem = Diagnostic::error(self.language.code, message).at(token.span, "here");
        self.refuse(problem)
    }

    /// Adds a problem at the next token, with what its author may have meant.
    fn refuse<T>(&mut self, problem: Diagnostic) -> Parsed<T> {
        let mut problem = self.help_with_quantifier(problem);
        let before = self.at.checked_sub(1).map(|before| self.tokens[before].kind);
        for kind in [Some(self.peek().kind), before] {
            if let Some(Kind::Word(word)) = kind {
                problem = help_with_operator(problem, word);
            }
        }
        self.diagnostics.push(problem);
        Err(Stop)
    }

    /// Those who know LTL forget path quantifiers.
    pub fn help_with_quantifier(&self, problem: Diagnostic) -> Diagnostic {
        let before = self.at.checked_sub(1).map(|before| self.tokens[before].kind);
        let operator = match (self.peek().kind, before) {
            (Kind::Sign(sign @ ("[]" | "<>")), _) => sign,
            (Kind::Word(word @ ("U" | "W" | "R" | "M")), _) => word,
            (_, Some(Kind::Word(word @ ("G" | "F" | "X")))) => word,
            _ => return problem,
        };
        if !self.language.is_branching {
            return problem;
        }
        problem.help(match operator {
            "U" | "W" | "R" | "M" => {
                format!("say on which paths: `A [p {operator} q]` or `E [p {operator} q]`")
            }
            _ => format!("say on which paths: `A{operator}` or `E{operator}`"),
        })
    }

    pub fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    /// A formula whose operators bind at least as tightly as `least`.
    pub fn formula(&mut self, least: u8) -> Parsed<Tree> {
        self.depth += 1;
        if self.depth > MOST_NESTING {
            let span = self.peek().span;
            let message = format!("the formula is nested more than {MOST_NESTING} levels deep");
            self.diagnostics.push(Diagnostic::error(self.language.code, message).at(span, "here"));
            return Err(Stop);
        }
        let left = self.unary();
        let result = left.and_then(|left| self.binary(left, least));
        self.depth -= 1;
        result
    }

    fn binary(&mut self, mut left: Tree, least: u8) -> Parsed<Tree> {
        while let Some(operator) = self.binary_operator()
            && operator.precedence() >= least
        {
            let sign = self.next();
            let right = self.formula(operator.precedence() + 1)?;
            self.warn_about_grouping(operator, &left, sign.span);
            left = self.combine(operator, left, right)?;
        }
        Ok(left)
    }

    fn combine(&mut self, operator: Binary, left: Tree, right: Tree) -> Parsed<Tree> {
        let span = left.span.to(right.span);
        let is_temporal = left.is_temporal || right.is_temporal;
        if let Binary::State(_) = operator {
            if is_temporal {
                let side = if left.is_temporal { left.span } else { right.span };
                let message = "a temporal formula inside a state expression";
                self.diagnostics
                    .push(Diagnostic::error(self.language.code, message).at(side, "not about one state"));
                return Err(Stop);
            }
            return Ok(Tree { kind: TreeKind::State(None), span, is_temporal });
        }
        let is_temporal = is_temporal || !operator.is_connective();
        Ok(Tree { kind: TreeKind::Binary(operator, Box::new(left), Box::new(right)), span, is_temporal })
    }

    /// Tools read chains of these differently.
    fn warn_about_grouping(&mut self, operator: Binary, left: &Tree, span: Span) {
        let ambiguous = matches!(operator, Binary::Implies) || operator.precedence() == STATE_LEVEL - 1;
        if let TreeKind::Binary(inner, ..) = left.kind
            && ambiguous
            && inner.precedence() == operator.precedence()
        {
            let warning = Diagnostic::warning("formula::grouping", "read from left to right")
                .at(span, "this operator applies to everything before it")
                .also(left.span, "this is its left operand")
                .help("add parentheses: other tools read such chains from right to left");
            self.diagnostics.push(warning);
        }
    }

    fn binary_operator(&self) -> Option<Binary> {
        let operator = match self.peek().kind {
            Kind::Sign(sign) => match sign {
                "<->" | "<=>" => Binary::Equivalent,
                "->" | "=>" => Binary::Implies,
                "||" | "|" | "\\/" => Binary::Or,
                "^" => Binary::Xor,
                "&&" | "&" | "/\\" => Binary::And,
                "==" | "!=" | "=" => Binary::State(5),
                "<" | ">" | "<=" | ">=" => Binary::State(6),
                "<<" | ">>" => Binary::State(7),
                "+" | "-" => Binary::State(8),
                "*" | "/" | "%" => Binary::State(9),
                _ => return None,
            },
            Kind::Word(word) => match word {
                "equivalent" => Binary::Equivalent,
                "implies" => Binary::Implies,
                "or" => Binary::Or,
                "xor" => Binary::Xor,
                "and" => Binary::And,
                _ if self.language.is_branching => return None,
                "U" | "until" | "stronguntil" => Binary::Until,
                "W" | "weakuntil" => Binary::WeakUntil,
                "R" | "V" | "release" => Binary::Release,
                "M" | "strongrelease" => Binary::StrongRelease,
                _ => return None,
            },
            _ => return None,
        };
        Some(operator)
    }

    fn unary(&mut self) -> Parsed<Tree> {
        let token = self.peek();
        if self.language.is_branching
            && let Some(tree) = self.path_formula()?
        {
            return Ok(tree);
        }
        let operators = match token.kind {
            Kind::Sign("!" | "~") => vec![Unary::Not],
            Kind::Sign("~~") => vec![Unary::Not, Unary::Not],
            Kind::Word("not") => vec![Unary::Not],
            Kind::Sign("-" | "--") => return self.negative(),
            Kind::Sign("[]") if !self.language.is_branching => vec![Unary::Always],
            Kind::Sign("<>") if !self.language.is_branching => vec![Unary::Eventually],
            Kind::Word(word) if !self.language.is_branching && self.operand_follows() => {
                prefix_operators(word)
            }
            _ => Vec::new(),
        };
        if operators.is_empty() {
            return self.postfix();
        }
        self.next();
        let is_next = |operator: &Unary| *operator != Unary::Not;
        // A temporal operator takes a whole comparison, a negation only what follows at once.
        let least = if operators.iter().any(is_next) { STATE_LEVEL } else { u8::MAX };
        let mut tree = self.formula(least)?;
        for operator in operators.into_iter().rev() {
            let is_temporal = tree.is_temporal || operator != Unary::Not;
            let span = token.span.to(tree.span);
            tree = Tree { kind: TreeKind::Unary(operator, Box::new(tree)), span, is_temporal };
        }
        Ok(tree)
    }

    /// Whether the token after this one can start an operand, so that a word like `X` is an operator.
    pub fn operand_follows(&self) -> bool {
        match self.peek_at(1).kind {
            Kind::Word(word) => {
                !matches!(
                    word,
                    "U" | "W"
                        | "R"
                        | "V"
                        | "M"
                        | "until"
                        | "stronguntil"
                        | "weakuntil"
                        | "release"
                        | "strongrelease"
                        | "equivalent"
                        | "implies"
                        | "or"
                        | "xor"
                        | "and"
                ) || matches!(self.peek_at(2).kind, Kind::End | Kind::Sign(")" | "&&" | "||" | "->"))
            }
            Kind::Number(_) | Kind::Quoted(_) => true,
            Kind::Sign(sign) => matches!(sign, "(" | "!" | "~" | "[]" | "<>" | "~~"),
            Kind::End => false,
        }
    }

    /// A state expression that starts with a minus sign.
    fn negative(&mut self) -> Parsed<Tree> {
        let sign = self.next();
        let operand = self.formula(u8::MAX)?;
        if operand.is_temporal {
            return self.combine(Binary::State(u8::MAX), operand.clone(), operand);
        }
        let span = sign.span.to(operand.span);
        Ok(Tree { kind: TreeKind::State(None), span, is_temporal: false })
    }

    /// An operand with what can follow it in a state expression: `[i]`, `.f`, `@l`, `:v`, `(…)`.
    fn postfix(&mut self) -> Parsed<Tree> {
        let mut tree = self.primary()?;
        loop {
            let token = self.peek();
            let attached = matches!(tree.kind, TreeKind::State(_));
            let is_call = token.is("(") && !token.after_space;
            if attached && (token.is("[") || is_call) {
                let closing = if is_call { ")" } else { "]" };
                let end = self.skip_to(closing)?;
                tree.span = tree.span.to(end);
            } else if attached
                && matches!(token.kind, Kind::Sign("." | "@" | ":" | "::"))
                && matches!(self.peek_at(1).kind, Kind::Word(_) | Kind::Number(_))
            {
                self.next();
                tree.span = tree.span.to(self.next().span);
            } else {
                return Ok(tree);
            }
        }
    }

    /// Passes over a bracket and everything up to the one that closes it.
    fn skip_to(&mut self, closing: &str) -> Parsed<Span> {
        let open = self.next();
        let mut depth = 1;
        while depth > 0 {
            let token = self.peek();
            match token.kind {
                Kind::End => return self.expected(&format!("`{closing}`")),
                Kind::Sign("(" | "[" | "[*") => depth += 1,
                Kind::Sign(")" | "]") => depth -= 1,
                _ => {}
            }
            self.next();
        }
        Ok(open.span.to(self.tokens[self.at - 1].span))
    }

    fn primary(&mut self) -> Parsed<Tree> {
        let token = self.peek();
        let tree = |kind| Tree { kind, span: token.span, is_temporal: false };
        match token.kind {
            Kind::Sign("(") => {
                self.next();
                let inner = self.formula(0)?;
                let end = self.peek().span;
                if !self.eat(")") {
                    let message = format!("expected `)` or an operator, found {}", self.peek().describe());
                    let problem = Diagnostic::error(self.language.code, message)
                        .at(end, "here")
                        .also(token.span, "opened here");
                    return self.refuse(problem);
                }
                let span = token.span.to(end);
                let is_temporal = inner.is_temporal;
                let kind = match inner.kind {
                    // Parentheses belong to the text of a state expression only if something is attached to them.
                    TreeKind::State(None) if self.state_operator_follows() => TreeKind::State(None),
                    _ => TreeKind::Group(Box::new(inner)),
                };
                Ok(Tree { kind, span, is_temporal })
            }
            Kind::Word(word) => {
                self.next();
                Ok(tree(match word {
                    "true" | "TRUE" | "True" => TreeKind::Constant(true),
                    "false" | "FALSE" | "False" => TreeKind::Constant(false),
                    _ => TreeKind::State(None),
                }))
            }
            Kind::Number(number) => {
                self.next();
                Ok(tree(match number {
                    "1" if !self.state_operator_follows() => TreeKind::Constant(true),
                    "0" if !self.state_operator_follows() => TreeKind::Constant(false),
                    _ => TreeKind::State(None),
                }))
            }
            Kind::Quoted(text) => {
                self.next();
                Ok(tree(TreeKind::State(Some(text.to_owned()))))
            }
            _ => self.expected("a formula"),
        }
    }

    fn state_operator_follows(&self) -> bool {
        matches!(self.binary_operator(), Some(Binary::State(_)))
    }
}

/// The operators that a word of the letters `G`, `F` and `X` stands for, or a word operator; none if it is a name.
fn prefix_operators(word: &str) -> Vec<Unary> {
    match word {
        "always" => return vec![Unary::Always],
        "eventually" => return vec![Unary::Eventually],
        "next" => return vec![Unary::Next],
        _ => {}
    }
    let letter = |letter| match letter {
        'G' => Some(Unary::Always),
        'F' => Some(Unary::Eventually),
        'X' => Some(Unary::Next),
        _ => None,
    };
    word.chars().map(letter).collect::<Option<Vec<Unary>>>().unwrap_or_default()
}

/// The text of a state expression: that of its span, without parentheses around the whole.
pub(crate) fn state_text(sources: &SourceMap, tree: &Tree) -> String {
    match &tree.kind {
        TreeKind::State(Some(text)) => text.clone(),
        _ => sources.text(tree.span).split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// Operators that are words, of all logics.
const WORD_OPERATORS: [&str; 17] = [
    "always",
    "eventually",
    "next",
    "until",
    "weakuntil",
    "stronguntil",
    "release",
    "strongrelease",
    "implies",
    "equivalent",
    "never",
    "before",
    "abort",
    "within",
    "next_a",
    "next_e",
    "xor",
];

/// Whoever wrote a word that is nearly an operator may have meant that.
fn help_with_operator(problem: Diagnostic, word: &str) -> Diagnostic {
    match similar(word, WORD_OPERATORS) {
        Some(operator) if problem.help.is_none() && operator != word => {
            problem.help(format!("there is an operator `{operator}`"))
        }
        _ => problem,
    }
}

pub(crate) struct Lower<'a> {
    pub sources: &'a SourceMap,
    pub formulas: &'a mut Formulas,
    pub resolver: &'a mut dyn ResolveProposition,
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

impl Lower<'_> {
    pub fn formula(&mut self, tree: &Tree) -> Option<Formula> {
        match &tree.kind {
            TreeKind::Constant(value) => Some(self.formulas.constant(*value)),
            TreeKind::State(_) => {
                let text = state_text(self.sources, tree);
                match self.resolver.resolve(&text, tree.span) {
                    Ok(proposition) => Some(self.formulas.proposition(proposition)),
                    Err(problems) => {
                        let problems = problems.into_iter().map(|problem| help_with_operator(problem, &text));
                        self.diagnostics.extend(problems);
                        None
                    }
                }
            }
            TreeKind::Group(inner) => self.formula(inner),
            TreeKind::Unary(operator, operand) => {
                let operand = self.formula(operand)?;
                Some(match operator {
                    Unary::Not => self.formulas.not(operand),
                    Unary::Next => self.formulas.next(operand),
                    Unary::Eventually => self.formulas.eventually(operand),
                    Unary::Always => self.formulas.always(operand),
                })
            }
            TreeKind::Binary(operator, left, right) => {
                // Problems on both sides are worth reporting.
                let (left, right) = (self.formula(left), self.formula(right));
                Some(self.binary(*operator, left?, right?))
            }
            TreeKind::Path(..) => None,
        }
    }

    fn binary(&mut self, operator: Binary, left: Formula, right: Formula) -> Formula {
        match operator {
            Binary::Equivalent => self.formulas.equivalent(left, right),
            Binary::Implies => self.formulas.implies(left, right),
            Binary::Or => self.formulas.or(left, right),
            Binary::Xor => {
                let equivalent = self.formulas.equivalent(left, right);
                self.formulas.not(equivalent)
            }
            Binary::And | Binary::State(_) => self.formulas.and(left, right),
            Binary::Until => self.formulas.until(left, right),
            Binary::WeakUntil => self.formulas.weak_until(left, right),
            Binary::Release => self.formulas.release(left, right),
            Binary::StrongRelease => self.formulas.strong_release(left, right),
        }
    }
}
