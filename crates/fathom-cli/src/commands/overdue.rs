//! The end of a check, or a hunt, that does not hear that its time is over.
//!
//! Engines look at the clock between steps, and operations on diagrams before they begin. But one operation on large diagrams
//! may take minutes, and the library beneath has no way to end it. So somebody else watches the clock, too: a while after the
//! time is over, they report what is certain by then, which is that nothing is known, and end the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use fathom_core::CheckOptions;
use fathom_core::model::Stop;
use fathom_core::search::{Monitor, Progress};

use crate::STACK_BYTES;
use crate::monitor::patience;

/// Whether a check operates on diagrams: because of a partition, or of an engine that makes one.
pub fn has_diagrams(options: &CheckOptions) -> bool {
    options.partition.is_some() || options.engine.is_symbolic()
}

/// Does some work that knows its limit of time. When it goes on long after that, `give_up` is called on another thread, and has to end
/// the process.
pub fn within<T>(
    limit: Option<Duration>,
    give_up: impl FnOnce() -> std::convert::Infallible + Send,
    work: impl FnOnce() -> T,
) -> T {
    let Some(limit) = limit else { return work() };
    // Either the work is over, or the patience; never both.
    let is_over = AtomicBool::new(false);
    let is_over = &is_over;
    std::thread::scope(|scope| {
        let (done, end) = channel::<()>();
        let watch = move || {
            let waited = end.recv_timeout(limit.saturating_add(patience(limit)));
            if waited == Err(RecvTimeoutError::Timeout) && !is_over.swap(true, Ordering::SeqCst) {
                give_up();
            }
        };
        // Without a second thread, nobody is impatient.
        let _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, watch);
        let made = work();
        while is_over.swap(true, Ordering::SeqCst) {
            // The process is about to end.
            std::thread::park();
        }
        drop(done);
        made
    })
}

/// Says that the time is over whenever it is asked: with it, a check gives the report of one that learned nothing.
pub struct Over;

impl Monitor for Over {
    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        Some(Arc::new(AtomicBool::new(true)))
    }

    fn poll(&mut self, _: &Progress) -> Option<Stop> {
        Some(Stop::Time)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use fathom_core::model::Answer;
    use fathom_core::source::MemoryLoader;
    use fathom_core::symbolic::Partition;
    use fathom_core::{Engine, Language, load};

    use super::*;

    #[test]
    fn work_that_ends_in_time_is_not_disturbed() {
        let give_up = || panic!("nobody gives up");
        assert_eq!(within(None, give_up, || 1), 1);
        assert_eq!(within(Some(Duration::ZERO), give_up, || 2), 2);
    }

    #[test]
    fn engines_over_diagrams_are_watched_without_a_partition() {
        for (engine, expected) in
            [(Engine::SymbolicGuided, true), (Engine::SymbolicWalk, true), (Engine::BreadthFirst, false)]
        {
            let options = CheckOptions { engine, ..CheckOptions::default() };
            assert_eq!(has_diagrams(&options), expected, "{engine:?}");
        }
    }

    /// Set for the process that does not come to an end by itself.
    const ENDLESS: &str = "FATHOM_TEST_ENDLESS";

    #[test]
    fn work_that_goes_on_and_on_is_ended() {
        if std::env::var_os(ENDLESS).is_some() {
            within(Some(Duration::ZERO), || std::process::exit(42), std::thread::park);
            return;
        }
        let name = "commands::overdue::tests::work_that_goes_on_and_on_is_ended";
        let itself = std::env::current_exe().expect("this test");
        let ended = Command::new(itself).args([name, "--exact"]).env(ENDLESS, "1").status();
        assert_eq!(ended.expect("it can be run").code(), Some(42));
    }

    #[test]
    fn when_the_time_is_over_nothing_is_known() {
        let text = "MODULE main VAR x : 0..9; ASSIGN init(x) := 0; next(x) := (x + 1) mod 10;
            INVARSPEC x < 10 CTLSPEC AG EF x = 0 LTLSPEC G F x = 0";
        let loader = MemoryLoader::new().with("m.smv", text);
        let loaded = load("m.smv", Language::Smv, &loader, &[]).expect("it can be read");
        let model = loaded.model.expect("a model without errors");
        let properties = fathom_core::default_properties(&model);
        let partition = Some(Partition::symbolic(&model));
        let options = CheckOptions { properties, partition, ..CheckOptions::default() };
        let report = fathom_core::check(&model, &options, &mut Over);
        assert_eq!(report.verdicts.len(), options.properties.len());
        let is_open = |verdict: &fathom_core::model::Verdict| {
            verdict.answer == Answer::Inconclusive && verdict.stop == Stop::Time
        };
        assert!(report.verdicts.iter().all(is_open), "{:?}", report.verdicts);
    }
}
