//! Annealing of small arrangements under any weights: rings, edge effects, short sequences. Every pair of
//! ranks has its weight in a matrix, so a step costs O(n) or O(n²) and no weight needs to depend on the lag alone.

use super::anneal_rng::{AnnealRng, interpolate_temperature};
use super::elements::Distances;

/// Largest number of elements: their pairs fit the cache.
pub const LARGEST: usize = 128;

/// Arrangement under a full matrix of weights, and the chain on it.
pub struct MatrixChain {
    n: usize,
    /// Weights of all pairs of ranks, row by row.
    weight: Vec<f64>,
    /// Distances of all pairs of elements, row by row.
    distance: Vec<f64>,
    /// Elements by rank, as the chain has them now.
    order: Vec<u32>,
    rng: AnnealRng,
}

impl MatrixChain {
    /// Begins a chain at `order`; `weight(p, q)` is asked for ranks p < q.
    pub fn new(
        distances: &Distances,
        order: &[u32],
        weight: &dyn Fn(usize, usize) -> f64,
        rng: AnnealRng,
    ) -> Self {
        let n = order.len();
        let mut small = MatrixChain {
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

    /// Computes the objective of an order.
    pub fn objective_of(&self, order: &[u32]) -> f64 {
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

    /// Anneals until `steps` are made or `stop` says so; returns the best order and the number of steps made.
    pub fn anneal_steps(mut self, steps: u64, stop: &dyn Fn() -> bool) -> (Vec<u32>, u64) {
        let n = self.n;
        if n < 3 {
            return (self.order, 0);
        }
        let top = self.weight.iter().copied().fold(0.0, f64::max);
        let mut current = self.objective_of(&self.order);
        let mut best = self.order.clone();
        let mut best_value = current;
        let mut trial = self.order.clone();
        let mut done = 0;
        while done < steps {
            if done % 1024 == 0 && stop() {
                break;
            }
            // Temperatures in units of the largest weight, measured on small machines.
            let share = done as f64 / steps as f64;
            let limit = top * interpolate_temperature(0.6, 0.02, share) * self.rng.waiting_time();
            let a = self.rng.random_below(n);
            let b = self.rng.random_below(n);
            done += 1;
            if a == b {
                continue;
            }
            // Half of the moves are exchanges, whose price is O(n); the others are priced anew, O(n²).
            let delta = match self.rng.random_bits() & 7 {
                0..4 => {
                    let delta = self.rise_by_exchange(a, b);
                    if delta <= limit {
                        self.order.swap(a, b);
                    }
                    delta
                }
                choice => {
                    trial.copy_from_slice(&self.order);
                    let stretch = &mut trial[a.min(b)..=a.max(b)];
                    match choice {
                        4 | 5 => stretch.reverse(),
                        6 => stretch.rotate_left(1),
                        _ => stretch.rotate_right(1),
                    }
                    let delta = self.objective_of(&trial) - current;
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
                    current = self.objective_of(&self.order);
                    if current < best_value {
                        best_value = current;
                        best.copy_from_slice(&self.order);
                    }
                }
            }
        }
        (best, done)
    }

    /// Computes the rise of the objective when the elements at ranks `a` and `b` are exchanged.
    fn rise_by_exchange(&self, a: usize, b: usize) -> f64 {
        let n = self.n;
        let x = self.order[a] as usize;
        let y = self.order[b] as usize;
        let from_x = &self.distance[x * n..][..n];
        let from_y = &self.distance[y * n..][..n];
        let at_a = &self.weight[a * n..][..n];
        let at_b = &self.weight[b * n..][..n];
        let mut sum = 0.0;
        for (j, z) in self.order.iter().enumerate() {
            let z = *z as usize;
            // The pair of the two keeps its distance.
            if j != a && j != b {
                sum += (at_a[j] - at_b[j]) * (from_y[z] - from_x[z]);
            }
        }
        sum
    }
}
