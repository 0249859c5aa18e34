//! How much memory there is, and how much was used: what Linux says in `/proc` and `/sys/fs/cgroup`.
//!
//! Elsewhere nothing is known: searches have no default limit then, and the peak is reported as 0.

use std::fs::read_to_string;

/// The largest share of the available memory that a search takes by default, in percent.
const DEFAULT_SHARE: u64 = 90;

/// The limit for store and frontier when the user gives none: most of what is available now, so that a run ends
/// with an honest verdict and not with a kill.
pub fn default_limit() -> Option<u64> {
    available().map(|bytes| bytes / 100 * DEFAULT_SHARE)
}

/// Bytes available to this process: of the machine, or of its control group when that allows less.
fn available() -> Option<u64> {
    let machine = kibibytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    Some(group_available().map_or(machine, |group| group.min(machine)))
}

fn group_available() -> Option<u64> {
    let number = |path: &str| read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limit = number("/sys/fs/cgroup/memory.max")?;
    Some(limit.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)))
}

/// The most memory this process has had so far, in bytes; 0 when not known.
pub fn peak() -> u64 {
    read_to_string("/proc/self/status").ok().and_then(|status| kibibytes(&status, "VmHWM:")).unwrap_or(0)
}

/// The value of a line `Key:  123 kB`.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_proc_gives_bytes() {
        assert_eq!(kibibytes("A: 1 kB\nVmHWM:\t  12 kB\n", "VmHWM:"), Some(12 * 1024));
        assert_eq!(kibibytes("A: 1 kB\n", "VmHWM:"), None);
    }
}
