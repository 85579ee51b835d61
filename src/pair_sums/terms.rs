//! A distance that is a sum, seen along an ordering: one label a rank for each term, and what running
//! histograms over labels give without looking at pairs: row sums, column sums, single sizes.

use rayon::prelude::*;

use super::prefix::Prefixes;
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

/// Sums for this many labels of a path or ring are kept as such; of more labels, prefix sums in a tree are.
pub(super) const FEW: u32 = 512;

/// Distances to a multiset of labels: `sum(c) = Σ over members of d(c, member)`.
struct Histogram<'a> {
    labelling: &'a Labelling,
    members: u64,
    kept: Kept,
}

/// What is kept of the members.
enum Kept {
    /// How many have each label: enough on cliques.
    Counts(Vec<u64>),
    /// The sum of distances from each label, and the distances, row by row.
    Sums { sums: Vec<u64>, distances: Vec<u16> },
    /// On long paths and rings.
    Prefixes(Prefixes),
}

impl<'a> Histogram<'a> {
    fn new(labelling: &'a Labelling) -> Self {
        let n = labelling.axis.extent;
        let kept = if labelling.axis.shape == Shape::Clique {
            Kept::Counts(vec![0; n as usize])
        } else if n <= FEW && labelling.diameter() <= u32::from(u16::MAX) {
            let row = |a: u32| (0..n).map(move |b| labelling.between(a, b) as u16);
            Kept::Sums { sums: vec![0; n as usize], distances: (0..n).flat_map(row).collect() }
        } else {
            Kept::Prefixes(Prefixes::new(labelling.axis))
        };
        Histogram { labelling, members: 0, kept }
    }

    /// Σ over members of d(label, member).
    fn sum(&self, label: u32) -> u64 {
        let weight = u64::from(self.labelling.weight);
        match &self.kept {
            Kept::Counts(counts) => (self.members - counts[label as usize]) * weight,
            Kept::Sums { sums, .. } => sums[label as usize],
            Kept::Prefixes(prefixes) => prefixes.sum(label) * weight,
        }
    }

    /// Adds a member, or with `REMOVE` takes one away. O(1) on cliques, else O(labels) where these are few, and
    /// O(log labels).
    fn update<const REMOVE: bool>(&mut self, label: u32) {
        let step = |sum: &mut u64, d: u64| *sum = if REMOVE { *sum - d } else { *sum + d };
        step(&mut self.members, 1);
        match &mut self.kept {
            Kept::Counts(counts) => step(&mut counts[label as usize], 1),
            Kept::Sums { sums, distances } => {
                let row = &distances[label as usize * sums.len()..][..sums.len()];
                sums.iter_mut().zip(row).for_each(|(sum, d)| step(sum, u64::from(*d)));
            }
            Kept::Prefixes(prefixes) => prefixes.update::<REMOVE>(label),
        }
    }
}

/// `(row, col)` of [`super::PairSums`]: a running histogram gives the columns, and rows are what remains of
/// each rank's distances to all. O(N · min(labels, log labels · 40)) a term (O(N) on cliques), terms in parallel.
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
/// O(N · min(labels, log labels · 40)) a term, whatever S.
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
