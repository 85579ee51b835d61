//! Jobs on a machine: allocators, placement logs replayed, traces scheduled, recorded placements audited.

#![forbid(unsafe_code)]

pub mod allocator;
pub mod audit;
pub mod replay;
pub mod schedule;
#[cfg(test)]
mod testing;
