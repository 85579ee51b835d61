//! Jobs side by side, in time: the seconds of an iteration of each while they share links.
//!
//! A job is a loop: it computes for some seconds, sends all messages of an iteration at once, and waits for all of
//! them. Two levels say what sharing costs:
//!
//! - **Flow level**: all messages in flight share links by max-min fairness, anew whenever a message or a
//!   computation ends.
//! - **Job level**: alone, all messages of a phase go at one rate, that of its slowest; a channel then carries U bytes
//!   for each byte of the phase's largest message. Where several jobs send over a channel, their messages share it
//!   equally (by their weights), each job until its own are through; a phase takes as long as on its slowest channel,
//!   and no less than alone. Much faster; a message that another channel holds up leaves none of its share to others
//!   here.
//!
//! [`side_by_side()`] runs the jobs of a file; [`RunningJobs`] those that come and go.
//!
//! Shared are directed links between routers, each with its capacity times the bandwidth; node links, each direction by
//! itself (or they only bound each message); and switches, where their bandwidth is limited ([`Channels`]). Messages
//! inside a node take none of them and go at a node link's rate. A message that a routing splits over paths is one flow
//! of one rate that loads each link by its share. A message costs the latencies of its links before its first byte, and
//! then its bytes over its rate; bytes that are cut into messages, one after the other, cost that latency once for each
//! message.
//!
//! # References
//! Bertsekas, Gallager, "Data Networks", second edition, 1992, section 6.5.2 (max-min fairness by progressive
//! filling). Casanova, Marchal, "A Network Model for Simulation of Grid Application", INRIA RR-4596, 2002 (shares
//! by round-trip time).

mod channels;
mod filling;
pub mod fit;
mod flow;
mod flow_job;
mod flow_run;
mod job_run;
mod jobs;
mod level;
mod messages;
mod pattern;
mod progress;
mod side_by_side;
mod speeds;
#[cfg(test)]
mod tests;
mod timing;
mod usage;

pub use channels::Channels;
pub use jobs::{Job, Phase};
pub use level::{Detail, PlacedJob, RunningJobs};
pub use side_by_side::{JobOutcome, Outcome, Settings, computing_times, side_by_side};
pub use speeds::OPTIONS as SPEED_OPTIONS;
pub use speeds::{Fair, FigureOptions, NetworkFigures, Speeds};
pub use timing::Span;
