//! Who is to blame for a panic: what a program does may panic, and that is no bug in Fathom.
//!
//! What is called stands beside the call, and is dropped only when the call unwinds, so that a call that returns costs nothing more.
//! Nothing is caught: an engine with a panic in it has no answers.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// Is told what the program was doing when it panicked.
type Listener = Box<dyn Fn(&str) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Calls this when code of a program panics, with what it was doing: once for a process, the first one counts. It comes after the message of
/// the panic.
pub fn when_programs_panic(tell: impl Fn(&str) + Send + Sync + 'static) {
    // Whoever came first stays.
    let _ = LISTENER.set(Box::new(tell));
}

/// Dropped by a panic only.
struct Blame<F: Fn() -> String>(F);

impl<F: Fn() -> String> Drop for Blame<F> {
    fn drop(&mut self) {
        let Some(tell) = LISTENER.get() else { return };
        // What shows a state is code of the program, too, and a second panic would end the process without a word.
        let doing = catch_unwind(AssertUnwindSafe(&self.0));
        tell(&doing.unwrap_or_else(|_| "something that cannot be shown".to_owned()));
    }
}

/// Calls code of a program, known as `doing` if it panics.
#[inline]
pub(crate) fn call<T>(doing: impl Fn() -> String, code: impl FnOnce() -> T) -> T {
    let blame = Blame(doing);
    let value = code();
    mem::forget(blame);
    value
}
