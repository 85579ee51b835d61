//! Best shares of small networks as linear programs, which a simplex solver (good_lp with microlp) brings to the
//! optimum: searches end at a gap, however small the network is.
//!
//! The least largest load over capacity, c, is sought. Where routes may take any links, or those of shortest paths, the
//! traffic to each target is a flow: what leaves a router is what enters it and what it sends. With detours each pair
//! has a share of its volume for each intermediate; the loads of the ways are known. Example: on a ring of four every
//! router sends 1 to the opposite one, both ways round; half each makes c = 1, and no flow has less.
//!
//! The floor is the solver's optimum; the load is added up anew from the routing that it gives.

use good_lp::solvers::WithTimeLimit;
use good_lp::{
    Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, constraint,
    microlp, variable,
};

use super::detours::Detours;
use super::network::Network;
use super::solution::{FlowSolution, SearchLimits};
use crate::mapping::routing::ShortestPathDag;
use crate::mapping::{Demand, End};

/// Largest number of variables of a program. On two cores all-to-all traffic of 10 routers takes 0.03 s at most, flows
/// of 30 routers with four links each 5 s.
const MOST_VARIABLES: usize = 4_000;

/// A program, with the links that its variables load.
struct LinearProgram<'a> {
    network: &'a Network<'a>,
    variables: ProblemVariables,
    /// Largest load over capacity.
    contention: Variable,
    /// By link: its load.
    loads: Vec<Expression>,
    /// Expressions that are 0.
    zeros: Vec<Expression>,
}

impl<'a> LinearProgram<'a> {
    fn new(network: &'a Network<'a>) -> Self {
        let mut variables = ProblemVariables::new();
        LinearProgram {
            network,
            contention: variables.add(variable().min(0.0)),
            variables,
            loads: vec![Expression::default(); network.inverse_capacity.len()],
            zeros: Vec::new(),
        }
    }

    /// Minimises the contention. Returns it with the value of every variable; `None` if time runs out before the
    /// optimum is proved, or the solver fails.
    fn solve(self, stop: &SearchLimits<'_>) -> Option<(f64, Vec<f64>)> {
        // What is left is for the search, if the solver does not get there.
        let left = stop.seconds_left()? / 2.0;
        let all: Vec<Variable> = self
            .variables
            .iter_variables_with_def()
            .map(|v| v.0)
            .collect();
        let mut model = self
            .variables
            .minimise(self.contention)
            .using(microlp)
            .with_time_limit(left);
        for (load, per) in self.loads.into_iter().zip(&self.network.inverse_capacity) {
            if *per > 0.0 {
                model = model.with(constraint!(load * *per <= self.contention));
            }
        }
        for zero in self.zeros {
            model = model.with(constraint!(zero == 0.0));
        }
        let solution = model.solve().ok()?;
        let values = all
            .iter()
            .map(|variable| solution.value(*variable))
            .collect();
        matches!(solution.status(), SolutionStatus::Optimal)
            .then(|| (solution.value(self.contention), values))
    }
}

/// Finds the best flows of `demand`, over any links or, with `shortest`, those of shortest paths. `None` if the network
/// is too large, or the solver does not reach the optimum in time.
pub fn solve_flows(
    network: &Network<'_>,
    demand: &Demand,
    shortest: bool,
    stop: &SearchLimits<'_>,
) -> Option<FlowSolution> {
    let graph = network.graph;
    let targets = demand.roots(End::Target);
    if targets.len() * network.inverse_capacity.len() > MOST_VARIABLES {
        return None;
    }
    let mut program = LinearProgram::new(network);
    // Link that each variable but the first loads.
    let mut links = Vec::new();
    let mut row = Vec::new();
    for (i, target) in targets.iter().enumerate() {
        let ways = ShortestPathDag::new(graph, *target);
        // What each router but the target has left: it sends all on.
        let mut kept = vec![Expression::default(); network.router_count()];
        for flow in demand.flows_at(End::Target, i, &mut row) {
            kept[flow.router as usize] += flow.volume;
        }
        for (from, to, link) in graph.iter().filter(|(from, ..)| from != target) {
            if shortest && !ways.next_links(from).contains(&(link as u32)) {
                continue;
            }
            let flow = program.variables.add(variable().min(0.0));
            links.push(link);
            program.loads[link] += flow;
            kept[from as usize] -= flow;
            kept[to as usize] += flow;
        }
        kept.swap_remove(*target as usize);
        program.zeros.extend(kept);
    }
    let (floor, values) = program.solve(stop)?;
    let mut loads = vec![0.0; network.inverse_capacity.len()];
    for (link, flow) in links.iter().zip(&values[1..]) {
        loads[*link] += flow.max(0.0);
    }
    Some(FlowSolution {
        worst: network.highest_contention(&loads),
        loads,
        floor,
        detoured: None,
    })
}

/// Finds the best shares over detours. `None` as for [`solve_flows`].
pub fn solve_detours(detours: &Detours<'_>, stop: &SearchLimits<'_>) -> Option<FlowSolution> {
    let network = detours.network;
    let each = if detours.even {
        1
    } else {
        detours.minimal.intermediate_count().max(1)
    };
    if detours.demand.pairs as usize > MOST_VARIABLES / each {
        return None;
    }
    let ways = detours.list_ways();
    let mut program = LinearProgram::new(network);
    // By link: the load of all minimal ways.
    let mut direct = vec![0.0; network.inverse_capacity.len()];
    let mut choices = Vec::new();
    for way in &ways {
        for (link, part) in way.minimal.iter().enumerate() {
            direct[link] += way.volume * part;
        }
        for detour in &way.detours {
            choices.push((way, detour));
            let share = program
                .variables
                .add(variable().min(0.0).max(way.volume * way.most));
            for (link, (detour, minimal)) in detour.iter().zip(&way.minimal).enumerate() {
                if detour != minimal {
                    program.loads[link] += share * (detour - minimal);
                }
            }
        }
    }
    for (load, direct) in program.loads.iter_mut().zip(&direct) {
        *load += *direct;
    }
    let (floor, values) = program.solve(stop)?;
    let mut loads = direct;
    let mut detoured = 0.0;
    for ((way, detour), share) in choices.iter().zip(&values[1..]) {
        let share = share.clamp(0.0, way.volume * way.most);
        detoured += share;
        for ((load, detour), minimal) in loads.iter_mut().zip(*detour).zip(&way.minimal) {
            *load += share * (detour - minimal);
        }
    }
    // What was taken off minimal ways may leave a trace below 0.
    loads.iter_mut().for_each(|load| *load = load.max(0.0));
    Some(FlowSolution {
        worst: network.highest_contention(&loads),
        loads,
        floor,
        detoured: Some(detoured),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Fabric;
    use crate::mapping::routing::BestShares;
    use crate::testing::build;
    use crate::throughput::minimal::MinimalRoutes;
    use crate::throughput::traffic::traffic;
    use crate::throughput::{best_shares, detours, paths};
    use nodeorder_base::observer::NoObserver;
    use proptest::prelude::*;

    fn stop(gap: f64) -> SearchLimits<'static> {
        SearchLimits {
            gap,
            until: None,
            floor: 0.0,
            rounds: 100_000,
            observer: &NoObserver,
        }
    }

    /// Two brackets of one optimum meet.
    fn check_brackets(exact: &FlowSolution, searched: &FlowSolution, case: &str) {
        assert!(
            exact.worst <= exact.floor * (1.0 + 1e-7),
            "{case}: {} {}",
            exact.worst,
            exact.floor
        );
        assert!(
            exact.worst >= searched.floor * (1.0 - 1e-7),
            "{case}: below a proved floor"
        );
        assert!(
            exact.floor <= searched.worst * (1.0 + 1e-7),
            "{case}: above a routing found"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The searches, which prove their floors by lengths of links, are the oracle.
        #[test]
        fn optima_lie_within_the_brackets_of_the_searches(
            routers in 4u32..9, seed in 0u64..1000, even: bool, degree in 1u32..3,
        ) {
            let machine = build(&format!("watts-strogatz:n={routers},k=2,p=0.5,seed={seed}"));
            let fabric = Fabric::new(&machine).unwrap();
            let network = Network::new(&fabric);
            let text = format!("random:n={routers},degree={degree},seed={seed}");
            let demand = traffic(&machine, &text).unwrap();
            let case = format!("{} {text} {even}", machine.spec());
            for shortest in [false, true] {
                let exact = solve_flows(&network, &demand, shortest, &stop(0.0)).unwrap();
                let mut pairs = crate::throughput::list_pairs(&demand);
                let searched = paths::search_shares(&network, &mut pairs, shortest, &stop(0.02));
                check_brackets(&exact, &searched, &case);
            }
            let minimal = MinimalRoutes::new(&fabric, &network).unwrap();
            let detours = Detours { network: &network, minimal, demand: &demand, even };
            let exact = solve_detours(&detours, &stop(0.0)).unwrap();
            let searched = detours::search_detours(&detours, None, &stop(0.02));
            check_brackets(&exact, &searched, &case);
        }
    }

    #[test]
    fn small_networks_reach_their_optimum_whatever_the_gap() {
        // Ring of eight, tornado: a minimal share m and Valiant's rest; 12/23 is known in closed form.
        let ring = build("torus:8");
        let fabric = Fabric::new(&ring).unwrap();
        let demand = traffic(&ring, "tornado").unwrap();
        for (routing, throughput) in [("adaptive", 12.0 / 23.0), ("ideal", 8.0 / 15.0)] {
            let routing = BestShares::parse_routing(routing).unwrap().unwrap();
            let found = best_shares(&fabric, &demand, &routing, &NoObserver).unwrap();
            assert!((found.carried_multiple() - throughput).abs() < 1e-9);
            assert!(found.relative_gap() < 1e-9 && !found.stopped);
        }
    }
}
