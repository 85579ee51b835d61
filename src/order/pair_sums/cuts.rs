//! Distances on paths, rings and cliques as sums of cuts.
//!
//! A *cut* splits the labels of an axis in two; two labels on different sides are its weight apart, two on the same
//! side 0. The distance of two labels is the sum over all cuts of their axis. On a path of four labels the cuts are
//! `0|123`, `01|23` and `012|3`: labels 0 and 2 are on different sides of the first two, hence 2 hops apart.
//!
//! | axis of n labels | cuts | weight |
//! |---|---|---|
//! | path | n-1, one between any two neighbours | 1 |
//! | ring, n even | n/2, between two half-rings | 1 |
//! | ring, n odd | n, an arc of (n-1)/2 labels against the others | ½ |
//! | clique | n, one label against the others | ½ |
//!
//! Weights are kept in halves of a hop, so that all is integer.
//!
//! # References
//! Deza & Laurent, "Geometry of Cuts and Metrics", 1997.

use super::terms::{Term, count_labels};
use nodeorder_network::topology::distance::{Axis, Shape};

/// A cut of the ranks, by their labels in one term.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// Index of the term.
    pub term: usize,
    /// Labels on the side with fewer ranks.
    pub side: CutSide,
    /// Weight, in halves of a hop.
    pub halves: u32,
    /// Number of ranks on that side.
    pub members: usize,
}

/// Consecutive labels `from..from+count` of an axis, round the ring where they run over its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutSide {
    from: u32,
    count: u32,
    /// Labels of the whole axis.
    extent: u32,
}

impl CutSide {
    /// Checks whether a label of the axis is on this side. Without branches, so that loops become vector code.
    #[inline(always)]
    pub(crate) fn contains(self, label: u32) -> bool {
        let above = label.wrapping_sub(self.from);
        // Below `from` the subtraction wraps to a huge number; the smaller of the two is the way up round the ring.
        above.min(above.wrapping_add(self.extent)) < self.count
    }

    /// Sets `bit` in the byte of every rank whose label is on this side.
    #[inline(always)]
    pub(super) fn mark_members(self, labels: &[u32], bit: u8, out: &mut [u8]) {
        for (out, label) in out.iter_mut().zip(labels) {
            *out |= if self.contains(*label) { bit } else { 0 };
        }
    }

    /// Lists the labels on this side.
    pub(super) fn labels(self) -> impl Iterator<Item = usize> {
        let extent = self.extent as usize;
        (self.from as usize..)
            .take(self.count as usize)
            .map(move |label| label - if label < extent { 0 } else { extent })
    }

    fn complement(self) -> CutSide {
        CutSide {
            from: (self.from + self.count) % self.extent,
            count: self.extent - self.count,
            extent: self.extent,
        }
    }
}

/// Lists one side of every cut of an axis, with the cut's weight in halves of a hop.
pub(crate) fn list_axis_cuts(axis: Axis) -> impl Iterator<Item = (CutSide, u32)> {
    let extent = axis.extent;
    let (cuts, halves) = match axis.shape {
        Shape::Path => (extent - 1, 2),
        Shape::Ring if extent.is_multiple_of(2) => (extent / 2, 2),
        // The cuts on either side of a clique of two are one and the same.
        Shape::Clique if extent == 2 => (1, 2),
        Shape::Ring | Shape::Clique => (extent, 1),
    };
    (0..cuts).map(move |i| {
        let (from, count) = match axis.shape {
            Shape::Path => (0, i + 1),
            Shape::Ring => (i, extent / 2),
            Shape::Clique => (i, 1),
        };
        let side = CutSide {
            from,
            count,
            extent,
        };
        (side, halves)
    })
}

/// Lists the cuts of all terms that part some ranks from others. O(Σ labels²) time.
pub(super) fn list_cuts(terms: &[&Term]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (index, term) in terms.iter().enumerate() {
        let axis = term.labelling.axis;
        let counts = count_labels(&term.labels, axis.extent);
        let all = term.labels.len();
        for (side, halves) in list_axis_cuts(axis) {
            let inside = side.labels().map(|label| counts[label]).sum::<u64>() as usize;
            let members = inside.min(all - inside);
            if members > 0 {
                cuts.push(Cut {
                    term: index,
                    side: if members == inside {
                        side
                    } else {
                        side.complement()
                    },
                    halves: halves * term.labelling.weight,
                    members,
                });
            }
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_mark_what_they_hold() {
        let labels: Vec<u32> = (0..10).collect();
        for (from, count) in [(0, 3), (7, 3), (8, 5), (9, 1), (4, 9)] {
            let side = CutSide {
                from,
                count,
                extent: 10,
            };
            let mut out = vec![1u8; 10];
            side.mark_members(&labels, 4, &mut out);
            let mut expected = vec![1u8; 10];
            side.labels().for_each(|l| expected[l] |= 4);
            assert_eq!(out, expected);
            let mut rest = vec![0u8; 10];
            side.complement().mark_members(&labels, 4, &mut rest);
            assert!(out.iter().zip(&rest).all(|(a, b)| a ^ b == 5));
        }
        // The largest axis there is.
        let side = CutSide {
            from: (1 << 31) - 2,
            count: 4,
            extent: 1 << 31,
        };
        let mut out = vec![0u8; 5];
        side.mark_members(&[0, 1, 2, (1 << 31) - 1, (1 << 31) - 3], 1, &mut out);
        assert_eq!(out, [1, 1, 0, 1, 0]);
    }
}
