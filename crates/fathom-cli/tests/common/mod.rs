//! The program under test, in a folder of its own.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Two processes that hand a value over; `x` counts to 3; the assertion at the end holds.
pub const COUNTER: &str = "byte x;
active proctype p() {
  byte i;
  do
  :: i < 3 -> i++; x = x + 1
  :: else -> break
  od;
done: assert(x == 3)
}
";

/// One assertion that fails and one deadlock, in different states.
pub const TWO_ERRORS: &str = "byte x;
active proctype p() {
  if
  :: x = 1; assert(x == 2)
  :: x = 2; x == 3
  fi
}
";

/// A hand-shake and a buffered channel.
pub const MESSAGES: &str = "mtype = { request, reply };
chan wire = [0] of { mtype, byte };
chan log = [2] of { byte };
active proctype client() { wire!request,7; wire?reply,_; log!1 }
active proctype server() { byte v; wire?request,v; printf(\"got %d\\n\", v); wire!reply,v; log?_; assert(v == 0) }
";

/// A state space that no test waits for.
pub const ENDLESS: &str = "int a, b;
active proctype p() { do :: a++ :: b++ :: a < 0 && b < 0 -> break od }
";

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        command.current_dir(self.0.path()).args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs the program in the folder.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().expect("the program starts"))
    }
}

/// What a run of the program left.
#[derive(Debug)]
pub struct Ran {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: Output) -> Ran {
        Ran {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub fn expect(self, status: i32) -> Ran {
        assert_eq!(self.status, Some(status), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// The property with this name in a report.
#[track_caller]
pub fn property<'a>(report: &'a Value, name: &str) -> &'a Value {
    let properties = report["properties"].as_array().expect("properties");
    properties.iter().find(|property| property["name"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
}

/// A document of the repository.
pub fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
