//! Machines: routers, links, nodes and distances; every family of networks, and the readers of files of real fabrics.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub mod catalog;
pub mod topology;

pub use topology::{Context, Metric, RouterGraph, Topology};
