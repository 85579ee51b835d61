//! Polarity graphs of projective planes: PolarFly is one, PolarStar is made of one.

use super::galois::{Field, name_nearest, prime_power};
use nodeorder_base::{Params, Result};

/// The Erdős-Rényi polarity graph ER_q: the points of the projective plane over GF(q), two of them joined where their
/// dot product is 0. A point whose product with itself is 0, of which there are q+1, is a quadric.
///
/// Points are vectors whose first coordinate that is not 0 is 1: (1,y,z) has number y·q + z, (0,1,z) q² + z and
/// (0,0,1) q² + q.
///
/// q²+q+1 points, each with q+1 on the line of those at product 0, itself among them for a quadric: q(q+1)²/2 links,
/// degree q+1, of quadrics q, diameter 2. (Erdős, Rényi, "On a problem in the theory of graphs", 1962; Brown, "On
/// graphs that do not contain a Thomsen graph", 1966.)
#[derive(Clone)]
pub struct PolarityGraph {
    /// Order of the field, a prime power.
    pub q: u32,
    /// GF(q), which has the coordinates.
    field: Field,
}

impl PolarityGraph {
    /// Largest q whose points have 32-bit numbers.
    pub const MAX_Q: u32 = 46_340;

    /// Reads the option `q`, the number of elements of the field.
    ///
    /// # Errors A number that is no prime power; the message names those near it.
    pub fn from_params(params: &Params) -> Result<Self> {
        let q: u32 = params.required_integer("q", 2, PolarityGraph::MAX_Q)?;
        let Some(field) = Field::new(q) else {
            let near = name_nearest(q, |q| prime_power(q).is_some());
            return Err(params.invalid_value("q", format!("a prime power; near it are {near}")));
        };
        Ok(PolarityGraph { q, field })
    }

    /// Counts the points.
    pub fn count_points(&self) -> u32 {
        self.q * self.q + self.q + 1
    }

    /// Counts the links, loops left out.
    pub fn count_links(&self) -> u64 {
        let q = u64::from(self.q);
        q * (q + 1) * (q + 1) / 2
    }

    /// Computes the coordinates of a point.
    fn coordinates_of(&self, point: u32) -> [u32; 3] {
        let q = self.q;
        match point / q {
            line if line < q => [1, line, point % q],
            line if line == q => [0, 1, point % q],
            _ => [0, 0, 1],
        }
    }

    /// Calls `visit` with the q+1 points at product 0 with a point; with itself, too, where it is a quadric.
    pub fn for_each_neighbour(&self, point: u32, mut visit: impl FnMut(u32)) {
        let q = self.q;
        let f = &self.field;
        let [a, b, c] = self.coordinates_of(point);
        // The solutions of a·1 + b·y + c·z = 0, and then of b·1 + c·z = 0 and of c = 0.
        if c != 0 {
            for y in 0..q {
                let rest = f.add(a, f.multiply(b, y));
                visit(y * q + f.divide(f.subtract(0, rest), c));
            }
            visit(q * q + f.divide(f.subtract(0, b), c));
        } else if b != 0 {
            let y = f.divide(f.subtract(0, a), b);
            (0..q).for_each(|z| visit(y * q + z));
            visit(q * q + q);
        } else {
            (0..q).for_each(|z| visit(q * q + z));
            visit(q * q + q);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_the_points_at_product_zero() {
        for q in [2, 3, 4, 5, 7, 8, 9] {
            let graph = PolarityGraph {
                q,
                field: Field::new(q).unwrap(),
            };
            let dot = |u: u32, v: u32| {
                let (u, v) = (graph.coordinates_of(u), graph.coordinates_of(v));
                (0..3).fold(0, |sum, i| {
                    graph.field.add(sum, graph.field.multiply(u[i], v[i]))
                })
            };
            let mut quadrics = 0;
            for u in 0..graph.count_points() {
                let mut found = Vec::new();
                graph.for_each_neighbour(u, |v| found.push(v));
                found.sort_unstable();
                let expected: Vec<u32> = (0..graph.count_points())
                    .filter(|v| dot(u, *v) == 0)
                    .collect();
                assert_eq!(found, expected, "q = {q}, {u}");
                quadrics += u32::from(found.contains(&u));
            }
            assert_eq!(quadrics, q + 1);
        }
    }
}
