//! Scheduling: the jobs of a trace wait in a queue, start, run and end; what an ordering does to these times.
//!
//! Three parts decide a schedule, each chosen by name. The *policy* ([`POLICIES`]) says which waiting job starts when;
//! the *allocator* ([`crate::allocator::ALLOCATORS`]) says on which nodes; the *model* ([`MODELS`]) says for how long
//! it then runs. [`simulate()`] drives them from event to event. At one instant first every job that is due ends,
//! then all new jobs join the queue, then the policy has one *pass*, in which it starts jobs. (With `interval=`
//! passes come at fixed times instead.)
//!
//! For example, `fcfs` on eight nodes with the jobs A (6 nodes, 10 s), B (4 nodes, 5 s) and C (2 nodes, 5 s), all
//! submitted at 0: A starts at 0; B does not fit beside it, and C behind B has to wait, too. At 10 A ends and both
//! start. With `easy` C starts at 0, because it ends before B could start anyway ([`policy`] has more).
//!
//! An allocator may refuse nodes that are free ([`crate::allocator::Choice`]). A job that is refused *not now* stays
//! in the queue. One that is refused *never*, or *not now* on the empty machine, is left out
//! ([`ScheduleResult::left_out`]). EASY and conservative backfilling then reserve certain nodes instead of a number
//! of nodes.
//!
//! # Time
//! Times are whole numbers of *ticks*: seconds where run times are the trace's own, microseconds where a model
//! stretches them. Each duration is rounded to the nearest tick once a change of speed, and nothing else is ever
//! rounded, so the same input gives the same bytes.

mod cluster_state;
mod engine;
mod fairness;
mod knapsack;
pub mod model;
pub mod orderings;
pub mod policy;
mod recorded;
mod result;
mod running;
pub mod saving;
mod settings;
mod simulate;
mod summary;
mod task;
mod waiting;

pub use fairness::{STARVED_OVERTAKEN, STARVED_WAITS, SizeClass, Starved};
pub use knapsack::{Packing, pack_exactly, pack_greedily};
pub use model::{LostNodeTime, MODELS, Model, StartedTask};
pub use policy::{POLICIES, Policy};
pub use result::{Instant, MIN_SLOWDOWN_SECONDS, Record, ScheduleResult, UnservedJob};
pub use settings::Settings;
pub use simulate::simulate;
pub use summary::ScheduleSummary;
pub use task::Task;
