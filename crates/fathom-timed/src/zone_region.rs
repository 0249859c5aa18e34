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
    /// The closed matrix; for simulation, its [shadow](inclusion::shadow_lu) after it.
    bounds: Box<[Bound]>,
    cover: Cover,
}

impl ZoneRegion {
    /// The region with a closed matrix. For [`Cover::Simulation`] the constants, of lower and then of upper bounds, are
    /// those of the locations of its state.
    pub fn new(bounds: &[Bound], cover: Cover, constants: &[i32]) -> ZoneRegion {
        if cover != Cover::Simulation {
            return ZoneRegion { bounds: bounds.into(), cover };
        }
        let (lower, upper) = constants.split_at(constants.len() / 2);
        let mut both = Vec::with_capacity(2 * bounds.len());
        both.extend_from_slice(bounds);
        both.extend_from_slice(bounds);
        inclusion::shadow_lu(bounds, lower.len(), lower, upper, &mut both[bounds.len()..]);
        ZoneRegion { bounds: both.into(), cover }
    }

    /// The same in the memory of another region, if there is one of the right size.
    #[inline]
    pub(crate) fn renew(
        old: Option<ZoneRegion>,
        bounds: &[Bound],
        cover: Cover,
        constants: &[i32],
    ) -> ZoneRegion {
        match old {
            Some(mut region) if cover != Cover::Simulation && region.bounds.len() == bounds.len() => {
                region.bounds.copy_from_slice(bounds);
                ZoneRegion { cover, ..region }
            }
            _ => ZoneRegion::new(bounds, cover, constants),
        }
    }

    /// The closed matrix, row by row.
    pub fn bounds(&self) -> &[Bound] {
        match self.cover {
            Cover::Simulation => &self.bounds[..self.bounds.len() / 2],
            _ => &self.bounds,
        }
    }

    /// Number of clocks and one more.
    pub fn dim(&self) -> usize {
        self.bounds().len().isqrt()
    }
}

impl Region for ZoneRegion {
    #[inline]
    fn includes(&self, other: &ZoneRegion) -> bool {
        match self.cover {
            Cover::Equality => self.bounds == other.bounds,
            Cover::Inclusion => inclusion::is_within(&other.bounds, &self.bounds),
            Cover::Simulation => {
                let half = self.bounds.len() / 2;
                inclusion::is_within(&other.bounds[half..], &self.bounds[..half])
            }
        }
    }

    fn fingerprint(&self) -> u64 {
        let bytes: Vec<u8> = self.bounds().iter().flat_map(|bound| bound.to_raw().to_le_bytes()).collect();
        rapidhash::v3::rapidhash_v3(&bytes)
    }

    fn heap_size(&self) -> usize {
        size_of_val(&*self.bounds)
    }

    fn assert_valid(&self) {
        assert!(matrix::is_closed(self.bounds(), self.dim()), "not a closed matrix: {:?}", self.bounds());
    }
}
