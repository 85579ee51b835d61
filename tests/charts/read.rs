//! Reads a chart back from its SVG: panels from their axes and the labels of their ticks, then shapes and lines as values.

use nodeorder_present::plot;

pub type Point = (f64, f64);

/// How lines that are axes are drawn.
const AXIS: &str = "s sa";

/// The first and the last tick of an axis: values and pixels.
#[derive(Clone, Debug)]
struct Axis {
    ends: [Point; 2],
    log: bool,
}

/// A panel: its axes, and the pixels of its left, top, right and bottom.
#[derive(Clone, Debug)]
pub struct Panel {
    x: Axis,
    y: Axis,
    edges: [f64; 4],
}

/// A text of the figure, where it stands, and its anchor.
struct Label {
    text: String,
    at: Point,
    anchor: String,
}

/// A filled shape or a line.
struct Shape {
    colour: String,
    /// Width of the stroke; none of filled shapes.
    width: Option<String>,
    points: Vec<Point>,
}

/// A figure that was read back.
pub struct Chart {
    labels: Vec<Label>,
    shapes: Vec<Shape>,
}

/// Colour of a slot as figures write it.
pub fn colour(slot: usize) -> String {
    let (r, g, b) = plot::style(slot).colour;
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn number(text: &str) -> Option<f64> {
    let text = text.replace(',', "").replace('−', "-");
    text.trim_end_matches(" h").parse().ok()
}

/// Splits path data into subpaths of absolute points; a circle is its left, right and left end.
fn subpaths(data: &str) -> Vec<Vec<Point>> {
    let mut paths: Vec<Vec<Point>> = Vec::new();
    for (at, command) in data.char_indices().filter(|(_, c)| c.is_alphabetic()) {
        let rest = &data[at + 1..];
        let end = rest.find(char::is_alphabetic).unwrap_or(rest.len());
        let spaced = rest[..end].replace('-', " -");
        let numbers = spaced.split_whitespace().map(|n| n.parse().unwrap());
        let numbers: Vec<f64> = numbers.collect();
        let last = paths.last().and_then(|path| path.last().copied());
        let (x, y) = last.unwrap_or((0.0, 0.0));
        let next = match command {
            'M' => {
                paths.push(Vec::new());
                (numbers[0], numbers[1])
            }
            'l' => (x + numbers[0], y + numbers[1]),
            'h' => (x + numbers[0], y),
            'v' => (x, y + numbers[0]),
            'a' => (x + numbers[5], y + numbers[6]),
            _ => continue,
        };
        paths.last_mut().unwrap().push(next);
    }
    paths
}

/// Boxes around shapes: left, top, right and bottom pixels.
fn boxes_around<'s>(shapes: impl IntoIterator<Item = &'s Shape>) -> Vec<[f64; 4]> {
    let mut boxes = Vec::new();
    for shape in shapes {
        let xs = shape.points.iter().map(|point| point.0);
        let ys = shape.points.iter().map(|point| point.1);
        let [left, right] = [xs.clone().fold(f64::MAX, f64::min), xs.fold(0.0, f64::max)];
        let [top, bottom] = [ys.clone().fold(f64::MAX, f64::min), ys.fold(0.0, f64::max)];
        // A circle goes from its left to its right.
        let radius = if top == bottom {
            (right - left) / 2.0
        } else {
            0.0
        };
        boxes.push([left, top - radius, right, bottom + radius]);
    }
    boxes
}

impl Axis {
    /// Makes an axis of ticks in any order. `None` of less than two.
    fn new(mut ticks: Vec<Point>) -> Option<Axis> {
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ends = [*ticks.first()?, *ticks.last()?];
        (ends[0].0 < ends[1].0).then_some(Axis { ends, log: false })
    }

    fn scale(&self, value: f64) -> f64 {
        if self.log { value.ln() } else { value }
    }

    fn value(&self, pixel: f64) -> f64 {
        let [first, last] = self.ends;
        let share = (pixel - first.1) / (last.1 - first.1);
        let low = self.scale(first.0);
        let value = low + share * (self.scale(last.0) - low);
        if self.log { value.exp() } else { value }
    }
}

impl Panel {
    /// Makes a panel without axes: two values with their pixels across, and two upwards.
    pub fn between(x: [Point; 2], y: [Point; 2]) -> Self {
        let [[left, right], [bottom, top]] = [x, y].map(|ends| ends.map(|end| end.1));
        let [x, y] = [x, y].map(|ends| Axis { ends, log: false });
        Panel {
            x,
            y,
            edges: [left, top, right, bottom],
        }
    }

    fn value(&self, (x, y): Point) -> Point {
        (self.x.value(x), self.y.value(y))
    }

    /// Says that sizes, and values if `both`, lie on a logarithmic axis.
    pub fn logarithmic(&self, both: bool) -> Self {
        let mut panel = self.clone();
        panel.x.log = true;
        panel.y.log = both;
        panel
    }

    fn holds(&self, points: &[Point]) -> bool {
        let [left, top, right, bottom] = self.edges;
        points.iter().all(|(x, y)| {
            (left - 5.0..=right + 5.0).contains(x) && (top - 5.0..=bottom + 5.0).contains(y)
        })
    }

    /// Checks whether each of some points lies on the line through `curve`, within a hundredth of an axis from 0 to
    /// `most`.
    pub fn is_on_line(&self, found: &[Point], curve: &[Point], most: f64) -> bool {
        found.iter().all(|(x, y)| {
            let after = curve.iter().position(|point| *x <= point.0 * 1.001);
            let after = after.unwrap_or(curve.len() - 1).max(1);
            let (from, to) = (curve[after - 1], curve[after]);
            let [a, b, at] = [from.0, to.0, *x].map(|x| self.x.scale(x));
            let expected = from.1 + (to.1 - from.1) * (at - a) / (b - a);
            (y - expected).abs() < 0.012 * most
        })
    }
}

impl Chart {
    pub fn read(svg: &str) -> Chart {
        let document = roxmltree::Document::parse(svg).unwrap();
        let mut chart = Chart {
            labels: Vec::new(),
            shapes: Vec::new(),
        };
        for node in document.descendants() {
            if node.tag_name().name() == "text" {
                let place = |key| node.attribute(key).unwrap().parse::<f64>().unwrap();
                chart.labels.push(Label {
                    text: node.text().unwrap_or_default().to_string(),
                    at: (place("x"), place("y")),
                    anchor: node.attribute("text-anchor").unwrap_or("start").to_string(),
                });
            }
            let Some(data) = node.attribute("d") else {
                continue;
            };
            let painted = node.attribute("stroke").or(node.attribute("fill"));
            let colour = painted.or(node.attribute("class")).unwrap_or_default();
            for points in subpaths(data) {
                chart.shapes.push(Shape {
                    colour: colour.to_string(),
                    width: node.attribute("stroke-width").map(String::from),
                    points,
                });
            }
        }
        chart
    }

    pub fn has(&self, text: &str) -> bool {
        self.labels.iter().any(|label| label.text == text)
    }

    pub fn texts(&self) -> Vec<&str> {
        self.labels.iter().map(|label| &*label.text).collect()
    }

    /// Panels with numbers on both axes, row by row.
    pub fn panels(&self) -> Vec<Panel> {
        let axes = self.shapes.iter().filter(|shape| shape.colour == AXIS);
        let lines = axes.filter_map(|shape| match shape.points[..] {
            [from, to] => Some((from, to)),
            _ => None,
        });
        let lines: Vec<(Point, Point)> = lines.collect();
        let mut panels = Vec::new();
        for (from, to) in &lines {
            // Ticks are short.
            if from.1 != to.1 || to.0 - from.0 < 40.0 {
                continue;
            }
            let upright = lines.iter().find(|(top, end)| {
                top.0 == end.0
                    && (top.0 - from.0).abs() < 1.5
                    && (end.1 - from.1).abs() < 1.5
                    && end.1 - top.1 > 30.0
            });
            let Some((top, _)) = upright else { continue };
            let edges = [from.0, top.1, to.0, from.1];
            if let (Some(x), Some(y)) = (self.read_columns(edges), self.read_rows(edges)) {
                panels.push(Panel { x, y, edges });
            }
        }
        panels.sort_by(|a, b| {
            let row = a.edges[3].total_cmp(&b.edges[3]);
            row.then(a.edges[0].total_cmp(&b.edges[0]))
        });
        panels
    }

    fn read_columns(&self, [left, _, right, bottom]: [f64; 4]) -> Option<Axis> {
        let below = self.labels.iter().filter(|label| {
            label.anchor == "middle"
                && (5.0..26.0).contains(&(label.at.1 - bottom))
                && (left - 2.0..=right + 2.0).contains(&label.at.0)
        });
        let ticks = below.filter_map(|label| Some((number(&label.text)?, label.at.0)));
        Axis::new(ticks.collect())
    }

    fn read_rows(&self, [left, top, _, bottom]: [f64; 4]) -> Option<Axis> {
        // A label stands with its middle at its tick. Panels side by side share those of the first.
        let beside = self.labels.iter().filter(|label| {
            label.anchor == "end"
                && label.at.0 < left
                && (top - 3.0..=bottom + 3.0).contains(&(label.at.1 - 0.35 * 12.0))
        });
        let numbers: Vec<(f64, Point)> = beside
            .filter_map(|label| Some((label.at.0, (number(&label.text)?, label.at.1 - 4.2))))
            .collect();
        let nearest = numbers.iter().map(|tick| tick.0).fold(0.0, f64::max);
        let ticks = numbers.iter().filter(|tick| nearest - tick.0 < 1.0);
        Axis::new(ticks.map(|tick| tick.1).collect())
    }

    /// Where a text begins, is centred or ends, in pixels: the first of these.
    pub fn place(&self, text: &str) -> Point {
        let found = self.labels.iter().find(|label| label.text == text);
        found.unwrap().at
    }

    /// Colour of the last filled shape that holds a pixel.
    pub fn colour_at(&self, (x, y): Point) -> Option<&str> {
        let holds = |[left, top, right, bottom]: [f64; 4]| {
            (left..right).contains(&x) && (top..bottom).contains(&y)
        };
        let mut filled = self.shapes.iter().filter(|shape| shape.width.is_none());
        let last = filled.rfind(|shape| boxes_around([*shape]).into_iter().any(holds));
        last.map(|shape| &*shape.colour)
    }

    /// Whether a line of a colour and width goes between two pixels.
    pub fn has_line(&self, colour: &str, width: &str, ends: [Point; 2]) -> bool {
        let near = |a: Point, b: Point| (a.0 - b.0).abs() < 0.2 && (a.1 - b.1).abs() < 0.2;
        let own = self.shapes.iter().filter(|shape| shape.colour == colour);
        let mut drawn = own.filter(|shape| shape.width.as_deref() == Some(width));
        drawn.any(|line| near(line.points[0], ends[0]) && near(line.points[1], ends[1]))
    }

    /// Number of lines of a width.
    pub fn count_lines(&self, width: &str) -> usize {
        let drawn = self.shapes.iter();
        drawn
            .filter(|shape| shape.width.as_deref() == Some(width))
            .count()
    }

    /// Boxes around the filled shapes of a colour: left, top, right and bottom pixels.
    pub fn filled(&self, colour: &str) -> Vec<[f64; 4]> {
        let filled = self.shapes.iter().filter(|shape| shape.width.is_none());
        boxes_around(filled.filter(|shape| shape.colour == colour))
    }

    /// Boxes around the filled shapes of a colour in a panel.
    fn boxes(&self, panel: &Panel, colour: &str) -> Vec<[f64; 4]> {
        let filled = self.shapes.iter().filter(|shape| shape.width.is_none());
        boxes_around(filled.filter(|shape| shape.colour == colour && panel.holds(&shape.points)))
    }

    /// Middles of the small shapes of a colour in a panel, as values, from the left.
    pub fn marks(&self, panel: &Panel, colour: &str) -> Vec<Point> {
        let mut marks = Vec::new();
        for [left, top, right, bottom] in self.boxes(panel, colour) {
            if right - left < 9.0 && bottom - top < 9.0 {
                marks.push(panel.value(((left + right) / 2.0, (top + bottom) / 2.0)));
            }
        }
        marks.sort_by(|a, b| a.0.total_cmp(&b.0));
        marks
    }

    /// Boxes of a colour in a panel as values, from the left: left, low, right, high.
    pub fn bars(&self, panel: &Panel, colour: &str) -> Vec<[f64; 4]> {
        let mut bars = Vec::new();
        for [left, top, right, bottom] in self.boxes(panel, colour) {
            let (from, high) = panel.value((left, top));
            let (to, low) = panel.value((right, bottom));
            bars.push([from, low, to, high]);
        }
        bars.sort_by(|a, b| a[0].total_cmp(&b[0]));
        bars
    }

    /// Lines of a colour and width in a panel, as values; dashes are lines of their own.
    pub fn lines(&self, panel: &Panel, colour: &str, width: &str) -> Vec<Vec<Point>> {
        let stroked = |shape: &&Shape| shape.width.as_deref() == Some(width);
        let drawn = self.shapes.iter().filter(stroked);
        let own = drawn.filter(|shape| shape.colour == colour && panel.holds(&shape.points));
        let values = own.map(|shape| shape.points.iter().map(|point| panel.value(*point)));
        values.map(Iterator::collect).collect()
    }
}

/// Holds that two lists of points are the same within a hundredth of axes from 0 to `most`.
pub fn same(found: &[Point], expected: &[Point], most: Point) {
    assert_eq!(found.len(), expected.len(), "{found:?}, {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        let near = (a.0 - b.0).abs() < 0.012 * most.0 && (a.1 - b.1).abs() < 0.012 * most.1;
        assert!(near, "{a:?}, {b:?} in {found:?}");
    }
}
