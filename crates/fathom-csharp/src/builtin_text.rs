//! What the members of texts and characters do.
//!
//! Texts are compared and searched by the numbers of their characters: nothing depends on a culture.

use std::sync::Arc;

use fathom_source::Span;

use crate::builtin::number;
use crate::code::Library;
use crate::interpret::{MOST_MEMBERS, Machine, Run, limit, raise};
use crate::value::Value;

impl Machine<'_> {
    pub(crate) fn text(
        &mut self,
        library: Library,
        text: &Arc<str>,
        arguments: &[Value],
        span: Span,
    ) -> Run<Value> {
        use Library as L;
        self.charge(text.len() / 16)?;
        let as_text = |place: usize| match arguments.get(place) {
            Some(Value::Text(other)) => other.to_string(),
            Some(Value::Char(other)) => other.to_string(),
            _ => String::new(),
        };
        let may_be_null = matches!(library, L::Format | L::Replace | L::CompareTo);
        if arguments.contains(&Value::Null) && !may_be_null {
            return raise("null is no text", span);
        }
        let whole = |place: usize| usize::try_from(number(arguments.get(place)?)).ok();
        let outside = || raise("an index outside the text", span);
        let other = as_text(0);
        let length = text.chars().count();
        Ok(match library {
            L::Length | L::Count => Value::Int(text.encode_utf16().count() as i64),
            L::Contains => Value::Bool(text.contains(&*other)),
            L::StartsWith => Value::Bool(text.starts_with(&*other)),
            L::EndsWith => Value::Bool(text.ends_with(&*other)),
            L::IndexOf => {
                let start = if arguments.len() > 1 { whole(1) } else { Some(0) };
                let Some(start) = start.filter(|start| *start <= length) else { return outside() };
                let skipped = byte_of(text, start);
                let found = text[skipped..].find(&*other).map(|byte| place_of(text, skipped + byte));
                Value::Int(found.unwrap_or(-1))
            }
            L::LastIndexOf => Value::Int(text.rfind(&*other).map_or(-1, |byte| place_of(text, byte))),
            L::ToUpper => Value::text(&text.chars().map(upper).collect::<String>()),
            L::ToLower => Value::text(&text.chars().map(lower).collect::<String>()),
            L::Trim => Value::text(text.trim()),
            L::TrimStart => Value::text(text.trim_start()),
            L::TrimEnd => Value::text(text.trim_end()),
            L::PadLeft | L::PadRight => {
                let Some(width) = whole(0).filter(|width| *width <= MOST_MEMBERS) else { return outside() };
                let with = if arguments.len() > 1 { as_text(1) } else { " ".to_string() };
                let padding = with.repeat(width.saturating_sub(length));
                Value::text(&if library == L::PadLeft {
                    padding + &**text
                } else {
                    text.to_string() + &padding
                })
            }
            L::Insert => match whole(0).filter(|place| *place <= length) {
                Some(place) => {
                    let (before, after) = text.split_at(byte_of(text, place));
                    return self.long_text(format!("{before}{}{after}", as_text(1)));
                }
                None => return outside(),
            },
            L::Replace if other.is_empty() => return raise("an empty text cannot be replaced", span),
            L::Replace => return self.long_text(text.replace(&*other, &as_text(1))),
            L::Split => {
                let mut at = Vec::new();
                for argument in arguments {
                    match argument {
                        Value::Array(_) => at.extend(self.members(argument, span)?),
                        one => at.push(one.clone()),
                    }
                }
                let characters: Vec<char> = at
                    .iter()
                    .filter_map(|one| if let Value::Char(one) = one { Some(*one) } else { None })
                    .collect();
                let parts: Vec<Value> = match &at[..] {
                    [Value::Text(one)] if !one.is_empty() => text.split(&**one).map(Value::text).collect(),
                    _ if characters.is_empty() => text.split(char::is_whitespace).map(Value::text).collect(),
                    _ => text.split(&characters[..]).map(Value::text).collect(),
                };
                self.array(parts)
            }
            L::Format => return self.formatted(text, arguments, span),
            L::Get => match whole(0).and_then(|place| text.chars().nth(place)) {
                Some(character) => Value::Char(character),
                None => return outside(),
            },
            L::Substring | L::Remove => {
                let start = whole(0).filter(|start| *start <= length);
                let count = if arguments.len() > 1 { whole(1) } else { start.map(|start| length - start) };
                let (Some(start), Some(count)) = (start, count) else { return outside() };
                let Some(end) = start.checked_add(count).filter(|end| *end <= length) else {
                    return outside();
                };
                let (start, end) = (byte_of(text, start), byte_of(text, end));
                match library {
                    L::Substring => Value::text(&text[start..end]),
                    _ => Value::text(&format!("{}{}", &text[..start], &text[end..])),
                }
            }
            L::ParseDouble => match text.trim().parse::<f64>() {
                Ok(number) => Value::double(number),
                Err(_) => return raise(format!("{text:?} is no number"), span),
            },
            L::ParseInt => match text.trim().parse::<i32>() {
                Ok(number) => Value::Int(i64::from(number)),
                Err(_) => return raise(format!("{text:?} is no number"), span),
            },
            _ => return self.collection(library, &Value::Text(text.clone()), arguments, span),
        })
    }

    fn long_text(&mut self, text: String) -> Run<Value> {
        self.charge(text.len() / 16)?;
        if text.len() > MOST_MEMBERS { limit("a text gets too long") } else { Ok(Value::text(&text)) }
    }

    /// `string.Join(", ", values)`.
    pub(crate) fn join(&mut self, between: &Value, values: &[Value], span: Span) -> Run<Value> {
        let members = match values {
            [
                one @ (Value::Set(_) | Value::Bag(_) | Value::Map(_) | Value::Sequence(_) | Value::Array(_)),
            ] => self.members(one, span)?,
            _ => values.to_vec(),
        };
        let parts = self.texts_of(&members)?;
        let between = self.text_of(between)?;
        self.long_text(parts.join(&between))
    }

    /// `string.Format("{0} of {1}", a, b)`.
    fn formatted(&mut self, format: &str, values: &[Value], span: Span) -> Run<Value> {
        let mut text = String::new();
        let mut rest = format;
        while let Some(place) = rest.find(['{', '}']) {
            text.push_str(&rest[..place]);
            let brace = &rest[place..=place];
            rest = &rest[place + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                text.push_str(brace);
                rest = after;
                continue;
            }
            let Some((inside, after)) = rest.split_once('}').filter(|_| brace == "{") else {
                return raise("a brace of the format that nothing belongs to", span);
            };
            let Ok(wanted) = inside.trim().parse::<usize>() else {
                return raise(format!("the format `{{{inside}}}` is not supported"), span);
            };
            let Some(value) = values.get(wanted) else {
                return raise(format!("the format has no value {wanted}"), span);
            };
            text.push_str(&self.text_of(value)?);
            rest = after;
            if text.len() > MOST_MEMBERS {
                return limit("a text gets too long");
            }
        }
        text.push_str(rest);
        self.long_text(text)
    }
}

/// Where a character begins.
fn byte_of(text: &str, place: usize) -> usize {
    text.char_indices().nth(place).map_or(text.len(), |(byte, _)| byte)
}

/// Which character begins at a byte.
fn place_of(text: &str, byte: usize) -> i64 {
    text[..byte].chars().count() as i64
}

/// What is asked of a character.
pub(crate) fn character_is(library: Library, character: char) -> Value {
    use Library as L;
    Value::Bool(match library {
        L::IsDigit => character.is_ascii_digit(),
        L::IsLetter => character.is_alphabetic(),
        L::IsLetterOrDigit => character.is_alphanumeric(),
        L::IsUpper => character.is_uppercase(),
        L::IsLower => character.is_lowercase(),
        L::IsWhiteSpace => character.is_whitespace(),
        L::ToUpper => return Value::Char(upper(character)),
        L::ToLower => return Value::Char(lower(character)),
        _ => return Value::Null,
    })
}

/// The upper case of a character, if that is one character.
fn upper(character: char) -> char {
    let mut changed = character.to_uppercase();
    if changed.len() == 1 { changed.next().unwrap_or(character) } else { character }
}

/// The lower case of a character, if that is one character.
fn lower(character: char) -> char {
    let mut changed = character.to_lowercase();
    if changed.len() == 1 { changed.next().unwrap_or(character) } else { character }
}
