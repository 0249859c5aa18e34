//! Testers on the specimens, in one binary; what looks at all children of its process has another.

mod faults;
mod guidance;
mod processes;
