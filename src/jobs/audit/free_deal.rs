//! Moves dealt out: what units hold goes to the free nodes of others.

use std::collections::BTreeMap;

use good_lp::solvers::WithTimeLimit;
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolverModel, constraint, microlp,
    variable,
};

use super::free_problem::FreeingProblem;
use super::free_units::Move;

/// Units that nodes go to, and how many.
type UnitShares = Vec<(usize, u32)>;

impl FreeingProblem<'_> {
    /// Deals the jobs of `units` out to the free nodes of all other units. Fails if no way is found, with whether it is
    /// proved that there is none.
    pub fn deal_out(&self, units: &[usize], seconds: f64) -> Result<Vec<Move>, bool> {
        let others = self.level.units.iter().enumerate();
        let others = others.filter(|(i, unit)| !units.contains(i) && unit.free > 0);
        let room: BTreeMap<usize, u32> = others.map(|(i, unit)| (i, unit.free)).collect();
        // What is moved together: parts of a job, and the units that they may go to at most.
        let mut groups: Vec<(u32, Vec<usize>, u32, usize)> = Vec::new();
        if self.whole_jobs {
            for job in self.jobs_of(units) {
                let all = self.level.units.iter().enumerate();
                let from = all
                    .filter(|(_, unit)| unit.jobs.contains_key(&job))
                    .map(|(i, _)| i);
                let (nodes, most) = self.jobs[job as usize];
                groups.push((job, from.collect(), nodes, most as usize));
            }
        } else {
            for unit in units {
                let jobs = self.level.units[*unit].jobs.iter();
                groups.extend(jobs.map(|(job, held)| (*job, vec![*unit], held.nodes, usize::MAX)));
            }
        }
        // The largest first: small ones find room between them.
        groups.sort_by_key(|(job, _, nodes, _)| (std::cmp::Reverse(*nodes), *job));
        let wanted: Vec<(u32, usize)> = groups.iter().map(|group| (group.2, group.3)).collect();
        let dealt = match deal_greedily(&wanted, room.clone()) {
            Some(dealt) => dealt,
            None if seconds == 0.0 => return Err(false),
            None => deal_exactly(&wanted, &room, seconds)?,
        };
        let mut moves = Vec::new();
        for ((job, from, ..), shares) in groups.iter().zip(dealt) {
            let mut shares = shares.into_iter();
            let mut share = shares.next();
            for unit in from {
                let mut left = self.level.units[*unit].jobs[job].nodes;
                while let Some((to, room)) = share.filter(|_| left > 0) {
                    let nodes = left.min(room);
                    moves.push(Move {
                        job: *job,
                        from: *unit,
                        to,
                        nodes,
                    });
                    left -= nodes;
                    share = if room > nodes {
                        Some((to, room - nodes))
                    } else {
                        shares.next()
                    };
                }
            }
        }
        moves.sort_unstable();
        Ok(moves)
    }
}

/// Deals groups of nodes out: each to the fullest unit that holds it, else to the emptiest units. `None` if a group
/// would go to more units than it may.
fn deal_greedily(
    wanted: &[(u32, usize)],
    mut room: BTreeMap<usize, u32>,
) -> Option<Vec<UnitShares>> {
    let mut dealt = Vec::new();
    for (nodes, most) in wanted {
        let mut left = *nodes;
        let mut shares = Vec::new();
        while left > 0 {
            let fits = room.iter().filter(|(_, free)| **free >= left);
            let best = fits.min_by_key(|(_, free)| **free);
            let best = best.or_else(|| {
                room.iter()
                    .max_by_key(|(i, free)| (**free, std::cmp::Reverse(**i)))
            });
            let (unit, free) = best
                .map(|(unit, free)| (*unit, *free))
                .filter(|(_, free)| *free > 0)?;
            let taken = left.min(free);
            shares.push((unit, taken));
            room.insert(unit, free - taken);
            left -= taken;
        }
        if shares.len() > *most {
            return None;
        }
        dealt.push(shares);
    }
    Some(dealt)
}

/// Deals groups of nodes out by an integer program, as [`deal_greedily`] does where it finds a way.
fn deal_exactly(
    wanted: &[(u32, usize)],
    room: &BTreeMap<usize, u32>,
    seconds: f64,
) -> Result<Vec<UnitShares>, bool> {
    let mut variables = ProblemVariables::new();
    let mut rows = Vec::new();
    let mut used: BTreeMap<usize, Expression> = BTreeMap::new();
    let mut shares = Vec::new();
    for (nodes, most) in wanted {
        let mut sum = Expression::default();
        let mut targets = Expression::default();
        let mut of_group = Vec::new();
        for (unit, free) in room {
            let least = (*free).min(*nodes);
            let share = variables.add(variable().integer().min(0).max(least));
            let goes = variables.add(variable().binary());
            rows.push(constraint!(share <= f64::from(least) * goes));
            *used.entry(*unit).or_default() += share;
            sum += share;
            targets += goes;
            of_group.push((*unit, share));
        }
        rows.push(constraint!(sum == f64::from(*nodes)));
        rows.push(constraint!(targets <= (*most).min(room.len()) as f64));
        shares.push(of_group);
    }
    for (unit, sum) in used {
        rows.push(constraint!(sum <= f64::from(room[&unit])));
    }
    let mut model = variables
        .minimise(Expression::default())
        .using(microlp)
        .with_time_limit(seconds);
    for row in rows {
        model = model.with(row);
    }
    let solved = model.solve();
    let solution = solved.map_err(|e| matches!(e, ResolutionError::Infeasible))?;
    let mut dealt = Vec::new();
    for of_group in shares {
        let counts = of_group
            .into_iter()
            .map(|(unit, share)| (unit, solution.value(share).round() as u32));
        dealt.push(counts.filter(|(_, nodes)| *nodes > 0).collect());
    }
    Ok(dealt)
}
