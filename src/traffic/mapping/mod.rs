//! Mapping analysis: what a guest's traffic means for a host whose nodes are taken in some order.
//!
//! A [`Guest`] (pattern or file) is put on nodes by a [`ProcessMapping`] (an ordering, a file, or a method of
//! [`METHODS`]); a [`FixedRouting`] says which links its traffic takes. [`analyse`] reports how far the traffic
//! goes (dilation) and what every directed link carries (contention); [`CombinedLoad`] adds up several jobs.
//!
//! Loads are per directed link, both directions apart. Two processes on one router are no hop apart and
//! load nothing. The sum of all loads, each times what a hop over the link counts, is the sum of volume times hops.
//!
//! # References
//! Hu, "Topology Mapping of Parallel Applications onto Random Allocations", section II.A.

mod allocation;
mod analysis;
mod combined_load;
mod demand;
mod domain_load;
mod group_report;
pub mod guest;
pub mod hops;
pub mod method;
mod node_loads;
mod process_mapping;
pub mod routing;
mod segments;
mod spread;

pub use allocation::Allocation;
pub use analysis::{
    Analysis, Bar, Contention, Dilation, analyse, analyse_distances, analyse_loads,
};
pub use combined_load::{CombinedLoad, JobLoad};
pub use demand::{Demand, End, Flow};
pub use group_report::{GroupReport, report_groups};
pub use guest::{GUESTS, Guest, Message, Traffic};
pub use method::METHODS;
pub use node_loads::NodeLoads;
pub use process_mapping::ProcessMapping;
pub use routing::{Fabric, FixedRouting, ROUTINGS, RoutingEntry};
pub use segments::{DealtSegments, Role, deal_segments, volumes_between_units};
pub use spread::{BlockSpread, SpreadProblem};
