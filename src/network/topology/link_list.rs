//! A network given by the list of its links: files, fabrics and random graphs.

use petgraph::unionfind::UnionFind;

use super::network::{LinkVisitor, Network, later};

/// Capacity of a link at most: sums over cuts stay whole numbers of 64 bits.
pub(super) const MOST_CAPACITY: f64 = 1e15;

/// Routers and a list of links between them, two routers each, with the capacity of every link; `capacities` are empty
/// where all are 1.
pub(super) fn listed(
    spec: String,
    routers: u32,
    per_router: u32,
    links: Vec<(u32, u32)>,
    capacities: Vec<f64>,
) -> Network {
    let count = links.len() as u64;
    let links = move |visit: &mut LinkVisitor<'_>| {
        for (i, (u, v)) in links.iter().enumerate() {
            visit(*u, *v, capacities.get(i).copied().unwrap_or(1.0));
        }
    };
    Network {
        link_count: later(move || count),
        ..Network::new(spec, routers, per_router, links)
    }
}

/// Labels below `most` as numbers from 0, in the order in which they are met.
pub fn numbered(labels: impl IntoIterator<Item = usize>, most: usize) -> Vec<u32> {
    let (mut numbers, mut next) = (vec![u32::MAX; most], 0);
    let number = |label: usize| {
        if numbers[label] == u32::MAX {
            numbers[label] = next;
            next += 1;
        }
        numbers[label]
    };
    labels.into_iter().map(number).collect()
}

/// As [`numbered`], the sets of `sets` in the order of their first members.
pub fn numbered_sets(sets: UnionFind<u32>) -> Vec<u32> {
    let labels = sets.into_labeling();
    let most = labels.len();
    numbered(labels.into_iter().map(|label| label as usize), most)
}
