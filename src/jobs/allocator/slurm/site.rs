//! The units that plugins know: those of the site's own file, else the levels of the network.

use std::collections::HashMap;

use super::torus3d;
use crate::allocator::entry::AllocatorContext;
use crate::allocator::units::{UnitRanks, list_levels};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::site::{Site, SiteKind, SitePlacement};

/// Returns the site's file, if it is for this plugin.
pub fn find_site<'a>(context: &AllocatorContext<'a>, kind: SiteKind) -> Option<&'a Site> {
    context
        .topology
        .network()
        .site()
        .filter(|site| site.kind == kind)
}

/// Returns the weight of each rank; none where all are alike.
pub fn list_weights(context: &AllocatorContext<'_>) -> Vec<u32> {
    let given = context.topology.network().site().map(|site| &site.weights);
    let Some(given) = given.filter(|weights| !weights.is_empty()) else {
        return Vec::new();
    };
    let weight = |node| {
        given
            .get(&context.topology.node_name(node))
            .copied()
            .unwrap_or(1)
    };
    let all: Vec<u32> = context
        .order
        .nodes()
        .iter()
        .map(|node| weight(*node))
        .collect();
    if all.iter().all(|weight| *weight == all[0]) {
        Vec::new()
    } else {
        all
    }
}

/// Refuses nodes of several weights.
pub fn check_alike(location: &SourceLocation, context: &AllocatorContext<'_>) -> Result<()> {
    if list_weights(context).is_empty() {
        return Ok(());
    }
    let problem = format!(
        "{}, whose nodes have several weights",
        context.topology.name()
    );
    let remedy =
        "use slurm-tree:dragonfly=true, or with a weight a node and one root fifo:0 in their order";
    Err(Error::unsuited(location.clone(), problem, remedy))
}

/// Returns the ranks of named nodes, by name; nodes that are not in the ordering have none.
fn ranks<'a>(context: &AllocatorContext<'a>) -> impl Fn(&String) -> Option<u32> + 'a {
    let topology = context.topology;
    let ranks: HashMap<NodeId, u32> = context.order.nodes().iter().copied().zip(0..).collect();
    move |name| {
        topology
            .node_named(name)
            .and_then(|node| ranks.get(&node).copied())
    }
}

/// Returns the site's file, if it is for this plugin, and the ranks that each of its lines names.
fn lines<'a>(context: &AllocatorContext<'a>, kind: SiteKind) -> Option<(&'a Site, Vec<Vec<u32>>)> {
    let (site, rank) = (find_site(context, kind)?, ranks(context));
    let lines = site
        .lines
        .iter()
        .map(|line| line.nodes.iter().filter_map(&rank).collect());
    Some((site, lines.collect()))
}

/// Returns the switches of a tree: their parents, and the ranks of leaves.
#[allow(clippy::type_complexity)]
pub fn list_switches(
    location: &SourceLocation,
    context: &AllocatorContext<'_>,
) -> Result<(Vec<Option<usize>>, Vec<Vec<u32>>)> {
    if let Some((site, ranks)) = lines(context, SiteKind::Tree) {
        return Ok((site.lines.iter().map(|line| line.parent).collect(), ranks));
    }
    let levels = list_levels(context);
    if levels.is_empty() {
        let problem = format!(
            "{} has no switches above each other",
            context.topology.name()
        );
        return Err(Error::unsuited(
            location.clone(),
            problem,
            "use it on a tree or on a network with levels",
        ));
    }
    // A switch above all, then level by level.
    let (mut parents, mut leaves) = (vec![None], vec![Vec::new()]);
    let mut above = 0;
    for (i, level) in levels.iter().enumerate() {
        let first = parents.len();
        for unit in level {
            parents.push(Some(above + unit.outer as usize));
            leaves.push(if i + 1 == levels.len() {
                unit.ranks.clone()
            } else {
                Vec::new()
            });
        }
        above = first;
    }
    Ok((parents, leaves))
}

/// Returns base blocks, and the sizes of blocks: those `given`, else the file's.
pub fn list_blocks(
    location: &SourceLocation,
    given: Option<&[u32]>,
    context: &AllocatorContext<'_>,
) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
    if let Some((site, blocks)) = lines(context, SiteKind::Block) {
        let sizes = || site.sizes.iter().map(|size| *size as u32).collect();
        return Ok((blocks, given.map_or_else(sizes, <[u32]>::to_vec)));
    }
    let levels = list_levels(context);
    let several = |level: &&Vec<UnitRanks>| level.iter().any(|unit| unit.ranks.len() > 1);
    let Some(units) = levels.iter().rev().find(several) else {
        let problem = format!("{} has no units of several nodes", context.topology.name());
        return Err(Error::unsuited(
            location.clone(),
            problem,
            "use it on blocks or on a network with levels",
        ));
    };
    let units: Vec<Vec<u32>> = units.iter().map(|unit| unit.ranks.clone()).collect();
    let Some(sizes) = given else {
        return Ok((units, Vec::new()));
    };
    // Neighbouring units together, as many as make a base block.
    let most = units.iter().map(Vec::len).max().unwrap_or(1);
    let join = (sizes[0] as usize / most).max(1);
    Ok((
        units.chunks(join).map(<[Vec<u32>]>::concat).collect(),
        sizes.to_vec(),
    ))
}

/// Returns the ranks of each ring. Fails if the site's file has none.
pub fn list_rings(
    location: &SourceLocation,
    context: &AllocatorContext<'_>,
) -> Result<Vec<Vec<u32>>> {
    lines(context, SiteKind::Ring)
        .map(|(_, rings)| rings)
        .ok_or_else(|| {
            let problem = format!("{} has no rings", context.topology.name());
            Error::unsuited(
                location.clone(),
                problem,
                "use it on a `slurm-topology:` with RingName lines",
            )
        })
}

/// Returns the tori, with the shapes `given`, else the file's.
pub fn list_tori(
    location: &SourceLocation,
    given: Option<&[[u32; 3]]>,
    context: &AllocatorContext<'_>,
) -> Result<Vec<torus3d::Torus>> {
    let shape = |placement: &SitePlacement| torus3d::TorusShape {
        dims: placement.dims,
        spacing: placement.spacing.unwrap_or(placement.dims),
        seed: placement.seed.unwrap_or_default(),
    };
    let plain = |dims: &[u32; 3]| torus3d::TorusShape {
        dims: *dims,
        spacing: *dims,
        seed: [0; 3],
    };
    let mut tori = Vec::new();
    if let Some(site) = find_site(context, SiteKind::Torus) {
        let rank = ranks(context);
        for torus in &site.toruses {
            let shapes = match given {
                Some(shapes) => shapes.iter().map(plain).collect(),
                None => torus.placements.iter().map(shape).collect(),
            };
            let cells = torus
                .cells
                .iter()
                .map(|name| name.as_ref().and_then(&rank))
                .collect();
            tori.push(torus3d::Torus {
                dims: torus.dims,
                cells,
                shapes,
            });
        }
    } else {
        let lattice = context
            .topology
            .lattice()
            .filter(|lattice| lattice.extents.len() == 3);
        let one = lattice.filter(|_| context.topology.network().per_router() == 1);
        let Some(lattice) = one else {
            let problem = format!(
                "{} is not a torus of three axes, a node a router",
                context.topology.name()
            );
            return Err(Error::unsuited(
                location.clone(),
                problem,
                "use it on a topology.yaml with toruses, or on a grid",
            ));
        };
        let Some(given) = given else {
            let problem = format!("{} has no placements", context.topology.name());
            return Err(Error::unsuited(
                location.clone(),
                problem,
                "add them, as in placements=2x2x2/4x4x4",
            ));
        };
        // Cells count x fastest; the lattice counts its last axis fastest.
        let dims = [lattice.extents[0], lattice.extents[1], lattice.extents[2]];
        let mut cells = vec![None; dims.iter().product::<u32>() as usize];
        for (rank, node) in (0..).zip(context.order.nodes()) {
            let at = match &lattice.cells {
                Some(cells) => cells[node.index()],
                None => context.topology.router_of(*node).0,
            };
            let (x, y, z) = (
                at / (dims[1] * dims[2]),
                at / dims[2] % dims[1],
                at % dims[2],
            );
            cells[(x + y * dims[0] + z * dims[0] * dims[1]) as usize] = Some(rank);
        }
        tori.push(torus3d::Torus {
            dims,
            cells,
            shapes: given.iter().map(plain).collect(),
        });
    }
    for torus in &tori {
        let larger =
            |shape: &&torus3d::TorusShape| shape.dims.iter().zip(torus.dims).any(|(n, m)| *n > m);
        if let Some([x, y, z]) = torus.shapes.iter().find(larger).map(|shape| shape.dims) {
            let [a, b, c] = torus.dims;
            let found = format!("a placement of {x}x{y}x{z} on a torus of {a}x{b}x{c}");
            return Err(Error::input(location.clone(), found, "placements that fit"));
        }
    }
    Ok(tori)
}
