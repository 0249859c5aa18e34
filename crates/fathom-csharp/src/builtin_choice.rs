//! Members of the library that choose: subsets of a set, orders of a sequence.
//!
//! A number says which: the bits of a subset, and in the factorial number system an order, both as in NModel. Without a number it is
//! the first: what is chosen must not differ from one evaluation to the next.

use fathom_source::Span;

use crate::builtin::number;
use crate::code::Library;
use crate::interpret::{MOST_MEMBERS, Machine, Run, raise};
use crate::value::Value;

impl Machine<'_> {
    /// What is chosen of the members of a collection.
    pub(crate) fn choice(&mut self, library: Library, from: &Value, which: &Value, span: Span) -> Run<Value> {
        use Library as L;
        let members = self.members(from, span)?;
        let which = number(which);
        match library {
            L::ChooseSubset => Ok(subset(&members, which as u32)),
            L::ChooseNonemptySubset if members.is_empty() => raise("nothing to choose from", span),
            L::ChooseNonemptySubset => {
                let bits = (which.min(i64::from(i32::MAX) - 1) + 1) as u32;
                let chosen = subset(&members, bits);
                let is_empty = matches!(&chosen, Value::Set(chosen) if chosen.is_empty());
                // Where no bit stands for a member, any subset will do.
                Ok(if is_empty { subset(&members, 1) } else { chosen })
            }
            L::AllSubsets => {
                let n_subsets = 1_usize.checked_shl(members.len() as u32).unwrap_or(usize::MAX);
                if members.len() >= 30 || n_subsets > MOST_MEMBERS {
                    return raise(format!("a set of {} has too many subsets", members.len()), span);
                }
                self.charge(n_subsets.saturating_mul(members.len() + 1))?;
                Ok(Value::sequence((0..n_subsets as u32).map(|bits| subset(&members, bits)).collect()))
            }
            L::ChoosePermutation => Ok(Value::sequence(reordered(members, which as u32))),
            _ => raise("this is not supported here", span),
        }
    }
}

/// The members whose bits are set.
fn subset(members: &[Value], bits: u32) -> Value {
    let is_chosen = |place: &usize| *place < 32 && bits >> place & 1 == 1;
    Value::Set((0..members.len()).filter(is_chosen).map(|place| members[place].clone()).collect())
}

/// Members in the order with a number: those of all orders, and from then on again.
fn reordered(members: Vec<Value>, which: u32) -> Vec<Value> {
    let n_members = members.len();
    let mut free: Vec<usize> = (0..n_members).collect();
    let mut places = vec![0; n_members];
    let mut rest = match factorial(n_members) {
        Some(n_orders) => u64::from(which) % n_orders,
        None => u64::from(which),
    };
    for place in (0..n_members).rev() {
        // A number that no factorial reaches leaves the rest as it is.
        let n_orders = factorial(place).unwrap_or(u64::MAX);
        places[place] = free.remove((rest / n_orders) as usize);
        rest %= n_orders;
    }
    let mut placed: Vec<(usize, Value)> = places.into_iter().zip(members).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, member)| member).collect()
}

fn factorial(number: usize) -> Option<u64> {
    (1..=number as u64).try_fold(1_u64, u64::checked_mul)
}
