//! How zones are made larger and compared.

use crate::zone_region::Cover;

/// How zones are made larger. All use the constants of the locations at which a state is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Extrapolation {
    /// Not at all: there may be infinitely many.
    None,
    /// By the largest constants.
    Max,
    /// By the largest constants, more.
    MaxPlus,
    /// By the constants of lower and upper bounds.
    Lu,
    /// By the constants of lower and upper bounds, more.
    #[default]
    LuPlus,
}

impl Extrapolation {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Extrapolation::None => "none",
            Extrapolation::Max => "max",
            Extrapolation::MaxPlus => "max-plus",
            Extrapolation::Lu => "lu",
            Extrapolation::LuPlus => "lu-plus",
        }
    }
}

/// How zones are made and compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ZoneOptions {
    /// How zones are made larger. Networks with bounds on differences of clocks are split along these and extrapolated
    /// by the largest constants, whatever this says, unless it says `None`.
    pub extrapolation: Extrapolation,
    /// When a zone is included in another.
    pub cover: Cover,
}

impl ZoneOptions {
    /// Those nearest to these under which no value that is added can be stuck where no true value is.
    pub fn for_deadlocks(self) -> ZoneOptions {
        let extrapolation = match self.extrapolation {
            Extrapolation::Lu => Extrapolation::Max,
            Extrapolation::LuPlus => Extrapolation::MaxPlus,
            other => other,
        };
        let cover = if self.cover == Cover::Simulation { Cover::Inclusion } else { self.cover };
        ZoneOptions { extrapolation, cover }
    }
}
