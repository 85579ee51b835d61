//! Orderings that trade distance for bandwidth.

use super::comparison::{GuestSlowdowns, SlowdownComparison};
use super::measure::Slowdowns;
use super::tiling::{Tilings, power_sizes};
use nodeorder_base::Result;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::ordering::defaults::list_traders;

/// Times as slow as the best at a few sizes up to which an ordering may be the best at all.
const NEARLY: f64 = 1.05;

impl SlowdownComparison {
    /// Tries orderings that trade distance for bandwidth: routers in random order, and K nodes of each outermost unit
    /// in turn, with the K that is best for a guest. One that is best of all for some guest joins the comparison and
    /// `orders`; `report` is told what comes next.
    ///
    /// # Errors
    /// As [`Slowdowns::measure_curve`].
    pub fn add_traders(
        &mut self,
        slowdowns: &Slowdowns<'_>,
        topology: &Topology,
        orders: &mut Vec<NodeOrder>,
        report: &dyn Fn(&str, &str),
    ) -> Result<()> {
        for family in make_traders(topology) {
            for order in self.choose_members(slowdowns, &family, report)? {
                if orders.iter().any(|other| other.nodes() == order.nodes()) {
                    continue;
                }
                let mut with = self.clone();
                with.measure_order(slowdowns, order, report)?;
                let last = self.orderings.len();
                let is_best =
                    |guest: &GuestSlowdowns| guest.find_best(|point| point.mixed) == Some(last);
                if with.guests.iter().any(is_best) {
                    *self = with;
                    orders.push(order.clone());
                }
            }
        }
        Ok(())
    }

    /// Chooses of a family the best member for each guest, by fewer windows: one tiling of sizes two octaves apart.
    /// Left out is a member that is clearly worse by these than an ordering that was measured.
    fn choose_members<'o>(
        &self,
        slowdowns: &Slowdowns<'_>,
        family: &'o [NodeOrder],
        report: &dyn Fn(&str, &str),
    ) -> Result<Vec<&'o NodeOrder>> {
        let mut chosen: Vec<&NodeOrder> = Vec::new();
        for guest in &self.guests {
            let known = guest.curves.iter().map(|curve| {
                let mut few = curve.clone();
                few.points.retain(|point| is_tried(point.size));
                few.log_uniform_mean(|point| point.mixed)
            });
            let mut least = NEARLY * known.flatten().fold(f64::INFINITY, f64::min);
            let mut best = None;
            for order in family {
                report(order.label(), &guest.guest);
                let mut sizes = power_sizes(order.len());
                sizes.retain(|size| is_tried(*size));
                let curve =
                    slowdowns.measure_tilings(order, &guest.guest, &sizes, Tilings::new(1)?)?;
                if let Some(mean) = curve.log_uniform_mean(|point| point.mixed)
                    && mean < least
                {
                    least = mean;
                    best = Some(order);
                }
            }
            let is_new = |order: &&NodeOrder| chosen.iter().all(|one| one.label() != order.label());
            let best = best.filter(is_new);
            chosen.extend(best);
        }
        Ok(chosen)
    }
}

/// Checks whether orderings are tried at a size: a power of four.
fn is_tried(size: usize) -> bool {
    size.is_power_of_two() && size.trailing_zeros().is_multiple_of(2)
}

/// Makes orderings that trade distance for bandwidth, in families of which the best member counts.
fn make_traders(topology: &Topology) -> Vec<Vec<NodeOrder>> {
    // A unit may have fewer nodes than places.
    let made = list_traders(topology).into_iter().map(|family| {
        let orders = family
            .iter()
            .filter_map(|text| NodeOrder::make(topology, text).ok());
        orders.collect()
    });
    made.collect()
}
