//! A distance that is a sum, seen along an ordering: one label a rank for each term, and what running
//! histograms over labels give without looking at pairs: row sums, column sums, single sizes.

use rayon::prelude::*;

use crate::ids::NodeId;
use crate::topology::Topology;
use crate::topology::distance::{Labelling, Shape};

/// One term of the distance along an ordering.
#[derive(Debug)]
pub(super) struct Term {
    /// Labels and the distance between them.
    pub labelling: Labelling,
    /// The label of every rank.
    pub labels: Vec<u32>,
}

/// The terms of the topology's distance along nodes, or `None` where it is not a sum. O(terms · N).
pub(super) fn along(topology: &Topology, nodes: &[NodeId]) -> Option<Vec<Term>> {
    let term = |labelling: Labelling| {
        let label = |n| labelling.label(topology.router_of(n));
        let labels = nodes.iter().map(|n| label(*n)).collect();
        Term { labelling, labels }
    };
    Some(topology.metric().labellings()?.into_par_iter().map(term).collect())
}

/// Distances to a multiset of labels: `sum(c) = Σ over members of d(c, member)`.
struct Histogram<'a> {
    labelling: &'a Labelling,
    /// On paths and rings `sums[c]` is kept as such; on cliques it is the number of members at c.
    sums: Vec<u64>,
    members: u64,
    /// d(c, x) for all x, row by row, where the labels are few enough.
    table: Vec<u16>,
}

impl<'a> Histogram<'a> {
    /// Tables beyond this many entries are computed instead of kept.
    const TABLE: usize = 1 << 22;

    fn new(labelling: &'a Labelling) -> Self {
        let n = labelling.axis.extent as usize;
        let mut table = Vec::new();
        let fits = labelling.diameter() <= u32::from(u16::MAX);
        if labelling.axis.shape != Shape::Clique && n * n <= Histogram::TABLE && fits {
            let all = (0..n * n).map(|i| labelling.between((i / n) as u32, (i % n) as u32) as u16);
            table.extend(all);
        }
        Histogram { labelling, sums: vec![0; n], members: 0, table }
    }

    /// Σ over members of d(label, member).
    fn sum(&self, label: u32) -> u64 {
        let sum = self.sums[label as usize];
        match self.labelling.axis.shape {
            Shape::Clique => (self.members - sum) * u64::from(self.labelling.weight),
            Shape::Path | Shape::Ring => sum,
        }
    }

    /// Adds a member, or with `REMOVE` takes one away. O(1) on cliques, O(labels) otherwise.
    fn update<const REMOVE: bool>(&mut self, label: u32) {
        let step = |sum: &mut u64, d: u64| *sum = if REMOVE { *sum - d } else { *sum + d };
        step(&mut self.members, 1);
        let n = self.sums.len();
        if self.labelling.axis.shape == Shape::Clique {
            step(&mut self.sums[label as usize], 1);
        } else if self.table.is_empty() {
            for (x, sum) in self.sums.iter_mut().enumerate() {
                step(sum, u64::from(self.labelling.between(label, x as u32)));
            }
        } else {
            let row = &self.table[label as usize * n..][..n];
            self.sums.iter_mut().zip(row).for_each(|(sum, d)| step(sum, u64::from(*d)));
        }
    }
}

/// `(row, col)` of [`super::PairSums`]: a running histogram gives the columns, and rows are what remains of
/// each rank's distances to all. O(N · labels) a term (O(N) on cliques), terms in parallel.
pub(super) fn row_and_column_sums(terms: &[Term], n: usize) -> (Vec<u64>, Vec<u64>) {
    let zero = || (vec![0; n], vec![0; n]);
    let add_term = |(row, col): &mut (Vec<u64>, Vec<u64>), term: &Term| {
        let mut histogram = Histogram::new(&term.labelling);
        // A row is what remains of a rank's distances to all once those before it are taken away.
        for ((label, col), row) in term.labels.iter().zip(col).zip(&mut *row) {
            let before = histogram.sum(*label);
            *col += before;
            *row = row.wrapping_sub(before);
            histogram.update::<false>(*label);
        }
        for (label, row) in term.labels.iter().zip(row) {
            *row = row.wrapping_add(histogram.sum(*label));
        }
    };
    let of_terms = |terms: &[Term]| {
        let mut sums = zero();
        terms.iter().for_each(|term| add_term(&mut sums, term));
        sums
    };
    let add = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
        a
    };
    // A pair of arrays a thread, not a term: on large machines their pages cost as much as the sums.
    let share = terms.len().div_ceil(rayon::current_num_threads()).max(1);
    let parts = terms.par_chunks(share).map(of_terms);
    parts.reduce_with(|a, b| (add(a.0, b.0), add(a.1, b.1))).unwrap_or_else(zero)
}

/// T(S) for one size: a window slides along the ordering and keeps its pair-distance sum.
/// O(N · labels) a term, whatever S.
pub(super) fn total(terms: &[Term], size: usize) -> u128 {
    let of_term = |term: &Term| {
        let mut histogram = Histogram::new(&term.labelling);
        let (mut window, mut total) = (0u64, 0u128);
        for (r, label) in term.labels.iter().enumerate() {
            if r >= size {
                let leaving = term.labels[r - size];
                histogram.update::<true>(leaving);
                window -= histogram.sum(leaving);
            }
            window += histogram.sum(*label);
            histogram.update::<false>(*label);
            if r + 1 >= size {
                total += u128::from(window);
            }
        }
        total
    };
    terms.par_iter().map(of_term).sum()
}
