//! Workloads: placement logs, traces in the Standard Workload Format, distributions of job sizes, and
//! synthetic ones of each. Nothing here depends on a network: sizes are numbers of nodes.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

mod changes;
pub mod convert;
mod format;
pub mod header;
mod log;
pub mod open;
pub mod records;
mod rules;
pub mod sizes;
pub mod survey;
pub mod swf;
pub mod synthetic;
pub mod tally;
pub mod transform;

pub use changes::{Changes, Pace};
pub use format::{TRACE_FORMATS, TraceFormatEntry, WorkloadKind, detect_kind};
pub use log::{Block, Event, JobKey, JobOptions, Log};
pub use rules::Rules;
pub use sizes::{Sizes, Weight};
pub use swf::{Job, Options, Trace};
pub use synthetic::{Format, GENERATORS, GeneratedWorkload, GeneratorEntry};
pub use tally::{Reason, Tally};
pub use transform::Transformed;
