//! Parts that several commands use: common options, inputs, and outputs.

pub mod command_line;
pub mod comparison;
pub mod files;
pub mod formats;
pub mod help;
pub mod hints;
pub mod inputs;
pub mod interrupt;
pub mod layout;
pub mod memory;
pub mod network_figures;
pub mod notes;
pub mod output;
pub mod own_files;
pub mod picture;
pub mod progress;
pub mod rows;
pub mod slowdowns;
pub mod sweep_folder;
pub mod tables;
pub mod throughput;
pub mod traffic;
pub mod watch;
pub mod workload;
