//! Elements of an arrangement: routers that carry nodes (or, parted, single nodes), and the distances between them.

use rayon::prelude::*;

use nodeorder_base::error::Result;
use nodeorder_base::ids::{NodeId, RouterId};
use nodeorder_network::topology::distance::Shape;
use nodeorder_network::topology::search::{WIDTH, each_batch};
use nodeorder_network::topology::{Metric, Topology};

/// Most axes of a network whose coordinates are kept as bytes.
pub(in crate::ordering) const MAX_AXES: usize = 8;

/// Tables of distances are kept below this, memory limit or not: beyond, closed forms are faster.
const TABLE_LIMIT: u64 = 1 << 30;

/// Elements to arrange, each standing for consecutive nodes.
#[derive(Debug)]
pub(in crate::ordering) struct Arrangement {
    /// The router of each element.
    pub routers: Vec<RouterId>,
    /// The first slot of each element on its router and how many nodes it stands for.
    pub nodes: Vec<Vec<NodeId>>,
    pub distances: Distances,
    /// Elements close to each element, nearest first: where a move may bring them together in rank.
    pub near: Near,
    pub diameter: u32,
}

/// How distances between elements are found.
#[derive(Debug)]
pub(in crate::ordering) enum Distances {
    /// Coordinates in bytes: `d = Σ min(|a-b|, wrap - |a-b|, cap)`.
    Lanes {
        axes: Vec<ByteAxis>,
        coordinates: Vec<[u8; MAX_AXES]>,
    },
    /// All pairs in bytes.
    Table { n: usize, bytes: Vec<u8> },
    /// A closed form, for networks too large for a table.
    Closed { metric: Metric, routers: Vec<u32> },
}

/// One axis of [`Distances::Lanes`]: a ring has its extent as `wrap`, a path twice that (never shorter the
/// other way), a clique `cap` 1.
#[derive(Clone, Copy, Debug)]
pub(in crate::ordering) struct ByteAxis {
    pub wrap: u8,
    pub cap: u8,
}

/// Lists of neighbours in one array.
#[derive(Debug)]
pub(in crate::ordering) struct Near {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Near {
    pub fn of(&self, element: u32) -> &[u32] {
        let e = element as usize;
        &self.all[self.starts[e] as usize..self.starts[e + 1] as usize]
    }
}

impl Arrangement {
    /// The schedulable nodes of `topology`, router by router, or one by one when `split`. Errors: more memory than
    /// allowed.
    pub fn new(topology: &Topology, split: bool) -> Result<Self> {
        topology.require_one_component("a search over all distances")?;
        topology.require(
            "the nodes of an arrangement",
            100 * topology.node_count() as u64,
        )?;
        let (mut routers, mut nodes) = (Vec::new(), Vec::new());
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
        let near = near(topology, &routers)?;
        let diameter = distances.diameter(topology);
        Ok(Arrangement {
            routers,
            nodes,
            distances,
            near,
            diameter,
        })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.routers.len()
    }

    /// The elements of a stretch of a sequence, numbered anew from 0 in its order; `index[e]` is the rank of element
    /// e in the sequence, `begin` that of the first of the stretch. What they stand for is left out. O(stretch), its square
    /// where distances are a table.
    pub fn part(&self, stretch: &[u32], index: &[u32], begin: u32) -> Arrangement {
        let routers = stretch.iter().map(|e| self.routers[*e as usize]).collect();
        let distances = match &self.distances {
            Distances::Lanes { axes, coordinates } => Distances::Lanes {
                axes: axes.clone(),
                coordinates: stretch.iter().map(|e| coordinates[*e as usize]).collect(),
            },
            Distances::Table { n, bytes } => {
                let pairs = stretch
                    .iter()
                    .flat_map(|a| stretch.iter().map(move |b| (*a, *b)));
                let hops = pairs.map(|(a, b)| bytes[a as usize * n + b as usize]);
                Distances::Table {
                    n: stretch.len(),
                    bytes: hops.collect(),
                }
            }
            Distances::Closed { metric, routers } => Distances::Closed {
                metric: metric.clone(),
                routers: stretch.iter().map(|e| routers[*e as usize]).collect(),
            },
        };
        let mut near = Near {
            starts: vec![0],
            all: Vec::new(),
        };
        for e in stretch {
            let ranks = self
                .near
                .of(*e)
                .iter()
                .map(|v| index[*v as usize].wrapping_sub(begin));
            near.all
                .extend(ranks.filter(|rank| (*rank as usize) < stretch.len()));
            near.starts.push(near.all.len() as u32);
        }
        Arrangement {
            routers,
            nodes: Vec::new(),
            distances,
            near,
            diameter: self.diameter,
        }
    }

    /// The nodes of a sequence of elements.
    pub fn expand(&self, order: &[u32]) -> Vec<NodeId> {
        order
            .iter()
            .flat_map(|e| self.nodes[*e as usize].iter().copied())
            .collect()
    }

    /// The sequence of elements behind an ordering of nodes: each where its first node stands.
    pub fn collapse(&self, topology: &Topology, order: &[NodeId]) -> Vec<u32> {
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

impl Distances {
    fn new(topology: &Topology, routers: &[RouterId]) -> Result<Self> {
        let metric = topology.metric();
        if let Some(lanes) = Distances::lanes(metric, routers) {
            return Ok(lanes);
        }
        let n = routers.len();
        let bytes = (n as u64).saturating_mul(n as u64);
        if matches!(metric, Metric::Hops) {
            return Distances::searched(topology, routers);
        }
        let memory = topology.context().memory.min(TABLE_LIMIT);
        // A looked-up byte is faster than a closed form, as long as the table fits.
        let far = topology.statistics()?.diameter;
        if bytes > memory || far > 255 {
            let routers = routers.iter().map(|r| r.0).collect();
            return Ok(Distances::Closed {
                metric: metric.clone(),
                routers,
            });
        }
        let mut table = vec![0u8; bytes as usize];
        table
            .par_chunks_mut(n.max(1))
            .enumerate()
            .for_each(|(a, row)| {
                for (b, d) in row.iter_mut().enumerate() {
                    *d = metric.between(routers[a], routers[b]).unwrap_or(0) as u8;
                }
            });
        Ok(Distances::Table { n, bytes: table })
    }

    /// Coordinates in bytes, where the metric is a sum over few and short axes.
    fn lanes(metric: &Metric, routers: &[RouterId]) -> Option<Self> {
        let Metric::Product(product) = metric else {
            return None;
        };
        let used: Vec<usize> = (0..product.axes.len())
            .filter(|i| product.axes[*i].extent > 1)
            .collect();
        if used.len() > MAX_AXES || product.diameter() > 255 {
            return None;
        }
        let lane = |i: &usize| {
            let axis = product.axes[*i];
            let extent = u8::try_from(axis.extent).ok()?;
            match axis.shape {
                Shape::Ring => Some(ByteAxis {
                    wrap: extent,
                    cap: u8::MAX,
                }),
                Shape::Path if extent <= 127 => Some(ByteAxis {
                    wrap: 2 * extent,
                    cap: u8::MAX,
                }),
                Shape::Clique if extent <= 127 => Some(ByteAxis {
                    wrap: 2 * extent,
                    cap: 1,
                }),
                _ => None,
            }
        };
        let axes = used.iter().map(lane).collect::<Option<Vec<ByteAxis>>>()?;
        let position = |router: &RouterId| {
            let mut x = [0; MAX_AXES];
            for (x, i) in x.iter_mut().zip(&used) {
                *x = product.coordinate(*i, router.0) as u8;
            }
            x
        };
        Some(Distances::Lanes {
            axes,
            coordinates: routers.iter().map(position).collect(),
        })
    }

    /// All pairs by searches on the router graph, 256 sources at once.
    fn searched(topology: &Topology, routers: &[RouterId]) -> Result<Self> {
        let n = routers.len();
        let bytes = (n as u64).saturating_mul(n as u64);
        topology.require("the distances between all routers", bytes)?;
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
                    search.expand(*router, &mut bytes);
                    row.copy_from_slice(&bytes[..batch.len()]);
                }
                Some(found)
            },
        )?;
        let mut table = vec![0u8; n * n];
        for (b, column) in columns.into_iter().enumerate() {
            let Some(found) = column else {
                let location = nodeorder_base::error::SourceLocation::option(topology.spec());
                let remedy = "orderings are optimised on networks of smaller diameter, and of links that count alike";
                return Err(nodeorder_base::error::Error::unsuited(
                    location,
                    "distances of 255 hops or more, or links with weights",
                    remedy,
                ));
            };
            let width = found.len() / n;
            for (row, part) in table.chunks_mut(n).zip(found.chunks(width)) {
                row[b * WIDTH..b * WIDTH + width].copy_from_slice(part);
            }
        }
        Ok(Distances::Table { n, bytes: table })
    }

    /// Hops between two elements.
    #[inline]
    pub fn between(&self, a: u32, b: u32) -> u32 {
        match self {
            Distances::Lanes { axes, coordinates } => {
                let (x, y) = (&coordinates[a as usize], &coordinates[b as usize]);
                let mut sum = 0;
                for (i, lane) in axes.iter().enumerate() {
                    let apart = x[i].abs_diff(y[i]);
                    sum += u32::from(apart.min(lane.wrap.wrapping_sub(apart)).min(lane.cap));
                }
                sum
            }
            Distances::Table { n, bytes } => u32::from(bytes[a as usize * n + b as usize]),
            Distances::Closed { metric, routers } => {
                let (a, b) = (RouterId(routers[a as usize]), RouterId(routers[b as usize]));
                metric.between(a, b).unwrap_or(0)
            }
        }
    }

    /// The distances from one element, where they are a table.
    pub fn row(&self, from: u32) -> Option<&[u8]> {
        match self {
            Distances::Table { n, bytes } => Some(&bytes[from as usize * n..][..*n]),
            _ => None,
        }
    }

    /// Σ over elements `to` of price times distance from one element.
    #[inline]
    pub fn priced(&self, from: u32, to: &[u32], prices: &[i16]) -> i64 {
        let pairs = to.iter().zip(prices);
        // One row of a table serves all.
        match self.row(from) {
            Some(row) => pairs
                .map(|(v, w)| i64::from(row[*v as usize]) * i64::from(*w))
                .sum(),
            None => pairs
                .map(|(v, w)| i64::from(self.between(from, *v)) * i64::from(*w))
                .sum(),
        }
    }

    fn diameter(&self, topology: &Topology) -> u32 {
        match (self, topology.metric()) {
            (Distances::Table { bytes, .. }, _) => {
                u32::from(bytes.par_iter().copied().max().unwrap_or(0))
            }
            (_, Metric::Product(product)) => product.diameter(),
            _ => topology.statistics().map_or(255, |s| s.diameter),
        }
    }
}

/// How many neighbours a list holds at least, where there are as many elements.
const NEAR: usize = 6;
/// And at most: on wide routers the lowest ids serve.
const NEAR_MAX: usize = 24;

/// For each element the elements in the nearest rings of hops around its router, whole rings until there
/// are [`NEAR`]. O(elements · what the rings hold).
fn near(topology: &Topology, routers: &[RouterId]) -> Result<Near> {
    let graph = topology.graph()?;
    let mut first = vec![u32::MAX; graph.router_count() + 1];
    for (e, router) in routers.iter().enumerate().rev() {
        first[router.index()] = e as u32;
    }
    // The elements of one router are consecutive.
    let at = |router: u32| {
        let from = first[router as usize];
        let own = routers.get(from as usize..).unwrap_or(&[]);
        let count = own.iter().take_while(|r| r.0 == router).count() as u32;
        from..from.saturating_add(count)
    };
    let mut seen = vec![u32::MAX; graph.router_count()];
    let (mut ring, mut next) = (Vec::new(), Vec::new());
    let mut lists = Near {
        starts: vec![0],
        all: Vec::new(),
    };
    for (e, router) in routers.iter().enumerate() {
        let begin = lists.all.len();
        ring.clear();
        ring.push(router.0);
        seen[router.index()] = e as u32;
        while lists.all.len() - begin < NEAR && !ring.is_empty() {
            for r in &ring {
                let room = NEAR_MAX.saturating_sub(lists.all.len() - begin);
                lists
                    .all
                    .extend(at(*r).filter(|o| *o != e as u32).take(room));
            }
            next.clear();
            for r in &ring {
                for v in graph.neighbours(RouterId(*r)) {
                    if std::mem::replace(&mut seen[*v as usize], e as u32) != e as u32 {
                        next.push(*v);
                    }
                }
            }
            std::mem::swap(&mut ring, &mut next);
        }
        lists.starts.push(lists.all.len() as u32);
    }
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::topology::Context;

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
                    let near = space.near.of(a as u32);
                    assert!(near.len() >= NEAR.min(space.len() - 1), "{spec}");
                    assert!(near.iter().all(|b| *b != a as u32));
                }
                let all: Vec<u32> = (0..space.len() as u32).rev().collect();
                assert_eq!(space.collapse(&topology, &space.expand(&all)), all);
            }
        }
    }
}
