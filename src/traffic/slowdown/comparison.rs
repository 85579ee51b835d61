//! Slowdowns of several orderings side by side: which is the best for which traffic, and where the closest one loses.

use super::curve::{DUTY_STEPS, SlowdownCurve, SlowdownPoint};
use super::measure::Slowdowns;
use super::tiling::power_sizes;
use nodeorder_base::Result;
use nodeorder_order::NodeOrder;

/// Share by which figures may differ and count as equal: what the rounding of sums leaves.
const EQUAL: f64 = 1e-9;
/// Times as slow as with the best ordering from which on a loss is told.
const TOLD: f64 = 1.1;
/// Times as slow as with the best ordering up to which no difference is told.
pub const UNTOLD: f64 = 1.005;

/// Slowdowns of the orderings of one machine, for several guests.
#[derive(Clone, Debug)]
pub struct SlowdownComparison {
    /// Name of the routing.
    pub routing: &'static str,
    /// Share of the time in which the other jobs send, in `mixed`.
    pub duty: f64,
    /// Number of tilings.
    pub tilings: u32,
    /// Labels of the orderings. Of equal ones the first counts as the better.
    pub orderings: Vec<String>,
    pub guests: Vec<GuestSlowdowns>,
}

/// Slowdowns of the orderings for one guest.
#[derive(Clone, Debug)]
pub struct GuestSlowdowns {
    /// Name of the guest.
    pub guest: String,
    /// A curve for each of the orderings.
    pub curves: Vec<SlowdownCurve>,
}

/// Traffic for which an ordering is slower than another.
#[derive(Clone, Debug)]
pub struct OrderingLoss<'s> {
    /// The guest, with the slowdowns of all orderings.
    pub guest: &'s GuestSlowdowns,
    /// Nodes of the largest jobs that are slowed half as much as the worst, or more: large jobs communicate most.
    pub size: usize,
    /// Nodes of the jobs that are slowed most.
    pub worst_size: usize,
    /// Index of the ordering that does best at `size`; of those that do equally well, the best over all sizes.
    pub winner: usize,
}

impl Slowdowns<'_> {
    /// Measures orderings at the powers of two and all nodes, for `guests`; `report` is told what comes next.
    ///
    /// # Errors
    /// As [`Slowdowns::measure_curve`].
    pub fn compare_orders(
        &self,
        orders: &[NodeOrder],
        guests: &[&str],
        report: &dyn Fn(&str, &str),
    ) -> Result<SlowdownComparison> {
        let mut found = SlowdownComparison {
            routing: self.options.routing.name(),
            duty: self.options.duty,
            tilings: self.options.tilings.tiling_count(),
            orderings: Vec::new(),
            guests: Vec::new(),
        };
        for guest in guests {
            found.guests.push(GuestSlowdowns {
                guest: guest.to_string(),
                curves: Vec::new(),
            });
        }
        for order in orders {
            found.measure_order(self, order, report)?;
        }
        Ok(found)
    }
}

impl SlowdownComparison {
    /// Measures an ordering for all guests, and adds it.
    ///
    /// # Errors
    /// As [`Slowdowns::measure_curve`].
    pub fn measure_order(
        &mut self,
        slowdowns: &Slowdowns<'_>,
        order: &NodeOrder,
        report: &dyn Fn(&str, &str),
    ) -> Result<()> {
        let sizes = power_sizes(order.len());
        for guest in &mut self.guests {
            report(order.label(), &guest.guest);
            guest
                .curves
                .push(slowdowns.measure_curve(order, &guest.guest, &sizes)?);
        }
        self.orderings.push(order.label().to_string());
        Ok(())
    }

    /// Sorts the orderings as `labels` are; those of one label stay in their order.
    pub fn sort_by_labels(&mut self, labels: &[&str]) {
        let mut sorted: Vec<usize> = (0..self.orderings.len()).collect();
        sorted.sort_by_key(|i| labels.iter().position(|label| *label == self.orderings[*i]));
        self.orderings = sorted.iter().map(|i| self.orderings[*i].clone()).collect();
        for guest in &mut self.guests {
            guest.curves = sorted.iter().map(|i| guest.curves[*i].clone()).collect();
        }
    }

    /// Finds where ordering `own` is slowed most against the best of the others, by `mixed`. `None` unless it takes a
    /// tenth longer.
    pub fn find_largest_loss(&self, own: usize) -> Option<OrderingLoss<'_>> {
        let mut largest = None;
        let mut highest = TOLD;
        for guest in &self.guests {
            for point in &guest.curves[own].points {
                let ratio = guest.ratio_at(own, point.size);
                if ratio > highest {
                    highest = ratio;
                    largest = Some((guest, point.size));
                }
            }
        }
        let (guest, worst_size) = largest?;
        let mut sizes = guest.curves[own]
            .points
            .iter()
            .rev()
            .map(|point| point.size);
        let size = sizes.find(|size| guest.ratio_at(own, *size) >= (highest / 2.0).max(TOLD))?;
        let (lowest, _) = guest.find_lowest_at(size)?;
        let best = guest.find_best(|point| point.mixed)?;
        let winner = if guest.ratio_at(best, size) < UNTOLD {
            best
        } else {
            lowest
        };
        Some(OrderingLoss {
            guest,
            size,
            worst_size,
            winner,
        })
    }
}

impl GuestSlowdowns {
    /// Finds the ordering of the lowest log-uniform mean of a figure. `None` if no ordering has a size.
    pub fn find_best(&self, figure: impl Fn(&SlowdownPoint) -> f64) -> Option<usize> {
        find_lowest(
            self.curves
                .iter()
                .map(|curve| curve.log_uniform_mean(&figure)),
        )
        .map(|(best, _)| best)
    }

    /// Checks whether no ordering has a log-uniform mean of a figure that is lower by what is told than that of `own`.
    pub fn is_best(&self, own: usize, figure: impl Fn(&SlowdownPoint) -> f64) -> bool {
        let mean = |ordering: usize| self.curves[ordering].log_uniform_mean(&figure);
        let best = self.find_best(&figure).and_then(mean);
        best.zip(mean(own))
            .is_some_and(|(best, own)| own <= best * UNTOLD)
    }

    /// Divides `mixed` of ordering `own` at a size by the lowest of all; 1 where it has none.
    fn ratio_at(&self, own: usize, size: usize) -> f64 {
        let lowest = self.find_lowest_at(size);
        let mixed = self.curves[own].mixed_at(size);
        mixed
            .zip(lowest)
            .map_or(1.0, |(mixed, (_, lowest))| mixed / lowest)
    }

    /// Finds the ordering of the lowest `mixed` at one size, and that figure.
    fn find_lowest_at(&self, size: usize) -> Option<(usize, f64)> {
        find_lowest(self.curves.iter().map(|curve| curve.mixed_at(size)))
    }

    /// Finds the smallest size from which on no ordering has a lower `mixed` than ordering `own`; `None` if one has at
    /// the largest.
    pub fn best_from(&self, own: usize) -> Option<usize> {
        let mut from = None;
        for point in self.curves[own].points.iter().rev() {
            let (_, lowest) = self.find_lowest_at(point.size)?;
            if point.mixed > lowest * (1.0 + EQUAL) {
                break;
            }
            from = Some(point.size);
        }
        from
    }

    /// Lists the duties at which another ordering becomes the best, with that ordering: where the means of the two
    /// meet, straight between the duties known.
    pub fn list_changes(&self) -> Vec<(f64, usize)> {
        let mut changes = Vec::new();
        for step in 1..DUTY_STEPS {
            let before = self.find_best(|point| point.at_duties[step - 1]);
            let after = self.find_best(|point| point.at_duties[step]);
            let (Some(before), Some(after)) = (before, after) else {
                continue;
            };
            if before == after {
                continue;
            }
            let first = self.mean_at(after, step - 1) - self.mean_at(before, step - 1);
            let last = self.mean_at(after, step) - self.mean_at(before, step);
            // Equal at both: the first of equal ones counts as the better, no matter by how little.
            let share = if first == last {
                1.0
            } else {
                first / (first - last)
            };
            let duty = ((step - 1) as f64 + share.clamp(0.0, 1.0)) / (DUTY_STEPS - 1) as f64;
            changes.push((duty, after));
        }
        changes
    }

    /// Computes the mean of an ordering at one of the duties known; 0 without a size.
    fn mean_at(&self, ordering: usize, step: usize) -> f64 {
        let mean = self.curves[ordering].log_uniform_mean(|point| point.at_duties[step]);
        mean.unwrap_or(0.0)
    }
}

impl SlowdownCurve {
    /// Finds `mixed` at a size; `None` where it has none.
    pub fn mixed_at(&self, size: usize) -> Option<f64> {
        let point = self.points.iter().find(|point| point.size == size)?;
        Some(point.mixed)
    }
}

/// Finds the lowest of some figures with its index, of equal ones the first.
fn find_lowest(figures: impl Iterator<Item = Option<f64>>) -> Option<(usize, f64)> {
    let mut lowest: Option<(usize, f64)> = None;
    for (i, figure) in figures.enumerate() {
        let Some(figure) = figure else {
            continue;
        };
        if lowest.is_none_or(|(_, least)| figure < least * (1.0 - EQUAL)) {
            lowest = Some((i, figure));
        }
    }
    lowest
}
