//! The model language of Fathom and its meaning.
//!
//! A front end lowers its language to a [`Model`]. The reference [`interpreter`] gives a model its meaning
//! as a [`System`]. Engines search systems and answer properties with a [`Verdict`].
//!
//! **Invariant:** nothing here knows a source language, a file, a clock or a terminal.

mod accepting;
mod describe;
mod erased;
pub mod explain;
mod expr;
mod fault;
mod footprint;
mod ids;
pub mod interpreter;
pub mod layout;
mod listing;
mod model;
pub mod print;
mod property;
mod region;
mod selective;
mod system;
mod types;
mod validate;
mod verdict;
pub mod visit;

pub use accepting::Accepting;
pub use erased::{Erased, ErasedScratch};
pub use expr::{Base, BinaryOp, ChannelQuery, Expr, Index, Pattern, Place, UnaryOp, Which};
pub use fault::Fault;
pub use footprint::{ByteSet, Footprint};
pub use ids::{ChannelTypeId, EdgeId, EnumerationId, LocationId, PropertyId, RecordId, TemplateId};
pub use interpreter::{Executed, Interpreter, Move, Partner, ReplayError};
pub use listing::Listing;
pub use model::{
    Action, ChannelType, Edge, Guard, Location, Model, PrintForm, PrintPart, Start, Sync, Template,
    TemplateRole,
};
pub use property::{
    AskedOfRuns, AutomatonProperty, CtlProperty, Formula, Property, PslProperty, Question, RunEnd,
};
pub use region::{NoRegion, NoRoomForRegion, Region, Unite};
pub use selective::{Choose, Processes, Selective};
pub use system::{Finding, Height, Steps, System};
pub use types::{
    Enumeration, Frame, Initializer, NO_PROCESS, Record, ScalarKind, ScalarType, Type, Variable, VariableRole,
};
pub use validate::validate;
pub use verdict::{Answer, Evidence, Statistics, Stop, Trace, Trust, Verdict};
