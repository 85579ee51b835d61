//! Breadth-first search that stops when everyone who matters has been reached.

use super::super::demand::Flow;
use super::super::links::Links;

/// Routers not reached yet.
pub(crate) const UNSEEN: u32 = u32::MAX;

/// A search with its buffers, reused from root to root: what one search touched is what the next one
/// clears, so that small jobs on large machines cost little.
///
/// What a walk over the links looks up stands in arrays of its own, and no look-up is a branch: that is half
/// the time on networks without pattern.
#[derive(Debug)]
pub(crate) struct Wave {
    /// Hops from the root, by router; [`UNSEEN`] where it was not reached.
    pub hops: Vec<u32>,
    /// Number of shortest paths from the root, by router.
    pub paths: Vec<f64>,
    /// Left to whoever walks back; zero at first.
    pub share: Vec<f64>,
    /// Traffic of each router with the root; zero where there is none.
    pub wanted: Vec<f64>,
    /// The routers reached, by distance, and one place more to write to.
    queue: Vec<u32>,
    /// How many the queue holds.
    queued: usize,
    /// How many of the queue have been looked at: their paths are all counted.
    done: usize,
}

impl Wave {
    pub fn new(routers: usize) -> Self {
        Wave {
            hops: vec![UNSEEN; routers],
            paths: vec![0.0; routers],
            share: vec![0.0; routers],
            wanted: vec![0.0; routers],
            queue: vec![0; routers + 1],
            queued: 0,
            done: 0,
        }
    }

    /// Searches from `root` until all routers of `row` are reached, counting shortest paths.
    pub fn run(&mut self, links: &Links, root: u32, row: &[Flow]) {
        for router in &self.queue[..self.queued] {
            let router = *router as usize;
            self.hops[router] = UNSEEN;
            (self.paths[router], self.share[router], self.wanted[router]) = (0.0, 0.0, 0.0);
        }
        for flow in row {
            self.wanted[flow.router as usize] = flow.volume;
        }
        (self.hops[root as usize], self.paths[root as usize]) = (0, 1.0);
        self.queue[0] = root;
        (self.queued, self.done) = (1, 0);
        let mut left = row.len();
        while left > 0 && self.done < self.queued {
            let u = self.queue[self.done] as usize;
            self.done += 1;
            left -= usize::from(self.wanted[u] > 0.0);
            let (hops, paths) = (self.hops[u] + 1, self.paths[u]);
            for &v in links.heads(u as u32) {
                let there = &mut self.hops[v as usize];
                let fresh = *there == UNSEEN;
                *there = if fresh { hops } else { *there };
                self.paths[v as usize] += if *there == hops { paths } else { 0.0 };
                self.queue[self.queued] = v;
                self.queued += usize::from(fresh);
            }
        }
    }

    /// The routers whose shortest paths are all known, by distance.
    pub fn reached(&self) -> usize {
        self.done
    }

    /// The `i`-th of them.
    #[inline]
    pub fn router(&self, i: usize) -> u32 {
        self.queue[i]
    }
}
