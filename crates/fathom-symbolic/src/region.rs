//! The region of a composite state: a diagram over the bits of its symbolic part.

use crate::encoding::VARIABLES_OF_A_BIT;
use fathom_diagram::Diagram;
use fathom_model::{NoRoomForRegion, Region, Unite};

/// A set of values of the symbolic part of a state: a diagram over the current bits. It is never empty in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiagramRegion {
    /// True for the values in the set.
    pub diagram: Diagram,
}

impl Region for DiagramRegion {
    fn includes(&self, other: &DiagramRegion) -> bool {
        // Without room nobody knows, and the search is about to end: what is not known to be included is explored.
        self.diagram.includes(&other.diagram).unwrap_or(false)
    }

    fn fingerprint(&self) -> u64 {
        self.diagram.fingerprint()
    }

    fn assert_valid(&self) {
        debug_assert!(!self.diagram.is_false(), "a region is never empty");
        debug_assert!(
            self.diagram.support().iter().all(|variable| variable.0 % VARIABLES_OF_A_BIT == 0),
            "a region speaks about current bits only"
        );
    }
}

impl Unite for DiagramRegion {
    fn minus(&self, other: &DiagramRegion) -> Result<Option<DiagramRegion>, NoRoomForRegion> {
        let diagram = self.diagram.minus(&other.diagram).map_err(|_| NoRoomForRegion)?;
        Ok((!diagram.is_false()).then_some(DiagramRegion { diagram }))
    }

    fn union(&self, other: &DiagramRegion) -> Result<DiagramRegion, NoRoomForRegion> {
        let diagram = self.diagram.or(&other.diagram).map_err(|_| NoRoomForRegion)?;
        Ok(DiagramRegion { diagram })
    }
}
