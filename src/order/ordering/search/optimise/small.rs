//! Annealing of small arrangements under any weights: rings, edge effects, short sequences. Every pair of
//! ranks has its weight, a step costs O(n) or O(n²).

use super::anneal_rng::{AnnealRng, between};
use super::elements::Distances;

/// Most elements: their pairs fit the cache.
pub(super) const LARGEST: usize = 128;

/// An arrangement under a full matrix of weights.
pub(super) struct Small {
    n: usize,
    weight: Vec<f64>,
    distance: Vec<f64>,
    order: Vec<u32>,
    rng: AnnealRng,
}

impl Small {
    /// `weight(p, q)` for ranks p < q.
    pub fn new(
        distances: &Distances,
        order: &[u32],
        weight: &dyn Fn(usize, usize) -> f64,
        rng: AnnealRng,
    ) -> Self {
        let n = order.len();
        let mut small = Small {
            n,
            weight: vec![0.0; n * n],
            distance: vec![0.0; n * n],
            order: order.to_vec(),
            rng,
        };
        for a in 0..n {
            for b in 0..n {
                if a < b {
                    small.weight[a * n + b] = weight(a, b);
                    small.weight[b * n + a] = weight(a, b);
                }
                small.distance[a * n + b] = f64::from(distances.between(a as u32, b as u32));
            }
        }
        small
    }

    /// The value of an order.
    pub fn value(&self, order: &[u32]) -> f64 {
        let mut sum = 0.0;
        for (b, y) in order.iter().enumerate() {
            let weights = &self.weight[b * self.n..b * self.n + b];
            let distances = &self.distance[*y as usize * self.n..];
            for (w, x) in weights.iter().zip(order) {
                sum += w * distances[*x as usize];
            }
        }
        sum
    }

    /// Anneals from one to a hundredth of the mean price of a neighbour and returns the best order.
    pub fn run(mut self, steps: u64, stop: &dyn Fn() -> bool) -> (Vec<u32>, u64) {
        let n = self.n;
        if n < 3 {
            return (self.order, 0);
        }
        let top = self.weight.iter().copied().fold(0.0, f64::max);
        let mut current = self.value(&self.order);
        let (mut best, mut best_value) = (self.order.clone(), current);
        let mut trial = self.order.clone();
        let mut done = 0;
        while done < steps {
            if done % 1024 == 0 && stop() {
                break;
            }
            let share = done as f64 / steps as f64;
            let limit = top * between(0.6, 0.02, share) * self.rng.wait();
            let (a, b) = (self.rng.below(n), self.rng.below(n));
            done += 1;
            if a == b {
                continue;
            }
            let (low, high) = (a.min(b), a.max(b));
            // Half of the moves are exchanges, whose price is O(n); the others are priced anew, O(n²).
            let delta = match self.rng.bits() & 7 {
                0..4 => {
                    let delta = self.exchange(a, b);
                    if delta <= limit {
                        self.order.swap(a, b);
                    }
                    delta
                }
                choice => {
                    trial.copy_from_slice(&self.order);
                    match choice {
                        4 | 5 => trial[low..=high].reverse(),
                        6 => trial[low..=high].rotate_left(1),
                        _ => trial[low..=high].rotate_right(1),
                    }
                    let delta = self.value(&trial) - current;
                    if delta <= limit {
                        self.order.copy_from_slice(&trial);
                    }
                    delta
                }
            };
            if delta <= limit {
                current += delta;
                if current < best_value - 1e-9 * top {
                    // Afresh, so that rounding does not add up.
                    current = self.value(&self.order);
                    if current < best_value {
                        best_value = current;
                        best.copy_from_slice(&self.order);
                    }
                }
            }
        }
        (best, done)
    }

    fn exchange(&self, a: usize, b: usize) -> f64 {
        let n = self.n;
        let (x, y) = (self.order[a] as usize, self.order[b] as usize);
        let (from, to) = (
            &self.distance[x * n..x * n + n],
            &self.distance[y * n..y * n + n],
        );
        let (at_a, at_b) = (
            &self.weight[a * n..a * n + n],
            &self.weight[b * n..b * n + n],
        );
        let mut sum = 0.0;
        for (j, z) in self.order.iter().enumerate() {
            let z = *z as usize;
            if j != a && j != b {
                sum += (at_a[j] - at_b[j]) * (to[z] - from[z]);
            }
        }
        sum
    }
}
