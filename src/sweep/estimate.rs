//! Estimated seconds of a plan's cells: by nodes, jobs, and what places, queues and times them.

use super::inputs::PlanWorkload;
use super::lists::{CellSpec, PlanLists, item_at};
use super::plan::Plan;
use nodeorder_base::Result;
use nodeorder_base::input::is_packed;
use nodeorder_network::Context;
use nodeorder_trace::GeneratedWorkload;

/// Microseconds of making a machine and its distances, for each node.
const NODE: f64 = 3.0;
/// Microseconds of placing a job.
const JOB: f64 = 10.0;
/// Microseconds of the slowdowns of a guest, for each node and tiling: of a dragonfly of 16,512 nodes in random order
/// 7.3 s, in compact orders a tenth of it.
const TILED_NODE: f64 = 100.0;
/// Bytes of a usual line of a log.
const LINE: u64 = 50;
/// Factors of a job's time by what places it, queues it and says how long it runs; 1 for all others. Measured:
/// `reports/2026-11-24-install`.
const FACTORS: [(&str, f64); 10] = [
    ("dilation", 250.0),
    ("gen-alg", 30.0),
    ("kueue-tas", 3.0),
    ("mc1x1", 3.0),
    ("mbs", 2.0),
    ("conservative", 2.0),
    ("window-", 3.0),
    ("network", 20.0),
    ("level=flow", 60.0),
    ("detail=flow", 60.0),
];

/// Estimates of the time that cells of a plan take on one thread.
pub struct CostEstimate<'p> {
    plan: &'p Plan,
    /// Number of jobs of each workload, about.
    jobs: Vec<u64>,
}

impl<'p> CostEstimate<'p> {
    /// Reads how large the workloads of `plan` are.
    ///
    /// # Errors
    /// Generators that make no workload.
    pub fn new(plan: &'p Plan, context: &Context) -> Result<Self> {
        let jobs = plan
            .lists
            .workloads
            .iter()
            .map(|workload| Ok(count_bytes(workload, context)? / LINE));
        Ok(CostEstimate {
            plan,
            jobs: jobs.collect::<Result<_>>()?,
        })
    }

    /// Estimates how many tasks of `seconds` each the plan makes: at least one, and no more than it has cells.
    pub fn count_tasks(&self, seconds: f64) -> u32 {
        let cells = self.plan.cells().len();
        let all: f64 = (0..cells).map(|cell| self.estimate_seconds(cell)).sum();
        // A shard without a cell would be a task for nothing.
        (all / seconds)
            .ceil()
            .clamp(1.0, cells.clamp(1, 1_000_000) as f64) as u32
    }

    /// Estimates the seconds of a cell.
    pub fn estimate_seconds(&self, cell: usize) -> f64 {
        let cell = self.plan.cells().get(cell);
        let nodes = self.plan.remarks.nodes[cell.topology];
        let jobs = *item_at(&self.jobs, cell.spec.workload).unwrap_or(&0);
        let factor = slow_down(&self.plan.lists, &cell.spec);
        // A microsecond for the cell itself: no cell takes no time, though curves and mappings have no jobs.
        let tilings = item_at(&self.plan.lists.tilings, cell.spec.tilings);
        let tilings: f64 = tilings.and_then(|text| text.parse().ok()).unwrap_or(0.0);
        let each_node = NODE + TILED_NODE * tilings;
        1e-6 * (1.0 + each_node * nodes as f64 + JOB * jobs as f64 * factor)
    }
}

/// Estimates the bytes of a workload, unpacked. Fails if its generator makes none.
fn count_bytes(workload: &PlanWorkload, context: &Context) -> Result<u64> {
    let Some(spec) = &workload.generator else {
        // Reading a large log only to count its jobs would take longer than the estimate is worth. Packed text is
        // taken to be an eighth of its size.
        let packed = if is_packed(&workload.path) { 8 } else { 1 };
        return Ok(packed * std::fs::metadata(&workload.path).map_or(0, |file| file.len()));
    };
    let mut sum = 0;
    for piece in GeneratedWorkload::generate_workload(&spec.located, context.seed)? {
        sum += piece.len() as u64;
        // A workload beyond the memory is refused where it is run.
        if sum > context.memory {
            break;
        }
    }
    Ok(sum)
}

/// Computes the factor of a job's time by the names of its allocator, policy and model.
fn slow_down(lists: &PlanLists, spec: &CellSpec) -> f64 {
    let names = [
        item_at(&lists.allocators, spec.allocator).map(|allocator| &allocator.text),
        item_at(&lists.policies, spec.policy),
        item_at(&lists.models, spec.model).map(|model| &model.text),
    ];
    let mut factor = 1.0;
    for (name, slower) in FACTORS {
        // Anywhere in the text: `level=flow` is an option, and `window-` begins the names of several policies.
        if names.iter().flatten().any(|text| text.contains(name)) {
            factor *= slower;
        }
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Text;

    fn estimate_seconds(topology: &str, allocator: &str, policy: &str, model: &str) -> f64 {
        let context = Context::default();
        let text = format!(
            "topologies = ['{topology}']\norderings = ['snake']\nallocators = ['{allocator}']\n\
             policies = ['{policy}']\nmodels = ['{model}']\ntraces = ['poisson:jobs=500,sizes=4x4']\n"
        );
        let plan = Plan::read(&Text::new("p.toml", text), None, &context).unwrap();
        CostEstimate::new(&plan, &context)
            .unwrap()
            .estimate_seconds(0)
    }

    /// Names of factors are those of entries: each makes a cell slower than `fifo:0` under `fcfs` is.
    #[test]
    fn slow_entries_are_known_by_name() {
        let plain = estimate_seconds("torus:8x8", "fifo:0", "fcfs", "fixed");
        assert!(plain > 500.0 * 1e-6 && plain < 1.0, "{plain}");
        for allocator in ["dilation", "gen-alg", "kueue-tas", "mc1x1", "mbs"] {
            assert!(
                estimate_seconds("torus:8x8", allocator, "fcfs", "fixed") > plain,
                "{allocator}"
            );
        }
        for policy in ["conservative", "window-bnb", "window-greedy"] {
            assert!(
                estimate_seconds("torus:8x8", "fifo:0", policy, "fixed") > plain,
                "{policy}"
            );
        }
        let network = |options| {
            let model = format!("network:share=0.3,guest=ring{options}");
            estimate_seconds("torus:8x8", "fifo:0", "fcfs", &model)
        };
        assert!(network("") > plain);
        assert!(network(",level=flow") > network(""));
        // Each node of a larger machine counts.
        let more = estimate_seconds("torus:16x8", "fifo:0", "fcfs", "fixed") - plain;
        assert!((more - 64.0 * NODE * 1e-6).abs() < 1e-12, "{more}");
    }
}
