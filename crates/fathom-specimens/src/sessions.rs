//! A server of sessions: users log in, post messages that all others get, and log out. Two wrong passwords in a row lock a user out.
//!
//! In which order a message is delivered is left open by the model.

use fathom_online::{Action, Implementation, Roles, Term};
use fathom_program::{Data, Program};

use crate::Fault;

/// Number of users.
pub const N_USERS: usize = 3;

/// Wrong passwords until a user is locked out.
const MOST_WRONG: u8 = 2;

/// What can be wrong with it.
pub const FAULTS: [Fault; 9] = [
    "accepts-second-wrong",
    "never-locks",
    "locks-early",
    "unlock-forgets-nothing",
    "delivers-to-sender",
    "delivers-after-logout",
    "loses-third",
    "delivers-twice",
    "logout-stays",
];

/// What is done with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionAction {
    /// A user tries to log in, with the right password or a wrong one.
    Login(u8, bool),
    /// The answer.
    Welcome(u8),
    /// The answer.
    Denied(u8),
    /// The answer.
    LockedOut(u8),
    /// A user may try again.
    Unlock(u8),
    /// A user posts a message.
    Post(u8),
    /// A user gets it.
    Deliver(u8),
    /// A user goes.
    Logout(u8),
}

/// An answer that is to come.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub enum Reply {
    /// None is.
    Nothing,
    /// The user is in.
    Welcome(u8),
    /// The password is wrong.
    Denied(u8),
    /// The user has to be unlocked first.
    LockedOut(u8),
}

/// What the model remembers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub struct Sessions {
    /// Who is logged in.
    pub inside: [bool; N_USERS],
    /// Wrong passwords in a row.
    pub wrong: [u8; N_USERS],
    /// Who is to get a message.
    pub pending: [bool; N_USERS],
    /// What is to come.
    pub reply: Reply,
}

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct SessionModel;

impl Program for SessionModel {
    type State = Sessions;
    type Action = SessionAction;

    fn initial(&self) -> Vec<Sessions> {
        let nobody = [false; N_USERS];
        vec![Sessions { inside: nobody, wrong: [0; N_USERS], pending: nobody, reply: Reply::Nothing }]
    }

    fn actions(&self, state: &Sessions, actions: &mut Vec<SessionAction>) {
        match state.reply {
            Reply::Welcome(user) => return actions.push(SessionAction::Welcome(user)),
            Reply::Denied(user) => return actions.push(SessionAction::Denied(user)),
            Reply::LockedOut(user) => return actions.push(SessionAction::LockedOut(user)),
            Reply::Nothing => (),
        }
        let users = 0..N_USERS as u8;
        if state.pending.contains(&true) {
            let pending = users.filter(|user| state.pending[*user as usize]);
            return actions.extend(pending.map(SessionAction::Deliver));
        }
        for user in users {
            if state.inside[user as usize] {
                actions.extend([SessionAction::Post(user), SessionAction::Logout(user)]);
                continue;
            }
            actions.extend([SessionAction::Login(user, true), SessionAction::Login(user, false)]);
            if state.wrong[user as usize] >= MOST_WRONG {
                actions.push(SessionAction::Unlock(user));
            }
        }
    }

    fn apply(&self, action: &SessionAction, state: &mut Sessions) {
        match *action {
            SessionAction::Login(user, is_right) => {
                let place = user as usize;
                state.reply = if state.wrong[place] >= MOST_WRONG {
                    Reply::LockedOut(user)
                } else if is_right {
                    (state.inside[place], state.wrong[place]) = (true, 0);
                    Reply::Welcome(user)
                } else {
                    state.wrong[place] += 1;
                    Reply::Denied(user)
                };
            }
            SessionAction::Welcome(_) | SessionAction::Denied(_) | SessionAction::LockedOut(_) => {
                state.reply = Reply::Nothing;
            }
            SessionAction::Unlock(user) => state.wrong[user as usize] = 0,
            SessionAction::Post(user) => {
                state.pending = state.inside;
                state.pending[user as usize] = false;
            }
            SessionAction::Deliver(user) => state.pending[user as usize] = false,
            SessionAction::Logout(user) => state.inside[user as usize] = false,
        }
    }
}

/// Who decides about which action.
pub fn roles() -> Roles {
    Roles::observing(&["Welcome", "Denied", "LockedOut", "Deliver"]).expect("these are regular expressions")
}

/// The implementation.
#[derive(Clone, Debug)]
pub struct Server {
    fault: Option<Fault>,
    inside: Vec<usize>,
    wrong: [u8; N_USERS],
    last_out: Option<usize>,
    /// Messages on their way.
    outbox: Vec<usize>,
    n_posts: usize,
}

impl Server {
    /// A server without users inside, perhaps with a fault.
    pub fn new(fault: Option<Fault>) -> Server {
        Server {
            fault,
            inside: Vec::new(),
            wrong: [0; N_USERS],
            last_out: None,
            outbox: Vec::new(),
            n_posts: 0,
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn login(&mut self, user: usize, is_right: bool) -> &'static str {
        let most = if self.has("locks-early") { MOST_WRONG - 1 } else { MOST_WRONG };
        if self.wrong[user] >= most && !self.has("never-locks") {
            return "LockedOut";
        }
        let is_accepted = is_right || self.has("accepts-second-wrong") && self.wrong[user] > 0;
        if is_accepted && !self.inside.contains(&user) {
            self.inside.push(user);
            self.wrong[user] = 0;
            return "Welcome";
        }
        self.wrong[user] += 1;
        "Denied"
    }

    fn post(&mut self, user: usize) {
        self.n_posts += 1;
        let to_sender = self.has("delivers-to-sender");
        self.outbox = self.inside.iter().copied().filter(|other| to_sender || *other != user).collect();
        if self.has("delivers-after-logout") {
            let gone = self.last_out.filter(|gone| !self.inside.contains(gone));
            self.outbox.extend(gone);
        }
        if self.n_posts.is_multiple_of(2) {
            self.outbox.reverse();
        }
        if self.outbox.len() >= 2 && self.has("loses-third") {
            self.outbox.pop();
        }
        if self.outbox.len() >= 2 && self.has("delivers-twice") {
            self.outbox.insert(0, self.outbox[0]);
        }
    }

    fn logout(&mut self, user: usize) {
        self.last_out = Some(user);
        if !(self.has("logout-stays") && user == N_USERS - 1) {
            self.inside.retain(|other| *other != user);
        }
    }
}

fn about(name: &str, user: usize) -> Action {
    Action::of(name, vec![Term::Int(user as i64)])
}

impl Implementation for Server {
    fn reset(&mut self) {
        *self = Server::new(self.fault);
    }

    fn perform(&mut self, action: &Action) -> Result<Vec<Action>, String> {
        let arguments = action.arguments();
        let user = match arguments.first() {
            Some(Term::Int(user)) => usize::try_from(*user).ok().filter(|user| *user < N_USERS),
            _ => None,
        };
        let user = user.ok_or_else(|| format!("{action} names no user"))?;
        match action.name().as_str() {
            "Login" => {
                let is_right = arguments.get(1) == Some(&Term::Compound("true".to_owned(), Vec::new()));
                return Ok(vec![about(self.login(user, is_right), user)]);
            }
            "Unlock" if self.has("unlock-forgets-nothing") => self.wrong[user] = MOST_WRONG - 1,
            "Unlock" => self.wrong[user] = 0,
            "Post" => self.post(user),
            "Logout" => self.logout(user),
            _ => return Err(format!("there is no {action}")),
        }
        Ok(Vec::new())
    }

    /// Messages are delivered one at a time, on the server's own account.
    fn act(&mut self) -> Option<Action> {
        if self.outbox.is_empty() {
            return None;
        }
        Some(about("Deliver", self.outbox.remove(0)))
    }
}
