//! Names in parentheses that are no casts, although the grammar takes them for some.
//!
//! `(a) - b` is a difference, `(a) && b` a conjunction and `new Set<T>(a) + b` a union, whatever `a` is: before `+ - * &` only a type that cannot be a value
//! is a cast (C# specification, cast expressions). tree-sitter's grammar reads a cast of `-b` or `&&b`. It gets a text in which such names are numbers, all
//! zeros, which are no types. Nothing else is read from that text, and it is as long as the file, so that places stay what they are; a number that is a
//! name in the file is [read again](Reader::marked_name).

use std::ops::Range;

use tree_sitter::Node;

use crate::parse::Reader;
use crate::syntax::ExprKind;

/// Types that are keywords: these are casts.
const KEYWORDS: [&str; 15] = [
    "bool", "byte", "char", "decimal", "double", "float", "int", "long", "object", "sbyte", "short",
    "string", "uint", "ulong", "ushort",
];

/// Words before a type in parentheses.
const BEFORE_TYPES: [&str; 3] = ["typeof", "default", "sizeof"];

/// Words that are values and never types: the grammar knows what is no cast of these.
const VALUES: [&str; 5] = ["this", "base", "null", "true", "false"];

/// What a name is read again in.
const AROUND: (&str, &str) = ("class A{object B=", ";}");

/// The text for the grammar.
pub fn with_marked_names(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    for open in (0..bytes.len()).filter(|&at| bytes[at] == b'(') {
        if let Some((name, close)) = name_inside(bytes, open)
            && is_before_operator(bytes, close)
            && may_be_value(text, open)
        {
            out[name].fill(b'0');
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_string())
}

impl Reader<'_> {
    /// Whether a number is a name in the file.
    pub(crate) fn is_marked_name(&self, node: Node<'_>) -> bool {
        self.text(node).bytes().next().is_some_and(|first| !first.is_ascii_digit())
    }

    /// Reads a name that is marked, by itself and at its place.
    pub(crate) fn marked_name(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let tree = self.parse_alone(node, AROUND)?;
        let name = tree.root_node().named_descendant_for_byte_range(node.start_byte(), node.end_byte())?;
        Some(*self.expr(name).kind)
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn skip_blank(bytes: &[u8], from: usize) -> usize {
    (from..bytes.len()).find(|&at| !bytes[at].is_ascii_whitespace()).unwrap_or(bytes.len())
}

/// The name, and where the parenthesis ends, if all that is inside is a name that the grammar may take for a type: with dots, with the arguments of a
/// type before a dot, or with an index.
fn name_inside(bytes: &[u8], open: usize) -> Option<(Range<usize>, usize)> {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
    let start = skip_blank(bytes, open + 1);
    let mut at = end_of_word(bytes, start)?;
    let is_keyword = KEYWORDS.iter().any(|keyword| keyword.as_bytes() == &bytes[start..at]);
    if VALUES.iter().any(|word| word.as_bytes() == &bytes[start..at]) {
        return None;
    }
    let mut is_plain = true;
    loop {
        at = match byte(at) {
            b'.' => end_of_word(bytes, at + 1)?,
            b'<' => {
                let end = end_of_group(bytes, at, (b'<', b'>'), is_of_type)?;
                (byte(end) == b'.').then_some(end)?
            }
            b'[' => {
                let end = end_of_group(bytes, at, (b'[', b']'), |byte| is_of_word(byte) || byte == b'.')?;
                // `T[]` is a type and nothing else.
                (end > at + 2).then_some(end)?
            }
            _ => break,
        };
        is_plain = false;
    }
    let close = skip_blank(bytes, at);
    (byte(close) == b')' && !(is_keyword && is_plain)).then_some((start..at, close))
}

fn is_of_type(byte: u8) -> bool {
    is_of_word(byte) || b"., ?[]".contains(&byte)
}

/// Where a word ends that begins here.
fn end_of_word(bytes: &[u8], start: usize) -> Option<usize> {
    let first = bytes.get(start)?;
    if !is_of_word(*first) || first.is_ascii_digit() {
        return None;
    }
    (start..bytes.len()).find(|&at| !is_of_word(bytes[at]))
}

/// What comes after a group in brackets that opens here and has such bytes in it.
fn end_of_group(
    bytes: &[u8],
    open: usize,
    brackets: (u8, u8),
    is_inside: impl Fn(u8) -> bool,
) -> Option<usize> {
    let mut depth = 0;
    for (at, &byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            byte if byte == brackets.0 => depth += 1,
            byte if byte == brackets.1 && depth == 1 => return Some(at + 1),
            byte if byte == brackets.1 => depth -= 1,
            byte if is_inside(byte) => (),
            _ => return None,
        }
    }
    None
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

/// Whether what is in parentheses can be a value: it is no type after a word that wants one, and no condition of the preprocessor.
fn may_be_value(text: &str, open: usize) -> bool {
    let line = text[..open].rsplit('\n').next().unwrap_or("");
    let mut words =
        text[..open].trim_end().rsplit(|character: char| !(character.is_alphanumeric() || character == '_'));
    !line.trim_start().starts_with('#') && words.next().is_none_or(|word| !BEFORE_TYPES.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::with_marked_names;

    #[test]
    fn names_before_operators_are_marked_and_casts_and_other_types_are_not() {
        for (text, wanted) in [
            ("return (a) - b;", "return (0) - b;"),
            ("x = ( W.a )\n* (b) & c;", "x = ( 000 )\n* (0) & c;"),
            ("if ((t) && (u))", "if ((0) && (u))"),
            ("(int)(a) - 1", "(int)(0) - 1"),
            ("= (Set<Map<int, T>>.Empty) - (m[k.i]) * 2", "= (0000000000000000000000) - (000000) * 2"),
            ("f<T>(ä) - 1", "f<T>(00) - 1"),
        ] {
            assert_eq!(with_marked_names(text), wanted);
        }
        for same in [
            "x = (int) - 1;",
            "if (t) --n;",
            "(a) => 1",
            "f(this) && (base.a) - (this . b) * 2",
            "(null) + (true) & (false)",
            "(a) -= 1",
            "(1) - 2",
            "(E)x",
            "= (int[]) - 1",
            "= (int?) - 1",
            "= (Set<int>) - 1",
            "= (a < b) & (c > d)",
            "= (a < b && c > d.e) & f",
            "= default(T) + 1",
            "#if (DEBUG) && TRACE",
            "(ä",
        ] {
            assert_eq!(with_marked_names(same), same);
        }
    }
}
