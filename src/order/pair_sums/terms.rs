//! Terms of a distance along an ordering, and what running histograms of their labels tell without looking at pairs.
//!
//! Where a distance is a sum of terms, every term gives each router a *label*, and its part of the distance depends on
//! two labels alone: on a torus 4x4 the terms are the two coordinates, each on a ring of four labels. An ordering is
//! then one list of labels a term. A *histogram* of the labels of some ranks tells the sum of the distances from any
//! label to all of them; as ranks join and leave it, it gives row sums, column sums and the windows of a single size.

use rayon::prelude::*;

use super::prefix::{PrefixSums, change_sum};
use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_network::topology::distance::{Labelling, Shape};

/// One term of the distance along an ordering.
pub struct Term {
    /// Rule that labels routers, and the distance between labels.
    pub labelling: Labelling,
    /// Label of every rank.
    pub labels: Vec<u32>,
}

/// Labels nodes in their order for each term of the topology's distance; `None` if the distance is not a sum.
/// O(terms · N).
pub fn label_ranks(topology: &Topology, nodes: &[NodeId]) -> Option<Vec<Term>> {
    let labellings = topology.metric().to_labellings()?;
    let terms = labellings.into_par_iter().map(|labelling| {
        let labels = nodes
            .iter()
            .map(|n| labelling.label_of(topology.router_of(*n)));
        Term {
            labels: labels.collect(),
            labelling,
        }
    });
    Some(terms.collect())
}

/// Counts how many ranks have each label.
pub fn count_labels(labels: &[u32], extent: u32) -> Vec<u64> {
    let mut counts = vec![0; extent as usize];
    for label in labels {
        counts[*label as usize] += 1;
    }
    counts
}

/// Lists the ranks of each label, ascending.
pub fn group_by_label(term: &Term) -> Vec<Vec<u32>> {
    let mut ranks = vec![Vec::new(); term.labelling.axis.extent as usize];
    for (rank, label) in (0..).zip(&term.labels) {
        ranks[*label as usize].push(rank);
    }
    ranks
}

/// Most labels of a path or ring for which a sum is kept for each label; for more, a tree of prefix sums is kept.
pub const FEW: u32 = 512;

/// A multiset of labels, the members, with what tells the distances to all of them.
struct Histogram<'a> {
    labelling: &'a Labelling,
    members: u64,
    sums: MemberSums<'a>,
}

/// Summary of the members, by which distances to all of them are found.
enum MemberSums<'a> {
    /// Members with each label: enough on cliques.
    Counts(Vec<u64>),
    /// Sum of the distances from each label to all members, and the distances between labels, row by row.
    Sums {
        sums: Vec<u64>,
        distances: &'a [u16],
    },
    /// Prefix sums, on long paths and rings.
    Prefixes(PrefixSums),
}

/// Lists the distances between all labels, row by row, of a path or ring of [`FEW`] labels at most; `None` for others.
fn list_label_distances(labelling: &Labelling) -> Option<Vec<u16>> {
    let n = labelling.axis.extent;
    let large = n > FEW || labelling.diameter() > u32::from(u16::MAX);
    // Cliques need only counts; long axes would need tables larger than the second-level cache.
    if large || labelling.axis.shape == Shape::Clique {
        return None;
    }
    let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
    Some(
        pairs
            .map(|(a, b)| labelling.distance_between(a, b) as u16)
            .collect(),
    )
}

impl<'a> Histogram<'a> {
    /// Builds the histogram of `counts[label]` members with each label; `distances` are the [`list_label_distances`].
    /// O(labels²) where labels are few, else O(labels).
    fn new(labelling: &'a Labelling, distances: Option<&'a [u16]>, counts: &[u64]) -> Self {
        let sums = match distances {
            Some(distances) => {
                let mut sums = vec![0; counts.len()];
                for (row, count) in distances.chunks_exact(counts.len()).zip(counts) {
                    for (sum, d) in sums.iter_mut().zip(row) {
                        *sum += count * u64::from(*d);
                    }
                }
                MemberSums::Sums { sums, distances }
            }
            None if labelling.axis.shape == Shape::Clique => MemberSums::Counts(counts.to_vec()),
            None => MemberSums::Prefixes(PrefixSums::new(labelling.axis, counts)),
        };
        Histogram {
            labelling,
            members: counts.iter().sum(),
            sums,
        }
    }

    /// Computes Σ over members of d(label, member).
    fn distance_sum(&self, label: u32) -> u64 {
        let weight = u64::from(self.labelling.weight);
        match &self.sums {
            MemberSums::Counts(counts) => (self.members - counts[label as usize]) * weight,
            MemberSums::Sums { sums, .. } => sums[label as usize],
            MemberSums::Prefixes(prefixes) => prefixes.distance_sum(label) * weight,
        }
    }

    /// Adds a member, or with `REMOVE` takes one away. O(1) on cliques, else O(labels) where these are few, and
    /// O(log labels).
    fn update<const REMOVE: bool>(&mut self, label: u32) {
        change_sum::<REMOVE>(&mut self.members, 1);
        match &mut self.sums {
            MemberSums::Counts(counts) => change_sum::<REMOVE>(&mut counts[label as usize], 1),
            MemberSums::Sums { sums, distances } => {
                let row = &distances[label as usize * sums.len()..];
                for (sum, d) in sums.iter_mut().zip(row) {
                    change_sum::<REMOVE>(sum, u64::from(*d));
                }
            }
            MemberSums::Prefixes(prefixes) => prefixes.update::<REMOVE>(label),
        }
    }
}

/// Computes `(row, col)` of [`super::PairSums`]: a running histogram gives the columns, and a row is the rank's
/// distances to all ranks less its column. O(N · min(labels, log labels · 40)) a term (O(N) on cliques); beside the
/// result at most a byte a rank and term.
pub fn row_and_column_sums(terms: &[Term], n: usize) -> (Vec<u64>, Vec<u64>) {
    // Stretches much longer than a histogram, so that making one at the beginning of each costs little.
    let labels = terms.iter().map(|term| term.labelling.axis.extent).max();
    let share = n.div_ceil(16 * rayon::current_num_threads());
    let length = share.max(8 * labels.unwrap_or(0) as usize).max(1 << 12);
    row_and_column_sums_by(terms, n, length)
}

/// Computes [`row_and_column_sums`] in stretches of `length` ranks, in parallel; how many members have each label
/// where a stretch begins is counted first.
fn row_and_column_sums_by(terms: &[Term], n: usize, length: usize) -> (Vec<u64>, Vec<u64>) {
    let mut row = vec![0; n];
    let mut col = vec![0; n];
    for Term { labelling, labels } in terms {
        let extent = labelling.axis.extent;
        let stretches = labels.par_chunks(length);
        let mut before: Vec<Vec<u64>> = stretches
            .clone()
            .map(|labels| count_labels(labels, extent))
            .collect();
        // Turns the counts of each stretch into those of all stretches before it.
        let mut all = vec![0; extent as usize];
        for counts in &mut before {
            for (count, all) in counts.iter_mut().zip(&mut all) {
                *all += std::mem::replace(count, *all);
            }
        }
        let distances = list_label_distances(labelling);
        let members = Histogram::new(labelling, distances.as_deref(), &all);
        let to_all: Vec<u64> = (0..extent)
            .into_par_iter()
            .map(|label| members.distance_sum(label))
            .collect();
        let sums = row.par_chunks_mut(length).zip(col.par_chunks_mut(length));
        let stretches = sums.zip(stretches).zip(&before);
        stretches.for_each(|(((row, col), labels), before)| {
            let mut histogram = Histogram::new(labelling, distances.as_deref(), before);
            for ((label, col), row) in labels.iter().zip(col).zip(row) {
                let before = histogram.distance_sum(*label);
                *col += before;
                *row += to_all[*label as usize] - before;
                histogram.update::<false>(*label);
            }
        });
    }
    (row, col)
}

/// Computes T(S) for one size: a window slides along the ordering and keeps its pair-distance sum.
/// O(N · min(labels, log labels · 40)) a term, whatever S.
pub fn window_total(terms: &[Term], size: usize) -> u128 {
    let totals = terms.par_iter().map(|Term { labelling, labels }| {
        let distances = list_label_distances(labelling);
        let none = vec![0; labelling.axis.extent as usize];
        let mut members = Histogram::new(labelling, distances.as_deref(), &none);
        let mut window = 0u64;
        let mut total = 0u128;
        for (r, label) in labels.iter().enumerate() {
            if r >= size {
                let leaving = labels[r - size];
                members.update::<true>(leaving);
                // The members are the S - 1 others then, and the rank that enters is not yet among them.
                window -= members.distance_sum(leaving);
            }
            window += members.distance_sum(*label);
            members.update::<false>(*label);
            if r + 1 >= size {
                total += u128::from(window);
            }
        }
        total
    });
    totals.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

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
            let (terms, n) = (label_ranks(&topology, &nodes).unwrap(), nodes.len());
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
