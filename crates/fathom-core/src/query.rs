//! Queries in the form of Uppaal's, over the expressions of another language.
//!
//! The form is taken apart here; what stands in it is an expression of the language of the model.

/// A query, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Query<'t> {
    /// `E<> p`
    Possibly(&'t str),
    /// `A[] p`
    Invariantly(&'t str),
    /// `E[] p`
    PotentiallyAlways(&'t str),
    /// `A<> p`
    Eventually(&'t str),
    /// `p --> q`
    LeadsTo(&'t str, &'t str),
    /// `sup{p}: e, f` or `inf{p}: e, f`
    Extremum { is_largest: bool, among: Option<&'t str>, values: Vec<&'t str> },
}

/// What a query of another form is told.
pub(crate) const FORMS: &str = "expected `E<> p`, `A[] p`, `E[] p`, `A<> p`, `p --> q`, `sup: e` or `inf: e`";

impl<'t> Query<'t> {
    /// Takes a query apart; none when it has no form of a query.
    pub fn read(text: &'t str) -> Option<Query<'t>> {
        let text = text.trim();
        let after = |first: &str, second: &str| {
            let rest = text.strip_prefix(first)?.trim_start().strip_prefix(second)?;
            Some(rest.trim())
        };
        if let Some(condition) = after("E", "<>") {
            return Some(Query::Possibly(condition));
        }
        if let Some(condition) = after("A", "[]") {
            return Some(Query::Invariantly(condition));
        }
        if let Some(condition) = after("E", "[]") {
            return Some(Query::PotentiallyAlways(condition));
        }
        if let Some(condition) = after("A", "<>") {
            return Some(Query::Eventually(condition));
        }
        for (word, is_largest) in [("sup", true), ("inf", false)] {
            let Some(rest) = text.strip_prefix(word).map(str::trim_start) else { continue };
            if let Some(values) = rest.strip_prefix(':') {
                return Some(Query::Extremum { is_largest, among: None, values: list(values) });
            }
            if let Some((among, values)) = rest.strip_prefix('{').and_then(|rest| rest.rsplit_once("}:")) {
                return Some(Query::Extremum { is_largest, among: Some(among.trim()), values: list(values) });
            }
        }
        let (premise, conclusion) = text.split_once("-->")?;
        Some(Query::LeadsTo(premise.trim(), conclusion.trim()))
    }
}

/// The parts between commas that are in no brackets.
fn list(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

/// Whether a condition is `deadlock` (true) or `not deadlock` (false); none when it is another one.
pub(crate) fn asks_for_deadlock(text: &str) -> Option<bool> {
    let inner = text.strip_prefix("not ").or_else(|| text.strip_prefix('!')).map(str::trim);
    match (text, inner) {
        ("deadlock", _) => Some(true),
        (_, Some("deadlock")) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_taken_apart() {
        for (text, expected) in [
            ("E<> p@a", Some(Query::Possibly("p@a"))),
            (" A [] x<3 ", Some(Query::Invariantly("x<3"))),
            ("E[] b", Some(Query::PotentiallyAlways("b"))),
            ("A<> a <> b", Some(Query::Eventually("a <> b"))),
            ("p.x > 1 --> q@b", Some(Query::LeadsTo("p.x > 1", "q@b"))),
            (
                "sup{p@a}: t, f[1]",
                Some(Query::Extremum { is_largest: true, among: Some("p@a"), values: vec!["t", "f[1]"] }),
            ),
            ("inf : x", Some(Query::Extremum { is_largest: false, among: None, values: vec!["x"] })),
            ("x > 1", None),
        ] {
            assert_eq!(Query::read(text), expected, "{text}");
        }
        assert_eq!(
            ["deadlock", "not deadlock", "!deadlock", "x"].map(asks_for_deadlock),
            [Some(true), Some(false), Some(false), None]
        );
    }
}
