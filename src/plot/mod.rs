//! Figures, as SVG text or PNG bytes: they read rows and never compute a metric.
//!
//! Every figure is drawn once, by `pen::Pen`, on a plotters backend: compact SVG (`svg`) or pixels
//! (`raster`). Neither asks the system for a font.
//!
//! # Limits
//! A curve of many sizes is drawn with fewer points than it has: its ends and the lowest and highest of
//! each two pixels stay (module `thin`). The data are never altered.

use plotters_backend::DrawingBackend;

use crate::error::{Error, Result};
use crate::ids::NodeId;
use crate::mapping::{Analysis, Fabric, Guest, ProcessMapping};
use crate::metric::comparison::Comparison;
use crate::ordering::NodeOrder;
use crate::topology::Topology;

mod axis;
mod cells;
mod curve;
mod load;
mod machine;
mod palette;
mod pen;
mod raster;
pub mod replay;
pub mod schedule;
mod slice;
mod spark;
mod svg;
mod thin;
mod winners;

pub use axis::thousands;
pub use curve::{ABOVE_BEST_TOP, CLOSER, Limits, View};
use pen::Pen;
pub(crate) use svg::{STYLE, inline};
pub(crate) use winners::series;

/// One ordering's curve.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// What the user called it.
    pub label: &'a str,
    /// Its whole curve: element i is MPC(i + 2).
    pub values: &'a [f64],
    /// Its place as the user named the orderings: decides its colour, dash and mark in every figure.
    pub slot: usize,
}

/// A figure that can be drawn on any backend.
trait Drawing {
    /// What it shows, in a line.
    fn title(&self) -> String;
    /// What it shows, in words, for those who cannot see it.
    fn description(&self) -> String;
    /// Width and height in pixels.
    fn size(&self) -> (f64, f64);
    /// Draws it, ground excepted.
    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()>;
}

fn draw<B: DrawingBackend>(drawing: &impl Drawing, backend: &mut B, scale: f64) -> Result<()> {
    let title = drawing.title();
    let mut pen = Pen::new(backend, scale, &title);
    pen.rect((0.0, 0.0), drawing.size(), palette::PAPER)?;
    drawing.draw(&mut pen)
}

fn device_size(drawing: &impl Drawing, scale: f64) -> (u32, u32) {
    let (width, height) = drawing.size();
    ((width * scale).round() as u32, (height * scale).round() as u32)
}

fn to_svg(drawing: &impl Drawing) -> Result<String> {
    let mut backend = svg::Svg::new(device_size(drawing, svg::SCALE));
    draw(drawing, &mut backend, svg::SCALE)?;
    Ok(backend.finish(&drawing.title(), &drawing.description()))
}

fn to_png(drawing: &impl Drawing) -> Result<Vec<u8>> {
    let mut backend = raster::Raster::new(device_size(drawing, raster::SCALE));
    draw(drawing, &mut backend, raster::SCALE)?;
    Ok(backend.png())
}

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
    to_svg(&curve::Curves::new(title, series, &[view], limits))
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
    with_mpc_plot(title, curves, |figure| to_svg(figure))
}

/// [`mpc_plot`] as a PNG file, two pixels for each of the SVG's.
///
/// # Errors
/// As [`mpc_plot`].
pub fn mpc_plot_png(title: &str, curves: &[(&str, &[f64])]) -> Result<Vec<u8>> {
    with_mpc_plot(title, curves, |figure| to_png(figure))
}

fn with_mpc_plot<T>(
    title: &str,
    curves: &[(&str, &[f64])],
    output: impl Fn(&curve::Curves<'_>) -> Result<T>,
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
    output(&curve::Curves::new(title, &series, views, Limits::default()))
}

/// The key of the curve of slot `slot`, as inline SVG of an HTML page that has [`STYLE`].
pub(crate) fn sample(slot: usize) -> Result<String> {
    let sample = curve::Sample { slot };
    let mut backend = svg::Svg::new(device_size(&sample, svg::SCALE));
    sample.draw(&mut Pen::new(&mut backend, svg::SCALE, "the key of a curve"))?;
    Ok(backend.decoration())
}

/// The curve of `series` relative to the machine's mean distance, over the `best` of each size, as inline SVG of an
/// HTML page that has [`STYLE`].
pub(crate) fn spark(series: Series<'_>, best: &[f64], mean: f64) -> Result<String> {
    let spark = spark::Spark { series, best, mean };
    let mut backend = svg::Svg::new(device_size(&spark, svg::SCALE));
    spark.draw(&mut Pen::new(&mut backend, svg::SCALE, "a curve in a table"))?;
    Ok(backend.decoration())
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
    to_svg(&winners::Winners { title, comparison, slots })
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
    to_svg(&machine::Machine::new(topology, order))
}

/// A placed guest and what came of it: what the figure of a mapping shows.
#[derive(Clone, Copy)]
pub struct Mapped<'a> {
    /// The machine.
    pub fabric: &'a Fabric<'a>,
    /// The traffic.
    pub guest: &'a Guest,
    /// Where its processes run.
    pub placement: &'a ProcessMapping,
    /// The nodes in rank order: the order of the traffic matrix.
    pub ranks: &'a [NodeId],
    /// The routing's name.
    pub routing: &'a str,
    /// What was found.
    pub analysis: &'a Analysis,
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
    to_svg(&load::Loads::new(mapped))
}

/// [`mapping`] as a PNG file, two pixels for each of the SVG's.
///
/// # Errors
/// As [`mapping`].
pub fn mapping_png(mapped: &Mapped<'_>) -> Result<Vec<u8>> {
    to_png(&load::Loads::new(mapped))
}
