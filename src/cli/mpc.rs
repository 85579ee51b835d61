//! `nodeorder mpc`: exact Mean Placement Calculation curves.

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::shared::notes::note;
use crate::shared::picture::Picture;
use crate::shared::{inputs, output, progress};
use nodeorder_base::error::format_bytes;
use nodeorder_network::topology::{Context, Topology};
use nodeorder_order::metric::mpc::{self, SumMethod};
use nodeorder_order::metric::sizes;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_present::columns::comparison::CurvePoint;
use nodeorder_present::{columns, plot};
use std::io::Write;
use std::path::PathBuf;

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

/// Values of `--method`: how pair distances are summed.
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

/// One ordering's curve; in documents, with keys in the order of their names.
#[derive(Default, Serialize)]
struct CurveRow {
    /// MPC at each of the sizes to print.
    #[serde(rename = "mpc")]
    values: Vec<f64>,
    #[serde(rename = "ordering")]
    label: String,
    #[serde(rename = "size")]
    sizes: Vec<usize>,
    /// The share of windows that span components, on a machine in several.
    #[serde(skip_serializing_if = "Option::is_none")]
    spanning: Option<f64>,
    /// MPC at all sizes, for the drawing; `None` unless only some sizes are printed and the curve is drawn.
    #[serde(skip)]
    curve: Option<Vec<f64>>,
}

/// The document; keys in the order of their names. Curves are written from where they are: as values they take eight
/// times as much.
#[derive(Serialize)]
struct Document<'r> {
    curves: &'r [CurveRow],
    topology: String,
    version: &'static str,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        // A wrong ending of the file is reported before the work.
        let picture = self.plot.as_deref().map(Picture::new).transpose()?;
        let topology = inputs::build_topology(&self.spec, context)?;
        inputs::check_curves(&topology, &self.orders)?;
        let orders = inputs::make_orders(&topology, &self.orders)?;
        let bar = progress::show_steps(orders.len() as u64, "MPC");
        let mut rows = Vec::new();
        for order in &orders {
            bar.set_message(order.label().to_string());
            // Only a choice of the program itself needs a word: whoever asks for pairs expects them to take their
            // time.
            let all = matches!(self.method, MethodArg::Auto) && self.sizes == "all";
            if all && mpc::lacks_transform_memory(&topology, order.nodes()) {
                let memory = format_bytes(context.memory);
                let label = order.label();
                note!(
                    "{label}: summed by pairs, which takes longer: transforms do not fit into {memory}"
                );
            }
            let row = self.measure_curve(&topology, order)?;
            if let Some(share) = row.spanning {
                let label = &row.label;
                note!(
                    "{label}: {:.1} % of windows span components: left out",
                    100.0 * share
                );
            }
            rows.push(row);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if let Some(picture) = picture {
            let curves: Vec<(&str, &[f64])> = rows
                .iter()
                .map(|r| (&*r.label, &**r.curve.as_ref().unwrap_or(&r.values)))
                .collect();
            let title = format!("MPC on {}", topology.name());
            picture.draw_figure(&plot::mpc_plot(&title, &curves)?)?;
        }
        if self.json {
            self.write_json(&topology, &rows)
        } else {
            self.write_csv(&rows)
        }
    }

    fn measure_curve(&self, topology: &Topology, order: &NodeOrder) -> anyhow::Result<CurveRow> {
        let mut row = CurveRow {
            label: order.label().to_string(),
            ..CurveRow::default()
        };
        // Fewer than two nodes have no sizes: the curve itself reports that.
        let chosen = if order.len() < 2 {
            None
        } else {
            sizes::parse_sizes(&self.sizes, order.len())?
        };
        // The share of windows that span components is of all sizes.
        let one = topology.component_count() == 1;
        if let (Some(sizes), None, true) = (&chosen, &self.plot, one) {
            // Without a drawing the other sizes are wanted by nobody, and few of them take much less time.
            let at = mpc::at_sizes(topology, order, sizes, self.method.into())?;
            (row.sizes, row.values) = at.into_iter().unzip();
            return Ok(row);
        }
        let curve = mpc::curve_by(topology, order, self.method.into())?;
        row.spanning = curve.spanning_share();
        if let Some(mut sizes) = chosen {
            // On a machine in pieces no window of a larger size lies within one of them: there is no mean to print.
            sizes.retain(|size| *size <= curve.largest_size());
            row.values = sizes.iter().map(|size| curve.mpc(*size)).collect();
            row.sizes = sizes;
            row.curve = self.plot.as_ref().map(|_| curve.values());
        } else {
            row.values = curve.values();
            row.sizes = (2..row.values.len() + 2).collect();
        }
        Ok(row)
    }

    fn write_json(&self, topology: &Topology, rows: &[CurveRow]) -> anyhow::Result<()> {
        let document = Document {
            curves: rows,
            topology: topology.spec().to_string(),
            version: env!("CARGO_PKG_VERSION"),
        };
        output::write_by(self.output.as_deref(), |out| {
            serde_json::to_writer(&mut *out, &document)?;
            out.write_all(b"\n")
        })
    }

    fn write_csv(&self, rows: &[CurveRow]) -> anyhow::Result<()> {
        output::write_by(self.output.as_deref(), |out| {
            // The header alone: rows follow as blocks that threads make, for curves of millions of sizes.
            columns::Table::new(&mut *out, CurvePoint::ALL)?.finish()?;
            rows.iter().try_for_each(|row| {
                let ordering = &row.label;
                let values = &row.values;
                let point = |i| CurvePoint {
                    ordering,
                    size: row.sizes[i],
                    mpc: values[i],
                };
                columns::write_rows(&mut *out, CurvePoint::ALL, values.len(), point)
            })
        })
    }
}
