//! No process outlives its tester. A test binary of its own: it looks at all children of the process.

use std::time::Duration;

use fathom_adapter::{Launch, Messages, Remote, Timing};
use fathom_online::{Explored, TestOptions, test};
use fathom_specimens::{buffer, model_of};

/// Numbers of the processes that this one has started and not waited for; none where the system does not tell.
fn children() -> Option<Vec<u32>> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name may have spaces: what follows the last parenthesis are state and parent.
        let parent =
            stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1).map(str::to_owned));
        if parent.as_deref() == Some(own.as_str()) {
            found.push(number);
        }
    }
    Some(found)
}

#[test]
fn programs_are_ended_and_waited_for() {
    for fault in [None, Some("hangs"), Some("floods"), Some("ends"), Some("garbage")] {
        let mut words = vec![env!("CARGO_BIN_EXE_fathom-specimen").to_owned(), "buffer".to_owned()];
        words.extend(fault.iter().flat_map(|fault| ["--fault".to_owned(), (*fault).to_owned()]));
        let launch = Launch::Program { words, messages: Messages::Dropped };
        let seconds = if matches!(fault, Some("hangs" | "floods")) { 1 } else { 60 };
        let timing = Timing {
            answer: Duration::from_secs(seconds),
            silence: Duration::from_millis(10),
            ..Timing::default()
        };
        let program = buffer::BufferModel;
        let model = model_of(&program, buffer::roles());
        let mut remote = Remote::new(launch, timing);
        let options = TestOptions { steps: 50, ..TestOptions::default() };
        let report = test(&Explored::new(&model), &mut remote, &options, None, &mut ());
        assert_eq!(report.verdict.name(), if fault.is_some() { "fail" } else { "pass" });
        drop(remote);
        let left = children().unwrap_or_default();
        assert!(left.is_empty(), "after {fault:?}: {left:?}");
    }
}
