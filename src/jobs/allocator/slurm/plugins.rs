//! The entries of the plugins tree, block, torus3d and ring, with their options.

use super::rule::{Plugin, SlurmRequest};
use super::site::{
    check_equal_weights, find_site, list_blocks, list_rings, list_switches, list_tori, list_weights,
};
use super::{block, ring, torus3d, tree};
use crate::allocator::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator};
use nodeorder_base::{Opt, Params, Result, SourceLocation};
use nodeorder_network::topology::site::SiteKind;

const SEGMENT: Opt = Opt::whole(
    "segment",
    "nodes of each part of a job that has a unit of its own",
)
.default_in_words("the job's");
const SWITCHES: Opt = Opt::whole(
    "switches",
    "most leaf switches of an allocation (--switches)",
)
.default_in_words("any number");
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
    Opt::text("nodes", "fewest and most nodes, as in 4-12 (--nodes)").default_in_words("the job's");
const DRAGONFLY: Opt = Opt::flag(
    "dragonfly",
    "TopologyParam=Dragonfly: spread over leaf switches",
)
.default_in_words("the file's");
const OPTIONAL: Opt = Opt::flag(
    "optional",
    "TopologyParam=TopoOptional: only jobs with switches= see switches",
)
.default_in_words("the file's");

/// `slurm-tree[:switches=K,dragonfly=true,optional=true]`: topology/tree. A leaf switch that has enough free nodes,
/// the tightest; else leaves below the smallest switch that has enough, the fullest first, then by hops to those
/// taken. Among several roots the last that has enough.
///
/// With `switches` a job waits for an allocation on at most that number of leaf switches. In a schedule it takes any
/// allocation after it waited for five minutes, as with Slurm's `max_switch_wait`. `contiguous` jobs, and with
/// `optional` those without `switches`, get the tightest free run of the table (`slurm-best-fit:26`), contiguous ones
/// no more than one. `segment`, `spread`, `consolidate` and `exclusive` have no effect, as in Slurm.
///
/// With `dragonfly` a job that fits on a leaf gets the one with the most free nodes; any other, one node of each
/// leaf, round and round. Only the first root of the highest level counts in a forest, as long as a node of it is
/// free. `switches` above 1 has no effect. Weights of nodes count: the lightest tiers that are enough.
///
/// # Limits
/// Nodes are alike and have no weights, but for `dragonfly`; under the flat rule of `contiguous` and `optional` only
/// jobs of one node see weights. Slurm forgets `switches` above 1 of a job that waited: here it keeps to the
/// dragonfly rule.
///
/// # Complexity
/// O(size/64 + free + switches · height), and that for each leaf of an allocation on several; O(size) with
/// `dragonfly`.
///
/// # References
/// Slurm 26.05, topology.conf(5) and topology/tree; held to recorded and live choices of 26.05.5.
pub const TREE: AllocatorEntry = AllocatorEntry::new(
    "slurm-tree",
    "Slurm's topology/tree: the tightest leaf switch; else few leaves below the smallest switch with room",
    &[SWITCHES, DRAGONFLY, OPTIONAL],
    |params| {
        Ok(Box::new(TreeOptions {
            location: params.location().clone(),
            usual: SlurmRequest::default().read_options(params, &[SWITCHES])?,
            dragonfly: parse_given_flag(params, "dragonfly")?,
            optional: parse_given_flag(params, "optional")?,
        }))
    },
);

struct TreeOptions {
    /// The text that they stand in, for messages.
    location: SourceLocation,
    /// The options of jobs that give none.
    usual: SlurmRequest,
    /// Whether jobs are spread over leaf switches; `None`: as the file says.
    dragonfly: Option<bool>,
    /// Whether switches count only for jobs with `switches`; `None`: as the file says.
    optional: Option<bool>,
}

impl BuildAllocator for TreeOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        const JOBS: &[Opt] = &[
            SWITCHES,
            CONTIGUOUS,
            RANGE,
            SEGMENT,
            SPREAD,
            CONSOLIDATE,
            EXCLUSIVE,
        ];
        let (parents, ranks) = list_switches(&self.location, context)?;
        let mut rule = tree::SwitchTree::new(context.order.len() as u32, parents, ranks);
        let site = find_site(context, SiteKind::Tree);
        rule.optional = self
            .optional
            .unwrap_or(site.is_some_and(|site| site.has_param("TopoOptional")));
        rule.dragonfly = self
            .dragonfly
            .unwrap_or(site.is_some_and(|site| site.has_param("Dragonfly")));
        // Weights count only where they were observed to.
        if rule.dragonfly {
            rule.weights = list_weights(context);
        } else {
            check_equal_weights(&self.location, context)?;
        }
        Ok(Box::new(Plugin::new(rule, self.usual.clone(), JOBS)))
    }
}

/// Reads a flag; `None` if it is not given.
fn parse_given_flag(params: &Params, key: &'static str) -> Result<Option<bool>> {
    let value = params.is_set(key)?;
    Ok(params.has_key(key).then_some(value))
}

/// `slurm-block[:segment=K,spread=true,consolidate=true,exclusive=true]`: topology/block. The smallest aggregated
/// block that is large enough, of those the one with the fewest free nodes; in it few base blocks.
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
        .default_in_words("the file's, else the innermost level of several nodes, and its doubles"),
    ],
    |params| {
        let sizes = params.optional_extents("sizes")?;
        if let Some(sizes) = &sizes
            && !sizes
                .iter()
                .all(|size| size.is_multiple_of(sizes[0]) && (size / sizes[0]).is_power_of_two())
        {
            return Err(params.invalid_value(
                "sizes",
                "the first size times powers of two, as in 18x36x72",
            ));
        }
        Ok(Box::new(BlockOptions {
            location: params.location().clone(),
            usual: SlurmRequest::default().read_options(params, BLOCK_JOBS)?,
            sizes,
        }))
    },
);

/// Options of jobs under topology/block.
const BLOCK_JOBS: &[Opt] = &[SEGMENT, SPREAD, CONSOLIDATE, EXCLUSIVE];

struct BlockOptions {
    /// The text that they stand in, for messages.
    location: SourceLocation,
    /// The options of jobs that give none.
    usual: SlurmRequest,
    /// Number of nodes of the base block and of aggregated ones; `None`: the file's.
    sizes: Option<Vec<u32>>,
}

impl BuildAllocator for BlockOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let (blocks, sizes) = list_blocks(&self.location, self.sizes.as_deref(), context)?;
        let rule = block::Blocks::new(context.order.len() as u32, blocks, &sizes);
        check_equal_weights(&self.location, context)?;
        Ok(Box::new(Plugin::new(rule, self.usual.clone(), BLOCK_JOBS)))
    }
}

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
            .default_in_words("the file's"),
    ],
    parse: |params| {
        let expected = "shapes, as in 2x2x2/4x4x4";
        let placements = match params.optional_word("placements")? {
            Some(text) => Some(
                parse_shapes(&text).ok_or_else(|| params.invalid_value("placements", expected))?,
            ),
            None => None,
        };
        Ok(Box::new(TorusOptions {
            location: params.location().clone(),
            usual: SlurmRequest::default().read_options(params, &[SEGMENT])?,
            placements,
        }))
    },
};

struct TorusOptions {
    /// The text that they stand in, for messages.
    location: SourceLocation,
    /// The options of jobs that give none.
    usual: SlurmRequest,
    /// Shapes that jobs may have, in cells along x, y and z; `None`: the file's.
    placements: Option<Vec<[u32; 3]>>,
}

/// Reads shapes as in `2x2x2/4x4x4`; `None` if the text is not of this form.
fn parse_shapes(text: &str) -> Option<Vec<[u32; 3]>> {
    let mut shapes = Vec::new();
    for part in text.split('/') {
        let dims: Option<Vec<u32>> = part.split('x').map(|d| d.parse().ok()).collect();
        let dims: [u32; 3] = dims?.try_into().ok()?;
        // A box without cells would hold no job.
        if dims.contains(&0) {
            return None;
        }
        shapes.push(dims);
    }
    Some(shapes)
}

impl BuildAllocator for TorusOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let tori = list_tori(&self.location, self.placements.as_deref(), context)?;
        let rule = torus3d::TorusBoxes::new(context.order.len() as u32, tori);
        check_equal_weights(&self.location, context)?;
        Ok(Box::new(Plugin::new(rule, self.usual.clone(), &[SEGMENT])))
    }
}

/// `slurm-ring[:segment=K]`: topology/ring. Free neighbours on the ring with the fewest free nodes, the first such
/// run; segments on different rings. O(size/64 + free + nodes on rings · size of the job).
///
/// # References
/// Slurm 26.05, topology.conf(5) and topology/ring; held to recorded and live choices of 26.05.5.
pub const RING: AllocatorEntry = AllocatorEntry::new(
    "slurm-ring",
    "Slurm's topology/ring: neighbours on the ring with the fewest free nodes",
    &[SEGMENT],
    |params| {
        Ok(Box::new(RingOptions {
            location: params.location().clone(),
            usual: SlurmRequest::default().read_options(params, &[SEGMENT])?,
        }))
    },
);

struct RingOptions {
    /// The text that they stand in, for messages.
    location: SourceLocation,
    /// The options of jobs that give none.
    usual: SlurmRequest,
}

impl BuildAllocator for RingOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let rings = list_rings(&self.location, context)?;
        let rule = ring::Rings::new(context.order.len() as u32, rings);
        check_equal_weights(&self.location, context)?;
        Ok(Box::new(Plugin::new(rule, self.usual.clone(), &[SEGMENT])))
    }
}
