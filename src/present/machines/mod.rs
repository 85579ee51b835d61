//! Machines side by side: each with its best ordering, its figures, and what a workload's jobs get on it.
//!
//! [`compare`] ranks them by what matters most of what is known: the mean response time of the jobs that every
//! machine ran, where the jobs have times; else the mean hops between the nodes of jobs that every machine placed;
//! else the mean of the best ordering's MPC over log-spaced sizes; or, where that is asked, the all-to-all throughput
//! that is proved, or the cost of a unit of it. Between the first and every other one it says how sure the difference
//! is ([`Difference`]).

mod carried;
mod comparison;
mod confidence;
mod contender;
mod headline;
mod options;
mod verdict;
mod workload;

pub use carried::{BROKEN_ROUTING, BrokenFigures, MachineThroughput};
pub use comparison::{
    MachineOptions, Machines, SLOWDOWNS_UNASKED, compare, usual_slowdown_routing,
};
pub use confidence::Difference;
pub use contender::{Bracket, Contender, Criterion, SeedFigures};
pub use headline::{headline, join_names, outcome_sentences};
pub use options::WorkloadOptions;
pub use verdict::{JudgedCriterion, Verdict};
pub use workload::{AllocatorService, ComparedJobs, JobService, ScheduledJobs};
