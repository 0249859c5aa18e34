//! The region of a timed state: a zone, and when it counts as included in another.

use fathom_model::Region;
use fathom_zone::{Bound, inclusion, matrix};

/// When a zone is included in another, for a store.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Cover {
    /// When they are equal.
    Equality,
    /// When every value of it is a value of the other.
    #[default]
    Inclusion,
    /// When every value of it is simulated by a value of the other, as far as the guards to come can tell.
    Simulation,
}

impl Cover {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Cover::Equality => "equality",
            Cover::Inclusion => "inclusion",
            Cover::Simulation => "simulation",
        }
    }
}

/// A zone as a region. All regions that meet in a store have the same dimension and cover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ZoneRegion {
    bounds: Box<[Bound]>,
    cover: Cover,
    /// For simulation: the constants that guards compare each clock with from below, then those from above.
    constants: Option<Box<[i32]>>,
}

impl ZoneRegion {
    /// The region with a closed matrix. For [`Cover::Simulation`] the constants, of lower and then of upper bounds, are
    /// those of the locations of its state.
    pub fn new(bounds: &[Bound], cover: Cover, constants: &[i32]) -> ZoneRegion {
        let constants = (cover == Cover::Simulation).then(|| constants.into());
        ZoneRegion { bounds: bounds.into(), cover, constants }
    }

    /// The closed matrix, row by row.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// Number of clocks and one more.
    pub fn dim(&self) -> usize {
        self.bounds.len().isqrt()
    }
}

impl Region for ZoneRegion {
    #[inline]
    fn includes(&self, other: &ZoneRegion) -> bool {
        match (self.cover, &self.constants) {
            (Cover::Equality, _) => self.bounds == other.bounds,
            (Cover::Simulation, Some(constants)) => {
                let (lower, upper) = constants.split_at(constants.len() / 2);
                inclusion::is_within_lu(&other.bounds, &self.bounds, lower.len(), lower, upper)
            }
            _ => inclusion::is_within(&other.bounds, &self.bounds),
        }
    }

    fn fingerprint(&self) -> u64 {
        let bytes: Vec<u8> = self.bounds.iter().flat_map(|bound| bound.to_raw().to_le_bytes()).collect();
        rapidhash::v3::rapidhash_v3(&bytes)
    }

    fn heap_size(&self) -> usize {
        size_of_val(&*self.bounds) + self.constants.as_ref().map_or(0, |constants| size_of_val(&**constants))
    }

    fn assert_valid(&self) {
        assert!(matrix::is_closed(&self.bounds, self.dim()), "not a closed matrix: {:?}", self.bounds);
    }
}
