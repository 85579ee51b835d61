//! `nodeorder slowdown`: what links do to the bandwidth of jobs, for every job size.

use crate::shared::notes::note;
use crate::shared::slowdowns::GUESTS;
use crate::shared::{inputs, output, progress};
use clap::Args;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_network::topology::{Context, Topology};
use nodeorder_order::metric::sizes::parse_sizes;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_present::columns;
use nodeorder_present::columns::slowdown::SlowdownRow;
use nodeorder_traffic::mapping::{Fabric, FixedRouting};
use nodeorder_traffic::slowdown::{
    SlowdownCurve, SlowdownOptions, Slowdowns, Tilings, power_sizes,
};
use serde_json::json;
use std::path::PathBuf;

/// Compute how much longer jobs communicate than on a network that never blocks, for every job size
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder slowdown dragonfly:p=4,a=8,h=4 --order row-major --order random"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; repeat for several
    #[arg(long = "order", value_name = "ORD", required = true)]
    orders: Vec<String>,
    /// What the nodes of a job send to each other, for any number of nodes; repeat for several
    /// [default: all-to-all, stencil3d and ring]
    #[arg(long = "guest", value_name = "PATTERN")]
    guests: Vec<String>,
    /// Which links the traffic takes; `nodeorder list routings` names them
    /// [default: dimension-order on grids, else ecmp-hop]
    #[arg(long, value_name = "R")]
    routing: Option<String>,
    /// Share of the time in which the other jobs send, from 0 to 1
    #[arg(long, default_value_t = 0.2)]
    duty: f64,
    /// Ways to cut the ranks into jobs of one size: 1, 2 or 4
    #[arg(long, default_value_t = 2)]
    tilings: u32,
    /// Sizes: log (powers of two and all nodes), or a list such as 2,64,100-110
    #[arg(long, default_value = "log")]
    sizes: String,
    /// Write the rows to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The curve of an ordering for one guest.
struct GuestCurve<'a> {
    ordering: &'a str,
    guest: &'a str,
    curve: SlowdownCurve,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = inputs::build_topology(&self.spec, context)?;
        inputs::say_remarks(&topology);
        let routing = self.choose_routing(&topology)?;
        let options = SlowdownOptions {
            routing,
            duty: self.duty,
            tilings: Tilings::new(self.tilings)?,
        };
        let orders = inputs::make_orders(&topology, &self.orders)?;
        NodeOrder::check_same_nodes(&topology, &orders)?;
        let fabric = Fabric::with_components(&topology)?;
        let slowdowns = Slowdowns::new(&fabric, options)?;
        let guests: Vec<&str> = if self.guests.is_empty() {
            GUESTS.to_vec()
        } else {
            self.guests.iter().map(String::as_str).collect()
        };
        let bar = progress::show_steps((orders.len() * guests.len()) as u64, "slowdown");
        let mut curves = Vec::new();
        for order in &orders {
            let sizes = self.choose_sizes(order)?;
            for guest in &guests {
                bar.set_message(format!("{} {guest}", order.label()));
                curves.push(GuestCurve {
                    ordering: order.label(),
                    guest,
                    curve: slowdowns.measure_curve(order, guest, &sizes)?,
                });
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        say_left_out(&curves);
        if self.json {
            let document = self.make_document(&topology, &options, &guests, &curves);
            let text = serde_json::to_string(&document)? + "\n";
            return output::write_text(self.output.as_deref(), text);
        }
        output::write_by(self.output.as_deref(), |out| {
            columns::write_table(out, SlowdownRow::ALL, curves.iter().flat_map(list_rows))
        })
    }

    /// Finds the routing asked for; unless one is, the natural one of the machine.
    fn choose_routing(&self, topology: &Topology) -> Result<FixedRouting> {
        if let Some(name) = &self.routing {
            return FixedRouting::find_by_name(name);
        }
        let along_axes = FixedRouting::find_by_name("dimension-order")?;
        if along_axes.works_on(topology) {
            return Ok(along_axes);
        }
        FixedRouting::find_by_name("ecmp-hop")
    }

    /// Reads the sizes for an ordering.
    fn choose_sizes(&self, order: &NodeOrder) -> Result<Vec<usize>> {
        let nodes = order.len();
        if nodes < 2 {
            let location = SourceLocation::option(order.label());
            return Err(Error::unsuited(
                location,
                format!("{nodes} nodes"),
                "an ordering of at least 2 nodes",
            ));
        }
        if self.sizes == "log" {
            return Ok(power_sizes(nodes));
        }
        let all = || (2..=nodes).collect();
        Ok(parse_sizes(&self.sizes, nodes)?.unwrap_or_else(all))
    }

    /// Makes the JSON document.
    fn make_document(
        &self,
        topology: &Topology,
        options: &SlowdownOptions,
        guests: &[&str],
        curves: &[GuestCurve<'_>],
    ) -> serde_json::Value {
        let rows: Vec<serde_json::Value> = curves
            .iter()
            .flat_map(list_rows)
            .map(|row| columns::json_object(SlowdownRow::ALL, &row))
            .collect();
        let mut summaries = Vec::new();
        for guest in guests {
            let of_guest: Vec<&GuestCurve<'_>> = curves
                .iter()
                .filter(|curve| curve.guest == *guest)
                .collect();
            for own in &of_guest {
                let others = of_guest
                    .iter()
                    .filter(|other| other.ordering != own.ordering);
                let lower_from: serde_json::Map<String, serde_json::Value> = others
                    .map(|other| {
                        let from = own.curve.better_from(&other.curve);
                        (other.ordering.to_string(), from.into())
                    })
                    .collect();
                summaries.push(json!({
                    "ordering": own.ordering,
                    "guest": guest,
                    "alone": own.curve.log_uniform_mean(|point| point.alone),
                    "mixed": own.curve.log_uniform_mean(|point| point.mixed),
                    "all": own.curve.log_uniform_mean(|point| point.all),
                    "lower_from": lower_from,
                    "left_out": own.curve.left_out,
                    "sizes_without_windows": own.curve.absent,
                }));
            }
        }
        json!({
            "topology": topology.spec(),
            "routing": options.routing.name(),
            "duty": options.duty,
            "tilings": options.tilings.tiling_count(),
            "slowdowns": rows,
            "summaries": summaries,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

/// Lists the rows of a curve.
fn list_rows<'a>(curve: &'a GuestCurve<'a>) -> impl Iterator<Item = SlowdownRow<'a>> {
    SlowdownRow::list_rows(curve.ordering, curve.guest, &curve.curve)
}

/// Says which windows and sizes are left out, once each.
fn say_left_out(curves: &[GuestCurve<'_>]) {
    for GuestCurve {
        ordering,
        guest,
        curve,
    } in curves
    {
        if curve.left_out > 0 {
            note!(
                "{ordering}, {guest}: {} windows left out: they span components, or send nothing over node links",
                curve.left_out
            );
        }
        if !curve.absent.is_empty() {
            let sizes: Vec<String> = curve.absent.iter().map(usize::to_string).collect();
            note!(
                "{ordering}, {guest}: no rows for {} nodes: no such guest, or no window",
                sizes.join(", ")
            );
        }
    }
}
