//! Replays as data: one CSV row a placement, and summaries as JSON or CSV.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::csv::field;
use crate::error::Result;
use crate::plot::replay::{Bars, Figure, Jobs, Line, Means, Range, Spread};
use crate::replay::set::{BASELINE, ReplayResult};
use crate::replay::statistics::{SizeRow, Summary};
use crate::replay::traffic::{JobTraffic, Totals};
use crate::replay::{Placed, Step};

/// Columns of the placements' table: the contract's, then what was asked for besides.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// `ordering` comes first.
    pub ordering: bool,
    /// `diameter,box_size,box_sides,box_ratio,cube_ratio` after `components`.
    pub extent: bool,
    /// `dilation_mean,dilation_max,hop_bytes,between_routers,contention_alone,contention_met,jobs_met` after that.
    pub traffic: bool,
    /// `ranks` comes last.
    pub ranks: bool,
}

impl Columns {
    /// The header line.
    pub fn header(self) -> String {
        let mut line = String::from(if self.ordering { "ordering," } else { "" });
        line += "allocator,job,size,total_distance,mind,linear_span,ring_span,components";
        if self.extent {
            line += ",diameter,box_size,box_sides,box_ratio,cube_ratio";
        }
        if self.traffic {
            line += TRAFFIC_COLUMNS;
        }
        if self.ranks {
            line += ",ranks";
        }
        line + "\n"
    }
}

/// Header of what [`job_traffic`] writes.
pub(super) const TRAFFIC_COLUMNS: &str = ",dilation_mean,dilation_max,hop_bytes,between_routers,contention_alone,contention_met,jobs_met";

/// What a job's traffic meets, a comma before each value.
pub(super) fn job_traffic(t: &JobTraffic, out: &mut impl Write) -> io::Result<()> {
    write!(out, ",{},{},{}", t.dilation_mean, t.dilation_max, t.hop_bytes)?;
    write!(out, ",{},{},{}", t.between_routers, t.contention_alone, t.contention_met)?;
    integer(t.jobs_met, out)
}

/// Means over all jobs of what their traffic met.
pub(super) fn traffic(totals: &Totals) -> Value {
    json!({
        "jobs": totals.jobs,
        "mean_dilation": totals.mean_dilation(),
        "mean_contention_alone": totals.mean_contention_alone(),
        "mean_contention_met": totals.mean_contention_met(),
        "max_contention_met": totals.most,
        "mean_jobs_met": totals.mean_jobs_met(),
    })
}

/// Writes the rows of one replay.
#[derive(Clone, Debug)]
pub struct Rows {
    columns: Columns,
    /// Ordering and allocator as they begin every row.
    start: String,
}

impl Rows {
    /// Rows of `allocator` on `ordering`.
    ///
    /// # Errors
    /// None in practice: what quoting a text in memory reports.
    pub fn new(columns: Columns, ordering: &str, allocator: &str) -> io::Result<Self> {
        let mut start = String::new();
        if columns.ordering {
            start = field(ordering)? + ",";
        }
        start += &field(allocator)?;
        Ok(Rows { columns, start })
    }

    /// Writes a block's placements.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, step: &Step<'_>, out: &mut impl Write) -> io::Result<()> {
        for placed in step.placed {
            self.row(step.block.name(placed.event), placed, out)?;
        }
        Ok(())
    }

    fn row(&self, job: &str, placed: &Placed, out: &mut impl Write) -> io::Result<()> {
        let p = &placed.placement;
        out.write_all(self.start.as_bytes())?;
        out.write_all(b",")?;
        if job.contains(['"', ',']) {
            out.write_all(field(job)?.as_bytes())?;
        } else {
            out.write_all(job.as_bytes())?;
        }
        integer(p.size, out)?;
        integer(p.total_distance, out)?;
        out.write_all(b",")?;
        if let Some(mind) = p.mind() {
            write!(out, "{mind}")?;
        }
        integer(p.linear_span, out)?;
        integer(p.ring_span, out)?;
        integer(p.components, out)?;
        if self.columns.extent {
            match &placed.extent {
                Some(extent) => {
                    integer(extent.diameter, out)?;
                    match &extent.bounds {
                        Some(b) => {
                            write!(out, ",{},{},{},{}", b.size, b.sides, b.box_ratio, b.cube_ratio)?
                        }
                        None => out.write_all(b",,,,")?,
                    }
                }
                None => out.write_all(b",,,,,")?,
            }
        }
        if let Some(t) = placed.traffic.filter(|_| self.columns.traffic) {
            job_traffic(&t, out)?;
        }
        if self.columns.ranks {
            out.write_all(b",")?;
            if let Some(ranks) = &placed.ranks {
                write!(out, "{ranks}")?;
            }
        }
        out.write_all(b"\n")
    }
}

/// A comma and a whole number, without the machinery of formatting: there are millions.
pub(super) fn integer(value: impl Into<u64>, out: &mut impl Write) -> io::Result<()> {
    let mut value = value.into();
    let mut text = [b','; 21];
    let mut at = text.len();
    loop {
        at -= 1;
        text[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.write_all(&text[at - 1..])
}

/// How summaries are made.
pub struct SummaryOptions<'a> {
    /// Only sizes with more placements than this count in improvements.
    pub threshold: u64,
    /// Shares of compute by size, where known.
    pub shares: Option<&'a [(u32, f64)]>,
}

impl ReplayResult<'_> {
    /// The outcome as a JSON object.
    pub fn json(&self, terms: &SummaryOptions<'_>) -> Value {
        let (ours, base) = (self.summary, self.baseline);
        let improvement = ours.improvement(base, terms.threshold);
        let by_size: std::collections::BTreeMap<u32, f64> =
            ours.improvements(base, terms.threshold).into_iter().collect();
        let sizes: Vec<Value> = (ours.sizes())
            .map(|(size, row)| {
                json!({
                    "size": size,
                    "count": row.count,
                    "mean_mind": row.mean(size),
                    "min_mind": row.min(size),
                    "max_mind": row.max(size),
                    "mean_mind_per_log_size": row.mean(size) / f64::from(size).ln(),
                    "improvement": by_size.get(&size),
                })
            })
            .collect();
        let test = ours.t_test().map(|t| {
            json!({
                "pairs": t.pairs, "mean": t.mean, "standard_deviation": t.standard_deviation,
                "t": t.t, "p": t.p,
            })
        });
        let mut document = json!({
            "ordering": self.ordering,
            "allocator": self.allocator,
            "placed": self.placed,
            "skipped": self.skipped,
            "never_fits": self.oversized,
            "mean_mind": ours.mean_mind(),
            "mean_mind_per_log_size": ours.normalised().mean,
            "mean_components": ours.mean_components(),
            "mean_linear_span": ours.mean_linear_span(),
            "mean_ring_span": ours.mean_ring_span(),
            "improvement": {
                "small": improvement.small,
                "large": improvement.large,
                "overall": improvement.overall,
            },
            "delta_mind": improvement.delta_mind,
            "t_test": test,
            "sizes": sizes,
        });
        if let Some(shares) = terms.shares {
            let weighted = ours.weighted_improvement(base, terms.threshold, shares);
            document["improvement"]["compute_weighted"] = json!(weighted);
        }
        if let Some(totals) = &self.traffic {
            document["traffic"] = traffic(totals);
        }
        document
    }

    /// The outcome as rows of `ordering,allocator,size,count,mean_mind,min_mind,max_mind,improvement`.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn rows(&self, terms: &SummaryOptions<'_>, out: &mut impl Write) -> io::Result<()> {
        let by_size = self.summary.improvements(self.baseline, terms.threshold);
        let start = field(self.ordering)? + "," + &field(self.allocator)?;
        for (size, row) in self.summary.sizes() {
            let improvement = by_size.binary_search_by_key(&size, |(s, _)| *s);
            let improvement = improvement.map_or(String::new(), |i| by_size[i].1.to_string());
            let (mean, min, max) = (row.mean(size), row.min(size), row.max(size));
            writeln!(out, "{start},{size},{},{mean},{min},{max},{improvement}", row.count)?;
        }
        Ok(())
    }
}

/// The figures of some outcomes of one log on `machine`, as file name and SVG: job sizes, improvement by size,
/// its averages, and the range of MIND of each outcome beside its baseline's. A figure without anything to show
/// (no size has more placements than the threshold) is left out.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn figures(
    machine: &str,
    outcomes: &[ReplayResult<'_>],
    terms: &SummaryOptions<'_>,
) -> Result<Vec<(String, String)>> {
    let several = outcomes.iter().any(|o| o.ordering != outcomes[0].ordering);
    let label = |o: &ReplayResult<'_>| match several {
        true => format!("{} · {}", o.ordering, o.allocator),
        false => o.allocator.to_string(),
    };
    let labels: Vec<String> = outcomes.iter().map(label).collect();
    let mut figures = Vec::new();
    let Some(first) = outcomes.first() else { return Ok(figures) };
    let mut add = |name: String, figure: Figure| -> Result<()> {
        figures.push((name, figure.svg()?));
        Ok(())
    };

    let larger = first.summary.sizes().map(|(size, row)| (size, row.count));
    let jobs: Vec<(u32, u64)> = std::iter::once((1, first.summary.singles)).chain(larger).collect();
    if jobs.iter().any(|(_, count)| *count > 0) {
        let jobs = [Jobs { label: "the log", slot: 0, jobs: &jobs }];
        add("sizes.svg".into(), Figure::sizes("Jobs by size", &jobs)?)?;
    }

    let what = format!("improvement over {BASELINE} (%)");
    // The baseline itself has nothing to improve.
    let others = outcomes.iter().enumerate();
    let slots: Vec<(usize, &ReplayResult<'_>)> =
        others.filter(|(_, o)| !std::ptr::eq(o.summary, o.baseline)).collect();
    let by_size: Vec<Vec<(u32, f64)>> =
        slots.iter().map(|(_, o)| o.summary.improvements(o.baseline, terms.threshold)).collect();
    if by_size.iter().any(|points| !points.is_empty()) {
        let lines = slots.iter().zip(&by_size);
        let lines: Vec<Line<'_>> = lines
            .map(|((slot, _), points)| Line { label: &labels[*slot], slot: *slot, points })
            .collect();
        let title = format!("Improvement by job size on {machine}");
        add("improvement.svg".into(), Figure::improvement(&title, &what, &lines)?)?;
        let bars = slots.iter().map(|(slot, o)| {
            let means = o.summary.improvement(o.baseline, terms.threshold);
            let means = Means { small: means.small, large: means.large, overall: means.overall };
            Bars { label: &labels[*slot], slot: *slot, means }
        });
        let title = format!("Mean improvement on {machine}");
        add("averages.svg".into(), Figure::averages(&title, &what, &bars.collect::<Vec<_>>())?)?;
    }

    let spreads = |summary: &Summary| -> Vec<Spread> {
        let often = summary.sizes().filter(|(_, row)| row.count > terms.threshold);
        let spread = |(size, row): (u32, &SizeRow)| {
            let (least, mean, most) = (row.min(size), row.mean(size), row.max(size));
            Spread { size, least, mean, most }
        };
        often.map(spread).collect()
    };
    for (slot, outcome) in slots {
        let (ours, base) = (spreads(outcome.summary), spreads(outcome.baseline));
        if ours.is_empty() {
            continue;
        }
        let rows = [
            Range { label: &labels[slot], slot, sizes: &ours },
            Range { label: BASELINE, slot: outcomes.len(), sizes: &base },
        ];
        let title = format!("Range of MIND on {machine}: {}", labels[slot]);
        add(format!("ranges-{:02}.svg", slot + 1), Figure::ranges(&title, &rows)?)?;
    }
    Ok(figures)
}

/// Header of [`ReplayResult::rows`].
pub const SIZES_HEADER: &str =
    "ordering,allocator,size,count,mean_mind,min_mind,max_mind,improvement\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_written_in_full() {
        let mut out = Vec::new();
        for value in [0, 7, 10, 999, 1000, u64::MAX] {
            integer(value, &mut out).unwrap();
        }
        assert_eq!(String::from_utf8(out).unwrap(), ",0,7,10,999,1000,18446744073709551615");
    }
}
