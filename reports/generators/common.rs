//! What generators of schedules share: machines, and jobs that arrive at random.

use nodeorder::allocator::AllocatorContext;
use nodeorder::metric::rank_distances::RankDistances;
use nodeorder::random::{below, generator};
use nodeorder::schedule::{Outputs, ScheduleResult, Settings, Task, simulate};
use nodeorder::topology::Context;
use nodeorder::trace::{Options, Trace};
use nodeorder::{NodeOrder, Result, Topology, catalog};

/// A machine with an ordering, ready for schedules.
pub struct Machine {
    pub topology: Topology,
    pub order: NodeOrder,
    pub distances: RankDistances,
}

impl Machine {
    pub fn new(spec: &str, order: &str) -> Result<Self> {
        let topology = catalog::topology(spec, &Context::default())?;
        let order = NodeOrder::make(&topology, order)?;
        let distances = RankDistances::new(&topology, &order)?;
        Ok(Machine { topology, order, distances })
    }

    pub fn nodes(&self) -> u32 {
        self.distances.len()
    }

    pub fn site(&self) -> AllocatorContext<'_> {
        AllocatorContext {
            topology: &self.topology,
            order: &self.order,
            distances: &self.distances,
        }
    }

    pub fn run(
        &self,
        tasks: &[Task],
        policy: &str,
        allocator: &str,
        model: &str,
    ) -> Result<ScheduleResult> {
        let outputs = Outputs { placement: true, ranks: true, ..Outputs::default() };
        simulate(&self.site(), tasks, &Settings { policy, allocator, model, outputs }, &|_| ())
    }

    pub fn tasks(&self, trace: &str, procs_per_node: u32) -> Result<Vec<Task>> {
        let options = Options { procs_per_node, nodes: Some(self.nodes()), ..Options::default() };
        Ok(Task::of(&Trace::read(trace.as_ref(), &options)?))
    }
}

/// Jobs that arrive as a Poisson process, `rate` a second, of sizes drawn evenly from `sizes` and run times drawn
/// evenly between two, which are requested. The tasks' second is a millisecond here, so that arrivals are told
/// apart.
pub fn poisson(jobs: u32, rate: f64, sizes: &[u32], run: [i64; 2], seed: u64) -> Vec<Task> {
    let mut random = generator(seed);
    let mut at = 0.0;
    (0..jobs)
        .map(|i| {
            let uniform = (below(1 << 53, &mut random) as f64 + 0.5) / (1u64 << 53) as f64;
            at -= uniform.ln() / rate;
            let nodes = sizes[below(sizes.len() as u64, &mut random) as usize];
            let submit = (at * 1000.0).round() as i64;
            let run = match run[1] - run[0] {
                0 => run[0],
                more => run[0] + below(more as u64 + 1, &mut random) as i64,
            };
            Task { id: i64::from(i) + 1, submit, run, requested: run, nodes }
        })
        .collect()
}
