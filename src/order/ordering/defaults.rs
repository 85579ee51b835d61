//! Orderings that are compared when the user names none.

use nodeorder_network::Topology;
use nodeorder_network::topology::lattice::{AXIS_LETTERS, Lattice};

/// Lists spellings of the orderings that suit `topology`, the plainest first.
pub fn default_orderings(topology: &Topology) -> Vec<String> {
    let mut wanted: Vec<String> = vec!["row-major".into()];
    if let Some(lattice) = topology.lattice() {
        add_lattice_orderings(lattice, &mut wanted);
    }
    if !topology.network().levels().is_empty() {
        wanted.push("hierarchical".into());
        wanted.push("hierarchical:scatter=true".into());
    }
    wanted.extend(["bfs", "rcm"].map(String::from));
    if topology.lattice().is_none() {
        wanted.push("dfs".into());
        // Both walk the graph once a router or worse: not on machines where that takes minutes.
        if topology.network().routers() <= 50_000 {
            wanted.push("nearest".into());
            if !topology.has_distances_alone() {
                wanted.push("spectral".into());
            }
        }
    }
    wanted.push("random".into());
    wanted
}

/// Lists spellings of orderings that trade distance for bandwidth, in families of which the best member counts. A unit
/// may have too few nodes for some of them.
pub fn list_traders(topology: &Topology) -> Vec<Vec<String>> {
    let mut families = Vec::new();
    if topology.network().per_router() > 1 {
        families.push(vec!["random:unit=router".to_string()]);
    }
    let level = topology.level_table().into_iter().next();
    if let Some(level) = level.filter(|level| level.units > 1) {
        // With all nodes of a unit it is `hierarchical`.
        let counts = (0..32)
            .map(|i| 1u64 << i)
            .take_while(|count| *count < level.nodes);
        let scattered = counts.map(|count| format!("hierarchical:scatter={count}"));
        families.push(scattered.collect());
    }
    families
}

/// Adds the spellings that suit a lattice.
fn add_lattice_orderings(lattice: &Lattice, wanted: &mut Vec<String>) {
    let axes = lattice.extents.len();
    let longer_than_one = lattice.extents.iter().filter(|n| **n > 1).count();
    let mut by_extent: Vec<usize> = (0..axes).collect();
    let stored = spell_axes(&by_extent);
    by_extent.sort_by_key(|axis| (lattice.extents[*axis], *axis));
    let largest_fastest = spell_axes(&by_extent);
    by_extent.reverse();
    // Slowest first: the smallest dimension last runs fastest.
    let smallest_fastest = spell_axes(&by_extent);
    if smallest_fastest != stored {
        wanted.push(format!("row-major:axes={smallest_fastest}"));
    }
    wanted.push("snake".into());
    for axes in [&smallest_fastest, &largest_fastest] {
        if *axes != stored && longer_than_one > 1 {
            wanted.push(format!("snake:axes={axes}"));
        }
    }
    if longer_than_one > 1 {
        if lattice.wrap.iter().any(|w| *w) {
            wanted.push("helical".into());
        }
        wanted.extend(["morton", "gray", "hilbert"].map(String::from));
        if longer_than_one <= 3 {
            wanted.push("gilbert".into());
        }
        wanted.push("brick".into());
        if smallest_fastest != stored {
            wanted.push(format!("brick:axes={smallest_fastest}"));
        }
    }
}

/// Spells the names of all axes in an order: letters, or digits where there are more axes than letters.
fn spell_axes(axes: &[usize]) -> String {
    let letters: Vec<char> = AXIS_LETTERS.chars().collect();
    if axes.len() > letters.len() {
        return axes.iter().map(usize::to_string).collect();
    }
    axes.iter().map(|axis| letters[*axis]).collect()
}
