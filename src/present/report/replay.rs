//! Replays as data: one CSV row a placement, and summaries as JSON or CSV.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::hosts::Hosts;
use super::job_table::JobTable;
use crate::columns::jobs::JobRow;
use crate::columns::replay::{REFUSED, ReplayFigures, SizeFigures, T_TEST, TRAFFIC};
use crate::columns::shape::{ROOM_SUMS, SHAPE_SUMS};
use crate::columns::{self, Column, json_list, json_object};
use crate::plot::replay::{Bars, Figure, Range, SizeLine, Spread};
use nodeorder_base::Result;
use nodeorder_jobs::replay::set::{BASELINE, Label, ReplayResult};
use nodeorder_jobs::replay::statistics::{Summary, means_by_group, octave_share};
use nodeorder_jobs::replay::{BlockResult, FigureSet};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;

/// The rows of one block of events. Replays run in parallel and end in any order, so each writes to a text of its own.
pub struct BlockRows<'a> {
    figures: FigureSet,
    topology: &'a Topology,
    /// Whether the first column names the ordering.
    several_orders: bool,
    /// Ordering and allocator of each replay.
    lanes: Vec<(Hosts<'a>, &'a str)>,
    /// Rows of each replay in the block, as CSV.
    texts: Vec<Mutex<Vec<u8>>>,
}

impl<'a> BlockRows<'a> {
    /// Starts the rows of the replays with these labels, on orderings of `topology`; other replays have none.
    pub fn new(
        figures: FigureSet,
        labels: &[Label<'a>],
        topology: &'a Topology,
        orders: &'a [NodeOrder],
    ) -> Self {
        let mut lanes = Vec::new();
        let mut texts = Vec::new();
        for label in labels {
            if let Some(order) = orders.iter().find(|order| order.label() == label.ordering) {
                lanes.push((Hosts { topology, order }, label.allocator));
                texts.push(Mutex::default());
            }
        }
        BlockRows {
            figures,
            topology,
            several_orders: orders.len() > 1,
            lanes,
            texts,
        }
    }

    /// Starts the table that all rows are of.
    fn job_table<'r, W: Write>(&self, out: W) -> JobTable<'r, W> {
        let order = if self.several_orders {
            JobRow::ORDERING
        } else {
            &[]
        };
        JobTable::new(out, &[order, JobRow::PLACED].concat(), self.figures)
    }

    /// Writes the header line.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_header(&self, out: impl Write) -> io::Result<()> {
        let mut table = self.job_table(out);
        table.write_header(self.topology)?;
        table.finish()
    }

    /// Writes the rows of one replay into its text.
    ///
    /// # Errors
    /// Names that cannot be written.
    pub fn write(&self, step: &BlockResult<'_>) -> io::Result<()> {
        let lane = self.lanes.get(step.replay);
        // Baselines that were not asked for are replayed, but have no rows.
        let Some(((hosts, allocator), text)) = lane.zip(self.texts.get(step.replay)) else {
            return Ok(());
        };
        let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
        // Blocks reuse the text of the block before: its rows are written by then.
        text.clear();
        let mut table = self.job_table(&mut *text);
        for placed in step.placed {
            let figures = &placed.figures;
            let ranks = figures.ranks.as_ref().filter(|_| self.figures.hosts);
            let pods = figures.pods.as_ref();
            let name = step.block.name_of_event(placed.event);
            table.write_row(&JobRow {
                ordering: hosts.order.label(),
                allocator,
                // A pod that moves off a failing node is one more placement of its job, under the name of that.
                job: placed.moved.as_deref().unwrap_or(name),
                size: placed.placement.size,
                times: None,
                metrics: Some(&placed.placement),
                figures,
                hosts: ranks.map(|ranks| hosts.host_list(ranks.iter())),
                pods: pods.map(|pods| hosts.pod_list(pods)),
            })?;
        }
        table.finish()
    }

    /// Locks the rows of each replay one after the other, in their order.
    pub fn texts(&self) -> impl Iterator<Item = MutexGuard<'_, Vec<u8>>> {
        self.texts
            .iter()
            .map(|text| text.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Results of the replays of one log, and how they are summed up.
pub struct ReplaySummary<'a> {
    /// Results of the replays.
    pub results: &'a [ReplayResult<'a>],
    /// Number of placements that a job size must exceed to count in improvements.
    pub threshold: u64,
    /// Share of compute of each job size; none where that is not known.
    pub shares: Option<&'a [(u32, f64)]>,
}

impl ReplaySummary<'_> {
    /// Appends `weighted` to `columns` if shares of compute are known.
    fn with_weighted<R>(&self, columns: &[Column<R>], weighted: &[Column<R>]) -> Vec<Column<R>> {
        let mut all = columns.to_vec();
        if self.shares.is_some() {
            all.extend(weighted);
        }
        all
    }

    /// Summarises one replay as a JSON object.
    fn summary_object(&self, result: &ReplayResult<'_>) -> Value {
        let columns = [ReplayFigures::ALL, ReplayFigures::JSON].concat();
        let columns = self.with_weighted(&columns, ReplayFigures::WEIGHTED);
        let mut document = json_object(&columns, &self.replay_figures(result));
        let by_size = self.with_weighted(SizeFigures::ALL, SizeFigures::WEIGHTED);
        let by_size = [&by_size, SizeFigures::JSON].concat();
        document["sizes"] = json_list(&by_size, self.size_figures(result));
        document["refused_by_reason"] = json_list(REFUSED, result.counts.refused.clone());
        let test = result.summary.t_test();
        // Too few pairs: null, so that the key is always there.
        document["t_test"] = test.map_or(Value::Null, |test| json_object(T_TEST, &test));
        if let Some(totals) = &result.traffic {
            document["traffic"] = json_object(TRAFFIC, totals);
        }
        if let Some(shapes) = result.shapes {
            document["shape"] = json_object(SHAPE_SUMS, shapes);
        }
        // Room is measured only where it is asked for.
        if result.room.mean_placeable().is_some() {
            document["room"] = json_object(ROOM_SUMS, result.room);
        }
        document
    }

    /// Compares a replay with its baseline.
    fn replay_figures<'r>(&self, result: &'r ReplayResult<'r>) -> ReplayFigures<'r> {
        let ours = result.summary;
        let base = result.baseline;
        let threshold = self.threshold;
        let mut figures = ReplayFigures {
            result,
            threshold,
            improvement: ours.improvement_by_group(base, threshold),
            weighted: None,
            normalised: Default::default(),
        };
        if let Some(shares) = self.shares {
            figures.weighted = ours.weighted_improvement(base, threshold, shares);
            figures.normalised =
                means_by_group(&ours.octave_weighted_improvement(base, threshold, shares));
        }
        figures
    }

    /// Compares the jobs of each size with those of the baseline.
    fn size_figures<'r>(&self, result: &'r ReplayResult<'r>) -> Vec<SizeFigures<'r>> {
        let improvements: BTreeMap<u32, f64> = result
            .summary
            .improvement_by_size(result.baseline, self.threshold)
            .into_iter()
            .collect();
        let mut rows = Vec::new();
        for (size, sums) in result.summary.size_rows() {
            let improvement = improvements.get(&size).copied();
            rows.push(SizeFigures {
                ordering: result.ordering,
                allocator: result.allocator,
                size,
                sums,
                improvement,
                normalised: improvement
                    .zip(self.shares)
                    .map(|(gain, shares)| gain * octave_share(shares, size)),
            });
        }
        rows
    }

    /// Describes inputs and results of the replays as a JSON object. `guest` is the traffic of the jobs, if any.
    pub fn document(&self, topology: &Topology, log: &str, guest: Option<&str>) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "topology": topology.spec(),
            "log": log,
            "baseline": BASELINE,
            "threshold": self.threshold,
            "guest": guest,
            "replays": self.results.iter().map(|result| self.summary_object(result)).collect::<Vec<_>>(),
        })
    }

    /// Writes means by size, as CSV.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_sizes(&self, out: impl Write) -> io::Result<()> {
        let rows = self
            .results
            .iter()
            .flat_map(|result| self.size_figures(result));
        let columns = [SizeFigures::REPLAY, SizeFigures::ALL].concat();
        columns::write_table(
            out,
            &self.with_weighted(&columns, SizeFigures::WEIGHTED),
            rows,
        )
    }

    /// Writes a row for each replay, as CSV.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_totals(&self, out: impl Write) -> io::Result<()> {
        let columns = [ReplayFigures::JSON, ReplayFigures::ALL].concat();
        let columns = self.with_weighted(&columns, ReplayFigures::WEIGHTED);
        let columns = [&columns, ReplayFigures::TOTALS].concat();
        columns::write_table(
            out,
            &columns,
            self.results
                .iter()
                .map(|result| self.replay_figures(result)),
        )
    }

    /// Draws the replays on `machine`, as file name and SVG: job sizes, improvement by size, its averages, and
    /// the range of MIND of each replay beside its baseline's. A figure without anything to show (no size has
    /// more placements than the threshold) is left out.
    ///
    /// # Errors
    /// A figure that cannot be drawn.
    pub fn draw_figures(&self, machine: &str) -> Result<Vec<(String, String)>> {
        let mut drawings = Vec::new();
        let Some(first) = self.results.first() else {
            return Ok(drawings);
        };
        let several = self
            .results
            .iter()
            .any(|result| result.ordering != first.ordering);
        let mut labels = Vec::new();
        for result in self.results {
            labels.push(if several {
                format!("{} · {}", result.ordering, result.allocator)
            } else {
                result.allocator.to_string()
            });
        }
        // Jobs of one node have no distances, so summaries count them apart. All replays are of one log: the first
        // speaks for all.
        let mut jobs = vec![(1, first.summary.singles)];
        for (size, row) in first.summary.size_rows() {
            jobs.push((size, row.count));
        }
        if jobs.iter().any(|(_, count)| *count > 0) {
            let figure = Figure::plot_sizes("Jobs by size", &jobs)?;
            drawings.push(("sizes.svg".into(), figure.svg()?));
        }
        // The baseline itself has nothing to improve.
        let others: Vec<(usize, &ReplayResult<'_>)> = self
            .results
            .iter()
            .enumerate()
            .filter(|(_, result)| !std::ptr::eq(result.summary, result.baseline))
            .collect();
        drawings.extend(self.draw_improvements(machine, &others, &labels)?);
        for (slot, result) in others {
            let ours = self.size_spreads(result.summary);
            if ours.is_empty() {
                continue;
            }
            let base = self.size_spreads(result.baseline);
            let rows = [
                Range {
                    label: &labels[slot],
                    slot,
                    data: &ours,
                },
                Range {
                    label: BASELINE,
                    // A colour that no replay has.
                    slot: self.results.len(),
                    data: &base,
                },
            ];
            let title = format!("Range of MIND on {machine}: {}", labels[slot]);
            drawings.push((
                format!("ranges-{:02}.svg", slot + 1),
                Figure::plot_ranges(&title, &rows)?.svg()?,
            ));
        }
        Ok(drawings)
    }

    /// Draws the improvement of replays by size, and its averages. Empty if no size has enough placements.
    fn draw_improvements(
        &self,
        machine: &str,
        others: &[(usize, &ReplayResult<'_>)],
        labels: &[String],
    ) -> Result<Vec<(String, String)>> {
        let by_size: Vec<Vec<(u32, f64)>> = others
            .iter()
            .map(|(_, result)| {
                result
                    .summary
                    .improvement_by_size(result.baseline, self.threshold)
            })
            .collect();
        if by_size.iter().all(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let mut lines = Vec::new();
        let mut bars = Vec::new();
        for ((slot, result), data) in others.iter().zip(&by_size) {
            let label = &labels[*slot];
            let slot = *slot;
            let means = result
                .summary
                .improvement_by_group(result.baseline, self.threshold);
            lines.push(SizeLine { label, slot, data });
            bars.push(Bars {
                label,
                slot,
                data: [means.small, means.large, means.overall],
            });
        }
        let axis = format!("improvement over {BASELINE} (%)");
        let title = format!("Improvement by job size on {machine}");
        let improvement = Figure::plot_improvement(&title, &axis, &lines)?.svg()?;
        let title = format!("Mean improvement on {machine}");
        let averages = Figure::plot_averages(&title, &axis, &bars)?.svg()?;
        Ok(vec![
            ("improvement.svg".into(), improvement),
            ("averages.svg".into(), averages),
        ])
    }

    /// Finds the range of MIND of each job size with more placements than the threshold.
    fn size_spreads(&self, summary: &Summary) -> Vec<Spread> {
        let mut spreads = Vec::new();
        for (size, row) in summary.size_rows() {
            if row.count > self.threshold {
                spreads.push(Spread {
                    size,
                    least: row.smallest_mind(),
                    mean: row.mean_mind(),
                    most: row.largest_mind(),
                });
            }
        }
        spreads
    }
}
