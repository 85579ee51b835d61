//! Directed links: every link of the router graph twice, both directions apart, each with an index.

use std::ops::Range;

use crate::error::Result;
use crate::ids::RouterId;
use crate::topology::Topology;

/// The directed links of a machine, sorted by the router they leave, then by the one they enter. Loads are
/// arrays in this order.
#[derive(Clone, Debug)]
pub struct Links {
    first: Vec<usize>,
    heads: Vec<u32>,
    capacity: Vec<f64>,
    /// What a hop counts; empty where all count 1.
    weight: Vec<u32>,
}

impl Links {
    /// Collects the links of `topology`. O(links) time and memory.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the router graph does not fit.
    pub fn new(topology: &Topology) -> Result<Self> {
        let graph = topology.graph()?;
        let (routers, arcs) = (graph.router_count(), 2 * graph.link_count());
        let mut links = Links {
            first: Vec::with_capacity(routers + 1),
            heads: Vec::with_capacity(arcs),
            capacity: Vec::with_capacity(arcs),
            weight: Vec::new(),
        };
        links.first.push(0);
        for router in (0..routers).map(|r| RouterId(r as u32)) {
            links.heads.extend_from_slice(graph.neighbours(router));
            links.capacity.extend_from_slice(graph.capacities(router));
            if graph.is_weighted() {
                links.weight.extend(graph.weights(router));
            }
            links.first.push(links.heads.len());
        }
        Ok(links)
    }

    /// Number of directed links: twice the links.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none: a machine of one router.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Number of routers.
    pub fn routers(&self) -> usize {
        self.first.len() - 1
    }

    /// The links that leave `router`.
    #[inline]
    pub fn leaving(&self, router: u32) -> Range<usize> {
        self.first[router as usize]..self.first[router as usize + 1]
    }

    /// Where the links that leave `router` lead, ascending, in the order of [`Links::leaving`].
    #[inline]
    pub fn heads(&self, router: u32) -> &[u32] {
        &self.heads[self.leaving(router)]
    }

    /// The two routers of link `index`: from, to. O(log routers).
    pub fn ends(&self, index: usize) -> (u32, u32) {
        let from = self.first.partition_point(|first| *first <= index) - 1;
        (from as u32, self.heads[index])
    }

    /// The router that link `index` enters.
    #[inline]
    pub fn head(&self, index: usize) -> u32 {
        self.heads[index]
    }

    /// The link from one router to another, if they are joined. O(log degree).
    pub fn index(&self, from: u32, to: u32) -> Option<usize> {
        let found = self.heads(from).binary_search(&to);
        found.ok().map(|i| self.first[from as usize] + i)
    }

    /// The capacity of link `index`; 1 is an ordinary link.
    #[inline]
    pub fn capacity(&self, index: usize) -> f64 {
        self.capacity[index]
    }

    /// What a hop over link `index` counts in distances.
    #[inline]
    pub fn weight(&self, index: usize) -> f64 {
        self.weight.get(index).map_or(1.0, |weight| f64::from(*weight))
    }

    /// `(from, to, index)` of every directed link, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        (0..self.routers() as u32)
            .flat_map(move |from| self.leaving(from).map(move |i| (from, self.heads[i], i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Context;

    #[test]
    fn every_link_stands_twice_and_is_found() {
        let torus = Topology::inline("torus:4x2x3,double=true", &Context::default()).unwrap();
        let links = Links::new(&torus).unwrap();
        assert_eq!(links.len(), 2 * torus.graph().unwrap().link_count());
        let mut doubled = 0;
        for (i, (from, to, index)) in links.iter().enumerate() {
            assert_eq!((i, links.ends(index), links.index(from, to)), (index, (from, to), Some(i)));
            let back = links.index(to, from).unwrap();
            assert_eq!(links.capacity(back), links.capacity(index));
            doubled += usize::from(links.capacity(index) == 2.0);
        }
        assert_eq!(doubled, 2 * 12);
        assert_eq!(links.index(0, 0), None);
    }
}
