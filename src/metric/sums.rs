//! Pair-distance sums of sets of ranks, exactly: Σ d(a,b) over all pairs of one allocation.

use super::rank_distances::{DistanceForm, Hub, LabelTerms, Line, RankDistances};
use crate::ranks::{Ranks, Run};

/// Sums over sets of ranks, with the counters they need. Counters are zero between calls.
#[derive(Debug)]
pub struct Sums<'p> {
    distances: &'p RankDistances,
    lines: Vec<u64>,
    counts: Vec<u32>,
    groups: Vec<(u64, u64)>,
    members: Vec<u32>,
}

/// Up to so many members are summed pair by pair.
const FEW: u32 = 8;

impl<'p> Sums<'p> {
    /// Sums over sets of ranks of `distances`.
    pub fn new(distances: &'p RankDistances) -> Self {
        let (lines, counts, groups) = match &distances.form {
            DistanceForm::LabelTerms(terms) => (terms.line_counters(), terms.clique_counters(), 0),
            DistanceForm::Hub(hub) => (0, hub.groups * hub.width, hub.groups),
            DistanceForm::Table { hosts, .. } => (0, *hosts, 0),
        };
        Sums {
            distances,
            lines: vec![0; lines],
            counts: vec![0; counts],
            groups: vec![(0, 0); groups],
            members: Vec::new(),
        }
    }

    /// As [`Sums::total`], of runs of ranks that are disjoint and each on one router; in any order. O(runs·axes + Σ extents)
    /// where distances are sums of terms.
    pub fn of_runs(&mut self, runs: &[Run]) -> u64 {
        let DistanceForm::LabelTerms(terms) = &self.distances.form else {
            let mut ranks = Ranks::default();
            runs.iter().for_each(|run| ranks.push(*run));
            ranks.settle();
            return self.total(&ranks);
        };
        let mut all = 0;
        for run in runs {
            let ((along, among), count) = (terms.of(run.first), u64::from(run.count));
            all += count;
            for (line, x) in terms.lines.iter().zip(along) {
                self.lines[line.offset + *x as usize] += count;
            }
            for (clique, x) in terms.cliques.iter().zip(among) {
                self.counts[clique.offset + *x as usize] += run.count;
            }
        }
        let along =
            |l: &Line| l.axis.pair_sum(&self.lines[l.offset..][..l.axis.extent as usize]) as u64;
        let mut sum: u64 = terms.lines.iter().map(along).sum();
        self.lines.fill(0);
        // Pairs of one label are left out; what was counted is cleared on the way.
        let mut same = 0;
        for run in runs {
            let (_, among) = terms.of(run.first);
            for (clique, x) in terms.cliques.iter().zip(among) {
                let count = std::mem::take(&mut self.counts[clique.offset + *x as usize]);
                same += u64::from(clique.weight) * u64::from(count).pow(2);
            }
        }
        let weights: u64 = terms.cliques.iter().map(|clique| u64::from(clique.weight)).sum();
        sum += (weights * all * all - same) / 2;
        sum
    }

    /// Σ d(a,b) over the pairs of `ranks`.
    ///
    /// # Complexity
    /// With s members: O(s·axes + Σ extents) on grids, O(s·levels) on trees and hierarchies, O(s²) or
    /// O(s·hosts/16) on graphs, whichever is less.
    pub fn total(&mut self, ranks: &Ranks) -> u64 {
        self.members.clear();
        self.members.extend(ranks.iter());
        let members = &self.members;
        if members.len() as u32 <= FEW {
            return pair_by_pair(self.distances, members);
        }
        match &self.distances.form {
            DistanceForm::LabelTerms(terms) => {
                lines(terms, members, &mut self.lines) + cliques(terms, members, &mut self.counts)
            }
            DistanceForm::Hub(hub) => groups(hub, members, &mut self.counts, &mut self.groups),
            DistanceForm::Table { hops, hosts } if members.len() > hosts / 16 => {
                let routers = &self.distances.routers;
                members.iter().for_each(|m| self.counts[routers[*m as usize] as usize] += 1);
                let mut sum = 0;
                for (row, here) in hops.chunks(*hosts).zip(&self.counts).filter(|(_, c)| **c > 0) {
                    // Chunks keep the partial sums within 32 bits and the loop in vector registers.
                    let star = |(h, c): (&[u16], &[u32])| -> u64 {
                        let products = h.iter().zip(c).map(|(h, c)| u64::from(u32::from(*h) * c));
                        products.sum()
                    };
                    let all: u64 = row.chunks(1024).zip(self.counts.chunks(1024)).map(star).sum();
                    sum += u64::from(*here) * all;
                }
                self.counts.fill(0);
                sum / 2
            }
            DistanceForm::Table { .. } => pair_by_pair(self.distances, members),
        }
    }
}

fn pair_by_pair(distances: &RankDistances, members: &[u32]) -> u64 {
    let mut sum = 0;
    for (i, a) in members.iter().enumerate() {
        sum += members[..i].iter().map(|b| u64::from(distances.between(*a, *b))).sum::<u64>();
    }
    sum
}

fn lines(terms: &LabelTerms, members: &[u32], counters: &mut [u64]) -> u64 {
    for m in members {
        let (labels, _) = terms.of(*m);
        terms.lines.iter().zip(labels).for_each(|(l, x)| counters[l.offset + *x as usize] += 1);
    }
    let sum = (terms.lines.iter())
        .map(|l| l.axis.pair_sum(&counters[l.offset..][..l.axis.extent as usize]) as u64)
        .sum();
    counters.fill(0);
    sum
}

fn cliques(terms: &LabelTerms, members: &[u32], counters: &mut [u32]) -> u64 {
    if terms.cliques.is_empty() {
        return 0;
    }
    let mut sum = 0;
    for (before, m) in members.iter().enumerate() {
        let (_, labels) = terms.of(*m);
        for (clique, label) in terms.cliques.iter().zip(labels) {
            let same = &mut counters[clique.offset + *label as usize];
            sum += u64::from(clique.weight) * (before as u64 - u64::from(*same));
            *same += 1;
        }
    }
    for m in members {
        let (_, labels) = terms.of(*m);
        terms.cliques.iter().zip(labels).for_each(|(c, x)| counters[c.offset + *x as usize] = 0);
    }
    sum
}

/// Inside a group, labels that differ; between groups, one hop and both ways to the joining routers.
fn groups(hub: &Hub, members: &[u32], counters: &mut [u32], groups: &mut [(u64, u64)]) -> u64 {
    let mut sum = 0;
    for m in members {
        let g = hub.group[*m as usize] as usize;
        let (count, ways) = &mut groups[g];
        for (offset, label) in hub.offsets.iter().zip(hub.of(*m)) {
            let same = &mut counters[g * hub.width + (offset + label) as usize];
            sum += *count - u64::from(*same);
            *same += 1;
        }
        *count += 1;
        *ways += u64::from(hub.way(*m));
    }
    let all = members.len() as u64;
    let mut across = 0;
    for (count, ways) in groups.iter() {
        across += count * (all - count);
        sum += ways * (all - count);
    }
    for m in members {
        let g = hub.group[*m as usize] as usize;
        hub.offsets.iter().zip(hub.of(*m)).for_each(|(offset, label)| {
            counters[g * hub.width + (offset + label) as usize] = 0;
        });
        groups[g] = (0, 0);
    }
    sum + across / 2
}
