//! Settings of Slurm's topology plugins to try on a machine and the sizes of its jobs.

use nodeorder_base::ratio::greatest_common_divisor;
use nodeorder_base::{Error, Result};
use nodeorder_network::Topology;
use nodeorder_network::topology::site::SiteKind;

/// Number of sizes of jobs for which shapes are chosen on a torus, the smallest ones first.
const MOST_SIZES: usize = 64;

/// Lists allocators with the settings that may suit `machine` and jobs of these sizes.
///
/// On a torus of three axes, a node a router: placements of `slurm-torus3d` chosen for the sizes: of each size the
/// box of the least surface, that in all its turns, the box that closes the most rings of the torus, and all boxes.
/// On blocks and on networks with levels: `slurm-block` with base blocks of one, two and four units (leaf switches,
/// racks), each with no aggregated block and with all its doubles; without segments, and with those of which every
/// larger job is a multiple: a half, a third, one, two and four units, and what all jobs have in common. Errors: a
/// machine of neither kind. O(nodes + sizes · divisors²).
pub fn list_settings(machine: &Topology, sizes: &[u32]) -> Result<Vec<String>> {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    if let Some(unit) = common_unit_size(machine) {
        return Ok(block_settings(unit, machine.node_count() as u32, &sizes));
    }
    match torus_extents(machine) {
        Some(dims) => Ok(torus_settings(dims, &sizes)),
        None => {
            let found = format!(
                "{}, which has neither blocks nor is a torus of three axes",
                machine.name()
            );
            let expected = "a machine of blocks, racks or leaf switches, or a torus of three axes with a node a router";
            Err(Error::option(machine.spec(), found, expected))
        }
    }
}

/// Finds the number of nodes that most units of the innermost level of several nodes have; `None` if there is no such
/// level.
fn common_unit_size(machine: &Topology) -> Option<u32> {
    let network = machine.network();
    if let Some(site) = network.site().filter(|site| site.kind == SiteKind::Block) {
        return most_common(site.lines.iter().map(|line| line.nodes.len() as u32));
    }
    network.levels().iter().rev().find_map(|level| {
        let mut counts = vec![0u32; level.unit_count(network.slots()) as usize];
        let nodes = machine.nodes().iter();
        nodes.for_each(|node| counts[level.unit_of(node) as usize] += 1);
        most_common(counts.into_iter()).filter(|count| *count > 1)
    })
}

/// Finds the most common count above 0, the largest of several; `None` if all are 0.
fn most_common(counts: impl Iterator<Item = u32>) -> Option<u32> {
    let mut all: Vec<u32> = counts.filter(|count| *count > 0).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b)
        .map(|same| (same.len(), same[0]))
        .max()
        .map(|(_, count)| count)
}

/// Finds the extents of a torus or a mesh of three axes; `None` for other machines.
fn torus_extents(machine: &Topology) -> Option<[u32; 3]> {
    let of_site = machine
        .network()
        .site()
        .and_then(|site| site.toruses.first());
    if let Some(torus) = of_site {
        return Some(torus.dims);
    }
    let one = machine.network().per_router() == 1;
    machine
        .lattice()
        .filter(|_| one)?
        .extents
        .as_slice()
        .try_into()
        .ok()
}

/// Lists settings of `slurm-block` for units of `unit` nodes.
fn block_settings(unit: u32, nodes: u32, sizes: &[u32]) -> Vec<String> {
    let mut blocks = Vec::new();
    for base in [1, 2, 4]
        .map(|units| units * unit)
        .into_iter()
        .filter(|base| *base <= nodes)
    {
        let doubles: Vec<String> = std::iter::successors(Some(base), |size| size.checked_mul(2))
            .take_while(|size| *size <= nodes)
            .map(|size| size.to_string())
            .collect();
        blocks.push(format!("sizes={base}"));
        if doubles.len() > 1 {
            blocks.push(format!("sizes={}", doubles.join("x")));
        }
    }
    let largest = sizes.last().copied().unwrap_or(0);
    let common = sizes.iter().fold(0, |a, b| greatest_common_divisor(a, *b));
    let mut segments = vec![common, unit, 2 * unit, 4 * unit];
    for parts in [2, 3] {
        if unit.is_multiple_of(parts) {
            segments.push(unit / parts);
        }
    }
    segments.sort_unstable();
    segments.dedup();
    let mut asked = vec![String::new()];
    for segment in segments {
        let mut larger = sizes.iter().filter(|size| **size > segment);
        // Slurm refuses larger jobs that are no multiple of the segment.
        if segment > 1 && segment < largest && larger.all(|size| size.is_multiple_of(segment)) {
            asked.push(format!(",segment={segment}"));
            asked.push(format!(",segment={segment},consolidate=true"));
        }
    }
    let mut all = Vec::new();
    for sizes in &blocks {
        for segments in &asked {
            all.push(format!("slurm-block:{sizes}{segments}"));
        }
    }
    all
}

/// Lists settings of `slurm-torus3d`.
fn torus_settings(dims: [u32; 3], sizes: &[u32]) -> Vec<String> {
    let boxes: Vec<Vec<[u32; 3]>> = sizes
        .iter()
        .take(MOST_SIZES)
        .map(|size| list_shapes_of_size(*size, dims))
        .collect();
    let mut sets: [Vec<[u32; 3]>; 4] = Default::default();
    let [compact, turned, rings, all] = &mut sets;
    for of_size in &boxes {
        // Of equal ones the first.
        compact.extend(of_size.iter().min_by_key(|shape| half_surface(shape)));
        let least = of_size.iter().map(half_surface).min();
        turned.extend(
            of_size
                .iter()
                .filter(|shape| Some(half_surface(shape)) == least),
        );
        rings.extend(of_size.iter().min_by_key(|shape| {
            let open = (0..3).filter(|i| shape[*i] != dims[*i]).count();
            (open, half_surface(shape))
        }));
        all.extend(of_size);
    }
    let mut found: Vec<String> = Vec::new();
    for set in sets.iter().filter(|set| !set.is_empty()) {
        let shapes: Vec<String> = set.iter().map(|[x, y, z]| format!("{x}x{y}x{z}")).collect();
        let text = format!("slurm-torus3d:placements={}", shapes.join("/"));
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// Computes half the surface of a box.
fn half_surface([x, y, z]: &[u32; 3]) -> u32 {
    x * y + y * z + z * x
}

/// Lists every box of `size` cells within `dims`, the longest side along x first.
fn list_shapes_of_size(size: u32, dims: [u32; 3]) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for x in (1..=dims[0]).rev().filter(|x| size.is_multiple_of(*x)) {
        for y in (1..=dims[1])
            .rev()
            .filter(|y| (size / x).is_multiple_of(*y))
        {
            let z = size / x / y;
            if z <= dims[2] {
                all.push([x, y, z]);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(spec: &str, sizes: &[u32]) -> Result<Vec<String>> {
        list_settings(&Topology::inline(spec, &Default::default()).unwrap(), sizes)
    }

    #[test]
    fn blocks_are_units_and_their_doubles() {
        // Leaves of four nodes, eight of them.
        let all = of("fat-tree:k=8,limit=32", &[4, 8, 24]).unwrap();
        assert!(all.contains(&"slurm-block:sizes=4".into()));
        assert!(all.contains(&"slurm-block:sizes=4x8x16x32".into()));
        assert!(all.contains(&"slurm-block:sizes=16x32,segment=2,consolidate=true".into()));
        assert!(all.contains(&"slurm-block:sizes=8,segment=8".into()));
        // 24 is no multiple of 16.
        assert!(all.iter().all(|text| !text.contains("segment=16")));
        // Odd sizes leave no segment.
        let odd = of("fat-tree:k=8,limit=32", &[3, 7, 9]).unwrap();
        assert!(odd.iter().all(|text| !text.contains("segment")), "{odd:?}");
    }

    #[test]
    fn boxes_are_those_of_the_sizes() {
        let all = of("torus:4x4x8", &[8, 16]).unwrap();
        assert_eq!(all[0], "slurm-torus3d:placements=2x2x2/4x2x2");
        assert_eq!(all[1], "slurm-torus3d:placements=2x2x2/4x2x2/2x4x2/2x2x4");
        assert_eq!(all[2], "slurm-torus3d:placements=4x2x1/4x4x1");
        // All factorings that fit, by brute force.
        for size in 1..=128u32 {
            let cells = (1..=4u32)
                .flat_map(|x| (1..=4u32).flat_map(move |y| (1..=8u32).map(move |z| x * y * z)));
            let fit = cells.filter(|cells| *cells == size).count();
            assert_eq!(list_shapes_of_size(size, [4, 4, 8]).len(), fit);
            assert!(
                list_shapes_of_size(size, [4, 4, 8])
                    .iter()
                    .all(|[x, y, z]| x * y * z == size)
            );
        }
        assert!(of("hyperx:4x4", &[2]).is_err());
    }
}
