//! Where the numbers come from: machine, tools, versions.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Serialize;

/// What a reader needs to know to repeat the measurement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Environment {
    /// The day of the run, in UTC.
    pub date: String,
    /// Version and commit.
    pub fathom: String,
    /// Version, when Spin takes part.
    pub spin: Option<String>,
    /// Version of the compiler of Spin's verifiers.
    pub gcc: Option<String>,
    /// The processor.
    pub processor: String,
    /// Processors that the run may use.
    pub cores: usize,
    /// Memory in MB.
    pub memory_megabytes: u64,
    /// The kernel.
    pub kernel: String,
    /// Load averages before the run; on a quiet machine they are near zero.
    pub load_before: String,
}

impl Environment {
    /// The same for a program that somebody names: which sources it was built from is not known, whatever is in the
    /// repository.
    #[must_use]
    pub fn for_program(self, given: Option<&Path>) -> Environment {
        let version = self.fathom.split(',').next().unwrap_or_default();
        let fathom = match given {
            Some(_) => format!("{version}, a program named by --fathom, its commit is not known"),
            None => self.fathom,
        };
        Environment { fathom, ..self }
    }
}

/// Whether the other tool is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rival {
    /// Spin and its compiler.
    Spin,
    /// Fathom is compared with itself.
    None,
}

/// Whether the tools are there: better known before anything is built.
///
/// # Errors
///
/// When one is missing, with what to install.
pub fn need(rival: Rival) -> Result<()> {
    rival_versions(rival).map(|_| ())
}

/// Looks around.
///
/// # Errors
///
/// When a tool is missing, with what to install.
pub fn look(repository: &Path, fathom: &Path, rival: Rival) -> Result<Environment> {
    let (spin, gcc) = rival_versions(rival)?;
    let version = first_line(Command::new(fathom).arg("--version")).context("fathom --version")?;
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    Ok(Environment {
        date: first_line(Command::new("date").args(["-u", "+%Y-%m-%d"])).unwrap_or_default(),
        fathom: format!("{version}, {}", commit(repository)),
        spin,
        gcc,
        processor: field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown".to_owned()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_megabytes: memory_megabytes(&read("/proc/meminfo")),
        kernel: format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()),
        load_before: read("/proc/loadavg").split_whitespace().take(3).collect::<Vec<_>>().join(" "),
    })
}

fn rival_versions(rival: Rival) -> Result<(Option<String>, Option<String>)> {
    Ok(match rival {
        Rival::Spin => (Some(tool("spin", "-V")?), Some(tool("gcc", "--version")?)),
        Rival::None => (None, None),
    })
}

/// The version of a tool from a Debian package of the same name.
fn tool(name: &str, flag: &str) -> Result<String> {
    match first_line(Command::new(name).arg(flag)) {
        Some(version) => Ok(version),
        None => bail!(
            "`{name}` is not installed, and the comparison needs it. On Debian and Ubuntu: apt install spin gcc. \
             Fathom alone: --set threads"
        ),
    }
}

fn commit(repository: &Path) -> String {
    let git = |arguments: &[&str]| first_line(Command::new("git").arg("-C").arg(repository).args(arguments));
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return "no commit".to_owned() };
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some();
    let changed = if is_changed { " with local changes" } else { "" };
    format!("commit {commit}{changed}")
}

/// The first line that a program writes; none when it fails or is silent.
fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// A field of a file in the form `name : value`.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().filter_map(|line| line.split_once(':')).find_map(|(key, value)| {
        let is_it = key.trim() == name;
        is_it.then(|| value.trim().to_owned())
    })
}

fn memory_megabytes(meminfo: &str) -> u64 {
    let kilobytes = field(meminfo, "MemTotal").and_then(|value| value.split(' ').next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 79\nmodel name\t: Some CPU @ 2.1: fast\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Some CPU @ 2.1: fast"));
        assert_eq!(field(text, "name"), None);
        assert_eq!(memory_megabytes("MemTotal:       24659340 kB\nMemFree: 1 kB\n"), 24081);
        assert_eq!(memory_megabytes(""), 0);
    }

    #[test]
    fn a_program_that_is_named_is_not_said_to_be_of_the_commit_at_hand() {
        let here = Environment {
            date: String::new(),
            fathom: "fathom 1.2, commit abc".to_owned(),
            spin: None,
            gcc: None,
            processor: String::new(),
            cores: 1,
            memory_megabytes: 1,
            kernel: String::new(),
            load_before: String::new(),
        };
        assert_eq!(here.clone().for_program(None), here);
        let named = here.for_program(Some(Path::new("/somewhere/fathom"))).fathom;
        assert!(named.starts_with("fathom 1.2, ") && !named.contains("abc"), "{named}");
    }

    #[test]
    fn a_missing_tool_is_named_with_its_package() {
        let error = tool("no-such-tool-here", "-V").unwrap_err().to_string();
        assert!(error.contains("no-such-tool-here") && error.contains("apt install spin gcc"), "{error}");
    }

    #[test]
    fn the_first_line_that_says_something_counts() {
        assert_eq!(first_line(Command::new("printf").arg("\n a \nb")).as_deref(), Some("a"));
        assert_eq!(first_line(&mut Command::new("false")), None);
    }
}
