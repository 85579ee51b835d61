//! Capacities in whole units, so that sums of them are exact and do not depend on their order.
//!
//! Capacities are numbers in any unit: 1 for a link of a family, 400 or 4e11 for one of 400 Gbit/s. Where all are whole
//! tenths, hundredths and so on, as numbers that people write are, a unit is that part: 0.25 and 0.5 are 25 and 50
//! units of 0.01. Else a unit is a power of two so small that the largest capacities keep 31 bits or more.

/// Largest sum of capacities in units: up to there an `f64` holds every whole number.
const MOST_UNITS: f64 = (1u64 << 52) as f64;

/// Largest power of ten that an `f64` holds exactly.
const MOST_DIGITS: i32 = 22;

/// Whole units in which the capacities of a network are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapacityUnits {
    /// Number of units of a capacity of 1: a power of ten or of two.
    per_one: f64,
}

impl CapacityUnits {
    /// Chooses the unit of capacities, all finite and above 0, in which sums up to `sum` stay exact. O(capacities).
    pub fn new(sum: f64, capacities: impl Iterator<Item = f64> + Clone) -> Self {
        let powers = (0..=MOST_DIGITS).map(|digits| 10f64.powi(digits));
        let mut small = powers.take_while(|per_one| sum * per_one <= MOST_UNITS);
        // Both are exact, so that the quotient is the number that such a text stands for.
        let decimal = small.find(|per_one| {
            let mut all = capacities.clone();
            all.all(|capacity| (capacity * per_one).round() / per_one == capacity)
        });
        let binary = 2f64.powi((MOST_UNITS / sum).log2().floor() as i32);
        CapacityUnits {
            per_one: decimal.unwrap_or(binary),
        }
    }

    /// Converts a capacity to whole units, at least 1.
    pub fn count_units(self, capacity: f64) -> u64 {
        ((capacity * self.per_one).round() as u64).max(1)
    }

    /// Converts `units` back to a capacity, to the nearest number.
    pub fn capacity_of(self, units: u64) -> f64 {
        units as f64 / self.per_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_are_the_numbers_that_texts_stand_for() {
        for (capacity, times, text) in [
            (0.1, 3, "0.3"),
            (1e-7, 2, "0.0000002"),
            (4e11, 32, "12800000000000"),
            (13.64, 1_000_000, "13640000"),
            (23.16, 7, "162.12"),
        ] {
            let units = CapacityUnits::new(capacity * times as f64, std::iter::once(capacity));
            let sum = times as u64 * units.count_units(capacity);
            assert_eq!(units.capacity_of(sum).to_string(), text);
        }
    }

    proptest! {
        /// Whatever the unit of the file: the sum is that of the numbers, and fits.
        #[test]
        fn sums_follow_the_scale(list in prop::collection::vec(1u32..1_000_000, 1..200), power in -290i32..280, ten in any::<bool>()) {
            let scale = if ten { 10f64.powi(power) } else { 2f64.powi(power) };
            let all: Vec<f64> = list.iter().map(|x| f64::from(*x) * scale).collect();
            let units = CapacityUnits::new(all.iter().sum(), all.iter().copied());
            let sum: u64 = all.iter().map(|x| units.count_units(*x)).sum();
            let plain = list.iter().map(|x| f64::from(*x)).sum::<f64>() * scale;
            prop_assert!((units.capacity_of(sum) / plain - 1.0).abs() < 1e-6, "{} {plain}", units.capacity_of(sum));
        }
    }
}
