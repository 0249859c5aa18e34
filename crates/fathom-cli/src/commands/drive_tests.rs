//! The commands of programs in Rust: `test`, and `drive` with the implementation behind a socket.

use clap::Parser;
use fathom_specimens::Specimen;
use fathom_specimens::lamp::LampModel;

use crate::program::ProgramCli;

#[test]
fn a_program_in_rust_drives_an_implementation_and_cleans_up() {
    let serve = |fault: Option<&str>| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let specimen =
            Specimen { name: "lamp".to_owned(), fault: fault.map(str::to_owned), ..Specimen::default() };
        // Not joined: it waits for testers until the process ends.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.expect("a tester");
                let reader = std::io::BufReader::new(stream.try_clone().expect("a second handle"));
                let _ = specimen.run(reader, stream);
            }
        });
        address
    };
    let run = |address: &str, more: &[&str]| {
        let words = ["lamp", "drive", "--observable", "Dim|Bright|Off", "--tick", "Tick", "--quiet"];
        let words = [&words[..], &["--runs", "10", "--connect", address], more].concat();
        let cli = ProgramCli::try_parse_from(words).expect("flags");
        cli.command.run(&LampModel).expect("it can run")
    };
    let right = [
        &["--steps", "9"][..],
        // A press leads from dim to bright and from there to off, and so does time.
        &["--steps", "9", "--cleanup", "Press"],
        &["--steps", "9", "--cleanup", "Nothing"],
    ];
    let faults = ["off-late", "off-early", "never-bright", "forgets-dim"];
    let (run, serve) = (&run, &serve);
    // Most of the time passes in waiting for silence: all wait together, each for its own implementation.
    std::thread::scope(|scope| {
        for more in right {
            scope.spawn(move || assert_eq!(run(&serve(None), more), 0, "{more:?}"));
        }
        for fault in faults {
            scope.spawn(move || assert_eq!(run(&serve(Some(fault)), &["--steps", "100"]), 1, "{fault}"));
        }
    });
}

#[test]
fn a_program_in_rust_has_tests() {
    let run = |words: &[&str]| {
        let words = [&["lamp", "test", "--quiet"][..], words].concat();
        ProgramCli::try_parse_from(words).expect("flags").command.run(&LampModel)
    };
    assert_eq!(run(&["--cover", "transitions,1-switch,values"]).expect("it can run"), 0);
    assert_eq!(run(&["--goal", "action Bright then action Off"]).expect("it can run"), 0);
    assert!(run(&["--cover", "def-use"]).is_err(), "nobody says what actions read and write");
}
