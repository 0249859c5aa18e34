//! The same over lines of JSON: programs that are started, that break down, and that are gone afterwards.

use std::net::TcpListener;
use std::time::Duration;

use fathom_adapter::{Launch, Messages, Remote, Timing, log_file, serve};
use fathom_online::{
    Explored, Failure, TestOptions, TestReport, TestVerdict, replay, shorten, stimuli, test,
};
use fathom_specimens::{buffer, model_of, sessions};
use serde_json::json;

fn program(words: &[&str]) -> Launch {
    let mut all = vec![env!("CARGO_BIN_EXE_fathom-specimen").to_owned()];
    all.extend(words.iter().map(|word| (*word).to_owned()));
    Launch::Program { words: all, messages: Messages::Dropped }
}

fn timing() -> Timing {
    Timing { answer: Duration::from_secs(60), silence: Duration::from_millis(30), ..Timing::default() }
}

fn drive_buffer(launch: Launch, timing: Timing, options: &TestOptions) -> TestReport {
    let program = buffer::BufferModel;
    let model = model_of(&program, buffer::roles());
    test(&Explored::new(&model), &mut Remote::new(launch, timing), options, None, &mut ())
}

#[test]
fn a_program_without_fault_passes_ten_thousand_steps() {
    let options = TestOptions { steps: 10_000, ..TestOptions::default() };
    let report = drive_buffer(program(&["buffer"]), timing(), &options);
    assert_eq!(report.verdict, TestVerdict::Pass);
    assert!(report.n_steps >= 10_000);
}

#[test]
fn faults_are_found_in_programs_and_their_logs_replay() {
    for fault in buffer::FAULTS {
        let launch = program(&["buffer", "--fault", fault]);
        let options = TestOptions { runs: 20, steps: 200, ..TestOptions::default() };
        let report = drive_buffer(launch.clone(), timing(), &options);
        assert_eq!(report.verdict.name(), "fail", "{fault}");
        let text = log_file::write(&json!({ "seed": 1 }), &report.runs, None);
        let (_, recorded) = log_file::read(&text).expect("a log");
        let last = recorded.last().expect("a run");
        let model_program = buffer::BufferModel;
        let model = model_of(&model_program, buffer::roles());
        let explored = Explored::new(&model);
        let failed = fathom_online::RunLog { entries: last.entries.clone(), verdict: report.verdict.clone() };
        let mut remote = Remote::new(launch, timing());
        let again = replay(&explored, &mut remote, &failed);
        assert!(last.agrees_with(&again.verdict), "{fault}: {:?}", again.verdict);
        assert_eq!(again.entries, failed.entries, "{fault}");
    }
}

#[test]
fn a_fault_of_the_sessions_is_found_and_shortened_in_a_restarted_program() {
    let session_program = sessions::SessionModel;
    let model = model_of(&session_program, sessions::roles());
    let explored = Explored::new(&model);
    for fault in ["delivers-to-sender", "never-locks", "logout-stays"] {
        let mut remote = Remote::new(program(&["sessions", "--fault", fault]), timing());
        let options = TestOptions { runs: 10, steps: 300, ..TestOptions::default() };
        let report = test(&explored, &mut remote, &options, None, &mut ());
        assert_eq!(report.verdict.name(), "fail", "{fault}");
        let failed = report.runs.last().expect("a run");
        let shortened = shorten(&explored, &mut remote, failed, 60, &mut ()).expect("it comes again");
        assert!(stimuli(&shortened.log.entries).len() <= stimuli(&failed.entries).len());
    }
}

#[test]
fn breakdowns_are_verdicts() {
    for (fault, expected) in
        [("ends", "ended"), ("hangs", "hung"), ("garbage", "garbage"), ("floods", "hung")]
    {
        let options = TestOptions { steps: 200, ..TestOptions::default() };
        // Only what hangs is waited for; a machine that is busy is no reason to give up on the others.
        let seconds = if expected == "hung" { 1 } else { 60 };
        let timing = Timing { answer: Duration::from_secs(seconds), ..timing() };
        let report = drive_buffer(program(&["buffer", "--fault", fault]), timing, &options);
        let kind = report.verdict.failure().map(Failure::kind);
        // A flood is either never an answer, or an observation that the model does not know.
        let is_expected = kind == Some(expected) || fault == "floods" && kind == Some("unexpected");
        assert!(is_expected, "{fault}: {:?}", report.verdict);
        if fault == "ends" {
            assert!(format!("{:?}", report.verdict).contains("exit status: 3"), "{:?}", report.verdict);
        }
    }
}

#[test]
fn what_cannot_be_started_is_inconclusive() {
    let launch = Launch::Program { words: vec!["no-such-program".to_owned()], messages: Messages::Dropped };
    let report = drive_buffer(launch, timing(), &TestOptions::default());
    assert!(matches!(report.verdict, TestVerdict::Inconclusive(_)), "{:?}", report.verdict);
    // One that says nothing about being ready hangs; one that ends at once has ended.
    let launch = Launch::Program { words: vec!["true".to_owned()], messages: Messages::Dropped };
    let report = drive_buffer(launch, timing(), &TestOptions::default());
    assert_eq!(report.verdict.failure().map(Failure::kind), Some("ended"));
}

#[test]
fn an_implementation_may_be_behind_a_socket() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a tester");
        let reader = std::io::BufReader::new(stream.try_clone().expect("a second handle"));
        serve(&mut buffer::Buffer::new(Some("newest-first")), reader, stream)
    });
    let options = TestOptions { runs: 5, steps: 100, ..TestOptions::default() };
    let report = drive_buffer(Launch::Socket(address), timing(), &options);
    assert_eq!(report.verdict.failure().map(Failure::kind), Some("unexpected"));
    // The tester has said good-bye, so the server comes to an end.
    drop(server.join().expect("no panic"));
}
