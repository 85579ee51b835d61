//! Directed links as plain arrays, and lengths and prices that follow their loads.

use multiversion::multiversion;

use crate::mapping::Fabric;
use nodeorder_base::RouterId;
use nodeorder_network::RouterGraph;
use nodeorder_network::topology::graph::UNREACHED;

/// The links of a machine, with ends, opposite links and inverse capacities, as searches need them.
pub struct Network<'g> {
    pub graph: &'g RouterGraph,
    /// Router that each link leaves.
    pub tails: Vec<u32>,
    /// Link in the opposite direction of each.
    pub back: Vec<u32>,
    /// 1 over the capacity of each link; 0 for joints, and on all rails but the first where nodes share their traffic
    /// among rails.
    pub inverse_capacity: Vec<f64>,
    /// Twice the hops from one router of a piece to the farthest there: no two are farther apart.
    far: u64,
}

/// Lengths of links as whole numbers, so that lengths of paths are exact.
pub struct Lengths {
    /// By link: its whole length, `step` included where that counts.
    pub links: Vec<u64>,
    /// Length that is added to a link for each hop that it counts in distances: more than any path has otherwise.
    /// 0 where paths need not be shortest.
    step: u64,
    /// Σ capacity · length, without what `step` adds.
    capacity: f64,
}

impl Lengths {
    /// Strips the steps off the length of a path.
    pub fn strip_steps(&self, path: u64) -> f64 {
        if self.step == 0 {
            path as f64
        } else {
            (path % self.step) as f64
        }
    }

    /// Proves a floor under the largest load over capacity, from Σ volume · length of the shortest path.
    pub fn prove_floor(&self, sum: f64) -> f64 {
        sum / self.capacity
    }
}

impl<'g> Network<'g> {
    /// Lays out the links of a machine.
    pub fn new(fabric: &Fabric<'g>) -> Self {
        let graph = fabric.links;
        let rails = fabric
            .topology
            .network()
            .rails()
            .filter(|rails| rails.interfaces_per_node() > 1);
        // The other rails are copies of the first, whose traffic is shared among all at the end.
        let first_rail = rails.map_or(u32::MAX, |rails| rails.switches_per_rail());
        let mut reached = vec![false; graph.router_count()];
        let mut far = 0;
        let nodes = fabric.topology.nodes().iter();
        let routers = nodes.map(|node| fabric.topology.router_of(node));
        // What is broken may have cut the first router off: every piece with nodes counts.
        for root in [RouterId(0)].into_iter().chain(routers) {
            if reached[root.0 as usize] {
                continue;
            }
            for (reached, hops) in reached.iter_mut().zip(graph.hops_from(root)) {
                if hops != UNREACHED {
                    *reached = true;
                    far = far.max(2 * u64::from(hops));
                }
            }
        }
        let mut network = Network {
            graph,
            tails: Vec::new(),
            back: Vec::new(),
            inverse_capacity: Vec::new(),
            far,
        };
        for (from, to, link) in graph.iter() {
            network.tails.push(from);
            network
                .back
                .push(graph.find_link(to, from).unwrap_or_default() as u32);
            network.inverse_capacity.push(if from < first_rail {
                1.0 / graph.capacity(link)
            } else {
                0.0
            });
        }
        network
    }

    /// Counts the routers.
    pub fn router_count(&self) -> usize {
        self.graph.router_count()
    }

    /// Divides values of links by their capacities; 0 where a link does not count.
    pub fn per_capacity(&self, values: &[f64]) -> Vec<f64> {
        values
            .iter()
            .zip(&self.inverse_capacity)
            .map(|(v, per)| v * per)
            .collect()
    }

    /// Makes prices of 1 for each link that counts, else 0.
    pub fn equal_prices(&self) -> Vec<f64> {
        self.inverse_capacity
            .iter()
            .map(|per| if *per > 0.0 { 1.0 } else { 0.0 })
            .collect()
    }

    /// Finds the largest load over capacity.
    pub fn highest_contention(&self, loads: &[f64]) -> f64 {
        loads
            .iter()
            .zip(&self.inverse_capacity)
            .fold(0.0, |worst, (load, per)| f64::max(worst, load * per))
    }

    /// Scales the `lengths` of links to whole numbers, such that no shortest path is longer than 2 to the power
    /// of `bits`. With `shortest`, adds to every link so large a length that paths of the least distance are
    /// shorter than all others.
    pub fn whole_lengths(&self, lengths: &[f64], shortest: bool, bits: u32) -> Lengths {
        let routers = self.router_count() as u64;
        // Where links have weights, hops are not the number of links: at most one a router.
        let weighted = self.graph.is_weighted();
        let links = if weighted { routers } else { self.far };
        let mut room = 1 << bits;
        let mut step = 0;
        if shortest {
            let steps = if weighted {
                self.far * routers + routers
            } else {
                self.far
            };
            step = room / (steps + 2);
            room = step;
        }
        let top = lengths.iter().copied().fold(0.0, f64::max);
        let scale = (room / (links + 2)) as f64 / top;
        let mut whole = Lengths {
            links: Vec::with_capacity(lengths.len()),
            step,
            capacity: 0.0,
        };
        for (link, length) in lengths.iter().enumerate() {
            let mut plain = 0;
            // Joints and further rails have no length, since what they carry does not count.
            if self.inverse_capacity[link] != 0.0 {
                plain = ((length * scale) as u64).max(1);
                whole.capacity += plain as f64 / self.inverse_capacity[link];
            }
            let steps = if weighted {
                self.graph.weight(link) as u64 * routers + 1
            } else {
                1
            };
            whole.links.push(plain + step * steps);
        }
        whole
    }
}

/// Adds `more` to `sums`, entry by entry.
pub fn add_values(sums: &mut [f64], more: &[f64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// Sets the prices of links: e to the power of sharpness · (load / capacity / worst - 1).
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub fn set_prices(prices: &mut [f64], loads: &[f64], per: &[f64], worst: f64, sharp: f64) {
    let rate = sharp / worst;
    for ((price, load), per) in prices.iter_mut().zip(loads).zip(per) {
        *price = if *per > 0.0 {
            exp(load * per * rate - sharp)
        } else {
            0.0
        };
    }
}

/// Raises e to the power of x, the same bits on every machine: within 1e-9 of it.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // 1.5 · 2⁵²: adding it rounds to whole numbers, and leaves them in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = x.clamp(-700.0, 700.0) * std::f64::consts::LOG2_E;
    let whole = x + ROUND;
    let rest = (x - (whole - ROUND)) * std::f64::consts::LN_2;
    // Taylor's series to the ninth power, its factorials from the last.
    let mut sum = 1.0 / 362_880.0;
    for term in [40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        sum = sum * rest + 1.0 / term;
    }
    // The whole part becomes the exponent's bits.
    sum * f64::from_bits((whole.to_bits() << 52).wrapping_add(1023 << 52))
}

/// How far a search got: the smoothing error and the routing error of its prices, both 0 at best.
pub struct SearchErrors {
    /// Highest load over capacity divided by the mean of load over capacity, weighted by price; less 1.
    pub smooth: f64,
    /// Price that traffic pays divided by the least that it could pay; less 1.
    pub routing: f64,
}

impl SearchErrors {
    /// Measures the errors, from the worst load over capacity and a floor under it, both at `prices`.
    pub fn new(
        network: &Network<'_>,
        prices: &[f64],
        loads: &[f64],
        worst: f64,
        floor: f64,
    ) -> Self {
        let mut sum = 0.0;
        let mut paid = 0.0;
        for ((price, load), per) in prices.iter().zip(loads).zip(&network.inverse_capacity) {
            sum += price;
            paid += price * load * per;
        }
        let smooth = worst * sum / paid;
        SearchErrors {
            smooth: smooth - 1.0,
            routing: worst / floor / smooth - 1.0,
        }
    }

    /// Chooses the next sharpness, at which both errors are about as large.
    pub fn next_sharpness(&self, sharp: f64) -> f64 {
        if self.smooth > self.routing {
            return sharp * (self.smooth / self.routing.max(1e-9)).sqrt().min(1.5);
        }
        // Sharper prices are harder to route by: a routing error far above the smoothing error asks for blunter ones.
        if self.routing > 3.0 * self.smooth {
            sharp / 1.1
        } else {
            sharp
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_e() {
        for i in -6_000..600 {
            let x = f64::from(i) / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-9, "{x}");
        }
    }
}
