//! Machines, which all generators of schedules use.

use nodeorder_base::error::Result;
use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{ScheduleResult, Settings, Task, simulate};
use nodeorder_network::catalog;
use nodeorder_network::topology::Context;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_trace::{Options, Trace};

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
        Ok(Machine {
            topology,
            order,
            distances,
        })
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
        simulate(
            &self.site(),
            tasks,
            &Settings {
                policy,
                allocator,
                model,
                metrics: true,
                figures: FigureSet {
                    ranks: true,
                    ..FigureSet::default()
                },
                timeline: false,
                rules: None,
            },
            &|_| (),
        )
    }

    pub fn tasks(&self, trace: &str, procs_per_node: u32) -> Result<Vec<Task>> {
        let options = Options {
            procs_per_node,
            nodes: Some(self.nodes()),
            ..Options::default()
        };
        Ok(Task::from_trace(&Trace::read(trace.as_ref(), &options)?))
    }
}
