//! Synthetic workloads: seeded, streamed, the same bytes on every machine.

use std::fmt;

use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_base::registry::{Entry, Registry};

mod churn;
mod draw;
mod poisson;
mod profile;

/// The format that a generator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A placement log.
    Log,
    /// A trace in the Standard Workload Format.
    Swf,
}

/// A workload being made: an iterator over pieces of its text, each of whole lines.
pub struct GeneratedWorkload {
    /// The format of the text.
    pub format: Format,
    pieces: Box<dyn Iterator<Item = String> + Send>,
}

impl Iterator for GeneratedWorkload {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.pieces.next()
    }
}

impl fmt::Debug for GeneratedWorkload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeneratedWorkload")
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// Options of a workload, read and checked.
pub trait GenerateWorkload {
    /// Starts the workload.
    ///
    /// # Errors
    /// A file of sizes that cannot be read; no size that fits on the machine.
    fn generate(&self) -> Result<GeneratedWorkload>;
}

/// A generator of workloads: an entry of [`GENERATORS`].
pub type GeneratorEntry = Entry<ParseWorkload>;

type ParseWorkload = fn(&Params) -> Result<Box<dyn GenerateWorkload>>;

/// Every generator.
pub static GENERATORS: Registry<ParseWorkload> = Registry::new(
    "workload",
    "",
    &[
        churn::HECTOR,
        churn::HECTOR_YEAR,
        churn::NERSC,
        churn::LOG,
        poisson::POISSON,
    ],
);

/// Bytes of a piece, and room for the last line of it.
const PIECE: usize = 1 << 16;
const LINE: usize = 256;

impl GeneratedWorkload {
    /// Writes a header, then what `write` writes, an event a call, until it has none left.
    fn write_events(
        format: Format,
        header: String,
        mut write: impl FnMut(&mut String) -> bool + Send + 'static,
    ) -> GeneratedWorkload {
        let pieces = std::iter::from_fn(move || {
            let mut text = String::with_capacity(PIECE);
            while text.len() < PIECE - LINE && write(&mut text) {}
            (!text.is_empty()).then_some(text)
        });
        GeneratedWorkload {
            format,
            pieces: Box::new(std::iter::once(header).chain(pieces)),
        }
    }

    /// Makes the workload of a specification such as `hector:placements=300000,nodes=2816,load=0.9,seed=1`;
    /// `seed` is taken where it names none.
    ///
    /// # Errors
    /// An unknown generator or key, a value out of its range, a file of sizes that cannot be read.
    ///
    /// # Complexity
    /// Constant memory, O(log sizes) time a job.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_trace::GeneratedWorkload;
    ///
    /// let log: String = GeneratedWorkload::generate_workload("nersc:placements=10,nodes=64", 1)?.collect();
    /// assert_eq!(log.lines().filter(|line| line.starts_with("P ")).count(), 10);
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn generate_workload(spec: &str, seed: u64) -> Result<GeneratedWorkload> {
        let (generator, params) = GENERATORS.find_and_read(spec, seed)?;
        (generator.parse)(&params)?.generate()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Log, Options, Trace, WorkloadKind, detect_kind, survey::survey_log};
    use super::*;
    use nodeorder_base::input::Lines;

    #[test]
    fn every_example_makes_what_it_says() {
        for generator in &GENERATORS {
            let small = generator
                .example
                .replace("300000", "2000")
                .replace("400000", "2000")
                .replace("100000", "2000");
            let workload = GeneratedWorkload::generate_workload(&small, 1).unwrap();
            let format = workload.format;
            let text: String = workload.collect();
            let jobs = match detect_kind(&mut Lines::new("w", text.as_str())).unwrap() {
                WorkloadKind::Log if format == Format::Log => {
                    let survey = survey_log(Log::new("w", text.as_str())).unwrap();
                    assert_eq!(survey.placements, survey.frees);
                    survey.placements
                }
                WorkloadKind::Swf if format == Format::Swf => {
                    let trace = Trace::new("w", text.as_str(), &Options::default()).unwrap();
                    assert_eq!(trace.tally().dropped_lines(), 0);
                    trace.jobs().len() as u64
                }
                other => panic!("{small}: {other:?} for {format:?}"),
            };
            assert_eq!(jobs, 2000, "{small}");
            let again: String = GeneratedWorkload::generate_workload(&small, 1)
                .unwrap()
                .collect();
            assert_eq!(again, text);
        }
    }

    #[test]
    fn examples_parse_and_options_are_read() {
        nodeorder_base::registry::testing::check_table(&GENERATORS, |entry, params| {
            (entry.parse)(params).map(drop)
        });
    }

    #[test]
    fn the_seed_of_the_run_counts_where_none_is_named() {
        let text = |spec: &str, seed| {
            let all: String = GeneratedWorkload::generate_workload(spec, seed)
                .unwrap()
                .collect();
            all.lines()
                .filter(|l| !l.starts_with(['#', ';']))
                .map(|l| l.to_string() + "\n")
                .collect::<String>()
        };
        let plain = "nersc:placements=200,nodes=64";
        assert_ne!(text(plain, 1), text(plain, 2));
        assert_eq!(text(plain, 2), text(&format!("{plain},seed=2"), 1));
    }

    #[test]
    fn bad_specifications_are_refused() {
        let cases = [
            ("hektor", "did you mean `hector`?"),
            ("hector:placement=3", "did you mean `placements`?"),
            ("hector:placements=0", "expected a whole number from 1"),
            ("hector:load=0", "expected a number from 0.001 to 2"),
            ("hector:nodes=many", "expected a whole number from 1"),
            ("hector:sizes=4", "unknown key for hector `sizes`"),
            ("log:nodes=9,placements=3", "no `sizes`"),
            ("log:sizes=4x0,nodes=9", "sizes[1] = 0"),
            ("log:sizes=64,nodes=9", "no job of 1 to 9 nodes"),
            ("log:sizes=4", "no `nodes`"),
            ("log:sizes=log-uniform,nodes=1", "no job of 1 to 1 nodes"),
            (
                "log:sizes=/nowhere/sizes.csv,nodes=9",
                "/nowhere/sizes.csv: opening",
            ),
            ("poisson:sizes=4,rate=0", "expected a number from"),
            ("poisson:sizes=4,runtime=gamma", "unknown runtime `gamma`"),
            ("poisson:sizes=4,sigma=2", "unknown key for poisson `sigma`"),
            ("poisson:sizes=log-uniform", "no `nodes`"),
            ("poisson:sizes=4,estimate=0.5", "expected a number from 1"),
        ];
        for (spec, message) in cases {
            let error = GeneratedWorkload::generate_workload(spec, 1)
                .unwrap_err()
                .to_string();
            assert!(error.contains(message), "{spec}: {error}");
        }
    }
}
