//! Tokens of the Hanoi omega-automata format.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item<'t> {
    /// A word with a colon: the start of a header item.
    Header(&'t str),
    Word(&'t str),
    Alias(&'t str),
    Number(usize),
    /// Text between quotes, without them, with its escapes.
    Text(&'t str),
    Sign(char),
    /// `--BODY--`
    Body,
    /// `--END--`
    Ended,
    /// The end of the file.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub item: Item<'t>,
    pub span: Span,
}

impl Token<'_> {
    /// How a message calls it.
    pub fn describe(&self) -> String {
        match self.item {
            Item::Header(word) => format!("`{word}:`"),
            Item::Word(word) => format!("`{word}`"),
            Item::Alias(word) => format!("`@{word}`"),
            Item::Number(number) => format!("`{number}`"),
            Item::Text(_) => "a text in quotes".to_owned(),
            Item::Sign(sign) => format!("`{sign}`"),
            Item::Body => "`--BODY--`".to_owned(),
            Item::Ended => "`--END--`".to_owned(),
            Item::End => "the end of the file".to_owned(),
        }
    }
}

/// The tokens up to `--END--` or the end of the file, with [`Item::End`] at the end. Comments are `/* … */`.
pub(crate) fn tokens(file: FileId, sources: &SourceMap) -> Result<Vec<Token<'_>>, Vec<Diagnostic>> {
    let text = sources.file(file).text();
    let mut tokens = Vec::new();
    let mut at = 0;
    let fail = |message: &str, at: usize| {
        let span = Span { file, start: at as u32, end: text.len() as u32 };
        Err(vec![Diagnostic::error("hoa::syntax", message).at(span, "starts here")])
    };
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("/*") {
            let Some(length) = comment(rest) else { return fail("the comment does not end", at) };
            at += length;
            continue;
        }
        let (item, length) = if rest.starts_with("--BODY--") {
            (Item::Body, 8)
        } else if rest.starts_with("--END--") {
            (Item::Ended, 7)
        } else if first == '"' {
            let Some(length) = closing_quote(rest) else { return fail("the text does not end", at) };
            (Item::Text(&rest[1..length]), length + 1)
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let Ok(number) = rest[..length].parse() else { return fail("the number is too large", at) };
            (Item::Number(number), length)
        } else if first == '@' || first.is_alphabetic() || first == '_' {
            word(rest, first)
        } else {
            (Item::Sign(first), first.len_utf8())
        };
        let span = Span { file, start: at as u32, end: (at + length) as u32 };
        tokens.push(Token { item, span });
        at += length;
        if item == Item::Ended {
            break;
        }
    }
    let span = Span { file, start: at as u32, end: at as u32 };
    tokens.push(Token { item: Item::End, span });
    Ok(tokens)
}

fn word(rest: &str, first: char) -> (Item<'_>, usize) {
    let start = usize::from(first == '@');
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let length = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| length + start);
    if start == 1 {
        (Item::Alias(&rest[1..length]), length)
    } else if rest[length..].starts_with(':') {
        (Item::Header(&rest[..length]), length + 1)
    } else {
        (Item::Word(&rest[..length]), length)
    }
}

/// The length of a comment; comments nest.
fn comment(rest: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// The position of the quote that ends a text that starts with one.
fn closing_quote(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            '"' if !escaped => return Some(at),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::hoa_read::read_hoa;
    use crate::hoa_write::write_hoa;
    use crate::random::{RandomFormulas, Seed};
    use crate::*;
    use fathom_source::SourceMap;

    fn read(text: &str, propositions: &mut Propositions) -> Result<Automaton, (String, usize)> {
        let mut sources = SourceMap::new();
        let file = sources.add("a.hoa", text);
        read_hoa(file, &sources, propositions).map_err(|problems| {
            let start = problems[0].primary.as_ref().map_or(0, |label| label.span.start);
            (problems[0].message.clone(), start as usize)
        })
    }

    #[test]
    fn automata_that_are_written_are_read_back() {
        let mut formulas = Formulas::new();
        let mut propositions = Propositions::new();
        for text in ["p", "x == \"a\" \\ b"] {
            propositions.intern(text, None);
        }
        let lassos = all_lassos(2, 1, 2);
        let mut random = RandomFormulas::new(Seed(9), 2);
        let mut translator = Translator::new();
        for round in 0..150 {
            let formula = random.formula(&mut formulas, 3 + round % 8);
            let buchi = translator.buchi(&mut formulas, formula).expect("small");
            let general = translator.generalized(&mut formulas, formula).expect("small");
            for automaton in [buchi, general] {
                let text = write_hoa(&automaton, &propositions, "a \"name\"");
                let again =
                    read(&text, &mut propositions).unwrap_or_else(|(message, _)| panic!("{message}\n{text}"));
                assert_eq!(again.n_states(), automaton.n_states());
                assert_eq!(again.n_sets, automaton.n_sets);
                assert_eq!(write_hoa(&again, &propositions, "a \"name\""), text);
                for lasso in &lassos {
                    assert_eq!(again.accepts(lasso), lasso.satisfies(&formulas, formula), "{text}");
                }
            }
        }
        assert_eq!(propositions.len(), 2);
    }

    #[test]
    fn other_tools_may_use_the_whole_format() {
        let mut propositions = Propositions::new();
        // Infinitely often p, from two start states, with an alias, an implicit label, and superfluous sets.
        let text = "HOA: v1 /* a /* nested */ comment */ tool: \"x\" \"1.0\" States: 2 Start: 0 Start: 1\n\
                    AP: 1 \"p\" Alias: @a 0 acc-name: generalized-Buchi 2 Acceptance: 3 (Inf(2)) & Inf(0)\n\
                    properties: trans-labels --BODY--\n\
                    State: 0 \"first\" [@a] 1 {0 2} [!@a] 0\n\
                    State: 1 0 {1} 1 {0 2}\n--END-- rubbish";
        let automaton = read(text, &mut propositions).expect("an automaton");
        assert_eq!((automaton.n_states(), automaton.n_sets), (3, 2));
        for lasso in all_lassos(1, 2, 2) {
            let often = lasso.letters()[lasso.loop_start()..].contains(&1);
            assert_eq!(automaton.accepts(&lasso), often, "{lasso:?}");
        }
    }

    #[test]
    fn bad_input_is_told_with_its_place() {
        let head = "HOA: v1 States: 1 Start: 0 AP: 1 \"p\" Acceptance: 1 ";
        for (text, message, at) in [
            ("HOB".to_owned(), "expected `HOA:`, found `HOB`", 0),
            ("HOA: v2".to_owned(), "expected `v1`, found `v2`", 5),
            (
                format!("{head}Fin(0)"),
                "only conjunctions of `Inf` are supported: Büchi and generalized Büchi",
                51,
            ),
            (format!("{head}Inf(1)"), "there is no acceptance set 1", 55),
            (format!("{head}Inf(0) --BODY-- State: 0 [1] 0 --END--"), "there is no proposition 1", 77),
            (format!("{head}Inf(0) --BODY-- State: 0 [0] 5 --END--"), "state 5 is not defined", 82),
            (
                format!("{head}Inf(0) --BODY-- State: 0 [0] 0"),
                "expected `State:` or `--END--`, found the end of the file",
                81,
            ),
            (format!("{head}Inf(0) Weird: 3"), "header `Weird:` is not supported", 58),
            ("HOA: v1 name: \"open".to_owned(), "the text does not end", 14),
            ("HOA: v1 --BODY--".to_owned(), "expected `Acceptance:` before the body, found `--BODY--`", 8),
        ] {
            let found = read(&text, &mut Propositions::new()).map(|_| ());
            assert_eq!(found, Err((message.to_owned(), at)), "{text}");
        }
    }

    #[test]
    fn no_damaged_automaton_makes_the_reader_panic() {
        let mut propositions = Propositions::new();
        let text = "HOA: v1 States: 2 Start: 0 AP: 2 \"p\" \"q\" Alias: @a (0|!1)&t Acceptance: 2 Inf(0)&Inf(1) \
                    --BODY-- State: 0 {0} [@a & !0] 1 [t] 0 State: [1] 1 0 {1} 1 --END--";
        assert!(read(text, &mut propositions).is_ok());
        let pieces = [
            "(",
            ")",
            "[",
            "{",
            "}",
            "&",
            "|",
            "!",
            "@",
            "\"",
            "99999999999999999999",
            "7",
            "t",
            "State:",
            "--END--",
            "é",
        ];
        let mut seed = Seed(4);
        for _ in 0..20_000 {
            let mut damaged = text.to_owned();
            for _ in 0..=seed.below(3) {
                let at = damaged.floor_char_boundary(seed.below(damaged.len() + 1));
                match seed.below(3) {
                    0 => damaged.insert_str(at, pieces[seed.below(pieces.len())]),
                    1 => damaged.truncate(at.max(10)),
                    _ => {
                        let end = damaged.ceil_char_boundary((at + seed.below(5)).min(damaged.len()));
                        damaged.replace_range(at..end, "");
                    }
                }
            }
            let _ = read(&damaged, &mut propositions);
        }
    }
}
