//! Files, spans and diagnostics: what every front end of Fathom stands on.
//!
//! **Invariant:** nothing here touches the file system or prints. Files are loaded through a function
//! that the caller passes in, and diagnostics are data until the outermost layer shows them.

mod diagnostic;
mod json;
mod load;
mod render;
mod similar;
mod span;

pub use diagnostic::{Diagnostic, Label, Severity, has_errors};
pub use json::render_json;
pub use load::{FileLoader, LoadError, LoadedFile, MAX_SOURCE_BYTES, MemoryLoader};
pub use render::render_text;
pub use similar::similar;
pub use span::{FileId, SourceFile, SourceMap, Span};
