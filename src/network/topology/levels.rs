//! The table of a machine's levels: units, nodes of a unit, and links between units.

use std::borrow::Cow;

use serde::Serialize;

use super::machine::Topology;
use super::network::Level;

/// One level of a machine, such as its groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LevelRow {
    /// Name of a unit of the level, such as `group`.
    pub name: Cow<'static, str>,
    /// Number of units.
    pub units: u64,
    /// Number of nodes of a unit, schedulable or not; of the largest, if units differ.
    pub nodes: u64,
    /// Number of links between units of this level that are within one unit of the level above: in trees, from the
    /// switches on top of these units up.
    pub links: u64,
}

impl Topology {
    /// Lists the levels by which allocations are measured, from the leaf up: where routers have several nodes,
    /// they are the last level unless the family has one of that size.
    pub fn measured_levels(&self) -> Vec<Level> {
        let network = self.network();
        let mut levels: Vec<Level> = network.levels().into_iter().rev().collect();
        let routers = Level::with_equal_units("router", network.per_router());
        let known = levels.iter().any(|level| level.slots == routers.slots);
        // Of routers with one node each every job spans as many as it has nodes; over several rails a node
        // has no router.
        if network.per_router() > 1 && network.dealt_over() == 1 && !known {
            levels.insert(0, routers);
        }
        levels
    }

    /// Lists the levels from the outermost in, down to the switches that nodes are on.
    pub fn switch_levels(&self) -> Vec<Level> {
        let mut levels = self.network().levels();
        // A tree of switches needs leaves, so routers with one node each are a level, too, and a family's own units
        // within a router stand for it.
        let per_router = self.network().per_router();
        if levels
            .last()
            .is_none_or(|level| level.slots > per_router && !level.has_names())
        {
            levels.push(Level::with_equal_units("switch", per_router));
        }
        levels
    }

    /// Lists the levels from the outermost in whose units make a grid: all of one size, which is that of
    /// several units of the next.
    pub fn grid_levels(&self) -> Vec<Level> {
        // Slots after the last schedulable node are no part of the machine.
        let last = self.nodes().iter().last();
        let mut around = u32::MAX;
        let mut levels: Vec<Level> = Vec::new();
        for level in self.network().levels() {
            let nodes = level.slots;
            let whole = levels.is_empty() || around.is_multiple_of(nodes);
            let below = around.min(last.map_or(0, |node| node.0 + 1));
            if !level.has_names() && nodes > 1 && nodes < below && whole {
                around = nodes;
                levels.push(level);
            }
        }
        levels
    }

    /// Builds a row for each level from the outermost in; none if the family has no levels. The links of all
    /// levels, and those inside the innermost units, are all links. O(links) if the family has levels and no
    /// formula for their links.
    pub fn level_table(&self) -> Vec<LevelRow> {
        let network = self.network();
        let levels = network.levels();
        let mut between = vec![0u64; levels.len()];
        match network.links_up() {
            Some(links) => between = links,
            None if levels.is_empty() => {}
            None => {
                let per_router = network.per_router();
                let sizes = levels.iter().map(|level| level.slots / per_router);
                let sizes: Vec<u32> = sizes.map(|routers| routers.max(1)).collect();
                network.for_each_link(&mut |u, v, _| {
                    // A link counts at the outermost level that it leaves a unit of.
                    if let Some(i) = sizes.iter().position(|size| u / size != v / size) {
                        between[i] += 1;
                    }
                });
            }
        }
        let slots = network.slots();
        let mut rows = Vec::new();
        for (level, links) in levels.into_iter().zip(between) {
            rows.push(LevelRow {
                units: u64::from(level.unit_count(slots)),
                nodes: self.count_largest_unit(&level),
                name: level.name,
                links,
            });
        }
        rows
    }

    /// Counts the nodes of the largest unit of a level.
    fn count_largest_unit(&self, level: &Level) -> u64 {
        // Only files give units names and leave slots without a node.
        if !level.has_names() {
            return level.slots.into();
        }
        let names = self.network().names().unwrap_or_default();
        let slots = self.network().slots();
        let counts = (0..level.unit_count(slots)).map(|unit| {
            let names = level
                .node_ids_of(unit, slots)
                .map(|slot| names.get(slot as usize));
            names.flatten().filter(|name| !name.is_empty()).count() as u64
        });
        counts.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::{Context, TOPOLOGIES, Topology};

    fn rows(spec: &str) -> Vec<(&'static str, u64, u64, u64)> {
        let machine = Topology::inline(spec, &Context::default()).unwrap();
        let name = |name: &str| -> &'static str { name.to_string().leak() };
        machine
            .level_table()
            .iter()
            .map(|l| (name(&l.name), l.units, l.nodes, l.links))
            .collect()
    }

    #[test]
    fn units_nodes_and_links() {
        assert_eq!(
            rows("fat-tree:k=8"),
            [("pod", 8, 16, 64 * 2), ("leaf", 32, 4, 128)]
        );
        assert_eq!(
            rows("dragonfly:p=2,a=4,h=2"),
            [("group", 9, 8, 36), ("router", 36, 2, 9 * 6)]
        );
        assert_eq!(
            rows("cascade:4x3x2,per_router=2"),
            [
                ("group", 2, 24, 12),
                ("chassis", 6, 8, 2 * 4 * 3),
                ("blade", 24, 2, 6 * 6)
            ]
        );
        assert!(rows("torus:4x4").is_empty());
    }

    #[test]
    fn the_links_of_all_levels_are_all_links() {
        for family in TOPOLOGIES
            .iter()
            .filter(|f| f.options.iter().all(|o| o.key != "file"))
        {
            let machine = Topology::inline(family.example, &Context::default()).unwrap();
            let rows = machine.level_table();
            if rows
                .last()
                .is_some_and(|row| row.units == u64::from(machine.network().hosts()))
            {
                let links: u64 = rows.iter().map(|row| row.links).sum();
                assert_eq!(links, machine.network().link_count(), "{}", family.name);
            }
        }
    }
}
