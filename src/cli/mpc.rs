//! `nodeorder mpc`: exact Mean Placement Calculation curves.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::output::{self, Output};
use super::progress;
use crate::error::{Error, SourceLocation};
use crate::metric::mpc::{self, SumMethod};
use crate::ordering::NodeOrder;
use crate::topology::{Context, Topology};
use crate::{plot, report};

/// Compute the exact MPC curve of orderings: mean pairwise hops of a job, for every job size
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder mpc titan --order hilbert --order snake -o titan-mpc.csv"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…
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
    /// How pair distances are summed; the result is the same
    #[arg(long, value_enum, default_value_t = MethodArg::Auto)]
    method: MethodArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// `--method`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodArg {
    /// Whichever costs less
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

/// One ordering's values at its sizes.
struct Row {
    label: String,
    sizes: Vec<usize>,
    values: Vec<f64>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let plot_kind = self.plot.as_deref().map(plot_kind).transpose()?;
        let topology = super::inputs::topology(&self.spec, context)?;
        let orders = super::inputs::orders(&topology, &self.orders)?;
        let bar = progress::bar(orders.len() as u64, "MPC");
        let mut rows = Vec::new();
        for order in &orders {
            bar.set_message(order.label().to_string());
            rows.push(self.row(&topology, order)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if let (Some(path), Some(kind)) = (&self.plot, plot_kind) {
            let curves: Vec<(&str, &[f64])> =
                rows.iter().map(|r| (r.label.as_str(), r.values.as_slice())).collect();
            let title = format!("MPC on {}", topology.name());
            let picture = match kind {
                PlotKind::Svg => plot::mpc_plot(&title, &curves)?.into_bytes(),
                PlotKind::Png => plot::mpc_plot_png(&title, &curves)?,
            };
            output::write(Some(path), &picture)?;
        }
        self.write(&topology, &rows)
    }

    fn row(&self, topology: &Topology, order: &NodeOrder) -> anyhow::Result<Row> {
        let (n, label) = (order.len(), order.label().to_string());
        // Nothing to read sizes against: let the curve itself refuse.
        let chosen = if n < 2 { None } else { parse_sizes(&self.sizes, n)? };
        // A drawing needs the whole curve.
        Ok(match chosen {
            Some(sizes) if self.plot.is_none() => {
                let at = mpc::at_sizes(topology, order, &sizes, self.method.into())?;
                Row { label, sizes, values: at.into_iter().map(|(_, v)| v).collect() }
            }
            _ => {
                let curve = mpc::curve_by(topology, order, self.method.into())?;
                Row { label, sizes: (2..=n).collect(), values: curve.values() }
            }
        })
    }

    fn write(&self, topology: &Topology, rows: &[Row]) -> anyhow::Result<()> {
        let wanted = |row: &Row| -> anyhow::Result<Vec<usize>> {
            let nodes = row.sizes.last().copied().unwrap_or(2);
            Ok(match self.plot {
                Some(_) => parse_sizes(&self.sizes, nodes)?.unwrap_or_else(|| row.sizes.clone()),
                None => row.sizes.clone(),
            })
        };
        if self.json {
            let mut curves = Vec::new();
            for row in rows {
                let sizes = wanted(row)?;
                let values: Vec<f64> = sizes.iter().map(|s| row.value(*s)).collect();
                curves.push(json!({"ordering": row.label, "size": sizes, "mpc": values}));
            }
            let document = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "topology": topology.spec(),
                "curves": curves,
            });
            let text = format!("{document}\n");
            return output::write(self.output.as_deref(), text.as_bytes());
        }
        let mut out = Output::open(self.output.as_deref())?;
        let mut csv = report::csv::Curves::new(&mut out)
            .with_context(|| output::name(self.output.as_deref()))?;
        for row in rows {
            for size in wanted(row)? {
                csv.row(&row.label, size, row.value(size))
                    .with_context(|| output::name(self.output.as_deref()))?;
            }
        }
        csv.finish().with_context(|| output::name(self.output.as_deref()))?;
        out.finish()
    }
}

impl Row {
    fn value(&self, size: usize) -> f64 {
        // Whole curves are the common case; lists are looked up.
        match self.sizes.get(size - 2) {
            Some(s) if *s == size => self.values[size - 2],
            _ => self.sizes.iter().position(|s| *s == size).map_or(f64::NAN, |i| self.values[i]),
        }
    }
}

/// `None` for all sizes; otherwise ascending sizes, each once.
fn parse_sizes(text: &str, n: usize) -> anyhow::Result<Option<Vec<usize>>> {
    if text == "all" {
        return Ok(None);
    }
    if text == "log" {
        return Ok(Some(log_sizes(n)));
    }
    let wrong = |part: &str| {
        let expected = format!("all, log, or sizes from 2 to {n}, as in 2,64,100-110");
        Error::input(
            SourceLocation::option(format!("--sizes {text}")),
            format!("`{part}`"),
            expected,
        )
    };
    let mut sizes = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if 2usize <= first && first <= last && last <= n => {
                sizes.extend(first..=last);
            }
            _ => return Err(wrong(part).into()),
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    Ok(Some(sizes))
}

/// Eight sizes an octave, and the last.
fn log_sizes(n: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = (8u32..)
        .map(|i| 2f64.powf(f64::from(i) / 8.0).round() as usize)
        .take_while(|s| *s < n)
        .collect();
    sizes.push(n);
    sizes.dedup();
    sizes
}

#[derive(Clone, Copy)]
pub(super) enum PlotKind {
    Svg,
    Png,
}

pub(super) fn plot_kind(path: &Path) -> anyhow::Result<PlotKind> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => Ok(PlotKind::Svg),
        Some("png") => Ok(PlotKind::Png),
        _ => Err(Error::input(
            SourceLocation::option("--plot"),
            path.display().to_string(),
            "a file name that ends in .svg or .png",
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_sizes("all", 9).unwrap(), None);
        assert_eq!(parse_sizes("4,2-5,9", 9).unwrap().unwrap(), [2, 3, 4, 5, 9]);
        assert_eq!(log_sizes(2), [2]);
        assert_eq!(log_sizes(9), [2, 3, 4, 5, 6, 7, 8, 9]);
        for bad in ["", "1", "10", "5-3", "a", "2,,3", "-4"] {
            assert!(parse_sizes(bad, 9).is_err(), "{bad}");
        }
    }
}
