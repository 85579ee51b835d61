//! Burst slowdown: how much longer the communication of a job takes than on a network that never blocks.
//!
//! Mean distance says how far apart a job's nodes are; the slowdown says what its links do to its bandwidth. The ranks
//! of an ordering are cut into windows of S, as jobs of S nodes would stand side by side (a *tiling*). Every window
//! sends the same guest, process i on its i-th rank, and a routing says what each directed link carries of it. With
//! `own(l)` the load of link l from one window, `other(l)` that of all other windows of the tiling, c(l) the link's
//! capacity, and T0 the time that the busiest node link of the window needs:
//!
//! ```text
//! slowdown(φ) = max(1, max over links with own(l) > 0 of (own(l) + φ · other(l)) / (c(l) · T0))
//! ```
//!
//! The duty φ is the share of the time in which the other jobs send: 0 is a job alone on the machine (`alone`), 1 is
//! all jobs at once (`all`), and `mixed` is in between. Example: eight nodes on a ring in order, windows of four,
//! all-to-all with one unit from each process to each other. T0 is 3; the link in the middle of a window carries 2 · 2
//! = 4 units each way, so `alone` is 4/3.
//!
//! The curve at S is the mean over the windows of all tilings. It is a statement about bandwidth under the routing
//! named; latency is what hops are for.

mod choices;
mod comparison;
mod curve;
mod gather;
mod grid;
mod link_loads;
mod measure;
mod rater;
mod router;
mod tiling;
mod traders;

pub use choices::{GUESTS, choose_routing, choose_sizes, parse_duty, parse_tilings};
pub use comparison::{GuestSlowdowns, OrderingLoss, SlowdownComparison, UNTOLD};
pub use curve::{DUTY_STEPS, SlowdownCurve, SlowdownPoint};
pub use measure::{SlowdownOptions, Slowdowns};
pub use rater::SLOWDOWN;
pub use tiling::{Tilings, power_sizes};

#[cfg(test)]
mod tests;
