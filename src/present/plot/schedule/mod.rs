//! Figures of schedules: which job holds which ranks when, and the machine's state over time.

mod curves;
mod occupancy;
mod time;

pub use super::drawing::Figure;
pub use curves::Moment;
pub use occupancy::JobStay;
