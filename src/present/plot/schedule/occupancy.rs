//! Ranks upwards, time across, a colour a job.

use super::time::{CELL, COLUMNS, LEFT, RIGHT, choose_unit, time_axis};
use crate::plot::chart::{BELOW, Panel, TOP, WIDTH};
use crate::plot::drawing::Figure;
use crate::plot::palette::{HOLE, Rgb, look_of_slot};
use crate::plot::scale::Scale;
use nodeorder_base::{Ranks, Result};

const TALL: f64 = 440.0;
/// About how many jobs are in the picture at most.
const MOST_JOBS: usize = 600;

/// A job on its ranks. Times in hours from the start of the schedule.
#[derive(Clone, Copy, Debug)]
pub struct JobStay<'a> {
    /// Number of the job in the queue, which decides its colour.
    pub job: u32,
    /// Start of the job, in hours.
    pub from: f64,
    /// End of the job, in hours.
    pub to: f64,
    /// Ranks that the job held.
    pub ranks: &'a Ranks,
}

/// A rectangle of a job: its first column and the one past its last, its first row and the one past its last, and the
/// job.
type Piece = ((usize, usize), (usize, usize), u32);

struct Occupancy {
    jobs: usize,
    /// Hours shown, from and to.
    range: (f64, f64),
    /// The hour at which the last job ends.
    all: f64,
    pieces: Vec<Piece>,
    rows: usize,
}

impl Occupancy {
    fn new(nodes: u32, stays: &[JobStay<'_>]) -> Self {
        let first = stays.iter().map(|s| s.from).fold(f64::MAX, f64::min);
        let all = stays.iter().map(|s| s.to).fold(first, f64::max);
        let mut range = (first, all);
        // The middle of a long schedule: its ends show the machine filling and draining.
        if stays.len() > MOST_JOBS {
            let middle = (stays.len() - MOST_JOBS) / 2;
            range = (stays[middle].from, stays[middle + MOST_JOBS].from);
        }
        // Jobs that all start at once span no time; the axis still needs a length.
        if range.1 <= range.0 {
            range.1 = range.0 + 1.0;
        }
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
            let across = cells(share(stay.from), share(stay.to), COLUMNS);
            if across.0 == across.1 {
                continue;
            }
            jobs += 1;
            for run in stay.ranks.list_runs() {
                let part = |rank: u32| f64::from(rank) / f64::from(nodes);
                let up = cells(part(run.first), part(run.end()), rows);
                // A run narrower than a cell that misses its middle is left to its neighbours.
                if up.0 < up.1 {
                    pieces.push((across, up, stay.job));
                }
            }
        }
        Occupancy {
            jobs,
            range,
            all,
            pieces,
            rows,
        }
    }

    /// Chooses one of 18 colours; jobs that follow each other differ.
    fn job_colour(job: u32) -> Rgb {
        let (r, g, b) = look_of_slot(job as usize % 6).colour;
        let pale = [0.0, 0.35, 0.6][job as usize / 6 % 3];
        let mix = |c: u8| (f64::from(c) + (255.0 - f64::from(c)) * pale).round() as u8;
        (mix(r), mix(g), mix(b))
    }

    fn describe_stays(&self) -> String {
        let (name, hours) = choose_unit(self.range.1 - self.range.0);
        let [from, to, all] =
            [self.range.0, self.range.1, self.all].map(|h| format!("{:.1}", h / hours));
        format!("{name} {from} to {to} of {all}")
    }
}

impl Figure<'_> {
    /// Draws the Gantt chart of a schedule: ranks upwards, time across, a colour a job. `stays` come by start.
    ///
    /// # Errors
    /// No job.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_present::plot::schedule::{Figure, JobStay};
    /// use nodeorder_base::ranks::{Ranks, Run};
    /// let mut ranks = Ranks::default();
    /// ranks.push(Run { first: 0, count: 8 });
    /// let stay = JobStay { job: 0, from: 0.0, to: 2.5, ranks: &ranks };
    /// assert!(Figure::plot_occupancy("A day", 16, &[stay])?.svg()?.starts_with("<svg"));
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn plot_occupancy(title: &str, nodes: u32, stays: &[JobStay<'_>]) -> Result<Self> {
        let figure = Occupancy::new(nodes, stays);
        let jobs = figure.jobs;
        let shown = figure.describe_stays();
        let description = format!(
            "Which of {nodes} ranks each of {jobs} jobs holds over time, {shown}: ranks upwards, \
             time across, a colour a job; free ranks are grey."
        );
        let good = !stays.is_empty() && nodes > 0;
        let note = format!("{jobs} jobs, {shown}; a colour a job, free ranks grey");
        Figure::new(
            (title, &note),
            description,
            (WIDTH, TOP + TALL + BELOW),
            move |pen| {
                let bottom = TOP + TALL;
                pen.draw_rectangle((LEFT, TOP), (RIGHT - LEFT, TALL), HOLE)?;
                let high = TALL / figure.rows as f64;
                for ((left, right), (low, end), job) in &figure.pieces {
                    let at = (LEFT + *left as f64 * CELL, bottom - *end as f64 * high);
                    let size = ((right - left) as f64 * CELL, (end - low) as f64 * high);
                    pen.draw_rectangle(at, size, Occupancy::job_colour(*job))?;
                }
                let (x, time) = time_axis(figure.range);
                let y = Scale::end_to_end((0.0, f64::from(nodes)), 11);
                let panel =
                    Panel::place_panel((LEFT, RIGHT), (TOP, TALL), (&x, &time), (&y, "rank"));
                panel.draw_with(pen, (false, false)).map(|_| ())
            },
        )
        .if_drawable(good, "no job")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Run;

    fn ranks(runs: &[(u32, u32)]) -> Ranks {
        let mut ranks = Ranks::default();
        runs.iter().for_each(|(first, count)| {
            ranks.push(Run {
                first: *first,
                count: *count,
            })
        });
        ranks
    }

    #[test]
    fn cells_show_who_holds_their_middle() {
        let low = ranks(&[(0, 4)]);
        let high = ranks(&[(4, 2), (7, 1)]);
        let stays = [
            JobStay {
                job: 0,
                from: 0.0,
                to: 1.0,
                ranks: &low,
            },
            JobStay {
                job: 1,
                from: 1.0,
                to: 2.0,
                ranks: &high,
            },
        ];
        let figure = Occupancy::new(8, &stays);
        let columns = COLUMNS;
        let half = COLUMNS / 2;
        assert_eq!(figure.rows, 8);
        assert_eq!(
            figure.pieces,
            [
                ((0, half), (0, 4), 0),
                ((half, columns), (4, 6), 1),
                ((half, columns), (7, 8), 1)
            ]
        );
        // The ground, grid and pieces, drawn on both backends.
        let figure = Figure::plot_occupancy("t", 8, &stays).unwrap();
        assert!(figure.svg().unwrap().contains("2 jobs"));
        assert!(figure.png().unwrap().starts_with(b"\x89PNG"));
    }
}
