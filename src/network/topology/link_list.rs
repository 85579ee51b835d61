//! A network given by the list of its links: files, fabrics and random graphs.

use petgraph::unionfind::UnionFind;

use super::network::{LinkVisitor, Network, on_request};

/// Largest capacity of a link: far above any network's in bits a second.
pub const MOST_CAPACITY: f64 = 1e15;

/// Builds the network of a list of links, two routers each, with the capacity of every link; `capacities` are empty
/// if all are 1.
pub fn network_of_links(
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
        link_count: on_request(move || count),
        ..Network::new(spec, routers, per_router, links)
    }
}

/// Numbers labels below `most` from 0, in the order in which they come: 7 3 7 5 gives 0 1 0 2.
pub fn number_labels(labels: impl IntoIterator<Item = usize>, most: usize) -> Vec<u32> {
    let mut number_of = vec![u32::MAX; most];
    let mut next = 0;
    let mut numbers = Vec::new();
    for label in labels {
        if number_of[label] == u32::MAX {
            number_of[label] = next;
            next += 1;
        }
        numbers.push(number_of[label]);
    }
    numbers
}

/// Numbers the sets of `sets` from 0, in the order of their first members. Returns the number of each member's set.
pub fn number_sets(sets: UnionFind<u32>) -> Vec<u32> {
    let labels = sets.into_labeling();
    let most = labels.len();
    number_labels(labels.into_iter().map(|label| label as usize), most)
}
