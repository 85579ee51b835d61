//! Shortest Hamiltonian paths by rounds of subtour cuts.
//!
//! The integer program asks for the cheapest edges with two at every vertex. Its answer may be several circles
//! instead of one tour; for each circle a constraint is added, that two edges at least leave it, and the program is
//! solved again:
//!
//! ```text
//! 0 - 1   3 - 4        0 - 1 - 3 - 4
//!  \ |    | /    cut:   \             |     at least two edges leave {0, 1, 2}
//!    2     5              2 --------- 5
//! ```

use super::solver::{Model, Row, SolverRequest};
use crate::ordering::search::optimise::problem::SearchProblem;
use crate::ordering::search_result::{SearchResult, Status, meets_bound};
use nodeorder_base::{Error, Result};

/// Largest number of edges of the path problem.
const EDGES: usize = 20_000;

/// Two vertices and the distance between them.
type Edge = (usize, usize, f64);

/// Finds the shortest Hamiltonian path (on a ring: tour) by rounds of subtour cuts. A path is a tour through
/// one more vertex that is at no distance from any. Edges of at most two hops come first: their answer
/// is the optimum if it meets the bound; otherwise all edges are let in.
pub fn solve_path(job: &SolverRequest<'_>) -> Result<SearchResult> {
    let problem = job.problem;
    let n = problem.space.len();
    let ring = problem.weights.ring;
    let vertices = if ring { n } else { n + 1 };
    let solver = format!("subtour cuts ({})", job.solver_name());
    let mut best = job.start.to_vec();
    let mut value = problem.objective(&best);
    let mut bound = job.bound;
    for reach in [2, u32::MAX] {
        let complete = reach == u32::MAX;
        let edges = list_edges(problem, reach);
        if edges.len() > EDGES {
            if !complete && value > bound {
                return Err(Error::unsuited(
                    job.options.location.clone(),
                    format!("a path through {n} elements is beyond subtour cuts"),
                    "use `optimise:weights=path`",
                ));
            }
            break;
        }
        let mut cuts: Vec<Vec<usize>> = Vec::new();
        let mut rounds = 0;
        let tour = loop {
            rounds += 1;
            let answer = job.solve_model(build_model(vertices, &edges, &cuts), |_| {});
            // Too few edges for a tour: more of them next.
            if answer.is_err() && !complete {
                break None;
            }
            let answer = answer?;
            if let Some(status) = answer.end.filter(|status| *status != Status::Optimal) {
                // Edges that are not known to be the cheapest prove nothing.
                return Ok(job.make_result(&best, bound, solver, status));
            }
            let chosen = edges.iter().zip(answer.values).filter(|(_, v)| *v > 0.5);
            let chosen: Vec<Edge> = chosen.map(|(edge, _)| *edge).collect();
            if complete {
                // Fewer constraints than a tour has: no tour is shorter, up to the solver's rounding.
                let length: f64 = chosen.iter().map(|(_, _, length)| length).sum();
                bound = f64::max(bound, length * (1.0 - 1e-9));
            }
            let mut circles = list_circles(vertices, &chosen);
            if circles.len() == 1 {
                break circles.pop();
            }
            job.observer.report_progress(value, bound);
            if let Some(status) = job.reason_to_end() {
                return Ok(job.make_result(&best, bound, solver, status));
            }
            cuts.extend(circles);
        };
        if let Some(mut tour) = tour {
            if !ring {
                // The path begins behind the vertex that is no element.
                let at = tour.iter().position(|v| *v == n).unwrap_or(0);
                tour.rotate_left(at);
                tour.remove(0);
            }
            let order: Vec<u32> = tour.into_iter().map(|v| v as u32).collect();
            let found = problem.objective(&order);
            if found < value {
                best = order;
                value = found;
            }
            if complete {
                bound = value;
            }
            if meets_bound(value, bound) {
                let solver = format!("{solver}, {rounds} rounds");
                return Ok(job.make_result(&best, bound, solver, Status::Optimal));
            }
        }
    }
    Ok(job.make_result(&best, bound, solver, Status::Steps))
}

/// Lists the edges between elements at most `reach` hops apart, and unless on a ring those to the vertex that makes a
/// path a tour. Stops soon after [`EDGES`] of them.
fn list_edges(problem: &SearchProblem<'_>, reach: u32) -> Vec<Edge> {
    let n = problem.space.len();
    let mut edges = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            let hops = problem.space.distances.between(i as u32, j as u32);
            if hops <= reach {
                edges.push((i, j, f64::from(hops)));
            }
        }
        if !problem.weights.ring {
            edges.push((i, n, 0.0));
        }
        if edges.len() > EDGES {
            break;
        }
    }
    edges
}

/// Builds the model of the cheapest edges with two at every vertex and two out of every cut's set.
fn build_model(vertices: usize, edges: &[Edge], cuts: &[Vec<usize>]) -> Model {
    let mut rows: Vec<Row> = (0..vertices).map(|_| Row::equal([], 2.0)).collect();
    for (e, (a, b, _)) in edges.iter().enumerate() {
        rows[*a].terms.push((e, 1.0));
        rows[*b].terms.push((e, 1.0));
    }
    for cut in cuts {
        let mut member = vec![false; vertices];
        cut.iter().for_each(|v| member[*v] = true);
        let leaving = edges
            .iter()
            .enumerate()
            .filter(|(_, (a, b, _))| member[*a] != member[*b]);
        let mut row = Row::equal(leaving.map(|(e, _)| e), 2.0);
        row.or_more = true;
        rows.push(row);
    }
    Model {
        variables: edges.iter().map(|(_, _, length)| (*length, true)).collect(),
        rows,
        warm: Vec::new(),
    }
}

/// Lists the circles that edges with two at every vertex make, each in walking order.
fn list_circles(vertices: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    for (a, b, _) in edges {
        next[*a].push(*b);
        next[*b].push(*a);
    }
    let mut seen = vec![false; vertices];
    let mut circles = Vec::new();
    for root in 0..vertices {
        let mut circle = Vec::new();
        let mut unseen = (!seen[root]).then_some(root);
        while let Some(vertex) = unseen {
            seen[vertex] = true;
            circle.push(vertex);
            unseen = next[vertex].iter().copied().find(|v| !seen[*v]);
        }
        if !circle.is_empty() {
            circles.push(circle);
        }
    }
    circles
}
