//! Figures, as SVG text or PNG bytes: they read rows and never compute a metric.
//!
//! Plotters draws the charts: axes, ticks, curves, bars, legends (module `chart` says how ours look). Pictures
//! of machines are drawn in pixels by `pen::Pen`. Both go to one canvas: compact SVG (`svg`) or plotters' own
//! bitmap. Neither asks the system for a font.
//!
//! # Limits
//! A curve of many sizes is drawn with fewer points than it has: its ends and the lowest and highest of
//! each two pixels stay (module `thin`). The data are never altered.

use crate::error::{Error, Result};
use crate::metric::comparison::Comparison;
use crate::ordering::NodeOrder;
use crate::topology::Topology;

mod canvas;
mod cells;
mod chart;
mod curve;
mod drawing;
mod element;
mod load;
mod machine;
mod palette;
mod pen;
pub mod replay;
mod scale;
pub mod schedule;
mod slice;
mod spark;
mod svg;
mod text;
mod thin;
mod winners;

pub use curve::{ABOVE_BEST_TOP, CLOSER, Limits, Series, View};
use drawing::Drawing;
pub use load::Mapped;
pub use scale::thousands;
pub(crate) use svg::{STYLE, inline};
pub(crate) use winners::series;

fn check(title: &str, mut curves: impl Iterator<Item = usize>) -> Result<()> {
    if curves.any(|points| points > 0) {
        return Ok(());
    }
    Err(Error::Draw { figure: title.into(), reason: "no curve with a single size".into() })
}

/// One view of the curves, as SVG. The first of `series` is drawn on top. The mean distance of `limits` is
/// a line of its own in [`View::Full`] and the reference of [`View::Gain`]; its floor and compact sets are
/// drawn under the curves where both are distances.
///
/// # Errors
/// No curve with a single size.
pub fn curves(
    title: &str,
    series: &[Series<'_>],
    view: View,
    limits: Limits<'_>,
) -> Result<String> {
    check(title, series.iter().map(|s| s.values.len()))?;
    curve::Curves::new(title, series, &[view], limits).drawing().svg()
}

/// Labels with whole curves (element i is MPC(i + 2)), as `nodeorder mpc --plot FILE.svg` draws them: the
/// full range and, where it would show more, a closer look at small jobs.
///
/// # Errors
/// No curve with a single size.
///
/// # Examples
/// ```
/// let curve = [1.0, 1.33, 1.5];
/// let svg = nodeorder::plot::mpc_plot("mesh:2x2", &[("snake", &curve)])?;
/// assert!(svg.starts_with("<svg"));
/// # Ok::<(), nodeorder::Error>(())
/// ```
pub fn mpc_plot(title: &str, curves: &[(&str, &[f64])]) -> Result<String> {
    with_mpc_plot(title, curves, |figure| figure.svg())
}

/// [`mpc_plot`] as a PNG file, two pixels for each of the SVG's.
///
/// # Errors
/// As [`mpc_plot`].
pub fn mpc_plot_png(title: &str, curves: &[(&str, &[f64])]) -> Result<Vec<u8>> {
    with_mpc_plot(title, curves, |figure| figure.png())
}

fn with_mpc_plot<T>(
    title: &str,
    curves: &[(&str, &[f64])],
    output: impl Fn(&Drawing<'_>) -> Result<T>,
) -> Result<T> {
    check(title, curves.iter().map(|(_, values)| values.len()))?;
    let series: Vec<Series<'_>> = curves
        .iter()
        .enumerate()
        .map(|(slot, (label, values))| Series { label, values, slot })
        .collect();
    let largest = series.iter().map(|s| s.values.len()).max().unwrap_or(0);
    let views: &[View] =
        if largest > 2 * CLOSER { &[View::Full, View::Closer] } else { &[View::Full] };
    output(&curve::Curves::new(title, &series, views, Limits::default()).drawing())
}

/// The sample of the curve of slot `slot`, as inline SVG of an HTML page that has [`STYLE`].
pub(crate) fn sample(slot: usize) -> Result<String> {
    curve::sample(slot).decoration()
}

/// The curve of `series` relative to the machine's mean distance, over the `best` of each size, as inline SVG of an
/// HTML page that has [`STYLE`].
pub(crate) fn spark(series: Series<'_>, best: &[f64], mean: f64) -> Result<String> {
    spark::spark(series, best, mean).decoration()
}

/// How a curve looks, for those who draw it themselves.
pub(crate) struct Style {
    /// `#rrggbb`.
    pub colour: String,
    /// Strokes and gaps in pixels.
    pub dash: &'static [f64],
    /// `disc`, `square`, `triangle`, `diamond` or `cross`.
    pub mark: &'static str,
}

/// The look of slot `slot`.
pub(crate) fn style(slot: usize) -> Style {
    let look = palette::look(slot);
    Style { colour: svg::hex(look.colour), dash: look.dash, mark: look.mark.name() }
}

/// The colours of ranks from the first to the last, as `#rrggbb`.
pub(crate) fn ramp() -> Vec<String> {
    (0..palette::RAMP_STEPS).map(|step| svg::hex(palette::ramp(step))).collect()
}

/// Which ordering wins at which sizes, one row for each that ever does, as SVG. `slots` are the slots of
/// the comparison's entries.
///
/// # Errors
/// Drawing failed.
pub fn winners(title: &str, comparison: &Comparison, slots: &[usize]) -> Result<String> {
    winners::Winners { title, comparison, slots }.drawing().svg()
}

/// Where an ordering goes on its machine, as SVG: slices of the lattice, units of the hierarchy or node
/// ids in rows, coloured by rank.
///
/// # Errors
/// Drawing failed.
///
/// # Limits
/// At most 24 slices and 8,000 cells are drawn: evenly chosen slices, then blocks of cells (which show the
/// rank of their first). The figure says so.
pub fn machine(topology: &Topology, order: &NodeOrder) -> Result<String> {
    machine::Machine::new(topology, order).drawing().svg()
}

/// Dilation and contention of a placed guest, as SVG: links of a plane of the grid coloured by contention
/// (elsewhere the links from the busiest down), histograms of contention and of path lengths, the traffic
/// matrix in rank order.
///
/// # Errors
/// Drawing failed.
///
/// # Limits
/// One plane of at most 32×32 routers, the one with the busiest link; at most 64×64 blocks of traffic.
pub fn mapping(mapped: &Mapped<'_>) -> Result<String> {
    load::Loads::new(mapped).drawing().svg()
}

/// [`mapping`] as a PNG file, two pixels for each of the SVG's.
///
/// # Errors
/// As [`mapping`].
pub fn mapping_png(mapped: &Mapped<'_>) -> Result<Vec<u8>> {
    load::Loads::new(mapped).drawing().png()
}
