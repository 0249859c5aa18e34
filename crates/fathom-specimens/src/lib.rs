//! Implementations under test: a bounded buffer, a server of sessions, a lamp with a timer, a telephone and a lock, each with faults that can be switched on, and models of
//! the first three as model programs; the others have theirs in `examples/online`.
//!
//! They are here to test the tester, and to try it: `fathom-specimen buffer --fault newest-first` is a program for `fathom drive`.

pub mod buffer;
mod command;
pub mod lamp;
pub mod lock;
pub mod phone;
pub mod sessions;

pub use command::Specimen;

use fathom_online::{Action, Role, Roles, Systematic};
use fathom_program::{Program, ProgramSystem, Symmetry};

/// A fault that can be switched on.
pub type Fault = &'static str;

/// A model program as a model for tests.
pub fn model_of<'p, P: Program>(program: &'p P, roles: Roles) -> Systematic<'p, ProgramSystem<'p, P>> {
    let is_timed = !roles.time.is_empty();
    let naming = move |_: &[u8], labels: &[fathom_program::Call]| -> Option<(Action, Role)> {
        let action = Action::new(labels.first()?);
        let role = roles.of(&action);
        Some((action, role))
    };
    let shown = ProgramSystem::in_full(program, Symmetry::None);
    let model = Systematic::new(ProgramSystem::in_full(program, Symmetry::None), naming)
        .with_variables(move |state| shown.variables_of(state));
    if is_timed { model.timed() } else { model }
}
