//! Distances as sums of cuts, each with the labels on one side and a weight.

use super::terms::Term;
use nodeorder_network::topology::distance::Shape;

/// A cut of the labels of one term: the smaller side and its weight in halves.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub term: usize,
    pub inside: Side,
    pub halves: u32,
    /// Ranks on the smaller side.
    pub members: usize,
}

/// A set of labels: `from..from+count`, round the ring where it runs over the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    from: u32,
    count: u32,
    labels: u32,
}

impl Side {
    /// Sets `bit` in `out` where a label is inside. Without branches, so that it becomes vector code.
    #[inline(always)]
    pub(super) fn mark(self, labels: &[u32], bit: u8, out: &mut [u8]) {
        for (out, label) in out.iter_mut().zip(labels) {
            // The smaller one is the way up from the side's first label, round the ring.
            let above = label.wrapping_sub(self.from);
            let above = above.min(above.wrapping_add(self.labels));
            *out |= if above < self.count { bit } else { 0 };
        }
    }

    pub(super) fn labels(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |i| ((u64::from(self.from + i)) % u64::from(self.labels)) as usize)
    }

    fn complement(self) -> Side {
        let from = (self.from + self.count) % self.labels;
        Side {
            from,
            count: self.labels - self.count,
            labels: self.labels,
        }
    }
}

/// The cuts of all terms; each names the smaller side.
pub(super) fn cuts(terms: &[&Term]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (t, term) in terms.iter().enumerate() {
        let (axis, weight) = (term.labelling.axis, term.labelling.weight);
        let labels = axis.extent;
        let mut count = vec![0usize; labels as usize];
        term.labels.iter().for_each(|l| count[*l as usize] += 1);
        let all = term.labels.len();
        let mut add = |from: u32, width: u32, halves: u32| {
            let side = Side {
                from,
                count: width,
                labels,
            };
            let inside: usize = (0..width)
                .map(|i| count[((from + i) % labels) as usize])
                .sum();
            if inside > 0 && inside < all {
                let smaller = 2 * inside <= all;
                cuts.push(Cut {
                    term: t,
                    inside: if smaller { side } else { side.complement() },
                    halves: halves * weight,
                    members: inside.min(all - inside),
                });
            }
        };
        match axis.shape {
            Shape::Path => (1..labels).for_each(|width| add(0, width, 2)),
            Shape::Ring if labels % 2 == 0 => {
                (0..labels / 2).for_each(|from| add(from, labels / 2, 2))
            }
            Shape::Ring => (0..labels).for_each(|from| add(from, labels / 2, 1)),
            Shape::Clique if labels == 2 => add(0, 1, 2),
            Shape::Clique => (0..labels).for_each(|from| add(from, 1, 1)),
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
            let side = Side {
                from,
                count,
                labels: 10,
            };
            let mut out = vec![1u8; 10];
            side.mark(&labels, 4, &mut out);
            let mut expected = vec![1u8; 10];
            side.labels().for_each(|l| expected[l] |= 4);
            assert_eq!(out, expected);
            let mut rest = vec![0u8; 10];
            side.complement().mark(&labels, 4, &mut rest);
            assert!(out.iter().zip(&rest).all(|(a, b)| a ^ b == 5));
        }
        // The largest axis there is.
        let side = Side {
            from: (1 << 31) - 2,
            count: 4,
            labels: 1 << 31,
        };
        let mut out = vec![0u8; 5];
        side.mark(&[0, 1, 2, (1 << 31) - 1, (1 << 31) - 3], 1, &mut out);
        assert_eq!(out, [1, 1, 0, 1, 0]);
    }
}
