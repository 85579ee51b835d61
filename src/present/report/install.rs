//! Which orderings a comparison says to install.

use super::advice::{Advice, Install, guest_phrase};
use nodeorder_order::metric::comparison::Comparison;

impl Advice {
    /// Lists what to install by the `command` for an ordering: the closest one, where it gains over the present one; and,
    /// where it slows some traffic, the one for that.
    pub fn list_installs(
        &self,
        comparison: &Comparison,
        command: impl Fn(&str) -> String,
    ) -> Vec<Install> {
        let mut installs = Vec::new();
        let mut add = |lead: String, order: &str, is_present: bool| {
            installs.push(Install {
                lead,
                order: order.to_string(),
                command: (!is_present).then(|| command(order)),
            });
        };
        let closest = self.answer_distance(comparison).map(|answer| answer.order);
        let slowed = self.slowdowns.as_ref().and_then(|all| {
            let guest = all.find_largest_loss(0)?.guest;
            Some((guest, all.orderings[self.find_best(all, guest)?].as_str()))
        });
        let slowed = slowed.filter(|(_, order)| Some(*order) != closest);
        if let Some(order) = closest.filter(|order| *order != self.current()) {
            let lead = match slowed {
                Some(_) => "Install the closest order,",
                None => "Install",
            };
            add(lead.into(), order, false);
        }
        if let Some((guest, order)) = slowed {
            let keeps = order == self.current();
            let verb = if keeps { "keep" } else { "install" };
            let lead = format!("For {}, {verb}", guest_phrase(&guest.guest));
            add(lead, order, keeps);
        }
        installs
    }
}
