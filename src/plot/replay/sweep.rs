//! Means of small jobs, large jobs and all against a rule's parameter, a line a rule.

use plotters_backend::DrawingBackend;

use super::super::Drawing;
use super::super::palette::look;
use super::super::pen::{Pen, Point, Stroke, Text};
use super::averages::{GROUPS, clean};
use super::frame::{
    Area, BELOW, Frame, Key, MARGIN, Sample, Scale, TOP, WIDTH, bounds, heading, list,
};
use super::{Means, Sweep};
use crate::error::Result;

const PANEL: f64 = 300.0;
const GAP: f64 = 22.0;
/// Room above a panel for its name.
const NAMES: f64 = 22.0;

struct Rule {
    label: String,
    slot: usize,
    points: Vec<(f64, Means)>,
}

pub(super) struct Sweeps {
    title: String,
    what: String,
    parameter: String,
    rules: Vec<Rule>,
    key: Key,
}

impl Sweeps {
    pub fn new(title: &str, what: &str, parameter: &str, rules: &[Sweep<'_>]) -> Self {
        let key = Key::new(Sample::Line, rules.iter().map(|r| (r.label, r.slot)));
        let rule = |rule: &Sweep<'_>| {
            let positive = rule.points.iter().filter(|(value, _)| *value > 0);
            let mut points: Vec<(f64, Means)> =
                positive.map(|(value, means)| (f64::from(*value), clean(means))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Rule { label: rule.label.into(), slot: rule.slot, points }
        };
        let rules = rules.iter().map(rule).collect();
        Sweeps { title: title.into(), what: what.into(), parameter: parameter.into(), rules, key }
    }

    fn points(&self) -> impl Iterator<Item = &(f64, Means)> {
        self.rules.iter().flat_map(|rule| &rule.points)
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
            list(self.rules.iter().map(|rule| rule.label.as_str()))
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, TOP + self.key.flow_height() + NAMES + PANEL + BELOW)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        heading(pen, &self.title, "every job size counts the same")?;
        self.key.draw_flow(pen)?;
        let y = Scale::linear(bounds(self.values()).unwrap_or((0.0, 1.0)), 10);
        let first = y.room();
        let wide = (WIDTH - MARGIN - first - 2.0 * GAP) / 3.0;
        let ends = bounds(self.points().map(|p| p.0)).unwrap_or((1.0, 2.0));
        let x = Scale::log(ends, wide);
        let top = TOP + self.key.flow_height() + NAMES;
        for (group, (name, of)) in GROUPS.into_iter().enumerate() {
            let left = first + group as f64 * (wide + GAP);
            let frame = Frame {
                area: Area { left, right: left + wide, top, bottom: top + PANEL },
                x: &x,
                y: &y,
                x_name: if group == 1 { &self.parameter } else { "" },
                y_name: if group == 0 { &self.what } else { "" },
            };
            frame.draw(pen)?;
            let bold = Text::new(13.0).bold();
            pen.text((left, top - 10.0), &bold.fit(name, wide), &bold)?;
            for rule in self.rules.iter().rev() {
                let look = look(rule.slot);
                let points = rule.points.iter().filter_map(|(x, means)| Some((*x, of(means)?)));
                let points: Vec<Point> = points.map(|p| frame.pixel(p)).collect();
                let stroke = Stroke { colour: look.colour, width: 1.9, dash: look.dash };
                pen.line(&points, &stroke)?;
                for at in points {
                    pen.mark(at, look.mark, look.colour)?;
                }
            }
        }
        Ok(())
    }
}
