//! Machines with their directed links, and sums of loads over them.

use std::sync::Mutex;

use rayon::prelude::*;

use nodeorder_base::{NodeId, Result};
use nodeorder_network::{RouterGraph, Topology};

/// A machine with its directed links: build it once for many jobs.
#[derive(Debug)]
pub struct Fabric<'t> {
    /// Machine that the traffic is on.
    pub topology: &'t Topology,
    /// Directed links of the machine.
    pub links: &'t RouterGraph,
    /// Arrays with a value for every link that were given back, to be used again.
    spare: Mutex<Vec<Vec<f64>>>,
}

impl<'t> Fabric<'t> {
    /// Collects the links of `topology`.
    ///
    /// # Errors
    /// More memory than allowed; a machine in several components, between which there are no routes.
    pub fn new(topology: &'t Topology) -> Result<Self> {
        topology.require_one_component("traffic")?;
        Fabric::with_components(topology)
    }

    /// Collects the links of `topology`, which may be in several components: who uses it sends nothing between them.
    ///
    /// # Errors
    /// More memory than allowed.
    pub fn with_components(topology: &'t Topology) -> Result<Self> {
        Ok(Fabric {
            topology,
            links: topology.graph()?,
            spare: Mutex::default(),
        })
    }

    /// Makes a zero for every link. Schedules ask for loads at every start: arrays that were given back are
    /// used again, as fresh memory costs more than the sums.
    pub(super) fn zero_loads(&self) -> Vec<f64> {
        let spare = self.spare.lock().unwrap_or_else(|e| e.into_inner()).pop();
        let mut loads = spare.unwrap_or_default();
        loads.clear();
        loads.resize(self.links.len(), 0.0);
        loads
    }

    /// Looks up the number of rails that each node is on, and how much higher routers are numbered on the next rail;
    /// `None` where nodes are on one rail only.
    fn rails_of_nodes(&self) -> Option<(u32, u32)> {
        let rails = self.topology.network().rails()?;
        (rails.interfaces_per_node() > 1)
            .then(|| (rails.interfaces_per_node(), rails.switches_per_rail()))
    }

    /// Completes the loads of a routing: joints carry none, and what is on one rail is shared among all rails of
    /// the nodes.
    pub fn complete_loads(&self, loads: &mut [f64]) {
        // Most machines have no joints.
        if self.links.cabled_link_count() < self.links.len() {
            for (i, load) in loads.iter_mut().enumerate() {
                if self.links.is_joint(i) {
                    *load = 0.0;
                }
            }
        }
        let Some((rails, per_rail)) = self.rails_of_nodes() else {
            return;
        };
        for from in 0..per_rail {
            for link in self.links.links_from(from) {
                let to = self.links.link_head(link);
                let share = loads[link] / f64::from(rails);
                // Its own part is added again with those of the other rails.
                loads[link] = 0.0;
                for shift in (0..rails).map(|rail| rail * per_rail) {
                    self.links.add_load(from + shift, to + shift, share, loads);
                }
            }
        }
    }

    /// Shares the links of a route among all rails of the nodes, as [`Fabric::complete_loads`] shares loads.
    pub(super) fn share_among_rails(&self, route: &mut Vec<(u32, f64)>) {
        let Some((rails, per_rail)) = self.rails_of_nodes() else {
            return;
        };
        let one = std::mem::take(route);
        for shift in (0..rails).map(|rail| rail * per_rail) {
            for (link, share) in &one {
                let (from, to) = self.links.link_ends(*link as usize);
                let link = self.links.find_link(from + shift, to + shift);
                route.extend(link.map(|link| (link as u32, share / f64::from(rails))));
            }
        }
        route.sort_unstable_by_key(|(link, _)| *link);
    }

    /// Takes loads of all links that are no longer needed.
    pub fn recycle_loads(&self, loads: Vec<f64>) {
        debug_assert_eq!(loads.len(), self.links.len());
        self.spare
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .push(loads);
    }

    /// Names a router for people: by its coordinates, its path in the hierarchy, or its number.
    pub fn router_name(&self, router: u32) -> String {
        let network = self.topology.network();
        // Coordinates name a router only where every router is a cell of the lattice.
        if let Some(lattice) = self.topology.lattice()
            && lattice.cells.is_none()
            && lattice.cell_count() == self.links.router_count()
        {
            let mut position = vec![0; lattice.extents.len()];
            lattice.coordinates(router, &mut position);
            let words: Vec<String> = position.iter().map(u32::to_string).collect();
            return format!("({})", words.join(","));
        }
        if let Some(rails) = network.rails() {
            return rails.router_name(router);
        }
        let levels = network.levels();
        if router >= network.hosts() || levels.is_empty() {
            let what = if router < network.hosts() {
                "router"
            } else {
                "switch"
            };
            return format!("{what} {router}");
        }
        // Names that the description gives say more than a path of numbers.
        if let Some(level) = levels.last().filter(|level| level.has_names()) {
            return level.unit_name(level.unit_of(NodeId(router * network.per_router())));
        }
        let mut rest = router * network.per_router();
        let mut words = Vec::new();
        for level in levels {
            words.push(format!("{} {}", level.name, rest / level.slots));
            rest %= level.slots;
        }
        words.join(", ")
    }
}

/// Sums what `add` puts on the links for each of `roots` roots. Roots are dealt out in fixed pieces whose
/// sums are added in order, so that the number of threads does not show in the result.
pub fn sum_over_roots<S>(
    fabric: &Fabric<'_>,
    roots: usize,
    scratch: impl Fn() -> S + Sync,
    add: impl Fn(&mut S, usize, &mut [f64]) -> Result<()> + Sync,
) -> Result<Vec<f64>> {
    let links = fabric.links.len();
    // A piece costs an array of all links: fewer on large machines, and none for a handful of roots.
    let most = ((1usize << 25) / links.max(1)).clamp(4, 64);
    let size = roots.div_ceil(most).max(16);
    let pieces: Vec<usize> = (0..roots).step_by(size).collect();
    fabric
        .topology
        .require_memory("link loads", 8 * (links as u64) * (pieces.len() as u64 + 1))?;
    let parts = pieces.par_iter().map(|first| -> Result<Vec<f64>> {
        let mut scratch = scratch();
        let mut loads = fabric.zero_loads();
        for root in *first..roots.min(first + size) {
            add(&mut scratch, root, &mut loads)?;
        }
        Ok(loads)
    });
    let parts: Vec<Result<Vec<f64>>> = parts.collect();
    let mut all = fabric.zero_loads();
    for part in parts {
        let part = part?;
        for (all, part) in all.iter_mut().zip(&part) {
            *all += part;
        }
        fabric.recycle_loads(part);
    }
    Ok(all)
}
