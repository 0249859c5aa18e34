//! The protocol: one JSON object a line, in both directions.
//!
//! | tester | implementation |
//! | --- | --- |
//! | `{"reset": 3, "protocol": 1}`: begin run 3 | `{"ready": true}` |
//! | `{"do": "Put(3)", "name": "Put", "arguments": [3]}` | `{"done": true}`, with what came of it at once in `"observed": ["Full"]`; or `{"refused": "why"}`, `{"failed": "how"}` |
//! | `{"tick": 1, "time": 4}`: one tick of a virtual clock, the fourth of the run | `{"done": true, "observed": [...]}` |
//! | `{"stop": true}`: the end | nothing |
//!
//! An action that is sent while time passes has the `"time"`, too: ticks since the run began.
//!
//! At any time the implementation may say `{"observed": "Got(3)"}`: it did something on its own. An action is a text, or an object with `name` and
//! `arguments`.

use fathom_online::{Action, Term};
use serde_json::{Map, Value, json};

/// What an implementation may say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// It is ready for a run.
    Ready,
    /// It did what it was told, and this came of it.
    Done(Vec<Action>),
    /// It does not do that here.
    Refused(String),
    /// It could not.
    Failed(String),
    /// It did something on its own.
    Observed(Action),
}

/// What a tester may say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// Begin a run, with its number.
    Reset(u64),
    /// Do this.
    Do {
        /// What.
        action: Action,
        /// Ticks since the run began; 0 where no time passes.
        time: u64,
    },
    /// A tick has passed: how many that makes since the run began.
    Tick(u64),
    /// The test is over.
    Stop,
}

/// A term as JSON.
fn to_json(term: &Term) -> Value {
    match term {
        Term::Int(number) => json!(number),
        Term::Text(text) | Term::Other(text) => json!(text),
        Term::Compound(name, arguments) if arguments.is_empty() => match name.as_str() {
            "true" => json!(true),
            "false" => json!(false),
            name => json!(name),
        },
        Term::Compound(name, arguments) => {
            json!({ "name": name, "arguments": arguments.iter().map(to_json).collect::<Vec<_>>() })
        }
        Term::Group(_, terms) => Value::Array(terms.iter().map(to_json).collect()),
    }
}

fn from_json(value: &Value) -> Option<Term> {
    Some(match value {
        Value::Bool(is_true) => Term::Compound(is_true.to_string(), Vec::new()),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Term::Int(number),
            None => Term::Other(number.to_string()),
        },
        Value::String(text) => Term::Text(text.clone()),
        Value::Array(terms) => Term::Group('[', terms.iter().map(from_json).collect::<Option<_>>()?),
        Value::Object(fields) => {
            let (name, arguments) = named(fields)?;
            Term::Compound(name, arguments)
        }
        Value::Null => return None,
    })
}

fn named(fields: &Map<String, Value>) -> Option<(String, Vec<Term>)> {
    let name = fields.get("name")?.as_str()?.to_owned();
    let arguments = match fields.get("arguments") {
        None => Vec::new(),
        Some(Value::Array(arguments)) => arguments.iter().map(from_json).collect::<Option<_>>()?,
        Some(_) => return None,
    };
    Some((name, arguments))
}

fn action(value: &Value) -> Option<Action> {
    match value {
        Value::String(text) => Some(Action::new(text)),
        Value::Object(fields) => named(fields).map(|(name, arguments)| Action::of(&name, arguments)),
        _ => None,
    }
}

fn actions(value: Option<&Value>) -> Option<Vec<Action>> {
    match value {
        None => Some(Vec::new()),
        Some(Value::Array(values)) => values.iter().map(action).collect(),
        Some(value) => Some(vec![action(value)?]),
    }
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Said {
    /// Reads a line; none if it is no message.
    pub fn parse(line: &str) -> Option<Said> {
        let Value::Object(fields) = serde_json::from_str(line).ok()? else { return None };
        if fields.contains_key("ready") {
            return Some(Said::Ready);
        }
        if fields.contains_key("done") {
            return actions(fields.get("observed")).map(Said::Done);
        }
        if let Some(why) = fields.get("refused") {
            return Some(Said::Refused(words(why)));
        }
        if let Some(how) = fields.get("failed") {
            return Some(Said::Failed(words(how)));
        }
        fields.get("observed").and_then(action).map(Said::Observed)
    }

    /// As a line, without its end.
    pub fn to_line(&self) -> String {
        match self {
            Said::Ready => json!({ "ready": true }),
            Said::Done(observed) if observed.is_empty() => json!({ "done": true }),
            Said::Done(observed) => {
                let observed: Vec<&str> = observed.iter().map(Action::shown).collect();
                json!({ "done": true, "observed": observed })
            }
            Said::Refused(why) => json!({ "refused": why }),
            Said::Failed(how) => json!({ "failed": how }),
            Said::Observed(action) => json!({ "observed": action.shown() }),
        }
        .to_string()
    }
}

impl Told {
    /// Reads a line; none if it is no message.
    pub fn parse(line: &str) -> Option<Told> {
        let Value::Object(fields) = serde_json::from_str(line).ok()? else { return None };
        if let Some(run) = fields.get("reset") {
            return run.as_u64().map(Told::Reset);
        }
        if let Some(what) = fields.get("do") {
            let time = fields.get("time").and_then(Value::as_u64).unwrap_or(0);
            return action(what).map(|action| Told::Do { action, time });
        }
        if fields.contains_key("tick") {
            return Some(Told::Tick(fields.get("time").and_then(Value::as_u64).unwrap_or(0)));
        }
        fields.contains_key("stop").then_some(Told::Stop)
    }

    /// As a line, without its end.
    pub fn to_line(&self) -> String {
        match self {
            Told::Reset(run) => json!({ "reset": run, "protocol": 1 }),
            Told::Do { action, time } => {
                let arguments: Vec<Value> = action.arguments().iter().map(to_json).collect();
                let mut told = json!({ "do": action.shown(), "name": action.name(), "arguments": arguments });
                if *time > 0 {
                    told["time"] = json!(time);
                }
                told
            }
            Told::Tick(time) => json!({ "tick": 1, "time": time }),
            Told::Stop => json!({ "stop": true }),
        }
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_are_written() {
        let put = Action::new("Put(3, \"a b\")");
        let doing = |time| Told::Do { action: put.clone(), time };
        for told in [Told::Reset(7), doing(0), doing(12), Told::Tick(13), Told::Stop] {
            assert_eq!(Told::parse(&told.to_line()), Some(told));
        }
        let all = [
            Said::Ready,
            Said::Done(Vec::new()),
            Said::Done(vec![put.clone()]),
            Said::Refused("no".to_owned()),
            Said::Failed("oh".to_owned()),
            Said::Observed(put),
        ];
        for said in all {
            assert_eq!(Said::parse(&said.to_line()), Some(said));
        }
    }

    #[test]
    fn actions_may_be_objects() {
        let line = r#"{"observed": {"name": "Got", "arguments": [3, "Ann", true, [1]]}}"#;
        assert_eq!(Said::parse(line), Some(Said::Observed(Action::new("Got(3, Ann, true, [1])"))));
    }

    #[test]
    fn what_is_no_message_is_none() {
        for line in [
            "",
            "hello",
            "3",
            "[]",
            "{}",
            "{\"observed\": 3}",
            "{\"done\": true, \"observed\": [3]}",
            "{\"do\":",
        ] {
            assert_eq!(Said::parse(line), None, "{line}");
        }
    }
}
