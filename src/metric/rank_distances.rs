//! Where the ranks of an ordering stand, prepared for many distance sums over small sets of them.

use std::sync::OnceLock;

use super::components::RankAdjacency;
use crate::error::{Error, Result, SourceLocation};
use crate::ids::RouterId;
use crate::ordering::NodeOrder;
use crate::ranks::Ranks;
use crate::topology::distance::{Axis, Shape};
use crate::topology::search::{self, Search};
use crate::topology::{Metric, Topology};

/// The ranks of one ordering on one topology, and the distance between any two of them.
///
/// Closed forms are kept as tables of one axis each: O(ranks·axes + Σ extents) memory. Where only a search
/// finds distances they are kept for every pair of routers with nodes: 2 bytes each, refused where that
/// exceeds the run's memory.
///
/// Between components that no path joins the distance is one that [`Topology::joined_graph`] has, greater than any
/// inside one: for choices, never for sums that are reported.
#[derive(Debug)]
pub struct RankDistances {
    pub(super) routers: Vec<u32>,
    pub(super) form: DistanceForm,
    /// `growth[d]`: at most so many nodes stand within d hops of any node, itself included.
    growth: Vec<u64>,
    /// Made when first asked for.
    adjacency: OnceLock<RankAdjacency>,
}

/// How distances are found.
#[derive(Debug)]
pub(super) enum DistanceForm {
    /// A sum over coordinates and cliques.
    LabelTerms(LabelTerms),
    /// Groups of cliques, joined at their first routers.
    Hub(Hub),
    /// A table of all distances, router by router.
    Table { hops: Vec<u16>, hosts: usize },
}

/// A distance that is a sum of one-dimensional terms: coordinates along lines, and cliques.
#[derive(Debug)]
pub(super) struct LabelTerms {
    pub lines: Vec<Line>,
    pub cliques: Vec<Clique>,
    /// Labels of a rank: one for each line, then one for each clique.
    pub labels: Vec<u32>,
}

/// A path or ring. The distances from label v to all others are `base[start(v)..]`.
#[derive(Debug)]
pub(super) struct Line {
    pub axis: Axis,
    /// Distances of the extent before and after a label, twice around a ring; padded by a block.
    pub base: Vec<u32>,
    /// Where this line's counters begin when those of all lines stand in one array, each line's padded to
    /// whole blocks.
    pub offset: usize,
}

/// Labels that are all `weight` apart.
#[derive(Debug)]
pub(super) struct Clique {
    pub extent: u32,
    pub weight: u32,
    /// Where this clique's counters begin when those of all cliques stand in one array.
    pub offset: usize,
}

/// Groups, each a product of cliques; see [`crate::topology::distance::Hub`].
#[derive(Debug)]
pub(super) struct Hub {
    pub groups: usize,
    /// Where each clique's counters begin among those of a group, and how many those are.
    pub offsets: Vec<u32>,
    pub width: usize,
    /// Of each rank: its group, and its labels.
    pub group: Vec<u32>,
    pub labels: Vec<u32>,
}

/// Entries of one step of a vector loop.
pub(super) const BLOCK: usize = 8;

impl Line {
    fn new(axis: Axis, offset: usize) -> Self {
        let n = axis.extent;
        // base[n + x - v] is the distance of labels v and x.
        let base = (0..2 * n as usize + BLOCK).map(|i| match axis.shape {
            Shape::Ring => axis.between(0, i as u32 % n),
            _ => (i as u32).abs_diff(n),
        });
        Line { axis, base: base.collect(), offset }
    }

    /// The distances from label `v` to 0, 1, 2, …
    #[inline]
    pub fn from(&self, v: u32) -> &[u32] {
        &self.base[(self.axis.extent - v) as usize..]
    }

    /// Counters this line takes, whole blocks.
    pub fn width(&self) -> usize {
        (self.axis.extent as usize).next_multiple_of(BLOCK)
    }
}

impl LabelTerms {
    /// Counters of all lines.
    pub fn line_counters(&self) -> usize {
        self.lines.last().map_or(0, |l| l.offset + l.width())
    }

    /// Counters of all cliques.
    pub fn clique_counters(&self) -> usize {
        self.cliques.last().map_or(0, |c| c.offset + c.extent as usize)
    }

    /// Labels of one rank: those of lines, those of cliques.
    #[inline]
    pub fn of(&self, rank: u32) -> (&[u32], &[u32]) {
        let width = self.lines.len() + self.cliques.len();
        self.labels[rank as usize * width..][..width].split_at(self.lines.len())
    }

    #[inline]
    pub fn between(&self, a: u32, b: u32) -> u32 {
        let ((la, ca), (lb, cb)) = (self.of(a), self.of(b));
        let lines = self.lines.iter().zip(la.iter().zip(lb));
        let cliques = self.cliques.iter().zip(ca.iter().zip(cb));
        lines.map(|(line, (x, y))| line.from(*x)[*y as usize]).sum::<u32>()
            + cliques.map(|(c, (x, y))| if x == y { 0 } else { c.weight }).sum::<u32>()
    }
}

impl Hub {
    #[inline]
    pub fn of(&self, rank: u32) -> &[u32] {
        let width = self.offsets.len();
        &self.labels[rank as usize * width..][..width]
    }

    fn between(&self, a: u32, b: u32) -> u32 {
        let (la, lb) = (self.of(a), self.of(b));
        if self.group[a as usize] == self.group[b as usize] {
            return la.iter().zip(lb).map(|(x, y)| u32::from(x != y)).sum();
        }
        1 + self.way(a) + self.way(b)
    }

    /// Hops to the router that joins the groups.
    #[inline]
    pub fn way(&self, rank: u32) -> u32 {
        self.of(rank).iter().map(|x| u32::from(*x != 0)).sum()
    }
}

impl RankDistances {
    /// Prepares `order` on `topology`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] where the tables exceed the run's limit.
    ///
    /// # Complexity
    /// O(ranks·axes + Σ extents) for closed forms; O(hosts·links/64) time and 2·hosts² bytes for graphs.
    pub fn new(topology: &Topology, order: &NodeOrder) -> Result<Self> {
        let routers: Vec<u32> = order.nodes().iter().map(|n| topology.router_of(*n).0).collect();
        let per = u64::from(topology.network().per_router());
        let form = match topology.metric() {
            Metric::Hub(hub) if hub.group.axes.iter().all(|a| a.shape == Shape::Clique) => {
                let size = hub.group.routers() as u32;
                let axes = 0..hub.group.axes.len();
                let label = |r: &u32| {
                    axes.clone().map(|i| hub.group.coordinate(i, r % size)).collect::<Vec<_>>()
                };
                let mut width = 0;
                let offsets = hub.group.axes.iter().map(|a| {
                    width += a.extent;
                    width - a.extent
                });
                DistanceForm::Hub(Hub {
                    groups: hub.groups as usize,
                    offsets: offsets.collect(),
                    width: hub.group.axes.iter().map(|a| a.extent as usize).sum(),
                    group: routers.iter().map(|r| r / size).collect(),
                    labels: routers.iter().flat_map(label).collect(),
                })
            }
            metric @ (Metric::Product(_) | Metric::Tree(_) | Metric::Labels(_)) => {
                let labellings = metric.labellings().unwrap_or_default();
                let (lines, cliques): (Vec<_>, Vec<_>) =
                    labellings.iter().partition(|l| l.axis.shape != Shape::Clique && l.weight == 1);
                let count = routers.len() * labellings.len();
                topology.require("labels of all ranks", 4 * count as u64)?;
                let mut labels = Vec::with_capacity(count);
                for router in &routers {
                    let all = lines.iter().chain(&cliques);
                    labels.extend(all.map(|l| l.label(RouterId(*router))));
                }
                let mut terms = LabelTerms { labels, lines: vec![], cliques: vec![] };
                for l in &lines {
                    terms.lines.push(Line::new(l.axis, terms.line_counters()));
                }
                for l in &cliques {
                    let (extent, offset) = (l.axis.extent, terms.clique_counters());
                    terms.cliques.push(Clique { extent, weight: l.weight, offset });
                }
                DistanceForm::LabelTerms(terms)
            }
            _ => table(topology)?,
        };
        let growth = growth(topology, &form).into_iter().map(|routers| routers * per).collect();
        Ok(RankDistances { routers, form, growth, adjacency: OnceLock::new() })
    }

    /// Whether paths join all of these ranks. O(1) where the machine is in one component, else O(ranks).
    pub fn within_one_component(&self, topology: &Topology, ranks: &Ranks) -> bool {
        let Some(of) = topology.network().component_of().filter(|_| topology.components() > 1)
        else {
            return true;
        };
        let mut components = ranks.iter().map(|rank| of[self.routers[rank as usize] as usize]);
        let first = components.next();
        components.all(|component| Some(component) == first)
    }

    /// How many ranks there are.
    pub fn len(&self) -> u32 {
        self.routers.len() as u32
    }

    /// Whether there is no rank.
    pub fn is_empty(&self) -> bool {
        self.routers.is_empty()
    }

    /// The router of every rank.
    pub fn routers(&self) -> &[u32] {
        &self.routers
    }

    /// The adjacency of the routers, on the topology these distances were made of.
    pub(super) fn adjacency(&self, topology: &Topology) -> Result<&RankAdjacency> {
        if let Some(adjacency) = self.adjacency.get() {
            return Ok(adjacency);
        }
        let made = RankAdjacency::new(&self.routers, topology)?;
        Ok(self.adjacency.get_or_init(|| made))
    }

    /// Where a distance is the number of labels that differ: how many values each label has, and the labels of every
    /// rank one after the other.
    pub fn differing_labels(&self) -> Option<(Vec<u32>, &[u32])> {
        match &self.form {
            DistanceForm::LabelTerms(terms)
                if terms.lines.is_empty() && terms.cliques.iter().all(|c| c.weight == 1) =>
            {
                Some((terms.cliques.iter().map(|c| c.extent).collect(), &terms.labels))
            }
            _ => None,
        }
    }

    /// Hops between two ranks. O(axes).
    #[inline]
    pub fn between(&self, a: u32, b: u32) -> u32 {
        match &self.form {
            DistanceForm::LabelTerms(terms) => terms.between(a, b),
            DistanceForm::Hub(hub) => hub.between(a, b),
            DistanceForm::Table { hops, hosts } => {
                let (a, b) = (self.routers[a as usize] as usize, self.routers[b as usize] as usize);
                u32::from(hops[a * hosts + b])
            }
        }
    }

    /// A proved lower bound on the pair-distance sum of any `count` distinct ranks: no member has more than
    /// `growth[d]` members within d hops. (The ball bound.) O(diameter).
    pub fn floor(&self, count: u32) -> u64 {
        let n = u64::from(count);
        let star: u64 = self.growth.iter().map(|within| n.saturating_sub(*within)).sum();
        (n * star).div_ceil(2)
    }
}

/// All distances between routers with nodes.
fn table(topology: &Topology) -> Result<DistanceForm> {
    let hosts = topology.network().hosts() as usize;
    topology.require("distances between all routers", 2 * (hosts as u64).pow(2))?;
    let mut hops = vec![0u16; hosts * hosts];
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
        hops.chunks_mut(hosts).enumerate().try_for_each(|(i, row)| fill((row, i)))?;
        return Ok(DistanceForm::Table { hops, hosts });
    }
    let mut search = Search::new(topology.joined_graph()?);
    let mut bytes = [0; search::WIDTH];
    for (batch, rows) in hops.chunks_mut(hosts * search::WIDTH).enumerate() {
        let first = batch * search::WIDTH;
        let sources: Vec<RouterId> =
            (first..hosts.min(first + search::WIDTH)).map(|r| RouterId(r as u32)).collect();
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
    Ok(DistanceForm::Table { hops, hosts })
}

/// At most how many routers with nodes stand within 0, 1, … hops of any of them, up to all of them.
fn growth(topology: &Topology, form: &DistanceForm) -> Vec<u64> {
    let hosts = u64::from(topology.network().hosts());
    let mut at: Vec<u64> = match (topology.metric(), form) {
        // From the middle of a path, or any label of a ring or clique, the most labels are near.
        (Metric::Product(product), _) => product.axes.iter().fold(vec![1], |so_far, axis| {
            let middle = axis.extent / 2;
            let mut near = vec![0u64; axis.diameter() as usize + 1];
            (0..axis.extent).for_each(|x| near[axis.between(middle, x) as usize] += 1);
            let mut both = vec![0; so_far.len() + near.len() - 1];
            for (i, a) in so_far.iter().enumerate() {
                near.iter().enumerate().for_each(|(j, b)| both[i + j] += a * b);
            }
            both
        }),
        (Metric::Tree(tree), _) => {
            let mut below = 1;
            let mut at = vec![1];
            for arity in tree.arity.iter().rev() {
                at.extend([0, below * u64::from(arity - 1)]);
                below *= u64::from(*arity);
            }
            at
        }
        (Metric::Hub(hub), _) => {
            let near: u64 = hub.group.axes.iter().map(|a| u64::from(a.extent - 1)).sum();
            vec![1, near + u64::from(hub.groups - 1), hosts]
        }
        (Metric::Labels(labels), _) => labels.growth(hosts as u32),
        (Metric::Hops, DistanceForm::Table { hops, hosts }) => {
            let farthest = hops.iter().max().map_or(0, |h| usize::from(*h));
            let mut most = vec![0; farthest + 1];
            for row in hops.chunks(*hosts) {
                let mut at = vec![0u64; farthest + 1];
                row.iter().for_each(|h| at[usize::from(*h)] += 1);
                let mut within = 0;
                for (most, count) in most.iter_mut().zip(at) {
                    within += count;
                    *most = within.max(*most);
                }
            }
            return most;
        }
        (Metric::Hops, _) => return vec![hosts],
    };
    let mut within = 0;
    at.iter_mut().for_each(|count| {
        within = (within + *count).min(hosts);
        *count = within;
    });
    at
}
