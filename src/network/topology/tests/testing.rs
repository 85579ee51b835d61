//! Helpers for the tests of all families.

use super::context::Context;
use super::machine::Topology;
use nodeorder_base::RouterId;

/// Builds a machine of a specification that is right.
pub fn build(spec: &str) -> Topology {
    Topology::inline(spec, &Context::default()).unwrap()
}

/// Builds the machine of a file that holds `text`; `options` follow its path.
pub fn from_file(kind: &str, text: &str, options: &str) -> nodeorder_base::error::Result<Topology> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    std::fs::write(&path, text).unwrap();
    Topology::inline(
        &format!("{kind}:{}{options}", path.display()),
        &Context::default(),
    )
}

/// Checks that each specification is refused, with a message that holds the text beside it.
pub fn check_refused(cases: &[(&str, &str)]) {
    for (spec, part) in cases {
        let error = Topology::inline(spec, &Context::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{spec}: {error}");
    }
}

/// Checks that links are simple, counted right, and agree with the degrees the family states.
pub fn check_links(topology: &Topology) {
    let network = topology.network();
    let mut degree = vec![0u32; network.routers() as usize];
    let mut seen = std::collections::BTreeSet::new();
    network.for_each_link(&mut |u, v, capacity| {
        assert!(u != v && capacity > 0.0, "{}: {u}-{v}", topology.spec());
        assert!(
            seen.insert((u.min(v), u.max(v))),
            "{}: {u}-{v} twice",
            topology.spec()
        );
        degree[u as usize] += 1;
        degree[v as usize] += 1;
    });
    assert_eq!(
        network.link_count(),
        seen.len() as u64,
        "{}",
        topology.spec()
    );
    let low = degree.iter().copied().min().unwrap_or(0);
    let high = degree.iter().copied().max().unwrap_or(0);
    assert_eq!(network.degrees(), (low, high), "{}", topology.spec());
}

/// Checks that the closed-form distance is the hop count of a breadth-first search, for every pair of routers that
/// carry nodes, and that the statistics say the same.
pub fn check_metric(topology: &Topology) {
    let graph = topology.graph().unwrap();
    let counts = topology.nodes_per_router();
    // Ordered pairs of nodes by distance; a node is none with itself.
    let mut pairs = vec![0u128];
    for (a, here) in counts.iter().enumerate() {
        let from = RouterId(a as u32);
        let hops = graph.hops_from(from);
        for (b, there) in counts.iter().enumerate() {
            if let Some(d) = topology.metric().distance_between(from, RouterId(b as u32)) {
                assert_eq!(d, hops[b], "{}: {a} to {b}", topology.spec());
            }
            if *here > 0 && *there > 0 {
                let d = hops[b] as usize;
                pairs.resize(pairs.len().max(d + 1), 0);
                pairs[d] += u128::from(*here) * u128::from(*there);
            }
        }
    }
    pairs[0] -= topology.node_count() as u128;
    pairs.iter_mut().for_each(|count| *count /= 2);
    let statistics = topology.statistics().unwrap();
    let total = pairs
        .iter()
        .enumerate()
        .map(|(d, count)| d as u128 * count)
        .sum::<u128>();
    let found = (statistics.total_distance, statistics.diameter as usize);
    assert_eq!(found, (total, pairs.len() - 1), "{}", topology.spec());
    let mut histogram = topology.distance_histogram().unwrap();
    histogram.truncate(
        histogram
            .iter()
            .rposition(|count| *count > 0)
            .map_or(1, |last| last + 1),
    );
    assert_eq!(histogram, pairs, "{}", topology.spec());
}
