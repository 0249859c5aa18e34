//! The models of the symbolic experiments of Bui, *Guided Random-Walk Based Model Checking* (2009), in SMV, for any number of processes.
//!
//! SMV has no parameter for the number of processes, so texts are generated: `cargo xtask smv NAME N`. The smallest of each family are among the examples. The
//! source has a paragraph about each model and no text; what it says about errors and their depth is kept where it says something.

use std::fmt::Write;

/// A family of models.
pub struct Family {
    /// Its name on the command line, and the name of its example.
    pub name: &'static str,
    /// The number of processes of the example.
    pub smallest: u32,
    /// Makes the text.
    pub text: fn(u32) -> String,
}

/// All families.
pub const FAMILIES: [Family; 5] = [
    Family { name: "philosophers", smallest: 4, text: philosophers },
    Family { name: "leader", smallest: 3, text: leader },
    Family { name: "peterson_high", smallest: 3, text: peterson_high },
    Family { name: "peterson_low", smallest: 3, text: peterson_low },
    Family { name: "send_receive", smallest: 3, text: send_receive },
];

/// Items for all processes, joined.
fn all(n: u32, separator: &str, item: impl Fn(u32) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(separator)
}

/// A ring of philosophers, each of whom becomes hungry, takes the left fork, then the right one.
fn philosophers(n: u32) -> String {
    let forks = all(n, "\n", |i| format!("  fork{i} : boolean;"));
    let seats = all(n, "\n", |i| format!("  p{i} : process philosopher(fork{i}, fork{});", (i + 1) % n));
    let free = all(n, " ", |i| format!("init(fork{i}) := FALSE;"));
    let stuck = all(n, " & ", |i| format!("p{i}.state = holding"));
    format!(
        "-- {n} dining philosophers: two steps to a fork each, and everybody waits for the other one. Written by `cargo xtask smv philosophers {n}`.
MODULE main
VAR
{forks}
{seats}
ASSIGN
  {free}

INVARSPEC NAME somebody_eats := !({stuck})

MODULE philosopher(left, right)
VAR
  state : {{thinking, hungry, holding, eating}};
ASSIGN
  init(state) := thinking;
  next(state) := case
    state = thinking         : hungry;
    state = hungry & !left   : holding;
    state = holding & !right : eating;
    state = eating           : thinking;
    TRUE                     : state;
  esac;
  next(left) := case
    state = hungry : TRUE;
    state = eating : FALSE;
    TRUE           : left;
  esac;
  next(right) := case
    state = holding : TRUE;
    state = eating  : FALSE;
    TRUE            : right;
  esac;
"
    )
}

/// The order of the identifiers `(i + 9)(i + 7) + 42 mod 27`, from 1 on: only comparisons matter.
fn rank(i: u32, n: u32) -> u32 {
    let id = |i: u32| ((i + 9) * (i + 7) + 42) % 27;
    (0..n).filter(|&other| id(other) <= id(i)).count() as u32
}

/// Election on a token ring after Le Lann: the timeout may come although no token is lost.
fn leader(n: u32) -> String {
    let token = n + 1;
    let links = all(n, "\n", |i| format!("  link{i} : 0..{token};"));
    let ring = all(n, "\n", |i| {
        format!(
            "  p{i} : process member({}, {}, link{}, link{i}, resource);",
            rank(i, n),
            i == 0,
            (i + n - 1) % n
        )
        .replace("true", "TRUE")
        .replace("false", "FALSE")
    });
    let empty = all(n, " ", |i| format!("init(link{i}) := 0;"));
    format!(
        "-- Election of a leader among {n} members of a token ring. Links hold one message: 0 is none, {token} the token, others are identifiers. A member that is not candidate may
-- lose patience although the token is on its way, so two may use the resource. Written by `cargo xtask smv leader {n}`.
MODULE main
VAR
  resource : 0..{n};
{links}
{ring}
ASSIGN
  init(resource) := 1;
  {empty}

INVARSPEC NAME alone := resource <= 1

MODULE member(id, first, behind, ahead, resource)
IVAR
  impatient : boolean;
VAR
  at     : {{waiting, looking, using}};
  status : {{calm, candidate, beaten}};
  seen   : 0..{token};
DEFINE
  losing_patience := at = waiting & status = calm & ahead = 0 & impatient;
  receiving  := at = waiting & !losing_patience & behind != 0;
  entering   := at = looking & (seen = {token} | seen = id & status = candidate);
  resigning  := at = looking & seen = id & status != candidate;
  forwarding := at = looking & seen != {token} & seen != id & ahead = 0 & !(seen < id & status = beaten);
  leaving    := at = using & ahead = 0;
ASSIGN
  init(at) := first ? using : waiting;
  init(status) := calm;
  init(seen) := 0;
  next(at) := case
    receiving                          : looking;
    entering                           : using;
    resigning | forwarding | leaving   : waiting;
    TRUE                               : at;
  esac;
  next(status) := case
    losing_patience                              : candidate;
    resigning | leaving                          : calm;
    forwarding & seen < id & status = candidate  : beaten;
    TRUE                                         : status;
  esac;
  next(seen) := receiving ? behind : seen;
  next(behind) := receiving ? 0 : behind;
  next(ahead) := case
    losing_patience : id;
    forwarding      : seen;
    leaving         : {token};
    TRUE            : ahead;
  esac;
  next(resource) := case
    entering & resource < {n} : resource + 1;
    leaving & resource > 0    : resource - 1;
    TRUE                      : resource;
  esac;
"
    )
}

fn peterson_high(n: u32) -> String {
    peterson(n, "peterson_high", n)
}

fn peterson_low(n: u32) -> String {
    peterson(n, "peterson_low", 2)
}

/// Mutual exclusion of Peterson with an error: a position is compared where the last to come should be. Only some processes use the resource.
fn peterson(n: u32, name: &str, n_users: u32) -> String {
    let positions = all(n, "\n", |i| format!("  pos{i} : 0..{};", n - 1));
    let steps = all(n - 1, "\n", |i| format!("  last{} : 0..{};", i + 1, n - 1));
    let list = |prefix: &str, from: u32, to: u32| {
        (from..to).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ")
    };
    let shared = format!("{}, {}", list("pos", 0, n), list("last", 1, n));
    let rivals = all(n, "\n", |i| match i < n_users {
        true => format!("  p{i} : process user({i}, pos{i}, {shared}, resource);"),
        false => format!("  p{i} : process bystander({i}, pos{i}, {shared});"),
    });
    let start: String = all(n, " ", |i| format!("init(pos{i}) := 0;"))
        + " "
        + &(1..n).map(|i| format!("init(last{i}) := 0;")).collect::<Vec<_>>().join(" ");
    let other = all(n - 1, " ", |i| format!("k = {i} : pos{i};")) + &format!(" TRUE : pos{};", n - 1);
    let before = all(n - 1, " ", |i| format!("j = {} : pos{i};", i + 1)) + " TRUE : pos0;";
    let mut text = format!(
        "-- Peterson's exclusion of {n} processes with an error: to go on, the position of a process is asked for instead of who came last. {n_users} of them use the resource.
-- Written by `cargo xtask smv {name} {n}`.
MODULE main
VAR
  resource : 0..{n_users};
{positions}
{steps}
{rivals}
ASSIGN
  init(resource) := 0;
  {start}

INVARSPEC NAME alone := resource <= 1
"
    );
    for (module, is_user) in [("user", true), ("bystander", false)] {
        if !is_user && n_users == n {
            continue;
        }
        let resource = if is_user { ", resource" } else { "" };
        let _ = write!(
            text,
            "
MODULE {module}(me, own, {shared}{resource})
VAR
  at : {{idle, trying, placed, scanning, critical}};
  j  : 1..{n};
  k  : 0..{n};
DEFINE
  other  := case {other} esac;
  before := case {before} esac;
  clear  := k < {n} & (k = me | other < j);
  passes := k = {n} | before != me;
ASSIGN
  init(at) := idle;
  init(j) := 1;
  init(k) := 0;
  next(at) := case
    at = idle               : trying;
    at = trying & j = {n}   : critical;
    at = trying             : placed;
    at = placed             : scanning;
    at = scanning & passes  : {{trying, scanning}};
    at = critical           : idle;
    TRUE                    : at;
  esac;
  next(j) := case
    at = idle                                       : 1;
    at = scanning & next(at) = trying & j < {n}     : j + 1;
    TRUE                                            : j;
  esac;
  next(k) := case
    at = placed                                     : 0;
    at = scanning & next(at) = scanning & clear     : k + 1;
    TRUE                                            : k;
  esac;
  next(own) := case
    at = trying & j < {n} : j;
    at = critical         : 0;
    TRUE                  : own;
  esac;
"
        );
        for step in 1..n {
            let _ = writeln!(text, "  next(last{step}) := at = placed & j = {step} ? me : last{step};");
        }
        if is_user {
            let _ = write!(
                text,
                "  next(resource) := case
    at = trying & j = {n} & resource < {n_users} : resource + 1;
    at = critical & resource > 0          : resource - 1;
    TRUE                                  : resource;
  esac;
"
            );
        }
    }
    text
}

/// A sender that gives up after ten ticks without an answer, a receiver that may take its time, and others that go round by themselves.
fn send_receive(n: u32) -> String {
    let others: String = (2..n).map(|i| format!("  other{} : process bystander;\n", i - 1)).collect();
    format!(
        "-- A sender and a receiver among {n} processes: without an answer for ten ticks, the sender gives up. Written by `cargo xtask smv send_receive {n}`.
MODULE main
VAR
  data     : boolean;
  answer   : boolean;
  sender   : process sending(data, answer);
  receiver : process receiving(data, answer);
{others}ASSIGN
  init(data) := FALSE;
  init(answer) := FALSE;

INVARSPEC NAME answered := sender.state != error

MODULE sending(data, answer)
VAR
  state : {{idle, waiting, error}};
  count : 0..10;
ASSIGN
  init(state) := idle;
  init(count) := 0;
  next(state) := case
    state = idle                            : waiting;
    state = waiting & answer                : idle;
    state = waiting & !answer & count = 10  : error;
    TRUE                                    : state;
  esac;
  next(count) := case
    state = waiting & !answer & count < 10  : count + 1;
    state = waiting & !answer               : count;
    TRUE                                    : 0;
  esac;
  next(data) := state = idle | data;
  next(answer) := case
    state = waiting : FALSE;
    TRUE            : answer;
  esac;

MODULE receiving(data, answer)
ASSIGN
  next(data) := FALSE;
  next(answer) := data | answer;

MODULE bystander
VAR
  at : 0..15;
ASSIGN
  init(at) := 0;
  next(at) := (at + 1) mod 16;
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_are_the_smallest_of_each_family() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/smv");
        for family in &FAMILIES {
            let path = folder.join(format!("{}.smv", family.name));
            let text = std::fs::read_to_string(&path).expect("an example");
            assert_eq!(text, (family.text)(family.smallest), "{}", path.display());
        }
    }

    #[test]
    fn ranks_are_those_of_the_identifiers() {
        let ranks: Vec<u32> = (0..6).map(|i| rank(i, 6)).collect();
        assert_eq!(ranks, [6, 3, 2, 1, 5, 4]);
    }
}
