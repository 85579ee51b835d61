//! What jobs send: guests, mappings of processes to nodes, routings, what a machine carries, and jobs that share
//! links in time.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub mod corun;
pub mod mapping;
pub mod slowdown;
#[cfg(test)]
mod testing;
pub mod throughput;
