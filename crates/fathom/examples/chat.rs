//! A chat: members come and go, and what one posts is delivered to each of the others in the order in which that member posted it.
//!
//! `cargo run --release -p fathom --example chat -- check -D N=4`

use std::process::ExitCode;

use fathom::program::{Data, Map, Object, Program, Property, Seq, Set, sorts};

sorts! { Member }

/// What was posted, by whom and as which of its posts.
type Post = (Object<Member>, u8);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Room {
    members: Set<Object<Member>>,
    /// How much everyone has posted.
    posted: Map<Object<Member>, u8>,
    /// What is on its way to whom, from whom.
    pending: Map<(Object<Member>, Object<Member>), Seq<u8>>,
    /// What everyone saw last of everyone.
    seen: Map<(Object<Member>, Object<Member>), u8>,
    /// Whether a post was delivered that was not the next one.
    mixed_up: Option<Post>,
}

#[derive(Clone, Debug)]
enum Action {
    Enter(Object<Member>),
    Post(Object<Member>),
    Deliver { to: Object<Member>, from: Object<Member> },
}

struct Chat {
    n: u32,
    posts: u8,
}

impl Program for Chat {
    type State = Room;
    type Action = Action;

    fn initial(&self) -> Vec<Room> {
        vec![Room {
            members: Set::new(),
            posted: Map::new(),
            pending: Map::new(),
            seen: Map::new(),
            mixed_up: None,
        }]
    }

    fn actions(&self, room: &Room, actions: &mut Vec<Action>) {
        if room.members.len() < self.n as usize {
            actions.push(Action::Enter(Object::fresh(&room.members)));
        }
        for &member in &room.members {
            if room.posted[&member] < self.posts && room.members.len() > 1 {
                actions.push(Action::Post(member));
            }
        }
        actions.extend(room.pending.keys().map(|&(to, from)| Action::Deliver { to, from }));
    }

    fn apply(&self, action: &Action, room: &mut Room) {
        match *action {
            Action::Enter(member) => {
                room.members.insert(member);
                room.posted.insert(member, 0);
            }
            Action::Post(from) => {
                let number = room.posted[&from] + 1;
                room.posted.insert(from, number);
                for &to in room.members.clone().iter().filter(|&&to| to != from) {
                    let mut queue = room.pending.get(&(to, from)).cloned().unwrap_or_default();
                    queue.push(number);
                    room.pending.insert((to, from), queue);
                }
            }
            Action::Deliver { to, from } => {
                let mut queue = room.pending.remove(&(to, from)).unwrap_or_default();
                let Some(number) = queue.pop_front() else { return };
                if !queue.is_empty() {
                    room.pending.insert((to, from), queue);
                }
                if room.seen.get(&(to, from)).is_some_and(|&last| number != last + 1) {
                    room.mixed_up = Some((from, number));
                }
                room.seen.insert((to, from), number);
            }
        }
    }

    fn may_end(&self, room: &Room) -> bool {
        room.pending.is_empty()
    }

    fn properties(&self) -> Vec<Property<Room>> {
        vec![Property::no_deadlock(), Property::always("in order", |room: &Room| room.mixed_up.is_none())]
    }
}

fn main() -> ExitCode {
    let (n, posts) = (fathom::cli::parameter("N", 3), fathom::cli::parameter("POSTS", 1));
    fathom::cli::main(&Chat { n, posts })
}
