//! Options of the benchmarks, and what they do in an iteration.

use crate::mapping::guest::patterns::{parse_processes, parse_volume};
use crate::mapping::guest::{Benchmark, BuildGuest, Guest, MAX_PROCESSES, Message, Stage, Traffic};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Context;

/// The problem sizes, largest last but for the default.
pub(super) const CLASSES: &[&str] = &["C", "S", "W", "A", "B", "D"];

/// The options of [`Instance::parse`], and `n`.
pub(super) const OPTIONS: [Opt; 4] = [
    crate::mapping::guest::patterns::N,
    Opt::one_of("class", CLASSES, "problem size"),
    Opt::whole("idle", "processes more, that neither send nor get").or("0"),
    Opt::number("volume", "what a byte counts").or("1"),
];

/// The options of a benchmark as read.
#[derive(Clone, Copy)]
pub(super) struct Instance {
    /// Processes that communicate.
    pub n: u32,
    /// Processes that do not.
    idle: u32,
    /// Volume of a byte.
    volume: f64,
    /// The place of the class in [`CLASSES`].
    class: usize,
}

impl Instance {
    pub fn parse(params: &Params) -> Result<Self> {
        let n = parse_processes(params)?;
        let class = params.choice("class")?;
        Ok(Instance {
            n,
            idle: params.whole("idle", 0, MAX_PROCESSES - n)?,
            volume: parse_volume(params)?,
            class: CLASSES.iter().position(|c| *c == class).unwrap_or(0),
        })
    }

    /// The value of this class, of one value a class.
    pub fn of<T: Copy>(&self, classes: [T; 6]) -> T {
        classes[self.class]
    }
}

/// Called with a stage, a target and bytes.
pub(super) type Send<'a> = &'a mut dyn FnMut(usize, u32, f64);

/// Messages and operations of a benchmark's iteration.
pub(super) struct Work {
    pub(super) run: Instance,
    /// Bytes from each process to each other, where the benchmark sends nothing else.
    pub(super) all_to_all: Option<f64>,
    /// Sends of a process, about.
    pub(super) each: u32,
    /// By stage of an iteration, the messages that a process sends a partner, one after the other.
    pub(super) messages: Vec<u32>,
    /// Calls with all that a process sends; the bytes are those of all messages of the stage to that partner.
    pub(super) sends: Box<dyn Fn(u32, Send<'_>)>,
    pub(super) iterations: u32,
    /// Operations of all processes in an iteration.
    pub(super) operations: f64,
}

impl BuildGuest for Work {
    /// Makes the guest of all messages of an iteration; those of a pair are added up.
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        // Nothing is listed for all-to-all traffic: its cost does not grow with the number of pairs.
        if let (Some(bytes), 0) = (self.all_to_all, self.run.idle) {
            return Ok(Guest {
                label: label.to_string(),
                processes: self.run.n,
                traffic: Traffic::AllToAll {
                    volume: bytes * self.run.volume,
                },
            });
        }
        let mut messages = Vec::new();
        self.for_each(context, |_, message| messages.push(message))?;
        Guest::merge(label, self.run.n + self.run.idle, messages)
    }
}

impl Work {
    fn for_each(&self, context: &Context, mut visit: impl FnMut(usize, Message)) -> Result<()> {
        // Checked before anything is listed; merging takes about as much again.
        let bytes = u64::from(self.run.n) * u64::from(self.each) * size_of::<Message>() as u64;
        context.require("the guest's messages", 2 * bytes)?;
        for source in 0..self.run.n {
            let mut send = |stage, target, bytes: f64| {
                visit(
                    stage,
                    Message {
                        source,
                        target,
                        volume: bytes * self.run.volume,
                    },
                );
            };
            (self.sends)(source, &mut send);
        }
        Ok(())
    }

    /// Lists messages and operations of an iteration, stage by stage.
    pub fn benchmark(&self, label: &str, context: &Context) -> Result<Benchmark> {
        let mut lists = vec![Vec::new(); self.messages.len()];
        self.for_each(context, |stage, message| lists[stage].push(message))?;
        let processes = self.run.n + self.run.idle;
        let mut stages = Vec::new();
        for (list, messages) in lists.into_iter().zip(&self.messages) {
            let guest = Guest::merge(label, processes, list)?;
            if *messages > 0 && guest.pair_count() > 0 {
                stages.push(Stage {
                    messages: *messages,
                    guest,
                });
            }
        }
        Ok(Benchmark {
            iterations: self.iterations,
            operations: self.operations / f64::from(self.run.n),
            stages,
        })
    }
}
