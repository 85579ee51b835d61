//! The integer program of elements at ranks: `x_ip` is 1 where element i stands at rank p.

use super::solver::{Model, Row, SolverRequest};
use crate::ordering::search_result::{SearchResult, Status};
use nodeorder_base::{Error, Result, SourceLocation};

/// Largest number of variables of a model.
const VARIABLES: usize = 60_000;

/// Finds the best ordering that the solver can, not worse than the start. Fails if the model is too large or the
/// solver fails.
pub fn solve_assignment(job: &SolverRequest<'_>) -> Result<SearchResult> {
    let problem = job.problem;
    let start = job.start;
    let n = problem.space.len();
    // Known before the pairs are looked at: neighbours in rank have weight.
    check_size(&job.options.location, n, n - 1)?;
    let answer = job.solve_model(build_model(job)?, |report| {
        let known = problem.objective(start);
        let best = if report.values.is_empty() {
            known
        } else {
            known.min(report.objective)
        };
        job.observer
            .report_progress(best, report.bound.max(job.bound).min(best));
    })?;
    let mut order = start.to_vec();
    // Out of time before it had anything: the warm start stands.
    if !answer.values.is_empty() {
        order.fill(u32::MAX);
        for (index, value) in answer.values[..n * n].iter().enumerate() {
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
    }
    if problem.objective(start) < problem.objective(&order) {
        order = start.to_vec();
    }
    let status = answer.end.unwrap_or(Status::Stopped);
    // The solver's sums are rounded.
    let bound = job.bound.max(answer.bound * (1.0 - 1e-9));
    Ok(job.make_result(&order, bound, job.solver_name(), status))
}

/// Refuses a model of `n` elements and at least `pairs` pairs of ranks that has too many variables: one for each
/// element at each rank, and as many again for each pair.
pub fn check_size(location: &SourceLocation, n: usize, pairs: usize) -> Result<()> {
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
    // Element i at rank p is variable i·n + p.
    let mut variables = vec![(0.0, true); n * n];
    let mut rank = vec![0; n];
    for (p, element) in start.iter().enumerate() {
        rank[*element as usize] = p;
    }
    let mut warm = Vec::new();
    let mut rows = Vec::new();
    for (i, place) in rank.iter().enumerate() {
        warm.extend((0..n).map(|p| f64::from(u8::from(*place == p))));
        rows.push(Row::equal(i * n..(i + 1) * n, 1.0));
        rows.push(Row::equal((0..n).map(|element| element * n + i), 1.0));
    }
    // Symmetry: where all routers look alike, any may come first; otherwise an ordering and its
    // reverse are equal, and the start's first element stays in the first half.
    let first = start[0] as usize * n;
    let topology = problem.topology;
    let alike = topology.network().vertex_transitive && topology.nodes().is_full();
    if alike && (problem.group == 1 || !problem.space.routers.windows(2).any(|r| r[0] == r[1])) {
        rows.push(Row::equal([first], 1.0));
    } else {
        rows.push(Row::equal(first + n / 2 + n % 2..first + n, 0.0));
    }
    for (p, q, weight) in pairs {
        // y_ij is 1 where element i is at rank p and element j at q.
        let y = variables.len();
        for i in 0..n {
            let others = (0..n).filter(|j| *j != i);
            for (at, ends) in [(p, true), (q, false)] {
                let pairs_of_i = others
                    .clone()
                    .map(|j| if ends { i * n + j } else { j * n + i });
                let mut row = Row::equal(pairs_of_i.map(|pair| y + pair), 0.0);
                row.terms.push((i * n + at, -1.0));
                rows.push(row);
            }
            for j in 0..n {
                let distance = f64::from(problem.space.distances.between(i as u32, j as u32));
                variables.push((weight * distance, false));
                let on = rank[i] == p && rank[j] == q;
                warm.push(f64::from(u8::from(on)));
            }
        }
    }
    Ok(Model {
        variables,
        rows,
        warm,
    })
}
