//! PSL as text.
//!
//! From loosest to tightest: `always`, `never`; `->`, `<->` (to the right); `|->`, `|=>`; `until` and `before` with `!` and `_`;
//! `abort`; `next`, `next!`, `next[n]`, `next_a[i:j]`, `next_e[i:j]`, `eventually!`; `||`; `&&`; `!`. SEREs stand in
//! braces: `;` binds least, then `within`, `|`, `&` and `&&`, `:`, and repetition. Booleans are state formulas as in LTL.
//!
//! Refused with a message: clocks (`@`), and formulas outside the linear part.

use fathom_source::{Diagnostic, FileId, SourceMap};

use super::{Inclusive, Psl, Sere};
use crate::lexer::Kind;
use crate::parse::{Language, Lower, Parsed, Parser, ResolveProposition, STATE_LEVEL, Stop, Tree};
use crate::{Formula, Formulas, Propositions};

const PSL: Language = Language { code: "psl::syntax", is_branching: false };

/// Repetitions and distances are refused beyond this.
const MOST_TIMES: usize = 100;

/// Formulas nested more deeply are refused.
const MOST_NESTING: usize = 100;

/// Parses a file that holds one formula.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_psl(
    file: FileId,
    sources: &SourceMap,
    formulas: &mut Formulas,
    resolver: &mut dyn ResolveProposition,
) -> Result<Psl, Vec<Diagnostic>> {
    let parser = Parser::new(file, sources, &PSL);
    let mut reader = Reader { parser, sources, formulas, resolver, depth: 0 };
    let result = reader.property(0).and_then(|psl| match reader.parser.peek().kind {
        Kind::End => Ok(psl),
        Kind::Sign("@") => reader.refuse("clocks are not supported"),
        _ => reader.parser.expected("an operator or the end of the formula"),
    });
    let diagnostics = reader.parser.diagnostics;
    match result {
        Ok(psl) if !fathom_source::has_errors(&diagnostics) => Ok(psl),
        _ => Err(diagnostics),
    }
}

/// Parses a formula whose propositions are their texts.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_psl_text(
    text: &str,
    formulas: &mut Formulas,
    propositions: &mut Propositions,
) -> Result<Psl, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add("formula", text);
    parse_psl(file, &sources, formulas, propositions)
}

struct Reader<'a> {
    parser: Parser<'a>,
    sources: &'a SourceMap,
    formulas: &'a mut Formulas,
    resolver: &'a mut dyn ResolveProposition,
    depth: usize,
}

/// Levels of operators with two operands.
const IMPLIES: u8 = 1;
const UNTIL: u8 = 3;
const ABORT: u8 = 4;
const OR: u8 = 6;
const AND: u8 = 7;

#[derive(Clone, Copy)]
enum Operator {
    Implies,
    Equivalent,
    Until { strong: bool, inclusive: Inclusive },
    Before { strong: bool, inclusive: Inclusive },
    Abort,
    Or,
    And,
}

impl Operator {
    fn level(self) -> u8 {
        match self {
            Operator::Implies | Operator::Equivalent => IMPLIES,
            Operator::Until { .. } | Operator::Before { .. } => UNTIL,
            Operator::Abort => ABORT,
            Operator::Or => OR,
            Operator::And => AND,
        }
    }
}

impl Reader<'_> {
    fn refuse<T>(&mut self, message: &str) -> Parsed<T> {
        let span = self.parser.peek().span;
        self.parser.diagnostics.push(Diagnostic::error("psl::unsupported", message).at(span, "here"));
        Err(Stop)
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MOST_NESTING {
            return self.refuse(&format!("the formula is nested more than {MOST_NESTING} levels deep"));
        }
        Ok(())
    }

    fn property(&mut self, least: u8) -> Parsed<Psl> {
        self.deeper()?;
        let mut left = self.unary()?;
        while let Some((operator, length)) = self.operator()
            && operator.level() >= least
        {
            self.parser.at += length;
            if let Operator::Abort = operator {
                let condition = self.condition()?;
                left = Psl::Abort(Box::new(left), condition);
                continue;
            }
            // Implications group to the right.
            let right_least = if operator.level() == IMPLIES { IMPLIES } else { operator.level() + 1 };
            let right = self.property(right_least)?;
            left = combine(operator, left, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The operator here, with the number of its tokens.
    fn operator(&self) -> Option<(Operator, usize)> {
        let token = self.parser.peek();
        let attached = |distance: usize, sign: &str| {
            let token = self.parser.peek_at(distance);
            token.is(sign) && !token.after_space
        };
        let word = match token.kind {
            Kind::Sign("->") => return Some((Operator::Implies, 1)),
            Kind::Sign("<->") => return Some((Operator::Equivalent, 1)),
            Kind::Sign("||" | "|") => return Some((Operator::Or, 1)),
            Kind::Sign("&&" | "&") => return Some((Operator::And, 1)),
            Kind::Word("or") => return Some((Operator::Or, 1)),
            Kind::Word("and") => return Some((Operator::And, 1)),
            Kind::Word("abort" | "sync_abort" | "async_abort") => return Some((Operator::Abort, 1)),
            Kind::Word("U") => {
                return Some((Operator::Until { strong: true, inclusive: Inclusive::No }, 1));
            }
            Kind::Word("W") => {
                return Some((Operator::Until { strong: false, inclusive: Inclusive::No }, 1));
            }
            Kind::Word(word) => word,
            _ => return None,
        };
        // `until_` is one word, `until!_` a word, a sign and a word.
        let (base, underscore) = match word.strip_suffix('_') {
            Some(base) => (base, true),
            None => (word, false),
        };
        let strong = attached(1, "!");
        let tail = self.parser.peek_at(2);
        let late = strong && tail.kind == Kind::Word("_") && !tail.after_space;
        let inclusive = if underscore || late { Inclusive::Yes } else { Inclusive::No };
        let length = 1 + usize::from(strong) + usize::from(late);
        match base {
            "until" => Some((Operator::Until { strong, inclusive }, length)),
            "before" => Some((Operator::Before { strong, inclusive }, length)),
            _ => None,
        }
    }

    fn unary(&mut self) -> Parsed<Psl> {
        let token = self.parser.peek();
        match token.kind {
            Kind::Word("always" | "G") if self.operand_follows() => {
                self.parser.next();
                Ok(self.property(0)?.always())
            }
            Kind::Word("never") => {
                self.parser.next();
                let operand = self.property(0)?;
                // A sequence that never happens is one that never matches.
                let operand = match operand {
                    Psl::Weak(sere) => Psl::Strong(sere),
                    other => other,
                };
                Ok(operand.negated().always())
            }
            Kind::Word("eventually" | "F") if self.operand_follows() => {
                self.parser.next();
                self.eat_strong();
                let operand = match self.property(OR)? {
                    Psl::Weak(sere) => Psl::Strong(sere),
                    other => other,
                };
                Ok(operand.eventually())
            }
            Kind::Word("next" | "X" | "next_a" | "next_e") if self.operand_follows() => self.next_operator(),
            Kind::Sign("{") => self.sequence(),
            Kind::Sign("!" | "~") | Kind::Word("not") => match self.attempt_boolean() {
                Some(boolean) => self.boolean(boolean),
                None => {
                    self.parser.next();
                    self.deeper()?;
                    let operand = self.unary()?;
                    self.depth -= 1;
                    Ok(operand.negated())
                }
            },
            Kind::Sign("(") => match self.attempt_boolean() {
                Some(boolean) => self.boolean(boolean),
                None => {
                    self.parser.next();
                    let inner = self.property(0)?;
                    self.parser.expect(")")?;
                    Ok(inner)
                }
            },
            _ => {
                let tree = self.parser.formula(STATE_LEVEL)?;
                self.boolean(tree)
            }
        }
    }

    /// The sign of a strong operator. After a space it is a negation.
    fn eat_strong(&mut self) -> bool {
        !self.parser.peek().after_space && self.parser.eat("!")
    }

    fn operand_follows(&self) -> bool {
        self.parser.operand_follows() || matches!(self.parser.peek_at(1).kind, Kind::Sign("{" | "[" | "!"))
    }

    /// A state formula, if what follows is one.
    fn attempt_boolean(&mut self) -> Option<Tree> {
        let (at, n_problems) = (self.parser.at, self.parser.diagnostics.len());
        if let Ok(tree) = self.parser.formula(STATE_LEVEL)
            && !tree.is_temporal
        {
            return Some(tree);
        }
        self.parser.rewind(at, n_problems);
        None
    }

    /// A state formula, with `!` if it is strong.
    fn boolean(&mut self, tree: Tree) -> Parsed<Psl> {
        let formula = self.lower(&tree)?;
        let token = self.parser.peek();
        if token.is("!") && !token.after_space {
            self.parser.next();
            return Ok(Psl::StrongBoolean(formula));
        }
        Ok(Psl::Boolean(formula))
    }

    fn lower(&mut self, tree: &Tree) -> Parsed<Formula> {
        if tree.is_temporal {
            let message = "a temporal formula where a state formula is expected";
            let problem = Diagnostic::error(PSL.code, message).at(tree.span, "not about one state");
            self.parser.diagnostics.push(problem);
            return Err(Stop);
        }
        let mut lower = Lower {
            sources: self.sources,
            formulas: self.formulas,
            resolver: self.resolver,
            diagnostics: &mut self.parser.diagnostics,
        };
        lower.formula(tree).ok_or(Stop)
    }

    /// The condition of an abort.
    fn condition(&mut self) -> Parsed<Formula> {
        let tree = self.parser.formula(STATE_LEVEL)?;
        self.lower(&tree)
    }

    /// `next`, `next!`, `next[n]`, `next_a[i:j]`, `next_e[i:j]` and their strong forms.
    fn next_operator(&mut self) -> Parsed<Psl> {
        let word = self.parser.next().kind;
        let strong = self.eat_strong();
        let range = if self.parser.eat("[") {
            let range = self.range()?;
            self.parser.expect("]")?;
            Some(range)
        } else {
            None
        };
        let operand = self.property(OR)?;
        match (word, range) {
            (Kind::Word("next" | "X"), None) => Ok(operand.next(1, strong)),
            (Kind::Word("next" | "X"), Some((n, None))) => Ok(operand.next(n, strong)),
            (Kind::Word("next_a" | "next_e"), Some((from, Some(to)))) if from <= to => {
                let all = matches!(word, Kind::Word("next_a"));
                let mut result = operand.clone().next(from, strong);
                for n in from + 1..=to {
                    let other = operand.clone().next(n, strong);
                    result = if all { result.and(other) } else { result.or(other) };
                }
                Ok(result)
            }
            (Kind::Word("next_a" | "next_e"), _) => self.parser.expected("a range `[from:to]`"),
            _ => self.parser.expected("`[n]`"),
        }
    }

    /// `n` or `i:j`.
    fn range(&mut self) -> Parsed<(usize, Option<usize>)> {
        let from = self.number()?;
        if self.parser.eat(":") { Ok((from, Some(self.number()?))) } else { Ok((from, None)) }
    }

    fn number(&mut self) -> Parsed<usize> {
        let number = match self.parser.peek().kind {
            Kind::Number(text) => text.parse().ok().filter(|&number| number <= MOST_TIMES),
            _ => None,
        };
        match number {
            Some(number) => {
                self.parser.next();
                Ok(number)
            }
            None => self.parser.expected(&format!("a number up to {MOST_TIMES}")),
        }
    }

    /// A SERE in braces, alone or with what follows its matches.
    fn sequence(&mut self) -> Parsed<Psl> {
        let sere = self.braced()?;
        match self.parser.peek().kind {
            Kind::Sign("|->") => {
                self.parser.next();
                Ok(Psl::Suffix(sere, Box::new(self.property(IMPLIES + 1)?)))
            }
            Kind::Sign("|=>") => {
                self.parser.next();
                let longer = sere.then(Sere::Boolean(Formula::TRUE));
                Ok(Psl::Suffix(longer, Box::new(self.property(IMPLIES + 1)?)))
            }
            Kind::Sign("!") => {
                self.parser.next();
                Ok(Psl::Strong(sere))
            }
            _ => Ok(Psl::Weak(sere)),
        }
    }

    fn braced(&mut self) -> Parsed<Sere> {
        self.deeper()?;
        self.parser.expect("{")?;
        let mut sere = self.sere(0)?;
        while self.parser.eat(";") {
            let next = self.sere(0)?;
            sere = sere.then(next);
        }
        self.parser.expect("}")?;
        self.depth -= 1;
        Ok(sere)
    }

    /// A part between semicolons: 0 `within`, 1 `|`, 2 `&` and `&&`, 3 `:`.
    fn sere(&mut self, least: u8) -> Parsed<Sere> {
        let mut left = self.repeated()?;
        loop {
            let level = match self.parser.peek().kind {
                Kind::Word("within") => 0,
                Kind::Sign("|" | "||") => 1,
                Kind::Sign("&" | "&&") => 2,
                Kind::Sign(":") => 3,
                _ => return Ok(left),
            };
            if level < least {
                return Ok(left);
            }
            let sign = self.parser.next();
            let right = self.sere(level + 1)?;
            left = match level {
                0 => left.within(right),
                1 => Sere::Or(Box::new(left), Box::new(right)),
                2 if sign.is("&&") => Sere::And(Box::new(left), Box::new(right)),
                2 => left.and_shorter(right),
                _ => Sere::Fusion(Box::new(left), Box::new(right)),
            };
        }
    }

    fn repeated(&mut self) -> Parsed<Sere> {
        let token = self.parser.peek();
        let mut sere = match token.kind {
            Kind::Sign("{") => self.braced()?,
            Kind::Sign("[*" | "[+]") => Sere::Boolean(Formula::TRUE),
            _ => {
                let tree = self.parser.letter()?;
                Sere::Boolean(self.lower(&tree)?)
            }
        };
        loop {
            match self.parser.peek().kind {
                Kind::Sign("[+]") => {
                    self.parser.next();
                    sere = sere.repeat(1, None);
                }
                Kind::Sign("[*") => {
                    self.parser.next();
                    if self.parser.eat("]") {
                        sere = Sere::Star(Box::new(sere));
                        continue;
                    }
                    let (from, to) = self.range()?;
                    self.parser.expect("]")?;
                    sere = sere.repeat(from, Some(to.unwrap_or(from)));
                }
                Kind::Sign("[=" | "[->") => sere = self.counted(sere)?,
                _ => return Ok(sere),
            }
            if sere.size() > 10 * MOST_TIMES {
                return self.refuse("the sequence is too long");
            }
        }
    }

    /// `b[=n]` and `b[->n]`: the letter `n` times, with others between.
    fn counted(&mut self, sere: Sere) -> Parsed<Sere> {
        let Sere::Boolean(b) = sere else { return self.refuse("`[=` and `[->` follow a state formula") };
        let goes_to = self.parser.next().is("[->");
        let (from, to) = if goes_to && self.parser.peek().is("]") { (1, Some(1)) } else { self.range()? };
        self.parser.expect("]")?;
        let not = self.formulas.not(b);
        let others = Sere::Star(Box::new(Sere::Boolean(not)));
        let one = others.clone().then(Sere::Boolean(b));
        let counted = one.repeat(from, Some(to.unwrap_or(from)));
        Ok(if goes_to { counted } else { counted.then(others) })
    }
}

fn combine(operator: Operator, left: Psl, right: Psl) -> Psl {
    match operator {
        Operator::Implies => left.implies(right),
        Operator::Equivalent => left.clone().implies(right.clone()).and(right.implies(left)),
        Operator::Until { strong, inclusive } => {
            let goal = if inclusive == Inclusive::Yes { left.clone().and(right) } else { right };
            left.until(goal, strong)
        }
        Operator::Before { strong, inclusive } => left.before(right, strong, inclusive),
        Operator::Or => left.or(right),
        Operator::And => left.and(right),
        Operator::Abort => left,
    }
}
