//! The tests from outside, as one program: linked once, run side by side. A file a subject; `cargo test --test all mpc::`
//! runs one of them.

mod allocators;
mod browser;
mod cli;
mod commands;
mod corun;
mod examples;
mod export;
mod figures;
mod files;
mod guests;
mod hostile;
mod import;
mod licences;
mod mapping;
mod mpc;
mod network;
mod optimise;
mod ordering_table;
mod page;
mod readme;
mod recipes;
mod reference;
mod same_bytes;
mod schedule;
mod scotch;
mod shipped_topologies;
mod simgrid;
mod skip;
mod slurm;
mod sweep;
mod terminal;
mod tidy;
mod topology_allocators;
mod trace;
