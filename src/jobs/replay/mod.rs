//! Replay of placement logs: the allocations that jobs get from an allocator on an ordering.
//!
//! A placement log is a sequence of events: a job is placed, a job is freed, a node fails or returns. It has no
//! durations; what runs beside what is given by the order of events. A [`Replay`] goes through these events with one
//! allocator on one ordering: it asks the allocator for ranks, measures the allocation, and gives the ranks back when
//! the job is freed. For example, with `P a 4`, `P b 2`, `F a`, `P c 3` on eight ranks `first-fit` gives 0-3 to a,
//! 4-5 to b and 0-2 to c.
//!
//! [`run()`] drives any number of replays through one log in parallel, block of events by block, and hands the
//! placements of each block to the caller. Nothing is kept of a job that was freed, so a log may be of any length.
//! [`set`] builds the replays of several allocators on several orderings.

pub mod by_size;
mod figures;
mod moments;
mod pods;
pub mod prediction;
mod run;
pub mod set;
mod single;
pub mod statistics;
pub mod traffic;

pub use figures::{AllocationFigures, FigureSet, Placed};
pub use run::{BlockResult, run};
pub use single::{Clock, Counts, Replay};
