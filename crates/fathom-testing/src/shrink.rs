//! Smaller inputs that still fail.
//!
//! Generators make smaller models from fewer and smaller bytes ([`Entropy`](crate::Entropy)), so a failing
//! model is shrunk by shrinking its bytes: cut the end, drop pieces, make pieces zero, make bytes smaller,
//! as long as the check still fails (Hughes and MacIver call this internal shrinking).

use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

/// At most so many attempts.
const MOST_ATTEMPTS: usize = 5_000;

/// Runs a check on these bytes.
///
/// # Errors
///
/// The message, when it panics.
pub fn attempt<T>(check: fn(&[u8]) -> T, bytes: &[u8]) -> Result<T, String> {
    catch_unwind(|| check(bytes)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
    })
}

/// The smallest bytes found on which the check still panics.
pub fn shrink_failing<T>(check: fn(&[u8]) -> T, bytes: &[u8]) -> Vec<u8> {
    quietly(|| shrink(bytes, |bytes| attempt(check, bytes).is_err()))
}

/// Without the message that every panic writes: there are thousands. Messages of other threads are lost too,
/// for a moment; they keep their payload.
fn quietly<T>(job: impl FnOnce() -> T) -> T {
    /// The hook belongs to the whole process: one at a time, or the silent one would be restored for good.
    static HOOK: Mutex<()> = Mutex::new(());
    let _alone = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let result = job();
    std::panic::set_hook(hook);
    result
}

/// The smallest bytes found that still fail; these themselves if nothing smaller does.
pub fn shrink(bytes: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut smallest = bytes.to_vec();
    let mut n_attempts = 0;
    let mut is_smaller = true;
    while is_smaller {
        is_smaller = false;
        let mut length = smallest.len().max(1);
        while length > 0 {
            let mut start = 0;
            while start < smallest.len() {
                let end = (start + length).min(smallest.len());
                let candidate = candidates(&smallest, start..end).into_iter().find(|candidate| {
                    n_attempts += 1;
                    n_attempts <= MOST_ATTEMPTS && fails(candidate)
                });
                match candidate {
                    Some(candidate) => {
                        smallest = candidate;
                        is_smaller = true;
                    }
                    None => start = end,
                }
            }
            length /= 2;
        }
    }
    smallest
}

/// What becomes smaller when something is done to a piece; each is smaller than the bytes in an order that
/// has no endless descent: length first, then the sum.
fn candidates(bytes: &[u8], piece: std::ops::Range<usize>) -> Vec<Vec<u8>> {
    let mut candidates = vec![bytes[..piece.start].to_vec()];
    candidates.push([&bytes[..piece.start], &bytes[piece.end..]].concat());
    let changed = |change: fn(u8) -> u8| {
        let mut changed = bytes.to_vec();
        changed[piece.clone()].iter_mut().for_each(|byte| *byte = change(*byte));
        changed
    };
    if bytes[piece.clone()].iter().any(|&byte| byte != 0) {
        candidates.push(changed(|_| 0));
        candidates.push(changed(|byte| byte / 2));
        candidates.push(changed(|byte| byte.saturating_sub(1)));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_failing_bytes_are_found() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(shrink(&bytes, |bytes| bytes.contains(&100)), [100]);
        assert_eq!(shrink(&bytes, |bytes| bytes.iter().filter(|&&byte| byte > 9).count() >= 3), [10, 10, 10]);
        assert_eq!(shrink(&bytes, |_| false), bytes);
        assert!(shrink(&bytes, |_| true).is_empty());
    }

    #[test]
    fn a_panic_is_a_failure_with_its_message() {
        let check = |bytes: &[u8]| assert!(bytes.len() < 3, "{} bytes", bytes.len());
        assert_eq!(attempt(check, &[1, 2]), Ok(()));
        assert_eq!(attempt(check, &[1, 2, 3]), Err("3 bytes".to_owned()));
        assert_eq!(shrink_failing(check, &[7; 50]), [0, 0, 0]);
    }
}
