//! Figures of schedules: which job holds which ranks when, and the machine's state over time.

use crate::error::Result;

mod curves;
mod occupancy;
mod time;

pub use super::drawing::Figure;
use curves::Curves;
pub use curves::Moment;
use occupancy::Occupancy;
pub use occupancy::Stay;

impl Figure {
    /// Ranks upwards, time across, a colour a job: the Gantt chart of a schedule. `stays` come by start. Of many
    /// jobs those in the middle of the schedule are drawn, some 600; the figure says which hours it shows. A cell
    /// of two pixels shows who holds its middle.
    ///
    /// # Errors
    /// No job.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::plot::schedule::{Figure, Stay};
    /// use nodeorder::ranks::{Ranks, Run};
    /// let mut ranks = Ranks::default();
    /// ranks.push(Run { first: 0, count: 8 });
    /// let stay = Stay { job: 0, from: 0.0, to: 2.5, ranks: &ranks };
    /// assert!(Figure::occupancy("A day", 16, &[stay])?.svg()?.starts_with("<svg"));
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn occupancy(title: &str, nodes: u32, stays: &[Stay<'_>]) -> Result<Self> {
        let good = !stays.is_empty() && nodes > 0;
        Figure::new(Occupancy::new(title, nodes, stays), good, "no job")
    }

    /// Share of nodes in use, jobs waiting and fragmentation of the free ranks over time: means of columns of two
    /// pixels, and the longest queue of each. The last moment only ends the one before.
    ///
    /// # Errors
    /// No moments, or none that lasts.
    pub fn curves(title: &str, moments: &[Moment]) -> Result<Self> {
        let curves = Curves::new(title, moments);
        let good = curves.lasts();
        Figure::new(curves, good, "no time passes")
    }
}
