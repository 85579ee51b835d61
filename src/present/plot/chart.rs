//! Charts: panels with axes, what is drawn in them, and legends. Plotters draws them; here is how ours look.

use std::collections::HashSet;

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition, SeriesLabelPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::Rectangle;

use super::canvas::Canvas;
use super::element::{Element, Glyph, Point, SAMPLE, Sample, Stroke};
use super::palette::{AXIS, GRID, INK, Look, MUTED, PAPER, Rgb, fill_style, look_of_slot};
use super::pen::Pen;
use super::scale::Scale;
use super::text::Text;
use super::thin::thin_points;
use nodeorder_base::Result;

pub const WIDTH: f64 = 960.0;
/// The name of a logarithmic axis of job sizes.
pub const LOG_SIZES: &str = "job size (nodes), log scale";
/// Upper edge, in pixels, of the first panel of a figure with a note.
pub const TOP: f64 = 74.0;
/// Height, in pixels, of the room below a panel for the ticks and the name of its axis.
pub const BELOW: f64 = 60.0;
/// Width, in pixels, of the room right of everything.
pub const MARGIN: f64 = 18.0;
/// Height of a row of a legend, in pixels: plotters' line of text of 13 pixels.
const ROW: f64 = 13.0 * 1.362 * 1.25;
/// Largest width of a label of a legend, in pixels.
const LABEL_ROOM: f64 = 230.0;
/// Width, in pixels, of the gap between a panel and the legend on its right.
const LEGEND_GAP: f64 = 16.0;
/// Width, in pixels, of the gap between a label of a legend and its sample.
const SAMPLE_GAP: f64 = 8.0;
/// Height, in pixels, of what stands below a panel, without the gap to the next.
const LABELS: f64 = 45.0;

/// An axis and its name.
pub type Axis<'a> = (&'a Scale, &'a str);

/// A panel of a figure: its corners in pixels, its axes and their names.
#[derive(Clone, Copy)]
pub struct Panel<'a> {
    /// The upper left corner.
    pub from: Point,
    /// The lower right corner.
    pub to: Point,
    pub x: Axis<'a>,
    /// The name is empty for a panel that shares the axis of its left neighbour.
    pub y: Axis<'a>,
}

/// A panel whose axes are drawn.
pub struct Chart<'p, 'a> {
    context: ChartContext<'a, Canvas<'a>, Cartesian2d<Scale, Scale>>,
    panel: Panel<'p>,
    pub pen: &'p Pen<'a>,
}

impl<'p> Panel<'p> {
    /// Places the panel between left and right, so high below its top.
    pub fn place_panel((left, right): Point, (top, high): Point, x: Axis<'p>, y: Axis<'p>) -> Self {
        Panel {
            from: (left, top),
            to: (right, top + high),
            x,
            y,
        }
    }

    /// Draws grid, ticks, names, and the line of zero where the axis goes below.
    pub fn draw_axes<'a>(self, pen: &'p Pen<'a>) -> Result<Chart<'p, 'a>> {
        self.draw_with(pen, (true, true))
    }

    /// Makes the panel without axes.
    pub fn without_axes<'a>(self, pen: &'p Pen<'a>) -> Result<Chart<'p, 'a>> {
        self.build_chart(pen, 0.0, 0.0)
    }

    /// Makes a panel with `room` for labels on its left and `below` it.
    fn build_chart<'a>(self, pen: &'p Pen<'a>, room: f64, below: f64) -> Result<Chart<'p, 'a>> {
        let Panel {
            from: (left, top),
            to: (right, bottom),
            x,
            y,
        } = self;
        let from = (left - room, top);
        let size = (right - left + room, bottom - top + below);
        let area = pen
            .area
            .clone()
            .shrink(pen.to_device(from), pen.to_device(size));
        let built = ChartBuilder::on(&area)
            .set_label_area_size(LabelAreaPosition::Left, pen.to_device_length(room))
            .set_label_area_size(LabelAreaPosition::Bottom, pen.to_device_length(below))
            .build_cartesian_2d(x.0.clone(), y.0.clone());
        Ok(Chart {
            context: pen.name_in_error(built)?,
            panel: self,
            pen,
        })
    }

    /// Draws the panel with its axes; grid lines at the ticks of the horizontal and of the vertical axis where
    /// `grid` says so.
    pub fn draw_with<'a>(self, pen: &'p Pen<'a>, grid: (bool, bool)) -> Result<Chart<'p, 'a>> {
        let Panel {
            from: (left, top),
            to: (right, bottom),
            x,
            y: (y, y_name),
        } = self;
        let shares_axis = y_name.is_empty();
        // Plotters takes the label area off the panel, so the area is as much larger than the panel.
        // The names of panels above each other stand in one line, at the left edge of the figure.
        let room = if shares_axis {
            1.0
        } else if left < 2.0 * y.label_room() {
            left - 6.0
        } else {
            y.label_room() - 6.0
        };
        let mut chart = self.build_chart(pen, room, LABELS)?;
        let name = Text::new(13.0);
        let blank = |_: &f64| String::new();
        let line = |colour, width| {
            fill_style(colour, 1.0).stroke_width(pen.to_device_length(width) as u32)
        };
        let mut mesh = chart.context.configure_mesh();
        mesh.bold_line_style(line(GRID, 1.0))
            .axis_style(line(AXIS, 1.2))
            .x_label_style(x.0.tick.plotters_style(pen.scale))
            .y_label_style(y.tick.plotters_style(pen.scale))
            .axis_desc_style(name.plotters_style(pen.scale))
            .set_all_tick_mark_size(pen.to_device_length(3.5))
            .x_desc(name.cut_to_width(x.1, right - left + 60.0))
            .y_desc(name.cut_to_width(y_name, bottom - top + 20.0));
        if shares_axis {
            mesh.set_tick_mark_size(LabelAreaPosition::Left, 0)
                // The left neighbour has the labels, on the same scale.
                .y_label_formatter(&blank);
        }
        if !grid.0 {
            mesh.disable_x_mesh();
        }
        if !grid.1 {
            mesh.disable_y_mesh();
        }
        pen.name_in_error(mesh.draw())?;
        // Only where values go below zero: at the edge the axis itself is the line.
        if !y.log && y.is_within(-1e-9) && y.is_within(0.0) {
            chart.draw_across(0.0, &Stroke::solid_line(INK, 1.2))?;
        }
        Ok(chart)
    }
}

impl Chart<'_, '_> {
    /// Computes the pixel of a value.
    pub fn to_pixel(&self, (x, y): Point) -> Point {
        let Panel { from, to, .. } = self.panel;
        (
            self.panel.x.0.pixel_on_axis(x, (from.0, to.0)),
            self.panel.y.0.pixel_on_axis(y, (to.1, from.1)),
        )
    }

    /// Draws a line through values, thinned to what can be seen.
    pub fn draw_line(
        &mut self,
        points: impl IntoIterator<Item = Point>,
        stroke: &Stroke<'_>,
    ) -> Result<()> {
        // Curves have a point for every job size, a million of them on large machines.
        let points = thin_points(points, |p| self.to_pixel(p));
        self.draw_glyphs([points], Glyph::Line(*stroke))
    }

    /// Draws a glyph at each of some lists of values.
    fn draw_glyphs(
        &mut self,
        places: impl IntoIterator<Item = Vec<Point>>,
        glyph: Glyph<'_>,
    ) -> Result<()> {
        let scale = self.pen.scale;
        let elements = places.into_iter().map(|points| Element {
            points,
            glyph,
            scale,
        });
        self.pen
            .name_in_error(self.context.draw_series(elements))
            .map(|_| ())
    }

    /// Keeps the first of the points in each square of `side` pixels.
    pub fn keep_apart(&self, points: impl Iterator<Item = Point>, side: f64) -> Vec<Point> {
        let mut taken = HashSet::new();
        let square = |point| {
            let (x, y) = self.to_pixel(point);
            ((x / side).round() as i64, (y / side).round() as i64)
        };
        points
            .filter(|point| taken.insert(square(*point)))
            .collect()
    }

    /// Draws a line from the left to the right.
    pub fn draw_across(&mut self, y: f64, stroke: &Stroke<'_>) -> Result<()> {
        let (y, Panel { from, to, .. }) = (self.to_pixel((0.0, y)).1, self.panel);
        self.pen.draw_polyline(&[(from.0, y), (to.0, y)], stroke)
    }

    /// Draws the line of zero from the top to the bottom, for bars to both sides.
    pub fn draw_zero_line(&mut self) -> Result<()> {
        let (at, Panel { from, to, x, .. }) = (self.to_pixel((0.0, 0.0)).0, self.panel);
        // Between bars to both sides zero is the line to read from; at the edge it is an axis.
        let colour = if x.0.is_within(-1e-9) { INK } else { AXIS };
        self.pen.draw_polyline(
            &[(at, from.1), (at, to.1)],
            &Stroke::solid_line(colour, 1.2),
        )
    }

    /// Draws a mark at each of some values.
    pub fn draw_marks(
        &mut self,
        points: impl IntoIterator<Item = Point>,
        look: Look,
    ) -> Result<()> {
        self.draw_glyphs(points.into_iter().map(|at| vec![at]), Glyph::Mark(look))
    }

    /// Draws bars between two corners each, in values.
    pub fn draw_bars(
        &mut self,
        bars: impl IntoIterator<Item = [Point; 2]>,
        colour: Rgb,
    ) -> Result<()> {
        let bars = bars
            .into_iter()
            .map(|corners| Rectangle::new(corners, fill_style(colour, 1.0)));
        self.pen
            .name_in_error(self.context.draw_series(bars))
            .map(|_| ())
    }

    /// Draws a legend within the chart, on ground of its own.
    pub fn draw_legend_inside(&mut self, legend: &Legend) -> Result<()> {
        self.legend(&legend.entries, SeriesLabelPosition::UpperRight)
    }

    fn legend(
        &mut self,
        entries: &[(String, Look, Sample)],
        position: SeriesLabelPosition,
    ) -> Result<()> {
        let scale = self.pen.scale;
        for (label, look, sample) in entries {
            // A label of plotters belongs to a series; this one is empty, since lines and marks of a curve are drawn
            // apart.
            let none = std::iter::empty::<Element<'_, Point>>();
            let glyph = Glyph::Sample(*look, *sample);
            self.pen
                .name_in_error(self.context.draw_series(none))?
                .label(label)
                .legend(move |at| Element {
                    points: vec![at],
                    glyph,
                    scale,
                });
        }
        let mut labels = self.context.configure_series_labels();
        // Grid lines would run through the labels.
        if position == SeriesLabelPosition::UpperRight {
            labels.background_style(fill_style(PAPER, 1.0));
        }
        labels
            .position(position)
            .margin(0)
            .legend_area_size(self.pen.to_device_length(SAMPLE + SAMPLE_GAP))
            .label_font(Text::new(13.0).plotters_style(scale));
        self.pen.name_in_error(labels.draw())
    }
}

/// Draws the title of a figure `width` pixels wide and, below it, a note.
pub fn draw_heading(pen: &Pen<'_>, note: &str, width: f64) -> Result<()> {
    let bold = Text::new(17.0).bold();
    let muted = Text::new(12.0).with_colour(MUTED);
    pen.draw_text(
        (MARGIN, 30.0),
        &bold.cut_to_width(pen.title, width - 2.0 * MARGIN),
        &bold,
    )?;
    pen.draw_text(
        (MARGIN, 51.0),
        &muted.cut_to_width(note, width - 2.0 * MARGIN),
        &muted,
    )
}

/// Draws the name of a panel, above it; `room` is its width.
pub fn draw_panel_title(pen: &Pen<'_>, at: Point, text: &str, room: f64) -> Result<()> {
    let bold = Text::new(13.0).bold();
    pen.draw_text(at, &bold.cut_to_width(text, room), &bold)
}

/// Computes left and right of `count` panels that share the vertical axis `y`.
pub fn side_by_side(y: &Scale, count: usize) -> impl Iterator<Item = (f64, f64)> {
    const GAP: f64 = 22.0;
    let first = y.label_room();
    let wide = (WIDTH - MARGIN - first - (count - 1) as f64 * GAP) / count as f64;
    (0..count)
        .map(move |i| first + i as f64 * (wide + GAP))
        .map(move |left| (left, left + wide))
}

/// Joins labels as a list in a sentence.
pub fn join_labels<'a>(labels: impl IntoIterator<Item = &'a str>) -> String {
    labels.into_iter().collect::<Vec<_>>().join("; ")
}

/// Lists the steps of values that are sorted from the highest down, thinned to one a pixel of `room`: where each begins
/// and ends, in ranks, at its value.
pub fn sort_falling(values: &[f64], room: f64) -> impl Iterator<Item = Point> {
    let points = (room as usize).min(values.len());
    // From the first to the last, so that the highest and the lowest value are drawn.
    let at = (0..points).map(move |i| i * (values.len() - 1) / (points - 1).max(1));
    at.flat_map(|at| [(at as f64, values[at]), (at as f64 + 1.0, values[at])])
}

/// Legend of a figure: its entries and where they stand.
pub struct Legend {
    entries: Vec<(String, Look, Sample)>,
    /// Width of the figure, in pixels.
    width: f64,
}

impl Legend {
    /// Makes a legend of labels with their slots.
    pub fn new<'a>(sample: Sample, entries: impl Iterator<Item = (&'a str, usize)>) -> Self {
        let style = Text::new(13.0);
        Legend {
            entries: entries
                .map(|(label, slot)| {
                    (
                        style.cut_to_width(label, LABEL_ROOM),
                        look_of_slot(slot),
                        sample,
                    )
                })
                .collect(),
            width: WIDTH,
        }
    }

    /// Makes the legend one of a figure `width` pixels wide.
    pub fn with_width(self, width: f64) -> Self {
        Legend { width, ..self }
    }

    /// Adds a line without a mark.
    pub fn add_line(&mut self, label: &str, look: Look) {
        self.entries.push((label.to_string(), look, Sample::Line));
    }

    fn label_width(&self) -> f64 {
        let style = Text::new(13.0);
        let widest = self
            .entries
            .iter()
            .map(|(l, ..)| style.estimate_width(l))
            .fold(60.0, f64::max);
        SAMPLE + SAMPLE_GAP + widest
    }

    /// Computes where panels end that have the legend on their right.
    pub fn panel_right(&self) -> f64 {
        self.width - MARGIN - self.label_width() - LEGEND_GAP
    }

    /// Computes the size of a figure whose panels take `height`, with the legend in one column on their right.
    pub fn figure_size(&self, top: f64, height: f64) -> Point {
        (
            self.width,
            top + height.max(self.entries.len() as f64 * ROW + 8.0),
        )
    }

    /// Draws the legend on the right of panels that start at `top`.
    pub fn draw(&self, pen: &Pen<'_>, top: f64) -> Result<()> {
        draw_column(pen, (self.panel_right() + LEGEND_GAP, top), &self.entries)
    }

    /// Counts columns, and rows of each, over the full width.
    fn columns_and_rows(&self) -> (usize, usize) {
        let most = ((self.width - 2.0 * MARGIN + 20.0) / (self.label_width() + 20.0)) as usize;
        let columns = most.clamp(1, self.entries.len().max(1));
        (columns, self.entries.len().div_ceil(columns))
    }

    /// Computes the height of the legend in columns above the panels.
    pub fn flow_height(&self) -> f64 {
        self.columns_and_rows().1 as f64 * ROW + 2.0
    }

    /// Draws the legend in columns above the panels.
    pub fn draw_flow(&self, pen: &Pen<'_>) -> Result<()> {
        let rows = self.columns_and_rows().1.max(1);
        for (i, entries) in self.entries.chunks(rows).enumerate() {
            draw_column(
                pen,
                (MARGIN + i as f64 * (self.label_width() + 20.0), TOP - 9.0),
                entries,
            )?;
        }
        Ok(())
    }
}

/// Draws one column of a legend: the labels of an empty chart.
fn draw_column(pen: &Pen<'_>, at: Point, entries: &[(String, Look, Sample)]) -> Result<()> {
    let size = (WIDTH - at.0, entries.len() as f64 * ROW + 20.0);
    let bare = Scale::named_ticks((0.0, 1.0), Vec::new());
    let axis = (&bare, "");
    let panel = Panel::place_panel((at.0, at.0 + size.0), (at.1, size.1), axis, axis);
    panel
        .without_axes(pen)?
        .legend(entries, SeriesLabelPosition::Coordinate(0, 0))
}
