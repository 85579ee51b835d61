//! The integer programs of Leung et al. through whichever solver there is, and the exact methods beside
//! them.

use good_lp::solvers::{WithInitialSolution, WithTimeLimit};
use good_lp::{
    Constraint, Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, Solver,
    SolverModel, Variable, constraint, microlp, variable,
};

use super::optimise::{Bounds, candidates, dp, elements::Arrangement};
use super::optimise::{
    Observer, SHARED, SearchProblem, SearchResult, Settings, Status, WeightKind,
};
use super::{Method, OrderingEntry};
use crate::error::{Error, Result};
use crate::params::{Opt, Params, join};
use crate::topology::Topology;

/// `ilp[:weights=…,window=K,ring=true,solver=…,form=flow|distance,time=SECONDS]` and the keys of
/// `optimise`.
///
/// Picks the method that can prove the instance and says which in `solver`: a start that meets the bound,
/// the dynamic program, rounds of subtour cuts for `path`, else an integer program with binary `x_ip`
/// (element i at rank p), symmetry broken and the best classic ordering as warm start:
/// - `form=flow` (Adams-Johnson, for lags that have weight): `y_ipjq ≥ 0`, `Σ_j y_ipjq = x_ip`,
///   `Σ_i y_ipjq = x_jq`; minimise `Σ W(p,q)·d_ij·y_ipjq`. The tighter one.
/// - `form=distance`: `t_pq ≥ Σ_j d_ij·x_jq - ecc_i·(1 - x_ip)`; minimise `Σ W(p,q)·t_pq`. The smaller one.
///
/// `solver=dp|microlp|highs|coin_cbc|cbc|glpk|gurobi|cplex` forces one; all but the first two need the crate
/// feature of that name, the last four `lp-solvers` and the solver's binary.
///
/// # Errors
/// A solver that is not built in or not installed, an instance too large for the model, an infeasible
/// model, bad options.
///
/// # Limits
/// About ten elements for the integer programs, 27 at K = 4 for the dynamic program. Elements are routers,
/// or nodes with `split=true`; routers must carry equally many nodes.
///
/// # References
/// Leung et al., SAND2002-1488, section 2.2; Adams, Johnson, "Improved linear programming-based lower
/// bounds for the quadratic assignment problem", DIMACS 16, 1994; Dantzig, Fulkerson, Johnson, "Solution of
/// a large-scale traveling-salesman problem", 1954, <https://doi.org/10.1287/opre.2.4.393>.
pub const ILP: OrderingEntry = OrderingEntry {
    name: "ilp",
    about: "proved optimal for a weighted sum of distances, on small machines: exact search, integer program",
    example: "ilp:weights=path",
    options: &join::<11, 2, 13>(
        SHARED,
        [
            Opt::one_of("solver", &SOLVERS, "solver; auto chooses, dp is the dynamic program"),
            Opt::one_of("form", &["flow", "distance"], "how the integer program states distances"),
        ],
    ),
    build: Method::search(ilp),
};

/// Names that `solver=` takes; the first lets the tool choose.
const SOLVERS: [&str; 9] =
    ["auto", "dp", "microlp", "highs", "coin_cbc", "cbc", "glpk", "gurobi", "cplex"];

/// Most variables of a model.
const VARIABLES: usize = 60_000;

/// Most edges of the path problem.
const EDGES: usize = 20_000;

/// Runs `ilp` with its parameters under a watcher.
///
/// # Errors
/// See [`ILP`].
pub fn ilp(topology: &Topology, params: &Params, observer: &dyn Observer) -> Result<SearchResult> {
    let settings = Settings::read(topology, params, observer)?;
    let solver = params.choice("solver")?;
    let form = params.choice("form")?;
    params.finish()?;
    available(params, solver)?;
    let space = Arrangement::new(topology, settings.split)?;
    let problem = SearchProblem::new(topology, &space, settings.weights.clone());
    if !problem.even {
        return Err(Error::unsuited(
            params.location().clone(),
            format!("routers of {} carry different numbers of nodes", topology.name()),
            "use split=true or `optimise`",
        ));
    }
    let starts = candidates(topology, &problem, &settings)?;
    let start = starts.iter().map(|s| (problem.value(&s.order), s));
    let Some((value, start)) = start.reduce(|a, b| if b.0 < a.0 { b } else { a }) else {
        return Err(Error::input(
            params.location().clone(),
            "no start",
            "an ordering to start from",
        ));
    };
    let [quick, _] = settings.bound_work();
    let bound = Bounds::new(&problem).lower(quick, &|| observer.should_stop());
    observer.progress(value, bound);
    let done = |order: &[u32], bound, by: &str, status| {
        Ok(SearchResult::new(&problem, order, bound, by, status).noted(&settings))
    };
    if solver == "auto" && (value - bound <= 1e-9 * value || space.len() < 3) {
        return done(
            &start.order,
            value,
            &format!("{}, which meets the bound", start.label),
            Status::Optimal,
        );
    }
    if solver == "auto" || solver == "dp" {
        if let Some(order) = dp::attempt(&problem, &start.order, dp::MODEST, observer) {
            return done(&order, 0.0, "dynamic program", Status::Optimal);
        }
        if observer.should_stop() {
            return done(&start.order, bound, "dynamic program", Status::Stopped);
        }
        if solver == "dp" {
            return Err(Error::unsuited(
                params.location_of("solver"),
                format!("{} elements under these weights are too much for it", space.len()),
                "use a shorter window, or `optimise`",
            ));
        }
    }
    let job = Job { params, settings: &settings, observer, solver, bound };
    if problem.weights.kind() == WeightKind::Path {
        return job.path(&problem, &start.order);
    }
    let model = Model::build(topology, &problem, &start.order, form, params)?;
    job.model(&problem, model, &start.order)
}

/// Refuses solvers that this build has not got.
fn available(params: &Params, solver: &str) -> Result<()> {
    let feature = match solver {
        "highs" if !cfg!(feature = "highs") => "highs",
        "coin_cbc" if !cfg!(feature = "coin_cbc") => "coin_cbc",
        "cbc" | "glpk" | "gurobi" | "cplex" if !cfg!(feature = "lp-solvers") => "lp-solvers",
        _ => return Ok(()),
    };
    Err(Error::unsuited(
        params.location_of("solver"),
        format!("this build has no {solver}"),
        format!("build with --features {feature}, or use solver=microlp"),
    ))
}

/// What a solver answered.
struct Answer {
    values: Vec<f64>,
    /// Achieved relative gap; `None` where the solver does not tell.
    gap: Option<f64>,
    status: SolutionStatus,
}

/// A model ready for any solver.
struct Model {
    variables: ProblemVariables,
    objective: Expression,
    constraints: Vec<Constraint>,
    /// The variables whose values are read: `x[i·n + p]`.
    x: Vec<Variable>,
    warm: Vec<(Variable, f64)>,
}

impl Model {
    fn build(
        topology: &Topology,
        problem: &SearchProblem<'_>,
        start: &[u32],
        form: &str,
        params: &Params,
    ) -> Result<Model> {
        let n = problem.space.len();
        let d = |i: usize, j: usize| f64::from(problem.space.distances.between(i as u32, j as u32));
        let pairs: Vec<(usize, usize, f64)> = (0..n)
            .flat_map(|p| (p + 1..n).map(move |q| (p, q)))
            .map(|(p, q)| (p, q, problem.element_weight(p, q)))
            .filter(|(_, _, w)| *w > 0.0)
            .collect();
        let size = match form {
            "flow" => n.saturating_mul(n).saturating_mul(pairs.len() + 1),
            _ => n.saturating_mul(n) + n.saturating_mul(pairs.len()),
        };
        if size > VARIABLES {
            return Err(Error::unsuited(
                params.location().clone(),
                format!(
                    "a model of {n} elements and {} weighted pairs of ranks is beyond integer programs",
                    pairs.len()
                ),
                "use `optimise`, a shorter window, or a smaller machine",
            ));
        }
        let mut variables = ProblemVariables::new();
        let x: Vec<Variable> = (0..n * n).map(|_| variables.add(variable().binary())).collect();
        let at = |i: usize, p: usize| x[i * n + p];
        let mut rank = vec![0; n];
        start.iter().enumerate().for_each(|(p, e)| rank[*e as usize] = p);
        let mut warm: Vec<(Variable, f64)> = Vec::new();
        for (i, rank) in rank.iter().enumerate() {
            warm.extend((0..n).map(|p| (at(i, p), f64::from(u8::from(*rank == p)))));
        }
        let mut constraints = Vec::new();
        for i in 0..n {
            constraints.push(constraint!((0..n).map(|p| at(i, p)).sum::<Expression>() == 1));
            constraints.push(constraint!((0..n).map(|p| at(p, i)).sum::<Expression>() == 1));
        }
        // Symmetry: where all routers look alike, any may come first; otherwise an ordering and its
        // reverse are equal, and the start's first element stays in the first half.
        let first = start[0] as usize;
        let alike = topology.network().vertex_transitive() && topology.nodes().is_full();
        if alike && (problem.group == 1 || !problem.space.routers.windows(2).any(|r| r[0] == r[1]))
        {
            constraints.push(constraint!(at(first, 0) == 1));
        } else {
            let second_half = (n / 2 + n % 2..n).map(|p| at(first, p)).sum::<Expression>();
            constraints.push(constraint!(second_half == 0));
        }
        let mut objective = Expression::from(0.0);
        for (p, q, weight) in pairs {
            if form == "flow" {
                let y: Vec<Variable> =
                    (0..n * n).map(|_| variables.add(variable().clamp(0.0, 1.0))).collect();
                for i in 0..n {
                    let from = (0..n).filter(|j| *j != i).map(|j| y[i * n + j]);
                    constraints.push(constraint!(from.sum::<Expression>() == at(i, p)));
                    let to = (0..n).filter(|j| *j != i).map(|j| y[j * n + i]);
                    constraints.push(constraint!(to.sum::<Expression>() == at(i, q)));
                    for j in 0..n {
                        if i != j {
                            objective.add_mul(weight * d(i, j), y[i * n + j]);
                        }
                        let on = rank[i] == p && rank[j] == q && i != j;
                        warm.push((y[i * n + j], f64::from(u8::from(on))));
                    }
                }
            } else {
                let t = variables.add(variable().min(0.0));
                objective.add_mul(weight, t);
                let apart = d(start[p] as usize, start[q] as usize);
                warm.push((t, apart));
                for i in 0..n {
                    let farthest = (0..n).map(|j| d(i, j)).fold(0.0, f64::max);
                    let reach = (0..n).map(|j| d(i, j) * at(j, q)).sum::<Expression>();
                    constraints.push(constraint!(reach + farthest * at(i, p) - t <= farthest));
                }
            }
        }
        Ok(Model { variables, objective, constraints, x, warm })
    }
}

/// One run: who asks, for how long, with which solver.
struct Job<'a> {
    params: &'a Params,
    settings: &'a Settings,
    observer: &'a dyn Observer,
    solver: &'static str,
    bound: f64,
}

impl Job<'_> {
    fn model(
        &self,
        problem: &SearchProblem<'_>,
        model: Model,
        start: &[u32],
    ) -> Result<SearchResult> {
        let n = problem.space.len();
        let answer = match self.run(model) {
            Ok(answer) => answer,
            // Out of time before it had anything: the warm start stands.
            Err(Refusal::OutOfTime) => {
                let outcome =
                    SearchResult::new(problem, start, self.bound, self.name(), Status::TimeLimit);
                return Ok(outcome.noted(self.settings));
            }
            Err(Refusal::Failed(error)) => return Err(error),
        };
        let mut order = vec![u32::MAX; n];
        for (index, value) in answer.values.iter().enumerate() {
            if *value > 0.5 {
                order[index % n] = (index / n) as u32;
            }
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..n as u32) {
            return Err(self.failed("an answer that is no ordering"));
        }
        if problem.value(start) < problem.value(&order) {
            order = start.to_vec();
        }
        let value = problem.value(&order);
        let status = match answer.status {
            SolutionStatus::Optimal => Status::Optimal,
            _ => Status::TimeLimit,
        };
        let bound = answer.gap.map_or(0.0, |gap| value * (1.0 - gap.max(0.0))).max(self.bound);
        let outcome = SearchResult::new(problem, &order, bound, self.name(), status);
        Ok(outcome.noted(self.settings))
    }

    /// The shortest Hamiltonian path (on a ring: tour) by rounds of subtour cuts. A path is a tour through
    /// one more place that is at no distance from any. Edges of at most two hops come first: their answer
    /// is the optimum if it meets the bound; otherwise all edges are let in.
    fn path(&self, problem: &SearchProblem<'_>, start: &[u32]) -> Result<SearchResult> {
        let n = problem.space.len();
        let ring = problem.weights.is_ring();
        let places = if ring { n } else { n + 1 };
        let d = |i: usize, j: usize| problem.space.distances.between(i as u32, j as u32);
        let (mut best, mut value) = (start.to_vec(), problem.value(start));
        let mut bound = self.bound;
        for reach in [2, u32::MAX] {
            let mut edges: Vec<(usize, usize, f64)> = Vec::new();
            for i in 0..n {
                let near = (i + 1..n).filter(|j| d(i, *j) <= reach);
                edges.extend(near.map(|j| (i, j, f64::from(d(i, j)))));
                if !ring {
                    edges.push((i, n, 0.0));
                }
                if edges.len() > EDGES {
                    break;
                }
            }
            if edges.len() > EDGES {
                if reach == 2 && value > bound {
                    return Err(Error::unsuited(
                        self.params.location().clone(),
                        format!("a path through {n} places is beyond subtour cuts"),
                        "use `optimise:weights=path`",
                    ));
                }
                break;
            }
            let mut cuts: Vec<Vec<usize>> = Vec::new();
            let mut rounds = 0;
            let tour = loop {
                rounds += 1;
                let chosen = match self.tour(places, &edges, &cuts) {
                    Ok(chosen) => chosen,
                    Err(Refusal::OutOfTime) => {
                        let by = format!("subtour cuts ({})", self.name());
                        let outcome =
                            SearchResult::new(problem, &best, bound, by, Status::TimeLimit);
                        return Ok(outcome.noted(self.settings));
                    }
                    // Too few edges for a tour: more of them next.
                    Err(Refusal::Failed(_)) if reach == 2 => break None,
                    Err(Refusal::Failed(error)) => return Err(error),
                };
                let length: f64 = chosen.iter().map(|e| edges[*e].2).sum();
                if reach == u32::MAX {
                    bound = f64::max(bound, length * (1.0 - 1e-9));
                }
                let parts = parts(places, chosen.iter().map(|e| (edges[*e].0, edges[*e].1)));
                if parts.len() == 1 {
                    break Some(parts);
                }
                self.observer.progress(value, bound);
                if self.observer.should_stop() {
                    let by = format!("subtour cuts ({})", self.name());
                    let outcome = SearchResult::new(problem, &best, bound, by, Status::Stopped);
                    return Ok(outcome.noted(self.settings));
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
                let by = format!("subtour cuts ({}), {rounds} rounds", self.name());
                if reach == u32::MAX {
                    return Ok(SearchResult::new(problem, &best, value, by, Status::Optimal)
                        .noted(self.settings));
                }
                if value - bound <= 1e-9 * value {
                    return Ok(SearchResult::new(problem, &best, bound, by, Status::Optimal)
                        .noted(self.settings));
                }
            }
        }
        let by = format!("subtour cuts ({})", self.name());
        Ok(SearchResult::new(problem, &best, bound, by, Status::Steps).noted(self.settings))
    }

    /// The edges of the cheapest set with two at every place and two out of every cut's set.
    fn tour(
        &self,
        places: usize,
        edges: &[(usize, usize, f64)],
        cuts: &[Vec<usize>],
    ) -> std::result::Result<Vec<usize>, Refusal> {
        let mut variables = ProblemVariables::new();
        let x: Vec<Variable> = edges.iter().map(|_| variables.add(variable().binary())).collect();
        let mut degree: Vec<Expression> = vec![Expression::from(0.0); places];
        let mut objective = Expression::from(0.0);
        for ((a, b, length), e) in edges.iter().zip(&x) {
            degree[*a] += *e;
            degree[*b] += *e;
            objective.add_mul(*length, *e);
        }
        let mut constraints: Vec<Constraint> =
            degree.into_iter().map(|d| constraint!(d == 2)).collect();
        for cut in cuts {
            let mut member = vec![false; places];
            cut.iter().for_each(|v| member[*v] = true);
            let leaving = edges.iter().zip(&x).filter(|((a, b, _), _)| member[*a] != member[*b]);
            constraints.push(constraint!(leaving.map(|(_, e)| *e).sum::<Expression>() >= 2));
        }
        let model = Model { variables, objective, constraints, x, warm: Vec::new() };
        let answer = self.run(model)?;
        if !matches!(answer.status, SolutionStatus::Optimal) {
            return Err(Refusal::OutOfTime);
        }
        let chosen = answer.values.iter().enumerate().filter(|(_, v)| **v > 0.5);
        Ok(chosen.map(|(e, _)| e).collect())
    }

    /// The solver that `auto` means: the one compiled in that is known to be fastest.
    fn name(&self) -> &'static str {
        match self.solver {
            "auto" if cfg!(feature = "highs") => "highs",
            "auto" => "microlp",
            named => named,
        }
    }

    fn failed(&self, what: &str) -> Error {
        Error::unsuited(
            self.params.location_of("solver"),
            format!("{}: {what}", self.name()),
            "try another solver=, or `optimise`",
        )
    }

    /// Seconds left for a solver, if there is a limit.
    fn left(&self) -> Option<f64> {
        let limit = self.settings.time?;
        Some((limit - self.observer.seconds().unwrap_or(0.0)).max(0.01))
    }

    fn run(&self, model: Model) -> std::result::Result<Answer, Refusal> {
        let left = self.left();
        match self.name() {
            #[cfg(feature = "highs")]
            "highs" => self.solve(
                model,
                good_lp::highs,
                |m, warm| timed(m, left).with_initial_solution(warm),
                |_| None,
            ),
            #[cfg(feature = "coin_cbc")]
            "coin_cbc" => self.solve(
                model,
                good_lp::coin_cbc,
                |mut m, warm| {
                    m.set_parameter("logLevel", "0");
                    if let Some(seconds) = left {
                        m.set_parameter("seconds", &seconds.to_string());
                    }
                    m.with_initial_solution(warm)
                },
                |_| None,
            ),
            #[cfg(feature = "lp-solvers")]
            "cbc" => {
                let solver = good_lp::LpSolver(good_lp::lp_solvers::CbcSolver::new());
                self.solve(
                    model,
                    solver,
                    |m, warm| timed(m, left).with_initial_solution(warm),
                    |_| None,
                )
            }
            #[cfg(feature = "lp-solvers")]
            "glpk" => {
                let solver = good_lp::LpSolver(good_lp::lp_solvers::GlpkSolver::new());
                self.solve(model, solver, |m, _| timed(m, left), |_| None)
            }
            #[cfg(feature = "lp-solvers")]
            "gurobi" => {
                let solver = good_lp::LpSolver(good_lp::lp_solvers::GurobiSolver::new());
                self.solve(model, solver, |m, _| m, |_| None)
            }
            #[cfg(feature = "lp-solvers")]
            "cplex" => {
                let solver = good_lp::LpSolver(good_lp::lp_solvers::Cplex::default());
                self.solve(model, solver, |m, _| timed(m, left), |_| None)
            }
            _ => self.solve(
                model,
                microlp,
                |m, warm| {
                    let m = timed(m, left);
                    if warm.is_empty() { m } else { m.with_initial_solution(warm) }
                },
                |solution| solution.into_inner().gap(),
            ),
        }
    }

    fn solve<S: Solver>(
        &self,
        model: Model,
        solver: S,
        tune: impl FnOnce(S::Model, Vec<(Variable, f64)>) -> S::Model,
        gap: impl FnOnce(<S::Model as SolverModel>::Solution) -> Option<f64>,
    ) -> std::result::Result<Answer, Refusal>
    where
        S::Model: SolverModel<Error = ResolutionError>,
    {
        let mut ready = model.variables.minimise(model.objective).using(solver);
        for constraint in model.constraints {
            ready = ready.with(constraint);
        }
        match tune(ready, model.warm).solve() {
            Ok(solution) => Ok(Answer {
                values: model.x.iter().map(|x| solution.value(*x)).collect(),
                status: solution.status(),
                gap: gap(solution),
            }),
            Err(ResolutionError::Infeasible) => {
                Err(Refusal::Failed(self.failed("found the model infeasible")))
            }
            Err(error) => {
                let text = error.to_string();
                if self.settings.time.is_some() && text.to_lowercase().contains("time limit") {
                    return Err(Refusal::OutOfTime);
                }
                Err(Refusal::Failed(self.failed(text.lines().next().unwrap_or("no answer"))))
            }
        }
    }
}

/// Why there is no answer.
enum Refusal {
    OutOfTime,
    Failed(Error),
}

fn timed<M: WithTimeLimit>(model: M, seconds: Option<f64>) -> M {
    match seconds {
        Some(seconds) => model.with_time_limit(seconds),
        None => model,
    }
}

/// The circles that edges with two at every place make, each in walking order.
fn parts(places: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); places];
    for (a, b) in edges {
        next[a].push(b);
        next[b].push(a);
    }
    let mut seen = vec![false; places];
    let mut parts = Vec::new();
    for root in 0..places {
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

#[cfg(test)]
mod tests {
    use super::super::testing::{error, topology};
    use super::*;

    fn run(spec: &str, by: &str) -> SearchResult {
        let params = crate::ordering::ORDERINGS.params(&ILP, by, 1).unwrap();
        ilp(&topology(spec), &params, &crate::ordering::NoObserver).unwrap()
    }

    #[test]
    fn both_forms_and_the_dynamic_program_agree() {
        for (spec, ring) in [("mesh:2x3", false), ("mesh:2x3", true), ("torus:5", false)] {
            let by = |rest: &str| format!("ilp:weights=geometric,window=3,ring={ring},{rest}");
            let exact = run(spec, &by("solver=dp"));
            assert!(exact.optimal && exact.gap == 0.0);
            for form in ["flow", "distance"] {
                let found = run(spec, &by(&format!("solver=microlp,form={form}")));
                assert_eq!(found.objective, exact.objective, "{spec} {form} ring={ring}");
                assert!(found.optimal, "{spec} {form}");
                assert_eq!(found.solver, "microlp");
            }
        }
    }

    #[test]
    fn paths_are_cut_out_of_tours() {
        let found = run("torus:4x4", "ilp:weights=path,solver=microlp");
        assert!(found.optimal && found.objective == 15.0 && found.solver.starts_with("subtour"));
        // A 3x3 grid has no Hamiltonian circle: nine cells, coloured like a chessboard.
        let ring = run("mesh:3x3", "ilp:weights=path,ring=true,solver=microlp");
        assert!(ring.optimal && ring.objective == 10.0, "{ring:?}");
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        for (spec, by, part) in [
            ("torus:8x8", "ilp:weights=harmonic,window=9", "beyond integer programs"),
            ("torus:8x8", "ilp:solver=dp", "too much for it"),
            ("torus:3x3", "ilp:solver=scip", "unknown solver `scip`"),
            ("torus:3x3", "ilp:time=0", "more than 0 seconds"),
            ("torus:3x3", "ilp:time=5", "where nobody holds a clock"),
            ("torus:3x3,per_router=2,exclude=4", "ilp", "different numbers of nodes"),
            ("torus:3x3", "ilp:wieghts=path", "did you mean `weights`"),
        ] {
            let message = error(spec, by);
            assert!(message.contains(part), "{by}: {message}");
        }
        if !cfg!(feature = "highs") {
            assert!(error("torus:3x3", "ilp:solver=highs").contains("--features highs"));
        }
        if !cfg!(feature = "lp-solvers") {
            assert!(error("torus:3x3", "ilp:solver=cbc").contains("--features lp-solvers"));
        }
    }
}
