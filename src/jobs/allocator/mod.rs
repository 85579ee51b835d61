//! Allocators: the rules by which a job gets some of the free ranks of an ordering.
//!
//! Each is one file with an [`AllocatorEntry`]; [`ALLOCATORS`] is the table that names them all, and their types are
//! in `entry.rs`. An [`Allocator`] sees the free ranks of one ordering and chooses; the caller marks them as taken.
//! An allocator gets the machine when it is made ([`AllocatorContext`]). Some refuse free ranks that do not suit a
//! job ([`Choice`]): the job then waits, or is left out where it can never be placed.

mod bfs;
mod bottleneck_fit;
mod closest_fit;
mod closest_mind;
mod components;
mod dilation;
mod entry;
mod fifo;
mod first_fit;
mod gen_alg;
mod groups;
mod guest_mesh;
pub mod kueue;
mod largest_fit;
mod mbs;
mod mc1x1;
mod near;
mod near_rows;
mod random;
mod ranks_by_location;
mod reach;
mod recent;
mod room;
mod ruled;
mod runs;
mod slurm;
mod span;
mod table;
#[cfg(test)]
#[path = "tests/testing.rs"]
pub(crate) mod testing;
mod units;

pub use components::FreeComponents;
pub use entry::{
    Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice, PodRules, PodsOn, Reason,
};
pub use room::{PlaceableNodes, PlaceableSums};
pub use slurm::list_settings as slurm_settings;
pub use table::{ALLOCATORS, make, make_ruled};
