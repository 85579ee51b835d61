//! The table of all families of networks.

use super::families;
use super::family::ParseNetwork;
use super::import;
use nodeorder_base::Registry;

/// Every family of networks, in the order of the lists that users see.
pub static TOPOLOGIES: Registry<ParseNetwork> = Registry::new(
    "topology kind",
    "",
    &[
        families::grid::MESH,
        families::grid::TORUS,
        families::grid::GRID,
        families::tpu::FAMILY,
        families::hyperx::FAMILY,
        families::cascade::FAMILY,
        families::dragonfly::FAMILY,
        families::dragonfly_plus::FAMILY,
        families::fat_tree::FAT_TREE,
        families::fat_tree::XGFT,
        families::leaf_spine::FAMILY,
        families::multi_rail::FAMILY,
        families::slim_fly::FAMILY,
        families::polarfly::FAMILY,
        families::polarstar::FAMILY,
        families::watts_strogatz::FAMILY,
        families::random_regular::FAMILY,
        families::gnm::FAMILY,
        families::graph_file::FAMILY,
        families::adjacency::FAMILY,
        families::matrix::FAMILY,
        import::graphml::FAMILY,
        import::infragraph::FAMILY,
        import::simgrid::FAMILY,
        import::ns3::FAMILY,
        import::slurm::FAMILY,
        import::tiers::FAMILY,
        import::k8s::FAMILY,
        import::topograph::FAMILY,
        import::jgf::FAMILY,
        import::xtdb::FAMILY,
        import::infiniband::FAMILY,
        import::iblinkinfo::FAMILY,
        import::target::FAMILY,
    ],
);
