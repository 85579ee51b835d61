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
use crate::columns::{self, Column, object};
use crate::plot::replay::{Bars, Figure, Range, SizeLine, Spread};
use nodeorder_base::error::Result;
use nodeorder_jobs::replay::set::{BASELINE, Label, ReplayResult};
use nodeorder_jobs::replay::statistics::{SizeRow, Summary, by_group, octave_share};
use nodeorder_jobs::replay::{FigureSet, Step};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// The rows of one block of events. Replays run in parallel and end in any order, so each writes to a text of its own.
pub struct BlockRows<'a> {
    figures: FigureSet,
    topology: &'a Topology,
    /// Whether the first column names the ordering.
    several_orders: bool,
    /// The ordering and the allocator of each replay.
    lanes: Vec<(Hosts<'a>, &'a str)>,
    texts: Vec<Mutex<Vec<u8>>>,
}

impl<'a> BlockRows<'a> {
    /// Returns rows of the replays with these labels, on orderings of `topology`; other replays have none.
    pub fn new(
        figures: FigureSet,
        labels: &[Label<'a>],
        topology: &'a Topology,
        orders: &'a [NodeOrder],
    ) -> Self {
        let lanes: Vec<_> = (labels.iter())
            .filter_map(|label| {
                let order = orders
                    .iter()
                    .find(|order| order.label() == label.ordering)?;
                Some((Hosts { topology, order }, label.allocator))
            })
            .collect();
        let texts = lanes.iter().map(|_| Mutex::default()).collect();
        BlockRows {
            figures,
            topology,
            several_orders: orders.len() > 1,
            lanes,
            texts,
        }
    }

    /// Returns the table that all rows are of.
    fn table<'r, W: Write>(&self, out: W) -> JobTable<'r, W> {
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
        let mut table = self.table(out);
        table.write_header(self.topology)?;
        table.finish()
    }

    /// Makes the rows of one replay.
    ///
    /// # Errors
    /// Names that cannot be written.
    pub fn write(&self, step: &Step<'_>) -> io::Result<()> {
        let lane = self.lanes.get(step.replay);
        let Some(((hosts, allocator), text)) = lane.zip(self.texts.get(step.replay)) else {
            return Ok(());
        };
        let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
        text.clear();
        let mut table = self.table(&mut *text);
        for placed in step.placed {
            let figures = &placed.figures;
            let ranks = figures.ranks.as_ref().filter(|_| self.figures.hosts);
            let pods = figures.pods.as_ref();
            let name = step.block.name(placed.event);
            table.write_row(&JobRow {
                ordering: hosts.order.label(),
                allocator,
                job: placed.moved.as_deref().unwrap_or(name),
                size: placed.placement.size,
                times: None,
                metrics: Some(&placed.placement),
                figures,
                hosts: ranks.map(|ranks| hosts.list(ranks.iter())),
                pods: pods.map(|pods| hosts.pods(pods)),
            })?;
        }
        table.finish()
    }

    /// The rows of each replay.
    pub fn texts(&self) -> impl Iterator<Item = MutexGuard<'_, Vec<u8>>> {
        self.texts
            .iter()
            .map(|text| text.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Replays of one log, summed up.
pub struct ReplaySummary<'a> {
    /// Results of the replays.
    pub results: &'a [ReplayResult<'a>],
    /// Only sizes with more placements than this count in improvements.
    pub threshold: u64,
    /// Shares of compute by size, where known.
    pub shares: Option<&'a [(u32, f64)]>,
}

impl ReplaySummary<'_> {
    /// `columns`, and `weighted` where shares of compute are known.
    fn with_weighted<R>(&self, columns: &[Column<R>], weighted: &[Column<R>]) -> Vec<Column<R>> {
        [columns, if self.shares.is_some() { weighted } else { &[] }].concat()
    }

    /// Returns the summary of one replay as a JSON object.
    fn summarise(&self, result: &ReplayResult<'_>) -> Value {
        let columns = [ReplayFigures::ALL, ReplayFigures::JSON].concat();
        let columns = self.with_weighted(&columns, ReplayFigures::WEIGHTED);
        let mut document = object(&columns, &self.figures(result));
        let by_size = self.with_weighted(SizeFigures::ALL, SizeFigures::WEIGHTED);
        let by_size = [&by_size, SizeFigures::JSON].concat();
        document["sizes"] = self
            .sizes(result)
            .iter()
            .map(|size| object(&by_size, size))
            .collect();
        let refused = result.counts.refused.iter();
        document["refused_by_reason"] = refused
            .map(|(choice, jobs)| object(REFUSED, &(choice.clone(), *jobs)))
            .collect();
        let test = result.summary.t_test();
        document["t_test"] = test.map_or(Value::Null, |test| object(T_TEST, &test));
        if let Some(totals) = &result.traffic {
            document["traffic"] = object(TRAFFIC, totals);
        }
        if let Some(shapes) = result.shapes {
            document["shape"] = object(SHAPE_SUMS, shapes);
        }
        if result.room.placeable().is_some() {
            document["room"] = object(ROOM_SUMS, result.room);
        }
        document
    }

    fn figures<'r>(&self, result: &'r ReplayResult<'r>) -> ReplayFigures<'r> {
        let ours = result.summary;
        let base = result.baseline;
        let threshold = self.threshold;
        let normalised = |shares| by_group(&ours.normalised_improvements(base, threshold, shares));
        ReplayFigures {
            result,
            threshold,
            improvement: ours.improvement(base, threshold),
            weighted: self
                .shares
                .and_then(|s| ours.weighted_improvement(base, threshold, s)),
            normalised: self.shares.map(normalised).unwrap_or_default(),
        }
    }

    fn sizes<'r>(&self, result: &'r ReplayResult<'r>) -> Vec<SizeFigures<'r>> {
        let improvements: BTreeMap<u32, f64> = result
            .summary
            .improvements(result.baseline, self.threshold)
            .into_iter()
            .collect();
        let figures = |(size, sums)| {
            let improvement = improvements.get(&size).copied();
            let normalised = |(gain, shares)| gain * octave_share(shares, size);
            SizeFigures {
                ordering: result.ordering,
                allocator: result.allocator,
                size,
                sums,
                improvement,
                normalised: improvement.zip(self.shares).map(normalised),
            }
        };
        result.summary.sizes().map(figures).collect()
    }

    /// Returns inputs and results of the replays as a JSON object. `guest` is the traffic of the jobs, if any.
    pub fn document(&self, topology: &Topology, log: &str, guest: Option<&str>) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "topology": topology.spec(),
            "log": log,
            "baseline": BASELINE,
            "threshold": self.threshold,
            "guest": guest,
            "replays": self.results.iter().map(|result| self.summarise(result)).collect::<Vec<_>>(),
        })
    }

    /// Writes means by size, as CSV.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_sizes(&self, out: impl Write) -> io::Result<()> {
        let rows = self.results.iter().flat_map(|result| self.sizes(result));
        let columns = [SizeFigures::REPLAY, SizeFigures::ALL].concat();
        columns::write(
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
        columns::write(
            out,
            &columns,
            self.results.iter().map(|result| self.figures(result)),
        )
    }

    /// Draws the replays on `machine`, as file name and SVG: job sizes, improvement by size, its averages, and the range
    /// of MIND of each replay beside its baseline's. A figure without anything to show
    /// (no size has more placements than the threshold) is left out.
    ///
    /// # Errors
    /// A figure that cannot be drawn.
    pub fn drawings(&self, machine: &str) -> Result<Vec<(String, String)>> {
        let outcomes = self.results;
        let several = outcomes.iter().any(|o| o.ordering != outcomes[0].ordering);
        let label = |o: &ReplayResult<'_>| match several {
            true => format!("{} · {}", o.ordering, o.allocator),
            false => o.allocator.to_string(),
        };
        let labels: Vec<String> = outcomes.iter().map(label).collect();
        let mut figures = Vec::new();
        let Some(first) = outcomes.first() else {
            return Ok(figures);
        };
        let mut add = |name: String, figure: Figure<'_>| -> Result<()> {
            figures.push((name, figure.svg()?));
            Ok(())
        };

        let larger = first.summary.sizes().map(|(size, row)| (size, row.count));
        let jobs: Vec<(u32, u64)> = std::iter::once((1, first.summary.singles))
            .chain(larger)
            .collect();
        if jobs.iter().any(|(_, count)| *count > 0) {
            add("sizes.svg".into(), Figure::sizes("Jobs by size", &jobs)?)?;
        }

        let what = format!("improvement over {BASELINE} (%)");
        // The baseline itself has nothing to improve.
        let others = outcomes.iter().enumerate();
        let slots: Vec<(usize, &ReplayResult<'_>)> = others
            .filter(|(_, o)| !std::ptr::eq(o.summary, o.baseline))
            .collect();
        let by_size: Vec<Vec<(u32, f64)>> = slots
            .iter()
            .map(|(_, o)| o.summary.improvements(o.baseline, self.threshold))
            .collect();
        if by_size.iter().any(|points| !points.is_empty()) {
            let lines = slots.iter().zip(&by_size);
            let lines: Vec<SizeLine<'_>> = lines
                .map(|((slot, _), data)| SizeLine {
                    label: &labels[*slot],
                    slot: *slot,
                    data,
                })
                .collect();
            let title = format!("Improvement by job size on {machine}");
            add(
                "improvement.svg".into(),
                Figure::improvement(&title, &what, &lines)?,
            )?;
            let bars = slots.iter().map(|(slot, o)| {
                let means = o.summary.improvement(o.baseline, self.threshold);
                let data = [means.small, means.large, means.overall];
                Bars {
                    label: &labels[*slot],
                    slot: *slot,
                    data,
                }
            });
            let title = format!("Mean improvement on {machine}");
            add(
                "averages.svg".into(),
                Figure::averages(&title, &what, &bars.collect::<Vec<_>>())?,
            )?;
        }

        let spreads = |summary: &Summary| -> Vec<Spread> {
            let often = summary
                .sizes()
                .filter(|(_, row)| row.count > self.threshold);
            let spread = |(size, row): (u32, &SizeRow)| {
                let (least, mean, most) = (row.min(), row.mean(), row.max());
                Spread {
                    size,
                    least,
                    mean,
                    most,
                }
            };
            often.map(spread).collect()
        };
        for (slot, outcome) in slots {
            let (ours, base) = (spreads(outcome.summary), spreads(outcome.baseline));
            if ours.is_empty() {
                continue;
            }
            let rows = [
                Range {
                    label: &labels[slot],
                    slot,
                    data: &ours,
                },
                Range {
                    label: BASELINE,
                    slot: outcomes.len(),
                    data: &base,
                },
            ];
            let title = format!("Range of MIND on {machine}: {}", labels[slot]);
            add(
                format!("ranges-{:02}.svg", slot + 1),
                Figure::ranges(&title, &rows)?,
            )?;
        }
        Ok(figures)
    }
}
