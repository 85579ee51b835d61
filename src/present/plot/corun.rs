//! Jobs that share links: what they do at first, and how busy links are.

use super::chart::{Panel, WIDTH, draw_panel_title, sort_falling};
use super::drawing::Figure;
use super::element::Stroke;
use super::palette::{HOLE, look_of_slot};
use super::scale::{Scale, format_briefly};
use super::text::Text;
use nodeorder_traffic::corun::Outcome;

const LEFT: f64 = 150.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 92.0;
const BELOW: f64 = 86.0;
const TALL: f64 = 220.0;
/// About how many iterations of the slowest job are shown.
const SHOWN: f64 = 6.0;
/// Most jobs that are named beside their rows.
const NAMED: usize = 40;

/// Draws the jobs of a machine over their first iterations (coloured while they send), and the directed links from
/// the busiest down.
pub fn plot_corun<'a>(machine: &str, outcome: &'a Outcome) -> Figure<'a> {
    let jobs = outcome.jobs.len();
    let slowest = outcome
        .jobs
        .iter()
        .map(|job| job.seconds)
        .fold(0.0, f64::max);
    // No further than every job is known.
    let known = |job: usize| {
        outcome
            .spans
            .iter()
            .rfind(|span| span.job == job)
            .map_or(outcome.seconds, |span| span.to)
    };
    let known = (0..jobs).map(known).fold(outcome.seconds, f64::min);
    let until = (SHOWN * slowest).min(known).max(f64::MIN_POSITIVE);
    let mut used = outcome.utilisation.clone();
    used.sort_by(|a, b| b.total_cmp(a));
    // Joints carry nothing and would count as idle links; sorted, they are last.
    used.truncate(outcome.links);
    let high = (18.0 * jobs as f64).clamp(60.0, 420.0);
    let note = format!(
        "{jobs} jobs for {} s; links {:.1} % used on average, {:.1} % at most",
        format_briefly(outcome.seconds),
        100.0 * used.iter().sum::<f64>() / used.len().max(1) as f64,
        100.0 * used.first().copied().unwrap_or(0.0)
    );
    let description =
        format!("Which jobs send when, at first, and the links by utilisation. {note}.");
    let middle = TOP + high + BELOW;
    let size = (WIDTH, TOP + high + BELOW + TALL + 60.0);
    let title = format!("Jobs side by side on {machine}");
    Figure::new((&title, &note), description, size, move |pen| {
        let first = "Jobs at first: coloured while they send";
        draw_panel_title(pen, (LEFT, TOP - 12.0), first, RIGHT - LEFT)?;
        let row = high / jobs.max(1) as f64;
        pen.draw_rectangle((LEFT, TOP), (RIGHT - LEFT, high), HOLE)?;
        let x = |time: f64| LEFT + (RIGHT - LEFT) * (time / until).clamp(0.0, 1.0);
        for span in outcome
            .spans
            .iter()
            .filter(|span| span.sends && span.from < until)
        {
            let from = x(span.from);
            let to = x(span.to);
            let at = (from, TOP + row * (span.job as f64 + 0.1));
            pen.draw_rectangle(
                at,
                // A short span must not vanish.
                ((to - from).max(0.5), 0.8 * row),
                look_of_slot(span.job % 6).colour,
            )?;
        }
        // Names are all there or none, so that no row looks as if it had no job.
        let named = outcome.jobs.iter().filter(|_| jobs <= NAMED).enumerate();
        let tick = Text::new(12.0);
        let names = named.map(|(i, job)| {
            let name = tick.cut_to_width(&job.name, LEFT - 44.0);
            (jobs as f64 - i as f64 - 0.5, name)
        });
        let lines = Scale::named_ticks((0.0, jobs as f64), names.collect());
        let time = Scale::end_to_end((0.0, until), 8).with_brief_labels();
        let panel = Panel::place_panel(
            (LEFT, RIGHT),
            (TOP, high),
            (&time, "time (s)"),
            (&lines, "job"),
        );
        panel.draw_with(pen, (false, false))?;
        draw_panel_title(
            pen,
            (LEFT, middle - 12.0),
            "Directed links, the busiest first",
            RIGHT - LEFT,
        )?;
        let x = Scale::end_to_end((0.0, used.len().max(1) as f64), 8);
        let y = Scale::linear((0.0, 100.0 * used.first().copied().unwrap_or(0.0)), 5)
            .with_brief_labels();
        let x = (&x, "directed links");
        let y = (&y, "utilisation (%)");
        let panel = Panel::place_panel((LEFT, RIGHT), (middle, TALL), x, y);
        let line = sort_falling(&used, RIGHT - LEFT).map(|(rank, used)| (rank, 100.0 * used));
        panel
            .draw_with(pen, (false, true))?
            .draw_line(line, &Stroke::solid_line(look_of_slot(0).colour, 2.0))
    })
}
