//! Constants with other values: `-D n=100` for `const int n = 5;`.
//!
//! The value takes the place of the initial value in the text, and the text is read again. So everything that depends on the constant, types and
//! sizes among it, is as if it had been written that way, in XML as in text.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

use crate::parse;
use crate::syntax::{Declaration, Declarator};

/// The text of a model, with other values for global constants.
///
/// # Errors
///
/// When there is no such constant, or the value is no number and no truth value.
pub fn define(
    file: FileId,
    sources: &SourceMap,
    values: &[(String, String)],
) -> Result<String, Vec<Diagnostic>> {
    let (document, _) = parse(file, sources);
    let constants = document.declarations.iter().filter_map(|declaration| match declaration {
        Declaration::Variables(ty, declarators) if ty.is_const => Some(declarators),
        _ => None,
    });
    let constants: Vec<&Declarator> =
        constants.flatten().filter(|constant| constant.dimensions.is_empty()).collect();
    let (mut places, mut problems): (Vec<(Span, &str)>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    for (name, value) in values {
        let named = constants.iter().find(|constant| constant.name.text == *name);
        match named.and_then(|constant| constant.initial.as_ref()) {
            _ if !is_value(value) => {
                let message = format!("-D {name}={value}: expected a whole number, true or false");
                problems.push(Diagnostic::error("uppaal::define", message));
            }
            None => {
                let known: Vec<&str> = constants.iter().map(|constant| constant.name.text.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let message = format!("there is no global constant '{name}' to define; there are {known}");
                problems.push(Diagnostic::error("uppaal::define", message));
            }
            Some(initial) => {
                // The last value that is given counts.
                places.retain(|(span, _)| *span != initial.span);
                places.push((initial.span, value));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut text = sources.file(file).text().to_owned();
    places.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, value) in places {
        text.replace_range(span.start as usize..span.end as usize, value);
    }
    Ok(text)
}

fn is_value(value: &str) -> bool {
    value == "true" || value == "false" || value.parse::<i32>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined(text: &str, values: &[(&str, &str)]) -> Result<String, Vec<Diagnostic>> {
        let mut sources = SourceMap::new();
        let file = sources.add("m.xta", text);
        let values: Vec<(String, String)> =
            values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        define(file, &sources, &values)
    }

    const BODY: &str = "process P() { state s; init s; } system P;";

    #[test]
    fn values_take_the_place_of_values() {
        let text = format!("const int n = 2 + 3, m = n; const bool on = false; int v = n; {BODY}");
        let expected = format!("const int n = -7, m = n; const bool on = true; int v = n; {BODY}");
        assert_eq!(defined(&text, &[("n", "1"), ("on", "true"), ("n", "-7")]).unwrap(), expected);
        let xml = "<nta><declaration>const int n = 5; // a &lt; b\n</declaration><system>process P() {}</system></nta>";
        assert!(defined(xml, &[("n", "12")]).unwrap().contains("const int n = 12; // a &lt; b"));
    }

    #[test]
    fn what_is_no_constant_and_what_is_no_value_is_refused() {
        let text = format!("const int n = 5; int v = 1; const int t[2] = {{1, 2}}; {BODY}");
        for (name, value) in [("v", "2"), ("t", "2"), ("x", "2"), ("n", "n + 1"), ("n", "")] {
            assert_eq!(defined(&text, &[(name, value)]).unwrap_err()[0].code, "uppaal::define", "{name}");
        }
    }
}
