//! Sampled engines: they find deep errors in systems that no search can exhaust, and never prove anything.
//!
//! - [`walk()`]: random walks and trails, guided or not, with what can be claimed when they find nothing
//! - [`isr()`]: depth-first searches pruned by tables of bits that are far too small, again and again
//! - [`shorten()`], [`shorten_lasso()`]: any trace made shorter
//! - [`hunt()`]: all of these side by side, with more time for what makes progress
//!
//! All work over any [`System`](fathom_model::System) with any region. All find traces that replay, and answer
//! "not found" with an inconclusive, sampled outcome. One seed gives one result, whatever the number of threads.
//!
//! **Invariant:** nothing here touches a clock, a signal or a terminal. Limits on time and the wish of the user
//! to stop come in through a [`Monitor`](fathom_search::Monitor).

mod arm;
mod best_arm;
mod bits;
mod choose;
mod claim;
mod complete_arm;
mod default_arms;
mod delta;
mod distinguish;
mod isr;
mod leave_out;
mod portfolio;
mod pruned;
mod pruned_large;
mod pruned_small;
mod pruned_wide;
mod race;
mod sampled_outcome;
mod seen;
mod shorten;
mod shorten_lasso;
#[cfg(test)]
mod tests;
mod toward;
mod walk;
mod walker;
mod wanted;
mod way;
mod window;

pub use arm::{Arm, Found, IsrArm, Slice, Target, WalkArm};
pub use best_arm::BestArm;
pub use bits::{Places, derive_seed};
pub use choose::{Bias, Share, choose_class};
pub use claim::{Claim, Draws, n_walks_for};
pub use complete_arm::CompleteArm;
pub use default_arms::{default_arms, lasso_arms};
pub use distinguish::{Distinguished, Role, distinguish};
pub use isr::{Enough, Hit, IsrOptions, IsrOutcome, Refine, Sizes, isr, isr_guided};
pub use portfolio::{ArmRow, HuntMonitor, HuntOptions, HuntOutcome, Rest, hunt};
pub use pruned::{Throw, ThrowOrder, Thrown};
pub use shorten::{ShortenOptions, shorten};
pub use shorten_lasso::{Around, shorten_lasso};
pub use walk::{Acceptance, Children, Guide, Hooks, Repeats, StartAt, WalkOptions, WalkOutcome, walk};
