//! Calibration: the network's figures that best explain measured seconds of known patterns on known nodes.
//!
//! A row says how long a pattern took: `ping-pong` (a message to the second node and one back, one after the other),
//! `all-to-all` (every node sends to every other at once), `ring` (every node sends to both neighbours at once). What
//! the network would take with other figures is simulated at flow level, and the sum of squares of
//! ln(simulated / measured) is made least (Levenberg's and Marquardt's method). Figures that the rows cannot tell are
//! left out: without them the sum grows by no more than chance would.
//!
//! # References
//! Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11(2), 1963,
//! <https://doi.org/10.1137/0111030>.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Channels, Detail, Fair, NetworkFigures, PlacedJob, Speeds};
use crate::mapping::{Fabric, FixedRouting};
use nodeorder_base::Result;

mod linear;
mod measured;

use linear::{dot_product, solve_damped, solve_normal};
pub use measured::{Measured, PATTERNS};

/// Names of the figures, in the order in which they are fitted and written.
pub const FIGURES: [&str; 5] = [
    "node_bandwidth",
    "link_bandwidth",
    "switch_bandwidth",
    "node_latency",
    "link_latency",
];

/// Number of figures, from the first, that are bandwidths; the others are latencies.
const BANDWIDTHS: usize = 3;

/// The fitted figures, with the seconds that they give for each row.
#[derive(Clone, Debug)]
pub struct Fit {
    /// By [`FIGURES`]: bytes a second or seconds, with the standard error as a part of the figure; `None` where
    /// the rows cannot tell.
    pub figures: [Option<(f64, f64)>; 5],
    /// By row: seconds simulated with these figures.
    pub fitted: Vec<f64>,
}

/// Fits the figures that explain the rows best, if messages share links by `fair`.
///
/// # Errors
/// A routing that does not suit the machine; fewer rows than figures; more memory than allowed.
///
/// # Complexity
/// Some dozen simulations of every row for each of the figures.
pub fn fit(
    fabric: &Fabric<'_>,
    routing: FixedRouting,
    fair: Fair,
    rows: &[Measured],
) -> Result<Fit> {
    routing.check_machine(fabric.topology)?;
    let model = SimulatedRows::new(fabric, routing, fair, rows);
    let mut known = model.starting_figures()?;
    let mut best = model.minimise_squares(known)?;
    // Figures that the rows do not need, one after the other, the least needed first.
    loop {
        let freedom = count_freedom(rows, &known);
        let mut without: Option<([Option<f64>; 5], BestFigures)> = None;
        for figure in (0..FIGURES.len()).filter(|figure| known[*figure].is_some()) {
            let mut fewer = best.figures;
            fewer[figure] = None;
            let Ok(found) = model.minimise_squares(fewer) else {
                continue;
            };
            if without
                .as_ref()
                .is_none_or(|(_, least)| found.squares < least.squares)
            {
                without = Some((fewer, found));
            }
        }
        // Three standard deviations of what leaving out a figure that says nothing would add.
        let allowed = best.squares + 9.0 * (best.squares / freedom).max(ROUNDING_SQUARES);
        match without {
            Some((_, found))
                if found.squares <= allowed && found.figures.iter().any(Option::is_some) =>
            {
                (known, best) = (found.figures, found);
            }
            _ => break,
        }
    }
    let freedom = count_freedom(rows, &known);
    let errors = model.standard_errors(&best, best.squares / freedom)?;
    let mut figures = [None; 5];
    for (at, value) in best.figures.iter().enumerate() {
        figures[at] = value.map(|value| {
            let value = if at < BANDWIDTHS { 1.0 / value } else { value };
            (value, errors[at])
        });
    }
    Ok(Fit {
        figures,
        fitted: model.simulate_seconds(&best.figures)?,
    })
}

/// Counts the rows beyond that of the figures, at least 1.
fn count_freedom(rows: &[Measured], figures: &[Option<f64>; 5]) -> f64 {
    let figures = figures.iter().flatten().count();
    rows.len().saturating_sub(figures).max(1) as f64
}

/// Sum of squares below which nothing is left to explain: that of rounding.
const ROUNDING_SQUARES: f64 = 1e-20;

/// Largest number of rounds of the search.
const MOST_ROUNDS: usize = 60;

/// The search ends after a round that lowers the sum of squares by at most this part of it.
const CONVERGED: f64 = 1e-7;

/// The rows, to be simulated on a network with any figures.
struct SimulatedRows<'a> {
    fabric: &'a Fabric<'a>,
    routing: FixedRouting,
    fair: Fair,
    rows: &'a [Measured],
    /// Rows of which none repeats another's pattern, nodes and bytes: only these are simulated.
    distinct: Vec<usize>,
    /// By row: index in `distinct` of the one that it is like.
    like: Vec<usize>,
}

/// Figures (seconds a byte, or seconds) with the least sum of squares found so far.
#[derive(Clone, Copy, Debug)]
struct BestFigures {
    figures: [Option<f64>; 5],
    /// The sum of squares.
    squares: f64,
}

impl<'a> SimulatedRows<'a> {
    /// Prepares rows to be simulated: finds rows that repeat the pattern, nodes and bytes of another row.
    fn new(
        fabric: &'a Fabric<'a>,
        routing: FixedRouting,
        fair: Fair,
        rows: &'a [Measured],
    ) -> Self {
        let mut distinct = Vec::new();
        let mut like = Vec::new();
        let mut known = BTreeMap::new();
        for (i, row) in rows.iter().enumerate() {
            let same = (row.pattern, &row.nodes, row.bytes.to_bits());
            like.push(*known.entry(same).or_insert_with(|| {
                distinct.push(i);
                distinct.len() - 1
            }));
        }
        SimulatedRows {
            fabric,
            routing,
            fair,
            rows,
            distinct,
            like,
        }
    }

    /// Simulates the seconds of every row.
    fn simulate_seconds(&self, figures: &[Option<f64>; 5]) -> Result<Vec<f64>> {
        let speed = |at: usize| figures[at].map_or(f64::MAX, |seconds| 1.0 / seconds);
        let bandwidth = speed(1).min(UNLIMITED_BANDWIDTH);
        let speeds = Speeds {
            bandwidth,
            latency: figures[4].unwrap_or(0.0),
            node_bandwidth: speed(0).min(UNLIMITED_BANDWIDTH),
            node_latency: figures[3].unwrap_or(0.0),
            switch_bandwidth: figures[2].map_or(f64::INFINITY, |seconds| 1.0 / seconds),
            fair: self.fair,
            ..Speeds::new(bandwidth, 0.0)
        };
        let SimulatedRows {
            fabric,
            routing,
            rows,
            ..
        } = self;
        let channels = Channels::new(fabric.topology, fabric.links, &speeds);
        let seconds: Vec<f64> = self
            .distinct
            .par_iter()
            .map(|row| {
                let Measured {
                    phases, mapping, ..
                } = &rows[*row];
                let flow = Detail::Flow;
                let job = PlacedJob::new(flow, fabric, *routing, phases, mapping, &channels)?;
                Ok(job.time_alone())
            })
            .collect::<Result<_>>()?;
        Ok(self
            .like
            .iter()
            .map(|distinct| seconds[*distinct])
            .collect())
    }

    /// Computes ln(simulated / measured) of every row.
    fn log_residuals(&self, figures: &[Option<f64>; 5]) -> Result<Vec<f64>> {
        let seconds = self.simulate_seconds(figures)?;
        let rows = seconds.iter().zip(self.rows);
        // No row takes 0 seconds in the logarithm, whatever the figures.
        Ok(rows
            .map(|(seconds, row)| (seconds / row.seconds).max(1e-300).ln())
            .collect())
    }

    /// Computes the start of the search: every figure as large as the rows allow when it is the only one.
    fn starting_figures(&self) -> Result<[Option<f64>; 5]> {
        let mut start = [None; 5];
        let none = self.simulate_seconds(&[None; 5])?;
        for (at, figure) in start.iter_mut().enumerate() {
            let mut alone = [None; 5];
            // Nothing is measured in this unit of time or speed: seconds are those of one unit.
            alone[at] = Some(1.0);
            let seconds = self.simulate_seconds(&alone)?;
            let mut most: Option<f64> = None;
            for ((one, none), row) in seconds.iter().zip(&none).zip(self.rows) {
                // Rows that do not depend on the figure say nothing of it.
                if *one > none * (1.0 + 1e-9) {
                    let own = row.seconds / (one - none);
                    most = Some(most.map_or(own, |most| most.min(own)));
                }
            }
            *figure = most;
        }
        Ok(start)
    }

    /// Minimises the sum of squares from a start, by the figures that it has (Levenberg, Marquardt).
    fn minimise_squares(&self, start: [Option<f64>; 5]) -> Result<BestFigures> {
        let free: Vec<usize> = (0..FIGURES.len())
            .filter(|at| start[*at].is_some())
            .collect();
        let mut figures = start;
        let mut residuals = self.log_residuals(&figures)?;
        let mut sum = dot_product(&residuals, &residuals);
        let mut damping = 1e-3;
        for _ in 0..MOST_ROUNDS {
            let slopes = self.residual_slopes(&figures, &free)?;
            let before = sum;
            while damping < 1e12 {
                let step = solve_damped(&slopes, &residuals, damping);
                let mut next = figures;
                // Logarithms keep figures above 0; a step changes none by more than a factor of e.
                for (at, step) in free.iter().zip(&step) {
                    next[*at] = next[*at].map(|value| value * step.clamp(-1.0, 1.0).exp());
                }
                let found = self.log_residuals(&next)?;
                let squares = dot_product(&found, &found);
                if squares < sum {
                    figures = next;
                    sum = squares;
                    residuals = found;
                    damping = f64::max(damping / 10.0, 1e-12);
                    break;
                }
                damping *= 10.0;
            }
            if before - sum <= CONVERGED * before.max(ROUNDING_SQUARES) {
                break;
            }
        }
        Ok(BestFigures {
            figures,
            squares: sum,
        })
    }

    /// Computes the change of every row's residual with the logarithm of each free figure.
    fn residual_slopes(&self, figures: &[Option<f64>; 5], free: &[usize]) -> Result<Vec<Vec<f64>>> {
        let mut slopes = Vec::new();
        for at in free {
            let mut up = *figures;
            up[*at] = up[*at].map(|value| value * (1.0 + SLOPE_STEP));
            let mut down = *figures;
            down[*at] = down[*at].map(|value| value * (1.0 - SLOPE_STEP));
            let up = self.log_residuals(&up)?;
            let down = self.log_residuals(&down)?;
            // A difference to both sides: its error is that of the third derivative alone.
            let ways = up.iter().zip(&down);
            slopes.push(
                ways.map(|(up, down)| (up - down) / (2.0 * SLOPE_STEP))
                    .collect(),
            );
        }
        Ok(slopes)
    }

    /// Estimates the standard errors of the figures, as parts, if the variance of a row's residual is `variance`.
    fn standard_errors(&self, least: &BestFigures, variance: f64) -> Result<[f64; 5]> {
        let free: Vec<usize> = (0..FIGURES.len())
            .filter(|at| least.figures[*at].is_some())
            .collect();
        let slopes = self.residual_slopes(&least.figures, &free)?;
        let mut errors = [0.0; 5];
        for (i, at) in free.iter().enumerate() {
            // The i-th column of the inverse of the normal matrix.
            let unit: Vec<f64> = (0..free.len())
                .map(|k| if k == i { -1.0 } else { 0.0 })
                .collect();
            errors[*at] = (solve_normal(&slopes, unit, 0.0)[i] * variance)
                .max(0.0)
                .sqrt();
        }
        Ok(errors)
    }
}

/// Bandwidth, in bytes a second, that stands for no limit: far above any network's.
const UNLIMITED_BANDWIDTH: f64 = 1e18;

/// Relative change of a figure, up and down, from which its slope is computed.
const SLOPE_STEP: f64 = 1e-4;

impl Fit {
    /// Arranges the figures as a model of the network takes them.
    pub fn figures(&self) -> NetworkFigures {
        let [
            node_bandwidth,
            bandwidth,
            switch_bandwidth,
            node_latency,
            latency,
        ] = self.figures.map(|figure| figure.map(|(value, _)| value));
        NetworkFigures {
            bandwidth,
            latency,
            node_bandwidth,
            node_latency,
            switch_bandwidth,
            ..NetworkFigures::default()
        }
    }

    /// Lists the names of the figures that the rows cannot tell.
    pub fn unknown_figures(&self) -> impl Iterator<Item = &'static str> + '_ {
        let figures = FIGURES.iter().zip(&self.figures);
        figures
            .filter(|(_, figure)| figure.is_none())
            .map(|(name, _)| *name)
    }

    /// Writes the file that `--links-file` reads.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for (i, (name, figure)) in FIGURES.iter().zip(&self.figures).enumerate() {
            let unit = if i < BANDWIDTHS {
                "bytes a second"
            } else {
                "seconds"
            };
            text += &match figure {
                Some((value, error)) => {
                    let error = 100.0 * error;
                    if i < BANDWIDTHS {
                        format!("{name} = \"{value:.6e}B/s\"  # {unit}, ±{error:.2} %\n")
                    } else {
                        format!("{name} = {value:.6e}  # {unit}, ±{error:.2} %\n")
                    }
                }
                None => format!("# {name}: the rows cannot tell\n"),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Text;
    use nodeorder_base::random::{random_unit, seed_generator};
    use nodeorder_network::{Context, Topology};
    use std::fmt::Write;

    /// Rows simulated from known figures, with noise, give these back.
    #[test]
    fn known_figures_come_back() {
        let machine = Topology::inline("xgft:m=8x6,w=1x2", &Context::default()).unwrap();
        let fabric = Fabric::new(&machine).unwrap();
        let routing = FixedRouting::find_by_name("one-path").unwrap();
        let truth = [
            Some(1.0 / 1.2e9),
            Some(1.0 / 2.5e9),
            None,
            Some(7e-7),
            Some(3e-7),
        ];
        let mut random = seed_generator(5);
        let mut text = String::from("pattern,nodes,bytes,seconds\n");
        for bytes in [8.0, 1e3, 1e5, 1e6, 1e7] {
            // Each is measured twice: rows that repeat another are simulated once.
            for nodes in ["0-1", "0-3", "0-7", "0-15", "0-23", "4-19"].repeat(2) {
                let _ = writeln!(text, "all-to-all,{nodes},{bytes},1\nring,{nodes},{bytes},1");
            }
            for nodes in ["0-1", "3-4", "7-8", "15-16", "[0,40]", "[9,33]"].repeat(2) {
                let _ = writeln!(text, "ping-pong,\"{nodes}\",{bytes},1");
            }
        }
        let mut rows = Measured::read_all(&machine, &Text::new("rows.csv", text)).unwrap();
        let fair = Fair::Flow;
        let model = SimulatedRows::new(&fabric, routing, fair, &rows);
        let seconds = model.simulate_seconds(&truth).unwrap();
        for (row, seconds) in rows.iter_mut().zip(seconds) {
            row.seconds = seconds * (1.0 + 0.05 * (2.0 * random_unit(&mut random) - 1.0));
        }
        assert!(rows.len() >= 100);
        let found = fit(&fabric, routing, fair, &rows).unwrap();
        for (i, (truth, found)) in truth.iter().zip(&found.figures).enumerate() {
            let truth = truth.map(|t| if i < BANDWIDTHS { 1.0 / t } else { t });
            match (truth, found) {
                (Some(truth), Some((value, _))) => {
                    assert!(
                        (value / truth - 1.0).abs() < 0.03,
                        "{}: {value} {truth}",
                        FIGURES[i]
                    );
                }
                (None, None) => {}
                other => panic!("{}: {other:?}", FIGURES[i]),
            }
        }
    }
}
