//! Distances that only a search finds: a table of all of them.

use multiversion::multiversion;

use super::distance_kernel::DistanceKernel;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::RouterId;
use nodeorder_network::topology::search::{self, Search};
use nodeorder_network::topology::{Metric, Topology};

/// All distances between routers with nodes. Counters: members by router.
#[derive(Debug)]
pub(super) struct DistanceTable {
    /// Hops, row by row.
    hops: Vec<u16>,
    /// Routers with nodes.
    hosts: usize,
    /// By rank.
    routers: Vec<u32>,
}

impl DistanceTable {
    /// Searches from every router with nodes. Errors: [`nodeorder_base::error::Error::Memory`] where the table exceeds the run's limit;
    /// distances above 65535.
    pub fn new(topology: &Topology, routers: &[u32]) -> Result<Self> {
        let hosts = topology.network().hosts() as usize;
        topology.require("distances between all routers", 2 * (hosts as u64).pow(2))?;
        let mut table = DistanceTable {
            hops: vec![0; hosts * hosts],
            hosts,
            routers: routers.to_vec(),
        };
        table.fill(topology)?;
        Ok(table)
    }

    fn fill(&mut self, topology: &Topology) -> Result<()> {
        let (hops, hosts) = (&mut self.hops, self.hosts);
        let fill = |(row, from): (&mut [u16], usize)| -> Result<()> {
            let all = match topology.metric() {
                Metric::Hops => topology.joined_graph()?.hops_from(RouterId(from as u32)),
                _ => topology.hops_from(RouterId(from as u32))?,
            };
            for (slot, hop) in row.iter_mut().zip(all) {
                *slot = u16::try_from(hop).map_err(|_| {
                    let location = SourceLocation::option(topology.spec());
                    let remedy = "distances of up to 65535: links of smaller weights";
                    Error::unsuited(location, format!("a distance of {hop}"), remedy)
                })?;
            }
            Ok(())
        };
        if !matches!(topology.metric(), Metric::Hops) {
            return hops
                .chunks_mut(hosts)
                .enumerate()
                .try_for_each(|(i, row)| fill((row, i)));
        }
        let mut search = Search::new(topology.joined_graph()?);
        let mut bytes = [0; search::WIDTH];
        for (batch, rows) in hops.chunks_mut(hosts * search::WIDTH).enumerate() {
            let first = batch * search::WIDTH;
            let sources: Vec<RouterId> = (first..hosts.min(first + search::WIDTH))
                .map(|r| RouterId(r as u32))
                .collect();
            if search.run(&sources).is_none() {
                // Farther than the bit planes count.
                rows.chunks_mut(hosts).zip(first..).try_for_each(fill)?;
                continue;
            }
            for to in 0..hosts {
                search.expand(RouterId(to as u32), &mut bytes);
                for (row, hop) in rows.chunks_mut(hosts).zip(&bytes) {
                    row[to] = u16::from(*hop);
                }
            }
        }
        Ok(())
    }

    /// The most routers with nodes within 0, 1, … hops of any of them, up to all of them.
    pub fn growth(&self) -> Vec<u64> {
        let farthest = self.hops.iter().max().map_or(0, |hops| usize::from(*hops));
        let mut most = vec![0; farthest + 1];
        for row in self.hops.chunks(self.hosts) {
            let mut at = vec![0u64; farthest + 1];
            row.iter().for_each(|hops| at[usize::from(*hops)] += 1);
            let mut within = 0;
            for (most, count) in most.iter_mut().zip(at) {
                within += count;
                *most = within.max(*most);
            }
        }
        most
    }

    fn row_of(&self, rank: u32) -> &[u16] {
        &self.hops[self.router(rank) * self.hosts..][..self.hosts]
    }

    fn router(&self, rank: u32) -> usize {
        self.routers[rank as usize] as usize
    }
}

impl DistanceKernel for DistanceTable {
    fn between(&self, a: u32, b: u32) -> u32 {
        self.hops[self.router(a) * self.hosts + self.router(b)].into()
    }

    fn counters(&self) -> usize {
        self.hosts
    }

    /// A star by counters reads a whole row, about 16 routers in the time of one pair.
    fn few(&self) -> usize {
        (self.hosts / 16).max(8)
    }

    fn change(&self, counters: &mut [u64], rank: u32, by: i64) {
        let router = self.router(rank);
        counters[router] = counters[router].wrapping_add_signed(by);
    }

    fn star(&self, counters: &[u64], rank: u32) -> u64 {
        weighted(self.row_of(rank), counters)
    }
}

/// Σ of hops times members; counts are below 2³², so that a product takes one vector instruction.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn weighted(hops: &[u16], counts: &[u64]) -> u64 {
    hops.iter()
        .zip(counts)
        .map(|(hops, n)| u64::from(*hops) * u64::from(*n as u32))
        .sum()
}
