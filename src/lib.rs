//! Node orderings for supercomputer schedulers.
//!
//! A scheduler that hands out nodes in a good one-dimensional order places jobs compactly on the network.
//! This crate builds the network, makes orderings of its nodes and says, exactly, how compact they are.
//!
//! Data flows one way: [`topology`] → [`ordering`] → [`metric`] → [`plot`] and [`report`].
//!
//! # Where to begin
//! Five files, in this order, show how the crate is made:
//!
//! 1. `src/registry.rs` ([`registry`]): tables of named entries; every topology, ordering, allocator … is one.
//! 2. `src/topology/mod.rs` ([`topology`]): a machine, and what a family of networks provides.
//! 3. `src/ordering/mod.rs` ([`ordering`]): an ordering, and how a text such as `snake:axes=zxy` becomes one.
//! 4. `src/metric/mpc.rs` ([`metric::mpc`]): MPC for every job size, exactly, and its definition.
//! 5. `src/replay/mod.rs` ([`replay`]): a log of jobs, placed again by several allocators side by side.
//!
//! `docs/reference.md` lists every entry of every table; `ARCHITECTURE.md` says which file may use which.
//!
//! ```
//! use nodeorder::prelude::*;
//!
//! let torus = Topology::inline("torus:8x8", &Default::default())?;
//! let order = NodeOrder::make(&torus, "snake")?;
//! let curve = mpc::curve(&torus, &order)?;
//! assert_eq!(curve.mpc(2), 1.0); // neighbours in rank are neighbours in the network
//! # Ok::<(), nodeorder::Error>(())
//! ```

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the library; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub use nodeorder_base::{error, ids, input, observer, params, random, ranks, ratio, registry};
pub use nodeorder_jobs::{allocator, audit, replay, schedule};
pub use nodeorder_network::{catalog, topology};
pub use nodeorder_order::{metric, ordering};
pub use nodeorder_present::{columns, export, machines, plot, report};
pub use nodeorder_sweep as sweep;
pub use nodeorder_sweep::reference;
pub use nodeorder_trace as trace;
pub use nodeorder_traffic::{corun, mapping, throughput};

pub use error::{Error, Result, SourceLocation};
pub use ids::{NodeId, RouterId};
pub use observer::{Stopped, stop_by};
pub use ordering::NodeOrder;
pub use topology::{Context, Topology};

/// Names that most programs need: `use nodeorder::prelude::*;`.
pub mod prelude {
    pub use crate::allocator::{ALLOCATORS, Allocator, AllocatorContext, Choice};
    pub use crate::corun::{Settings as CorunSettings, side_by_side};
    pub use crate::export::TARGETS;
    pub use crate::input::Text;
    pub use crate::mapping::routing::{Fabric, ROUTINGS};
    pub use crate::mapping::{Guest, ProcessMapping};
    pub use crate::metric::mpc::{self, Curve};
    pub use crate::metric::rank_distances::RankDistances;
    pub use crate::ordering::ORDERINGS;
    pub use crate::ranks::{FreeSet, Ranks};
    pub use crate::schedule::policy::POLICIES;
    pub use crate::schedule::{Task, model::MODELS};
    pub use crate::topology::TOPOLOGIES;
    pub use crate::trace::{Job, Log, Sizes, Trace};
    pub use crate::{
        Context, Error, NodeId, NodeOrder, Result, RouterId, SourceLocation, Topology,
    };
}

/// The README's examples are held to compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
