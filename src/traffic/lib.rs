//! What jobs send: guests, mappings of processes to nodes, routings, what a machine carries, and jobs that share links in
//! time.

#![forbid(unsafe_code)]

pub mod corun;
pub mod mapping;
#[cfg(test)]
mod testing;
pub mod throughput;
