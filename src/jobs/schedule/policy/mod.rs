//! Policies: which waiting job starts when.
//!
//! A policy keeps the queue and has a *pass* now and then, in which it starts jobs on the [`ClusterState`]. It plans
//! with requested times: a running job is assumed to end at start + requested time. A *reservation* promises nodes to
//! a job from some time on. *Backfilling* starts other jobs before it, out of turn, as long as they do not break the
//! promise.
//!
//! Each policy is one file with a [`PolicyEntry`]; [`POLICIES`] is the table that names them all.
//!
//! # A small example
//! Eight nodes, ranks 0 to 7, at time 0. A holds 0-3 until 10, B holds 6-7 until 20; 4 and 5 are free. C (4 nodes for
//! 10) and D (2 nodes for 15) wait in this order.
//!
//! *Numbers of nodes* (`easy` with an allocator that takes any free nodes): the *profile* says how many nodes are free
//! from when on.
//!
//! ```text
//! free  8 |                 +---
//!       6 |        +--------+
//!       2 |--------+
//!         0        10       20   time
//! ```
//! C, the head of the queue, fits at 10, its *shadow time*. Then 6 nodes are free and C takes 4: two are *extra*. D
//! would run until 15, longer than the shadow time, but needs no more than the extra nodes: it starts now on 4 and 5.
//!
//! *Places* (with an allocator that refuses some sets of nodes, say one that wants a single run of ranks): six free
//! nodes are no promise that C can start. So the allocator is asked about the ranks that will be free at each assumed
//! end. At 10 these are 0-5, and it answers with 0-3: C is promised this *place* at 10. D runs beyond 10, so it must
//! have ranks outside the place: 4 and 5 are, and it starts. Had the answer been 2-5, D would wait.
//!
//! `conservative` promises a time (or a place) not only to the head but to every job in the queue; when a job ends
//! early the promises move up.

mod conservative;
mod conservative_compressed;
mod conservative_places;
mod conservative_rebuilt;
mod easy;
mod easy_places;
mod entry;
mod estimates;
mod fcfs;
mod profile;
mod size_first;
mod table;
mod window;

pub use super::cluster_state::{Attempt, ClusterState, PlaceReply};
pub use super::running::AssumedEnd;
pub(super) use entry::PassTimes;
pub use entry::{BuildPolicy, Passes, Policy, PolicyContext, PolicyEntry};
pub(super) use table::build_policy;
pub use table::{POLICIES, check_policy};
