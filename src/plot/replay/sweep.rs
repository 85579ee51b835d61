//! Means of small jobs, large jobs and all against a parameter of allocators, a line a family.

use super::super::chart::{BELOW, Legend, MARGIN, Panel, TOP, WIDTH, heading, panel_title};
use super::super::drawing::Drawing;
use super::super::element::{Point, Sample, Stroke};
use super::super::palette::look;
use super::super::pen::Pen;
use super::super::scale::{Scale, bounds};
use super::data::{Means, Sweep, list};
use super::groups::{GROUPS, clean};
use crate::error::Result;

const PANEL: f64 = 300.0;
const GAP: f64 = 22.0;
/// Room above a panel for its name.
const NAMES: f64 = 22.0;

struct Family {
    label: String,
    slot: usize,
    points: Vec<(f64, Means)>,
}

pub(super) struct Sweeps {
    title: String,
    what: String,
    parameter: String,
    families: Vec<Family>,
    legend: Legend,
}

impl Sweeps {
    pub fn new(title: &str, what: &str, parameter: &str, families: &[Sweep<'_>]) -> Self {
        let legend = Legend::new(Sample::Curve, families.iter().map(|r| (r.label, r.slot)));
        let family = |family: &Sweep<'_>| {
            let positive = family.points.iter().filter(|(value, _)| *value > 0);
            let mut points: Vec<(f64, Means)> =
                positive.map(|(value, means)| (f64::from(*value), clean(means))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Family { label: family.label.into(), slot: family.slot, points }
        };
        let families = families.iter().map(family).collect();
        Sweeps {
            title: title.into(),
            what: what.into(),
            parameter: parameter.into(),
            families,
            legend,
        }
    }

    fn points(&self) -> impl Iterator<Item = &(f64, Means)> {
        self.families.iter().flat_map(|family| &family.points)
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.points().flat_map(|(_, means)| GROUPS.iter().filter_map(|(_, of)| of(means)))
    }

    pub fn is_empty(&self) -> bool {
        self.values().next().is_none()
    }
}

impl Drawing for Sweeps {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        format!(
            "{} of small jobs, large jobs and overall against {} on a logarithmic axis: {}.",
            self.what,
            self.parameter,
            list(self.families.iter().map(|family| family.label.as_str()))
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, TOP + self.legend.flow_height() + NAMES + PANEL + BELOW)
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        heading(pen, &self.title, "every job size counts the same")?;
        self.legend.draw_flow(pen)?;
        let y = Scale::linear(bounds(self.values()).unwrap_or((0.0, 1.0)), 10);
        let first = y.room();
        let wide = (WIDTH - MARGIN - first - 2.0 * GAP) / 3.0;
        let ends = bounds(self.points().map(|p| p.0)).unwrap_or((1.0, 2.0));
        let x = Scale::log(ends, wide);
        let top = TOP + self.legend.flow_height() + NAMES;
        for (group, (name, of)) in GROUPS.into_iter().enumerate() {
            let left = first + group as f64 * (wide + GAP);
            panel_title(pen, (left, top - 10.0), name, wide)?;
            let (right, bottom) = (left + wide, top + PANEL);
            let x_name = if group == 1 { &self.parameter } else { "" };
            let y_name = if group == 0 { &self.what } else { "" };
            let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name, y_name };
            let mut chart = panel.draw(pen)?;
            for family in self.families.iter().rev() {
                let look = look(family.slot);
                let points = family.points.iter().filter_map(|(x, means)| Some((*x, of(means)?)));
                let points: Vec<Point> = points.collect();
                let stroke = Stroke { colour: look.colour, width: 1.9, dash: look.dash };
                chart.line(&points, &stroke)?;
                chart.marks(points, look)?;
            }
        }
        Ok(())
    }
}
