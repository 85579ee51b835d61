//! The integer program of units that are freed by moves, its relaxation, and a choice without it.

use std::collections::{BTreeMap, BTreeSet};

use good_lp::solvers::WithTimeLimit;
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, SolverModel, Variable,
    constraint, microlp, variable,
};

use super::snapshot::LevelState;

/// Units that may be freed, and the costs of freeing them.
pub(super) struct FreeingProblem<'s> {
    pub level: &'s LevelState,
    pub count: usize,
    pub whole_jobs: bool,
    /// Units that may be freed.
    pub candidates: Vec<usize>,
    /// By job: cost of moving one of its nodes.
    pub node_costs: Vec<f64>,
    /// Cost of moving a job at all, above the cost of all nodes together; 0 if the number of jobs does not count.
    pub job_cost: f64,
    /// By job: number of its nodes, and of its units.
    pub jobs: Vec<(u32, u32)>,
}

/// Answer of the integer program.
pub(super) struct UnitChoice {
    pub units: Vec<usize>,
    pub optimal: bool,
}

impl FreeingProblem<'_> {
    /// Computes the cost of freeing a unit beyond that of the jobs that it touches.
    fn unit_cost(&self, unit: usize) -> f64 {
        if self.whole_jobs {
            return 0.0;
        }
        let held = self.level.units[unit].jobs.iter();
        held.map(|(job, held)| f64::from(held.nodes) * self.node_costs[*job as usize])
            .sum()
    }

    /// Computes the cost of touching a job.
    fn touch_cost(&self, job: u32) -> f64 {
        let job = job as usize;
        let moved = if self.whole_jobs { self.jobs[job].0 } else { 0 };
        self.job_cost + f64::from(moved) * self.node_costs[job]
    }

    /// Converts a cost to the figure that is shown: if jobs count, the number of jobs.
    pub fn shown_cost(&self, cost: f64) -> f64 {
        if self.job_cost > 0.0 {
            (cost / self.job_cost).floor()
        } else {
            // A sum of nothing is -0.
            cost + 0.0
        }
    }

    /// Lists the jobs of units, each once.
    pub fn jobs_of(&self, units: &[usize]) -> BTreeSet<u32> {
        let units = units.iter().map(|unit| &self.level.units[*unit]);
        units.flat_map(|unit| unit.jobs.keys().copied()).collect()
    }

    /// Computes the cost of freeing units.
    pub fn cost_of(&self, units: &[usize]) -> f64 {
        let jobs = self.jobs_of(units).into_iter();
        let jobs: f64 = jobs.map(|job| self.touch_cost(job)).sum();
        jobs + units.iter().map(|unit| self.unit_cost(*unit)).sum::<f64>()
    }

    /// Chooses units one by one, each time the cheapest beside those chosen, such that all their jobs find room.
    pub fn choose_in_turn(&self) -> Vec<usize> {
        let mut left = self.candidates.clone();
        let mut units = Vec::new();
        while units.len() < self.count && !left.is_empty() {
            let costs = left
                .iter()
                .map(|unit| self.cost_of(&[&units[..], &[*unit]].concat()));
            let cheapest = costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            units.push(left.remove(cheapest.map_or(0, |(i, _)| i)));
            if self.deal_out(&units, 0.0).is_err() {
                units.pop();
            }
        }
        units.sort_unstable();
        units
    }

    /// Computes a cost that no choice is below, from shares of units. `None` if even shares of units cannot be freed.
    pub fn relax(&self) -> Option<f64> {
        let program = FreeingProgram::new(self, false);
        let costs = program.costs.clone();
        let solution = match program.build_model(self, &[]).solve() {
            Ok(solution) => solution,
            Err(ResolutionError::Infeasible) => return None,
            Err(_) => return Some(0.0),
        };
        let cost = solution.eval(&costs);
        // Of whole costs no sum lies between two whole numbers; the solver is not exact to the last digit.
        Some(if self.node_costs.iter().all(|cost| cost.fract() == 0.0) {
            (cost - 1e-6).ceil().max(0.0)
        } else {
            (cost * (1.0 - 1e-9)).max(0.0)
        })
    }

    /// Solves the integer program without the sets of units that cannot be dealt out. `None` if nothing is feasible, or
    /// nothing is found in time.
    pub fn solve(&self, refused: &[Vec<usize>], seconds: f64) -> Option<UnitChoice> {
        let program = FreeingProgram::new(self, true);
        let units = program.units.clone();
        let model = program.build_model(self, refused).with_time_limit(seconds);
        let solution = model.solve().ok()?;
        let chosen = units.iter().filter(|(_, y)| solution.value(*y) > 0.5);
        Some(UnitChoice {
            units: chosen.map(|(unit, _)| *unit).collect(),
            optimal: matches!(solution.status(), SolutionStatus::Optimal),
        })
    }
}

/// The integer program of a problem, or its relaxation.
struct FreeingProgram {
    variables: ProblemVariables,
    /// Whether a unit is freed.
    units: Vec<(usize, Variable)>,
    /// Whether a job is touched.
    jobs: BTreeMap<u32, Variable>,
    costs: Expression,
}

impl FreeingProgram {
    /// Makes the variables and the objective.
    fn new(problem: &FreeingProblem<'_>, integer: bool) -> Self {
        let mut variables = ProblemVariables::new();
        let kind = if integer {
            variable().binary()
        } else {
            variable().min(0.0).max(1.0)
        };
        let mut units = Vec::new();
        for unit in &problem.candidates {
            units.push((*unit, variables.add(kind.clone())));
        }
        let mut jobs = BTreeMap::new();
        for job in problem.jobs_of(&problem.candidates) {
            if problem.whole_jobs || problem.job_cost > 0.0 {
                jobs.insert(job, variables.add(kind.clone()));
            }
        }
        let mut costs = Expression::default();
        for (unit, y) in &units {
            costs += problem.unit_cost(*unit) * *y;
        }
        for (job, z) in &jobs {
            costs += problem.touch_cost(*job) * *z;
        }
        FreeingProgram {
            variables,
            units,
            jobs,
            costs,
        }
    }

    /// Builds the solver's model: enough units are freed, a job counts as moved if one of its units is freed, the nodes
    /// moved fit into the free ones, and no set of units in `refused` is freed as a whole.
    fn build_model(
        self,
        problem: &FreeingProblem<'_>,
        refused: &[Vec<usize>],
    ) -> impl SolverModel<Error = ResolutionError> + WithTimeLimit {
        let mut count = Expression::default();
        let mut moved = Expression::default();
        let mut rows = Vec::new();
        for (unit, y) in &self.units {
            let state = &problem.level.units[*unit];
            count += *y;
            moved += f64::from(state.free) * *y;
            for (job, held) in &state.jobs {
                if !problem.whole_jobs {
                    moved += f64::from(held.nodes) * *y;
                }
                if let Some(z) = self.jobs.get(job) {
                    rows.push(constraint!(*y <= *z));
                }
            }
        }
        if problem.whole_jobs {
            for (job, z) in &self.jobs {
                moved += f64::from(problem.jobs[*job as usize].0) * *z;
            }
        }
        let free: u32 = problem.level.units.iter().map(|unit| unit.free).sum();
        rows.push(constraint!(count >= problem.count as f64));
        rows.push(constraint!(moved <= f64::from(free)));
        for units in refused {
            let of_set = self.units.iter().filter(|(unit, _)| units.contains(unit));
            let sum: Expression = of_set.map(|(_, y)| *y).sum();
            rows.push(constraint!(sum <= units.len() as f64 - 1.0));
        }
        let mut model = self.variables.minimise(self.costs).using(microlp);
        for row in rows {
            model = model.with(row);
        }
        model
    }
}
