//! Units of a machine freed by moving jobs: the fewest moves, with a proof.
//!
//! Unit u has f_u free nodes, and job j holds h_{j,u} of it. Which units are freed (y_u = 1, K of them) is an integer
//! program. All that they hold has to find room in the free nodes of the others: Σ held_u·y_u ≤ Σ f_v·(1-y_v). Where
//! nodes may go anywhere, one row says so, and the moves are dealt out afterwards. With whole jobs, a job that is
//! touched (z_j ≥ y_u) moves as a whole and onto no more units than it has; units whose jobs cannot be dealt out are
//! ruled out, by another row, and the program is solved again.
//!
//! Example: racks of 4 nodes hold 1, 2 and 3 nodes of jobs. One rack is freed by one move, to the second or the third.

use super::free_problem::FreeingProblem;
use super::snapshot::{Snapshot, UnitState};
use nodeorder_base::{Error, Result, SourceLocation};

/// Cost of moves that is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveCost {
    /// Nodes that are moved.
    Nodes,
    /// Jobs that are moved; of plans with equally few jobs, the nodes.
    Jobs,
    /// Hours that a job has run, for each of its nodes that is moved.
    NodeHours,
}

impl MoveCost {
    /// Reads `nodes`, `jobs` or `node-hours`.
    ///
    /// # Errors
    /// Another text.
    pub fn parse(text: &str) -> Result<Self> {
        let all = [
            ("nodes", MoveCost::Nodes),
            ("jobs", MoveCost::Jobs),
            ("node-hours", MoveCost::NodeHours),
        ];
        let found = all.iter().find(|(name, _)| *name == text);
        found.map(|(_, cost)| *cost).ok_or_else(|| {
            let location = SourceLocation::option(format!("--cost {text}"));
            Error::unknown(location, "cost", text, all.map(|(name, _)| name))
        })
    }
}

/// Request for a plan of moves: units to free, jobs that may move, cost to minimise.
#[derive(Clone, Copy, Debug)]
pub struct FreeRequest<'a> {
    /// `K` or `K,level=L`: units to free; the innermost level whose units have several nodes unless given.
    pub units: &'a str,
    /// Names of jobs that stay, separated by commas.
    pub fixed: Option<&'a str>,
    /// Names of jobs that may move; all unless given.
    pub movable: Option<&'a str>,
    /// Cost that is minimised.
    pub cost: MoveCost,
    /// Whether a job moves as a whole or not at all, and onto no more units than it has.
    pub whole_jobs: bool,
    /// Seconds after which the search ends with what it has.
    pub seconds: f64,
}

/// Nodes of a job that go from one unit to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// Number of the job in [`Snapshot::running`].
    pub job: u32,
    /// Unit that the nodes leave.
    pub from: usize,
    /// Unit that the nodes go to.
    pub to: usize,
    /// Number of nodes.
    pub nodes: u32,
}

/// Moves that free units.
#[derive(Clone, Debug, PartialEq)]
pub struct MovePlan {
    /// Number of the level, from the leaf.
    pub level: usize,
    /// Units that are free in the end.
    pub freed: Vec<usize>,
    /// Moves, by job and unit.
    pub moves: Vec<Move>,
    /// What the moves cost.
    pub objective: f64,
    /// Proved lower bound of the cost of any moves.
    pub bound: f64,
}

impl MovePlan {
    /// Computes the share of the objective above the bound.
    pub fn gap(&self) -> f64 {
        if self.objective > 0.0 {
            1.0 - self.bound / self.objective
        } else {
            0.0
        }
    }
}

/// Most sets of units whose jobs are tried to be dealt out.
const MOST_TRIED: usize = 64;
/// Least seconds for the search of a set of units: each further set gets half the time of the set before.
const LEAST_SECONDS: f64 = 0.02;

impl Snapshot {
    /// Finds the moves of least cost that free units.
    ///
    /// # Errors
    /// An unknown level or job, more units than can be freed, too few free nodes for what they hold, or no plan within
    /// the time.
    ///
    /// # Complexity
    /// That of an integer program with a variable for each unit and job; the time ends it.
    pub fn free_units(&self, request: &FreeRequest<'_>) -> Result<MovePlan> {
        let (count, level) = self.parse_units(request.units)?;
        let location = || SourceLocation::option(format!("--free {}", request.units));
        let stay = self.staying_jobs(request)?;
        let problem = self.describe_problem(level, count, request, &stay);
        let name = &problem.level.name;
        if count > problem.candidates.len() {
            let problem = format!(
                "only {} units of the level {name} can be freed",
                problem.candidates.len()
            );
            let remedy = "the others have nodes out of service, jobs that stay, or nodes of which no listed job has any";
            return Err(Error::unsuited(location(), problem, remedy));
        }
        let mut refused: Vec<Vec<usize>> = Vec::new();
        let Some(mut bound) = problem.relax() else {
            let problem = format!("no moves free {count} units of the level {name}");
            let remedy = "the other units have too few free nodes for what would move, which is proved: ask for fewer units";
            return Err(Error::unsuited(location(), problem, remedy));
        };
        let mut proved = true;
        let mut seconds = request.seconds / 2.0;
        let mut found = None;
        while found.is_none() && refused.len() < MOST_TRIED {
            let Some(choice) = problem.solve(&refused, seconds) else {
                break;
            };
            if choice.optimal && proved {
                bound = problem.cost_of(&choice.units);
            }
            match problem.deal_out(&choice.units, seconds) {
                Ok(moves) => found = Some((choice.units, moves)),
                Err(impossible) => {
                    // What was given up for want of time is no proof: the bound stays as it is.
                    proved &= impossible;
                    refused.push(choice.units);
                }
            }
            seconds = (seconds / 2.0).max(LEAST_SECONDS);
        }
        let cost = found
            .as_ref()
            .map_or(f64::INFINITY, |(units, _)| problem.cost_of(units));
        // Of large programs the solver's choice at the end of its time may be a poor one.
        if cost > bound {
            let units = problem.choose_in_turn();
            let moves = problem.deal_out(&units, 0.0).ok();
            let moves = moves.filter(|_| units.len() == count && problem.cost_of(&units) < cost);
            found = moves.map(|moves| (units, moves)).or(found);
        }
        if let Some((freed, moves)) = found {
            return Ok(MovePlan {
                level,
                objective: problem.shown_cost(problem.cost_of(&freed)),
                bound: problem.shown_cost(bound),
                freed,
                moves,
            });
        }
        let problem = format!("found no {count} units of the level {name} that moves of jobs free");
        let remedy =
            "the free nodes of the other units must hold what is moved: ask for fewer units";
        Err(Error::unsuited(location(), problem, remedy))
    }

    /// Reads `K` or `K,level=L`. Fails if K is 0 or there is no such level.
    fn parse_units(&self, text: &str) -> Result<(usize, usize)> {
        let location = SourceLocation::option(format!("--free {text}"));
        let (count, level) = match text.split_once(",level=") {
            Some((count, level)) => (count, Some(level)),
            None => (text, None),
        };
        let count = count.parse().ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| {
            Error::input(
                location.clone(),
                format!("`{text}`"),
                "a number of units, as in 3 or 3,level=rack",
            )
        })?;
        let names = self.levels.iter().map(|level| level.name.as_str());
        let mut several = self
            .levels
            .iter()
            .map(|level| level.units.iter().any(|unit| unit.nodes > 1));
        let found = match level {
            Some(level) => names.clone().position(|name| name == level),
            None => several.position(|several| several),
        };
        let level = level.unwrap_or_default();
        Ok((
            count,
            found.ok_or_else(|| Error::unknown(location, "level", level, names))?,
        ))
    }

    /// Marks the jobs that stay. Fails if a name is that of no job.
    fn staying_jobs(&self, request: &FreeRequest<'_>) -> Result<Vec<bool>> {
        let mut stay = vec![request.movable.is_some(); self.running.len()];
        for (flag, list, stays) in [
            ("--movable", request.movable, false),
            ("--fixed", request.fixed, true),
        ] {
            for name in list.into_iter().flat_map(|list| list.split(',')) {
                let names = self.running.iter().map(|job| job.name.as_str());
                let found = names.clone().position(|job| job == name);
                let job = found.ok_or_else(|| {
                    Error::unknown(
                        SourceLocation::option(format!("{flag} {name}")),
                        "job",
                        name,
                        names,
                    )
                })?;
                stay[job] = stays;
            }
        }
        Ok(stay)
    }

    /// Lists the units that may be freed, and the costs.
    fn describe_problem(
        &self,
        level: usize,
        count: usize,
        request: &FreeRequest<'_>,
        stay: &[bool],
    ) -> FreeingProblem<'_> {
        let level = &self.levels[level];
        let mut jobs = vec![(0, 0); self.running.len()];
        for (job, held) in level.units.iter().flat_map(|unit| &unit.jobs) {
            jobs[*job as usize].0 += held.nodes;
            jobs[*job as usize].1 += 1;
        }
        let mut node_costs = vec![1.0; jobs.len()];
        if request.cost == MoveCost::NodeHours {
            for (cost, job) in node_costs.iter_mut().zip(&self.running) {
                *cost = (self.latest - job.start).max(0) as f64 / 3600.0;
            }
        }
        let mut job_cost = 0.0;
        if request.cost == MoveCost::Jobs {
            // One job more costs more than all nodes.
            job_cost = 1.0 + jobs.iter().map(|job| f64::from(job.0)).sum::<f64>();
        }
        let units = level.units.iter().enumerate();
        let candidates = units.filter(|(_, unit)| may_free(unit, stay));
        FreeingProblem {
            level,
            count,
            whole_jobs: request.whole_jobs,
            candidates: candidates.map(|(i, _)| i).collect(),
            node_costs,
            job_cost,
            jobs,
        }
    }
}

/// Checks whether moves can free a unit: all its nodes are in service, and all its jobs are listed and may move.
fn may_free(unit: &UnitState, stay: &[bool]) -> bool {
    unit.out == 0 && unit.unlisted == 0 && unit.jobs.keys().all(|job| !stay[*job as usize])
}

#[cfg(test)]
mod tests;
