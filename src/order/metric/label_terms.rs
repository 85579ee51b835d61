//! Distances that are sums of one-dimensional terms: grids, trees, hierarchies.
//!
//! Each rank has a label in every term. The counters of a set of members are their numbers by label, term after term,
//! and the number of all. On a torus 4x4, four counters for each coordinate tell a star: the distances from its own
//! coordinate to the four labels, times the members there, for both coordinates. Terms are of two kinds: *axes*
//! (paths and rings), and *cliques*, where all labels but the own are `weight` away, so that one counter is enough.

use multiversion::multiversion;

use super::cursor::Cursor;
use super::cuts::Cuts;
use super::distance_kernel::{DistanceKernel, slide_window, weighted_sum};
use nodeorder_base::{Result, RouterId, Run};
use nodeorder_network::topology::distance::{Axis, Shape};
use nodeorder_network::{Metric, Topology};

/// A distance that is a sum of one-dimensional terms.
#[derive(Debug)]
pub struct LabelTerms {
    axes: Vec<AxisTerm>,
    cliques: Vec<CliqueTerm>,
    /// Labels of every rank: one for each axis, then one for each clique.
    labels: Vec<u32>,
    /// Index of the counter of all members.
    members: usize,
}

/// A path or ring.
#[derive(Debug)]
struct AxisTerm {
    axis: Axis,
    /// Distances of labels; those of 0, 1, … from label v begin at `hops[extent - v]`.
    hops: Vec<u32>,
    /// Index of its first counter.
    first: usize,
}

/// Labels that are all `weight` apart.
#[derive(Debug)]
struct CliqueTerm {
    axis: Axis,
    /// Distance between any two labels, in hops.
    weight: u32,
    /// Index of its first counter.
    first: usize,
}

impl AxisTerm {
    fn new(axis: Axis, first: usize) -> Self {
        let n = axis.extent;
        let hops = (0..2 * n).map(|i| match axis.shape {
            Shape::Ring => axis.distance_between(0, i % n),
            _ => i.abs_diff(n),
        });
        AxisTerm {
            axis,
            hops: hops.collect(),
            first,
        }
    }

    /// Looks up the distances from label `v` to 0, 1, 2, …
    fn hops_from(&self, v: u32) -> &[u32] {
        &self.hops[(self.axis.extent - v) as usize..][..self.axis.extent as usize]
    }
}

impl LabelTerms {
    /// Labels the routers of all ranks by the terms of `metric`, which is a sum of them. Fails if the labels
    /// exceed the run's memory.
    pub fn new(topology: &Topology, metric: &Metric, routers: &[u32]) -> Result<Self> {
        let labellings = metric.to_labellings().unwrap_or_default();
        // Only cliques have hops of another weight than 1.
        let (axes, cliques): (Vec<_>, Vec<_>) = labellings
            .iter()
            .partition(|l| l.axis.shape != Shape::Clique && l.weight == 1);
        let count = routers.len() * labellings.len();
        topology.require_memory("labels of all ranks", 4 * count as u64)?;
        let mut labels = Vec::with_capacity(count);
        for router in routers {
            let all = axes.iter().chain(&cliques);
            labels.extend(all.map(|l| l.label_of(RouterId(*router))));
        }
        let mut terms = LabelTerms {
            axes: Vec::new(),
            cliques: Vec::new(),
            labels,
            members: 0,
        };
        for line in axes {
            terms.axes.push(AxisTerm::new(line.axis, terms.members));
            terms.members += line.axis.extent as usize;
        }
        for clique in cliques {
            terms.cliques.push(CliqueTerm {
                axis: clique.axis,
                weight: clique.weight,
                first: terms.members,
            });
            terms.members += clique.axis.extent as usize;
        }
        Ok(terms)
    }

    /// Looks up the labels of a rank: of axes, of cliques.
    fn labels_of(&self, rank: u32) -> (&[u32], &[u32]) {
        let width = self.axes.len() + self.cliques.len();
        self.labels[rank as usize * width..][..width].split_at(self.axes.len())
    }

    /// Adds `rank` to the members (`by` is 1) or takes it away (-1). Returns the sum of its distances to the others. On
    /// every axis there is one cursor for ranks that come and one for ranks that leave; each is told of the other's
    /// changes.
    #[inline]
    fn pass_member(
        &self,
        cursors: &mut [[Cursor; 2]],
        counters: &mut [u64],
        rank: u32,
        by: i64,
    ) -> i64 {
        let here = usize::from(by < 0);
        let there = 1 - here;
        let members = counters[self.members] as i64;
        let (along, among) = self.labels_of(rank);
        let mut star = 0;
        for ((axis, pair), x) in self.axes.iter().zip(cursors).zip(along) {
            let counts = &mut counters[axis.first..][..axis.axis.extent as usize];
            star += pair[here].move_to(*x, counts, members);
            pair[there].count_members(*x, by);
            change_counter(&mut counts[*x as usize], by);
        }
        for (clique, x) in self.cliques.iter().zip(among) {
            let count = &mut counters[clique.first + *x as usize];
            star += i64::from(clique.weight) * (members - *count as i64);
            change_counter(count, by);
        }
        counters[self.members] = (members + by) as u64;
        star
    }
}

impl DistanceKernel for LabelTerms {
    #[inline]
    fn hops_between(&self, a: u32, b: u32) -> u32 {
        let (along_a, among_a) = self.labels_of(a);
        let (along_b, among_b) = self.labels_of(b);
        let mut hops = 0;
        for ((axis, x), y) in self.axes.iter().zip(along_a).zip(along_b) {
            hops += axis.hops_from(*x)[*y as usize];
        }
        for ((clique, x), y) in self.cliques.iter().zip(among_a).zip(among_b) {
            hops += if x == y { 0 } else { clique.weight };
        }
        hops
    }

    fn counter_count(&self) -> usize {
        self.members + 1
    }

    #[inline]
    fn change_members(&self, counters: &mut [u64], rank: u32, by: i64) {
        let (along, among) = self.labels_of(rank);
        for (axis, x) in self.axes.iter().zip(along) {
            change_counter(&mut counters[axis.first + *x as usize], by);
        }
        for (clique, x) in self.cliques.iter().zip(among) {
            change_counter(&mut counters[clique.first + *x as usize], by);
        }
        change_counter(&mut counters[self.members], by);
    }

    #[inline]
    fn distances_to_members(&self, counters: &[u64], rank: u32) -> u64 {
        let (along, among) = self.labels_of(rank);
        let mut sum = 0;
        for (axis, x) in self.axes.iter().zip(along) {
            sum += weighted_sum(axis.hops_from(*x), &counters[axis.first..]);
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
    fn total_by_counters(&self, counters: &mut [u64], members: &[Run]) -> u64 {
        for run in members {
            self.change_members(counters, run.first, run.count.into());
        }
        let mut sum = 0;
        for axis in &self.axes {
            let counts = &mut counters[axis.first..][..axis.axis.extent as usize];
            sum += axis.axis.pair_sum(counts) as u64;
            counts.fill(0);
        }
        let all = std::mem::take(&mut counters[self.members]);
        for (i, clique) in self.cliques.iter().enumerate() {
            let counts = &mut counters[clique.first..][..clique.axis.extent as usize];
            let mut same = 0;
            // A clique may have far more labels than there are members: then only those met are read and cleared.
            if counts.len() <= members.len() {
                same = counts.iter().map(|count| count.pow(2)).sum();
                counts.fill(0);
            } else {
                for run in members {
                    let label = self.labels_of(run.first).1[i];
                    same += std::mem::take(&mut counts[label as usize]).pow(2);
                }
            }
            sum += u64::from(clique.weight) * ((all * all - same) / 2);
        }
        sum
    }

    /// Finds the best window in O(axes) a window where neighbours in the list are near on every axis, else O(Σ
    /// extents).
    fn best_window(
        &self,
        counters: &mut [u64],
        entries: &[u32],
        n: usize,
        floor: u64,
    ) -> (usize, u64) {
        let mut cursors: Vec<_> = self.axes.iter().map(|a| [Cursor::new(a.axis); 2]).collect();
        let best = slide_window(entries, n, floor, |rank, _, by| {
            self.pass_member(&mut cursors, counters, rank, by) as u64
        });
        counters.fill(0);
        best
    }

    /// Lays out labels by term, so that a row is found by vector operations.
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

    fn fill_row(&self, rank: u32, ranks: &[u32], labels: &[u32], out: &mut [u32]) {
        out.fill(0);
        let (along, among) = self.labels_of(rank);
        let mut columns = labels.chunks(ranks.len().max(1));
        for ((term, x), column) in self.axes.iter().zip(along).zip(&mut columns) {
            // A path is never shorter the other way round.
            let around = match term.axis.shape {
                Shape::Ring => term.axis.extent,
                _ => u32::MAX,
            };
            add_along(out, column, *x, around);
        }
        for ((clique, x), column) in self.cliques.iter().zip(among).zip(&mut columns) {
            add_among(out, column, *x, clique.weight);
        }
    }

    fn list_cuts(&self) -> Option<Cuts> {
        let axes = self.axes.iter().map(|term| (term.axis, 1));
        let cliques = self.cliques.iter().map(|term| (term.axis, term.weight));
        let terms: Vec<(Axis, u32)> = axes.chain(cliques).collect();
        Cuts::new(&terms, &self.labels)
    }
}

/// Adds `by`, which may be negative, to a counter.
fn change_counter(counter: &mut u64, by: i64) {
    *counter = counter.wrapping_add_signed(by);
}

/// Adds the hops from label `x` of an axis to those of all `labels`; `around` is the way round a ring.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add_along(out: &mut [u32], labels: &[u32], x: u32, around: u32) {
    for (hops, label) in out.iter_mut().zip(labels) {
        let apart = label.abs_diff(x);
        *hops += apart.min(around - apart);
    }
}

/// Adds the weight of a clique where labels differ from `x`.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add_among(out: &mut [u32], labels: &[u32], x: u32, weight: u32) {
    for (hops, label) in out.iter_mut().zip(labels) {
        *hops += if *label == x { 0 } else { weight };
    }
}
