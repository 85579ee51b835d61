//! Hops from one rank to a whole list of ranks at once.

use multiversion::multiversion;

use super::rank_distances::{DistanceForm, RankDistances};
use crate::topology::distance::Shape;

/// Distances to the ranks of a list, one row for each rank that is asked about: what is the same for all rows is
/// laid out once, term by term, so that many distances are found by one instruction.
#[derive(Debug)]
pub struct RankRows<'p> {
    distances: &'p RankDistances,
    /// The ranks of the list; where distances are a sum of terms, also their labels, one array a term.
    ranks: Vec<u32>,
    labels: Vec<Vec<u16>>,
}

impl<'p> RankRows<'p> {
    /// An empty list over ranks of `distances`; `None` where a distance may exceed 16 bits.
    pub fn new(distances: &'p RankDistances) -> Option<Self> {
        let terms = match &distances.form {
            DistanceForm::LabelTerms(terms) => {
                let lines: u64 = terms.lines.iter().map(|line| u64::from(line.axis.extent)).sum();
                let cliques = terms.cliques.iter();
                let weights: u64 = cliques.clone().map(|c| u64::from(c.weight)).sum();
                let most = cliques.map(|c| u64::from(c.extent)).max().unwrap_or(0);
                if lines + weights > i16::MAX as u64 || most > u64::from(u16::MAX) {
                    return None;
                }
                terms.lines.len() + terms.cliques.len()
            }
            DistanceForm::Hub(_) | DistanceForm::Table { .. } => 0,
        };
        Some(RankRows { distances, ranks: Vec::new(), labels: vec![Vec::new(); terms] })
    }

    /// Takes over a list. O(its length · terms).
    pub fn load(&mut self, ranks: impl Iterator<Item = u32>) {
        self.ranks.clear();
        self.ranks.extend(ranks);
        if let DistanceForm::LabelTerms(terms) = &self.distances.form {
            for (term, labels) in self.labels.iter_mut().enumerate() {
                let width = terms.lines.len() + terms.cliques.len();
                let label = |rank: &u32| terms.labels[*rank as usize * width + term] as u16;
                labels.clear();
                labels.extend(self.ranks.iter().map(label));
            }
        }
    }

    /// Puts the hops from `rank` to each rank of the list into `out`, in the order of the list. O(length · terms),
    /// eight or sixteen at a time where distances are sums of terms.
    pub fn row(&self, rank: u32, out: &mut Vec<u16>) {
        out.clear();
        match &self.distances.form {
            DistanceForm::LabelTerms(terms) => {
                out.resize(self.ranks.len(), 0);
                let (along, among) = terms.of(rank);
                let (lines, cliques) = self.labels.split_at(terms.lines.len());
                for ((line, x), labels) in terms.lines.iter().zip(along).zip(lines) {
                    // A path is never shorter the other way round.
                    let ring = line.axis.shape == Shape::Ring;
                    let around = if ring { line.axis.extent as u16 } else { u16::MAX };
                    add_line(out, labels, *x as u16, around);
                }
                for ((clique, x), labels) in terms.cliques.iter().zip(among).zip(cliques) {
                    add_clique(out, labels, *x as u16, clique.weight as u16);
                }
            }
            DistanceForm::Hub(_) => {
                out.extend(self.ranks.iter().map(|to| self.distances.between(rank, *to) as u16));
            }
            DistanceForm::Table { hops, hosts } => {
                let routers = &self.distances.routers;
                let row = &hops[routers[rank as usize] as usize * hosts..][..*hosts];
                out.extend(self.ranks.iter().map(|to| row[routers[*to as usize] as usize]));
            }
        }
    }
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add_line(out: &mut [u16], labels: &[u16], x: u16, around: u16) {
    for (hops, label) in out.iter_mut().zip(labels) {
        let apart = label.abs_diff(x);
        *hops += apart.min(around - apart);
    }
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add_clique(out: &mut [u16], labels: &[u16], x: u16, weight: u16) {
    for (hops, label) in out.iter_mut().zip(labels) {
        *hops += if *label == x { 0 } else { weight };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::NodeOrder;
    use crate::topology::{Context, Topology};

    #[test]
    fn rows_are_the_distances_one_by_one() {
        for spec in [
            "torus:7x4x3,per_router=2",
            "mesh:9x5",
            "cascade:4x3x3,per_router=2",
            "cascade:4x3x3,global=single",
            "fat-tree:k=4,n=3",
            "random-regular:n=30,d=3",
            "mesh:40000",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let order = NodeOrder::make(&topology, "random:seed=3").unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            let Some(mut rows) = RankRows::new(&distances) else {
                assert_eq!(spec, "mesh:40000");
                continue;
            };
            let list: Vec<u32> = (0..distances.len()).filter(|r| r % 3 != 1).collect();
            rows.load(list.iter().copied());
            let mut row = Vec::new();
            for rank in 0..distances.len() {
                rows.row(rank, &mut row);
                let plain = list.iter().map(|to| distances.between(rank, *to));
                assert!(row.iter().map(|hops| u32::from(*hops)).eq(plain), "{spec} {rank}");
            }
        }
    }
}
