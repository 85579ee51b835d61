//! An outline against a description of every switch: units of nodes instead of links.
//!
//! Which switches stand above the others follows from the links: those with nodes are lowest, others are as high as
//! their way to the nearest of these. The units of a height are what links up to it join; of an outline each unit must
//! be one of the other description, whose further units the outline leaves out.

use petgraph::unionfind::UnionFind;

use super::findings::{Findings, switch_name};
use super::leaves::matched;
use crate::topology::graph::RouterGraph;
use crate::topology::link_list::numbered;
use crate::topology::machine::Topology;
use nodeorder_base::ids::RouterId;

/// Adds the units of nodes that differ to `found`, and what no path joins.
pub(super) fn compare(
    machines: [&Topology; 2],
    graphs: [&RouterGraph; 2],
    leaves: &[(u32, u32)],
    widths: bool,
    found: &mut Findings,
) {
    let outline = usize::from(machines[1].network().outline);
    let above = [0, 1].map(|side| graphs[side].router_count() - carrying(machines[side]).len());
    found.remarks.push(format!(
        "not compared: switches above those with nodes ({} here, {} there) and their links, which {} merges",
        above[0], above[1], machines[outline].name()
    ));
    let name = |side: usize, leaf: usize| {
        let (a, b) = leaves[leaf];
        switch_name(machines[side], [a, b][side])
    };
    if widths {
        for (leaf, (a, b)) in leaves.iter().enumerate() {
            let up = |side: usize, router| {
                graphs[side]
                    .capacities(RouterId(router))
                    .iter()
                    .sum::<f64>()
            };
            let up = [up(0, *a), up(1, *b)];
            if up[0] != up[1] {
                found.add("width", || {
                    [name(0, leaf), up[0].to_string(), up[1].to_string()]
                });
            }
        }
    }
    let units = [0, 1].map(|side| {
        let at: Vec<u32> = leaves.iter().map(|(a, b)| [*a, *b][side]).collect();
        units(graphs[side], &carrying(machines[side]), &at)
    });
    let (coarse, fine) = (&units[outline], &units[1 - outline]);
    if let Some(more) = fine
        .len()
        .checked_sub(coarse.len())
        .filter(|more| *more > 0)
    {
        let [one, other] = [machines[outline].name(), machines[1 - outline].name()];
        found.remarks.push(format!(
            "not compared: {more} levels of units of {other} that {one} merges"
        ));
    }
    let mut shown = std::collections::BTreeSet::new();
    for (height, mine) in coarse.iter().enumerate() {
        // The widest units are what paths join: they must be the widest on both sides.
        let against = if height + 1 == coarse.len() {
            &fine[fine.len() - 1..]
        } else {
            &fine[..]
        };
        let apart = against
            .iter()
            .map(|other| (moved(mine, other), other))
            .min_by_key(|(moved, _)| moved.len());
        let Some((apart, other)) = apart else {
            continue;
        };
        let first = |units: &[u32], leaf: usize| units.iter().position(|unit| *unit == units[leaf]);
        for leaf in apart.into_iter().filter(|leaf| shown.insert(*leaf)) {
            let sides = if outline == 0 {
                [mine, other]
            } else {
                [other, mine]
            };
            let at = |side: usize| match first(sides[side], leaf) {
                Some(first) if first != leaf => format!("with {}", name(side, first)),
                _ => "first of its unit".into(),
            };
            found.add("unit", || [name(0, leaf), at(0), at(1)]);
        }
    }
}

/// Leaves in another unit than most of those of their unit.
fn moved(mine: &[u32], other: &[u32]) -> Vec<usize> {
    let of = matched(
        mine.iter().copied().zip(other.iter().copied()).collect(),
        |_, _| false,
    );
    (0..mine.len())
        .filter(|leaf| of.get(&mine[*leaf]) != Some(&other[*leaf]))
        .collect()
}

/// Routers with schedulable nodes.
fn carrying(machine: &Topology) -> Vec<u32> {
    let counts = machine.nodes_per_router();
    (0..)
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(router, _)| router)
        .collect()
}

/// The unit of each router of `at` at each height, the narrowest units first; each partition once.
fn units(graph: &RouterGraph, carrying: &[u32], at: &[u32]) -> Vec<Vec<u32>> {
    let mut height = vec![u32::MAX; graph.router_count()];
    carrying
        .iter()
        .for_each(|router| height[*router as usize] = 0);
    let mut queue = carrying.to_vec();
    let mut next = 0;
    while let Some(router) = queue.get(next).copied() {
        next += 1;
        for to in graph.neighbours(RouterId(router)) {
            if height[*to as usize] == u32::MAX {
                height[*to as usize] = height[router as usize] + 1;
                queue.push(*to);
            }
        }
    }
    let mut links: Vec<(u32, u32, u32)> = Vec::new();
    for router in &queue {
        let up = graph
            .neighbours(RouterId(*router))
            .iter()
            .filter(|to| *to > router);
        links.extend(up.map(|to| {
            (
                height[*router as usize].max(height[*to as usize]),
                *router,
                *to,
            )
        }));
    }
    links.sort_unstable();
    let mut parts = UnionFind::<u32>::new(graph.router_count());
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut add = |parts: &UnionFind<u32>| {
        let labels = at.iter().map(|router| parts.find(*router) as usize);
        let units = numbered(labels, graph.router_count());
        if found.last() != Some(&units) {
            found.push(units);
        }
    };
    add(&parts);
    for run in links.chunk_by(|a, b| a.0 == b.0) {
        run.iter().for_each(|(_, a, b)| {
            parts.union(*a, *b);
        });
        add(&parts);
    }
    found
}
