//! Elements of an arrangement, and the distances between them.
//!
//! What a search arranges are elements: the routers that carry nodes, each with all of its nodes, or, split, the
//! single nodes. They are numbered from 0; a sequence of these numbers expands to an ordering of nodes. Distances
//! between elements are looked up millions of times, so they are kept in the fastest of four forms that the network
//! allows.

use rayon::prelude::*;

use crate::ordering::constructions::traversal::list_next_ring;
use nodeorder_base::{NodeId, Result, RouterId};
use nodeorder_network::topology::distance::Shape;
use nodeorder_network::topology::search::{WIDTH, each_batch};
use nodeorder_network::{Metric, Topology};

/// Largest number of axes of a network whose coordinates are kept as bytes.
pub(in crate::ordering) const MAX_AXES: usize = 8;

/// Largest table of distances in bytes, memory limit or not: beyond, closed forms are faster.
const TABLE_LIMIT: u64 = 1 << 30;

/// Elements to arrange, each standing for consecutive nodes of one router.
#[derive(Debug)]
pub(in crate::ordering) struct Arrangement {
    /// Router of each element.
    pub routers: Vec<RouterId>,
    /// Schedulable nodes that each element stands for, in id order.
    pub nodes: Vec<Vec<NodeId>>,
    pub distances: Distances,
    /// Elements close to each element in the network: where a move may bring them together in rank.
    pub near: NeighbourLists,
    /// Upper bound on the distances.
    pub diameter: u32,
}

/// Distances between elements, in one of four forms.
#[derive(Debug)]
pub(in crate::ordering) enum Distances {
    /// Coordinates in bytes: `d = Σ min(|a-b|, wrap - |a-b|, cap)` over the axes.
    ByteCoordinates {
        axes: Vec<ByteAxis>,
        coordinates: Vec<[u8; MAX_AXES]>,
    },
    /// All pairs in bytes, row by row.
    Table { n: usize, bytes: Vec<u8> },
    /// All pairs where some are farther apart or links have weights.
    Wide { n: usize, far: Vec<u32> },
    /// A closed form between routers, for networks too large for a table.
    Closed {
        metric: Metric,
        routers: Vec<RouterId>,
    },
}

/// One axis of [`Distances::ByteCoordinates`]: a ring has its extent as `wrap`, a path twice that (never shorter the
/// other way), a clique `cap` 1.
#[derive(Clone, Copy, Debug)]
pub(in crate::ordering) struct ByteAxis {
    pub wrap: u8,
    pub cap: u8,
}

impl ByteAxis {
    /// Makes the axis of this shape and extent. `None` if a byte cannot hold it.
    fn new(shape: Shape, extent: u32) -> Option<Self> {
        let extent = u8::try_from(extent).ok()?;
        let doubled = extent.checked_mul(2);
        let (wrap, cap) = match shape {
            Shape::Ring => (extent, u8::MAX),
            Shape::Path => (doubled?, u8::MAX),
            Shape::Clique => (doubled?, 1),
        };
        Some(ByteAxis { wrap, cap })
    }

    /// Computes the distance along the axis between coordinates that differ by `apart`: on rings, the shorter way.
    #[inline(always)]
    pub fn shorten_way(self, apart: u8) -> u8 {
        apart.min(self.wrap.wrapping_sub(apart)).min(self.cap)
    }
}

/// Lists of nearby elements, one for each element, in one array.
#[derive(Debug)]
pub(in crate::ordering) struct NeighbourLists {
    /// Begin of each list in `all`, and the end of the last.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Default for NeighbourLists {
    fn default() -> Self {
        NeighbourLists {
            starts: vec![0],
            all: Vec::new(),
        }
    }
}

impl NeighbourLists {
    /// Lists the elements near `element`, nearest first.
    pub fn list_of(&self, element: u32) -> &[u32] {
        let e = element as usize;
        &self.all[self.starts[e] as usize..self.starts[e + 1] as usize]
    }

    /// Ends the list of one element.
    fn end_list(&mut self) {
        self.starts.push(self.all.len() as u32);
    }
}

impl Arrangement {
    /// Lists the schedulable nodes of `topology`, router by router, or one by one when `split`. Fails if it has
    /// several components, or more memory than allowed would be needed.
    pub fn new(topology: &Topology, split: bool) -> Result<Self> {
        topology.require_one_component("a search over all distances")?;
        topology.require_memory(
            "the nodes of an arrangement",
            100 * topology.node_count() as u64,
        )?;
        let mut routers = Vec::new();
        let mut nodes = Vec::new();
        for router in (0..topology.network().hosts()).map(RouterId) {
            let here: Vec<NodeId> = topology.nodes_of(router).collect();
            if split {
                routers.extend(here.iter().map(|_| router));
                nodes.extend(here.into_iter().map(|n| vec![n]));
            } else if !here.is_empty() {
                routers.push(router);
                nodes.push(here);
            }
        }
        let distances = Distances::new(topology, &routers)?;
        let near = list_near(topology, &routers)?;
        let diameter = distances.largest_distance(topology);
        Ok(Arrangement {
            routers,
            nodes,
            distances,
            near,
            diameter,
        })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.routers.len()
    }

    /// Copies the elements of a stretch of a sequence, numbered anew from 0 in its order; `index[e]` is the rank
    /// of element e in the sequence, `begin` that of the first of the stretch. The nodes that they stand for are
    /// left out. O(stretch), its square where distances are a table.
    pub fn restricted_to(&self, stretch: &[u32], index: &[u32], begin: u32) -> Arrangement {
        let mut near = NeighbourLists::default();
        for e in stretch {
            let ranks = self
                .near
                .list_of(*e)
                .iter()
                .map(|v| index[*v as usize].wrapping_sub(begin));
            near.all
                .extend(ranks.filter(|rank| (*rank as usize) < stretch.len()));
            near.end_list();
        }
        Arrangement {
            routers: pick_values(&self.routers, stretch),
            nodes: Vec::new(),
            distances: self.distances.restricted_to(stretch),
            near,
            diameter: self.diameter,
        }
    }

    /// Lists the nodes of a sequence of elements.
    pub fn to_nodes(&self, order: &[u32]) -> Vec<NodeId> {
        order
            .iter()
            .flat_map(|e| self.nodes[*e as usize].iter().copied())
            .collect()
    }

    /// Finds the sequence of elements behind an ordering of nodes: each where its first node stands.
    pub fn to_elements(&self, topology: &Topology, order: &[NodeId]) -> Vec<u32> {
        let mut element = vec![u32::MAX; topology.nodes().slot_count() as usize];
        for (e, nodes) in self.nodes.iter().enumerate() {
            nodes.iter().for_each(|n| element[n.index()] = e as u32);
        }
        let mut seen = vec![false; self.len()];
        let firsts = order.iter().map(|n| element[n.index()]);
        firsts
            .filter(|e| !std::mem::replace(&mut seen[*e as usize], true))
            .collect()
    }
}

/// Picks the values at some indices.
fn pick_values<T: Copy>(values: &[T], indices: &[u32]) -> Vec<T> {
    indices.iter().map(|i| values[*i as usize]).collect()
}

/// Copies the values between the elements at these indices, from a table of `n` rows of `n`.
fn pick_pairs<T: Copy>(table: &[T], n: usize, indices: &[u32]) -> Vec<T> {
    let rows = indices
        .iter()
        .map(|row| pick_values(&table[*row as usize * n..], indices));
    rows.collect::<Vec<_>>().concat()
}

impl Distances {
    /// Chooses the form for a topology and makes it. Fails if more memory than allowed would be needed.
    fn new(topology: &Topology, routers: &[RouterId]) -> Result<Self> {
        let metric = topology.metric();
        if let Metric::Hops = metric {
            return Distances::search_all_pairs(topology, routers);
        }
        if let Some(lanes) = Distances::as_byte_coordinates(metric, routers) {
            return Ok(lanes);
        }
        let n = routers.len();
        // A looked-up byte is faster than a closed form, as long as the table fits.
        let memory = topology.context().memory.min(TABLE_LIMIT);
        if table_size(n) > memory || topology.statistics()?.diameter > u32::from(u8::MAX) {
            return Ok(Distances::Closed {
                metric: metric.clone(),
                routers: routers.to_vec(),
            });
        }
        let mut bytes = vec![0u8; n * n];
        let rows = bytes.par_chunks_mut(n.max(1)).zip(routers);
        rows.for_each(|(row, a)| {
            for (d, b) in row.iter_mut().zip(routers) {
                *d = metric.distance_between(*a, *b).unwrap_or(0) as u8;
            }
        });
        Ok(Distances::Table { n, bytes })
    }

    /// Computes coordinates in bytes. `None` if the metric is no sum over few and short axes.
    fn as_byte_coordinates(metric: &Metric, routers: &[RouterId]) -> Option<Self> {
        let Metric::Product(product) = metric else {
            return None;
        };
        let used: Vec<usize> = (0..product.axes.len())
            .filter(|i| product.axes[*i].extent > 1)
            .collect();
        if used.len() > MAX_AXES || product.diameter() > 255 {
            return None;
        }
        let axes = used
            .iter()
            .map(|i| ByteAxis::new(product.axes[*i].shape, product.axes[*i].extent))
            .collect::<Option<Vec<ByteAxis>>>()?;
        let mut coordinates = vec![[0; MAX_AXES]; routers.len()];
        for (position, router) in coordinates.iter_mut().zip(routers) {
            for (x, i) in position.iter_mut().zip(&used) {
                *x = product.coordinate(*i, router.0) as u8;
            }
        }
        Some(Distances::ByteCoordinates { axes, coordinates })
    }

    /// Fills the table of all pairs by searches on the router graph, 256 sources at once.
    fn search_all_pairs(topology: &Topology, routers: &[RouterId]) -> Result<Self> {
        let n = routers.len();
        topology.require_memory("the distances between all routers", table_size(n))?;
        // Distances are symmetric: what a batch finds at a router is a stretch of that router's row.
        let columns = each_batch(
            topology,
            topology.graph()?,
            routers,
            |search, batch, far| {
                far?;
                let mut found = vec![0u8; n * batch.len()];
                let mut bytes = [0u8; WIDTH];
                for (row, router) in found.chunks_mut(batch.len()).zip(routers) {
                    search.expand_hops(*router, &mut bytes);
                    row.copy_from_slice(&bytes[..batch.len()]);
                }
                Some(found)
            },
        )?;
        let mut table = vec![0u8; n * n];
        for (b, column) in columns.into_iter().enumerate() {
            let Some(found) = column else {
                return Distances::search_wide(topology, routers);
            };
            let width = found.len() / n;
            for (row, part) in table.chunks_mut(n).zip(found.chunks(width)) {
                row[b * WIDTH..b * WIDTH + width].copy_from_slice(part);
            }
        }
        Ok(Distances::Table { n, bytes: table })
    }

    /// Fills the table of all pairs by a search from each router, for distances that are not in bytes.
    fn search_wide(topology: &Topology, routers: &[RouterId]) -> Result<Self> {
        let n = routers.len();
        topology.require_memory("the distances between all routers", 4 * table_size(n))?;
        let graph = topology.graph()?;
        let rows = routers.par_iter().map(|from| {
            let far = graph.hops_from(*from);
            let row = routers.iter().map(|to| far[to.index()]);
            row.collect::<Vec<u32>>()
        });
        let far = rows.flatten_iter().collect();
        Ok(Distances::Wide { n, far })
    }

    /// Copies the distances between some elements, numbered anew in their order.
    fn restricted_to(&self, elements: &[u32]) -> Self {
        match self {
            Distances::ByteCoordinates { axes, coordinates } => Distances::ByteCoordinates {
                axes: axes.clone(),
                coordinates: pick_values(coordinates, elements),
            },
            Distances::Table { n, bytes } => Distances::Table {
                n: elements.len(),
                bytes: pick_pairs(bytes, *n, elements),
            },
            Distances::Wide { n, far } => Distances::Wide {
                n: elements.len(),
                far: pick_pairs(far, *n, elements),
            },
            Distances::Closed { metric, routers } => Distances::Closed {
                metric: metric.clone(),
                routers: pick_values(routers, elements),
            },
        }
    }

    /// Computes the hops between two elements.
    #[inline]
    pub fn between(&self, a: u32, b: u32) -> u32 {
        let a = a as usize;
        let b = b as usize;
        match self {
            Distances::ByteCoordinates { axes, coordinates } => {
                let x = &coordinates[a];
                let y = &coordinates[b];
                let mut sum = 0;
                for (i, lane) in axes.iter().enumerate() {
                    let apart = x[i].abs_diff(y[i]);
                    // `wrap` is never below `apart`: wrapping spares the check of an overflow.
                    sum += u32::from(lane.shorten_way(apart));
                }
                sum
            }
            Distances::Table { n, bytes } => u32::from(bytes[a * n + b]),
            Distances::Wide { n, far } => far[a * n + b],
            Distances::Closed { metric, routers } => {
                metric.distance_between(routers[a], routers[b]).unwrap_or(0)
            }
        }
    }

    /// Computes the distances of all pairs of some elements, row by row.
    pub fn matrix(&self, elements: impl Iterator<Item = u32> + Clone) -> Vec<i64> {
        let mut matrix = Vec::new();
        for a in elements.clone() {
            matrix.extend(elements.clone().map(|b| i64::from(self.between(a, b))));
        }
        matrix
    }

    /// Looks up the distances from one element. `None` if they are no table.
    pub fn table_row(&self, from: u32) -> Option<&[u8]> {
        match self {
            Distances::Table { n, bytes } => Some(&bytes[from as usize * n..][..*n]),
            _ => None,
        }
    }

    /// Adds up, over elements `to`, price times distance from one element.
    #[inline]
    pub fn sum_priced(&self, from: u32, to: &[u32], prices: &[i16]) -> i64 {
        let pairs = to.iter().zip(prices);
        // One row of a table serves all.
        match self.table_row(from) {
            Some(row) => pairs
                .map(|(v, w)| i64::from(row[*v as usize]) * i64::from(*w))
                .sum(),
            None => pairs
                .map(|(v, w)| i64::from(self.between(from, *v)) * i64::from(*w))
                .sum(),
        }
    }

    /// Finds the largest distance, or where that would take a search, one that none exceeds.
    fn largest_distance(&self, topology: &Topology) -> u32 {
        match (self, topology.metric()) {
            (Distances::Table { bytes, .. }, _) => {
                u32::from(bytes.par_iter().copied().max().unwrap_or(0))
            }
            (Distances::Wide { far, .. }, _) => far.iter().copied().max().unwrap_or(0),
            (_, Metric::Product(product)) => product.diameter(),
            _ => topology.statistics().map_or(255, |s| s.diameter),
        }
    }
}

/// Computes the bytes of a table of all pairs of n elements.
fn table_size(n: usize) -> u64 {
    (n as u64).saturating_mul(n as u64)
}

/// Least number of elements in a list of nearby elements, if the arrangement has as many.
const NEAR: usize = 6;

/// Largest number of elements in a list of nearby elements: on routers with more, the lowest ids are taken.
const NEAR_MAX: usize = 24;

/// Lists for each element the elements in the nearest rings of hops around its router, whole rings until there
/// are [`NEAR`]. O(elements · what the rings hold).
fn list_near(topology: &Topology, routers: &[RouterId]) -> Result<NeighbourLists> {
    let graph = topology.graph()?;
    // The elements of one router are consecutive.
    let mut elements = vec![0..0; graph.router_count()];
    for (e, router) in (0u32..).zip(routers) {
        let own = &mut elements[router.index()];
        if own.end == 0 {
            own.start = e;
        }
        own.end = e + 1;
    }
    let mut seen = vec![u32::MAX; graph.router_count()];
    let mut ring = Vec::new();
    let mut next = Vec::new();
    let mut lists = NeighbourLists::default();
    for (e, router) in (0u32..).zip(routers) {
        let begin = lists.all.len();
        ring.clear();
        ring.push(router.0);
        seen[router.index()] = e;
        while lists.all.len() - begin < NEAR && !ring.is_empty() {
            for r in &ring {
                let room = NEAR_MAX.saturating_sub(lists.all.len() - begin);
                let others = elements[*r as usize].clone().filter(|other| *other != e);
                lists.all.extend(others.take(room));
            }
            list_next_ring(graph, &ring, e, &mut seen, &mut next);
            std::mem::swap(&mut ring, &mut next);
        }
        lists.end_list();
    }
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    #[test]
    fn every_kind_of_distance_is_the_topology_s() {
        for spec in [
            "torus:5x4x2,per_router=2",
            "mesh:7x3,exclude=4",
            "hyperx:4x3",
            "fat-tree:k=4",
            "cascade:3x2x3,global=single",
            "dragonfly:p=1,a=3,h=1,g=4,global=absolute",
            "mesh:200",
            "torus:300",
        ] {
            for split in [false, true] {
                let topology = Topology::inline(spec, &Context::default()).unwrap();
                let space = Arrangement::new(&topology, split).unwrap();
                for a in 0..space.len() {
                    for b in 0..space.len() {
                        let (x, y) = (space.nodes[a][0], space.nodes[b][0]);
                        let d = space.distances.between(a as u32, b as u32);
                        assert_eq!(d, topology.distance(x, y), "{spec}");
                        assert!(d <= space.diameter, "{spec}");
                    }
                    let near = space.near.list_of(a as u32);
                    assert!(near.len() >= NEAR.min(space.len() - 1), "{spec}");
                    assert!(near.iter().all(|b| *b != a as u32));
                }
                let all: Vec<u32> = (0..space.len() as u32).rev().collect();
                assert_eq!(space.to_elements(&topology, &space.to_nodes(&all)), all);
            }
        }
    }
}
