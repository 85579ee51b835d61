//! `nodeorder mpc`: exact Mean Placement Calculation curves.

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::shared::notes::note;
use crate::shared::picture::Picture;
use crate::shared::{inputs, output, progress};
use nodeorder_base::Error;
use nodeorder_base::error::format_bytes;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::mpc::{self, SumMethod};
use nodeorder_order::metric::sizes;
use nodeorder_present::columns::comparison::CurvePoint;
use nodeorder_present::plot::{CLOSER, CurveValue, Limits, Series, SizeAxis, View};
use nodeorder_present::{columns, plot};
use std::io::Write;
use std::path::PathBuf;

/// Compute exact MPC curves: mean hops within a job, for every job size
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder mpc titan --order hilbert --order snake -o titan-mpc.csv"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; repeat for several
    #[arg(long = "order", value_name = "ORD", required = true)]
    orders: Vec<String>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the result: the curves
    #[arg(long, value_name = "FILE.svg|.png|.pdf")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    look: PlotLook,
    /// Job sizes: all, log (log-spaced), or a list such as 2,64,100-110; those that are printed and drawn
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

/// Options that say what the drawing shows.
#[derive(Debug, Args)]
#[command(next_help_heading = "The drawing")]
struct PlotLook {
    /// Axis of job sizes; linear for mpc, log for the others, unless given
    #[arg(long, value_enum, requires = "plot")]
    x: Option<AxisArg>,
    /// Draw job sizes from A to B only
    #[arg(long, value_name = "A-B", requires = "plot", value_parser = parse_range)]
    range: Option<(usize, usize)>,
    /// What is drawn: hops, per cent below random placement, or per cent above the best ordering of the size
    #[arg(long, value_enum, requires = "plot", default_value_t = ValueArg::Mpc)]
    y: ValueArg,
    /// Panels, one above the other: all sizes, sizes up to 64. Unless given: both where both show something
    #[arg(long, value_enum, value_delimiter = ',', requires = "plot")]
    panels: Vec<PanelArg>,
    /// Name an ordering in the legend; repeat for several
    #[arg(long = "label", value_name = "ORD=TEXT", requires = "plot")]
    labels: Vec<String>,
    /// Title of the drawing
    #[arg(long, value_name = "TEXT", requires = "plot")]
    title: Option<String>,
    /// Width on paper in millimetres, 40 to 2000; letters keep their size from 127 to 254
    #[arg(long, value_name = "MM", requires = "plot", value_parser = parse_width)]
    width: Option<f64>,
}

/// Values of `--x`: how job sizes lie on their axis.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum AxisArg {
    Linear,
    Log,
}

/// Values of `--y`: what is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ValueArg {
    Mpc,
    Gain,
    AboveBest,
}

/// Values of `--panels`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PanelArg {
    Full,
    Small,
}

fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let ends = text.split_once('-').and_then(|(first, last)| {
        let first: usize = first.trim().parse().ok()?;
        Some((first, last.trim().parse().ok()?))
    });
    ends.filter(|(first, last)| first < last && *last > 2)
        .ok_or_else(|| "expected two job sizes, the smaller first, such as 2-1000".into())
}

fn parse_width(text: &str) -> Result<f64, String> {
    let width = text.parse().ok();
    width
        .filter(|width| (40.0..=2000.0).contains(width))
        .ok_or_else(|| "expected millimetres from 40 to 2000".into())
}

impl PlotLook {
    /// Lists the views to draw, of curves up to `largest` nodes.
    fn list_views(&self, largest: usize) -> Vec<View> {
        let value = match self.y {
            ValueArg::Mpc => CurveValue::Mpc,
            ValueArg::Gain => CurveValue::Gain,
            ValueArg::AboveBest => CurveValue::AboveBest,
        };
        let axis = match self.x {
            Some(AxisArg::Log) => SizeAxis::Log,
            Some(AxisArg::Linear) => SizeAxis::Linear,
            None if self.y == ValueArg::Mpc => SizeAxis::Linear,
            None => SizeAxis::Log,
        };
        let mut full = View {
            value,
            axis,
            range: self.range.unwrap_or(View::FULL.range),
        };
        // Counts from zero are for the axis that shows all sizes.
        if full.range.0 < 2 && (full != View::FULL) {
            full.range.0 = 2;
        }
        let small = View {
            range: (full.range.0.max(2), full.range.1.min(CLOSER)),
            ..full
        };
        if self.panels.is_empty() {
            // Twice the closer range already shows it at half its width, and so does a logarithmic axis.
            let closer = full == View::FULL && largest > 2 * CLOSER + 1;
            return if closer {
                vec![full, small]
            } else {
                vec![full]
            };
        }
        let views = self.panels.iter().map(|panel| match panel {
            PanelArg::Full => full,
            PanelArg::Small => small,
        });
        views.collect()
    }

    /// Checks that each label names an ordering of `orders`, and lists the texts of the legend.
    fn label_orders(&self, orders: &[String]) -> Result<Vec<Option<&str>>, Error> {
        let mut texts = vec![None; orders.len()];
        for label in &self.labels {
            // Orderings have `=` in their options: the longest that fits is meant.
            let named = orders.iter().enumerate().filter_map(|(at, order)| {
                let text = label.strip_prefix(order.as_str())?.strip_prefix('=')?;
                Some((order.len(), at, text))
            });
            let (_, at, text) = named.max().ok_or_else(|| {
                let expected = "an ordering as it is written after --order, = and its text";
                Error::option("--label", label, expected)
            })?;
            texts[at] = Some(text);
        }
        Ok(texts)
    }

    /// Draws the curves of `rows`, with the texts of [`PlotLook::label_orders`] in the legend.
    fn draw_curves(
        &self,
        picture: &Picture<'_>,
        topology: &Topology,
        rows: &[CurveRow],
        texts: &[Option<&str>],
    ) -> anyhow::Result<()> {
        let curves: Vec<Vec<f64>> = rows.iter().map(CurveRow::spread_values).collect();
        let mut series = Vec::new();
        for (slot, (row, values)) in rows.iter().zip(&curves).enumerate() {
            series.push(Series {
                label: texts[slot].unwrap_or(&row.label),
                values,
                nodes: values.len() + 1,
                slot,
            });
        }
        let largest = curves.iter().map(Vec::len).max().unwrap_or(0) + 1;
        if let Some((first, last)) = self.range.filter(|(first, _)| *first >= largest) {
            let found = format!("{first}-{last}");
            let expected = format!("job sizes of which some are below {largest}");
            return Err(Error::option("--range", found, expected).into());
        }
        let mut limits = Limits::default();
        // Only a gain is against something: the mean distance of nodes chosen at random.
        if self.y == ValueArg::Gain {
            limits.mean_distance = Some(topology.statistics()?.mean_distance);
        }
        let title = match &self.title {
            Some(title) => title.clone(),
            None => format!("MPC on {}", topology.name()),
        };
        let views = self.list_views(largest);
        // Without a width the figure is as wide as those of pages.
        let Some(width) = self.width else {
            let drawn = plot::curves(&title, &series, &views, limits)?;
            return picture.draw_figure(&drawn);
        };
        // CSS pixels, as long as panels and letters suit each other.
        let pixels = (width * 96.0 / 25.4).clamp(480.0, 960.0);
        let drawn = plot::curves_of_width(&title, &series, views, limits, pixels)?;
        picture.draw_figure(&drawn.scaled_to(width))
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
}

/// The document; keys in the order of their names. Curves are written from where they are: as values they take eight
/// times as much.
#[derive(Serialize)]
struct MpcDocument<'r> {
    curves: &'r [CurveRow],
    topology: String,
    version: &'static str,
}

impl CurveRow {
    /// Lists the values by size, element i for size i + 2; not a number at sizes that were not asked for.
    fn spread_values(&self) -> Vec<f64> {
        let largest = self.sizes.iter().max().copied().unwrap_or(1);
        let mut spread = vec![f64::NAN; largest.saturating_sub(1)];
        for (size, value) in self.sizes.iter().zip(&self.values) {
            // A job of one node has no distance.
            if *size >= 2 {
                spread[size - 2] = *value;
            }
        }
        spread
    }
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        // A wrong ending of the file is reported before the work.
        let picture = self.plot.as_deref().map(Picture::new).transpose()?;
        let texts = self.look.label_orders(&self.orders)?;
        let topology = inputs::build_distances(&self.spec, context)?;
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
            self.look.draw_curves(&picture, &topology, &rows, &texts)?;
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
        if let (Some(sizes), true) = (&chosen, one) {
            // The other sizes are wanted by nobody, and few of them take much less time.
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
        } else {
            row.values = curve.values();
            row.sizes = (2..row.values.len() + 2).collect();
        }
        Ok(row)
    }

    fn write_json(&self, topology: &Topology, rows: &[CurveRow]) -> anyhow::Result<()> {
        let document = MpcDocument {
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
