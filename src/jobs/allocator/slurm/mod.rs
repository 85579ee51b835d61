//! Allocators that choose as Slurm's selection and topology plugins do.
//!
//! The ordering is Slurm's table of nodes: their names in natural order, or the order of ranks under
//! `SwitchAsNodeRank` and `BlockAsNodeRank`. Units come from the site's own file (`slurm-topology:`), or from the levels
//! of other networks.

mod best_fit;
mod block;
mod ring;
mod rule;
mod settings;
mod torus3d;
mod tree;

pub use best_fit::BEST_FIT;
pub use settings::settings;

use std::collections::HashMap;

use super::entry::{AllocatorContext, AllocatorEntry};
use super::units::{UnitRanks, levels};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::ids::NodeId;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::site::{Site, SiteKind, SitePlacement};
use rule::Plugin;

const SEGMENT: Opt = Opt::whole(
    "segment",
    "nodes of each part of a job that has a unit of its own",
)
.or_else("the job's");
const SWITCHES: Opt = Opt::whole(
    "switches",
    "most leaf switches of an allocation (--switches)",
)
.or_else("any number");
const SPREAD: Opt = Opt::flag(
    "spread",
    "no two segments share a base block (--spread-segments)",
);
const CONSOLIDATE: Opt = Opt::flag(
    "consolidate",
    "all segments in one aggregated block, if they fit (--consolidate-segments)",
);
const EXCLUSIVE: Opt = Opt::flag(
    "exclusive",
    "no two jobs share a base block (--exclusive=topo)",
);

const CONTIGUOUS: Opt = Opt::flag("contiguous", "neighbours in the table (--contiguous)");
const RANGE: Opt =
    Opt::text("nodes", "fewest and most nodes, as in 4-12 (--nodes)").or_else("the job's");
const DRAGONFLY: Opt = Opt::flag(
    "dragonfly",
    "TopologyParam=Dragonfly: spread over leaf switches",
)
.or_else("the file's");
const OPTIONAL: Opt = Opt::flag(
    "optional",
    "TopologyParam=TopoOptional: only jobs with switches= see switches",
)
.or_else("the file's");

/// `slurm-tree[:switches=K,dragonfly=true,optional=true]`: topology/tree. A leaf switch that has enough free nodes, the tightest; else leaves below
/// the smallest switch that has enough, the fullest first, then by hops to those taken. Among several roots the last that
/// has enough.
///
/// With `switches` a job waits for an allocation on so many leaf switches. In a schedule it takes any allocation after
/// it waited for five minutes, as with Slurm's `max_switch_wait`. `contiguous` jobs, and with `optional` those without
/// `switches`, get the tightest free run of the table (`slurm-best-fit:26`), contiguous ones no more than one. `segment`,
/// `spread`, `consolidate` and `exclusive` have no effect, as in Slurm.
///
/// With `dragonfly` a job that fits on a leaf gets the one with the most free nodes; any other, one node of each leaf, round
/// and round. Only the first root of the highest level counts in a forest, as long as a node of it is free. `switches`
/// above 1 has no effect. Weights of nodes count: the lightest tiers that are enough.
///
/// # Limits
/// Nodes are alike and have no weights, but for `dragonfly`; under the flat rule of `contiguous` and `optional` only
/// jobs of one node see weights. Slurm forgets `switches` above 1 of a job that waited: here it keeps to the
/// dragonfly rule.
///
/// # Complexity
/// O(size/64 + free + switches · height), and that for each leaf of an allocation on several; O(size) with `dragonfly`.
///
/// # References
/// Slurm 26.05, topology.conf(5) and topology/tree; held to recorded and live choices of 26.05.5.
pub const TREE: AllocatorEntry = AllocatorEntry::new(
    "slurm-tree",
    "Slurm's topology/tree: the tightest leaf switch; else few leaves below the smallest switch with room",
    &[SWITCHES, DRAGONFLY, OPTIONAL],
    |params, context| {
        let (parent, ranks) = tree_of(params, context)?;
        let mut rule = tree::Tree::new(size(context), parent, ranks);
        let site = site(context, SiteKind::Tree);
        let given = |key: &'static str, word: &str| {
            let here = params.flag(key)?;
            Ok(here || !params.has(key) && site.is_some_and(|site| site.has(word)))
        };
        rule.optional = given("optional", "TopoOptional")?;
        rule.dragonfly = given("dragonfly", "Dragonfly")?;
        if rule.dragonfly {
            rule.weights = weights(context);
        } else {
            alike(params, context)?;
        }
        const JOBS: &[Opt] = &[
            SWITCHES,
            CONTIGUOUS,
            RANGE,
            SEGMENT,
            SPREAD,
            CONSOLIDATE,
            EXCLUSIVE,
        ];
        Ok(Box::new(Plugin::new(rule, params, &[SWITCHES], JOBS)?))
    },
);

/// `slurm-block[:segment=K,spread=true,consolidate=true,exclusive=true]`: topology/block. The smallest aggregated block
/// that is large enough, of those the one with the fewest free nodes; in it few base blocks.
///
/// With `segment` a job of k nodes is placed as k/segment parts, each for itself: `spread` gives each part base
/// blocks of its own, `consolidate` keeps all parts in one aggregated block where there is one. With `exclusive` a job
/// has its base blocks alone. O(size/64 + free + parts · base blocks).
///
/// # Limits
/// Nodes are alike and have no weights.
///
/// # References
/// Slurm 26.05, topology.conf(5) and topology/block; held to recorded and live choices of 26.05.5.
pub const BLOCK: AllocatorEntry = AllocatorEntry::new(
    "slurm-block",
    "Slurm's topology/block: few base blocks of the tightest aggregated block; segments",
    &[
        SEGMENT,
        SPREAD,
        CONSOLIDATE,
        EXCLUSIVE,
        Opt::extents(
            "sizes",
            "sizes of blocks, the base first, as in 18x36x72 (BlockSizes)",
        )
        .or_else("the file's, else the innermost level of several nodes, and its doubles"),
    ],
    |params, context| {
        let (blocks, sizes) = blocks_of(params, context)?;
        let rule = block::Blocks::new(size(context), blocks, &sizes);
        alike(params, context)?;
        const OPTIONS: &[Opt] = &[SEGMENT, SPREAD, CONSOLIDATE, EXCLUSIVE];
        Ok(Box::new(Plugin::new(rule, params, OPTIONS, OPTIONS)?))
    },
);

/// `slurm-torus3d[:segment=K]`: topology/torus3d. One of the boxes that the file's placements allow, wholly free: the
/// one that spoils the fewest free boxes of the next larger shape, on the torus with the fewest free nodes. A size of
/// no placement is refused for good, one node too.
///
/// On a grid of three axes without such a file, `placements` names the shapes, on corners at multiples of their
/// extents. O(size/64 + cells of the boxes of that size · (1 + boxes of the next)).
///
/// # References
/// Slurm 26.05, topology.yaml(5) and topology/torus3d; held to recorded and live choices of 26.05.5.
pub const TORUS3D: AllocatorEntry = AllocatorEntry {
    name: "slurm-torus3d",
    about: "Slurm's topology/torus3d: boxes of given shapes at given places",
    example: "slurm-torus3d:placements=2x2x2/2x2x4",
    options: &[
        SEGMENT,
        Opt::text("placements", "shapes that jobs may have, as in 2x2x2/4x4x4")
            .or_else("the file's"),
    ],
    parse: |params, context| {
        let rule = torus3d::Tori::new(size(context), tori_of(params, context)?);
        alike(params, context)?;
        Ok(Box::new(Plugin::new(rule, params, &[SEGMENT], &[SEGMENT])?))
    },
};

/// `slurm-ring[:segment=K]`: topology/ring. Free neighbours on the ring with the fewest free nodes, the first such
/// run; segments on different rings. O(size/64 + free + nodes on rings · size of the job).
///
/// # References
/// Slurm 26.05, topology.conf(5) and topology/ring; held to recorded and live choices of 26.05.5.
pub const RING: AllocatorEntry = AllocatorEntry::new(
    "slurm-ring",
    "Slurm's topology/ring: neighbours on the ring with the fewest free nodes",
    &[SEGMENT],
    |params, context| {
        let rule = ring::Rings::new(size(context), rings_of(params, context)?);
        alike(params, context)?;
        Ok(Box::new(Plugin::new(rule, params, &[SEGMENT], &[SEGMENT])?))
    },
);

fn size(context: &AllocatorContext<'_>) -> u32 {
    context.order.len() as u32
}

/// The site's file, if it is for this plugin.
fn site<'a>(context: &AllocatorContext<'a>, kind: SiteKind) -> Option<&'a Site> {
    context
        .topology
        .network()
        .site()
        .filter(|site| site.kind == kind)
}

/// The weight of each rank; none where all are alike.
fn weights(context: &AllocatorContext<'_>) -> Vec<u32> {
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
fn alike(params: &Params, context: &AllocatorContext<'_>) -> Result<()> {
    if weights(context).is_empty() {
        return Ok(());
    }
    let problem = format!(
        "{}, whose nodes have several weights",
        context.topology.name()
    );
    let remedy =
        "use slurm-tree:dragonfly=true, or with a weight a node and one root fifo:0 in their order";
    Err(params.unsuited(problem, remedy))
}

/// The ranks of named nodes, by name; nodes that are not in the ordering have none.
fn ranks<'a>(context: &AllocatorContext<'a>) -> impl Fn(&String) -> Option<u32> + 'a {
    let topology = context.topology;
    let ranks: HashMap<NodeId, u32> = context.order.nodes().iter().copied().zip(0..).collect();
    move |name| {
        topology
            .node_named(name)
            .and_then(|node| ranks.get(&node).copied())
    }
}

/// The site's file, if it is for this plugin, and the ranks that each of its lines names.
fn lines<'a>(context: &AllocatorContext<'a>, kind: SiteKind) -> Option<(&'a Site, Vec<Vec<u32>>)> {
    let (site, rank) = (site(context, kind)?, ranks(context));
    let lines = site
        .lines
        .iter()
        .map(|line| line.nodes.iter().filter_map(&rank).collect());
    Some((site, lines.collect()))
}

/// The switches of a tree: their parents, and the ranks of leaves.
#[allow(clippy::type_complexity)]
fn tree_of(
    params: &Params,
    context: &AllocatorContext<'_>,
) -> Result<(Vec<Option<usize>>, Vec<Vec<u32>>)> {
    if let Some((site, ranks)) = lines(context, SiteKind::Tree) {
        return Ok((site.lines.iter().map(|line| line.parent).collect(), ranks));
    }
    let levels = levels(context);
    if levels.is_empty() {
        let problem = format!(
            "{} has no switches above each other",
            context.topology.name()
        );
        return Err(params.unsuited(problem, "use it on a tree or on a network with levels"));
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

/// Base blocks, and the sizes of blocks.
fn blocks_of(params: &Params, context: &AllocatorContext<'_>) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
    let given = params.extents("sizes")?;
    if let Some(sizes) = &given
        && !sizes
            .iter()
            .all(|size| size % sizes[0] == 0 && (size / sizes[0]).is_power_of_two())
    {
        return Err(params.wrong(
            "sizes",
            "the first size times powers of two, as in 18x36x72",
        ));
    }
    if let Some((site, blocks)) = lines(context, SiteKind::Block) {
        let sizes = || site.sizes.iter().map(|size| *size as u32).collect();
        return Ok((blocks, given.unwrap_or_else(sizes)));
    }
    let levels = levels(context);
    let several = |level: &&Vec<UnitRanks>| level.iter().any(|unit| unit.ranks.len() > 1);
    let Some(units) = levels.iter().rev().find(several) else {
        let problem = format!("{} has no units of several nodes", context.topology.name());
        return Err(params.unsuited(problem, "use it on blocks or on a network with levels"));
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
        sizes,
    ))
}

fn rings_of(params: &Params, context: &AllocatorContext<'_>) -> Result<Vec<Vec<u32>>> {
    lines(context, SiteKind::Ring)
        .map(|(_, rings)| rings)
        .ok_or_else(|| {
            let problem = format!("{} has no rings", context.topology.name());
            params.unsuited(problem, "use it on a `slurm-topology:` with RingName lines")
        })
}

fn tori_of(params: &Params, context: &AllocatorContext<'_>) -> Result<Vec<torus3d::Torus>> {
    let shape = |part: &str| -> Option<[u32; 3]> {
        let dims: Option<Vec<u32>> = part.split('x').map(|d| d.parse().ok()).collect();
        dims?
            .try_into()
            .ok()
            .filter(|dims: &[u32; 3]| !dims.contains(&0))
    };
    let wrong = || params.wrong("placements", "shapes, as in 2x2x2/4x4x4");
    let read = |text: String| -> Option<Vec<[u32; 3]>> { text.split('/').map(shape).collect() };
    let given = params
        .word("placements")?
        .map(|text| read(text).ok_or_else(wrong))
        .transpose()?;
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
    if let Some(site) = site(context, SiteKind::Torus) {
        let rank = ranks(context);
        for torus in &site.toruses {
            let shapes = match &given {
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
            return Err(params.unsuited(
                problem,
                "use it on a topology.yaml with toruses, or on a grid",
            ));
        };
        let Some(given) = &given else {
            let problem = format!("{} has no placements", context.topology.name());
            return Err(params.unsuited(problem, "add them, as in placements=2x2x2/4x4x4"));
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
            let (location, [a, b, c]) = (params.location_of("placements"), torus.dims);
            let found = format!("a placement of {x}x{y}x{z} on a torus of {a}x{b}x{c}");
            return Err(Error::input(location, found, "placements that fit"));
        }
    }
    Ok(tori)
}
