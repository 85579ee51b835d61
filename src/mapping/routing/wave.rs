//! Breadth-first search that stops when everyone who matters has been reached.

use super::super::demand::Flow;
use super::super::links::Links;

/// Routers not reached yet.
pub(crate) const UNSEEN: u32 = u32::MAX;

/// What a search knows of a router.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Hops from the root.
    pub hops: u32,
    /// Number of shortest paths from the root, where they are counted.
    pub paths: f64,
    /// Left to whoever walks back.
    pub share: f64,
}

const FRESH: Seen = Seen { hops: UNSEEN, paths: 0.0, share: 0.0 };

/// A search with its buffers, reused from root to root: what one search touched is what the next one
/// clears, so that small jobs on large machines cost little.
#[derive(Debug)]
pub(crate) struct Wave {
    /// By router.
    pub seen: Vec<Seen>,
    /// Traffic of each router with the root; zero where there is none.
    pub wanted: Vec<f64>,
    queue: Vec<u32>,
    /// How many of the queue have been looked at: their paths are all counted.
    done: usize,
}

impl Wave {
    pub fn new(routers: usize) -> Self {
        Wave { seen: vec![FRESH; routers], wanted: vec![0.0; routers], queue: Vec::new(), done: 0 }
    }

    /// Searches from `root` until all routers of `row` are reached, counting shortest paths.
    pub fn run(&mut self, links: &Links, root: u32, row: &[Flow]) {
        for router in self.queue.drain(..) {
            self.seen[router as usize] = FRESH;
            self.wanted[router as usize] = 0.0;
        }
        for flow in row {
            self.wanted[flow.router as usize] = flow.volume;
        }
        self.seen[root as usize] = Seen { hops: 0, paths: 1.0, share: 0.0 };
        self.queue.push(root);
        let (mut left, mut next) = (row.len(), 0);
        while left > 0 && next < self.queue.len() {
            let u = self.queue[next];
            next += 1;
            left -= usize::from(self.wanted[u as usize] > 0.0);
            let Seen { hops, paths, .. } = self.seen[u as usize];
            let hops = hops + 1;
            for &v in links.heads(u) {
                let there = &mut self.seen[v as usize];
                if there.hops == UNSEEN {
                    *there = Seen { hops, paths, share: 0.0 };
                    self.queue.push(v);
                } else if there.hops == hops {
                    there.paths += paths;
                }
            }
        }
        self.done = next;
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
