//! Logs as lines of JSON: a heading, then the entries of each run and its verdict. Where time passes, every entry has the time in units since the run began.

use fathom_online::{Action, Entry, Failure, RunLog, TestVerdict};
use serde_json::{Map, Value, json};

/// The version of the format.
const VERSION: u64 = 1;

/// Writes runs, with what is to be known about the test in the heading; where time passes, with the number of ticks in a unit of time.
pub fn write(about: &Value, runs: &[RunLog], grain: Option<u32>) -> String {
    let mut lines = vec![json!({ "fathom_log": VERSION, "test": about }).to_string()];
    for (number, run) in runs.iter().enumerate() {
        lines.push(json!({ "run": number + 1 }).to_string());
        lines.extend(entries_to_json(&run.entries, grain).iter().map(Value::to_string));
        lines.push(verdict_to_json(&run.verdict).to_string());
    }
    lines.join("\n") + "\n"
}

/// Entries as JSON; where time passes, with the time of each.
pub fn entries_to_json(entries: &[Entry], grain: Option<u32>) -> Vec<Value> {
    let times = times(entries, grain);
    let with_time = |(entry, time): (&Entry, Option<f64>)| {
        let mut value = entry_to_json(entry);
        if let Some(time) = time {
            value["time"] = json!(time);
        }
        value
    };
    entries.iter().zip(times).map(with_time).collect()
}

/// The time of each entry in units since the run began, where time passes; that of a tick is its end.
pub fn times(entries: &[Entry], grain: Option<u32>) -> Vec<Option<f64>> {
    let mut n_ticks = 0;
    let time = |entry: &Entry| {
        n_ticks += u32::from(*entry == Entry::Tick);
        grain.map(|grain| f64::from(n_ticks) / f64::from(grain))
    };
    entries.iter().map(time).collect()
}

fn entry_to_json(entry: &Entry) -> Value {
    match entry {
        Entry::Did { action, is_sent: true } => json!({ "do": action.shown() }),
        Entry::Did { action, is_sent: false } => json!({ "plan": action.shown() }),
        Entry::Observed { action, is_awaited } => {
            json!({ "observed": action.shown(), "awaited": is_awaited })
        }
        Entry::Silence => json!({ "silence": true }),
        Entry::Tick => json!({ "tick": 1 }),
    }
}

/// A verdict as JSON.
pub fn verdict_to_json(verdict: &TestVerdict) -> Value {
    match verdict {
        TestVerdict::Pass => json!({ "verdict": "pass" }),
        TestVerdict::Fail(failure) => {
            json!({ "verdict": "fail", "kind": failure.kind(), "reason": failure.to_string() })
        }
        TestVerdict::Inconclusive(why) => json!({ "verdict": "inconclusive", "reason": why }),
    }
}

/// A run as it was read: what happened, and what was said about it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// What happened.
    pub entries: Vec<Entry>,
    /// `pass`, `fail` or `inconclusive`; empty when the log ends before.
    pub verdict: String,
    /// The kind of failure, as [`Failure::kind`] has it.
    pub kind: Option<String>,
}

impl Recorded {
    /// Whether a run came to the same verdict.
    pub fn agrees_with(&self, verdict: &TestVerdict) -> bool {
        self.verdict == verdict.name() && self.kind.as_deref() == verdict.failure().map(Failure::kind)
    }
}

/// Reads a log: what its heading says about the test, and its runs.
///
/// # Errors
///
/// What is wrong, with the number of the line.
pub fn read(text: &str) -> Result<(Value, Vec<Recorded>), String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let object = |number: usize, line: &str| -> Result<Map<String, Value>, String> {
        match serde_json::from_str(line) {
            Ok(Value::Object(fields)) => Ok(fields),
            Ok(_) => Err(format!("line {}: expected an object", number + 1)),
            Err(error) => Err(format!("line {}: {error}", number + 1)),
        }
    };
    let (number, first) = lines.next().ok_or("the log is empty")?;
    let mut heading = object(number, first)?;
    if heading.get("fathom_log").and_then(Value::as_u64) != Some(VERSION) {
        return Err(format!("line {}: this is no log of version {VERSION}", number + 1));
    }
    let about = heading.remove("test").unwrap_or(Value::Null);
    let mut runs: Vec<Recorded> = Vec::new();
    for (number, line) in lines {
        let fields = object(number, line)?;
        let wrong = || format!("line {}: this is no entry of a log", number + 1);
        if fields.contains_key("run") {
            runs.push(Recorded::default());
            continue;
        }
        let run =
            runs.last_mut().ok_or_else(|| format!("line {}: an entry before the first run", number + 1))?;
        match fields.get("verdict") {
            Some(verdict) => {
                run.verdict = verdict.as_str().ok_or_else(wrong)?.to_owned();
                run.kind = fields.get("kind").and_then(Value::as_str).map(str::to_owned);
            }
            None => run.entries.push(entry(&fields).ok_or_else(wrong)?),
        }
    }
    if runs.is_empty() { Err("the log has no runs".to_owned()) } else { Ok((about, runs)) }
}

fn entry(fields: &Map<String, Value>) -> Option<Entry> {
    let action = |name: &str| fields.get(name).and_then(Value::as_str).map(Action::new);
    if let Some(action) = action("do") {
        return Some(Entry::Did { action, is_sent: true });
    }
    if let Some(action) = action("plan") {
        return Some(Entry::Did { action, is_sent: false });
    }
    if let Some(action) = action("observed") {
        let is_awaited = fields.get("awaited").and_then(Value::as_bool).unwrap_or(true);
        return Some(Entry::Observed { action, is_awaited });
    }
    if fields.contains_key("silence") {
        return Some(Entry::Silence);
    }
    fields.contains_key("tick").then_some(Entry::Tick)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_as_it_was_written() {
        let action = Action::new("Say(\"a \\\"b\\\"\")");
        let entries = vec![
            Entry::Did { action: action.clone(), is_sent: true },
            Entry::Did { action: action.clone(), is_sent: false },
            Entry::Observed { action: action.clone(), is_awaited: false },
            Entry::Silence,
            Entry::Tick,
        ];
        let verdict = TestVerdict::Fail(Failure::Missing { expected: vec![action] });
        let text = write(
            &json!({ "seed": 3 }),
            &[RunLog { entries: entries.clone(), verdict: verdict.clone() }],
            Some(4),
        );
        assert!(text.contains("{\"tick\":1,\"time\":0.25}"), "{text}");
        let (about, runs) = read(&text).unwrap();
        assert_eq!(about["seed"], 3);
        assert_eq!(runs[0].entries, entries);
        assert!(runs[0].agrees_with(&verdict) && !runs[0].agrees_with(&TestVerdict::Pass));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            ("", "the log is empty"),
            ("{}", "line 1: this is no log of version 1"),
            ("{\"fathom_log\": 1}\n", "the log has no runs"),
            ("{\"fathom_log\": 1}\n{\"do\": \"a\"}", "line 2: an entry before the first run"),
            ("{\"fathom_log\": 1}\n{\"run\": 1}\n{\"what\": 1}", "line 3: this is no entry of a log"),
        ] {
            assert_eq!(read(text).unwrap_err(), expected);
        }
        assert!(read("{\"fathom_log\": 1}\nx").unwrap_err().starts_with("line 2: "));
    }
}
