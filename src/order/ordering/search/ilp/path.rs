//! Shortest Hamiltonian paths by rounds of subtour cuts.

use good_lp::{
    Constraint, Expression, ProblemVariables, SolutionStatus, Variable, constraint, variable,
};

use super::solver::{Job, Model, Refusal};
use crate::ordering::search_result::{SearchResult, Status};
use nodeorder_base::error::{Error, Result};

/// Most edges of the path problem.
const EDGES: usize = 20_000;

/// The shortest Hamiltonian path (on a ring: tour) by rounds of subtour cuts. A path is a tour through
/// one more vertex that is at no distance from any. Edges of at most two hops come first: their answer
/// is the optimum if it meets the bound; otherwise all edges are let in.
pub(super) fn solve(job: &Job<'_>) -> Result<SearchResult> {
    let Job { problem, start, .. } = *job;
    let n = problem.space.len();
    let ring = problem.weights.ring;
    let vertices = if ring { n } else { n + 1 };
    let done = |order: &[u32], bound: f64, rounds: &str, status: Status| {
        let by = format!("subtour cuts ({}){rounds}", job.name());
        Ok(SearchResult::new(problem, order, bound, by, status).noted(problem, job.options))
    };
    let d = |i: usize, j: usize| problem.space.distances.between(i as u32, j as u32);
    let (mut best, mut value) = (start.to_vec(), problem.value(start));
    let mut bound = job.bound;
    for reach in [2, u32::MAX] {
        let from = |i: usize| {
            let near = (i + 1..n).filter(move |j| d(i, *j) <= reach);
            let near = near.map(move |j| (i, j, f64::from(d(i, j))));
            near.chain((!ring).then_some((i, n, 0.0)))
        };
        let edges: Vec<_> = (0..n).flat_map(from).take(EDGES + 1).collect();
        if edges.len() > EDGES {
            if reach == 2 && value > bound {
                let problem = format!("a path through {n} elements is beyond subtour cuts");
                return Err(Error::unsuited(
                    job.options.location.clone(),
                    problem,
                    "use `optimise:weights=path`",
                ));
            }
            break;
        }
        let mut cuts: Vec<Vec<usize>> = Vec::new();
        let mut rounds = 0;
        let tour = loop {
            rounds += 1;
            let chosen = match cheapest_edges(job, vertices, &edges, &cuts) {
                Ok(chosen) => chosen,
                Err(Refusal::OutOfTime) => return done(&best, bound, "", Status::TimeLimit),
                // Too few edges for a tour: more of them next.
                Err(Refusal::Failed(_)) if reach == 2 => break None,
                Err(Refusal::Failed(error)) => return Err(error),
            };
            let length: f64 = chosen.iter().map(|e| edges[*e].2).sum();
            if reach == u32::MAX {
                bound = f64::max(bound, length * (1.0 - 1e-9));
            }
            let parts = circles(vertices, chosen.iter().map(|e| (edges[*e].0, edges[*e].1)));
            if parts.len() == 1 {
                break Some(parts);
            }
            job.observer.progress(value, bound);
            if job.observer.should_stop() {
                return done(&best, bound, "", Status::Stopped);
            }
            cuts.extend(parts);
        };
        if let Some(tour) = tour {
            let mut walk = tour.into_iter().next().unwrap_or_default();
            if !ring {
                let at = walk.iter().position(|v| *v == n).unwrap_or(0);
                walk.rotate_left(at);
                walk.remove(0);
            }
            let order: Vec<u32> = walk.into_iter().map(|v| v as u32).collect();
            let found = problem.value(&order);
            if found < value {
                (best, value) = (order, found);
            }
            if reach == u32::MAX {
                bound = value;
            }
            if value - bound <= 1e-9 * value {
                return done(&best, bound, &format!(", {rounds} rounds"), Status::Optimal);
            }
        }
    }
    done(&best, bound, "", Status::Steps)
}

/// The edges of the cheapest set with two at every vertex and two out of every cut's set.
fn cheapest_edges(
    job: &Job<'_>,
    vertices: usize,
    edges: &[(usize, usize, f64)],
    cuts: &[Vec<usize>],
) -> std::result::Result<Vec<usize>, Refusal> {
    let mut variables = ProblemVariables::new();
    let x: Vec<Variable> = edges
        .iter()
        .map(|_| variables.add(variable().binary()))
        .collect();
    let mut degree: Vec<Expression> = vec![Expression::from(0.0); vertices];
    let mut objective = Expression::from(0.0);
    for ((a, b, length), e) in edges.iter().zip(&x) {
        degree[*a] += *e;
        degree[*b] += *e;
        objective.add_mul(*length, *e);
    }
    let mut constraints: Vec<Constraint> =
        degree.into_iter().map(|d| constraint!(d == 2)).collect();
    for cut in cuts {
        let mut member = vec![false; vertices];
        cut.iter().for_each(|v| member[*v] = true);
        let leaving = edges
            .iter()
            .zip(&x)
            .filter(|((a, b, _), _)| member[*a] != member[*b]);
        constraints.push(constraint!(
            leaving.map(|(_, e)| *e).sum::<Expression>() >= 2
        ));
    }
    let model = Model {
        variables,
        objective,
        constraints,
        x,
        warm: Vec::new(),
    };
    let answer = job.run(model)?;
    if !matches!(answer.status, SolutionStatus::Optimal) {
        return Err(Refusal::OutOfTime);
    }
    let chosen = answer.values.iter().enumerate().filter(|(_, v)| **v > 0.5);
    Ok(chosen.map(|(e, _)| e).collect())
}

/// The circles that edges with two at every vertex make, each in walking order.
fn circles(vertices: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    for (a, b) in edges {
        next[a].push(b);
        next[b].push(a);
    }
    let mut seen = vec![false; vertices];
    let mut parts = Vec::new();
    for root in 0..vertices {
        let (mut part, mut at) = (Vec::new(), root);
        while !std::mem::replace(&mut seen[at], true) {
            part.push(at);
            match next[at].iter().find(|v| !seen[**v]) {
                Some(v) => at = *v,
                None => break,
            }
        }
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts
}
