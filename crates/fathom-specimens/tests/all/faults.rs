//! Every fault that can be switched on is found, replays and gets shorter; what has no fault passes.

use fathom_online::{
    Embedded, Explored, Failure, Implementation, Roles, Strategy, TestOptions, TestVerdict, replay, shorten,
    stimuli, test,
};
use fathom_program::Program;
use fathom_specimens::{buffer, lamp, model_of, sessions};

const STRATEGIES: [Strategy; 3] = [Strategy::Random, Strategy::LeastVisited, Strategy::Coverage { depth: 2 }];

/// Tests an implementation with each strategy until one run fails.
fn check_fault<I: Implementation>(program: &impl Program, roles: &Roles, fault: &str, make: impl Fn() -> I) {
    let model = model_of(program, roles.clone());
    let explored = Explored::new(&model);
    for strategy in STRATEGIES {
        let options = TestOptions { runs: 20, steps: 200, strategy, ..TestOptions::default() };
        let report = test(&explored, &mut Embedded(make()), &options, None, &mut ());
        let failed = report.runs.last().expect("there was a run");
        let kind = report.verdict.failure().map(Failure::kind);
        assert!(kind.is_some(), "{fault} is found by {strategy:?}");
        let again = replay(&explored, &mut Embedded(make()), failed);
        assert_eq!(again.verdict, report.verdict, "{fault}: the log replays");
        assert_eq!(again.entries, failed.entries, "{fault}: the log replays");
        let shortened = shorten(&explored, &mut Embedded(make()), failed, 1000, &mut ());
        let shortened = shortened.expect("the failure comes again");
        assert!(shortened.is_minimal, "{fault}");
        assert!(stimuli(&shortened.log.entries).len() <= 12, "{fault}: {:?}", shortened.log.entries);
        assert_eq!(shortened.log.verdict.failure().map(Failure::kind), kind);
    }
}

#[test]
fn every_fault_of_the_buffer_is_found() {
    for fault in buffer::FAULTS {
        let make = || buffer::Buffer::new(Some(fault));
        check_fault(&buffer::BufferModel, &buffer::roles(), fault, make);
    }
}

#[test]
fn every_fault_of_the_sessions_is_found() {
    for fault in sessions::FAULTS {
        let make = || sessions::Server::new(Some(fault));
        check_fault(&sessions::SessionModel, &sessions::roles(), fault, make);
    }
}

#[test]
fn every_fault_of_the_lamp_is_found() {
    for fault in lamp::FAULTS {
        let make = || lamp::Lamp::new(Some(fault));
        check_fault(&lamp::LampModel, &lamp::roles(), fault, make);
    }
}

/// Ten thousand steps without a complaint.
fn check_correct<I: Implementation>(program: &impl Program, roles: Roles, make: impl Fn() -> I) {
    let model = model_of(program, roles);
    let explored = Explored::new(&model);
    for strategy in STRATEGIES {
        let options = TestOptions { steps: 10_000, strategy, ..TestOptions::default() };
        let report = test(&explored, &mut Embedded(make()), &options, None, &mut ());
        assert_eq!(report.verdict, TestVerdict::Pass);
        assert!(report.n_steps >= 10_000, "{} steps", report.n_steps);
    }
}

#[test]
fn what_has_no_fault_passes_ten_thousand_steps() {
    check_correct(&buffer::BufferModel, buffer::roles(), || buffer::Buffer::new(None));
    check_correct(&sessions::SessionModel, sessions::roles(), || sessions::Server::new(None));
    check_correct(&lamp::LampModel, lamp::roles(), || lamp::Lamp::new(None));
}
