//! Graphs that are products of paths, rings and cliques, whatever their vertices are called.

use petgraph::unionfind::UnionFind;

use nodeorder_base::Observer;
use nodeorder_network::topology::number_sets;

/// A graph as a Cartesian product: every vertex has a position on every factor, and an edge changes just one position.
pub struct ProductGraph {
    /// Paths, rings and cliques that the graph is a product of.
    pub factors: Vec<Factor>,
    /// Vertices by their positions, the last factor fastest.
    pub vertices: Vec<u32>,
}

/// A path, ring or clique; vertices numbered along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    pub size: usize,
    pub shape: FactorShape,
}

/// Shape of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorShape {
    Path,
    /// A ring of five or more; one of four is a product of two paths of two.
    Ring,
    /// A clique of three or more.
    Clique,
}

/// Largest number of factors: as many as a hypercube of 2¹⁶ vertices has.
const MOST_FACTORS: usize = 16;

/// Largest number of neighbours of a vertex; with more, the time, which grows with their third power, is too long.
const MOST_NEIGHBOURS: usize = 64;

/// Takes a connected graph apart; `None` where it is no product of paths, rings and cliques, or `observer` says to
/// stop. `neighbours` are those of every vertex, ascending.
///
/// Opposite edges of a square that is the only one over two edges of a vertex belong to one factor, and so do two
/// edges of a vertex that span no such square. Positions on a factor are the components without its edges. Since
/// this may be wrong on other graphs, every vertex and edge is checked. O(vertices · degree³).
///
/// # References
/// Feder, "Product graph representations", J. Graph Theory 16(5), 1992,
/// <https://doi.org/10.1002/jgt.3190160508>.
pub fn factor_graph(neighbours: &[Vec<u32>], observer: &dyn Observer) -> Option<ProductGraph> {
    let n = neighbours.len();
    let mut degrees = neighbours.iter().map(Vec::len);
    if n < 2 || !degrees.all(|degree| (1..=MOST_NEIGHBOURS).contains(&degree)) {
        return None;
    }
    let (class, classes) = edge_classes(neighbours, observer)?;
    if classes > MOST_FACTORS {
        return None;
    }
    let edges = |v: usize| class.first[v]..class.first[v + 1];
    let mut position = vec![Vec::new(); classes];
    let mut sizes = Vec::new();
    for (factor, position) in position.iter_mut().enumerate() {
        let mut joined = UnionFind::<u32>::new(n);
        for (v, near) in neighbours.iter().enumerate() {
            for (w, edge) in near.iter().zip(edges(v)) {
                if class.of[edge] as usize != factor {
                    joined.union(v as u32, *w);
                }
            }
        }
        *position = number_sets(joined);
        sizes.push(count_sets(position));
    }
    let mut sizes_left = sizes.iter();
    if sizes_left.try_fold(1usize, |all, size| all.checked_mul(*size)) != Some(n) {
        return None;
    }
    let mut factors = Vec::new();
    for factor in 0..classes {
        let mut links = vec![Vec::new(); sizes[factor]];
        for v in 0..n {
            for (w, edge) in neighbours[v].iter().zip(edges(v)) {
                let from = position[factor][v];
                let to = position[factor][*w as usize];
                // An edge leaves its own factor's position and no other's.
                if (class.of[edge] as usize == factor) != (from != to) {
                    return None;
                }
                if from != to && !links[from as usize].contains(&to) {
                    links[from as usize].push(to);
                }
            }
        }
        // Every vertex has an edge for every link of its position.
        for v in 0..n {
            let own = edges(v).filter(|e| class.of[*e] as usize == factor);
            if own.count() != links[position[factor][v] as usize].len() {
                return None;
            }
        }
        let (shape, along) = shape_of(&links)?;
        for at in &mut position[factor] {
            *at = along[*at as usize];
        }
        factors.push(Factor {
            size: sizes[factor],
            shape,
        });
    }
    let mut vertices = vec![u32::MAX; n];
    for v in 0..n as u32 {
        let at = position.iter().zip(&sizes);
        vertices[at.fold(0, |at, (p, size)| at * size + p[v as usize] as usize)] = v;
    }
    // Two vertices in one place leave another without any.
    (!vertices.contains(&u32::MAX)).then_some(ProductGraph { factors, vertices })
}

/// Counts the sets, from the number of each member's set.
fn count_sets(numbers: &[u32]) -> usize {
    numbers.iter().max().map_or(0, |last| *last as usize + 1)
}

/// Factor of every edge, seen from either end.
struct EdgeFactors {
    /// Index of each vertex's first edge, and at last the number of all.
    first: Vec<usize>,
    /// Index of the factor that each edge belongs to.
    of: Vec<u32>,
}

/// Finds the factor of every edge, and the number of factors; `None` if `observer` says to stop.
fn edge_classes(neighbours: &[Vec<u32>], observer: &dyn Observer) -> Option<(EdgeFactors, usize)> {
    let mut first = vec![0];
    for near in neighbours {
        first.push(first[first.len() - 1] + near.len());
    }
    let edge = |v: u32, w: u32| {
        let at = neighbours[v as usize].binary_search(&w).unwrap_or(0);
        (first[v as usize] + at) as u32
    };
    let mut joined = UnionFind::<u32>::new(first[neighbours.len()]);
    for (u, near) in (0..).zip(neighbours) {
        if observer.should_stop() {
            return None;
        }
        for (i, v) in near.iter().enumerate() {
            joined.union(edge(u, *v), edge(*v, u));
            for w in &near[..i] {
                let beside = &neighbours[*w as usize];
                let mut common = neighbours[*v as usize]
                    .iter()
                    .filter(|x| **x != u && beside.binary_search(x).is_ok());
                // The fourth corner of a square, of which there is only one.
                match (common.next(), common.next()) {
                    (Some(x), None) if beside.binary_search(v).is_err() => {
                        joined.union(edge(u, *v), edge(*w, *x));
                        joined.union(edge(u, *w), edge(*v, *x));
                    }
                    _ => _ = joined.union(edge(u, *v), edge(u, *w)),
                }
            }
        }
    }
    let of = number_sets(joined);
    let count = count_sets(&of);
    Some((EdgeFactors { first, of }, count))
}

/// Finds the shape of a connected graph, and the number of every vertex along it; `None` if it is no path, ring or
/// clique.
fn shape_of(links: &[Vec<u32>]) -> Option<(FactorShape, Vec<u32>)> {
    let n = links.len();
    if n > 2 && links.iter().all(|near| near.len() == n - 1) {
        return Some((FactorShape::Clique, (0..n as u32).collect()));
    }
    if links.iter().any(|near| near.len() > 2) {
        return None;
    }
    let shape = match links.iter().filter(|near| near.len() == 1).count() {
        2 => FactorShape::Path,
        0 => FactorShape::Ring,
        _ => return None,
    };
    // From an end of a path, or from anywhere on a ring, on to what has no number yet.
    let mut along = vec![u32::MAX; n];
    let mut at = links.iter().position(|near| near.len() == 1).unwrap_or(0);
    for number in 0..n as u32 {
        along[at] = number;
        let mut next = links[at].iter().map(|next| *next as usize);
        match next.find(|next| along[*next] == u32::MAX) {
            Some(next) => at = next,
            None => return (number as usize + 1 == n).then_some((shape, along)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::RouterId;
    use nodeorder_base::observer::NoObserver;
    use nodeorder_network::{Context, Topology};
    use nodeorder_order::NodeOrder;

    /// The router graph of a machine, its routers numbered at random.
    fn shuffled(spec: &str) -> Vec<Vec<u32>> {
        let topology = Topology::inline(spec, &Context::default()).unwrap();
        let graph = topology.graph().unwrap();
        let order = NodeOrder::make(&topology, "random:seed=3").unwrap();
        let name = |r: u32| order.nodes()[r as usize].0;
        let mut neighbours = vec![Vec::new(); graph.router_count()];
        for r in 0..graph.router_count() as u32 {
            let near = graph.neighbours(RouterId(r)).iter().map(|v| name(*v));
            neighbours[name(r) as usize] = near.collect();
            neighbours[name(r) as usize].sort_unstable();
        }
        neighbours
    }

    #[test]
    fn grids_are_found_whatever_their_numbers() {
        use FactorShape::{Clique, Path, Ring};
        for (spec, expected) in [
            ("mesh:7", vec![(7, Path)]),
            ("torus:5x7", vec![(5, Ring), (7, Ring)]),
            ("grid:6x3x5,wrap=100", vec![(3, Path), (5, Path), (6, Ring)]),
            // A ring of four is a square.
            ("torus:4x3", vec![(2, Path), (2, Path), (3, Clique)]),
            ("hyperx:5x4", vec![(4, Clique), (5, Clique)]),
            ("mesh:2x2x2x2", vec![(2, Path); 4]),
        ] {
            let found =
                factor_graph(&shuffled(spec), &NoObserver).unwrap_or_else(|| panic!("{spec}"));
            let mut factors: Vec<_> = found.factors.iter().map(|f| (f.size, f.shape)).collect();
            factors.sort_by_key(|(size, _)| *size);
            assert_eq!(factors, expected, "{spec}");
        }
    }

    #[test]
    fn other_graphs_are_no_products() {
        for spec in [
            "random-regular:n=60,d=4,seed=2",
            "watts-strogatz:n=36,k=4,p=0.1,seed=1",
            "dragonfly:p=1,a=4,h=2",
        ] {
            assert!(
                factor_graph(&shuffled(spec), &NoObserver).is_none(),
                "{spec}"
            );
        }
        // A grid with a link more, or one less.
        let mut grid = shuffled("mesh:5x6");
        let far = *grid[0].last().unwrap();
        grid[0].retain(|v| *v != far);
        grid[far as usize].retain(|v| *v != 0);
        assert!(factor_graph(&grid, &NoObserver).is_none());
    }
}
