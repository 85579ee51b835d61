//! Families of networks, one file each, and what several of them share.

pub(super) mod adjacency;
pub(super) mod cascade;
pub(super) mod dragonfly;
pub(super) mod dragonfly_plus;
pub(super) mod edge_list;
pub(super) mod fat_tree;
pub(super) mod galois;
mod global_links;
pub(super) mod gnm;
pub(super) mod graph_file;
pub(super) mod grid;
pub(super) mod hyperx;
pub(super) mod leaf_spine;
pub(super) mod matrix;
pub(super) mod multi_rail;
pub(super) mod polarfly;
mod polarity;
pub(super) mod polarstar;
mod random_graph;
pub(super) mod random_regular;
pub(super) mod slim_fly;
pub(super) mod totals;
pub(super) mod tpu;
pub(super) mod watts_strogatz;
