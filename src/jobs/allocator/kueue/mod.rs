//! Kueue's topology-aware scheduling (TAS): pods on nodes, level by level.
//!
//! The steps follow Kueue's own. `domains` is the tree of the machine's levels, with what fits into each domain.
//! `choice` places a job: by `balanced` where the job asks for it and it can be done, else by `placement`; `anywhere`
//! is a shortcut with the same result for jobs that ask for no level. `replacement` moves the pods of a failed node.
//! `options` and `labels` read what jobs ask for and how nodes are called; `tas` is the allocator that joins them.

mod anywhere;
mod balanced;
mod choice;
mod domains;
mod labels;
mod options;
mod placement;
mod replacement;
mod tas;

pub use choice::find_topology_assignment;
pub use domains::{DomainCapacity, Domains, Slices};
pub use placement::{LeafAssignment, PlacementError, PodSetRequest, TopologyRequest};
pub use replacement::replace_failed_pods;
pub(super) use tas::KUEUE_TAS;
