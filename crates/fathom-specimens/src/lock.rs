//! A server that grants one lock (`examples/online/lock.pml`).

use fathom_online::{Action, Implementation};

use crate::Fault;

/// What can be wrong with it.
pub const FAULTS: [Fault; 2] = ["grants-once", "grants-on-free"];

/// The implementation.
#[derive(Clone, Debug)]
pub struct Lock {
    fault: Option<Fault>,
    n_granted: usize,
}

impl Lock {
    /// A lock that is free, perhaps with a fault.
    pub fn new(fault: Option<Fault>) -> Lock {
        Lock { fault, n_granted: 0 }
    }
}

impl Implementation for Lock {
    fn reset(&mut self) {
        self.n_granted = 0;
    }

    fn perform(&mut self, action: &Action) -> Result<Vec<Action>, String> {
        let granted = || vec![Action::new("from_server(granted)")];
        match action.key() {
            "to_server(ask)" => {
                self.n_granted += 1;
                let is_kept = self.fault == Some("grants-once") && self.n_granted > 1;
                Ok(if is_kept { Vec::new() } else { granted() })
            }
            "to_server(free)" if self.fault == Some("grants-on-free") => Ok(granted()),
            "to_server(free)" => Ok(Vec::new()),
            _ => Err(format!("there is no {action}")),
        }
    }
}
