//! Kueue's topology-aware scheduling.

use super::units::{LEVEL, level, levels};
use super::{Allocator, AllocatorContext, AllocatorEntry, Choice};
use crate::error::Result;
use crate::params::{Opt, Params};
use crate::ranks::{FreeSet, Ranks};

/// `kueue-tas[:level=L,mode=required|preferred,profile=most-free|least-free]`: one unit of the level for all nodes of a
/// job. Where none has room, `required` waits; `preferred` tries the levels above, and at the outermost takes
/// several units. Below, level by level down to nodes, as many units as needed.
///
/// `most-free` (Kueue's BestFit) takes the units with the most free nodes first, and as the last one the tightest
/// that holds the rest; `least-free` (LeastFreeCapacity) those with the fewest first. Among equal ones the order of
/// the network decides, among nodes the order of ranks.
///
/// # Limits
/// A pod a node. Slices of a job, taints and balanced placement are left out.
///
/// # Complexity
/// O(size/64 + free · levels + units · log units).
///
/// # References
/// Kueue, KEP-2724 "Topology Aware Scheduling", section "Computing the assignment".
pub(super) const KUEUE_TAS: AllocatorEntry = AllocatorEntry {
    name: "kueue-tas",
    about: "Kueue's topology-aware scheduling: one unit of a level, or (preferred) few units of those above",
    example: "kueue-tas",
    options: &[
        LEVEL.or_else("the innermost with units of several nodes"),
        Opt::one_of("mode", &["preferred", "required"], "required: wait for one unit of the level"),
        Opt::one_of("profile", &["most-free", "least-free"], "units that are taken first"),
    ],
    build: |params, context| Ok(Box::new(KueueTas::new(params, context)?)),
};

struct KueueTas {
    /// By level, the outermost first: the unit of every rank, and how many units there are.
    levels: Vec<(Vec<u32>, usize)>,
    /// The unit above each unit, by level.
    outer: Vec<Vec<u32>>,
    level: usize,
    required: bool,
    most_free: bool,
    /// Free ranks by level and unit.
    free: Vec<Vec<u32>>,
}

impl KueueTas {
    fn new(params: &Params, context: &AllocatorContext<'_>) -> Result<Self> {
        let per_router = context.topology.network().per_router();
        let several = |level: &crate::topology::Level| level.routers * per_router > 1;
        let innermost =
            |all: &[crate::topology::Level]| all.iter().rposition(several).unwrap_or(0);
        let level = level(params, context, innermost)?;
        let all = levels(context);
        let of = |units: &Vec<super::units::Unit>| {
            let mut of = vec![0; context.order.len()];
            for (number, unit) in (0..).zip(units) {
                unit.ranks.iter().for_each(|rank| of[*rank as usize] = number);
            }
            (of, units.len())
        };
        Ok(KueueTas {
            levels: all.iter().map(of).collect(),
            outer: all.iter().map(|units| units.iter().map(|unit| unit.outer).collect()).collect(),
            level,
            required: params.choice("mode")? == "required",
            most_free: params.choice("profile")? == "most-free",
            free: all.iter().map(|units| vec![0; units.len()]).collect(),
        })
    }

    /// The units in the order in which they are taken: free ranks and number.
    fn sorted(&self, units: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
        let mut units: Vec<_> = units.filter(|(free, _)| *free > 0).collect();
        // Stable: equal ones stay in order.
        units.sort_by(|a, b| if self.most_free { b.0.cmp(&a.0) } else { a.0.cmp(&b.0) });
        units
    }

    /// As many units as `count` ranks need.
    fn fewest(&self, units: &[(u32, u32)], count: u32) -> Vec<u32> {
        let (mut taken, mut need) = (Vec::new(), count);
        for (i, (free, unit)) in units.iter().enumerate() {
            if *free >= need {
                let rest = units[i..].iter().filter(|(free, _)| *free >= need);
                let tightest = rest.min_by_key(|(free, _)| *free).map_or(*unit, |(_, unit)| *unit);
                taken.push(if self.most_free { tightest } else { *unit });
                break;
            }
            taken.push(*unit);
            need -= free;
        }
        taken
    }
}

impl Allocator for KueueTas {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        for ((of, _), counts) in self.levels.iter().zip(&mut self.free) {
            counts.fill(0);
            free.for_each_run(|run| {
                for unit in &of[run.first as usize..run.end() as usize] {
                    counts[*unit as usize] += 1;
                }
            });
        }
        // The lowest level, from the one asked for up, with a unit that has room.
        let lowest = if self.required { self.level } else { 0 };
        let fits = |level: &usize| self.free[*level].iter().any(|free| *free >= count);
        let found = (lowest..=self.level).rev().find(fits);
        if found.is_none() && self.required {
            let room = (0..self.levels[self.level].1)
                .map(|unit| self.levels[self.level].0.iter().filter(|u| **u == unit as u32).count())
                .any(|nodes| nodes >= count as usize);
            let reason = "no unit of the required level has enough";
            return if room {
                Choice::NotNow(format!("{reason} free nodes").into())
            } else {
                Choice::Never(format!("{reason} nodes").into())
            };
        }
        let mut level = found.unwrap_or(0);
        let all = self.sorted(self.free[level].iter().copied().zip(0..));
        let mut units = match found {
            Some(_) => {
                let fitting: Vec<_> = all.into_iter().filter(|(free, _)| *free >= count).collect();
                self.fewest(&fitting, count)
            }
            None => self.fewest(&all, count),
        };
        while level + 1 < self.levels.len() {
            level += 1;
            let below = (self.free[level].iter().copied().zip(0..))
                .filter(|(_, unit)| units.contains(&self.outer[level][*unit as usize]));
            units = self.fewest(&self.sorted(below), count);
        }
        // Nodes are all alike: unit by unit in the order taken.
        let mut need = count as usize;
        for unit in units {
            let of = &self.levels[level].0;
            let ranks = free.iter().filter(|rank| of[*rank as usize] == unit).take(need);
            need -= ranks.map(|rank| chosen.push_rank(rank)).count();
        }
        Choice::Placed
    }

    fn may_refuse(&self) -> bool {
        self.required
    }
}
