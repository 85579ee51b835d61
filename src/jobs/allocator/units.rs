//! The free ranks of units: leaf switches, base blocks, groups.

use super::entry::AllocatorContext;
use nodeorder_base::{Error, FreeSet, NodeId, Opt, Params, Result, SourceLocation};
use nodeorder_network::Topology;

/// Mark of a rank in no unit.
const NONE: u32 = u32::MAX;

/// Ranks by unit, and how many of each unit are free.
#[derive(Debug)]
pub struct UnitSet {
    /// By rank: its unit, or [`NONE`].
    unit_of_rank: Vec<u32>,
    /// By unit: its ranks, ascending.
    ranks: Vec<Vec<u32>>,
    /// By unit: number of free ranks, as last counted.
    pub free: Vec<u32>,
}

impl UnitSet {
    /// Creates the units of `size` ranks; a rank is in one unit at most.
    pub fn new(size: u32, mut ranks: Vec<Vec<u32>>) -> Self {
        let mut unit_of_rank = vec![NONE; size as usize];
        for (unit, ranks) in (0..).zip(&mut ranks) {
            ranks.sort_unstable();
            for rank in ranks {
                unit_of_rank[*rank as usize] = unit;
            }
        }
        UnitSet {
            unit_of_rank,
            free: vec![0; ranks.len()],
            ranks,
        }
    }

    /// Returns the number of units.
    pub fn unit_count(&self) -> usize {
        self.ranks.len()
    }

    /// Counts the ranks of a unit, free or not.
    pub fn unit_size(&self, unit: usize) -> u32 {
        self.ranks[unit].len() as u32
    }

    /// Looks up the unit of a rank; `None` if it is in no unit.
    pub fn unit_of(&self, rank: u32) -> Option<usize> {
        let unit = self.unit_of_rank[rank as usize];
        (unit != NONE).then_some(unit as usize)
    }

    /// Counts the free ranks of every unit and returns their sum. O(size/64 + free + units).
    pub fn count_free(&mut self, free: &FreeSet) -> u32 {
        self.free.fill(0);
        let mut all = 0;
        let UnitSet {
            unit_of_rank,
            free: counts,
            ..
        } = self;
        for run in free.free_runs() {
            for unit in &unit_of_rank[run.first as usize..run.end() as usize] {
                if *unit != NONE {
                    counts[*unit as usize] += 1;
                    all += 1;
                }
            }
        }
        all
    }

    /// Lists the free ranks of a unit, the lowest first.
    pub fn free_ranks<'u>(
        &'u self,
        unit: usize,
        free: &'u FreeSet,
    ) -> impl Iterator<Item = u32> + Clone + 'u {
        self.ranks[unit]
            .iter()
            .copied()
            .filter(|rank| free.is_free(*rank))
    }

    /// Appends `count` free ranks of a unit, the lowest first, after leaving out `skip`.
    pub fn take_free_ranks(
        &self,
        unit: usize,
        free: &FreeSet,
        skip: u32,
        count: u32,
        chosen: &mut Vec<u32>,
    ) {
        let ranks = self.free_ranks(unit, free).skip(skip as usize);
        chosen.extend(ranks.take(count as usize));
    }
}

/// The option `level`, as [`LevelOption`] reads it.
pub const LEVEL: Opt = Opt::text("level", "level whose units count, as `topology` names it");

/// The level that `level=` names, by default the outermost one.
pub struct LevelOption {
    /// Name of the level; `None` for the outermost.
    name: Option<String>,
    /// The text that names it, for messages.
    location: SourceLocation,
}

impl LevelOption {
    /// Reads [`LEVEL`]. Fails if its value is no text.
    pub fn parse_level(params: &Params) -> Result<Self> {
        Ok(LevelOption {
            name: params.optional_word("level")?,
            location: params.location().clone(),
        })
    }

    /// Finds the number of the level, counted from the outermost in. Fails if the network has no levels, or none of
    /// this name.
    pub fn find_level(&self, topology: &Topology) -> Result<usize> {
        let levels = topology.network().levels();
        if levels.is_empty() {
            return Err(Error::unsuited(
                self.location.clone(),
                format!("{} has no levels", topology.name()),
                "use it on a network with groups, racks or leaf switches",
            ));
        }
        let Some(name) = &self.name else {
            return Ok(0);
        };
        let names = levels.iter().map(|level| level.name.as_ref());
        find_level_named(&self.location, names, name)
    }
}

/// Finds the number of the level of this name. Fails if there is none.
pub fn find_level_named<'n>(
    location: &SourceLocation,
    names: impl Iterator<Item = &'n str> + Clone,
    name: &str,
) -> Result<usize> {
    let mut all = names.clone();
    all.position(|level| level == name)
        .ok_or_else(|| Error::unknown(location.clone(), "level", name, names))
}

/// A unit of a level with its ranks.
#[derive(Clone, Debug)]
pub struct UnitRanks {
    /// Number of the unit of the next outer level that contains it; 0 on the outermost level.
    pub outer: u32,
    /// Its ranks, ascending.
    pub ranks: Vec<u32>,
}

/// Lists the units of each level, from the outermost level in. O(levels · size).
pub fn list_levels(context: &AllocatorContext<'_>) -> Vec<Vec<UnitRanks>> {
    let network = context.topology.network();
    let levels = network.levels();
    let mut all = Vec::new();
    for (i, level) in levels.iter().enumerate() {
        let mut units = Vec::new();
        for unit in 0..level.unit_count(network.slots()) {
            // A unit lies in one unit of the level before, so its first node tells which.
            let first = NodeId(level.node_ids_of(unit, network.slots()).start);
            units.push(UnitRanks {
                outer: i.checked_sub(1).map_or(0, |i| levels[i].unit_of(first)),
                ranks: Vec::new(),
            });
        }
        for (rank, node) in (0..).zip(context.order.nodes()) {
            units[level.unit_of(*node) as usize].ranks.push(rank);
        }
        all.push(units);
    }
    all
}
