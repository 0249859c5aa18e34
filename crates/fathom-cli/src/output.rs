//! Writing to the terminal without ever failing loudly.
//!
//! A reader that goes away (`fathom … | head`) is a quiet end, not an error.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;

/// Writes a result to standard output. A closed pipe counts as success.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes one JSON value to standard output.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&to_json(value)?)
}

/// A JSON value as text with a line end.
pub fn to_json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n").map_err(|error| Failure::new(format!("cannot write JSON: {error}")))
}

/// Checks before any work is done that a file can be written: its folder exists, and nothing would be lost.
pub fn claim_file(path: impl AsRef<Path>, overwrite: bool) -> Result<(), Failure> {
    let path = path.as_ref();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.file_name().is_none() || path.is_dir() {
        return Err(Failure::new(format!("{}: not the name of a file", path.display())));
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Failure::new(format!("{}: the folder does not exist", path.display())));
    }
    if !overwrite && path.exists() {
        return Err(Failure::new(format!("{} exists; say --force to overwrite it", path.display())));
    }
    Ok(())
}

/// Writes a file; one that exists is overwritten only when the user said so.
pub fn write_file(path: impl AsRef<Path>, content: impl AsRef<[u8]>, overwrite: bool) -> Result<(), Failure> {
    let path = path.as_ref();
    let mut options = OpenOptions::new();
    options.write(true);
    if overwrite {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(path).and_then(|mut file| file.write_all(content.as_ref()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::new(format!("{} exists; say --force to overwrite it", path.display()))
        }
        _ => Failure::new(format!("cannot write {}: {error}", path.display())),
    })
}

/// Writes a line to standard error; nothing can be done when that fails.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a problem of the program to standard error.
pub fn complain(text: &str) {
    note(&format!("fathom: {text}"));
}

/// An argument as a shell reads it back.
pub fn quoted(argument: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_=./:,@%+".contains(character);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_when_a_shell_would_change_them() {
        assert_eq!(quoted("a/b.pml"), "a/b.pml");
        assert_eq!(quoted("x > 1"), "'x > 1'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
