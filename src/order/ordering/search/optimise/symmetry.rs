//! Permutations of the elements that keep all distances, and classes of tuples that they take to each other.

/// Most permutations that are looked for. With fewer than all, fewer tuples are in one class; results stay exact.
const MOST: usize = 4096;

/// Steps of the search for them.
const PATIENCE: u32 = 2_000_000;

/// Most tuples of one length that are distinguished.
const TUPLES: usize = 2_000_000;

/// Most images of tuples that are looked at for one length: where only a part of a large group is found, classes are
/// small, and the first tuple of each is taken through all permutations.
const IMAGES: usize = 8 * TUPLES;

/// A permutation of at most 32 elements.
pub(super) type Permutation = [u8; 32];

/// Distance-keeping permutations of 0..n.
pub(super) struct Symmetry {
    n: usize,
    /// The identity first; with every one its inverse.
    permutations: Vec<Permutation>,
    /// By length, then by code (the first element lowest, base n).
    lengths: Vec<Tuples>,
}

/// All tuples of distinct elements of one length.
struct Tuples {
    /// Numbers of the classes of tuples that look alike; `u32::MAX` where elements repeat.
    class: Vec<u32>,
    /// The permutation that takes a tuple to its class's first.
    to_first: Vec<u16>,
    /// The code of each class's first tuple.
    firsts: Vec<u32>,
}

impl Symmetry {
    /// The permutations that keep `distance`, an n×n matrix, and the classes of tuples of up to `longest`
    /// elements, as far as there are not too many. O(tuples) for the classes where all permutations are found.
    pub fn new(n: usize, distance: &[i64], longest: usize) -> Self {
        let mut permutations = found(n, distance);
        let inverses: Vec<Permutation> = permutations.iter().map(|p| inverse(n, p)).collect();
        permutations.extend(inverses);
        permutations[1..].sort_unstable();
        permutations.dedup();
        let mut symmetry = Symmetry {
            n,
            permutations,
            lengths: Vec::new(),
        };
        for length in 0..=longest {
            if n.checked_pow(length as u32)
                .is_none_or(|tuples| tuples > TUPLES)
            {
                break;
            }
            let Some(tuples) = symmetry.classes(length) else {
                break;
            };
            symmetry.lengths.push(tuples);
        }
        symmetry
    }

    /// `None` where that takes too long; never for tuples of one.
    fn classes(&self, length: usize) -> Option<Tuples> {
        let size = self.n.pow(length as u32);
        let mut tuples = Tuples {
            class: vec![u32::MAX; size],
            to_first: vec![0; size],
            firsts: Vec::new(),
        };
        let inverse_of: Vec<u16> = self.permutations.iter().map(|p| self.position(p)).collect();
        let mut elements = [0usize; 32];
        for code in 0..size {
            let mut rest = code;
            for slot in elements.iter_mut().take(length) {
                (*slot, rest) = (rest % self.n, rest / self.n);
            }
            let elements = &elements[..length];
            let repeated = elements
                .iter()
                .enumerate()
                .any(|(i, e)| elements[..i].contains(e));
            if repeated || tuples.class[code] != u32::MAX {
                continue;
            }
            let class = tuples.firsts.len() as u32;
            if (tuples.firsts.len() + 1) * self.permutations.len() > IMAGES {
                return None;
            }
            tuples.firsts.push(code as u32);
            tuples.class[code] = class;
            for (p, back) in self.permutations.iter().zip(&inverse_of) {
                let append = |code, e: &usize| code * self.n + usize::from(p[*e]);
                let image = elements.iter().rev().fold(0, append);
                if tuples.class[image] == u32::MAX {
                    tuples.class[image] = class;
                    tuples.to_first[image] = *back;
                }
            }
        }
        Some(tuples)
    }

    /// Where the inverse of `p` stands.
    fn position(&self, p: &Permutation) -> u16 {
        let inverse = inverse(self.n, p);
        self.permutations[1..]
            .binary_search(&inverse)
            .map_or(0, |i| i as u16 + 1)
    }

    /// The longest tuples with classes.
    pub fn longest(&self) -> usize {
        self.lengths.len() - 1
    }

    /// The permutation of a number.
    pub fn permutation(&self, number: u16) -> &Permutation {
        &self.permutations[usize::from(number)]
    }

    /// The class of a tuple of distinct elements.
    pub fn class(&self, length: usize, code: usize) -> usize {
        self.lengths[length].class[code] as usize
    }

    /// The number of the permutation that takes a tuple to the first of its class.
    pub fn to_first(&self, length: usize, code: usize) -> u16 {
        self.lengths[length].to_first[code]
    }

    /// The codes of the first tuples of all classes.
    pub fn firsts(&self, length: usize) -> &[u32] {
        &self.lengths[length].firsts
    }
}

/// The permutation that undoes `p`.
pub(super) fn inverse(n: usize, p: &Permutation) -> Permutation {
    let mut inverse = [0; 32];
    p.iter()
        .take(n)
        .enumerate()
        .for_each(|(from, to)| inverse[usize::from(*to)] = from as u8);
    inverse
}

/// Distance-keeping permutations, the identity first.
fn found(n: usize, distance: &[i64]) -> Vec<Permutation> {
    let mut identity = [0; 32];
    identity
        .iter_mut()
        .take(n)
        .enumerate()
        .for_each(|(i, e)| *e = i as u8);
    let mut search = Search {
        n,
        distance,
        patience: PATIENCE,
        found: vec![identity],
    };
    search.extend(&mut Vec::with_capacity(n));
    search.found
}

struct Search<'d> {
    n: usize,
    distance: &'d [i64],
    patience: u32,
    found: Vec<Permutation>,
}

impl Search<'_> {
    /// All ways to go on with the images of the first elements.
    fn extend(&mut self, image: &mut Vec<usize>) {
        let (n, at) = (self.n, image.len());
        if at == n {
            let mut permutation = [0; 32];
            image
                .iter()
                .enumerate()
                .for_each(|(i, to)| permutation[i] = *to as u8);
            if permutation != self.found[0] {
                self.found.push(permutation);
            }
            return;
        }
        for candidate in 0..n {
            if self.patience == 0 || self.found.len() >= MOST {
                return;
            }
            self.patience -= 1;
            let keeps = |i: usize| {
                self.distance[i * n + at] == self.distance[image[i] * n + candidate]
                    && image[i] != candidate
            };
            if (0..at).all(keeps) {
                image.push(candidate);
                self.extend(image);
                image.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::topology::{Context, Topology};

    fn distances(spec: &str) -> (usize, Vec<i64>) {
        let topology = Topology::inline(spec, &Context::default()).unwrap();
        let nodes: Vec<_> = topology.nodes().iter().collect();
        let d = |a, b| i64::from(topology.distance(a, b));
        let all = nodes
            .iter()
            .flat_map(|a| nodes.iter().map(move |b| d(*a, *b)))
            .collect();
        (nodes.len(), all)
    }

    #[test]
    fn the_groups_of_known_networks_have_their_sizes() {
        // Signed permutations of the axes, times translations; K₃³ has (3!)³·3!; a path can be turned.
        let sizes = [
            ("mesh:5", 2),
            ("mesh:3x3x3", 48),
            ("torus:5x5", 200),
            ("torus:4x6", 96),
        ];
        for (spec, size) in sizes
            .into_iter()
            .chain([("torus:3x3x3", 1296), ("torus:4x4", 384)])
        {
            let (n, distance) = distances(spec);
            assert_eq!(
                Symmetry::new(n, &distance, 2).permutations.len(),
                size,
                "{spec}"
            );
        }
    }

    #[test]
    fn tuples_of_a_class_have_equal_distances_and_a_way_to_the_first() {
        for spec in ["torus:3x4", "mesh:3x3", "fat-tree:k=2", "torus:7"] {
            let (n, distance) = distances(spec);
            let symmetry = Symmetry::new(n, &distance, 3);
            for length in 1..=3 {
                let mut seen = vec![false; symmetry.firsts(length).len()];
                for code in 0..n.pow(length as u32) {
                    let tuple = |mut code: usize| {
                        let mut elements = Vec::new();
                        for _ in 0..length {
                            elements.push(code % n);
                            code /= n;
                        }
                        elements
                    };
                    let elements = tuple(code);
                    if (1..length).any(|i| elements[..i].contains(&elements[i])) {
                        continue;
                    }
                    let class = symmetry.class(length, code);
                    seen[class] = true;
                    let p = symmetry.permutation(symmetry.to_first(length, code));
                    let image: Vec<usize> = elements.iter().map(|e| usize::from(p[*e])).collect();
                    assert_eq!(
                        image,
                        tuple(symmetry.firsts(length)[class] as usize),
                        "{spec}"
                    );
                    for a in 0..n {
                        for b in 0..n {
                            let (x, y) = (usize::from(p[a]), usize::from(p[b]));
                            assert_eq!(distance[a * n + b], distance[x * n + y], "{spec}");
                        }
                    }
                }
                assert!(seen.iter().all(|s| *s));
            }
        }
    }
}
