//! Names that every file of a family of networks imports.

pub(super) use super::bisection::CutBounds;
pub(super) use super::distance::{Axis, Product, Shape};
pub(super) use super::network::later;
pub(super) use super::random_graph::{Size, draw, links_of};
pub(super) use super::{
    Build, Context, Lattice, Level, LinkVisitor, Metric, Network, PER_ROUTER, Step, TopologyEntry,
    by_x, check_nodes, nodes_option, per_router, per_router_suffix, product, require_graph,
};
pub(super) use nodeorder_base::error::Result;
pub(super) use nodeorder_base::params::{Opt, Params, SEED};
