//! Permutations of the elements that keep all distances, and classes of tuples that they take to each other.
//!
//! On a path of three elements 0-1-2 there are two such permutations, the identity and the reversal. Of the pairs,
//! (0, 1) and (2, 1) are one class, whose first is (0, 1): a search that has seen what follows the one knows what
//! follows the other.

/// Largest number of permutations that are looked for. With fewer than all, fewer tuples are in one class; results
/// stay exact.
const MOST: usize = 4096;

/// Number of candidates after which the search for permutations is given up.
const PATIENCE: u32 = 2_000_000;

/// Largest number of tuples of one length that are distinguished.
const TUPLES: usize = 2_000_000;

/// Largest number of images of tuples that are looked at for one length: where only a part of a large group is found,
/// classes are small, and the first tuple of each is taken through all permutations.
const IMAGES: usize = 8 * TUPLES;

/// Image of each of at most 32 elements.
pub type Permutation = [u8; 32];

/// Distance-keeping permutations of 0..n, with the classes of tuples under them. A tuple's code has its first element
/// as the lowest digit in base n.
pub struct Symmetry {
    n: usize,
    /// Permutations, the identity first; closed under inverses.
    permutations: Vec<Permutation>,
    /// Classes of the tuples of each length, from 0.
    lengths: Vec<TupleClasses>,
}

/// Classes of all tuples of distinct elements of one length.
struct TupleClasses {
    /// Number of each tuple's class, by code; `u32::MAX` where elements repeat.
    class: Vec<u32>,
    /// Number of the permutation that takes a tuple to its class's first, by code.
    to_first: Vec<u16>,
    /// Code of each class's first tuple.
    firsts: Vec<u32>,
}

impl Symmetry {
    /// Finds the permutations that keep `distance`, an n×n matrix, and the classes of tuples of up to `longest`
    /// elements, as far as there are not too many. O(tuples) for the classes where all permutations are found.
    pub fn new(n: usize, distance: &[i64], longest: usize) -> Self {
        let mut permutations = find_permutations(n, distance);
        // A search cut short may have found a permutation without its inverse.
        let inverses: Vec<Permutation> = permutations
            .iter()
            .map(|p| invert_permutation(n, p))
            .collect();
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
            let Some(tuples) = symmetry.classify_tuples(length) else {
                break;
            };
            symmetry.lengths.push(tuples);
        }
        symmetry
    }

    /// Finds the classes of the tuples of one length. `None` if that takes too long; never for tuples of one.
    fn classify_tuples(&self, length: usize) -> Option<TupleClasses> {
        let size = self.n.pow(length as u32);
        let mut tuples = TupleClasses {
            class: vec![u32::MAX; size],
            to_first: vec![0; size],
            firsts: Vec::new(),
        };
        let inverses: Vec<u16> = self
            .permutations
            .iter()
            .map(|p| self.inverse_index(p))
            .collect();
        for code in 0..size {
            let elements = &decode_digits::<32>(code, self.n, length)[..length];
            if has_repeats(elements) || tuples.class[code] != u32::MAX {
                continue;
            }
            // Codes ascend, so a tuple without a class is the first of its own.
            let class = tuples.firsts.len() as u32;
            if (tuples.firsts.len() + 1) * self.permutations.len() > IMAGES {
                return None;
            }
            tuples.firsts.push(code as u32);
            tuples.class[code] = class;
            for (p, back) in self.permutations.iter().zip(&inverses) {
                let images = elements.iter().rev().map(|e| usize::from(p[*e]));
                let image = images.fold(0, |code, e| code * self.n + e);
                if tuples.class[image] == u32::MAX {
                    tuples.class[image] = class;
                    tuples.to_first[image] = *back;
                }
            }
        }
        Some(tuples)
    }

    /// Finds the number of the inverse of `p`.
    fn inverse_index(&self, p: &Permutation) -> u16 {
        let inverse = invert_permutation(self.n, p);
        self.permutations[1..]
            .binary_search(&inverse)
            .map_or(0, |i| i as u16 + 1)
    }

    /// Computes the length of the longest tuples with classes.
    pub fn longest_tuple_length(&self) -> usize {
        self.lengths.len() - 1
    }

    /// Looks up the permutation of a number.
    pub fn permutation(&self, number: u16) -> &Permutation {
        &self.permutations[usize::from(number)]
    }

    /// Looks up the class of a tuple of distinct elements.
    pub fn class_of(&self, length: usize, code: usize) -> usize {
        self.lengths[length].class[code] as usize
    }

    /// Looks up the number of the permutation that takes a tuple to the first of its class.
    pub fn permutation_to_first(&self, length: usize, code: usize) -> u16 {
        self.lengths[length].to_first[code]
    }

    /// Looks up the codes of the first tuples of all classes.
    pub fn first_tuples(&self, length: usize) -> &[u32] {
        &self.lengths[length].firsts
    }
}

/// Decodes the `count` digits of `code` in base n, the lowest first, and zeros behind them.
pub fn decode_digits<const N: usize>(mut code: usize, n: usize, count: usize) -> [usize; N] {
    let mut digits = [0; N];
    for digit in digits.iter_mut().take(count) {
        *digit = code % n;
        code /= n;
    }
    digits
}

/// Checks whether an element stands twice in a tuple.
pub fn has_repeats(tuple: &[usize]) -> bool {
    let mut elements = tuple.iter().enumerate();
    elements.any(|(i, e)| tuple[..i].contains(e))
}

/// Inverts a permutation: the one that undoes `p`.
pub fn invert_permutation(n: usize, p: &Permutation) -> Permutation {
    let mut inverse = [0; 32];
    for (from, to) in p.iter().take(n).enumerate() {
        inverse[usize::from(*to)] = from as u8;
    }
    inverse
}

/// Finds the distance-keeping permutations that are found in time, the identity first.
fn find_permutations(n: usize, distance: &[i64]) -> Vec<Permutation> {
    let mut search = PermutationSearch {
        n,
        distance,
        patience: PATIENCE,
        found: vec![to_permutation(0..n)],
    };
    search.extend_images(&mut Vec::with_capacity(n));
    search.found
}

/// Makes the permutation with these images of elements 0, 1, ….
fn to_permutation(images: impl IntoIterator<Item = usize>) -> Permutation {
    let mut permutation = [0; 32];
    for (slot, image) in permutation.iter_mut().zip(images) {
        *slot = image as u8;
    }
    permutation
}

/// A depth-first search for permutations, element by element.
struct PermutationSearch<'d> {
    n: usize,
    distance: &'d [i64],
    /// Candidates that may still be tried.
    patience: u32,
    found: Vec<Permutation>,
}

impl PermutationSearch<'_> {
    /// Finds all permutations that begin with the images of the first elements.
    fn extend_images(&mut self, image: &mut Vec<usize>) {
        let n = self.n;
        let next = image.len();
        if next == n {
            let permutation = to_permutation(image.iter().copied());
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
            let mut images = image.iter().enumerate();
            let keeps_distances = images.all(|(i, to)| {
                *to != candidate && self.distance[i * n + next] == self.distance[to * n + candidate]
            });
            if keeps_distances {
                image.push(candidate);
                self.extend_images(image);
                image.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::{Context, Topology};

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
                let mut seen = vec![false; symmetry.first_tuples(length).len()];
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
                    let class = symmetry.class_of(length, code);
                    seen[class] = true;
                    let p = symmetry.permutation(symmetry.permutation_to_first(length, code));
                    let image: Vec<usize> = elements.iter().map(|e| usize::from(p[*e])).collect();
                    assert_eq!(
                        image,
                        tuple(symmetry.first_tuples(length)[class] as usize),
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
