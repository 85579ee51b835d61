//! The tests from outside, as one program: linked once, run side by side. A file a subject; `cargo test --test all
//! mpc::` runs one of them.

use std::path::PathBuf;
use std::process::Command;

mod aliases;
mod allocators;
mod audit;
mod batsim;
mod bounds;
mod browser;
mod by_size;
mod caminos;
mod charts;
mod check;
mod cli;
mod collectives;
mod commands;
mod corun;
mod engines;
mod examples;
mod export;
mod figures;
mod files;
mod fresh_seeds;
mod goals;
mod guests;
mod hostile;
mod import;
mod interrupts;
mod kueue;
mod licences;
mod limits;
mod machines;
mod mapping;
mod measured;
mod metrics;
mod mistakes;
mod mpc;
mod mpc_plot;
mod names;
mod network;
mod node_links;
mod optimise;
mod ordering_table;
mod page;
mod papers;
mod pictures;
mod plan_lists;
mod plans;
mod ranked_machines;
mod read_back;
mod readme;
mod real_machines;
mod recipes;
mod recognised;
mod records;
mod reference;
mod same_bytes;
mod schedule;
mod scotch;
mod settings;
mod shards;
mod shipped_topologies;
mod simgrid;
mod simulators;
mod skip;
mod slowdown_search;
mod slowdowns;
mod slurm;
mod slurm_plugins;
mod snapshot;
mod sweep;
mod swf;
mod table;
mod terminal;
mod throughput;
mod tidy;
mod topologies;
mod topology_allocators;
mod totals;
mod trace;
mod training;
mod waiting;
mod words;

/// The project's folder: the manifest of the command, which these tests belong to, lies two folders below.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .to_path_buf()
}

/// The command, in the project's folder.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodeorder"));
    command.current_dir(root());
    command
}
