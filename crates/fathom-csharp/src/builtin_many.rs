//! Members of the library that make one collection of many: unions of sets, maps put together, sequences one after the other or
//! side by side.

use fathom_source::Span;

use crate::code::Library;
use crate::interpret::{Machine, Run, raise};
use crate::value::Value;

impl Machine<'_> {
    /// What becomes of a collection of collections, or of two sequences.
    pub(crate) fn many(&mut self, library: Library, first: &Value, second: &Value, span: Span) -> Run<Value> {
        use Library as L;
        let members = self.members(first, span)?;
        match library {
            L::BigUnion | L::BigConcatenate => {
                let mut all = Vec::new();
                for member in &members {
                    all.extend(self.members(member, span)?);
                }
                let made = if library == L::BigUnion { Value::set(all) } else { Value::sequence(all) };
                self.made(made, span)
            }
            L::BigIntersect => {
                let mut members = members.into_iter();
                let Some(mut common) = members.next() else { return Ok(Value::set(Vec::new())) };
                for member in members {
                    common = self.run_builtin(L::Intersect, vec![common, member], span)?;
                }
                Ok(common)
            }
            L::BigMerge | L::BigOverride => {
                let how = if library == L::BigMerge { L::Merge } else { L::OverrideAll };
                let mut all = Value::map(Vec::new());
                for member in members {
                    all = self.run_builtin(how, vec![all, member], span)?;
                }
                Ok(all)
            }
            L::Zip => {
                let others = self.members(second, span)?;
                let pairs = members.into_iter().zip(others);
                Ok(Value::sequence(pairs.map(|(one, other)| Value::Tuple([one, other].into())).collect()))
            }
            L::Unzip => {
                let side = |place: usize| {
                    let part = |pair: &Value| match pair {
                        Value::Tuple(parts) => parts.get(place).cloned(),
                        _ => None,
                    };
                    Value::sequence(members.iter().filter_map(part).collect())
                };
                Ok(Value::Tuple([side(0), side(1)].into()))
            }
            _ => raise("this is not supported here", span),
        }
    }
}
