//! Distributions of job sizes: from a trace, a log, a table, or log-uniform.

use std::collections::BTreeMap;
use std::path::Path;

use super::log::{Log, quote_token};
use super::open::read_trace;
use super::survey::survey_log;
use super::swf::{Options, Trace};
use super::{WorkloadKind, detect_kind};
use nodeorder_base::input::strip_zero_fraction;
use nodeorder_base::ratio::{divide_exactly, mean_of_sum};
use nodeorder_base::{Error, Lines, Result, SourceLocation};

/// The largest size up to which the formula `log-uniform` is written out, size by size: 256 MB of shares.
const MOST_SIZES: u32 = 1 << 24;

/// Bytes that a size takes in the trees of a table.
const SIZE_BYTES: usize = 64;

/// The weight of a job in a distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// Every job counts the same.
    #[default]
    Jobs,
    /// A job counts its nodes times its run time.
    NodeHours,
}

/// How often job sizes, in nodes, occur.
#[derive(Clone, Debug)]
pub struct Sizes {
    name: String,
    /// Jobs by size, where jobs were counted.
    jobs: Option<BTreeMap<u32, u64>>,
    shares: Shares,
}

#[derive(Clone, Debug)]
enum Shares {
    /// p(S) ∝ 1/S for S ≥ 2.
    LogUniform,
    /// Jobs, or node-seconds, by size.
    Exact(BTreeMap<u32, u128>),
    /// Shares by size as a table lists them, of any sum.
    Real(BTreeMap<u32, f64>),
}

impl Sizes {
    /// Reads the value of the option `sizes=`: the word `log-uniform`, or the path of an SWF trace, a placement log or
    /// a table `size,share`; its content decides which of them a file is.
    ///
    /// A table has one size a line, its share (of any sum, none negative) after a comma; a header line is
    /// optional. Where all shares are whole numbers they are taken for numbers of jobs and stay exact.
    ///
    /// # Errors
    /// A file that cannot be read or is none of these, lines that are wrong, and [`Weight::NodeHours`] of
    /// anything but a trace, as only a trace has times.
    pub fn read(text: &str, weight: Weight, options: &Options) -> Result<Self> {
        if text == "log-uniform" {
            refuse_node_hours(weight, "`log-uniform` is a formula")?;
            return Ok(Sizes::log_uniform());
        }
        Sizes::from_lines(
            Lines::open(Path::new(text), options.memory)?,
            weight,
            options,
        )
    }

    /// Reads the distribution that the rest of `lines` gives, as [`Sizes::read`] does.
    ///
    /// # Errors
    /// As [`Sizes::read`].
    pub fn from_lines(mut lines: Lines, weight: Weight, options: &Options) -> Result<Self> {
        let name = lines.name().to_string();
        match detect_kind(&mut lines)? {
            WorkloadKind::Swf | WorkloadKind::Records(_) => {
                Ok(Sizes::from_trace(&read_trace(lines, options)?, weight))
            }
            WorkloadKind::Log => {
                refuse_node_hours(weight, &format!("{name} is a placement log"))?;
                Ok(Sizes::of_jobs(
                    &name,
                    survey_log(Log::from_lines(lines))?.sizes,
                ))
            }
            WorkloadKind::Table => {
                refuse_node_hours(weight, &format!("{name} is a table of shares"))?;
                read_table(lines)
            }
        }
    }

    /// Makes the distribution p(S) ∝ 1/S from 2 nodes up: every octave of sizes gets about the same share.
    pub fn log_uniform() -> Self {
        Sizes {
            name: "log-uniform".into(),
            jobs: None,
            shares: Shares::LogUniform,
        }
    }

    /// Counts the sizes of a trace's jobs.
    pub fn from_trace(trace: &Trace, weight: Weight) -> Self {
        let mut jobs = BTreeMap::new();
        let mut exact: BTreeMap<u32, u128> = BTreeMap::new();
        for job in trace.jobs() {
            // Counted for any weight: figures of the distribution show jobs.
            *jobs.entry(job.nodes).or_default() += 1;
            *exact.entry(job.nodes).or_default() += match weight {
                Weight::Jobs => 1,
                Weight::NodeHours => u128::from(job.nodes) * u128::from(job.run.unsigned_abs()),
            };
        }
        Sizes {
            name: trace.name().to_string(),
            jobs: Some(jobs),
            shares: Shares::Exact(exact),
        }
    }

    /// Makes the distribution from the number of jobs of each size; `name` is for messages.
    pub fn of_jobs(name: &str, jobs: BTreeMap<u32, u64>) -> Self {
        let exact = jobs
            .iter()
            .map(|(size, count)| (*size, u128::from(*count)))
            .collect();
        Sizes {
            name: name.to_string(),
            jobs: Some(jobs),
            shares: Shares::Exact(exact),
        }
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Computes p(S) of the sizes S from 2 to `n` that occur, ascending; their sum is 1. A share that is a ratio
    /// of whole numbers is that ratio, rounded once.
    ///
    /// # Errors
    /// No size from 2 to `n` occurs.
    ///
    /// # Complexity
    /// O(sizes); log-uniform: O(n) time and 16 bytes a size.
    pub fn shares_up_to(&self, n: u32) -> Result<Vec<(u32, f64)>> {
        self.shares_between(2, n)
    }

    /// Computes the shares of the sizes from `low` to `high`, as [`Sizes::shares_up_to`] does.
    pub(super) fn shares_between(&self, low: u32, high: u32) -> Result<Vec<(u32, f64)>> {
        let range = low..=high.max(low);
        let shares: Vec<(u32, f64)> = match &self.shares {
            _ if low > high => Vec::new(),
            Shares::LogUniform => {
                if high > MOST_SIZES {
                    let expected = format!("at most {MOST_SIZES}: each size has its share");
                    return Err(Error::option(
                        &self.name,
                        format!("sizes up to {high}"),
                        expected,
                    ));
                }
                let sizes = low.max(2)..=high;
                // Small terms first, for the sum's sake.
                let sum: f64 = sizes.clone().rev().map(|s| 1.0 / f64::from(s)).sum();
                sizes.map(|s| (s, 1.0 / (f64::from(s) * sum))).collect()
            }
            Shares::Exact(exact) => {
                let within = exact.range(range).filter(|(_, count)| **count > 0);
                let sum: u128 = within.clone().map(|(_, count)| count).sum();
                within
                    .map(|(size, count)| (*size, divide_exactly(*count, sum)))
                    .collect()
            }
            Shares::Real(real) => {
                let within = real.range(range).filter(|(_, share)| **share > 0.0);
                let sum: f64 = within.clone().map(|(_, share)| share).sum();
                within.map(|(size, share)| (*size, share / sum)).collect()
            }
        };
        if shares.is_empty() {
            let location = SourceLocation::File(self.name.as_str().into());
            let found = format!("no job of {low} to {high} nodes");
            return Err(Error::input(location, found, "at least one"));
        }
        Ok(shares)
    }

    /// Counts jobs by size, ascending: what a figure of the distribution shows, also where node-hours are the
    /// weight. `None` if jobs were not counted.
    pub fn count_table(&self) -> Option<Vec<(u32, u64)>> {
        Some(
            self.jobs
                .as_ref()?
                .iter()
                .map(|(size, count)| (*size, *count))
                .collect(),
        )
    }

    /// Computes the mean number of nodes of a job. `None` if jobs were not counted or there are none.
    pub fn mean_size(&self) -> Option<f64> {
        let jobs = self.jobs.as_ref()?;
        let count: u128 = jobs.values().map(|count| u128::from(*count)).sum();
        let nodes: u128 = jobs
            .iter()
            .map(|(size, count)| u128::from(*size) * u128::from(*count))
            .sum();
        mean_of_sum(nodes, count)
    }
}

/// Refuses node-hours as the weight of jobs that have no times.
fn refuse_node_hours(weight: Weight, problem: &str) -> Result<()> {
    match weight {
        Weight::Jobs => Ok(()),
        Weight::NodeHours => Err(Error::unsuited(
            SourceLocation::option("share=node-hours"),
            format!("{problem}, which has no times"),
            "an SWF trace has them, or leave `share` out to weigh by jobs",
        )),
    }
}

fn read_table(mut lines: Lines) -> Result<Sizes> {
    let name = lines.name().to_string();
    let mut real = BTreeMap::new();
    let mut jobs = Some(BTreeMap::new());
    let mut first = true;
    while let Some(line) = lines.read_data_line()? {
        let fields = line.split_csv()?;
        let [size, share] = fields.as_slice() else {
            let found = format!("{} fields", fields.len());
            return Err(line.error_here(found, "size,share"));
        };
        let is_header = first && size.eq_ignore_ascii_case("size");
        first = false;
        if is_header {
            continue;
        }
        let wrong = |what: &str, text: &str, expected: &str| {
            line.error_here(format!("{what} {}", quote_token(text)), expected)
        };
        let size = strip_zero_fraction(size);
        let nodes = size.parse().ok().filter(|n| *n > 0u32).ok_or_else(|| {
            wrong(
                "size",
                size,
                &format!(
                    "a whole number from 1 to {}, or the header size,share",
                    u32::MAX
                ),
            )
        })?;
        let value = share
            .parse()
            .ok()
            // So bounded, the shares of all 2³² sizes add up to a finite number.
            .filter(|x: &f64| (0.0..=1e280).contains(x));
        let value = value.ok_or_else(|| wrong("share", share, "a number from 0 to 1e280"))?;
        if real.insert(nodes, value).is_some() {
            let found = format!("size {nodes} listed twice");
            return Err(line.error_here(found, "each size once"));
        }
        // One share that is no whole number makes all of them shares, and none a number of jobs.
        jobs = jobs.and_then(|mut jobs| {
            jobs.insert(nodes, strip_zero_fraction(share).parse().ok()?);
            Some(jobs)
        });
        lines.charge_memory(SIZE_BYTES, "sizes")?;
    }
    if let Some(jobs) = jobs {
        return Ok(Sizes::of_jobs(&name, jobs));
    }
    Ok(Sizes {
        name,
        jobs: None,
        shares: Shares::Real(real),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, weight: Weight) -> Result<Sizes> {
        Sizes::from_lines(Lines::new("f", text), weight, &Options::default())
    }

    const SWF: &str = "\
1 0 0 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1
2 0 0 30 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1
3 0 0 10 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1
4 0 0 60 8 -1 -1 8 -1 -1 1 -1 -1 -1 -1 -1 -1 -1
";

    #[test]
    fn files_of_every_kind_say_the_same() {
        let log = "P a 1\nP b 2\nF a\nP a 2\nP c 8\n";
        let tables = [
            "size,share\n1,1\n2,2\n8,1\n",
            "# t\n8,1\n2,2 # two\n1,1",
            "Size,jobs\n1,5\n2,2\n8,1",
        ];
        for text in [SWF, log, tables[0], tables[1], tables[2]] {
            let sizes = read(text, Weight::Jobs).unwrap();
            assert_eq!(
                sizes.shares_up_to(8).unwrap(),
                [(2, 2.0 / 3.0), (8, 1.0 / 3.0)],
                "{text}"
            );
            assert_eq!(sizes.shares_up_to(7).unwrap(), [(2, 1.0)]);
        }
        let sizes = read(log, Weight::Jobs).unwrap();
        assert_eq!(sizes.count_table().unwrap(), [(1, 1), (2, 2), (8, 1)]);
        assert_eq!(sizes.mean_size(), Some(13.0 / 4.0));
        let real = read("2,0.5\n8,0.25\n", Weight::Jobs).unwrap();
        assert_eq!(
            real.shares_up_to(8).unwrap(),
            [(2, 0.5 / 0.75), (8, 0.25 / 0.75)]
        );
        assert_eq!((real.count_table(), real.mean_size()), (None, None));
    }

    #[test]
    fn node_hours_weigh_by_nodes_and_time() {
        let sizes = read(SWF, Weight::NodeHours).unwrap();
        assert_eq!(
            sizes.shares_up_to(8).unwrap(),
            [(2, 80.0 / 560.0), (8, 480.0 / 560.0)]
        );
        assert_eq!(sizes.count_table().unwrap(), [(1, 1), (2, 2), (8, 1)]);
        for (text, what) in [
            ("P a 1\n", "f is a placement log"),
            ("2,1\n", "f is a table of shares"),
        ] {
            let error = read(text, Weight::NodeHours).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`share=node-hours`: {what}, which has no times")),
                "{error}"
            );
        }
        assert!(Sizes::read("log-uniform", Weight::NodeHours, &Options::default()).is_err());
    }

    #[test]
    fn bad_files_are_refused_by_line() {
        let cases = [
            ("2,1\n3\n", "f:2: found 1 fields; expected size,share"),
            (
                "2,1\n\n0,1\n",
                "f:3: found size `0`; expected a whole number from 1",
            ),
            (
                "nodes,share\n2,1\n",
                "f:1: found size `nodes`; expected a whole number from 1",
            ),
            ("2,1\nsize,share\n", "f:2: found size `size`"),
            (
                "2,-1\n",
                "f:1: found share `-1`; expected a number from 0 to 1e280",
            ),
            ("2,inf\n", "f:1: found share `inf`"),
            (
                "2,1\n2,3\n",
                "f:2: found size 2 listed twice; expected each size once",
            ),
            ("P a 2\nP a 3\n", "f:2: found `P` of job `a`"),
            ("; head\n1 2 3\n", "f:2: found 3 fields"),
            (
                "\n# x\nhello\n",
                "f:3: found `hello`; expected a placement log",
            ),
        ];
        for (text, message) in cases {
            let error = read(text, Weight::Jobs).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        let none = read("1,4\n9,2\n", Weight::Jobs).unwrap();
        let error = none.shares_up_to(8).unwrap_err().to_string();
        assert_eq!(
            error,
            "f: found no job of 2 to 8 nodes; expected at least one"
        );
        assert!(none.shares_up_to(1).is_err() && none.shares_up_to(0).is_err());
        assert!(
            read("2,0\n", Weight::Jobs)
                .unwrap()
                .shares_up_to(9)
                .is_err()
        );
        assert!(
            read("2,0.0\n", Weight::Jobs)
                .unwrap()
                .shares_up_to(9)
                .is_err()
        );
        assert!(read("", Weight::Jobs).is_err());
        assert!(Sizes::log_uniform().shares_up_to(1).is_err());
        let error = Sizes::log_uniform()
            .shares_up_to(u32::MAX)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("`log-uniform`: found sizes up to 4294967295; expected at most"));
    }

    proptest! {
        #[test]
        fn shares_are_a_distribution(
            table in prop::collection::btree_map(1u32..200, 0u64..1000, 1..40), n in 2u32..220,
        ) {
            let sizes = Sizes::of_jobs("t", table.clone());
            let total: u64 = table.range(2..=n).map(|(_, count)| count).sum();
            match sizes.shares_up_to(n) {
                Err(_) => prop_assert_eq!(total, 0),
                Ok(shares) => {
                    prop_assert!(shares.is_sorted_by(|a, b| a.0 < b.0));
                    for (size, share) in &shares {
                        prop_assert!((2..=n).contains(size));
                        prop_assert_eq!(*share, table[size] as f64 / total as f64);
                    }
                    prop_assert!((shares.iter().map(|s| s.1).sum::<f64>() - 1.0).abs() < 1e-12);
                }
            }
            let uniform = Sizes::log_uniform().shares_up_to(n).unwrap();
            prop_assert_eq!(uniform.len(), n as usize - 1);
            prop_assert!((uniform.iter().map(|s| s.1).sum::<f64>() - 1.0).abs() < 1e-12);
            let constant = 2.0 * uniform[0].1;
            prop_assert!(uniform.iter().all(|(s, p)| (p * f64::from(*s) - constant).abs() < 1e-14));
        }
    }
}
