//! The integer program of elements at ranks: `x_ip` is 1 where element i stands at rank p.

use good_lp::{Expression, ProblemVariables, SolutionStatus, Variable, constraint, variable};

use super::solver::{Model, SolverFailure, SolverRequest};
use crate::ordering::search_result::{SearchResult, Status};
use nodeorder_base::error::{Error, Result, SourceLocation};

/// Largest number of variables of a model.
const VARIABLES: usize = 60_000;

/// Finds the best ordering that the solver can, not worse than the start. Fails if the model is too large or the
/// solver fails.
pub(super) fn solve_assignment(job: &SolverRequest<'_>) -> Result<SearchResult> {
    let problem = job.problem;
    let start = job.start;
    let n = problem.space.len();
    // Known before the pairs are looked at: neighbours in rank have weight.
    check_size(&job.options.location, n, n - 1)?;
    let answer = match job.solve_model(build_model(job)?) {
        Ok(answer) => answer,
        // Out of time before it had anything: the warm start stands.
        Err(SolverFailure::OutOfTime) => {
            return Ok(job.make_result(start, job.bound, job.solver_name(), Status::TimeLimit));
        }
        Err(SolverFailure::Failed(error)) => return Err(error),
    };
    let mut order = vec![u32::MAX; n];
    for (index, value) in answer.values.iter().enumerate() {
        if *value > 0.5 {
            order[index % n] = (index / n) as u32;
        }
    }
    // Values are rounded, so that two elements could end at one rank.
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..n as u32) {
        return Err(job.solver_error("an answer that is no ordering"));
    }
    if problem.objective(start) < problem.objective(&order) {
        order = start.to_vec();
    }
    let value = problem.objective(&order);
    let status = match answer.status {
        SolutionStatus::Optimal => Status::Optimal,
        _ => Status::TimeLimit,
    };
    let by_gap = answer.gap.map_or(0.0, |gap| value * (1.0 - gap.max(0.0)));
    Ok(job.make_result(&order, by_gap.max(job.bound), job.solver_name(), status))
}

/// Refuses a model of so many elements and `pairs` or more pairs of ranks: it has a variable for each element at each
/// rank, and for each pair as many again.
pub(super) fn check_size(location: &SourceLocation, n: usize, pairs: usize) -> Result<()> {
    let size = n.saturating_mul(n).saturating_mul(pairs + 1);
    if size > VARIABLES {
        return Err(Error::unsuited(
            location.clone(),
            format!(
                "a model of {n} elements and {pairs} or more weighted pairs of ranks is beyond integer programs"
            ),
            "use `optimise`, a shorter window, or a smaller machine",
        ));
    }
    Ok(())
}

/// Builds the model of Adams and Johnson. Fails if it has too many variables.
fn build_model(job: &SolverRequest<'_>) -> Result<Model> {
    let problem = job.problem;
    let start = job.start;
    let n = problem.space.len();
    let pairs: Vec<(usize, usize, f64)> = (0..n)
        .flat_map(|p| (p + 1..n).map(move |q| (p, q)))
        .map(|(p, q)| (p, q, problem.element_weight(p, q)))
        .filter(|(_, _, w)| *w > 0.0)
        .collect();
    check_size(&job.options.location, n, pairs.len())?;
    let mut variables = ProblemVariables::new();
    let x: Vec<Variable> = (0..n * n)
        .map(|_| variables.add(variable().binary()))
        .collect();
    let mut rank = vec![0; n];
    for (p, element) in start.iter().enumerate() {
        rank[*element as usize] = p;
    }
    let mut warm: Vec<(Variable, f64)> = Vec::new();
    let mut constraints = Vec::new();
    for i in 0..n {
        let ranks_of_i = &x[i * n..(i + 1) * n];
        for (p, variable) in ranks_of_i.iter().enumerate() {
            warm.push((*variable, f64::from(u8::from(rank[i] == p))));
        }
        constraints.push(constraint!(ranks_of_i.iter().sum::<Expression>() == 1));
        let elements_at_i = x.iter().skip(i).step_by(n);
        constraints.push(constraint!(elements_at_i.sum::<Expression>() == 1));
    }
    // Symmetry: where all routers look alike, any may come first; otherwise an ordering and its
    // reverse are equal, and the start's first element stays in the first half.
    let first = start[0] as usize;
    let ranks_of_first = &x[first * n..(first + 1) * n];
    let topology = problem.topology;
    let alike = topology.network().vertex_transitive && topology.nodes().is_full();
    if alike && (problem.group == 1 || !problem.space.routers.windows(2).any(|r| r[0] == r[1])) {
        constraints.push(constraint!(ranks_of_first[0] == 1));
    } else {
        let second_half = ranks_of_first[n / 2 + n % 2..].iter().sum::<Expression>();
        constraints.push(constraint!(second_half == 0));
    }
    let mut objective = Expression::from(0.0);
    for (p, q, weight) in pairs {
        // y_ij is 1 where element i is at rank p and element j at q.
        let y: Vec<Variable> = (0..n * n)
            .map(|_| variables.add(variable().clamp(0.0, 1.0)))
            .collect();
        for i in 0..n {
            let others = (0..n).filter(|j| *j != i);
            let from = others.clone().map(|j| y[i * n + j]);
            constraints.push(constraint!(from.sum::<Expression>() == x[i * n + p]));
            let to = others.map(|j| y[j * n + i]);
            constraints.push(constraint!(to.sum::<Expression>() == x[i * n + q]));
            for j in 0..n {
                if i != j {
                    let distance = f64::from(problem.space.distances.between(i as u32, j as u32));
                    objective.add_mul(weight * distance, y[i * n + j]);
                }
                let on = rank[i] == p && rank[j] == q && i != j;
                warm.push((y[i * n + j], f64::from(u8::from(on))));
            }
        }
    }
    Ok(Model {
        variables,
        objective,
        constraints,
        x,
        warm,
    })
}
