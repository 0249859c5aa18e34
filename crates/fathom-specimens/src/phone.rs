//! A telephone with four keys and a screen, for models in three tiers: use cases, action words, keywords (`examples/online/phone.cs`).

use fathom_online::{Action, Implementation, Term};

use crate::Fault;

/// What can be wrong with it.
pub const FAULTS: [Fault; 2] = ["keeps-draft", "back-stays"];

/// What is on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Screen {
    Home,
    Messages,
    Writing,
    Draft,
}

/// The implementation.
#[derive(Clone, Debug)]
pub struct Phone {
    fault: Option<Fault>,
    screen: Screen,
}

impl Phone {
    /// A telephone that shows its home screen, perhaps with a fault.
    pub fn new(fault: Option<Fault>) -> Phone {
        Phone { fault, screen: Screen::Home }
    }

    fn press(&mut self, key: &str) -> Option<&'static str> {
        let (screen, shown) = match (self.screen, key) {
            (Screen::Home, "menu") => (Screen::Messages, Some("messages")),
            (Screen::Messages, "write") => (Screen::Writing, None),
            (Screen::Writing, "ok") => (Screen::Draft, Some("draft")),
            (Screen::Draft, "ok") if self.fault == Some("keeps-draft") => (Screen::Draft, Some("draft")),
            (Screen::Draft, "ok") => (Screen::Messages, Some("sent")),
            (Screen::Messages, "back") if self.fault == Some("back-stays") => {
                (Screen::Messages, Some("home"))
            }
            (Screen::Messages, "back") => (Screen::Home, Some("home")),
            (screen, _) => (screen, None),
        };
        self.screen = screen;
        shown
    }
}

impl Implementation for Phone {
    fn reset(&mut self) {
        *self = Phone::new(self.fault);
    }

    fn perform(&mut self, action: &Action) -> Result<Vec<Action>, String> {
        match (action.name().as_str(), action.arguments().as_slice()) {
            ("kwPress", [Term::Text(key) | Term::Compound(key, _)]) => {
                let shown =
                    self.press(key).map(|text| Action::of("kwShows", vec![Term::Text(text.to_owned())]));
                Ok(shown.into_iter().collect())
            }
            _ => Err(format!("there is no {action}")),
        }
    }
}
