//! Figures of schedules: who holds which ranks when, and the machine's state over time.

use plotters_backend::DrawingBackend;

use super::axis::{self, Axis};
use super::palette::{AXIS, GRID, HOLE, MUTED, Rgb, look};
use super::pen::{Pen, Point, Stroke, Text};
use super::{Drawing, to_png, to_svg};
use crate::error::{Error, Result};
use crate::ranks::Ranks;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = WIDTH - 18.0;
const TOP: f64 = 74.0;
const BELOW: f64 = 60.0;
/// Height of the picture of occupancy.
const TALL: f64 = 440.0;
/// Height of a panel over time, and the gap to the next.
const PANEL: f64 = 150.0;
const GAP: f64 = 44.0;
/// Side of a cell of the picture of occupancy, and width of a column of the curves.
const CELL: f64 = 2.0;
/// Jobs in the picture of occupancy at most, about.
const MOST_JOBS: usize = 600;

/// A job on its ranks. Times in hours from the start of the schedule.
#[derive(Clone, Copy, Debug)]
pub struct Stay<'a> {
    /// Its number in the queue: decides its colour.
    pub job: u32,
    /// When it started.
    pub from: f64,
    /// When it ended.
    pub to: f64,
    /// What it held.
    pub ranks: &'a Ranks,
}

/// The machine from one time to the next moment's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Hours from the start of the schedule.
    pub time: f64,
    /// Share of the nodes in use.
    pub busy: f64,
    /// Jobs waiting.
    pub waiting: u32,
    /// 1 - longest free run / free nodes; 0 where none is free.
    pub broken: f64,
}

/// A figure, ready to be drawn.
pub struct Figure(Kind);

enum Kind {
    Occupancy(Occupancy),
    Curves(Curves),
}

impl Figure {
    /// Ranks upwards, time across, a colour a job: the Gantt chart of a schedule. `stays` come by start. Of many
    /// jobs those in the middle of the schedule are drawn, some 600; the figure says which hours it shows. A cell
    /// of two pixels shows who holds its middle.
    ///
    /// # Errors
    /// No job.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::plot::schedule::{Figure, Stay};
    /// use nodeorder::ranks::{Ranks, Run};
    /// let mut ranks = Ranks::default();
    /// ranks.push(Run { first: 0, count: 8 });
    /// let stay = Stay { job: 0, from: 0.0, to: 2.5, ranks: &ranks };
    /// assert!(Figure::occupancy("A day", 16, &[stay])?.svg()?.starts_with("<svg"));
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn occupancy(title: &str, nodes: u32, stays: &[Stay<'_>]) -> Result<Self> {
        if stays.is_empty() || nodes == 0 {
            return Err(Error::Draw { figure: title.into(), reason: "no job".into() });
        }
        Ok(Figure(Kind::Occupancy(Occupancy::new(title, nodes, stays))))
    }

    /// Share of nodes in use, jobs waiting and fragmentation of the free ranks over time: means of columns of two
    /// pixels, and the longest queue of each. The last moment only ends the one before.
    ///
    /// # Errors
    /// No moments, or none that lasts.
    pub fn curves(title: &str, moments: &[Moment]) -> Result<Self> {
        let lasts = |(first, last): (&Moment, &Moment)| last.time > first.time;
        if !moments.first().zip(moments.last()).is_some_and(lasts) {
            return Err(Error::Draw { figure: title.into(), reason: "no time passes".into() });
        }
        Ok(Figure(Kind::Curves(Curves::new(title, moments))))
    }

    /// The figure as SVG.
    ///
    /// # Errors
    /// Drawing failed.
    pub fn svg(&self) -> Result<String> {
        match &self.0 {
            Kind::Occupancy(figure) => to_svg(figure),
            Kind::Curves(figure) => to_svg(figure),
        }
    }

    /// The figure as a PNG file, two pixels for each of the SVG's.
    ///
    /// # Errors
    /// Drawing failed.
    pub fn png(&self) -> Result<Vec<u8>> {
        match &self.0 {
            Kind::Occupancy(figure) => to_png(figure),
            Kind::Curves(figure) => to_png(figure),
        }
    }
}

fn heading<B: DrawingBackend>(pen: &mut Pen<'_, B>, title: &str, note: &str) -> Result<()> {
    let bold = Text::new(17.0).bold();
    pen.text((18.0, 30.0), &bold.fit(title, WIDTH - 36.0), &bold)?;
    let muted = Text::new(12.0).colour(MUTED);
    pen.text((18.0, 51.0), &muted.fit(note, WIDTH - 36.0), &muted)
}

/// Hours or days, whichever gives shorter numbers: the unit and its length in hours.
fn unit(hours: f64) -> (&'static str, f64) {
    if hours > 96.0 { ("days", 24.0) } else { ("hours", 1.0) }
}

/// Ticks and names of a panel's axes; times are shown from the start of the schedule.
fn axes<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    (top, bottom): (f64, f64),
    (from, to): (f64, f64),
    up: &Axis,
    (y_name, labels, x_name): (&str, &dyn Fn(f64) -> String, bool),
) -> Result<()> {
    let tick = Text::new(12.0).colour(MUTED);
    let grid = Stroke::solid(GRID, 1.0);
    for value in up.ticks(((bottom - top) / 40.0) as usize) {
        let y = up.pixel(value);
        pen.line(&[(LEFT, y), (RIGHT, y)], &grid)?;
        pen.text((LEFT - 8.0, y + 4.0), &labels(value), &tick.right())?;
    }
    let (name, hours) = unit(to - from);
    let across = Axis::linear((from / hours, to / hours), (LEFT, RIGHT));
    for value in across.ticks(12) {
        let x = across.pixel(value);
        pen.line(&[(x, top), (x, bottom)], &grid)?;
        pen.text((x, bottom + 18.0), &axis::label(value), &tick.centred())?;
    }
    pen.line(&[(LEFT, top), (LEFT, bottom), (RIGHT, bottom)], &Stroke::solid(AXIS, 1.2))?;
    let style = Text::new(13.0).centred();
    pen.text((20.0, (top + bottom) / 2.0), y_name, &style.upwards())?;
    if x_name {
        let text = format!("{name} since the first submit");
        pen.text(((LEFT + RIGHT) / 2.0, bottom + 40.0), &text, &style)?;
    }
    Ok(())
}

/// Columns from and to, rows from and to, and the job.
type Piece = ((usize, usize), (usize, usize), u32);

struct Occupancy {
    title: String,
    nodes: u32,
    jobs: usize,
    /// Hours shown, and hours there are.
    range: (f64, f64),
    all: f64,
    pieces: Vec<Piece>,
    rows: usize,
}

impl Occupancy {
    fn new(title: &str, nodes: u32, stays: &[Stay<'_>]) -> Self {
        let first = stays.iter().map(|s| s.from).fold(f64::MAX, f64::min);
        let all = stays.iter().map(|s| s.to).fold(first, f64::max);
        let mut range = (first, all);
        if stays.len() > MOST_JOBS {
            let middle = (stays.len() - MOST_JOBS) / 2;
            range = (stays[middle].from, stays[middle + MOST_JOBS].from);
        }
        if range.1 <= range.0 {
            range.1 = range.0 + 1.0;
        }
        let columns = ((RIGHT - LEFT) / CELL) as usize;
        // A machine of few nodes has a row a node.
        let rows = (nodes as usize).min((TALL / CELL) as usize);
        // The cells whose middles lie within.
        let cells = |from: f64, to: f64, all: usize| {
            let at = |x: f64| (x * all as f64 - 0.5).ceil().clamp(0.0, all as f64) as usize;
            (at(from), at(to))
        };
        let share = |hours: f64| (hours - range.0) / (range.1 - range.0);
        let mut pieces = Vec::new();
        let mut jobs = 0;
        for stay in stays {
            let across = cells(share(stay.from), share(stay.to), columns);
            if across.0 == across.1 {
                continue;
            }
            jobs += 1;
            for run in stay.ranks.runs() {
                let part = |rank: u32| f64::from(rank) / f64::from(nodes);
                let up = cells(part(run.first), part(run.end()), rows);
                if up.0 < up.1 {
                    pieces.push((across, up, stay.job));
                }
            }
        }
        Occupancy { title: title.into(), nodes, jobs, range, all, pieces, rows }
    }

    /// One of 18 colours; jobs that follow each other differ.
    fn colour(job: u32) -> Rgb {
        let (r, g, b) = look(job as usize % 6).colour;
        let pale = [0.0, 0.35, 0.6][job as usize / 6 % 3];
        let mix = |c: u8| (f64::from(c) + (255.0 - f64::from(c)) * pale).round() as u8;
        (mix(r), mix(g), mix(b))
    }

    fn shown(&self) -> String {
        let (name, hours) = unit(self.range.1 - self.range.0);
        let [from, to, all] =
            [self.range.0, self.range.1, self.all].map(|h| format!("{:.1}", h / hours));
        format!("{name} {from} to {to} of {all}")
    }
}

impl Drawing for Occupancy {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        format!(
            "Which of {} ranks each of {} jobs holds over time, {}: ranks upwards, time across, a colour a job; \
             free ranks are grey.",
            self.nodes,
            self.jobs,
            self.shown()
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, TOP + TALL + BELOW)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let note = format!("{} jobs, {}; a colour a job, free ranks grey", self.jobs, self.shown());
        heading(pen, &self.title, &note)?;
        let (top, bottom) = (TOP, TOP + TALL);
        let up = Axis::linear((0.0, f64::from(self.nodes)), (bottom, top));
        axes(pen, (top, bottom), self.range, &up, ("rank", &axis::label, true))?;
        pen.rect((LEFT, top), (RIGHT - LEFT, TALL), HOLE)?;
        let high = TALL / self.rows as f64;
        for ((left, right), (low, end), job) in &self.pieces {
            let at: Point = (LEFT + *left as f64 * CELL, bottom - *end as f64 * high);
            let size = ((right - left) as f64 * CELL, (end - low) as f64 * high);
            pen.rect(at, size, Occupancy::colour(*job))?;
        }
        Ok(())
    }
}

/// A column of the curves.
#[derive(Clone, Copy, Default)]
struct Column {
    time: f64,
    busy: f64,
    broken: f64,
    waiting: u32,
}

struct Curves {
    title: String,
    range: (f64, f64),
    columns: Vec<Column>,
}

impl Curves {
    fn new(title: &str, moments: &[Moment]) -> Self {
        let range = (moments[0].time, moments[moments.len() - 1].time);
        let count = ((RIGHT - LEFT) / CELL) as usize;
        let wide = (range.1 - range.0) / count as f64;
        let mut columns = vec![Column::default(); count];
        for pair in moments.windows(2) {
            let (from, to) = ((pair[0].time - range.0) / wide, (pair[1].time - range.0) / wide);
            let last = (to.ceil() as usize).min(count);
            for (i, column) in columns.iter_mut().enumerate().take(last).skip(from as usize) {
                let inside = to.min(i as f64 + 1.0) - from.max(i as f64);
                if inside > 0.0 {
                    column.time += inside;
                    column.busy += inside * pair[0].busy;
                    column.broken += inside * pair[0].broken;
                    column.waiting = column.waiting.max(pair[0].waiting);
                }
            }
        }
        for column in columns.iter_mut().filter(|c| c.time > 0.0) {
            column.busy /= column.time;
            column.broken /= column.time;
        }
        Curves { title: title.into(), range, columns }
    }

    fn longest(&self) -> u32 {
        self.columns.iter().map(|c| c.waiting).max().unwrap_or(0)
    }
}

impl Drawing for Curves {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        format!(
            "Share of nodes in use, jobs waiting (at most {}) and fragmentation of the free ranks over time.",
            self.longest()
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, TOP + 3.0 * PANEL + 2.0 * GAP + BELOW)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let note = "means over two pixels, the queue's longest; fragmentation: 1 - longest free run / free nodes";
        heading(pen, &self.title, note)?;
        type Value = fn(&Column) -> f64;
        let longest = f64::from(self.longest().max(1));
        let panels: [(&str, f64, Value); 3] = [
            ("nodes in use (%)", 100.0, |c| 100.0 * c.busy),
            ("jobs waiting", longest, |c| f64::from(c.waiting)),
            ("fragmentation (%)", 100.0, |c| 100.0 * c.broken),
        ];
        for (i, (name, high, of)) in panels.into_iter().enumerate() {
            let top = TOP + i as f64 * (PANEL + GAP);
            let bottom = top + PANEL;
            let up = Axis::linear((0.0, high), (bottom, top));
            axes(pen, (top, bottom), self.range, &up, (name, &axis::label, i == 2))?;
            let look = look(i);
            let steps = self.columns.iter().enumerate();
            let points: Vec<Point> = steps
                .map(|(x, column)| (LEFT + (x as f64 + 0.5) * CELL, up.pixel(of(column))))
                .collect();
            pen.line(&points, &Stroke::solid(look.colour, 1.4))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::Run;

    fn ranks(runs: &[(u32, u32)]) -> Ranks {
        let mut ranks = Ranks::default();
        runs.iter().for_each(|(first, count)| ranks.push(Run { first: *first, count: *count }));
        ranks
    }

    #[test]
    fn cells_show_who_holds_their_middle() {
        let (low, high) = (ranks(&[(0, 4)]), ranks(&[(4, 2), (7, 1)]));
        let stays = [
            Stay { job: 0, from: 0.0, to: 1.0, ranks: &low },
            Stay { job: 1, from: 1.0, to: 2.0, ranks: &high },
        ];
        let figure = Occupancy::new("t", 8, &stays);
        let columns = ((RIGHT - LEFT) / CELL) as usize;
        let half = columns / 2;
        assert_eq!(figure.rows, 8);
        assert_eq!(
            figure.pieces,
            [((0, half), (0, 4), 0), ((half, columns), (4, 6), 1), ((half, columns), (7, 8), 1)]
        );
        // The ground, grid and pieces, drawn on both backends.
        let figure = Figure::occupancy("t", 8, &stays).unwrap();
        assert!(figure.svg().unwrap().contains("2 jobs"));
        assert!(figure.png().unwrap().starts_with(b"\x89PNG"));
    }

    #[test]
    fn columns_are_means_over_time() {
        let moment = |time, busy, waiting| Moment { time, busy, waiting, broken: 0.5 };
        let curves =
            Curves::new("t", &[moment(0.0, 1.0, 3), moment(5.0, 0.0, 9), moment(10.0, 1.0, 0)]);
        let mean = |of: fn(&Column) -> f64| {
            curves.columns.iter().map(of).sum::<f64>() / curves.columns.len() as f64
        };
        assert!((mean(|c| c.busy) - 0.5).abs() < 1e-9);
        assert!((mean(|c| c.broken) - 0.5).abs() < 1e-9);
        assert_eq!((curves.columns[0].waiting, curves.longest()), (3, 9));
        assert!(Figure::curves("t", &[moment(1.0, 1.0, 1)]).is_err());
        assert!(Figure::occupancy("t", 8, &[]).is_err());
    }
}
