//! Figures of merit: of an ordering on a machine ([`mpc`], [`comparison`]), of one allocation ([`allocation`],
//! [`shape`]), and of a machine ([`machine_figures`], [`bisection`], [`availability`], [`cost`]).

pub mod allocation;
pub mod availability;
pub mod bisection;
pub mod comparison;
mod components;
pub mod correlation;
pub mod cost;
mod cursor;
mod cuts;
mod distance_kernel;
mod distance_table;
pub mod envelope;
mod halving;
mod joined_groups;
mod label_terms;
pub mod machine_figures;
pub mod mpc;
pub mod rank_distances;
pub mod rank_rows;
pub mod ring;
pub mod shape;
pub mod sizes;
pub mod sums;
pub mod units;
pub mod window;
