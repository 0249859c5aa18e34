//! What the members of NModel's collections do.

use std::cmp::Ordering;
use std::sync::Arc;

use fathom_source::Span;

use crate::builtin_text::character_is;
use crate::code::Library;
use crate::interpret::{MOST_MEMBERS, Machine, Run, raise};
use crate::order::term_order;
use crate::value::Value;

pub(crate) type Entries = Arc<[(Value, Value)]>;

impl Machine<'_> {
    /// Carries out a member of the library; the first argument is what it is asked of.
    pub(crate) fn run_builtin(
        &mut self,
        library: Library,
        mut arguments: Vec<Value>,
        span: Span,
    ) -> Run<Value> {
        use Library as L;
        match library {
            L::NewSet => return self.made(Value::set(arguments), span),
            L::NewBag => return Ok(bag(arguments)),
            L::NewSequence => return Ok(Value::sequence(arguments)),
            L::NewTuple => return Ok(Value::Tuple(arguments.into())),
            L::NewMap => {
                let mut entries = Vec::new();
                let mut rest = arguments.into_iter();
                while let (Some(key), Some(value)) = (rest.next(), rest.next()) {
                    entries.push((key, value));
                }
                return self.made(latest(entries), span);
            }
            L::Ignore => return Ok(Value::Null),
            _ => (),
        }
        if arguments.is_empty() {
            return raise("an argument is missing", span);
        }
        let first = arguments.remove(0);
        let second = arguments.first().cloned().unwrap_or(Value::Null);
        match library {
            L::IsNullOrEmpty => return Ok(Value::Bool(first == Value::Null || first == Value::text(""))),
            L::IsNullOrWhiteSpace => {
                let is_blank = matches!(&first, Value::Text(text) if text.trim().is_empty());
                return Ok(Value::Bool(first == Value::Null || is_blank));
            }
            L::CompareOrdinal => return Ok(sign(first.cmp(&second))),
            L::Join => return self.join(&first, &arguments, span),
            L::ToTextOrEmpty => return Ok(Value::text(&self.text_of(&first)?)),
            L::HasValue => return Ok(Value::Bool(first != Value::Null)),
            L::Unwrap if first != Value::Null => return Ok(first),
            L::Min | L::Max => {
                let is_less = self.compare("<", &first, &second, span)? == Value::Bool(true);
                return Ok(if is_less == (library == L::Min) { first } else { second });
            }
            L::Abs => {
                return Ok(match first {
                    Value::Double(number) => Value::double(number.get().abs()),
                    Value::Int(number) => Value::Int(number.wrapping_abs()),
                    other => other,
                });
            }
            _ if first == Value::Null => return raise("null has no members", span),
            L::ToText => return Ok(Value::text(&self.text_of(&first)?)),
            L::CompareTo => {
                return Ok(match (&first, &second) {
                    (Value::Char(one), Value::Char(other)) => {
                        Value::Int(i64::from(u32::from(*one)) - i64::from(u32::from(*other)))
                    }
                    _ => sign(term_order(self.unit, &first, &second)),
                });
            }
            L::HashCode => {
                return Ok(Value::Int(if let Value::Bool(is_true) = first {
                    i64::from(is_true)
                } else {
                    number(&first)
                }));
            }
            L::BigUnion
            | L::BigIntersect
            | L::BigConcatenate
            | L::BigMerge
            | L::BigOverride
            | L::Zip
            | L::Unzip => {
                return self.many(library, &first, &second, span);
            }
            L::AllSubsets | L::ChooseSubset | L::ChooseNonemptySubset | L::ChoosePermutation => {
                return self.choice(library, &first, &second, span);
            }
            _ => (),
        }
        match &first {
            Value::Text(text) => self.text(library, text, &arguments, span),
            Value::Map(entries) => self.map(library, entries, &arguments, span),
            Value::Bag(entries) => self.bag(library, entries, &first, &arguments, span),
            Value::Sequence(members) => self.sequence(library, members, &first, &arguments, span),
            Value::Set(members) => self.set(library, members, &first, &arguments, span),
            Value::Char(character) => Ok(character_is(library, *character)),
            Value::Tuple(parts) => match library {
                L::Item(place) => Ok(parts.get(place as usize).cloned().unwrap_or(Value::Null)),
                L::ErrorText => {
                    let text = self.texts_of(parts)?;
                    let parts: Vec<&str> =
                        text.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                    Ok(Value::text(&parts.join(": ")))
                }
                _ => raise("this is no collection", span),
            },
            _ => self.collection(library, &first, &arguments, span),
        }
    }

    pub(crate) fn made(&mut self, value: Value, span: Span) -> Run<Value> {
        let length = match &value {
            Value::Set(members) | Value::Sequence(members) => members.len(),
            Value::Map(entries) | Value::Bag(entries) => entries.len(),
            _ => 0,
        };
        self.charge(length / 8)?;
        if length > MOST_MEMBERS { raise("a collection gets too large", span) } else { Ok(value) }
    }

    /// A map of entries, of which those with one key have to agree.
    fn agreeing(&mut self, mut entries: Vec<(Value, Value)>, span: Span) -> Run<Value> {
        entries.sort();
        entries.dedup();
        if let Some(twice) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return raise(format!("two values for the key {}", self.unit.show(&twice[0].0)), span);
        }
        self.made(Value::Map(entries.into()), span)
    }

    fn test(&mut self, function: &Value, member: Value, span: Span) -> Run<bool> {
        Ok(self.invoke(function, vec![member], span)? == Value::Bool(true))
    }

    /// What all collections have.
    pub(crate) fn collection(
        &mut self,
        library: Library,
        value: &Value,
        arguments: &[Value],
        span: Span,
    ) -> Run<Value> {
        use Library as L;
        let members = self.members(value, span)?;
        let argument = arguments.first().cloned().unwrap_or(Value::Null);
        match library {
            L::SetOf => Ok(Value::set(members)),
            L::BagOf => Ok(bag(members)),
            L::SequenceOf => Ok(Value::sequence(members)),
            L::MapOf => self.made(latest(pairs(&members)), span),
            L::BagOfCounts => {
                let mut counted = Value::Bag(Arc::new([]));
                for (member, count) in pairs(&members) {
                    if let Value::Bag(now) = &counted {
                        counted = self.more(now, &member, number(&count).max(0), span)?;
                    }
                }
                self.made(counted, span)
            }
            L::AsArray => Ok(self.array(members)),
            L::CopyTo => {
                let start = number(arguments.get(1).unwrap_or(&Value::Null));
                for (place, member) in (start..).zip(members) {
                    *self.slot(&argument, &Value::Int(place), span)? = member;
                }
                Ok(Value::Null)
            }
            L::ExistsOne => {
                let mut n_found = 0;
                for member in members {
                    n_found += usize::from(self.test(&argument, member, span)?);
                }
                Ok(Value::Bool(n_found == 1))
            }
            L::Reduce => {
                let mut so_far = arguments.get(1).cloned().unwrap_or(Value::Null);
                for member in members {
                    so_far = self.invoke(&argument, vec![member, so_far], span)?;
                }
                Ok(so_far)
            }
            L::Count => Ok(Value::Int(members.len() as i64)),
            L::IsEmpty => Ok(Value::Bool(members.is_empty())),
            L::Contains => Ok(Value::Bool(members.contains(&argument))),
            L::Exists | L::ForAll => {
                for member in members {
                    if self.test(&argument, member, span)? == (library == L::Exists) {
                        return Ok(Value::Bool(library == L::Exists));
                    }
                }
                Ok(Value::Bool(library != L::Exists))
            }
            L::Choose => {
                if members.is_empty() {
                    return raise("nothing to choose from", span);
                }
                let place = number(&argument);
                match usize::try_from(place).ok().and_then(|place| members.get(place)) {
                    Some(member) => Ok(member.clone()),
                    None => raise(format!("choice {place} of {}", members.len()), span),
                }
            }
            L::Minimum | L::Maximum => {
                let better = if library == L::Minimum { Ordering::Less } else { Ordering::Greater };
                let unit = self.unit;
                let best = members.into_iter().reduce(|best, member| {
                    if term_order(unit, &member, &best) == better { member } else { best }
                });
                best.map_or_else(|| raise("nothing to choose from", span), Ok)
            }
            L::Select | L::Convert => {
                let mut kept = Vec::new();
                for member in members {
                    if library == L::Convert {
                        kept.push(self.invoke(&argument, vec![member], span)?);
                    } else if self.test(&argument, member.clone(), span)? {
                        kept.push(member);
                    }
                }
                Ok(match value {
                    Value::Set(_) => Value::set(kept),
                    Value::Bag(_) => bag(kept),
                    Value::Map(_) => return self.agreeing(pairs(&kept), span),
                    _ => Value::sequence(kept),
                })
            }
            _ => raise("this is not supported here", span),
        }
    }

    fn set(
        &mut self,
        library: Library,
        members: &Arc<[Value]>,
        value: &Value,
        arguments: &[Value],
        span: Span,
    ) -> Run<Value> {
        use Library as L;
        let argument = arguments.first().cloned().unwrap_or(Value::Null);
        match library {
            L::Count => Ok(Value::Int(members.len() as i64)),
            L::CountSubsets => {
                Ok(Value::Int(if members.len() > 30 { i64::from(i32::MAX) } else { 1 << members.len() }))
            }
            L::IsEmpty => Ok(Value::Bool(members.is_empty())),
            L::Contains => Ok(Value::Bool(members.binary_search(&argument).is_ok())),
            L::Add => match members.binary_search(&argument) {
                Ok(_) => Ok(value.clone()),
                Err(place) => {
                    let mut changed = members.to_vec();
                    changed.insert(place, argument);
                    self.made(Value::Set(changed.into()), span)
                }
            },
            L::Remove => match members.binary_search(&argument) {
                Err(_) => Ok(value.clone()),
                Ok(place) => {
                    let mut changed = members.to_vec();
                    changed.remove(place);
                    Ok(Value::Set(changed.into()))
                }
            },
            L::Union => {
                let mut all = members.to_vec();
                all.extend(self.members(&argument, span)?);
                self.made(Value::set(all), span)
            }
            L::Intersect | L::Difference => {
                let other = self.members(&argument, span)?;
                let is_kept =
                    |member: &&Value| other.binary_search(member).is_ok() == (library == L::Intersect);
                Ok(Value::Set(members.iter().filter(is_kept).cloned().collect()))
            }
            L::IsSubset | L::IsProperSubset | L::IsSuperset | L::IsProperSuperset => {
                let other = self.members(&argument, span)?;
                let (small, large): (&[Value], &[Value]) = match library {
                    L::IsSubset | L::IsProperSubset => (members, &other),
                    _ => (&other, members),
                };
                let is_proper = matches!(library, L::IsProperSubset | L::IsProperSuperset);
                let is_inside = small.iter().all(|member| large.binary_search(member).is_ok());
                Ok(Value::Bool(is_inside && (!is_proper || small.len() < large.len())))
            }
            _ => self.collection(library, value, arguments, span),
        }
    }

    fn sequence(
        &mut self,
        library: Library,
        members: &Arc<[Value]>,
        value: &Value,
        arguments: &[Value],
        span: Span,
    ) -> Run<Value> {
        use Library as L;
        let argument = arguments.first().cloned().unwrap_or(Value::Null);
        match library {
            L::Count => Ok(Value::Int(members.len() as i64)),
            L::IsEmpty => Ok(Value::Bool(members.is_empty())),
            L::Head | L::Last | L::Tail | L::Front if members.is_empty() => {
                raise("the sequence is empty", span)
            }
            L::Head => Ok(members[0].clone()),
            L::Last => Ok(members[members.len() - 1].clone()),
            L::Tail => Ok(Value::Sequence(members[1..].into())),
            L::Front => Ok(Value::Sequence(members[..members.len() - 1].into())),
            L::Get => match argument {
                Value::Int(place) if (0..members.len() as i64).contains(&place) => {
                    Ok(members[place as usize].clone())
                }
                other => {
                    let length = members.len();
                    raise(format!("index {} of a sequence of {length}", self.unit.show(&other)), span)
                }
            },
            L::AddFirst | L::AddLast => {
                let mut changed = members.to_vec();
                let place = if library == L::AddFirst { 0 } else { changed.len() };
                changed.insert(place, argument);
                self.made(Value::sequence(changed), span)
            }
            L::Concatenate => {
                let mut changed = members.to_vec();
                changed.extend(self.members(&argument, span)?);
                self.made(Value::sequence(changed), span)
            }
            L::Reverse => Ok(Value::sequence(members.iter().rev().cloned().collect())),
            L::IndexOf | L::LastIndexOf => {
                let place = if library == L::IndexOf {
                    members.iter().position(|member| *member == argument)
                } else {
                    members.iter().rposition(|member| *member == argument)
                };
                Ok(Value::Int(place.map_or(-1, |place| place as i64)))
            }
            L::IsPrefix => {
                let other = self.members(&argument, span)?;
                Ok(Value::Bool(other.starts_with(members)))
            }
            L::Remove => {
                let mut changed = members.to_vec();
                if let Some(place) = changed.iter().position(|member| *member == argument) {
                    changed.remove(place);
                }
                Ok(Value::sequence(changed))
            }
            L::Difference => {
                let other = self.members(&argument, span)?;
                let mut other = other.into_iter().peekable();
                let mut kept = Vec::new();
                for member in members.iter() {
                    if other.peek() == Some(member) {
                        other.next();
                    } else {
                        kept.push(member.clone());
                    }
                }
                Ok(Value::sequence(kept))
            }
            _ => self.collection(library, value, arguments, span),
        }
    }

    fn bag(
        &mut self,
        library: Library,
        entries: &Entries,
        value: &Value,
        arguments: &[Value],
        span: Span,
    ) -> Run<Value> {
        use Library as L;
        let argument = arguments.first().cloned().unwrap_or(Value::Null);
        match library {
            L::Count => Ok(Value::Int(entries.iter().map(|(_, count)| number(count)).sum())),
            L::IsEmpty => Ok(Value::Bool(entries.is_empty())),
            L::CountUnique => Ok(Value::Int(entries.len() as i64)),
            L::Keys => Ok(Value::Set(entries.iter().map(|(member, _)| member.clone()).collect())),
            L::CountItem => Ok(Value::Int(count_of(entries, &argument))),
            L::Contains => Ok(Value::Bool(count_of(entries, &argument) > 0)),
            L::Add => self.more(entries, &argument, 1, span),
            L::AddMultiple => {
                let more = number(arguments.get(1).unwrap_or(&Value::Null));
                self.more(entries, &argument, more, span)
            }
            L::Remove => Ok(with_count(entries, &argument, count_of(entries, &argument) - 1)),
            L::RemoveAll => Ok(with_count(entries, &argument, 0)),
            L::Union | L::Intersect | L::Difference => {
                let Value::Bag(others) = &argument else { return raise("null is no bag", span) };
                let mut result = value.clone();
                for (member, _) in entries.iter().chain(others.iter()) {
                    let (here, there) = (count_of(entries, member), count_of(others, member));
                    let count = match library {
                        L::Union => here + there,
                        L::Intersect => here.min(there),
                        _ => here - there,
                    };
                    if let Value::Bag(now) = &result {
                        result = with_count(now, member, count);
                    }
                }
                self.made(result, span)
            }
            _ => self.collection(library, value, arguments, span),
        }
    }

    /// A bag with more of a member, or fewer.
    fn more(&mut self, entries: &Entries, member: &Value, more: i64, span: Span) -> Run<Value> {
        let count = count_of(entries, member) + more;
        let total: i64 = entries.iter().map(|(_, count)| number(count)).sum();
        if total + more > i64::from(i32::MAX) {
            return raise("a bag gets too large", span);
        }
        self.made(with_count(entries, member, count), span)
    }

    fn map(&mut self, library: Library, entries: &Entries, arguments: &[Value], span: Span) -> Run<Value> {
        use Library as L;
        let value = Value::Map(entries.clone());
        let (key, new) = match arguments {
            [key, new] => (key.clone(), new.clone()),
            [Value::Tuple(parts)] if matches!(library, L::MapAdd | L::Override | L::RemovePair) => {
                (parts[0].clone(), parts[1].clone())
            }
            [key] => (key.clone(), Value::Null),
            _ => (Value::Null, Value::Null),
        };
        let found = entries.binary_search_by(|(other, _)| other.cmp(&key));
        match library {
            L::Count => Ok(Value::Int(entries.len() as i64)),
            L::IsEmpty => Ok(Value::Bool(entries.is_empty())),
            L::Keys => Ok(Value::Set(entries.iter().map(|(key, _)| key.clone()).collect())),
            L::Values => Ok(Value::set(entries.iter().map(|(_, value)| value.clone()).collect())),
            L::ContainsKey => Ok(Value::Bool(found.is_ok())),
            L::Get => match found {
                Ok(place) => Ok(entries[place].1.clone()),
                Err(_) => raise(format!("the map has no key {}", self.unit.show(&key)), span),
            },
            L::MapAdd => match found {
                Ok(place) if entries[place].1 == new => Ok(value),
                Ok(_) => raise(format!("the map has the key {} already", self.unit.show(&key)), span),
                Err(_) => self.made(with_entry(entries, key, new), span),
            },
            L::Override => self.made(with_entry(entries, key, new), span),
            L::OverrideWith => match found {
                Ok(place) => {
                    let after = self.invoke(&new, vec![entries[place].1.clone()], span)?;
                    Ok(with_entry(entries, key, after))
                }
                Err(_) => raise(format!("the map has no key {}", self.unit.show(&key)), span),
            },
            L::RemoveKey => Ok(match found {
                Ok(place) => without_entry(entries, place),
                Err(_) => value,
            }),
            L::RemovePair => match found {
                Ok(place) if entries[place].1 == new => Ok(without_entry(entries, place)),
                Ok(_) => raise("the map has another value for the key", span),
                Err(_) => Ok(value),
            },
            L::RestrictKeys | L::RestrictValues => {
                let without = self.members(&key, span)?;
                let is_kept = |entry: &&(Value, Value)| {
                    !without.contains(if library == L::RestrictKeys { &entry.0 } else { &entry.1 })
                };
                Ok(Value::Map(entries.iter().filter(is_kept).cloned().collect()))
            }
            L::IsSubmap => {
                let Value::Map(others) = &key else { return raise("null is no map", span) };
                Ok(Value::Bool(entries.iter().all(|entry| others.binary_search(entry).is_ok())))
            }
            L::OverrideAll | L::Merge | L::Intersect | L::Difference => {
                let Value::Map(others) = &key else { return raise("null is no map", span) };
                self.two_maps(library, entries, others, span)
            }
            _ => self.collection(library, &value, arguments, span),
        }
    }

    pub(crate) fn two_maps(
        &mut self,
        library: Library,
        entries: &Entries,
        others: &Entries,
        span: Span,
    ) -> Run<Value> {
        use Library as L;
        let find =
            |entries: &Entries, key: &Value| entries.binary_search_by(|(other, _)| other.cmp(key)).ok();
        if library != L::OverrideAll {
            for (key, value) in others.iter() {
                if find(entries, key).is_some_and(|place| entries[place].1 != *value) {
                    return raise(format!("the maps disagree about {}", self.unit.show(key)), span);
                }
            }
        }
        let kept: Vec<(Value, Value)> = match library {
            L::Intersect => entries.iter().filter(|(key, _)| find(others, key).is_some()).cloned().collect(),
            L::Difference => entries.iter().filter(|(key, _)| find(others, key).is_none()).cloned().collect(),
            _ => {
                let mine = entries.iter().filter(|(key, _)| find(others, key).is_none());
                mine.chain(others.iter()).cloned().collect()
            }
        };
        self.made(Value::map(kept), span)
    }
}

/// -1, 0 or 1.
fn sign(order: Ordering) -> Value {
    Value::Int(order as i64)
}

/// The entries of a map that pairs stand for.
fn pairs(members: &[Value]) -> Vec<(Value, Value)> {
    let entry = |pair: &Value| match pair {
        Value::Tuple(parts) if parts.len() == 2 => Some((parts[0].clone(), parts[1].clone())),
        _ => None,
    };
    members.iter().filter_map(entry).collect()
}

/// A map of entries, of which the last with a key counts.
fn latest(mut entries: Vec<(Value, Value)>) -> Value {
    entries.reverse();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    entries.dedup_by(|(later, _), (earlier, _)| later == earlier);
    Value::Map(entries.into())
}

pub(crate) fn number(value: &Value) -> i64 {
    if let Value::Int(number) = value { *number } else { 0 }
}

fn bag(members: Vec<Value>) -> Value {
    let mut members = members;
    members.sort();
    let mut entries: Vec<(Value, Value)> = Vec::new();
    for member in members {
        match entries.last_mut() {
            Some((last, Value::Int(count))) if *last == member => *count += 1,
            _ => entries.push((member, Value::Int(1))),
        }
    }
    Value::Bag(entries.into())
}

fn count_of(entries: &Entries, member: &Value) -> i64 {
    let found = entries.binary_search_by(|(other, _)| other.cmp(member));
    found.map_or(0, |place| number(&entries[place].1))
}

fn with_count(entries: &Entries, member: &Value, count: i64) -> Value {
    let found = entries.binary_search_by(|(other, _)| other.cmp(member));
    let mut changed = entries.to_vec();
    match (found, count > 0) {
        (Ok(place), true) => changed[place].1 = Value::Int(count),
        (Ok(place), false) => drop(changed.remove(place)),
        (Err(place), true) => changed.insert(place, (member.clone(), Value::Int(count))),
        (Err(_), false) => (),
    }
    Value::Bag(changed.into())
}

fn with_entry(entries: &Entries, key: Value, value: Value) -> Value {
    let mut changed = entries.to_vec();
    match entries.binary_search_by(|(other, _)| other.cmp(&key)) {
        Ok(place) => changed[place].1 = value,
        Err(place) => changed.insert(place, (key, value)),
    }
    Value::Map(changed.into())
}

fn without_entry(entries: &Entries, place: usize) -> Value {
    let mut changed = entries.to_vec();
    changed.remove(place);
    Value::Map(changed.into())
}
