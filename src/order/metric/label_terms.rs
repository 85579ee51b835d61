//! Distances that are sums of one-dimensional terms: grids, trees, hierarchies.

use multiversion::multiversion;

use super::cursor::Cursor;
use super::cuts::{CutTerm, Cuts};
use super::distance_kernel::DistanceKernel;
use nodeorder_base::error::Result;
use nodeorder_base::ids::RouterId;
use nodeorder_base::ranks::Run;
use nodeorder_network::topology::distance::Axis;
use nodeorder_network::topology::distance::Shape;
use nodeorder_network::topology::{Metric, Topology};

/// A distance that is a sum of one-dimensional terms: coordinates along paths and rings, and cliques.
///
/// Counters: members by label, term after term, then all members.
#[derive(Debug)]
pub(super) struct LabelTerms {
    axes: Vec<AxisTerm>,
    cliques: Vec<CliqueTerm>,
    /// Labels of a rank: one for each axis, then one for each clique.
    labels: Vec<u32>,
    /// Index of the counter of all members.
    members: usize,
}

/// A path or ring.
#[derive(Debug)]
struct AxisTerm {
    axis: Axis,
    /// The distances of labels 0, 1, … from label v begin at `hops[extent - v]`.
    hops: Vec<u32>,
    /// Index of its first counter.
    first: usize,
}

/// Labels that are all `weight` apart.
#[derive(Debug)]
struct CliqueTerm {
    extent: u32,
    weight: u32,
    /// Index of its first counter.
    first: usize,
}

impl AxisTerm {
    fn new(axis: Axis, first: usize) -> Self {
        let n = axis.extent;
        let hops = (0..2 * n).map(|i| match axis.shape {
            Shape::Ring => axis.between(0, i % n),
            _ => i.abs_diff(n),
        });
        AxisTerm {
            axis,
            hops: hops.collect(),
            first,
        }
    }

    /// The distances from label `v` to 0, 1, 2, …
    fn hops_from(&self, v: u32) -> &[u32] {
        &self.hops[(self.axis.extent - v) as usize..][..self.axis.extent as usize]
    }
}

impl LabelTerms {
    /// The terms of `metric`, which is a sum of labelled terms. Errors: [`nodeorder_base::error::Error::Memory`] where the labels
    /// exceed the run's limit.
    pub fn new(topology: &Topology, metric: &Metric, routers: &[u32]) -> Result<Self> {
        let labellings = metric.labellings().unwrap_or_default();
        let (lines, cliques): (Vec<_>, Vec<_>) = labellings
            .iter()
            .partition(|l| l.axis.shape != Shape::Clique && l.weight == 1);
        let count = routers.len() * labellings.len();
        topology.require("labels of all ranks", 4 * count as u64)?;
        let mut labels = Vec::with_capacity(count);
        for router in routers {
            let all = lines.iter().chain(&cliques);
            labels.extend(all.map(|l| l.label(RouterId(*router))));
        }
        let mut members = 0;
        let mut next = |extent: u32| {
            members += extent as usize;
            members - extent as usize
        };
        let axes = lines
            .iter()
            .map(|l| AxisTerm::new(l.axis, next(l.axis.extent)))
            .collect();
        let clique = |extent, weight, first| CliqueTerm {
            extent,
            weight,
            first,
        };
        let cliques = cliques
            .iter()
            .map(|l| clique(l.axis.extent, l.weight, next(l.axis.extent)))
            .collect();
        Ok(LabelTerms {
            axes,
            cliques,
            labels,
            members,
        })
    }

    /// Labels of a rank: of axes, of cliques.
    fn labels_of(&self, rank: u32) -> (&[u32], &[u32]) {
        let width = self.axes.len() + self.cliques.len();
        self.labels[rank as usize * width..][..width].split_at(self.axes.len())
    }

    /// Adds `rank` to the members (`by` is 1) or takes it away (-1); Σ of its distances to the others. Each way has a
    /// cursor of its own on every axis, which the members that the other one meets are told.
    #[inline]
    fn pass(&self, cursors: &mut [[Cursor; 2]], counters: &mut [u64], rank: u32, by: i64) -> i64 {
        let (here, there) = if by > 0 { (0, 1) } else { (1, 0) };
        let members = counters[self.members] as i64;
        let (along, among) = self.labels_of(rank);
        let mut star = 0;
        for ((axis, pair), x) in self.axes.iter().zip(cursors).zip(along) {
            let counts = &mut counters[axis.first..][..axis.axis.extent as usize];
            star += pair[here].star(*x, counts, members);
            pair[there].change(*x, by);
            counts[*x as usize] = counts[*x as usize].wrapping_add_signed(by);
        }
        for (clique, x) in self.cliques.iter().zip(among) {
            let count = &mut counters[clique.first + *x as usize];
            star += i64::from(clique.weight) * (members - *count as i64);
            *count = count.wrapping_add_signed(by);
        }
        counters[self.members] = (members + by) as u64;
        star
    }
}

impl DistanceKernel for LabelTerms {
    #[inline]
    fn between(&self, a: u32, b: u32) -> u32 {
        let ((along_a, among_a), (along_b, among_b)) = (self.labels_of(a), self.labels_of(b));
        let axes = self.axes.iter().zip(along_a.iter().zip(along_b));
        let cliques = self.cliques.iter().zip(among_a.iter().zip(among_b));
        axes.map(|(axis, (x, y))| axis.hops_from(*x)[*y as usize])
            .sum::<u32>()
            + cliques
                .map(|(c, (x, y))| if x == y { 0 } else { c.weight })
                .sum::<u32>()
    }

    fn counters(&self) -> usize {
        self.members + 1
    }

    #[inline]
    fn change(&self, counters: &mut [u64], rank: u32, by: i64) {
        let (along, among) = self.labels_of(rank);
        let mut change = |i: usize| counters[i] = counters[i].wrapping_add_signed(by);
        self.axes
            .iter()
            .zip(along)
            .for_each(|(axis, x)| change(axis.first + *x as usize));
        self.cliques
            .iter()
            .zip(among)
            .for_each(|(c, x)| change(c.first + *x as usize));
        change(self.members);
    }

    #[inline]
    fn star(&self, counters: &[u64], rank: u32) -> u64 {
        let (along, among) = self.labels_of(rank);
        let mut sum = 0;
        for (axis, x) in self.axes.iter().zip(along) {
            sum += weighted(axis.hops_from(*x), &counters[axis.first..]);
        }
        let members = counters[self.members];
        for (clique, x) in self.cliques.iter().zip(among) {
            let others = members - counters[clique.first + *x as usize];
            sum += u64::from(clique.weight) * others;
        }
        sum
    }

    /// Counts every member once, then sums each axis as a whole and takes off the pairs that share a clique's label:
    /// a star for every member would cost the extents of all axes each time.
    fn total(&self, counters: &mut [u64], members: &[Run]) -> u64 {
        members
            .iter()
            .for_each(|run| self.change(counters, run.first, run.count.into()));
        let along = |axis: &AxisTerm| {
            let counts = &mut counters[axis.first..][..axis.axis.extent as usize];
            let sum = axis.axis.pair_sum(counts) as u64;
            counts.fill(0);
            sum
        };
        let sum: u64 = self.axes.iter().map(along).sum();
        let all = std::mem::take(&mut counters[self.members]);
        let mut same = 0;
        for (i, clique) in self.cliques.iter().enumerate() {
            let counts = &mut counters[clique.first..][..clique.extent as usize];
            let square = |count: u64| u64::from(clique.weight) * count.pow(2);
            // A clique may have far more labels than there are members: then only those met are read and cleared.
            if counts.len() <= members.len() {
                same += counts.iter().map(|count| square(*count)).sum::<u64>();
                counts.fill(0);
            } else {
                let label = |run: &Run| self.labels_of(run.first).1[i] as usize;
                let met = members
                    .iter()
                    .map(|run| std::mem::take(&mut counts[label(run)]));
                same += met.map(square).sum::<u64>();
            }
        }
        let weights: u64 = self
            .cliques
            .iter()
            .map(|clique| u64::from(clique.weight))
            .sum();
        sum + (weights * all * all - same) / 2
    }

    /// O(axes) a window where neighbours in the list are near on every axis, else O(Σ extents).
    fn best_window(
        &self,
        counters: &mut [u64],
        entries: &[u32],
        n: usize,
        floor: u64,
    ) -> (usize, u64) {
        let mut cursors: Vec<_> = self.axes.iter().map(|a| [Cursor::new(a.axis); 2]).collect();
        let first = entries[..n].iter();
        let mut sum: i64 = first
            .map(|rank| self.pass(&mut cursors, counters, *rank, 1))
            .sum();
        let (mut start, mut least) = (0, sum);
        for (i, (leaving, entering)) in entries.iter().zip(&entries[n..]).enumerate() {
            if least as u64 <= floor {
                break;
            }
            sum -= self.pass(&mut cursors, counters, *leaving, -1);
            sum += self.pass(&mut cursors, counters, *entering, 1);
            if sum < least {
                (start, least) = (i + 1, sum);
            }
        }
        counters.fill(0);
        (start, least as u64)
    }

    /// Labels by term, so that a row is found by vector operations.
    fn lay_out(&self, ranks: &[u32], labels: &mut Vec<u32>) {
        let width = self.axes.len() + self.cliques.len();
        for term in 0..width {
            labels.extend(
                ranks
                    .iter()
                    .map(|rank| self.labels[*rank as usize * width + term]),
            );
        }
    }

    fn row(&self, rank: u32, ranks: &[u32], labels: &[u32], out: &mut [u32]) {
        out.fill(0);
        let (along, among) = self.labels_of(rank);
        let mut columns = labels.chunks(ranks.len().max(1));
        for ((term, x), column) in self.axes.iter().zip(along).zip(&mut columns) {
            // A path is never shorter the other way round.
            let ring = term.axis.shape == Shape::Ring;
            add_along(
                out,
                column,
                *x,
                if ring { term.axis.extent } else { u32::MAX },
            );
        }
        for ((clique, x), column) in self.cliques.iter().zip(among).zip(&mut columns) {
            add_among(out, column, *x, clique.weight);
        }
    }

    fn cuts(&self) -> Option<Cuts> {
        let axis = |a: &AxisTerm| CutTerm {
            shape: a.axis.shape,
            extent: a.axis.extent,
            weight: 1,
        };
        let clique = |c: &CliqueTerm| CutTerm {
            shape: Shape::Clique,
            extent: c.extent,
            weight: c.weight,
        };
        let terms: Vec<CutTerm> = self
            .axes
            .iter()
            .map(axis)
            .chain(self.cliques.iter().map(clique))
            .collect();
        Cuts::new(&terms, &self.labels)
    }
}

/// Σ of hops times members; counts are below 2³², so that a product takes one vector instruction.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn weighted(hops: &[u32], counts: &[u64]) -> u64 {
    hops.iter()
        .zip(counts)
        .map(|(hops, n)| u64::from(*hops) * u64::from(*n as u32))
        .sum()
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add_along(out: &mut [u32], labels: &[u32], x: u32, around: u32) {
    for (hops, label) in out.iter_mut().zip(labels) {
        let apart = label.abs_diff(x);
        *hops += apart.min(around - apart);
    }
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add_among(out: &mut [u32], labels: &[u32], x: u32, weight: u32) {
    for (hops, label) in out.iter_mut().zip(labels) {
        *hops += if *label == x { 0 } else { weight };
    }
}
