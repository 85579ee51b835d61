//! The units that plugins know: those of the site's own file, else the levels of the network.

use std::collections::HashMap;

use super::torus3d;
use crate::allocator::entry::AllocatorContext;
use crate::allocator::units::list_levels;
use nodeorder_base::{Error, NodeId, Result, SourceLocation};
use nodeorder_network::topology::site::{Site, SiteKind, SitePlacement};

/// Finds the site's own file; `None` if there is none for this plugin.
pub fn find_site<'a>(context: &AllocatorContext<'a>, kind: SiteKind) -> Option<&'a Site> {
    context
        .topology
        .network()
        .site()
        .filter(|site| site.kind == kind)
}

/// Lists the weight of each rank; an empty list if all are alike.
pub fn list_weights(context: &AllocatorContext<'_>) -> Vec<u32> {
    let given = context.topology.network().site().map(|site| &site.weights);
    let Some(given) = given.filter(|weights| !weights.is_empty()) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for node in context.order.nodes() {
        let weight = given.get(&context.topology.node_name(*node));
        // Slurm's default.
        all.push(weight.copied().unwrap_or(1));
    }
    if all.iter().all(|weight| *weight == all[0]) {
        Vec::new()
    } else {
        all
    }
}

/// Checks that all nodes have one weight.
pub fn check_equal_weights(
    location: &SourceLocation,
    context: &AllocatorContext<'_>,
) -> Result<()> {
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

/// Builds the error of a machine that a plugin cannot use: `lack` says what it is or lacks, `remedy` what would do.
fn unsuited_machine(
    location: &SourceLocation,
    context: &AllocatorContext<'_>,
    lack: &str,
    remedy: &str,
) -> Error {
    let problem = format!("{} {lack}", context.topology.name());
    Error::unsuited(location.clone(), problem, remedy)
}

/// Builds a look-up from names of nodes to ranks; nodes that are not in the ordering have none.
fn ranks_by_name<'a>(context: &AllocatorContext<'a>) -> impl Fn(&String) -> Option<u32> + 'a {
    let topology = context.topology;
    let ranks: HashMap<NodeId, u32> = context.order.nodes().iter().copied().zip(0..).collect();
    move |name| {
        topology
            .node_named(name)
            .and_then(|node| ranks.get(&node).copied())
    }
}

/// Finds the site's file and the ranks that each of its lines names; `None` if there is no file for this plugin.
fn ranks_of_lines<'a>(
    context: &AllocatorContext<'a>,
    kind: SiteKind,
) -> Option<(&'a Site, Vec<Vec<u32>>)> {
    let site = find_site(context, kind)?;
    let rank = ranks_by_name(context);
    let lines = site.lines.iter();
    let ranks = lines.map(|line| line.nodes.iter().filter_map(&rank).collect());
    Some((site, ranks.collect()))
}

/// Lists the switches of a tree: their parents, and the ranks of leaves. Fails if the machine has no levels.
#[allow(clippy::type_complexity)]
pub fn list_switches(
    location: &SourceLocation,
    context: &AllocatorContext<'_>,
) -> Result<(Vec<Option<usize>>, Vec<Vec<u32>>)> {
    if let Some((site, ranks)) = ranks_of_lines(context, SiteKind::Tree) {
        return Ok((site.lines.iter().map(|line| line.parent).collect(), ranks));
    }
    let levels = list_levels(context);
    if levels.is_empty() {
        return Err(unsuited_machine(
            location,
            context,
            "has no switches above each other",
            "use it on a tree or on a network with levels",
        ));
    }
    // A switch above all, then level by level.
    let mut parents = vec![None];
    let mut leaves = vec![Vec::new()];
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

/// Lists base blocks, and the sizes of blocks: those `given`, else the file's. Fails if the machine has no units of
/// several nodes.
pub fn list_blocks(
    location: &SourceLocation,
    given: Option<&[u32]>,
    context: &AllocatorContext<'_>,
) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
    if let Some((site, blocks)) = ranks_of_lines(context, SiteKind::Block) {
        let sizes = match given {
            Some(sizes) => sizes.to_vec(),
            None => site.sizes.iter().map(|size| *size as u32).collect(),
        };
        return Ok((blocks, sizes));
    }
    let levels = list_levels(context);
    // The innermost level whose units are not single nodes.
    let units = levels
        .iter()
        .rev()
        .find(|level| level.iter().any(|unit| unit.ranks.len() > 1));
    let Some(units) = units else {
        return Err(unsuited_machine(
            location,
            context,
            "has no units of several nodes",
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

/// Lists the ranks of each ring. Fails if the site's file has none.
pub fn list_rings(
    location: &SourceLocation,
    context: &AllocatorContext<'_>,
) -> Result<Vec<Vec<u32>>> {
    ranks_of_lines(context, SiteKind::Ring)
        .map(|(_, rings)| rings)
        .ok_or_else(|| {
            let remedy = "use it on a `slurm-topology:` with RingName lines";
            unsuited_machine(location, context, "has no rings", remedy)
        })
}

/// Lists the tori, with the shapes `given`, else the file's. Fails if the machine is no torus of three axes, or a
/// shape is larger than its torus.
pub fn list_tori(
    location: &SourceLocation,
    given: Option<&[[u32; 3]]>,
    context: &AllocatorContext<'_>,
) -> Result<Vec<torus3d::Torus>> {
    let mut tori = Vec::new();
    if let Some(site) = find_site(context, SiteKind::Torus) {
        let rank = ranks_by_name(context);
        for torus in &site.toruses {
            let shapes = match given {
                Some(shapes) => plain_shapes(shapes),
                None => torus.placements.iter().map(site_shape).collect(),
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
            return Err(unsuited_machine(
                location,
                context,
                "is not a torus of three axes, a node a router",
                "use it on a topology.yaml with toruses, or on a grid",
            ));
        };
        let Some(given) = given else {
            return Err(unsuited_machine(
                location,
                context,
                "has no placements",
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
            let x = at / (dims[1] * dims[2]);
            let y = at / dims[2] % dims[1];
            let z = at % dims[2];
            cells[(x + y * dims[0] + z * dims[0] * dims[1]) as usize] = Some(rank);
        }
        tori.push(torus3d::Torus {
            dims,
            cells,
            shapes: plain_shapes(given),
        });
    }
    for torus in &tori {
        for shape in &torus.shapes {
            if shape.dims.iter().zip(torus.dims).any(|(n, m)| *n > m) {
                let [x, y, z] = shape.dims;
                let [a, b, c] = torus.dims;
                let found = format!("a placement of {x}x{y}x{z} on a torus of {a}x{b}x{c}");
                return Err(Error::input(location.clone(), found, "placements that fit"));
            }
        }
    }
    Ok(tori)
}

/// Turns a placement of the site's file into a shape, with Slurm's defaults.
fn site_shape(placement: &SitePlacement) -> torus3d::TorusShape {
    torus3d::TorusShape {
        dims: placement.dims,
        spacing: placement.spacing.unwrap_or(placement.dims),
        seed: placement.seed.unwrap_or_default(),
    }
}

/// Turns extents into shapes that stand side by side, from the first cell on.
fn plain_shapes(shapes: &[[u32; 3]]) -> Vec<torus3d::TorusShape> {
    let plain = shapes.iter().map(|dims| torus3d::TorusShape {
        dims: *dims,
        spacing: *dims,
        seed: [0; 3],
    });
    plain.collect()
}
