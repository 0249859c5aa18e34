//! Variables without a value at the start.
//!
//! A variable that no start transition assigns is zero here, or the first value of its type. In da Costa (2005) it is anything: all its values are
//! initial. Both can be had; anything is meant for variables on the symbolic side, where it costs nothing.

use fathom_model::{Action, Base, Expr, Place, TemplateId};

use super::Lowering;
use super::types::Ty;
use crate::options::Unassigned;

/// A variable that was declared, by its process if it has one, with its first byte.
pub(crate) type Declared = (Option<usize>, u32, Ty);

impl Lowering {
    /// Lets variables that the start leaves alone be anything, if that is asked for. Processes that are forked later start with zeros.
    pub(super) fn free_unassigned(&mut self) {
        if self.options.unassigned == Unassigned::Zero {
            return;
        }
        if !self.clocks.is_empty() {
            let message = "if_unassigned=any: a system with clocks starts in one state";
            self.diagnostics.push(fathom_source::Diagnostic::error("if::option", message));
            return;
        }
        for (process, offset, ty) in std::mem::take(&mut self.declared) {
            for (inner, scalar) in self.scalars(&ty) {
                let Some((least, most)) = self.all_of(&scalar) else { continue };
                let offset = offset + inner;
                for base in self.bases(process, offset) {
                    let place = Place::fixed(base, offset, scalar.scalar());
                    self.model.initial_effect.push(Action::Choose { place, least, most });
                }
            }
        }
    }

    /// The least and the greatest value of a type; none where any value is none in particular.
    fn all_of(&self, ty: &Ty) -> Option<(i64, i64)> {
        match ty {
            Ty::Bool => Some((0, 1)),
            Ty::Int { low, high } => Some((*low, *high)),
            Ty::Enum(id) => {
                let members = &self.model.enumerations[id.index()].members;
                Some((members.first()?.0, members.last()?.0))
            }
            Ty::Pid | Ty::Clock | Ty::Array { .. } | Ty::Record(_) | Ty::Broken => None,
        }
    }

    /// Where a variable is: once in the globals, or in each instance of its process that is there at the start.
    fn bases(&self, process: Option<usize>, offset: u32) -> Vec<Base> {
        let Some(process) = process else { return vec![Base::Global] };
        if self.folded.contains(&(process, offset)) {
            return Vec::new();
        }
        let (first, count) = self.instances(process);
        let instance = |pid: u32| Base::Other {
            template: TemplateId::from(process),
            process: Some(Box::new(Expr::Const(i64::from(pid)))),
        };
        (first..first + count).map(instance).collect()
    }
}
