//! `nodeorder slowdown`: what links do to the bandwidth of jobs, for every job size.

use crate::shared::notes::note;
use crate::shared::picture::Picture;
use crate::shared::slowdowns::SlowdownArgs;
use crate::shared::tables::write_rows;
use crate::shared::{inputs, output, progress};
use clap::Args;
use nodeorder_network::Context;
use nodeorder_order::NodeOrder;
use nodeorder_present::columns::slowdown::SlowdownRow;
use nodeorder_present::plot::{self, SlowdownSeries};
use nodeorder_present::report::slowdown::{GuestCurve, document};
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::slowdown::{SlowdownOptions, Slowdowns, choose_sizes};
use std::path::PathBuf;

/// Compute how much longer jobs communicate than on a network that never blocks
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder slowdown dragonfly:p=4,a=8,h=4 --order row-major --order random"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; repeat for several
    #[arg(long = "order", value_name = "ORD", required = true)]
    orders: Vec<String>,
    #[command(flatten)]
    traffic: SlowdownArgs,
    /// Job sizes: log (powers of two and all nodes), or a list such as 2,64,100-110
    #[arg(long, default_value = "log")]
    sizes: String,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the result: the slowdowns against job size, a panel for each guest
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let picture = self.plot.as_deref().map(Picture::new).transpose()?;
        let topology = inputs::build_topology(&self.spec, context)?;
        inputs::say_remarks(&topology);
        let options = self.traffic.choose_options(&topology)?;
        let orders = inputs::make_orders(&topology, &self.orders)?;
        NodeOrder::check_same_nodes(&topology, &orders)?;
        let fabric = Fabric::with_components(&topology)?;
        let slowdowns = Slowdowns::new(&fabric, options)?;
        let guests = self.traffic.choose_guests();
        let bar = progress::show_steps((orders.len() * guests.len()) as u64, "slowdown");
        let mut curves = Vec::new();
        for order in &orders {
            let sizes = choose_sizes(order, &self.sizes)?;
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
        for remark in curves.iter().flat_map(GuestCurve::list_remarks) {
            note!("{remark}");
        }
        if let Some(picture) = picture {
            draw_curves(&picture, topology.name(), &options, &curves, guests.len())?;
        }
        if self.json {
            let document = document(&topology, &options, &guests, &curves);
            let text = serde_json::to_string(&document)? + "\n";
            return output::write_text(self.output.as_deref(), text);
        }
        let rows = curves.iter().flat_map(GuestCurve::list_rows);
        write_rows(self.output.as_deref(), SlowdownRow::ALL, rows)
    }
}

/// Draws the curves, which are those of one ordering for all `guests` after those of another.
fn draw_curves(
    picture: &Picture<'_>,
    machine: &str,
    options: &SlowdownOptions,
    curves: &[GuestCurve<'_>],
    guests: usize,
) -> anyhow::Result<()> {
    let series: Vec<SlowdownSeries<'_>> = curves
        .iter()
        .enumerate()
        .map(|(i, curve)| SlowdownSeries {
            ordering: curve.ordering,
            slot: i / guests,
            guest: curve.guest,
            points: &curve.curve.points,
        })
        .collect();
    let title = format!("Slowdown on {machine}");
    let note = format!(
        "routing {}; thick lines: the other jobs send {} % of the time",
        options.routing.name(),
        plot::format_fixed(100.0 * options.duty, 1)
    );
    picture.draw_figure(&plot::plot_slowdowns(&title, &note, &series)?)
}
