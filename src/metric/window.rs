//! The window of consecutive entries of a list of ranks with the smallest pair-distance sum.
//!
//! The window slides by one entry at a time: the one that leaves takes its distances to the rest along, the
//! one that enters brings its own. What a member adds to the sum comes from counters that follow the
//! window. Distances that are sums of few cuts count the members on one side of every cut: the sum is
//! `Σ w·c·(n - c)`, the same few vector operations for every window. Others keep, for every label of an axis,
//! the summed distance to it; how many members share a label, on trees and hierarchies; rows of the distance
//! table, on graphs.

use multiversion::multiversion;

use super::cuts::Cuts;
use super::rank_distances::{BLOCK, DistanceForm, Hub, LabelTerms, RankDistances};

/// Up to so many members are summed pair by pair.
const FEW: usize = 4;

/// Finds best windows; holds the counters that takes. They are zero between calls.
#[derive(Debug)]
pub struct Window<'p> {
    distances: &'p RankDistances,
    cuts: Option<Cuts>,
    counters: Counters,
}

#[derive(Debug)]
enum Counters {
    /// Sums fit 32 bits.
    Narrow {
        lines: Vec<u32>,
        cliques: Vec<u32>,
    },
    Wide {
        lines: Vec<u64>,
        cliques: Vec<u32>,
    },
    Hub {
        labels: Vec<u32>,
        groups: Vec<(u64, u64)>,
    },
    Table {
        sums: Vec<u32>,
    },
}

/// A counter of distance sums. Arithmetic wraps: what is read is a difference that fits.
trait Lane: Copy {
    fn add(self, hops: u32) -> Self;
    fn replace(self, gone: u32, come: u32) -> Self;
    fn get(self) -> u64;
}

impl Lane for u32 {
    #[inline(always)]
    fn add(self, hops: u32) -> Self {
        self.wrapping_add(hops)
    }
    #[inline(always)]
    fn replace(self, gone: u32, come: u32) -> Self {
        self.wrapping_add(come).wrapping_sub(gone)
    }
    #[inline(always)]
    fn get(self) -> u64 {
        self.into()
    }
}

impl Lane for u64 {
    #[inline(always)]
    fn add(self, hops: u32) -> Self {
        self + u64::from(hops)
    }
    #[inline(always)]
    fn replace(self, gone: u32, come: u32) -> Self {
        self + u64::from(come) - u64::from(gone)
    }
    #[inline(always)]
    fn get(self) -> u64 {
        self
    }
}

impl<'p> Window<'p> {
    /// Windows over ranks of `distances`.
    pub fn new(distances: &'p RankDistances) -> Self {
        let counters = match &distances.form {
            DistanceForm::LabelTerms(terms) => {
                let cliques = vec![0; terms.clique_counters()];
                let reach: u64 = terms.lines.iter().map(|l| u64::from(l.axis.diameter())).sum();
                if u64::from(distances.len()) * reach <= u64::from(u32::MAX) {
                    Counters::Narrow { lines: vec![0; terms.line_counters()], cliques }
                } else {
                    Counters::Wide { lines: vec![0; terms.line_counters()], cliques }
                }
            }
            DistanceForm::Hub(hub) => Counters::Hub {
                labels: vec![0; hub.groups * hub.width],
                groups: vec![(0, 0); hub.groups],
            },
            DistanceForm::Table { hosts, .. } => Counters::Table { sums: vec![0; *hosts] },
        };
        let cuts = match &distances.form {
            DistanceForm::LabelTerms(terms) => Cuts::new(terms),
            _ => None,
        };
        Window { distances, cuts, counters }
    }

    /// The first of the windows `entries[i .. i + count]` with the smallest sum, and that sum.
    /// `1 ≤ count ≤ entries.len()`; entries are distinct. Stops at a window that reaches the proved minimum
    /// ([`RankDistances::floor`]).
    ///
    /// # Complexity
    /// With f entries: O(f·cuts/16) on grids, O(f·levels) on trees and hierarchies,
    /// O(f·min(count, hosts/16)) on graphs.
    pub fn best(&mut self, entries: &[u32], count: u32) -> (usize, u64) {
        let (distances, n) = (self.distances, count as usize);
        let floor = distances.floor(count);
        if let Some(cuts) = self.cuts.as_ref().filter(|cuts| cuts.hold(count)) {
            return cuts.best(entries, n, floor);
        }
        if n <= FEW {
            return few(distances, entries, n, floor);
        }
        match (&distances.form, &mut self.counters) {
            (DistanceForm::LabelTerms(terms), Counters::Narrow { lines, cliques }) => {
                narrow(terms, entries, n, floor, lines, cliques)
            }
            (DistanceForm::LabelTerms(terms), Counters::Wide { lines, cliques }) => {
                slide(terms, entries, n, floor, lines, cliques)
            }
            (DistanceForm::Hub(hub), Counters::Hub { labels, groups }) => {
                HubWindow { hub, labels, groups, members: 0, ways: 0 }.best(entries, n, floor)
            }
            (DistanceForm::Table { hops, hosts }, Counters::Table { sums }) if n > hosts / 16 => {
                rows(distances, hops, *hosts, entries, n, floor, sums)
            }
            _ => few(distances, entries, n, floor),
        }
    }
}

/// Keeps the first smallest sum.
struct Best {
    at: usize,
    sum: u64,
}

impl Best {
    /// Whether the search can stop.
    #[inline(always)]
    fn see(&mut self, at: usize, sum: u64, floor: u64) -> bool {
        if sum < self.sum {
            *self = Best { at, sum };
        }
        self.sum <= floor
    }
}

/// Distances to every member, one by one.
fn few(distances: &RankDistances, entries: &[u32], n: usize, floor: u64) -> (usize, u64) {
    let star = |of: u32, members: &[u32]| -> u64 {
        members.iter().map(|m| u64::from(distances.between(of, *m))).sum()
    };
    let mut sum = (1..n).map(|i| star(entries[i], &entries[..i])).sum();
    let mut best = Best { at: 0, sum };
    for i in 0..entries.len() - n {
        if best.sum <= floor {
            break;
        }
        let rest = &entries[i + 1..i + n];
        sum = sum - star(entries[i], rest) + star(entries[i + n], rest);
        best.see(i + 1, sum, floor);
    }
    (best.at, best.sum)
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512dq",
    "x86_64+avx2",
    "aarch64+neon"
))]
fn narrow(
    terms: &LabelTerms,
    entries: &[u32],
    n: usize,
    floor: u64,
    lines: &mut [u32],
    cliques: &mut [u32],
) -> (usize, u64) {
    slide(terms, entries, n, floor, lines, cliques)
}

/// Sums of one-dimensional terms.
#[inline(always)]
fn slide<T: Lane + Default>(
    terms: &LabelTerms,
    entries: &[u32],
    n: usize,
    floor: u64,
    lines: &mut [T],
    cliques: &mut [u32],
) -> (usize, u64) {
    let mut sum = 0;
    for (members, rank) in entries[..n].iter().enumerate() {
        sum += star(terms, *rank, members, lines, cliques);
        let (along, among) = terms.of(*rank);
        for (line, x) in terms.lines.iter().zip(along) {
            let counters = &mut lines[line.offset..][..line.width()];
            counters.iter_mut().zip(line.from(*x)).for_each(|(c, hops)| *c = c.add(*hops));
        }
        terms.cliques.iter().zip(among).for_each(|(c, x)| cliques[c.offset + *x as usize] += 1);
    }
    let mut best = Best { at: 0, sum };
    for (i, (gone, come)) in entries.iter().zip(&entries[n..]).enumerate() {
        if best.sum <= floor {
            break;
        }
        sum = sum + star(terms, *come, n, lines, cliques)
            - star(terms, *gone, n, lines, cliques)
            - u64::from(terms.between(*gone, *come));
        let ((along_gone, among_gone), (along_come, among_come)) =
            (terms.of(*gone), terms.of(*come));
        for (line, (gone, come)) in terms.lines.iter().zip(along_gone.iter().zip(along_come)) {
            if gone == come {
                continue;
            }
            let (counters, _) = lines[line.offset..][..line.width()].as_chunks_mut::<BLOCK>();
            let (gone, _) = line.from(*gone).as_chunks::<BLOCK>();
            let (come, _) = line.from(*come).as_chunks::<BLOCK>();
            for ((block, gone), come) in counters.iter_mut().zip(gone).zip(come) {
                for j in 0..BLOCK {
                    block[j] = block[j].replace(gone[j], come[j]);
                }
            }
        }
        for (clique, (gone, come)) in terms.cliques.iter().zip(among_gone.iter().zip(among_come)) {
            cliques[clique.offset + *gone as usize] -= 1;
            cliques[clique.offset + *come as usize] += 1;
        }
        best.see(i + 1, sum, floor);
    }
    lines.fill(T::default());
    cliques.fill(0);
    (best.at, best.sum)
}

/// Σ over the members of their distance to `rank`.
#[inline(always)]
fn star<T: Lane>(
    terms: &LabelTerms,
    rank: u32,
    members: usize,
    lines: &[T],
    cliques: &[u32],
) -> u64 {
    let (along, among) = terms.of(rank);
    let mut sum = 0;
    for (line, x) in terms.lines.iter().zip(along) {
        sum += lines[line.offset + *x as usize].get();
    }
    for (clique, x) in terms.cliques.iter().zip(among) {
        let others = members as u64 - u64::from(cliques[clique.offset + *x as usize]);
        sum += u64::from(clique.weight) * others;
    }
    sum
}

/// Groups joined at one router: counters by group.
struct HubWindow<'a> {
    hub: &'a Hub,
    labels: &'a mut [u32],
    groups: &'a mut [(u64, u64)],
    members: u64,
    ways: u64,
}

impl HubWindow<'_> {
    fn best(mut self, entries: &[u32], n: usize, floor: u64) -> (usize, u64) {
        let mut sum = 0;
        for rank in &entries[..n] {
            sum += self.star(*rank);
            self.change(*rank, u32::wrapping_add, u64::wrapping_add);
        }
        let mut best = Best { at: 0, sum };
        for (i, (gone, come)) in entries.iter().zip(&entries[n..]).enumerate() {
            if best.sum <= floor {
                break;
            }
            self.change(*gone, u32::wrapping_sub, u64::wrapping_sub);
            sum = sum - self.star(*gone) + self.star(*come);
            self.change(*come, u32::wrapping_add, u64::wrapping_add);
            best.see(i + 1, sum, floor);
        }
        self.labels.fill(0);
        self.groups.fill((0, 0));
        (best.at, best.sum)
    }

    fn star(&self, rank: u32) -> u64 {
        let hub = self.hub;
        let g = hub.group[rank as usize] as usize;
        let (here, ways_here) = self.groups[g];
        let apart = |(offset, x): (&u32, &u32)| {
            here - u64::from(self.labels[g * hub.width + (offset + x) as usize])
        };
        let inside: u64 = hub.offsets.iter().zip(hub.of(rank)).map(apart).sum();
        let outside = self.members - here;
        inside + outside * (1 + u64::from(hub.way(rank))) + (self.ways - ways_here)
    }

    fn change(&mut self, rank: u32, one: fn(u32, u32) -> u32, many: fn(u64, u64) -> u64) {
        let hub = self.hub;
        let g = hub.group[rank as usize] as usize;
        let way = u64::from(hub.way(rank));
        for (offset, x) in hub.offsets.iter().zip(hub.of(rank)) {
            let label = &mut self.labels[g * hub.width + (offset + x) as usize];
            *label = one(*label, 1);
        }
        let (here, ways) = &mut self.groups[g];
        (*here, *ways) = (many(*here, 1), many(*ways, way));
        (self.members, self.ways) = (many(self.members, 1), many(self.ways, way));
    }
}

/// Rows of the distance table added up: the summed distance to every router. Wraps as [`Lane`] does.
fn rows(
    distances: &RankDistances,
    hops: &[u16],
    hosts: usize,
    entries: &[u32],
    n: usize,
    floor: u64,
    sums: &mut [u32],
) -> (usize, u64) {
    let router = |rank: u32| distances.routers[rank as usize] as usize;
    let row = |rank: u32| &hops[router(rank) * hosts..][..hosts];
    let mut sum = 0;
    for rank in &entries[..n] {
        sum += u64::from(sums[router(*rank)]);
        sums.iter_mut().zip(row(*rank)).for_each(|(s, h)| *s += u32::from(*h));
    }
    let mut best = Best { at: 0, sum };
    for (i, (gone, come)) in entries.iter().zip(&entries[n..]).enumerate() {
        if best.sum <= floor {
            break;
        }
        sum = sum + u64::from(sums[router(*come)])
            - u64::from(sums[router(*gone)])
            - u64::from(distances.between(*gone, *come));
        for ((s, g), c) in sums.iter_mut().zip(row(*gone)).zip(row(*come)) {
            *s = s.replace(u32::from(*g), u32::from(*c));
        }
        best.see(i + 1, sum, floor);
    }
    sums.fill(0);
    (best.at, best.sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sums::Sums;
    use super::*;
    use crate::ordering::NodeOrder;
    use crate::ranks::Ranks;
    use crate::topology::Topology;

    /// One of every form of distance, with holes and several nodes a router.
    const MACHINES: &[&str] = &[
        "torus:5x3x4,per_router=2",
        "mesh:9x4",
        "grid:4x5x2,wrap=010",
        "torus:2x3x3",
        "hyperx:4x3,per_router=3",
        "cascade:4x3x5,per_router=2,limit=110",
        "cascade:4x3x5,per_router=2,global=single",
        "fat-tree:k=6",
        "xgft:h=3,m=3x2x4,w=1x2x2",
        "dragonfly:p=2,a=4,h=2,g=9,global=absolute",
        "random-regular:n=40,d=3,seed=4,per_router=2",
        "watts-strogatz:n=30,k=2,p=0,seed=1",
    ];

    fn shuffled(topology: &Topology, keep: u32) -> NodeOrder {
        let order = NodeOrder::make(topology, "random:seed=5").unwrap();
        let nodes = order.nodes().iter().copied().filter(|n| n.0 % 11 < keep).collect();
        NodeOrder::new(topology, "some", nodes).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn sums_windows_and_floors_are_those_of_the_definition(
            machine in 0..MACHINES.len(),
            keep in 6u32..=11,
            present in prop::collection::vec(prop::bool::weighted(0.6), 1..150),
            count in 1u32..60,
        ) {
            let topology = Topology::inline(MACHINES[machine], &Default::default()).unwrap();
            let order = shuffled(&topology, keep);
            let distances = RankDistances::new(&topology, &order).unwrap();
            let node = |rank: u32| order.nodes()[rank as usize];
            let distance = |a, b| u64::from(topology.distance(node(a), node(b)));
            let entries: Vec<u32> = (0..distances.len())
                .filter(|r| present[*r as usize % present.len()])
                .collect();
            prop_assume!(!entries.is_empty());
            let count = 1 + (count - 1) % entries.len() as u32;
            let plain = |set: &[u32]| -> u64 {
                let pairs = set.iter().enumerate().flat_map(|(i, a)| set[..i].iter().map(move |b| (*a, *b)));
                pairs.map(|(a, b)| distance(a, b)).sum()
            };
            let sums: Vec<u64> = entries.windows(count as usize).map(plain).collect();
            let least = *sums.iter().min().unwrap();
            let first = sums.iter().position(|s| *s == least).unwrap();
            prop_assert!(distances.floor(count) <= least);
            let mut window = Window::new(&distances);
            let mut meter = Sums::new(&distances);
            // Twice: the counters must be left as they were found.
            for _ in 0..2 {
                prop_assert_eq!(window.best(&entries, count), (first, least));
                let cuts = window.cuts.take();
                prop_assert_eq!(window.best(&entries, count), (first, least));
                window.cuts = cuts;
                let mut ranks = Ranks::default();
                entries[first..][..count as usize].iter().for_each(|r| ranks.push_rank(*r));
                prop_assert_eq!(meter.total(&ranks), least);
            }
        }
    }

    #[test]
    fn long_rings_are_summed_in_wide_counters() {
        let topology = Topology::inline("torus:100000", &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let mut window = Window::new(&distances);
        assert!(window.cuts.is_none());
        assert!(matches!(window.counters, Counters::Wide { .. }));
        let entries: Vec<u32> = (0..60).map(|i| i * i * 27).collect();
        let sum = |set: &[u32]| -> u64 {
            let pairs =
                set.iter().enumerate().flat_map(|(i, a)| set[..i].iter().map(move |b| (a, b)));
            pairs.map(|(a, b)| u64::from(a.abs_diff(*b).min(100_000 - a.abs_diff(*b)))).sum()
        };
        let sums: Vec<u64> = entries.windows(20).map(sum).collect();
        let least = *sums.iter().min().unwrap();
        let first = sums.iter().position(|s| *s == least).unwrap();
        assert_eq!(window.best(&entries, 20), (first, least));
    }
}
