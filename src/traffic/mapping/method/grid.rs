//! Guests that are grids under other numbers, laid out on nodes that form a grid: every message goes one hop.

use super::product::{Factor, FactorShape, ProductGraph, factor_graph};
use super::{MapProcesses, MappingMethodEntry, MappingProblem, MappingResult};
use nodeorder_base::{Error, Observer, Result, SourceLocation};

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
    |_| Ok(Box::new(GridMethod)),
);

/// The method `grid`.
struct GridMethod;

impl MapProcesses for GridMethod {
    fn map_processes(
        &self,
        problem: &MappingProblem,
        observer: &dyn Observer,
    ) -> Result<MappingResult> {
        let slots = map_grid(problem, observer).ok_or_else(|| {
            Error::unsuited(
                SourceLocation::option("--map grid"),
                "the guest and the network between its nodes are not grids of matching sizes",
                "use --map best",
            )
        })?;
        Ok(MappingResult::new("grid", slots))
    }
}

/// A pair of processes counts as linked if its volume is at least this part of the largest.
const COUNTS: f64 = 0.01;

/// Finds a layout in which every message goes one hop; `None` if the guest or the network is no grid, if they do not
/// match, or if `observer` says to stop.
pub fn map_grid(problem: &MappingProblem, observer: &dyn Observer) -> Option<Vec<u32>> {
    let n = problem.len();
    if problem.partners.is_empty() {
        // Every mapping of this guest is as good.
        return Some((0..n as u32).collect());
    }
    if problem.routers != n {
        return None;
    }
    let largest = problem.partners.iter().map(|(_, v)| *v).fold(0.0, f64::max);
    let mut partners = Vec::with_capacity(n);
    for p in 0..n as u32 {
        let all = problem.partners_of(p).iter();
        let heavy = all.filter(|(_, v)| *v >= COUNTS * largest);
        partners.push(heavy.map(|(q, _)| *q).collect());
    }
    let guest = factor_graph(&partners, observer)?;
    // One slot a router.
    let mut slots = vec![0; n];
    for (slot, router) in problem.router.iter().enumerate() {
        slots[*router as usize] = slot as u32;
    }
    let mut neighbours = Vec::with_capacity(n);
    for router in &problem.router {
        let linked = problem.linked_routers(*router as usize).iter();
        let mut near: Vec<u32> = linked.map(|router| slots[*router as usize]).collect();
        near.sort_unstable();
        neighbours.push(near);
    }
    let host = factor_graph(&neighbours, observer)?;
    let chosen = assign_factors(&guest.factors, &host.factors)?;
    let mut walks = Vec::new();
    for (g, factor) in guest.factors.iter().enumerate() {
        let mut parts: Vec<usize> = (0..host.factors.len()).collect();
        parts.retain(|h| chosen[*h] == g);
        walks.push(walk_parts(factor, &parts, &host)?);
    }
    let mut slot = vec![0; n];
    for (at, process) in guest.vertices.iter().enumerate() {
        let mut rest = at;
        let mut vertex = 0;
        for (factor, walk) in guest.factors.iter().zip(&walks).rev() {
            vertex += walk[rest % factor.size];
            rest /= factor.size;
        }
        slot[*process as usize] = host.vertices[vertex];
    }
    Some(slot)
}

/// Chooses the guest's factor that each factor of the host serves, such that sizes multiply up and a walk exists; by
/// factor of the host. `None` if there is no such choice.
fn assign_factors(guest: &[Factor], host: &[Factor]) -> Option<Vec<usize>> {
    /// Completes `to`, the guest factors chosen for the first factors of the host. `left` is, by guest factor, the
    /// product that the sizes of further host factors must have.
    fn assign_rest(
        guest: &[Factor],
        left: &mut [usize],
        host: &[Factor],
        to: &mut Vec<usize>,
    ) -> bool {
        let Some(factor) = host.get(to.len()) else {
            return guest.iter().enumerate().all(|(g, factor)| {
                let serves = host.iter().zip(&*to).filter(|(_, to)| **to == g);
                has_walk(factor, &serves.map(|(part, _)| *part).collect::<Vec<_>>())
            });
        };
        for g in 0..guest.len() {
            if left[g].is_multiple_of(factor.size) {
                left[g] /= factor.size;
                to.push(g);
                if assign_rest(guest, left, host, to) {
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
    (assign_rest(guest, &mut left, host, &mut to)).then_some(to)
}

/// Checks whether a walk of this shape goes through all of these factors.
fn has_walk(factor: &Factor, parts: &[Factor]) -> bool {
    let size: usize = parts.iter().map(|p| p.size).product();
    size == factor.size
        && match (factor.shape, parts) {
            // A snake goes through any factors.
            (FactorShape::Path, _) => true,
            (FactorShape::Clique, parts) => {
                parts.len() == 1 && parts[0].shape == FactorShape::Clique
            }
            (FactorShape::Ring, [one]) => one.shape != FactorShape::Path,
            // A closed walk through a grid takes as many steps there as back.
            (FactorShape::Ring, many) => many.iter().any(|p| p.size.is_multiple_of(2)),
        }
}

/// Lays the guest's factor out, as parts of an index into the host's vertices: step by step one hop, and with a ring
/// also from the last to the first. `None` if no closed walk goes through the parts.
fn walk_parts(factor: &Factor, parts: &[usize], host: &ProductGraph) -> Option<Vec<usize>> {
    if factor.shape != FactorShape::Ring || parts.len() == 1 {
        return Some(walk_snake(parts, host));
    }
    // Rows of a snake through the others: out along all but their first places, back along those.
    let even = parts
        .iter()
        .position(|h| host.factors[*h].size.is_multiple_of(2))?;
    let mut others = parts.to_vec();
    let even = others.remove(even);
    let row = walk_snake(&others, host);
    let mut walk = vec![row[0]];
    walk.extend(repeat_along(&row[1..], even, host));
    let back = (1..host.factors[even].size).rev();
    walk.extend(back.map(|x| row[0] + x * index_stride(even, host)));
    Some(walk)
}

/// Walks through all `parts` as a snake, the last fastest.
fn walk_snake(parts: &[usize], host: &ProductGraph) -> Vec<usize> {
    let walk = parts.iter().rev();
    walk.fold(vec![0], |walk, h| repeat_along(&walk, *h, host))
}

/// Walks `row` at every position along the host's factor `h`, every second time backwards.
fn repeat_along(row: &[usize], h: usize, host: &ProductGraph) -> Vec<usize> {
    let mut walk = Vec::new();
    for x in 0..host.factors[h].size {
        let first = walk.len();
        walk.extend(row.iter().map(|at| at + x * index_stride(h, host)));
        if x % 2 == 1 {
            walk[first..].reverse();
        }
    }
    walk
}

/// Computes how much the index of a vertex grows from one position along the host's factor `h` to the next.
fn index_stride(h: usize, host: &ProductGraph) -> usize {
    host.factors[h + 1..].iter().map(|f| f.size).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::method::tests::{problem, shuffled};
    use crate::testing::build;
    use nodeorder_base::observer::NoObserver;

    /// Mean hops of a guest whose processes are numbered at random, on a machine in random order.
    fn mean(spec: &str, guest: &str) -> Option<f64> {
        let guest = shuffled(guest);
        let problem = problem(&build(spec), &guest, 6);
        let mut volume = 0.0;
        guest.for_each_message(|m| volume += m.volume);
        let slots = map_grid(&problem, &NoObserver)?;
        let mut used = slots.clone();
        used.sort_unstable();
        assert_eq!(used, (0..problem.len() as u32).collect::<Vec<_>>());
        Some(problem.hop_bytes(&slots) / volume)
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
