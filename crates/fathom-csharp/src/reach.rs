//! Where statements end: whether control can come to the end of a block, as C# decides it.
//!
//! Conditions count as they are written: `while (true)` ends by `break` only, and any other condition may be true or false.

use crate::code::{Code, Instr};
use crate::value::Value;

/// How control may leave statements, other than by `return` and `throw`.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Leaves {
    /// At their end.
    pub(crate) end: bool,
    /// By `break`.
    breaks: bool,
    /// By `continue`.
    continues: bool,
}

impl Leaves {
    fn at_end() -> Leaves {
        Leaves { end: true, ..Leaves::default() }
    }

    /// One or the other.
    fn or(self, other: Leaves) -> Leaves {
        Leaves {
            end: self.end || other.end,
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
        }
    }
}

/// How control may leave a block.
pub(crate) fn block(block: &[Instr]) -> Leaves {
    let mut leaves = Leaves::at_end();
    for instr in block {
        if !leaves.end {
            break;
        }
        let next = one(instr);
        leaves = Leaves { end: next.end, ..leaves.or(next) };
    }
    leaves
}

fn one(instr: &Instr) -> Leaves {
    match instr {
        Instr::Do(_) | Instr::Let(..) | Instr::Yield(_) => Leaves::at_end(),
        Instr::Return(_) | Instr::YieldBreak | Instr::Throw(..) => Leaves::default(),
        Instr::Break => Leaves { breaks: true, ..Leaves::default() },
        Instr::Continue => Leaves { continues: true, ..Leaves::default() },
        Instr::Block(body) => block(body),
        Instr::If(condition, then, other) => match always(condition) {
            Some(true) => block(then),
            Some(false) => block(other),
            None => block(then).or(block(other)),
        },
        Instr::Loop(condition, body, _, is_asked_first) => {
            let inside = block(body);
            let may_fail = condition.as_ref().is_some_and(|condition| always(condition) != Some(true));
            let is_asked = *is_asked_first || inside.end || inside.continues;
            Leaves { end: inside.breaks || (may_fail && is_asked), ..Leaves::default() }
        }
        Instr::ForEach(..) => Leaves::at_end(),
        Instr::Switch(_, sections) => {
            let has_default = sections.iter().any(|(labels, _)| labels.contains(&None));
            let inside = sections.iter().map(|(_, body)| block(body)).fold(Leaves::default(), Leaves::or);
            Leaves { end: inside.end || inside.breaks || !has_default, breaks: false, ..inside }
        }
        Instr::Try(body, handler, last) => {
            let tried = handler.iter().map(|(_, handler)| block(handler)).fold(block(body), Leaves::or);
            let last = block(last);
            Leaves { end: tried.end && last.end, ..tried.or(last) }
        }
    }
}

/// What a condition always is.
fn always(condition: &Code) -> Option<bool> {
    match condition {
        Code::Constant(Value::Bool(value)) => Some(*value),
        _ => None,
    }
}
