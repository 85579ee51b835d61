//! Two sides of a graph, improved by moving vertices (Fiduccia, Mattheyses, "A linear-time heuristic for improving
//! network partitions", DAC 1982, with heaps in the place of buckets).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A vertex with the gain of taking it, ordered by the gain; of equal gains the lower vertex is the greater candidate.
#[derive(Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Fall in cost when the vertex changes sides, or another figure by which candidates are ranked.
    pub gain: f64,
    /// The vertex.
    pub vertex: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain
            .total_cmp(&other.gain)
            .then(other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The side of a vertex that is on neither and never moves.
pub const OUTSIDE: u8 = 2;

/// The graph to be divided, and the rules for the moves of a pass.
pub trait Rules {
    /// Moves in a row without a better cut after which a pass ends.
    const PATIENCE: usize = usize::MAX;

    /// Lists the neighbours of a vertex, each with what the link costs while it is cut.
    fn list_links(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)>;

    /// Chooses the next vertex to move, one of the `best` of either side; `None` ends the pass. `moves` have been
    /// made.
    fn choose_move(&self, best: [Option<Candidate>; 2], moves: usize) -> Option<Candidate>;

    /// Notes that a vertex moved `to` a side; also called for moves that are taken back.
    fn note_move(&mut self, _vertex: u32, _to: u8) {}

    /// Checks whether the sides after `moves` moves, which gained `sum`, are a better division than one that gained
    /// `best`.
    fn is_better(&self, moves: usize, sum: f64, best: f64) -> bool;
}

/// The side of every vertex, and the gain of moving it.
pub struct Sides {
    /// 0, 1 or [`OUTSIDE`], by vertex.
    pub side: Vec<u8>,
    /// Fall in cost when the vertex changes sides, by vertex.
    pub gain: Vec<f64>,
    moved: Vec<bool>,
}

impl Sides {
    /// Starts from these sides, with all gains 0.
    pub fn new(side: Vec<u8>) -> Self {
        let vertices = side.len();
        Sides {
            side,
            gain: vec![0.0; vertices],
            moved: vec![false; vertices],
        }
    }

    /// Moves each of `vertices` at most once, as the rules choose, and takes back what was moved after the best
    /// division on the way. The gains of these vertices must be set. Returns whether the pass found a better division.
    /// O(links · log links) of the vertices.
    pub fn improve_once<R: Rules>(&mut self, vertices: &[u32], rules: &mut R) -> bool {
        let mut heaps = [BinaryHeap::new(), BinaryHeap::new()];
        for vertex in vertices {
            let v = *vertex as usize;
            self.moved[v] = false;
            heaps[usize::from(self.side[v])].push(Candidate {
                gain: self.gain[v],
                vertex: *vertex,
            });
        }
        let mut sum = 0.0;
        let mut best = 0.0;
        let mut kept = 0;
        let mut moves: Vec<u32> = Vec::new();
        while moves.len() - kept < R::PATIENCE {
            let tops = heaps.each_mut().map(|heap| self.best_candidate(heap));
            let Some(Candidate { gain, vertex }) = rules.choose_move(tops, moves.len()) else {
                break;
            };
            let from = self.side[vertex as usize];
            sum += gain;
            self.moved[vertex as usize] = true;
            self.move_vertex(vertex, rules);
            moves.push(vertex);
            for (vertex, weight) in rules.list_links(vertex) {
                let v = vertex as usize;
                if self.side[v] != OUTSIDE && !self.moved[v] {
                    // The link changes between cut and whole: what it adds to the gain changes its sign.
                    self.gain[v] += if self.side[v] == from { 2.0 } else { -2.0 } * weight;
                    // Entries of older gains stay in the heap: passing over them later is cheaper than finding
                    // them now.
                    heaps[usize::from(self.side[v])].push(Candidate {
                        gain: self.gain[v],
                        vertex,
                    });
                }
            }
            if rules.is_better(moves.len(), sum, best) {
                (best, kept) = (sum, moves.len());
            }
        }
        // Later moves first, so that rules see the sides as they were.
        moves
            .drain(kept..)
            .rev()
            .for_each(|vertex| self.move_vertex(vertex, rules));
        kept > 0
    }

    /// Finds the best candidate of a heap, and drops entries of vertices that have moved or whose gain has
    /// changed since.
    fn best_candidate(&self, heap: &mut BinaryHeap<Candidate>) -> Option<Candidate> {
        while let Some(top) = heap.peek() {
            let v = top.vertex as usize;
            // Equality is exact on purpose: an entry holds the very number that was stored.
            if !self.moved[v] && self.gain[v] == top.gain {
                break;
            }
            heap.pop();
        }
        heap.peek().copied()
    }

    fn move_vertex(&mut self, vertex: u32, rules: &mut impl Rules) {
        let side = &mut self.side[vertex as usize];
        *side = 1 - *side;
        rules.note_move(vertex, *side);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A dense graph whose sides keep their sizes, to within one vertex.
    struct Dense {
        weights: Vec<Vec<f64>>,
        first: usize,
    }

    impl Rules for Dense {
        fn list_links(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
            (0..)
                .zip(self.weights[vertex as usize].iter().copied())
                .filter(|(_, w)| *w > 0.0)
        }

        fn choose_move(&self, best: [Option<Candidate>; 2], moves: usize) -> Option<Candidate> {
            best[moves % 2]
        }

        fn note_move(&mut self, _: u32, to: u8) {
            self.first = if to == 0 {
                self.first + 1
            } else {
                self.first - 1
            };
        }

        fn is_better(&self, moves: usize, sum: f64, best: f64) -> bool {
            moves.is_multiple_of(2) && sum > best
        }
    }

    impl Dense {
        fn gain(&self, side: &[u8], vertex: u32) -> f64 {
            let here = side[vertex as usize];
            let sign = |other: u32| {
                if side[other as usize] == here {
                    -1.0
                } else {
                    1.0
                }
            };
            self.list_links(vertex)
                .map(|(other, weight)| sign(other) * weight)
                .sum()
        }

        fn cut(&self, side: &[u8]) -> f64 {
            let all = (0..side.len() as u32)
                .flat_map(|a| self.list_links(a).map(move |(b, w)| (a, b, w)));
            let apart = all.filter(|(a, b, _)| side[*a as usize] != side[*b as usize]);
            apart.map(|(.., weight)| weight).sum::<f64>() / 2.0
        }
    }

    proptest! {
        /// A pass never makes a cut worse, keeps the sizes, and says whether it helped.
        #[test]
        fn a_pass_lowers_the_cut_or_changes_nothing(
            n in 2usize..12, drawn in prop::collection::vec(0u8..4, 144), left in prop::collection::vec(0u8..2, 12),
        ) {
            let weight = |a: usize, b: usize| if a == b { 0.0 } else { f64::from(drawn[a.min(b) * 12 + a.max(b)]) };
            let weights = (0..n).map(|a| (0..n).map(|b| weight(a, b)).collect()).collect();
            let first = left[..n].iter().filter(|side| **side == 0).count();
            let mut rules = Dense { weights, first };
            let mut sides = Sides::new(left[..n].to_vec());
            let vertices: Vec<u32> = (0..n as u32).collect();
            for v in &vertices {
                sides.gain[*v as usize] = rules.gain(&sides.side, *v);
            }
            let before = rules.cut(&sides.side);
            let helped = sides.improve_once(&vertices, &mut rules);
            let after = rules.cut(&sides.side);
            prop_assert_eq!(helped, after < before);
            prop_assert!(after <= before);
            prop_assert_eq!(rules.first, first);
            prop_assert_eq!(sides.side.iter().filter(|side| **side == 0).count(), first);
        }
    }
}
