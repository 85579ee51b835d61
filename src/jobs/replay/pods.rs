//! What live jobs hold: ranks, or pods on them; nodes that fail and return.

use super::{Placed, Replay};
use crate::allocator::PodsOn;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ranks::{FreeSet, Ranks, Run};
use nodeorder_trace::{Block, JobKey, JobOptions};

/// What a live job holds; nothing where it was skipped.
#[derive(Default)]
pub(super) struct Held {
    pub ranks: Ranks,
    /// Its pods, where the allocator knows of pods.
    pub pods: Vec<PodsOn>,
    /// How many jobs had been placed with it.
    pub since: u64,
    /// Its name and options, beside pods.
    pub name: String,
    pub options: Option<JobOptions>,
}

impl Held {
    /// Ranks with the pods on them, leaders with them; one a rank where the allocator knows of none.
    pub fn on(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let whole = self
            .ranks
            .iter()
            .filter(|_| self.pods.is_empty())
            .map(|rank| (rank, 1));
        whole.chain(self.pods.iter().map(|on| (on.rank, on.pods + on.leaders)))
    }

    pub fn take(&self, free: &mut FreeSet) {
        match self.pods.is_empty() {
            true => self.ranks.runs().iter().for_each(|run| free.take(*run)),
            false => self
                .pods
                .iter()
                .for_each(|on| free.take_places(on.rank, on.places)),
        }
    }

    pub fn give_back(&self, free: &mut FreeSet) {
        match self.pods.is_empty() {
            true => self.ranks.runs().iter().for_each(|run| free.give(*run)),
            false => self
                .pods
                .iter()
                .for_each(|on| free.give_places(on.rank, on.places)),
        }
    }
}

impl Replay<'_> {
    /// A node fails: the pods on it go to others where the allocator has places for them; other jobs on it end. Or it
    /// returns. Errors: with the line: a node that the ordering does not have; one that failed before, or did not.
    pub(super) fn node(
        &mut self,
        block: &Block,
        event: usize,
        fails: bool,
        out: &mut Vec<Placed>,
    ) -> Result<()> {
        let name = block.name(event);
        let location = || match block.options(event) {
            Some(options) => options.location.clone(),
            None => SourceLocation::option("--log"),
        };
        let Some(rank) = self.meter.rank_named(name) else {
            let found = format!("node `{name}`");
            return Err(Error::input(location(), found, "a node of the ordering"));
        };
        let changed = if fails {
            self.down.insert(rank)
        } else {
            self.down.remove(&rank)
        };
        if !changed {
            let (what, expected) = match fails {
                true => ("fails again", "a node that has not failed"),
                false => ("returns", "a node that failed before"),
            };
            return Err(Error::input(
                location(),
                format!("node `{name}` {what}"),
                expected,
            ));
        }
        if let Some(rules) = self.allocator.pods() {
            rules.set_node(rank, !fails);
        }
        if !fails {
            self.free.give(Run {
                first: rank,
                count: 1,
            });
            return Ok(());
        }
        let mut jobs: Vec<usize> = (0..self.held.len())
            .filter(|job| self.held[*job].on().any(|(on, _)| on == rank))
            .collect();
        jobs.sort_unstable_by_key(|job| self.held[*job].since);
        self.free.take_all(rank);
        jobs.into_iter()
            .try_for_each(|job| self.fail(event, job, rank, out))
    }

    /// Takes a job off a failed rank.
    fn fail(&mut self, event: usize, job: usize, rank: u32, out: &mut Vec<Placed>) -> Result<()> {
        let mut held = std::mem::take(&mut self.held[job]);
        let key = JobKey(job as u32);
        if let Some(traffic) = &mut self.traffic {
            traffic.end(key);
        }
        let options = held.options.as_ref().filter(|_| !self.ignores_options);
        self.allocator.set_options(options)?;
        let found = self.allocator.pods().and_then(|rules| {
            let choice = rules.replace(&self.free, &held.pods, rank);
            choice.is_placed().then(|| rules.chosen().to_vec())
        });
        held.give_back(&mut self.free);
        self.free.take_all(rank);
        let Some(pods) = found else {
            self.counts.evicted += 1;
            return Ok(());
        };
        self.counts.moved += 1;
        held.ranks.clear();
        pods.iter().for_each(|on| held.ranks.push_rank(on.rank));
        held.ranks.settle();
        held.pods = pods;
        held.take(&mut self.free);
        let placed = self.measure(event, key, &held)?;
        out.push(Placed {
            moved: Some(held.name.clone()),
            ..placed
        });
        self.held[job] = held;
        Ok(())
    }
}
