//! Parentheses that are no casts, although the grammar takes them for some.
//!
//! `(a) - b` is a difference and `(a) && b` a conjunction, whatever `a` is: before `+ - * &` only a keyword in parentheses is a cast (C# specification,
//! cast expressions). tree-sitter's grammar reads a cast of `-b` or `&&b`. It gets a text in which such parentheses are blank. Nothing else is read from
//! it, and it is as long as the file, so that places stay what they are.

/// Types that are keywords: these are casts.
const KEYWORDS: [&str; 15] = [
    "bool", "byte", "char", "decimal", "double", "float", "int", "long", "object", "sbyte", "short",
    "string", "uint", "ulong", "ushort",
];

/// Words before an expression.
const BEFORE_EXPRESSIONS: [&str; 3] = ["return", "case", "in"];

/// The text for the grammar.
pub fn without_false_casts(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    for open in (0..bytes.len()).filter(|&at| bytes[at] == b'(') {
        if let Some(close) = close_of_name(bytes, open)
            && is_before_operator(bytes, close)
            && is_after_operator(text, open)
        {
            (out[open], out[close]) = (b' ', b' ');
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_string())
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn skip_blank(bytes: &[u8], from: usize) -> usize {
    (from..bytes.len()).find(|&at| !bytes[at].is_ascii_whitespace()).unwrap_or(bytes.len())
}

/// Where the parenthesis ends, if there is nothing but a name inside, maybe with dots.
fn close_of_name(bytes: &[u8], open: usize) -> Option<usize> {
    let start = skip_blank(bytes, open + 1);
    let is_of_name = |&at: &usize| is_of_word(bytes[at]) || bytes[at] == b'.';
    let end = (start..bytes.len()).find(|at| !is_of_name(at))?;
    let name = &bytes[start..end];
    let is_name = name.first().is_some_and(|first| is_of_word(*first) && !first.is_ascii_digit())
        && !KEYWORDS.iter().any(|keyword| keyword.as_bytes() == name);
    let close = skip_blank(bytes, end);
    (is_name && bytes.get(close) == Some(&b')')).then_some(close)
}

/// Whether what comes next is an operator between two values if it can be one.
fn is_before_operator(bytes: &[u8], close: usize) -> bool {
    let at = skip_blank(bytes, close + 1);
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
    match (byte(at), byte(at + 1)) {
        (b'&', b'&') => true,
        (b'+' | b'-' | b'*' | b'&', b'=') | (b'-', b'>') => false,
        (one @ (b'+' | b'-'), other) => one != other,
        (b'*' | b'&', _) => true,
        _ => false,
    }
}

/// Whether an expression begins here: what is before is neither something to call nor a condition.
fn is_after_operator(text: &str, open: usize) -> bool {
    let before = text[..open].trim_end();
    let Some(&last) = before.as_bytes().last() else { return false };
    match last {
        b')' => {
            // A cast to a keyword may stand before it.
            let inside = before[..before.len() - 1].rsplit('(').next().unwrap_or("").trim();
            KEYWORDS.contains(&inside)
        }
        b']' => false,
        b'>' => before.len() < open || before.ends_with("=>"),
        byte if is_of_word(byte) => {
            let word = before.rsplit(|character: char| !(character.is_alphanumeric() || character == '_'));
            word.into_iter().next().is_some_and(|word| BEFORE_EXPRESSIONS.contains(&word))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::without_false_casts;

    #[test]
    fn parentheses_around_names_before_operators_are_blank_and_casts_and_calls_are_not() {
        for (text, wanted) in [
            ("return (a) - b;", "return  a  - b;"),
            ("x = ( W.a )\n* (b) & c;", "x =   W.a  \n*  b  & c;"),
            ("if ((t) && (u))", "if ( t  && (u))"),
            ("y => (a)+1", "y =>  a +1"),
            ("x > (a) - 1", "x >  a  - 1"),
            ("(int)(a) - 1", "(int) a  - 1"),
        ] {
            assert_eq!(without_false_casts(text), wanted);
        }
        for same in [
            "x = (int) - 1;",
            "f(a) - 1",
            "f<T>(a) - 1",
            "g[0](a) - 1",
            "h()(a) - 1",
            "if (t) --n;",
            "if (t) -n;",
            "(a) => 1",
            "(a) -= 1",
            "(1) - 2",
            "(E)x",
            "(ä",
        ] {
            assert_eq!(without_false_casts(same), same);
        }
    }
}
