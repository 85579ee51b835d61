//! Options of the benchmarks, and the messages and operations of an iteration.

use crate::mapping::guest::patterns::{parse_processes, parse_volume};
use crate::mapping::guest::{Benchmark, BuildGuest, Guest, MAX_PROCESSES, Message, Stage};
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Context;

/// Problem sizes, the default first, then from small to large.
pub const CLASSES: &[&str] = &["C", "S", "W", "A", "B", "D"];

/// Options that [`Instance::parse`] reads.
pub const OPTIONS: [Opt; 4] = [
    crate::mapping::guest::patterns::N,
    Opt::one_of("class", CLASSES, "problem size"),
    Opt::whole("idle", "processes more, that neither send nor get").default_value("0"),
    Opt::number("volume", "what a byte counts").default_value("1"),
];

/// Options of a benchmark.
#[derive(Clone, Copy)]
pub struct Instance {
    /// Number of processes that communicate.
    pub n: u32,
    /// Number of processes that do not.
    idle: u32,
    /// Volume of a byte.
    volume: f64,
    /// Index of the class in [`CLASSES`].
    class: usize,
}

impl Instance {
    /// Reads the options.
    pub fn parse(params: &Params) -> Result<Self> {
        let n = parse_processes(params)?;
        let class = params.required_choice("class")?;
        Ok(Instance {
            n,
            idle: params.required_integer("idle", 0, MAX_PROCESSES - n)?,
            volume: parse_volume(params)?,
            class: CLASSES.iter().position(|c| *c == class).unwrap_or(0),
        })
    }

    /// Picks the value of this class from a list of one value for each class.
    pub fn class_value<T: Copy>(&self, classes: [T; 6]) -> T {
        classes[self.class]
    }
}

/// Function that takes a message: its stage, target and bytes.
pub type SendMessage<'a> = &'a mut dyn FnMut(usize, u32, f64);

/// Messages and operations of a benchmark's iteration.
pub struct BenchmarkTraffic {
    /// Options of the benchmark.
    pub run: Instance,
    /// Bytes from each process to each other, where the benchmark sends nothing else; else `None`.
    pub all_to_all: Option<f64>,
    /// Estimated number of sends of a process, for the memory that the messages take.
    pub each: u32,
    /// Number of messages that a process sends a partner, one after the other, by stage of an iteration.
    pub messages: Vec<u32>,
    /// Lists all that a process sends; the bytes are those of all messages of the stage to that partner.
    pub sends: Box<dyn Fn(u32, SendMessage<'_>)>,
    /// Number of iterations of a run.
    pub iterations: u32,
    /// Number of operations of all processes in an iteration.
    pub operations: f64,
}

impl BuildGuest for BenchmarkTraffic {
    /// Makes the guest of all messages of an iteration; those of a pair are added up.
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        // Nothing is listed for all-to-all traffic: its cost does not grow with the number of pairs.
        if let (Some(bytes), 0) = (self.all_to_all, self.run.idle) {
            let volume = bytes * self.run.volume;
            return Ok(Guest::all_to_all(label, self.run.n, volume));
        }
        let mut messages = Vec::new();
        self.for_each_message(context, |_, message| messages.push(message))?;
        Guest::from_messages(label, self.run.n + self.run.idle, messages)
    }
}

impl BenchmarkTraffic {
    /// Calls `visit` with every message and its stage. Fails if more memory is needed than allowed.
    fn for_each_message(
        &self,
        context: &Context,
        mut visit: impl FnMut(usize, Message),
    ) -> Result<()> {
        // Checked before anything is listed; merging takes about as much again.
        let bytes = u64::from(self.run.n) * u64::from(self.each) * size_of::<Message>() as u64;
        context.require_memory("the guest's messages", 2 * bytes)?;
        for source in 0..self.run.n {
            (self.sends)(source, &mut |stage, target, bytes| {
                let volume = bytes * self.run.volume;
                visit(
                    stage,
                    Message {
                        source,
                        target,
                        volume,
                    },
                );
            });
        }
        Ok(())
    }

    /// Makes the benchmark: the messages of an iteration stage by stage, and its operations.
    pub fn make_benchmark(&self, label: &str, context: &Context) -> Result<Benchmark> {
        let mut lists = vec![Vec::new(); self.messages.len()];
        self.for_each_message(context, |stage, message| lists[stage].push(message))?;
        let processes = self.run.n + self.run.idle;
        let mut stages = Vec::new();
        for (list, messages) in lists.into_iter().zip(&self.messages) {
            let guest = Guest::from_messages(label, processes, list)?;
            // On few processes some stages have no partner.
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
