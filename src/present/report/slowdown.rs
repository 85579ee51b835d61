//! Slowdowns of orderings: rows, and one JSON document with what sums them up.

use serde_json::{Map, Value, json};

use crate::columns::json_list;
use crate::columns::slowdown::SlowdownRow;
use nodeorder_network::Topology;
use nodeorder_traffic::slowdown::{SlowdownCurve, SlowdownOptions};

/// The curve of an ordering for one guest.
pub struct GuestCurve<'a> {
    /// The ordering as it was given.
    pub ordering: &'a str,
    /// What the nodes of a job send to each other.
    pub guest: &'a str,
    /// Slowdowns by size.
    pub curve: SlowdownCurve,
}

impl GuestCurve<'_> {
    /// Lists the rows of the curve, one for each size.
    pub fn list_rows(&self) -> impl Iterator<Item = SlowdownRow<'_>> {
        SlowdownRow::list_rows(self.ordering, self.guest, &self.curve)
    }

    /// Says which windows and sizes are left out, in sentences.
    pub fn list_remarks(&self) -> Vec<String> {
        let GuestCurve {
            ordering,
            guest,
            curve,
        } = self;
        let mut remarks = Vec::new();
        if curve.left_out > 0 {
            remarks.push(format!(
                "{ordering}, {guest}: {} windows left out: they span components, or send nothing \
                 over node links",
                curve.left_out
            ));
        }
        if !curve.absent.is_empty() {
            let sizes: Vec<String> = curve.absent.iter().map(usize::to_string).collect();
            remarks.push(format!(
                "{ordering}, {guest}: no rows for {} nodes: no such guest, or no window",
                sizes.join(", ")
            ));
        }
        remarks
    }

    /// Sums the curve up beside those of other orderings for the same guest, as a JSON object.
    fn summarise(&self, curves: &[GuestCurve<'_>]) -> Value {
        let mut lower_from = Map::new();
        for other in curves {
            if other.guest == self.guest && other.ordering != self.ordering {
                let from = self.curve.better_from(&other.curve);
                lower_from.insert(other.ordering.to_string(), from.into());
            }
        }
        json!({
            "ordering": self.ordering,
            "guest": self.guest,
            "alone": self.curve.log_uniform_mean(|point| point.alone),
            "mixed": self.curve.log_uniform_mean(|point| point.mixed),
            "all": self.curve.log_uniform_mean(|point| point.all),
            "lower_from": lower_from,
            "left_out": self.curve.left_out,
            "sizes_without_windows": self.curve.absent,
        })
    }
}

/// Describes all curves as a JSON object: a row for each size, and a summary for each ordering, guest by guest.
pub fn document(
    topology: &Topology,
    options: &SlowdownOptions,
    guests: &[&str],
    curves: &[GuestCurve<'_>],
) -> Value {
    let mut summaries = Vec::new();
    for guest in guests {
        let of_guest = curves.iter().filter(|curve| curve.guest == *guest);
        summaries.extend(of_guest.map(|curve| curve.summarise(curves)));
    }
    json!({
        "topology": topology.spec(),
        "routing": options.routing.name(),
        "duty": options.duty,
        "tilings": options.tilings.tiling_count(),
        "slowdowns": json_list(SlowdownRow::ALL, curves.iter().flat_map(GuestCurve::list_rows)),
        "summaries": summaries,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
