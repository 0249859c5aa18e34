//! A lamp with a timer: a press lights it, a second one soon after makes it bright, and it goes out by itself. Time passes in
//! units, which the model counts.

use fathom_online::{Action, Implementation, Roles};
use fathom_program::{Data, Program};

use crate::Fault;

/// What can be wrong with it.
pub const FAULTS: [Fault; 4] = ["off-late", "off-early", "never-bright", "forgets-dim"];

/// Units of time until it goes out.
const UNTIL_OFF: u8 = 5;

/// Units of time within which a second press makes it bright.
const SOON: u8 = 3;

/// How it shines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub enum Light {
    /// Not at all.
    Off,
    /// A little.
    Dim,
    /// As much as it can.
    Bright,
}

/// What happens to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LampAction {
    /// The button is pressed.
    Press,
    /// It says that it is dim now.
    Dim,
    /// It says that it is bright now.
    Bright,
    /// It says that it is off now.
    Off,
    /// One unit of time passes.
    Tick,
}

/// What the model remembers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub struct Shining {
    /// How it shines.
    pub light: Light,
    /// Whether it has yet to say so.
    pub is_untold: bool,
    /// Units of time since the last press.
    pub since: u8,
}

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct LampModel;

impl Program for LampModel {
    type State = Shining;
    type Action = LampAction;

    fn initial(&self) -> Vec<Shining> {
        vec![Shining { light: Light::Off, is_untold: false, since: 0 }]
    }

    fn actions(&self, state: &Shining, actions: &mut Vec<LampAction>) {
        if state.is_untold {
            return actions.push(match state.light {
                Light::Off => LampAction::Off,
                Light::Dim => LampAction::Dim,
                Light::Bright => LampAction::Bright,
            });
        }
        actions.extend([LampAction::Press, LampAction::Tick]);
    }

    fn apply(&self, action: &LampAction, state: &mut Shining) {
        match action {
            LampAction::Press => {
                state.light = match state.light {
                    Light::Dim if state.since <= SOON => Light::Bright,
                    Light::Off | Light::Dim => Light::Dim,
                    Light::Bright => Light::Off,
                };
                (state.is_untold, state.since) = (true, 0);
            }
            LampAction::Tick if state.light == Light::Off => (),
            LampAction::Tick => {
                state.since += 1;
                if state.since == UNTIL_OFF {
                    *state = Shining { light: Light::Off, is_untold: true, since: 0 };
                }
            }
            LampAction::Dim | LampAction::Bright | LampAction::Off => state.is_untold = false,
        }
    }

    /// A test leaves no light on.
    fn may_end(&self, state: &Shining) -> bool {
        state.light == Light::Off && !state.is_untold
    }
}

/// Who decides about which action.
pub fn roles() -> Roles {
    let roles = Roles::observing(&["Dim", "Bright", "Off"]).expect("these are regular expressions");
    let time = Roles::observing(&["Tick"]).expect("this is a regular expression").observable;
    Roles { time, ..roles }
}

/// The implementation.
#[derive(Clone, Debug)]
pub struct Lamp {
    fault: Option<Fault>,
    light: Light,
    since: u8,
}

impl Lamp {
    /// A lamp that is off, perhaps with a fault.
    pub fn new(fault: Option<Fault>) -> Lamp {
        Lamp { fault, light: Light::Off, since: 0 }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn until_off(&self) -> u8 {
        match self.fault {
            Some("off-late") => UNTIL_OFF + 1,
            Some("off-early") => UNTIL_OFF - 1,
            _ => UNTIL_OFF,
        }
    }
}

impl Implementation for Lamp {
    fn reset(&mut self) {
        *self = Lamp::new(self.fault);
    }

    fn perform(&mut self, action: &Action) -> Result<Vec<Action>, String> {
        if action.key() != "Press" {
            return Err(format!("there is no {action}"));
        }
        let said = match self.light {
            Light::Dim if self.since <= SOON && !self.has("never-bright") => {
                self.light = Light::Bright;
                "Bright"
            }
            Light::Off | Light::Dim => {
                self.light = Light::Dim;
                "Dim"
            }
            Light::Bright => {
                self.light = Light::Off;
                "Off"
            }
        };
        self.since = 0;
        let is_forgotten = self.has("forgets-dim") && said == "Dim";
        Ok(if is_forgotten { Vec::new() } else { vec![Action::new(said)] })
    }

    fn tick(&mut self) -> Vec<Action> {
        self.since = self.since.saturating_add(1);
        if self.light == Light::Off || self.since < self.until_off() {
            return Vec::new();
        }
        self.light = Light::Off;
        vec![Action::new("Off")]
    }
}
