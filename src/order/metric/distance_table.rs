//! Distances that only a search finds: a table of all of them.
//!
//! The counters of a set of members are their numbers by router; a star is then a row of the table times the counters.

use super::distance_kernel::{DistanceKernel, weighted_sum};
use nodeorder_base::{Error, Result, RouterId, SourceLocation};
use nodeorder_network::topology::search::{self, BatchSearch};
use nodeorder_network::{Metric, Topology};

/// Table of all distances between routers with nodes.
#[derive(Debug)]
pub struct DistanceTable {
    /// Hops between any two routers with nodes, row by row.
    hops: Vec<u16>,
    /// Number of routers with nodes.
    hosts: usize,
    /// Router of every rank.
    routers: Vec<u32>,
}

impl DistanceTable {
    /// Searches from every router with nodes. Fails if the table exceeds the run's memory, or a distance 65535.
    pub fn new(topology: &Topology, routers: &[u32]) -> Result<Self> {
        let hosts = topology.network().hosts() as usize;
        topology.require_memory("distances between all routers", 2 * (hosts as u64).pow(2))?;
        let mut table = DistanceTable {
            hops: vec![0; hosts * hosts],
            hosts,
            routers: routers.to_vec(),
        };
        table.fill_table(topology)?;
        Ok(table)
    }

    /// Fills in all distances, 256 sources at a time where links have no weights.
    fn fill_table(&mut self, topology: &Topology) -> Result<()> {
        let hosts = self.hosts;
        let hops = &mut self.hops;
        if !matches!(topology.metric(), Metric::Hops) {
            for (from, row) in (0..).zip(hops.chunks_mut(hosts)) {
                store_hops(topology, topology.hops_from(RouterId(from))?, row)?;
            }
            return Ok(());
        }
        let graph = topology.joined_graph()?;
        let mut search = BatchSearch::new(graph);
        let mut bytes = [0; search::WIDTH];
        for (batch, rows) in hops.chunks_mut(hosts * search::WIDTH).enumerate() {
            let first = batch * search::WIDTH;
            let sources: Vec<RouterId> = (first..hosts.min(first + search::WIDTH))
                .map(|r| RouterId(r as u32))
                .collect();
            if search.run_batch(&sources).is_none() {
                // Farther than the bit planes count.
                for (row, from) in rows.chunks_mut(hosts).zip(sources) {
                    store_hops(topology, graph.hops_from(from), row)?;
                }
                continue;
            }
            for to in 0..hosts {
                search.expand_hops(RouterId(to as u32), &mut bytes);
                for (row, hop) in rows.chunks_mut(hosts).zip(&bytes) {
                    row[to] = u16::from(*hop);
                }
            }
        }
        Ok(())
    }

    /// Counts the most routers with nodes within 0, 1, … hops of any of them, up to all of them.
    pub fn router_growth(&self) -> Vec<u64> {
        let farthest = self.hops.iter().max().map_or(0, |hops| usize::from(*hops));
        let mut most = vec![0; farthest + 1];
        for row in self.hops.chunks(self.hosts) {
            let mut at = vec![0u64; farthest + 1];
            for hops in row {
                at[usize::from(*hops)] += 1;
            }
            let mut within = 0;
            for (most, count) in most.iter_mut().zip(at) {
                within += count;
                *most = within.max(*most);
            }
        }
        most
    }

    /// Looks up the distances from the router of a rank.
    fn row_of(&self, rank: u32) -> &[u16] {
        &self.hops[self.router_of(rank) * self.hosts..][..self.hosts]
    }

    fn router_of(&self, rank: u32) -> usize {
        self.routers[rank as usize] as usize
    }
}

impl DistanceKernel for DistanceTable {
    fn hops_between(&self, a: u32, b: u32) -> u32 {
        self.hops[self.router_of(a) * self.hosts + self.router_of(b)].into()
    }

    fn counter_count(&self) -> usize {
        self.hosts
    }

    fn few_members(&self) -> usize {
        // A star by counters reads a whole row, about 16 routers in the time of one pair.
        (self.hosts / 16).max(8)
    }

    fn change_members(&self, counters: &mut [u64], rank: u32, by: i64) {
        let router = self.router_of(rank);
        counters[router] = counters[router].wrapping_add_signed(by);
    }

    fn distances_to_members(&self, counters: &[u64], rank: u32) -> u64 {
        weighted_sum(self.row_of(rank), counters)
    }
}

/// Stores the hops from a router in its row. Fails if one is above 65535.
fn store_hops(topology: &Topology, hops: Vec<u32>, row: &mut [u16]) -> Result<()> {
    for (slot, hop) in row.iter_mut().zip(hops) {
        *slot = u16::try_from(hop).map_err(|_| {
            let location = SourceLocation::option(topology.spec());
            let remedy = "distances of up to 65535: links of smaller weights";
            Error::unsuited(location, format!("a distance of {hop}"), remedy)
        })?;
    }
    Ok(())
}
