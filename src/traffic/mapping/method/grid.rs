//! Guests that are grids under other numbers, laid out on nodes that form a grid: every message goes one hop.

use super::product::{Factor, FactorShape, ProductGraph, factored};
use super::{MappingMethodEntry, MappingProblem, MappingResult};
use nodeorder_base::error::{Error, SourceLocation};

/// `grid`: takes the guest and the network between the nodes apart into paths, rings and cliques, whatever their
/// processes and nodes are numbered like, and lays every path or ring of the guest along a snake (or a closed one)
/// through some of the network's: all messages then go one hop. Of the guest, pairs count that exchange at least a
/// hundredth of what the busiest pair does. It works where there is a node for every process, one on a router, and
/// sizes match.
///
/// # Complexity
/// O(nodes · links + processes · partners³).
pub const METHOD: MappingMethodEntry = MappingMethodEntry::plain(
    "grid",
    "a guest that is a grid, on nodes that are one: every message goes one hop",
    |problem, _, _| match grid(problem) {
        Some(slots) => Ok(MappingResult::new("grid", slots)),
        None => Err(Error::unsuited(
            SourceLocation::option("--map grid"),
            "the guest and the network between its nodes are not grids of matching sizes",
            "use --map best",
        )),
    },
);

/// Share of the largest volume from which a pair counts.
const COUNTS: f64 = 0.01;

/// The layout, where there is one.
pub(super) fn grid(problem: &MappingProblem) -> Option<Vec<u32>> {
    let n = problem.len();
    if problem.partners.is_empty() {
        // Every mapping of this guest is as good.
        return Some((0..n as u32).collect());
    }
    if problem.routers != n {
        return None;
    }
    let largest = problem.partners.iter().map(|(_, v)| *v).fold(0.0, f64::max);
    let partners = |p: u32| -> Vec<u32> {
        let heavy = problem
            .partners(p)
            .iter()
            .filter(|(_, v)| *v >= COUNTS * largest);
        heavy.map(|(q, _)| *q).collect()
    };
    let guest = factored(&(0..n as u32).map(partners).collect::<Vec<_>>())?;
    // One slot a router.
    let mut slots = vec![0; n];
    for (slot, router) in problem.router.iter().enumerate() {
        slots[*router as usize] = slot as u32;
    }
    let neighbours = |a: &u32| {
        let linked = problem.linked(*a as usize).iter();
        let mut slots: Vec<u32> = linked.map(|router| slots[*router as usize]).collect();
        slots.sort_unstable();
        slots
    };
    let host = factored(&problem.router.iter().map(neighbours).collect::<Vec<_>>())?;
    let chosen = assigned(&guest.factors, &host.factors)?;
    let walks: Option<Vec<Vec<usize>>> = guest
        .factors
        .iter()
        .enumerate()
        .map(|(g, factor)| {
            let parts = (0..host.factors.len())
                .filter(|h| chosen[*h] == g)
                .collect::<Vec<_>>();
            walk(factor, &parts, &host)
        })
        .collect();
    let walks = walks?;
    let mut slot = vec![0; n];
    for (at, process) in guest.vertices.iter().enumerate() {
        let (mut rest, mut vertex) = (at, 0);
        for (factor, walk) in guest.factors.iter().zip(&walks).rev() {
            vertex += walk[rest % factor.size];
            rest /= factor.size;
        }
        slot[*process as usize] = host.vertices[vertex];
    }
    Some(slot)
}

/// The guest's factor that each factor of the host serves, such that sizes multiply up and a walk exists; by factor of
/// the host.
fn assigned(guest: &[Factor], host: &[Factor]) -> Option<Vec<usize>> {
    fn place(guest: &[Factor], left: &mut [usize], host: &[Factor], to: &mut Vec<usize>) -> bool {
        let Some(factor) = host.get(to.len()) else {
            let parts = |g| {
                (0..host.len())
                    .filter(|h| to[*h] == g)
                    .map(|h| host[h])
                    .collect::<Vec<_>>()
            };
            return guest
                .iter()
                .enumerate()
                .all(|(g, factor)| suits(factor, &parts(g)));
        };
        for g in 0..guest.len() {
            if left[g].is_multiple_of(factor.size) {
                left[g] /= factor.size;
                to.push(g);
                if place(guest, left, host, to) {
                    return true;
                }
                to.pop();
                left[g] *= factor.size;
            }
        }
        false
    }
    let mut left: Vec<usize> = guest.iter().map(|f| f.size).collect();
    let mut to = Vec::new();
    (place(guest, &mut left, host, &mut to)).then_some(to)
}

/// Whether a walk of this shape goes through all of these factors.
fn suits(factor: &Factor, parts: &[Factor]) -> bool {
    let size: usize = parts.iter().map(|p| p.size).product();
    size == factor.size
        && match (factor.shape, parts) {
            (FactorShape::Path, _) => true,
            (FactorShape::Clique, parts) => {
                parts.len() == 1 && parts[0].shape == FactorShape::Clique
            }
            (FactorShape::Ring, [one]) => one.shape != FactorShape::Path,
            (FactorShape::Ring, many) => many.iter().any(|p| p.size.is_multiple_of(2)),
        }
}

/// Where the guest's factor goes, as parts of an index into the host's vertices: step by step one hop, and with a
/// ring also from the last to the first.
fn walk(factor: &Factor, parts: &[usize], host: &ProductGraph) -> Option<Vec<usize>> {
    let stride = |h: usize| {
        host.factors[h + 1..]
            .iter()
            .map(|f| f.size)
            .product::<usize>()
    };
    let size = |h: usize| host.factors[h].size;
    // Through all parts as a snake, the last fastest.
    // `row` at every position along `h`, every second time backwards.
    let rows = |row: &[usize], h: usize| -> Vec<usize> {
        let along = |x: usize| {
            let mut there: Vec<usize> = row.iter().map(|at| at + x * stride(h)).collect();
            if x % 2 == 1 {
                there.reverse();
            }
            there
        };
        (0..size(h)).flat_map(along).collect()
    };
    let snake = |parts: &[usize]| parts.iter().rev().fold(vec![0], |walk, h| rows(&walk, *h));
    if factor.shape != FactorShape::Ring || parts.len() == 1 {
        return Some(snake(parts));
    }
    // Rows of a snake through the others: out along all but their first places, back along those.
    let even = *parts.iter().find(|h| size(**h).is_multiple_of(2))?;
    let others: Vec<usize> = parts.iter().copied().filter(|h| *h != even).collect();
    let row = snake(&others);
    let mut walk = vec![row[0]];
    walk.extend(rows(&row[1..], even));
    walk.extend((1..size(even)).rev().map(|x| row[0] + x * stride(even)));
    Some(walk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::method::tests::{problem, shuffled};
    use crate::testing::build;

    /// Mean hops of a guest whose processes are numbered at random, on a machine in random order.
    fn mean(spec: &str, guest: &str) -> Option<f64> {
        let guest = shuffled(guest);
        let problem = problem(&build(spec), &guest, 6);
        let mut volume = 0.0;
        guest.for_each_message(|m| volume += m.volume);
        let slots = grid(&problem)?;
        let mut used = slots.clone();
        used.sort_unstable();
        assert_eq!(used, (0..problem.len() as u32).collect::<Vec<_>>());
        Some(problem.cost(&slots) / volume)
    }

    #[test]
    fn every_message_of_a_grid_goes_one_hop() {
        for (spec, guest) in [
            ("torus:6x5x3", "stencil:3x6x5"),
            ("torus:6x5", "stencil:5x6,wrap=true"),
            ("torus:4x4x4", "stencil:8x8"),
            ("torus:4x4x4", "ring:n=64"),
            ("torus:8x8", "ring:n=64"),
            ("mesh:3x4", "ring:n=12"),
            ("mesh:3x5", "stencil:15"),
            ("hyperx:4x6", "ring:n=24"),
            ("torus:8x8", "stencil:8x8,wrap=true"),
        ] {
            assert_eq!(mean(spec, guest), Some(1.0), "{guest} on {spec}");
        }
    }

    #[test]
    fn what_does_not_fit_is_left() {
        for (spec, guest) in [
            ("torus:8x8", "stencil:4x4x4"),
            ("mesh:6x5", "stencil:6x5,wrap=true"),
            ("mesh:3x5", "ring:n=15"),
            ("torus:4x4", "random:n=16,degree=3"),
            ("dragonfly:p=1,a=4,h=2", "ring:n=36"),
        ] {
            assert_eq!(mean(spec, guest), None, "{guest} on {spec}");
        }
    }
}
