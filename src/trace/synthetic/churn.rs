//! Placement logs of a machine in use: jobs come, wait until they fit, and go.

use std::fmt::Write;

use super::draw::Sampler;
use super::profile;
use super::profile::SizeSource;
use super::{Format, GenerateWorkload, GeneratedWorkload, GeneratorEntry};
use nodeorder_base::params::SEED;
use nodeorder_base::random::{Generator, random_below, random_unit, seed_generator};
use nodeorder_base::{Opt, Params, Result};

/// `hector:placements=300000,nodes=2816,load=0.9,seed=1`: a log with the job sizes of HECToR, mean 10.117,
/// a second peak at 9-16 nodes, largest 2,048 (formula and source: `profile.rs`; machines smaller than that see
/// the sizes that fit). For the process see [`LOG`].
pub const HECTOR: GeneratorEntry = GeneratorEntry {
    name: "hector",
    about: "placement log with HECToR-like sizes: mean 10.1, second peak at 9-16, to 2,048",
    example: "hector:placements=300000,nodes=2816,load=0.9",
    options: &machine_options("2816", "300000"),
    parse: |params| parse(params, SizeSource::Table(profile::hector_sizes())),
};

/// `hector-ten:placements=100000,nodes=2816,load=0.75,seed=1`: a log with job sizes of mean 10.1 of which 124 are above
/// 10 nodes, as published of HECToR (`profile.rs`, with what was fitted on what). For the process see [`LOG`].
pub const HECTOR_TEN: GeneratorEntry = GeneratorEntry {
    name: "hector-ten",
    about: "placement log with HECToR-like sizes: mean 10.1 and 124 sizes above 10 nodes, to 2,048",
    example: "hector-ten:placements=100000,nodes=2816,load=0.75",
    options: &machine_options("2816", "100000"),
    parse: |params| parse(params, SizeSource::Table(profile::ten_sizes())),
};

/// `hector-year:placements=400000,nodes=2816,load=0.5,seed=1`: a log with job sizes as a year of HECToR must have
/// had them, mean 12.13, 124 sizes above 10 nodes and each often (`profile.rs`). For the process see [`LOG`].
pub const HECTOR_YEAR: GeneratorEntry = GeneratorEntry {
    name: "hector-year",
    about: "placement log with HECToR-like sizes of which 124 above 10 nodes are frequent: mean 12.1, to 2,048",
    example: "hector-year:placements=400000,nodes=2816,load=0.5",
    options: &machine_options("2816", "400000"),
    parse: |params| parse(params, SizeSource::Table(profile::year_sizes())),
};

/// `nersc:placements=300000,nodes=6528,load=0.9,seed=1`: a log with the job sizes of Hopper at NERSC,
/// mean 2.9921, largest 1,024. For the process see [`LOG`].
pub const NERSC: GeneratorEntry = GeneratorEntry {
    name: "nersc",
    about: "placement log with NERSC-like sizes: mean 3.0, peak at 1, to 1,024",
    example: "nersc:placements=300000,nodes=6528,load=0.9",
    options: &machine_options("6528", "300000"),
    parse: |params| parse(params, SizeSource::Table(profile::nersc_sizes())),
};

/// `log:sizes=FILE,nodes=N,placements=100000,load=0.9,overflow=false,seed=1`: a log with sizes of any
/// distribution.
///
/// The process, with lifetimes of mean 1: jobs arrive at the rate λ = load · nodes / mean size, queue, and are
/// placed in order of arrival, a job that does not fit waiting, with all behind it, until it does; every job
/// placed ends at the rate 1 (so lifetimes are exponential). The log is the jump chain of this process: with L
/// live jobs the next event is an arrival with probability λ/(λ+L), else the end of one of them, each equally
/// likely. The machine starts empty; after the last of exactly `placements` placements it empties.
///
/// `load` is the offered load: above what the queue can carry (below 1 where large jobs must wait for the machine to
/// drain) the queue grows and the machine is as full as waiting jobs allow. Sizes above `nodes` are left out of the
/// distribution. With `overflow=true` they are not, no job waits, and the log holds jobs that do not fit at their
/// time.
pub const LOG: GeneratorEntry = GeneratorEntry {
    name: "log",
    about: "placement log with sizes of a file, a list or a formula, at an offered load",
    example: "log:sizes=log-uniform,nodes=1024,placements=100000,load=0.9",
    options: &[
        profile::SIZES,
        NODES,
        PLACEMENTS.default_value("100000"),
        LOAD,
        OVERFLOW,
        SEED,
    ],
    parse: |params| parse(params, SizeSource::parse(params)?),
};

/// Lists the options of a machine, with the default numbers of its `nodes` and of the jobs' `placements`.
const fn machine_options(nodes: &'static str, placements: &'static str) -> [Opt; 5] {
    [
        NODES.default_value(nodes),
        PLACEMENTS.default_value(placements),
        LOAD,
        OVERFLOW,
        SEED,
    ]
}

const NODES: Opt = Opt::whole("nodes", "nodes of the machine");

const PLACEMENTS: Opt = Opt::whole("placements", "jobs placed");

const LOAD: Opt = Opt::number("load", "offered load, 0.001 to 2").default_value("0.9");

const OVERFLOW: Opt = Opt::flag(
    "overflow",
    "no job waits: the log holds jobs that do not fit",
);

struct ChurnOptions {
    sizes: SizeSource,
    nodes: u32,
    placements: u64,
    load: f64,
    overflow: bool,
    seed: u64,
}

fn parse(params: &Params, sizes: SizeSource) -> Result<Box<dyn GenerateWorkload>> {
    Ok(Box::new(ChurnOptions {
        sizes,
        nodes: params.required_integer("nodes", 1, 1 << 31)?,
        placements: params.required_integer("placements", 1, 1_000_000_000_000)?,
        load: params.required_real("load", 0.001, 2.0)?,
        overflow: params.is_set("overflow")?,
        seed: params.seed()?,
    }))
}

impl GenerateWorkload for ChurnOptions {
    fn generate(&self) -> Result<GeneratedWorkload> {
        let &ChurnOptions {
            nodes,
            placements,
            load,
            overflow,
            seed,
            ..
        } = self;
        let sizes = self.sizes.read()?;
        let largest = match sizes.count_table() {
            // Jobs that no machine of this size could hold are wanted then, too.
            Some(table) if overflow => table.last().map_or(nodes, |(size, _)| *size),
            _ => nodes,
        };
        let sampler = Sampler::new(&sizes, largest)?;
        let header = format!(
            "# placement log, synthetic: sizes {}, nodes {nodes}, load {load}, placements {placements}, \
             overflow {overflow}, seed {seed}\n# mean size {}, largest {}\n",
            sizes.name(),
            sampler.mean,
            sampler.largest_size()
        );
        let mut churn = Churn {
            rate: load * f64::from(nodes) / sampler.mean,
            sampler,
            random: seed_generator(seed),
            free: if overflow { None } else { Some(nodes) },
            left: placements,
            placed: 0,
            waiting: 0,
            head: None,
            live: Vec::new(),
        };
        Ok(GeneratedWorkload::write_events(
            Format::Log,
            header,
            move |text| churn.write_event(text),
        ))
    }
}

struct Churn {
    rate: f64,
    sampler: Sampler,
    random: Generator,
    /// Nodes that are free, where jobs wait for them.
    free: Option<u32>,
    left: u64,
    placed: u64,
    /// Jobs that have arrived and are not placed.
    waiting: u64,
    /// The size of the first of them, once it is known.
    head: Option<u32>,
    /// Number and size of the live jobs, in no order.
    live: Vec<(u64, u32)>,
}

impl Churn {
    /// Writes the next event; false at the end.
    fn write_event(&mut self, text: &mut String) -> bool {
        while self.left > 0 {
            if self.waiting > 0 {
                // Drawn when the job is first in the queue, not when it comes: a queue of any length is one
                // number.
                let size = match self.head {
                    Some(size) => size,
                    None => self.sampler.draw_size(&mut self.random),
                };
                self.head = Some(size);
                if self.free.is_none_or(|free| size <= free) {
                    self.place_job(size, text);
                    return true;
                }
            }
            let arrival =
                random_unit(&mut self.random) * (self.rate + self.live.len() as f64) < self.rate;
            // Without live jobs only an arrival can come; rounding could deny it.
            if arrival || self.live.is_empty() {
                self.waiting += 1;
            } else {
                self.end_job(text);
                return true;
            }
        }
        let more = !self.live.is_empty();
        if more {
            self.end_job(text);
        }
        more
    }

    fn place_job(&mut self, size: u32, text: &mut String) {
        self.placed += 1;
        self.left -= 1;
        self.waiting -= 1;
        self.head = None;
        self.free = self.free.map(|free| free - size);
        self.live.push((self.placed, size));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "P {} {size}", self.placed);
    }

    fn end_job(&mut self, text: &mut String) {
        let index = random_below(self.live.len() as u64, &mut self.random) as usize;
        let (job, size) = self.live.swap_remove(index);
        self.free = self.free.map(|free| free + size);
        let _ = writeln!(text, "F {job}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::survey_log;
    use crate::{Block, Event, Log};

    fn text(spec: &str) -> String {
        GeneratedWorkload::generate_workload(spec, 1)
            .unwrap()
            .collect()
    }

    /// Mean busy nodes over the time of the process, from the log alone: ends come at the rate of the number of
    /// live jobs, so each end stands for 1/live of time. The first and the last part of the log, where the
    /// machine fills and empties, are left out.
    fn busy(text: &str) -> f64 {
        let mut log = Log::new("w", text);
        let mut block = Block::default();
        log.next_block(usize::MAX, &mut block).unwrap();
        let mut sizes = vec![0; block.events.len()];
        let mut nodes = 0u64;
        let mut live = 0u32;
        let mut sum = 0.0;
        let mut time = 0.0;
        let from = block.events.len() / 10;
        let to = block.events.len() / 10 * 9;
        for (i, event) in block.events.iter().enumerate() {
            match *event {
                Event::Place { job, nodes: size } => {
                    sizes[job.index()] = size;
                    nodes += u64::from(size);
                    live += 1;
                }
                Event::Down | Event::Up => {}
                Event::Free { job } => {
                    if (from..to).contains(&i) {
                        sum += nodes as f64 / f64::from(live);
                        time += 1.0 / f64::from(live);
                    }
                    nodes -= u64::from(sizes[job.index()]);
                    live -= 1;
                }
            }
        }
        sum / time
    }

    #[test]
    fn a_log_has_its_jobs_and_never_overflows() {
        for (spec, nodes, mean) in [
            ("hector:placements=60000", 2816, 10.117),
            ("nersc:placements=60000", 6528, 2.9921),
            (
                "log:sizes=4x16x64x64,nodes=256,placements=20000,load=1.5",
                256,
                37.0,
            ),
            ("hector:placements=20000,nodes=16", 16, 6.4),
        ] {
            let survey = survey_log(Log::new("w", text(spec))).unwrap();
            assert_eq!(survey.placements, survey.frees);
            assert_eq!(
                survey.placements,
                if spec.contains("60000") {
                    60_000
                } else {
                    20_000
                }
            );
            assert!(
                survey.most_nodes <= nodes && survey.most_nodes > nodes * 9 / 10,
                "{survey:?}"
            );
            let sum: u64 = survey
                .sizes
                .iter()
                .map(|(size, count)| u64::from(*size) * count)
                .sum();
            let seen = sum as f64 / survey.placements as f64;
            // The deviations of the sizes are 45, 20, 28 and 6: within four standard errors.
            assert!((seen - mean).abs() < 0.08 * mean, "{spec}: mean {seen}");
        }
    }

    #[test]
    fn the_machine_is_as_busy_as_asked() {
        // One node a job: a queue with 400 servers, where almost nobody waits. Exactly load · nodes then.
        let seen = busy(&text("log:sizes=1,nodes=400,load=0.8,placements=100000"));
        assert!((seen - 320.0).abs() < 4.0, "{seen}");
        let seen = busy(&text("nersc:placements=200000")) / 6528.0;
        assert!((seen - 0.9).abs() < 0.02, "{seen}");
        // Sizes scatter widely here: the mean of 200,000 has a standard error of 1 %.
        let seen = busy(&text("hector:placements=200000")) / 2816.0;
        assert!((seen - 0.9).abs() < 0.03, "{seen}");
    }

    #[test]
    fn overflow_is_there_on_request_only() {
        let spec = "log:sizes=4x16x64,nodes=40,placements=3000";
        let none = survey_log(Log::new("w", text(spec))).unwrap();
        assert!(none.most_nodes <= 40 && !none.sizes.contains_key(&64));
        let some = survey_log(Log::new("w", text(&format!("{spec},overflow=true")))).unwrap();
        assert!(some.most_nodes > 40 && some.sizes.contains_key(&64));
        assert_eq!((some.placements, some.frees), (3000, 3000));
    }
}
