//! Messages in buffered channels.

use super::builder::*;
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

fn sorted(channel: &Expr, fields: Vec<Expr>) -> Edge {
    Edge { sync: Some(Sync::Send { channel: channel.clone(), fields, sorted: true }), ..edge(0) }
}

fn take(channel: &Expr, patterns: Vec<Pattern>, which: Which, copy: bool) -> Edge {
    Edge { sync: Some(Sync::Receive { channel: channel.clone(), patterns, which, copy }), ..edge(0) }
}

/// Runs a sequence of edges and describes the channel contents where it rests.
fn contents(
    fields: &[ScalarType],
    capacity: u32,
    body: impl Fn(&Expr, &Place) -> Vec<Edge>,
) -> (Vec<String>, i64) {
    let mut build = Build::new();
    let c = build.channel("c", capacity, fields);
    let x = build.global("x", BYTE);
    let mut body = body(&c, &x);
    body.push(wait(Expr::Const(0)));
    build.run(BuildTemplate::sequence("A", body));
    let interpreter = Interpreter::new(&build.model, &[]);
    let mut scratch = interpreter.scratch();
    let mut steps = Steps::new();
    interpreter.initial(&mut scratch, &mut steps);
    loop {
        let state = steps.state(0).to_vec();
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        if steps.is_empty() {
            let described = explain::describe_state(&build.model, interpreter.layout(), &state);
            let x = interpreter.evaluate(&mut scratch, &state, &load(&x)).expect("x can be read");
            return (described.channels[0].messages.clone(), x);
        }
    }
}

/// Messages come out in the order in which they went in, and a full channel blocks the sender.
#[test]
fn a_channel_is_a_queue() {
    let (messages, x) = contents(&[BYTE], 2, |c, x| {
        let mut body: Vec<_> = [1, 2].map(|value| send(c, vec![value.into()])).into();
        body.push(receive(c, vec![bind(x)]));
        body.extend([3, 4].map(|value| send(c, vec![value.into()])));
        body
    });
    assert_eq!((messages, x), (vec!["2".to_owned(), "3".to_owned()], 1));
}

/// A sorted send inserts before the first greater message, after its equals, fields compared in order.
#[test]
fn a_sorted_send_keeps_the_channel_sorted() {
    let (messages, _) = contents(&[BYTE, BYTE], 9, |c, _| {
        [(5, 1), (3, 9), (5, 0), (4, 4), (3, 9)].map(|(a, b)| sorted(c, vec![a.into(), b.into()])).into()
    });
    assert_eq!(messages, ["3,9", "3,9", "4,4", "5,0", "5,1"]);
}

/// A sorted send compares the value as computed, before it is truncated to the field.
#[test]
fn a_sorted_send_compares_before_it_truncates() {
    let (messages, _) =
        contents(&[BYTE], 9, |c, _| [7, 9, 257].map(|value| sorted(c, vec![value.into()])).into());
    assert_eq!(messages, ["7", "9", "1"]);
}

/// A receive from anywhere takes the first message that fits; the others close up.
#[test]
fn a_receive_from_anywhere_takes_the_first_that_fits() {
    let fill = |c: &Expr| -> Vec<Edge> {
        [(1, 5), (2, 6), (2, 7)].map(|(a, b)| send(c, vec![a.into(), b.into()])).into()
    };
    let (messages, x) = contents(&[BYTE, BYTE], 3, |c, x| {
        let mut body = fill(c);
        body.push(take(c, vec![only(2), bind(x)], Which::First, false));
        body
    });
    assert_eq!((messages, x), (vec!["1,5".to_owned(), "2,7".to_owned()], 6));
    // From the front only, the same patterns do not fit.
    let (messages, x) = contents(&[BYTE, BYTE], 3, |c, x| {
        let mut body = fill(c);
        body.push(take(c, vec![only(2), bind(x)], Which::Front, false));
        body
    });
    assert_eq!((messages.len(), x), (3, 0));
}

/// A receive beside some values passes over messages that begin with these, and takes the next one only if it fits.
#[test]
fn a_receive_beside_values_passes_over_these_and_no_others() {
    let after = |wanted: i64, passed: u64| {
        contents(&[BYTE, BYTE], 3, |c, x| {
            let mut body: Vec<Edge> =
                [(1, 5), (2, 6), (3, 7)].map(|(a, b)| send(c, vec![a.into(), b.into()])).into();
            body.push(take(c, vec![only(wanted), bind(x)], Which::Beside(passed), false));
            body
        })
    };
    assert_eq!(after(2, 0b10), (vec!["1,5".to_owned(), "3,7".to_owned()], 6));
    assert_eq!(after(3, 0b110), (vec!["1,5".to_owned(), "2,6".to_owned()], 7));
    // The first that is not passed over is another one.
    assert_eq!(after(3, 0b10).1, 0);
    assert_eq!(after(2, 0).1, 0);
}

/// A receive at a place takes the message there, and none when it does not fit or there is none.
#[test]
fn a_receive_at_a_place_takes_the_message_there() {
    let after = |place: u32, wanted: i64| {
        contents(&[BYTE, BYTE], 3, |c, x| {
            let mut body: Vec<Edge> = [(2, 5), (2, 6)].map(|(a, b)| send(c, vec![a.into(), b.into()])).into();
            body.push(take(c, vec![only(wanted), bind(x)], Which::At(place), false));
            body
        })
    };
    assert_eq!(after(0, 2), (vec!["2,6".to_owned()], 5));
    assert_eq!(after(1, 2), (vec!["2,5".to_owned()], 6));
    assert_eq!(after(1, 3).1, 0);
    assert_eq!(after(2, 2).1, 0);
}

/// A copying receive leaves the message where it is.
#[test]
fn a_copying_receive_leaves_the_message() {
    let (messages, x) = contents(&[BYTE], 2, |c, x| {
        vec![send(c, vec![4.into()]), send(c, vec![5.into()]), take(c, vec![bind(x)], Which::Front, true)]
    });
    assert_eq!((messages.len(), x), (2, 4));
}

/// Patterns are evaluated before anything is stored; stores happen left to right.
#[test]
fn patterns_are_matched_before_values_are_stored() {
    // x is 0, the message is (3, 0): the second pattern asks for the old x.
    let (messages, x) = contents(&[BYTE, BYTE], 2, |c, x| {
        vec![send(c, vec![3.into(), 0.into()]), receive(c, vec![bind(x), Pattern::Match(load(x))])]
    });
    assert_eq!((messages.len(), x), (0, 3));
    let (_, x) = contents(&[BYTE, BYTE], 2, |c, x| {
        vec![send(c, vec![3.into(), 4.into()]), receive(c, vec![bind(x), bind(x)])]
    });
    assert_eq!(x, 4);
}

/// Fields are truncated to their types; slots that are not in use are zero, so equal contents are equal states.
#[test]
fn contents_are_canonical() {
    let mut build = Build::new();
    let c = build.channel("c", 2, &[BYTE, ScalarType::SHORT]);
    let mut a = BuildTemplate::new("A", 2);
    a.location(0).end = true;
    a.edge(0, 0, to(1, send(&c, vec![Expr::Const(300), Expr::Const(-1)])));
    let patterns = vec![only(44), only(-1)];
    a.edge(1, 0, to(0, receive(&c, patterns)));
    build.run(a);
    let explored = build.explore();
    assert!(explored.findings.is_empty());
    // Empty at 0, full at 1, and both ends of the process: going round reaches nothing new.
    assert_eq!(explored.states.len(), 3);
}

/// Questions: a hand-shake channel is empty and yet not full.
#[test]
fn questions_about_channels() {
    let mut build = Build::new();
    let r = build.channel("r", 0, &[BYTE]);
    let c = build.channel("c", 1, &[BYTE]);
    build.run(BuildTemplate::sequence("A", vec![send(&c, vec![7.into()]), wait(Expr::Const(0))]));
    let interpreter = Interpreter::new(&build.model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    interpreter.initial(&mut scratch, &mut steps);
    let state = steps.state(0).to_vec();
    interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
    use ChannelQuery::{Empty, Full, Length, NotEmpty, NotFull};
    let mut ask = |state: usize, channel: &Expr| {
        [Length, Empty, NotEmpty, Full, NotFull].map(|query| {
            let expr = Expr::Channel(query, Box::new(channel.clone()));
            interpreter.evaluate(&mut scratch, steps.state(state), &expr).expect("a channel answers")
        })
    };
    assert_eq!(ask(0, &r), [0, 1, 0, 0, 1]);
    assert_eq!(ask(0, &c), [0, 1, 0, 0, 1]);
    assert_eq!(ask(1, &c), [1, 0, 1, 1, 0]);
    let poll = |channel: &Expr, value| Expr::Poll {
        channel: Box::new(channel.clone()),
        patterns: vec![only(value)],
        which: Which::Front,
    };
    assert_eq!(interpreter.evaluate(&mut scratch, steps.state(1), &poll(&c, 7)), Ok(1));
    assert_eq!(interpreter.evaluate(&mut scratch, steps.state(1), &poll(&c, 8)), Ok(0));
    assert_eq!(interpreter.evaluate(&mut scratch, steps.state(0), &poll(&c, 7)), Ok(0));
    assert_eq!(
        interpreter.evaluate(&mut scratch, steps.state(1), &poll(&r, 7)),
        Err(Fault::PollOfRendezvous)
    );
}
