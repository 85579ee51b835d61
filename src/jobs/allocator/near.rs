//! The free ranks around a router, by hops.

use super::entry::AllocatorContext;
use super::ranks_by_location::RanksByLocation;
use nodeorder_base::{FreeSet, Result, RouterId};
use nodeorder_network::RouterGraph;
use nodeorder_order::metric::rank_rows::RankRows;

/// Finds the routers with free ranks around one of them.
///
/// Two ways, with one result: a walk over links as far as needed, which is short where free ranks are many;
/// or the distances to all routers with free ranks, which are few on a full machine. The walk is given up for
/// the second once it costs more.
#[derive(Debug)]
pub struct NearbyRouters<'a> {
    graph: &'a RouterGraph,
    /// The free ranks by router.
    pub locations: RanksByLocation,
    /// By router: number of the last walk that met it. Numbers spare a sweep over all routers before each walk.
    met: Vec<u32>,
    /// Number of the present walk.
    walk: u32,
    /// Routers met, in the order of their hops.
    queue: Vec<u32>,
    /// Hops and router of each router that the last [`NearbyRouters::find_around`] or
    /// [`NearbyRouters::walk_around`] found.
    pub found: Vec<(u32, u32)>,
    /// Source of the distances to the open routers.
    rows: RankRows<'a>,
    /// Distances to the open routers, from the rank measured last.
    row: Vec<u32>,
}

impl<'a> NearbyRouters<'a> {
    /// Prepares the searches on a machine. Fails if the router graph does not fit into memory.
    pub fn new(context: &AllocatorContext<'a>) -> Result<Self> {
        let locations = RanksByLocation::by_router(context);
        Ok(NearbyRouters {
            graph: context.topology.joined_graph()?,
            met: vec![0; locations.location_count()],
            locations,
            walk: 0,
            queue: Vec::new(),
            found: Vec::new(),
            rows: RankRows::new(context.distances),
            row: Vec::new(),
        })
    }

    /// Takes over the free ranks. O(size/64 + free).
    pub fn load_free(&mut self, free: &FreeSet) {
        self.locations.load_free(free);
        self.rows
            .load_ranks(self.locations.open.iter().map(|open| open.rank));
    }

    /// Finds routers with free ranks and puts them into [`NearbyRouters::found`], as (hops from the router of `rank`,
    /// router), in no order, with that router itself: all that are at most `hops` away, or the nearest routers that
    /// together hold `nodes` free ranks. O(links walked) or O(routers with free ranks · axes), whichever is less.
    pub fn find_around(&mut self, rank: u32, hops: u32, nodes: u32) {
        if self.walk_around(rank, hops, nodes) {
            return;
        }
        self.measure_hops(rank);
        self.found.clear();
        for (away, open) in self.row.iter().zip(&self.locations.open) {
            if *away <= hops {
                self.found.push((*away, open.location));
            }
        }
    }

    /// Measures the hops from the router of `rank` to each router with free ranks, in their order.
    pub fn measure_hops(&mut self, rank: u32) -> &[u32] {
        self.rows.fill_row(rank, &mut self.row);
        &self.row
    }

    /// Finds routers as [`NearbyRouters::find_around`] does, but by a walk alone; returns whether it was short
    /// enough to come to its end.
    pub fn walk_around(&mut self, rank: u32, hops: u32, nodes: u32) -> bool {
        self.found.clear();
        // A walk counts links, whatever they weigh.
        if self.graph.is_weighted() {
            return false;
        }
        let router = self.locations.location_of(rank);
        // Once all numbers are used up, marks are cleared after all.
        if self.walk == u32::MAX {
            self.met.fill(0);
            self.walk = 0;
        }
        self.walk += 1;
        self.met[router as usize] = self.walk;
        self.queue.clear();
        self.queue.push(router);
        // A link costs as much as several distances of a row.
        let open = self.locations.open.len();
        let mut links = open / 16;
        let mut away = 0;
        let mut level = 0;
        let mut held = 0;
        loop {
            for router in &self.queue[level..] {
                let here = self.locations.free_count(*router);
                if here > 0 {
                    self.found.push((away, *router));
                    held += here;
                }
            }
            let end = self.queue.len();
            if held >= nodes || away == hops || level == end {
                return true;
            }
            for i in level..end {
                let neighbours = self.graph.neighbours(RouterId(self.queue[i]));
                if neighbours.len() > links {
                    return false;
                }
                links -= neighbours.len();
                for next in neighbours {
                    if self.met[*next as usize] != self.walk {
                        self.met[*next as usize] = self.walk;
                        self.queue.push(*next);
                    }
                }
            }
            away += 1;
            level = end;
        }
    }
}
