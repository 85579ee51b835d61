//! Window re-optimisation: every stretch of m ranks is put into its best order while the rest stays fixed.

use super::elements::Distances;
use super::prices::LagPrices;

/// Largest number of ranks of a window: beyond, a window takes milliseconds and gains next to nothing.
pub const LARGEST: usize = 8;

/// Improves `order` by windows of `size` ranks, one from every second rank on, until `stop` says so or a pass
/// gains nothing. Returns the total gain in prices. Linear orders only.
///
/// # Complexity
/// A window is a search over its m! orders that gives up a beginning as soon as it costs more than the
/// best order found.
pub fn improve_windows(
    distances: &Distances,
    order: &mut [u32],
    prices: &LagPrices,
    size: usize,
    stop: &dyn Fn() -> bool,
) -> i64 {
    let size = size.min(LARGEST).min(order.len());
    if size < 2 {
        return 0;
    }
    let mut total = 0;
    loop {
        let mut gain = 0;
        let mut from = 0;
        while from + size <= order.len() {
            if stop() {
                return total + gain;
            }
            gain += Window::new(distances, order, prices, from, size).solve_window(order, from);
            // Windows overlap, so one from every second rank on reaches every pair of neighbours.
            from += 2;
        }
        total += gain;
        if gain == 0 {
            return total;
        }
    }
}

/// Search for the best order of the elements in one window.
struct Window<'p> {
    prices: &'p LagPrices,
    size: usize,
    /// Elements in the window, as they stand at first.
    members: Vec<u32>,
    /// Price of each member at each position with all elements outside.
    outside: Vec<Vec<i64>>,
    /// Distances between members, row by row.
    between: Vec<i64>,
    /// Members placed so far, in order.
    chosen: Vec<usize>,
    best: Vec<usize>,
    best_cost: i64,
}

impl<'p> Window<'p> {
    /// Prices the members of the window at `from` with all outside. O(size² · window of the prices).
    fn new(
        distances: &Distances,
        order: &[u32],
        prices: &'p LagPrices,
        from: usize,
        size: usize,
    ) -> Self {
        let members = order[from..from + size].to_vec();
        let low = from.saturating_sub(prices.window);
        let high = (from + size + prices.window).min(order.len());
        let mut outside = vec![vec![0; size]; size];
        for other in (low..from).chain(from + size..high) {
            for (row, member) in outside.iter_mut().zip(&members) {
                let d = i64::from(distances.between(*member, order[other]));
                for (p, cost) in row.iter_mut().enumerate() {
                    *cost += prices.lag_price((from + p).abs_diff(other)) * d;
                }
            }
        }
        let between = distances.matrix(members.iter().copied());
        Window {
            prices,
            size,
            members,
            outside,
            between,
            chosen: Vec::new(),
            best: (0..size).collect(),
            best_cost: 0,
        }
    }

    /// Computes the price of member `e` at the next position, given the members before it.
    fn next_cost(&self, e: usize) -> i64 {
        let p = self.chosen.len();
        let mut cost = self.outside[e][p];
        for (q, f) in self.chosen.iter().enumerate() {
            cost += self.prices.lag_price(p - q) * self.between[e * self.size + f];
        }
        cost
    }

    /// Puts the window at `from` into its best order and returns what that gains.
    fn solve_window(mut self, order: &mut [u32], from: usize) -> i64 {
        let mut present = 0;
        for e in 0..self.size {
            present += self.next_cost(e);
            self.chosen.push(e);
        }
        self.chosen.clear();
        self.best_cost = present;
        let mut used = vec![false; self.size];
        self.extend_order(0, &mut used);
        for (p, e) in self.best.iter().enumerate() {
            order[from + p] = self.members[*e];
        }
        present - self.best_cost
    }

    /// Tries all ways to go on from the members chosen, which cost `cost`.
    fn extend_order(&mut self, cost: i64, used: &mut [bool]) {
        if cost >= self.best_cost {
            return;
        }
        if self.chosen.len() == self.size {
            self.best_cost = cost;
            self.best.clone_from(&self.chosen);
            return;
        }
        for e in 0..self.size {
            if !used[e] {
                let more = self.next_cost(e);
                used[e] = true;
                self.chosen.push(e);
                self.extend_order(cost + more, used);
                self.chosen.pop();
                used[e] = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::elements::Arrangement;
    use super::super::starts::list_permutations;
    use super::*;
    use nodeorder_network::{Context, Topology};

    fn price(space: &Arrangement, prices: &LagPrices, order: &[u32]) -> i64 {
        prices.price_order(&space.distances, order, false)
    }

    #[test]
    fn a_window_of_everything_is_the_optimum_and_gains_are_true() {
        let topology = Topology::inline("mesh:2x3", &Context::default()).unwrap();
        let space = Arrangement::new(&topology, false).unwrap();
        let prices = LagPrices::new(&[0.0, 1.0, 0.5, 0.25], 1000.0, 3);
        let mut order = vec![0, 5, 2, 3, 1, 4];
        let before = price(&space, &prices, &order);
        let gain = improve_windows(&space.distances, &mut order, &prices, 6, &|| false);
        assert_eq!(before - price(&space, &prices, &order), gain);
        let all = list_permutations(&[0, 1, 2, 3, 4, 5])
            .into_iter()
            .map(|order| {
                let order: Vec<u32> = order.into_iter().map(|e| e as u32).collect();
                price(&space, &prices, &order)
            });
        let least = all.min().unwrap();
        assert_eq!(price(&space, &prices, &order), least);
    }

    #[test]
    fn windows_of_a_longer_order_gain_what_they_say() {
        let topology = Topology::inline("torus:6x5", &Context::default()).unwrap();
        let space = Arrangement::new(&topology, false).unwrap();
        let prices = LagPrices::new(&[0.0, 1.0, 0.5, 0.25, 0.125], 1000.0, 4);
        let mut order: Vec<u32> = (0..30).map(|e| e * 7 % 30).collect();
        let before = price(&space, &prices, &order);
        let gain = improve_windows(&space.distances, &mut order, &prices, 5, &|| false);
        assert!(gain > 0);
        assert_eq!(before - price(&space, &prices, &order), gain);
    }
}
