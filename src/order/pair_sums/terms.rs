//! Terms of a distance along an ordering: one label a rank for each term. Running histograms of labels give row sums,
//! column sums and single sizes without looking at pairs.

use rayon::prelude::*;

use super::prefix::Prefixes;
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::distance::{Labelling, Shape};

/// One term of the distance along an ordering.
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
    Some(
        topology
            .metric()
            .labellings()?
            .into_par_iter()
            .map(term)
            .collect(),
    )
}

/// Most labels of a path or ring for which a sum is kept for each label; for more, a tree of prefix sums is kept.
pub(super) const FEW: u32 = 512;

/// Distances to a multiset of labels: `sum(c) = Σ over members of d(c, member)`.
struct Histogram<'a> {
    labelling: &'a Labelling,
    members: u64,
    kept: Kept<'a>,
}

/// Summary of the members, by which distances to all of them are found.
enum Kept<'a> {
    /// Members with each label: enough on cliques.
    Counts(Vec<u64>),
    /// The sum of distances from each label, and the distances, row by row.
    Sums {
        sums: Vec<u64>,
        distances: &'a [u16],
    },
    /// On long paths and rings.
    Prefixes(Prefixes),
}

/// The distances between all labels, row by row, of a path or ring of [`FEW`] at most.
fn distances(labelling: &Labelling) -> Option<Vec<u16>> {
    let n = labelling.axis.extent;
    let few = n <= FEW && labelling.diameter() <= u32::from(u16::MAX);
    let row = |a: u32| (0..n).map(move |b| labelling.between(a, b) as u16);
    (labelling.axis.shape != Shape::Clique && few).then(|| (0..n).flat_map(row).collect())
}

impl<'a> Histogram<'a> {
    /// `counts[label]` members with each label; `distances` is the result of [`distances`]. O(labels²) where labels are
    /// few, else O(labels).
    fn of(labelling: &'a Labelling, distances: Option<&'a [u16]>, counts: &[u64]) -> Self {
        let kept = match distances {
            Some(distances) => {
                let mut sums = vec![0; counts.len()];
                for (row, count) in distances.chunks_exact(counts.len()).zip(counts) {
                    sums.iter_mut()
                        .zip(row)
                        .for_each(|(sum, d)| *sum += count * u64::from(*d));
                }
                Kept::Sums { sums, distances }
            }
            None if labelling.axis.shape == Shape::Clique => Kept::Counts(counts.to_vec()),
            None => Kept::Prefixes(Prefixes::of(labelling.axis, counts)),
        };
        Histogram {
            labelling,
            members: counts.iter().sum(),
            kept,
        }
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
                sums.iter_mut()
                    .zip(row)
                    .for_each(|(sum, d)| step(sum, u64::from(*d)));
            }
            Kept::Prefixes(prefixes) => prefixes.update::<REMOVE>(label),
        }
    }
}

/// `(row, col)` of [`super::PairSums`]: a running histogram gives the columns, and a row is the rank's
/// distances to all ranks less its column. Ranks are taken in stretches, in parallel; how many members have each label where a
/// stretch begins is counted first. O(N · min(labels, log labels · 40)) a term (O(N) on cliques); beside the result at
/// most a byte a rank and term.
pub(super) fn row_and_column_sums(terms: &[Term], n: usize) -> (Vec<u64>, Vec<u64>) {
    let labels = terms
        .iter()
        .map(|term| term.labelling.axis.extent as usize)
        .max()
        .unwrap_or(0);
    let share = n.div_ceil(16 * rayon::current_num_threads());
    row_and_column_sums_by(terms, n, share.max(8 * labels).max(1 << 12))
}

/// As [`row_and_column_sums`], in stretches of `length` ranks.
fn row_and_column_sums_by(terms: &[Term], n: usize, length: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut row, mut col) = (vec![0; n], vec![0; n]);
    for term in terms {
        let count = |labels: &[u32]| {
            let mut counts = vec![0u64; term.labelling.axis.extent as usize];
            labels.iter().for_each(|label| counts[*label as usize] += 1);
            counts
        };
        let mut before: Vec<Vec<u64>> = term.labels.par_chunks(length).map(count).collect();
        let mut all = vec![0; term.labelling.axis.extent as usize];
        for counts in &mut before {
            for (count, all) in counts.iter_mut().zip(&mut all) {
                *all += std::mem::replace(count, *all);
            }
        }
        let distances = distances(&term.labelling);
        let histogram =
            |counts: &[u64]| Histogram::of(&term.labelling, distances.as_deref(), counts);
        let all = histogram(&all);
        let to_all: Vec<u64> = (0..term.labelling.axis.extent)
            .into_par_iter()
            .map(|label| all.sum(label))
            .collect();
        let sums = row.par_chunks_mut(length).zip(col.par_chunks_mut(length));
        let stretches = sums.zip(term.labels.par_chunks(length)).zip(&before);
        stretches.for_each(|(((row, col), labels), before)| {
            let mut histogram = histogram(before);
            for ((label, col), row) in labels.iter().zip(col).zip(row) {
                let before = histogram.sum(*label);
                *col += before;
                *row += to_all[*label as usize] - before;
                histogram.update::<false>(*label);
            }
        });
    }
    (row, col)
}

/// T(S) for one size: a window slides along the ordering and keeps its pair-distance sum.
/// O(N · min(labels, log labels · 40)) a term, whatever S.
pub(super) fn total(terms: &[Term], size: usize) -> u128 {
    let of_term = |term: &Term| {
        let distances = distances(&term.labelling);
        let none = vec![0; term.labelling.axis.extent as usize];
        let mut histogram = Histogram::of(&term.labelling, distances.as_deref(), &none);
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

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::topology::Context;

    /// Sums by stretches are those pair by pair, wherever stretches begin.
    #[test]
    fn rows_and_columns_do_not_depend_on_stretches() {
        for spec in [
            "torus:5x4x3",
            "hyperx:4x3,per_router=2",
            "mesh:600",
            "torus:3x520",
            "fat-tree:k=6",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
            nodes.sort_by_key(|n| n.0.wrapping_mul(0x9e37_79b9));
            let (terms, n) = (along(&topology, &nodes).unwrap(), nodes.len());
            let d = |i: usize, j: usize| u64::from(topology.distance(nodes[i], nodes[j]));
            let rows: Vec<u64> = (0..n).map(|i| (i + 1..n).map(|j| d(i, j)).sum()).collect();
            let cols: Vec<u64> = (0..n).map(|j| (0..j).map(|i| d(i, j)).sum()).collect();
            for length in [1, 7, 64, n - 1, n, 3 * n] {
                let found = row_and_column_sums_by(&terms, n, length);
                assert_eq!(found, (rows.clone(), cols.clone()), "{spec} by {length}");
            }
        }
    }
}
