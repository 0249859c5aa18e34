//! The rules of the interpreter, one test each. State and transition counts marked as Spin's were read off
//! its verifier, version 6.5.2, without reductions, for the Promela text beside them. Spin counts the initial
//! state as a transition; we do not.

mod atomic;
mod builder;
mod channels;
mod errors;
mod explaining;
mod processes;
mod random;
mod rendezvous;
mod scheduling;
