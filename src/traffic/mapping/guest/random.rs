//! Targets drawn at random.

use super::patterns::{N, VOLUME, list_messages, parse_processes, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern};
use nodeorder_base::params::SEED;
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Context;

/// `random:n=64,degree=4,seed=7`: every process to `degree` different others (default 4, or all there
/// are), drawn uniformly.
pub const GUEST: GuestEntry = GuestEntry {
    name: "random",
    about: "every process to degree= others, drawn uniformly with seed=",
    example: "random:n=64,degree=4,seed=7",
    options: &[
        N,
        Opt::whole("degree", "targets of each process").default_in_words("4, or all there are"),
        SEED,
        VOLUME,
    ],
    parse: Pattern::new(parse),
};

/// Options of `random`.
struct RandomTargets {
    processes: u32,
    /// Number of targets of each process.
    degree: u32,
    seed: u64,
    /// Volume of each message.
    volume: f64,
}

/// Reads the options of `random`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let processes = parse_processes(params)?;
    let others = processes - 1;
    Ok(Box::new(RandomTargets {
        processes,
        degree: params
            .optional_integer("degree", 0, others)?
            .unwrap_or(4.min(others)),
        seed: params.seed()?,
        volume: parse_volume(params)?,
    }))
}

impl BuildGuest for RandomTargets {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        let degree = self.degree;
        let mut random = seed_generator(self.seed);
        let mut others = Vec::new();
        list_messages(label, context, n, degree, self.volume, move |i, send| {
            // Floyd's sample of `degree` from the n-1 others, numbered without i.
            others.clear();
            for last in n - 1 - degree..n - 1 {
                let drawn = random_below(u64::from(last) + 1, &mut random) as u32;
                let taken = others.contains(&drawn);
                others.push(if taken { last } else { drawn });
            }
            for other in &others {
                send(other + u32::from(*other >= i));
            }
        })
    }
}
