//! The system to search: native code where there can be some, or the interpreter, with an order of steps chosen or not.

use fathom_model::{Erased, Interpreter, Model, Move, NoRegion, PropertyId};
use fathom_native::NativeSystem;
use fathom_reduce::{PartialOrder, Quotient, Reduced, Symmetry};

use crate::check::Code;

/// The system of a model that looks at these properties, and how its steps are computed. Engines are compiled for its
/// one type.
pub(crate) fn system_of<'m>(
    model: &'m Model,
    properties: &[PropertyId],
    code: Code,
    order: Option<PartialOrder>,
) -> (Erased<'m, NoRegion, Move>, Code) {
    let native = match (code, &order) {
        (Code::Interpreted, _) => None,
        (Code::Native, None) => NativeSystem::new(model, properties).ok(),
        (Code::Native, Some(_)) => NativeSystem::selective(model, properties).ok(),
    };
    let interpreter = || Interpreter::new(model, properties);
    match (native, order) {
        (Some(native), None) => (Erased::new(native), Code::Native),
        (Some(native), Some(order)) => (Erased::new(Reduced::of(native, order)), Code::Native),
        (None, None) => (Erased::new(interpreter()), Code::Interpreted),
        (None, Some(order)) => (Erased::new(Reduced::of(interpreter(), order)), Code::Interpreted),
    }
}

/// The same, where states that differ in names only are one.
pub(crate) fn folded_system_of<'m>(
    model: &'m Model,
    properties: &[PropertyId],
    code: Code,
    order: Option<PartialOrder>,
    symmetry: Option<Symmetry>,
) -> (Erased<'m, NoRegion, Move>, Code) {
    let (system, code) = system_of(model, properties, code, order);
    match symmetry {
        Some(symmetry) => (Erased::new(Quotient::of(system, symmetry)), code),
        None => (system, code),
    }
}
