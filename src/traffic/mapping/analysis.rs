//! Dilation and contention of a placed guest.

use rayon::prelude::*;

use super::allocation::Allocation;
use super::demand::{Demand, End, Flow};
use super::domain_load::DomainLoad;
use super::guest::Guest;
use super::hops::{Hops, visit_sources};
use super::node_loads::NodeLoads;
use super::process_mapping::ProcessMapping;
use super::routing::{Fabric, FixedRouting, PathLengths};
use super::segments::volumes_between_units;
use nodeorder_base::{Result, RouterId};
use nodeorder_network::RouterGraph;

/// Dilation and contention of a mapped guest, and the extent of its nodes.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", section II.A, equations 1-4,
/// with volumes as weights.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Path lengths of the traffic, in hops.
    pub dilation: Dilation,
    /// Loads of the links between routers.
    pub contention: Contention,
    /// Load of fast links inside domains; `None` where no domain of the machine holds several nodes.
    pub domain_load: Option<DomainLoad>,
    /// Distances between the nodes that the guest runs on.
    pub allocation: Allocation,
    /// Volume on node links.
    pub node_loads: NodeLoads,
    /// Largest volume that passes through one router.
    pub through_max: f64,
    /// Volume between different routers over all volume; 0 without traffic.
    pub share_between_routers: f64,
    /// Volume of pairs in different units of each level, from the leaf up.
    pub between_units: Vec<(String, f64)>,
}

/// How far traffic goes, in hops. A pair on one router counts, with 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dilation {
    /// Number of ordered pairs of processes that communicate.
    pub pairs: u64,
    /// Volume of all messages.
    pub volume: f64,
    /// Largest mean path length of a pair: Hu's dilation of the mapping. Not a number where paths are not known.
    pub max: f64,
    /// Mean path length weighted by volume; 0 without traffic.
    pub mean: f64,
    /// Mean path length over pairs, whatever their volume; 0 without traffic. Not a number where paths are not known.
    pub mean_pairs: f64,
    /// Σ volume · hops; equals the sum of all link loads, each times the link's weight in distances.
    pub hop_bytes: f64,
    /// Number of pairs and their volume by path length, rounded to whole hops.
    pub histogram: Vec<(u64, f64)>,
}

/// Load of the links. A link's contention is its load over its capacity.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contention {
    /// Largest contention of a link.
    pub max: f64,
    /// Mean contention over all directed links of the machine, idle ones included.
    pub mean: f64,
    /// Number of directed links that carry anything.
    pub used: usize,
    /// Load of every directed link, before division by capacity, in the order of [`RouterGraph`].
    pub loads: Vec<f64>,
}

/// A bar of [`Contention::histogram`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Contention that the bar's links are above.
    pub from: f64,
    /// Largest contention that the bar's links may have.
    pub to: f64,
    /// Number of directed links in the bar.
    pub links: usize,
}

/// Analyses one job: dilation and contention of `guest` placed by `mapping` under `routing`.
///
/// # Errors
/// A routing that does not suit the machine; more memory than allowed.
///
/// # Examples
/// ```
/// use nodeorder_traffic::mapping::{self, Fabric, Guest, ProcessMapping, FixedRouting};
/// use nodeorder_order::ordering::NodeOrder;
/// use nodeorder_network::topology::Topology;
/// let torus = Topology::inline("torus:4x4x4", &Default::default())?;
/// let guest = Guest::make("stencil:4x4x4,wrap=true", &Default::default())?;
/// let fabric = Fabric::new(&torus)?;
/// let order = NodeOrder::make(&torus, "snake")?;
/// let mapping = ProcessMapping::in_order(&guest, order.label(), order.nodes())?;
/// let found = mapping::analyse(&fabric, &guest, &mapping, FixedRouting::find_by_name("ecmp-path")?)?;
/// assert_eq!(found.contention.max, 3.0);
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub fn analyse(
    fabric: &Fabric<'_>,
    guest: &Guest,
    mapping: &ProcessMapping,
    routing: FixedRouting,
) -> Result<Analysis> {
    let demand = Demand::new(fabric.topology, guest, mapping)?;
    let dilation = Dilation::measure_paths(fabric, &demand, routing)?;
    let loads = routing.link_loads(fabric, &demand)?;
    assemble_analysis(fabric, (guest, mapping), &demand, dilation, loads)
}

/// Analyses one job as [`analyse`] does, from loads of all links that a search found for `demand`, the guest's
/// traffic: of its paths only the mean length is known.
///
/// # Errors
/// More memory than allowed.
pub fn analyse_loads(
    fabric: &Fabric<'_>,
    placed: (&Guest, &ProcessMapping),
    demand: &Demand,
    loads: Vec<f64>,
) -> Result<Analysis> {
    let weighted = loads
        .iter()
        .enumerate()
        .map(|(link, load)| load * fabric.links.weight(link));
    let hop_bytes = weighted.sum();
    let dilation = Dilation {
        pairs: demand.pairs,
        volume: demand.volume,
        max: f64::NAN,
        mean: ratio_or_zero(hop_bytes, demand.volume),
        mean_pairs: f64::NAN,
        hop_bytes,
        histogram: Vec::new(),
    };
    assemble_analysis(fabric, placed, demand, dilation, loads)
}

/// Analyses how far one job's traffic goes where no routing is known; links carry nothing.
///
/// # Errors
/// More memory than allowed.
pub fn analyse_distances(
    fabric: &Fabric<'_>,
    guest: &Guest,
    mapping: &ProcessMapping,
) -> Result<Analysis> {
    let demand = Demand::new(fabric.topology, guest, mapping)?;
    let dilation = Dilation::measure_lengths(fabric, &demand, &PathLengths::Shortest)?;
    let loads = vec![0.0; fabric.links.len()];
    assemble_analysis(fabric, (guest, mapping), &demand, dilation, loads)
}

/// Completes an analysis: to the dilation come contention, node links and fast links, from the loads and the mapping.
fn assemble_analysis(
    fabric: &Fabric<'_>,
    (guest, mapping): (&Guest, &ProcessMapping),
    demand: &Demand,
    dilation: Dilation,
    loads: Vec<f64>,
) -> Result<Analysis> {
    let contention = Contention::measure_links(fabric.links, loads);
    let outside = demand.volume - demand.inside_volume;
    let node_loads = NodeLoads::sum_node_links(fabric.topology, guest, mapping);
    let through = node_loads.through_routers(fabric, &contention.loads);
    Ok(Analysis {
        share_between_routers: ratio_or_zero(outside, demand.volume),
        between_units: volumes_between_units(fabric.topology, guest, mapping.nodes()),
        domain_load: DomainLoad::sum_fast_links(fabric.topology, guest, mapping),
        allocation: Allocation::measure_distances(fabric.topology, &mapping.distinct_nodes())?,
        through_max: through.into_values().fold(0.0, f64::max),
        node_loads,
        dilation,
        contention,
    })
}

/// Divides `a` by `b`; 0 where `b` is 0, as means and shares without traffic are.
fn ratio_or_zero(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

impl Dilation {
    /// Measures the path lengths of `demand` under `routing`. Sums of whole volumes over whole lengths are exact while
    /// below 2⁵³.
    ///
    /// # Errors
    /// A routing that does not suit the machine; more memory than allowed.
    ///
    /// # Complexity
    /// O(flows) where distances have a closed form, else a search for each source as far as its targets.
    pub fn measure_paths(
        fabric: &Fabric<'_>,
        demand: &Demand,
        routing: FixedRouting,
    ) -> Result<Self> {
        Dilation::measure_lengths(fabric, demand, &routing.path_lengths(fabric)?)
    }

    /// Measures `demand` on paths of these lengths. Fails if more memory is needed than allowed.
    fn measure_lengths(
        fabric: &Fabric<'_>,
        demand: &Demand,
        lengths: &PathLengths,
    ) -> Result<Self> {
        let sources = demand.roots(End::Source);
        let parts: Vec<(PathSums, Vec<Flow>)> = match lengths {
            PathLengths::Shortest => visit_sources(
                fabric.topology,
                sources,
                demand.pairs,
                |root, hops, (sums, buffer): &mut (PathSums, Vec<Flow>)| {
                    // All-to-all traffic needs no list of flows: numbers of processes say all.
                    if let Some(uniform) = demand.as_all_to_all() {
                        return sums.count_pairs(root, hops, sources, &uniform.processes);
                    }
                    for flow in demand.flows_at(End::Source, root, buffer) {
                        sums.add_pairs(
                            f64::from(hops.hops_to(flow.router)),
                            flow.pairs,
                            flow.volume,
                        );
                    }
                },
            )?,
            PathLengths::Mean(mean) => sources
                .par_chunks(BATCH)
                .enumerate()
                .map(|(batch, sources)| {
                    let mut sums = PathSums::default();
                    let mut buffer = Vec::new();
                    for (i, source) in sources.iter().enumerate() {
                        for flow in demand.flows_at(End::Source, batch * BATCH + i, &mut buffer) {
                            let hops = mean(RouterId(*source), RouterId(flow.router));
                            sums.add_pairs(hops, flow.pairs, flow.volume);
                        }
                    }
                    (sums, buffer)
                })
                .collect(),
        };
        let mut all = PathSums::default();
        all.add_pairs(0.0, demand.inside_pairs, demand.inside_volume);
        // In the order of the sources, so that the number of threads does not show in the last bits.
        for (mut part, _) in parts {
            if let (PathLengths::Shortest, Some(uniform)) = (lengths, demand.as_all_to_all()) {
                part.apply_volume(uniform.volume);
            }
            all.add_sums(&part);
        }
        // The bar of 0 hops is there even if nothing is sent.
        if demand.pairs == 0 {
            all.histogram.clear();
        }
        Ok(Dilation {
            pairs: demand.pairs,
            volume: demand.volume,
            max: all.max,
            mean: ratio_or_zero(all.hop_bytes, demand.volume),
            mean_pairs: ratio_or_zero(all.pair_hops, demand.pairs as f64),
            hop_bytes: all.hop_bytes,
            histogram: all.histogram,
        })
    }
}

/// Number of sources whose sums one task adds up.
const BATCH: usize = 64;

/// Sums over pairs of processes that communicate.
#[derive(Default)]
struct PathSums {
    /// Longest mean path of a pair, in hops.
    max: f64,
    /// Σ volume · hops.
    hop_bytes: f64,
    /// Σ hops, each pair once.
    pair_hops: f64,
    /// Number of pairs and their volume by whole hops.
    histogram: Vec<(u64, f64)>,
}

impl PathSums {
    /// Adds `pairs` pairs of this mean path length and of this volume in all.
    fn add_pairs(&mut self, hops: f64, pairs: u64, volume: f64) {
        self.max = self.max.max(hops);
        self.hop_bytes += hops * volume;
        self.pair_hops += hops * pairs as f64;
        self.add_to_bar(hops.round() as usize, pairs, volume);
    }

    /// Adds pairs and volume to a bar of the histogram.
    fn add_to_bar(&mut self, hops: usize, pairs: u64, volume: f64) {
        let bar = self.histogram_bar(hops);
        bar.0 += pairs;
        bar.1 += volume;
    }

    /// Finds the histogram's bar of a distance, which grows as needed.
    fn histogram_bar(&mut self, hops: usize) -> &mut (u64, f64) {
        if self.histogram.len() <= hops {
            self.histogram.resize(hops + 1, (0, 0.0));
        }
        &mut self.histogram[hops]
    }

    /// Counts the pairs of the `root`-th source with all others by their distance; [`PathSums::apply_volume`]
    /// makes sums of the counts.
    fn count_pairs(&mut self, root: usize, hops: &Hops<'_>, routers: &[u32], processes: &[u64]) {
        let here = processes[root];
        if let Hops::Bytes(hops) = hops {
            // Neighbouring targets are often as far: four counts in turn, that none waits for the one before it.
            let mut counts = [[0; 256]; 4];
            for (target, (router, there)) in routers.iter().zip(processes).enumerate() {
                counts[target % 4][hops[*router as usize] as usize] += there;
            }
            for hops in 1..256 {
                let there: u64 = counts.iter().map(|count| count[hops]).sum();
                if there > 0 {
                    self.histogram_bar(hops).0 += here * there;
                }
            }
            return;
        }
        for (target, (router, there)) in routers.iter().zip(processes).enumerate() {
            if target != root {
                self.histogram_bar(hops.hops_to(*router) as usize).0 += here * there;
            }
        }
    }

    /// Turns counts of pairs, each of the same volume, into sums.
    fn apply_volume(&mut self, volume: f64) {
        for (hops, (pairs, volumes)) in self.histogram.iter_mut().enumerate() {
            let hops = hops as f64;
            *volumes = *pairs as f64 * volume;
            self.hop_bytes += hops * *volumes;
            self.pair_hops += hops * *pairs as f64;
            if *pairs > 0 {
                self.max = self.max.max(hops);
            }
        }
    }

    /// Adds the sums that another thread has made over its part of the sources.
    fn add_sums(&mut self, other: &PathSums) {
        self.max = self.max.max(other.max);
        self.hop_bytes += other.hop_bytes;
        self.pair_hops += other.pair_hops;
        for (hops, (pairs, volume)) in other.histogram.iter().enumerate() {
            self.add_to_bar(hops, *pairs, *volume);
        }
    }
}

impl Contention {
    /// Measures the contention from the load of every directed link.
    pub fn measure_links(links: &RouterGraph, loads: Vec<f64>) -> Self {
        let mut max = 0f64;
        let mut sum = 0.0;
        let mut used = 0;
        for (i, load) in loads.iter().enumerate() {
            let contention = load / links.capacity(i);
            max = max.max(contention);
            sum += contention;
            used += usize::from(*load > 0.0);
        }
        Contention {
            max,
            mean: ratio_or_zero(sum, links.cabled_link_count() as f64),
            used,
            loads,
        }
    }

    /// Finds the `count` links of highest contention, highest first, ties in link order; idle ones are left out.
    pub fn busiest_links(&self, links: &RouterGraph, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.loads.len())
            .filter(|i| self.loads[*i] > 0.0)
            .collect();
        // A stable sort keeps ties in link order.
        order.sort_by(|a, b| {
            let here = self.loads[*b] / links.capacity(*b);
            here.total_cmp(&(self.loads[*a] / links.capacity(*a)))
        });
        order.truncate(count);
        order
    }

    /// Counts links by contention: the idle ones first (0 to 0), then `bars` bars of equal width up to the largest.
    /// Only the first where nothing is carried.
    pub fn histogram(&self, links: &RouterGraph, bars: usize) -> Vec<Bar> {
        let mut out = vec![Bar {
            from: 0.0,
            to: 0.0,
            links: links.cabled_link_count() - self.used,
        }];
        if self.used == 0 {
            return out;
        }
        for i in 1..=bars {
            out.push(Bar {
                from: self.max * (i - 1) as f64 / bars as f64,
                to: self.max * i as f64 / bars as f64,
                links: 0,
            });
        }
        for (i, load) in self.loads.iter().enumerate() {
            if *load == 0.0 {
                continue;
            }
            let share = load / links.capacity(i) / self.max;
            // A value on an edge belongs to the bar below it.
            let bar = (share * bars as f64).ceil() as usize;
            out[bar.clamp(1, bars)].links += 1;
        }
        out
    }
}
