//! `nodeorder mpc`: exact Mean Placement Calculation curves.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::notes::note;
use super::output;
use super::picture::Picture;
use super::{inputs, progress};
use crate::columns::comparison::CurvePoint;
use crate::metric::mpc::{self, SumMethod};
use crate::metric::sizes;
use crate::ordering::NodeOrder;
use crate::topology::{Context, Topology};
use crate::{columns, plot};

/// Compute exact MPC curves: mean hops within a job, for every job size
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder mpc titan --order hilbert --order snake -o titan-mpc.csv"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; repeat for several
    #[arg(long = "order", value_name = "ORD", required = true)]
    orders: Vec<String>,
    /// Write the CSV to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the curves
    #[arg(long, value_name = "FILE.svg|.png")]
    plot: Option<PathBuf>,
    /// Sizes to print: all, log (log-spaced), or a list such as 2,64,100-110
    #[arg(long, default_value = "all")]
    sizes: String,
    /// How pair distances are summed; all give the same result
    #[arg(long, value_enum, default_value_t = MethodArg::Auto)]
    method: MethodArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// `--method`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodArg {
    /// The faster one, by an estimate
    Auto,
    /// Every pair of ranks
    Pairs,
    /// Autocorrelation of cuts
    Transform,
}

impl From<MethodArg> for SumMethod {
    fn from(arg: MethodArg) -> SumMethod {
        match arg {
            MethodArg::Auto => SumMethod::Auto,
            MethodArg::Pairs => SumMethod::Pairs,
            MethodArg::Transform => SumMethod::Transform,
        }
    }
}

/// One ordering's curve.
struct Row {
    label: String,
    /// The sizes to print, and MPC at each.
    sizes: Vec<usize>,
    values: Vec<f64>,
    /// The share of windows that span components, on a machine in several.
    spanning: Option<f64>,
    /// MPC at all sizes, where the curve is drawn.
    curve: Vec<f64>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let picture = self.plot.as_deref().map(Picture::new).transpose()?;
        let topology = inputs::topology(&self.spec, context)?;
        inputs::check_curves(&topology, &self.orders)?;
        let orders = inputs::orders(&topology, &self.orders)?;
        let bar = progress::bar(orders.len() as u64, "MPC");
        let mut rows = Vec::new();
        for order in &orders {
            bar.set_message(order.label().to_string());
            let row = self.row(&topology, order)?;
            if let Some(share) = row.spanning {
                let label = &row.label;
                note!("{label}: {:.1} % of windows span components: left out", 100.0 * share);
            }
            rows.push(row);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if let Some(picture) = picture {
            let curves: Vec<(&str, &[f64])> =
                rows.iter().map(|r| (r.label.as_str(), r.curve.as_slice())).collect();
            let title = format!("MPC on {}", topology.name());
            picture.draw(&plot::mpc_plot(&title, &curves)?)?;
        }
        if self.json { self.write_json(&topology, &rows) } else { self.write_csv(&rows) }
    }

    fn row(&self, topology: &Topology, order: &NodeOrder) -> anyhow::Result<Row> {
        let (n, label) = (order.len(), order.label().to_string());
        // Fewer than two nodes have no sizes: the curve itself reports that.
        let chosen = if n < 2 { None } else { sizes::parse(&self.sizes, n)? };
        // The share of windows that span components is of all sizes.
        let one = topology.components() == 1;
        if let (Some(sizes), None, true) = (&chosen, &self.plot, one) {
            let at = mpc::at_sizes(topology, order, sizes, self.method.into())?;
            let (sizes, values) = at.into_iter().unzip();
            return Ok(Row { label, sizes, values, spanning: None, curve: Vec::new() });
        }
        let curve = mpc::curve_by(topology, order, self.method.into())?;
        let mut sizes = chosen.unwrap_or_else(|| (2..=n).collect());
        sizes.retain(|size| *size <= curve.largest());
        let values = sizes.iter().map(|size| curve.mpc(*size)).collect();
        Ok(Row { label, sizes, values, spanning: curve.spanning(), curve: curve.values() })
    }

    fn write_json(&self, topology: &Topology, rows: &[Row]) -> anyhow::Result<()> {
        let curve = |r: &Row| {
            let mut curve = json!({"ordering": r.label, "size": r.sizes, "mpc": r.values});
            if let Some(share) = r.spanning {
                curve["spanning"] = json!(share);
            }
            curve
        };
        let document = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "topology": topology.spec(),
            "curves": rows.iter().map(curve).collect::<Vec<Value>>(),
        });
        output::write(self.output.as_deref(), format!("{document}\n"))
    }

    fn write_csv(&self, rows: &[Row]) -> anyhow::Result<()> {
        let points = rows.iter().flat_map(|row| {
            let points = row.sizes.iter().zip(&row.values);
            points.map(|(size, mpc)| CurvePoint { ordering: &row.label, size: *size, mpc: *mpc })
        });
        let path = self.output.as_deref();
        output::write_by(path, |out| columns::write(out, CurvePoint::ALL, points))
    }
}
