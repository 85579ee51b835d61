//! The allocator that all of Slurm's topology plugins share: options of jobs, exclusive units, refusals.
//!
//! A plugin is a [`SelectionRule`]: which of the free ranks a job gets. Before it is asked, cases that Slurm decides
//! elsewhere are taken out, in this order: a job of one node gets the first free one; a contiguous job, or one that
//! sees no switches, the tightest run of the table; where no unit has a free node, a job gets nodes outside all
//! units.

use std::borrow::Cow;
use std::collections::HashMap;

use super::best_fit::BestFit;
use crate::allocator::entry::{Allocator, Choice};
use nodeorder_base::{FreeSet, Opt, Params, Ranks, Result, Run};
use nodeorder_trace::JobOptions;

/// Options of a job: `--segment`, `--switches`, `--spread-segments`, `--consolidate-segments`, `--exclusive=topo`,
/// `--contiguous` and `--nodes=a-b`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlurmRequest {
    /// Number of nodes of each segment; `None`: the whole job is one segment.
    pub segment: Option<u32>,
    /// Largest number of leaf switches; `None`: any.
    pub switches: Option<u32>,
    /// Whether no two segments share a base block.
    pub spread: bool,
    /// Whether all segments go to one aggregated block, if they fit there.
    pub consolidate: bool,
    /// Whether no other job has nodes in the units of this one.
    pub exclusive: bool,
    /// Whether the job's nodes are neighbours in the table.
    pub contiguous: bool,
    /// Smallest and largest number of nodes, if the job leaves a choice.
    pub node_range: Option<(u32, u32)>,
}

impl SlurmRequest {
    /// Lets a job with `--switches` have any number of leaf switches.
    fn lift_switch_limit(&mut self) {
        self.switches = self.switches.map(|_| u32::MAX);
    }

    /// Reads the values that `params` gives to `options`; the others are those of `self`. Fails if a value is out
    /// of range.
    pub fn read_options(&self, params: &Params, options: &[Opt]) -> Result<SlurmRequest> {
        let mut request = self.clone();
        for option in options {
            let flag = match option.key {
                "segment" => {
                    request.segment = params
                        .optional_integer("segment", 1, u32::MAX)?
                        .or(self.segment);
                    continue;
                }
                "switches" => {
                    request.switches = params
                        .optional_integer("switches", 1, u32::MAX)?
                        .or(self.switches);
                    continue;
                }
                "nodes" => {
                    request.node_range = read_node_range(params)?.or(self.node_range);
                    continue;
                }
                "spread" => &mut request.spread,
                "consolidate" => &mut request.consolidate,
                "contiguous" => &mut request.contiguous,
                _ => &mut request.exclusive,
            };
            let given = params.is_set(option.key)?;
            // A flag that is not given reads as false, which is not what the job asked for.
            if params.has_key(option.key) {
                *flag = given;
            }
        }
        Ok(request)
    }
}

/// Reads numbers of nodes as in `nodes=4-12`; `None` if they are not given.
fn read_node_range(params: &Params) -> Result<Option<(u32, u32)>> {
    let Some(text) = params.optional_word("nodes")? else {
        return Ok(None);
    };
    let ends = text
        .split_once('-')
        .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match ends {
        Some((least, most)) if 0 < least && least <= most => Ok(Some((least, most))),
        _ => Err(params.invalid_value("nodes", "fewest and most nodes, as in 4-12")),
    }
}

/// Seconds after which `--switches` no longer holds a job back (`max_switch_wait`).
const MAX_SWITCH_WAIT: i64 = 300;

/// Job sizes in nodes, each `step` above the one before. If a job of one of them is placed, so are those of the
/// smaller ones.
#[derive(Clone, Copy, Debug)]
pub struct JobSizeRange {
    /// Smallest job size of the row, in nodes.
    pub first: u32,
    /// Difference of neighbouring sizes.
    pub step: u32,
    /// Number of sizes.
    pub count: u32,
}

impl JobSizeRange {
    /// Creates `count` sizes that follow each other.
    pub fn consecutive_sizes(first: u32, count: u32) -> Self {
        JobSizeRange {
            first,
            step: 1,
            count,
        }
    }

    /// Creates the multiples of a segment from twice on, up to `most`.
    pub fn segment_multiples(segment: u32, most: u32) -> Self {
        JobSizeRange {
            first: 2 * segment,
            step: segment,
            count: (most / segment).saturating_sub(1),
        }
    }
}

/// A plugin's rule: which free ranks a job gets.
pub trait SelectionRule: Send {
    /// Counts the free ranks of the plugin's units, before each choice. Returns their sum.
    fn count_covered(&mut self, free: &FreeSet) -> u32;

    /// Finds the unit around a rank that a job may have alone; `None` if there is none.
    fn unit_of(&self, _rank: u32) -> Option<usize> {
        None
    }

    /// Checks whether a rank of a unit is taken, as counted by [`SelectionRule::count_covered`].
    fn is_used(&self, _unit: usize) -> bool {
        false
    }

    /// Checks whether a job of one node takes the first free one, whatever its unit.
    fn takes_any_single(&self) -> bool {
        true
    }

    /// Checks whether jobs get nodes outside all units if no other is free.
    fn goes_outside(&self) -> bool {
        true
    }

    /// Lists the sizes up to `most` that jobs with this `request` can have, the largest first; after
    /// [`SelectionRule::count_covered`]. Sizes that no rule orders stand alone.
    fn list_sizes(&self, request: &SlurmRequest, most: u32) -> Vec<JobSizeRange> {
        let segment = request.segment.unwrap_or(most).max(1);
        (1..=most)
            .rev()
            .filter(|size| *size < segment || size.is_multiple_of(segment))
            .map(|size| JobSizeRange::consecutive_sizes(size, 1))
            .collect()
    }

    /// Counts the nodes of broken units, as [`Allocator::count_broken_nodes`] does; after
    /// [`SelectionRule::count_covered`].
    fn count_broken_nodes(&mut self, _free: &FreeSet) -> Option<u64> {
        None
    }

    /// Checks whether a job with these options gets nodes by the flat rule (best fit in the table), whatever the units.
    fn is_flat(&self, _request: &SlurmRequest) -> bool {
        false
    }

    /// Looks up the weight of a rank: lighter ranks are taken first.
    fn rank_weight(&self, _rank: u32) -> u32 {
        1
    }

    /// Picks the ranks for `ask` into `chosen`. Fails with the reason if there are none.
    fn pick_ranks(
        &mut self,
        ask: &SelectRequest<'_>,
        chosen: &mut Vec<u32>,
    ) -> Result<(), &'static str>;
}

/// The question to a plugin: which of the free ranks a job gets.
#[derive(Clone, Copy)]
pub struct SelectRequest<'a> {
    /// The free ranks.
    pub free: &'a FreeSet,
    /// Number of ranks that are wanted.
    pub count: u32,
    /// The options of the job.
    pub request: &'a SlurmRequest,
    /// Units of which no rank may be taken, because other jobs hold them exclusively.
    pub closed: &'a [usize],
}

impl SelectRequest<'_> {
    /// Chooses the number of ranks of each segment.
    pub fn segment_size(&self) -> u32 {
        self.request
            .segment
            .filter(|segment| *segment <= self.count)
            .unwrap_or(self.count)
    }

    /// Finds the smallest number of ranks that will do.
    pub fn min_count(&self) -> u32 {
        self.request
            .node_range
            .map_or(self.count, |(least, _)| least.min(self.count))
    }
}

/// An allocator that follows a [`SelectionRule`].
pub struct Plugin<R> {
    rule: R,
    /// Options that jobs may have.
    job_options: &'static [Opt],
    /// The options of a job that gives none.
    default_request: SlurmRequest,
    /// The options of the next job.
    request: SlurmRequest,
    /// Ranks of each job that holds its units exclusively.
    exclusive_jobs: Vec<Vec<u32>>,
    /// By size and options: whether such a job cannot be placed even where all ranks are free.
    never: HashMap<(u32, SlurmRequest), bool>,
    /// The rule for nodes outside all units, and for jobs for which units do not count.
    outside: BestFit,
    /// The ranks picked last.
    picked: Vec<u32>,
}

impl<R: SelectionRule> Plugin<R> {
    /// Creates the allocator of jobs that have the options `usual`, and may have their own of `jobs`.
    pub fn new(rule: R, usual: SlurmRequest, jobs: &'static [Opt]) -> Self {
        Plugin {
            rule,
            job_options: jobs,
            request: usual.clone(),
            default_request: usual,
            exclusive_jobs: Vec::new(),
            never: HashMap::new(),
            outside: BestFit::new(true),
            picked: Vec::new(),
        }
    }

    /// Picks ranks for the next job. Fails with the reason if there are none.
    fn pick_ranks(
        &mut self,
        free: &FreeSet,
        count: u32,
        closed: &[usize],
    ) -> Result<(), &'static str> {
        self.picked.clear();
        let Plugin {
            rule,
            request,
            picked,
            ..
        } = self;
        let mut whole = rule.count_covered(free);
        let rule = &mut *rule;
        let whole_range = request.node_range.is_none_or(|(_, most)| most == 1);
        let shut = |unit: usize| closed.contains(&unit) || request.exclusive && rule.is_used(unit);
        if count == 1 && rule.takes_any_single() && whole_range {
            let first = free
                .iter()
                .filter(|rank| !rule.unit_of(*rank).is_some_and(shut))
                .min_by_key(|rank| rule.rank_weight(*rank));
            picked.push(first.ok_or("no node is open to it")?);
            return Ok(());
        }
        if request.contiguous || rule.is_flat(request) {
            let least = request.node_range.map_or(count, |(least, _)| least);
            let longest = free.free_runs().map(|run| run.count).max().unwrap_or(0);
            let count = if request.contiguous {
                count.min(longest)
            } else {
                count.min(free.free_count())
            };
            let mut chosen = Ranks::default();
            if count < least
                || !self
                    .outside
                    .choose_ranks(free, count, &mut chosen)
                    .is_placed()
            {
                return Err(if request.contiguous {
                    "no run of free nodes is long enough"
                } else {
                    "not enough nodes are free"
                });
            }
            picked.extend(chosen.iter());
            return Ok(());
        }
        // Ranks of units that are closed to the job are neither covered nor outside.
        let mut outside = Cow::Borrowed(free);
        if !closed.is_empty() || request.exclusive {
            for rank in free.iter() {
                if rule.unit_of(rank).is_some_and(shut) {
                    whole -= 1;
                    outside.to_mut().take_run(Run::of_rank(rank));
                }
            }
        }
        if whole == 0 && rule.goes_outside() && outside.free_count() >= count {
            let mut chosen = Ranks::default();
            if self
                .outside
                .choose_ranks(&outside, count, &mut chosen)
                .is_placed()
            {
                picked.extend(chosen.iter());
            }
            return Ok(());
        }
        rule.pick_ranks(
            &SelectRequest {
                free,
                count,
                request,
                closed,
            },
            picked,
        )
    }
}

impl<R: SelectionRule> Allocator for Plugin<R> {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let choice = self.place_job(free, count, chosen);
        self.request.clone_from(&self.default_request);
        choice
    }

    fn may_refuse(&self) -> bool {
        true
    }

    fn largest_job(&mut self, free: &FreeSet) -> u32 {
        let closed = self.list_closed_units(free);
        self.rule.count_covered(free);
        for JobSizeRange { first, step, count } in
            self.rule.list_sizes(&self.request, free.free_count())
        {
            let mut placed = |size: u32| {
                size <= free.free_count() && self.pick_ranks(free, size, &closed).is_ok()
            };
            if count == 0 || !placed(first) {
                continue;
            }
            // The first `low` of them are placed, those from `high` on are not.
            let mut low = 1;
            let mut high = count;
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                if placed(first + (middle - 1) * step) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return first + (low - 1) * step;
        }
        0
    }

    fn set_options(&mut self, options: Option<&JobOptions>) -> Result<()> {
        self.request.clone_from(&self.default_request);
        let Some(options) = options else {
            return Ok(());
        };
        let params = Params::parse_words(&options.text, &options.location, self.job_options)?;
        self.request = self
            .default_request
            .read_options(&params, self.job_options)?;
        Ok(())
    }

    fn max_wait(&mut self, _: u32) -> Option<i64> {
        self.request.switches.map(|_| MAX_SWITCH_WAIT)
    }

    fn wait_expired(&mut self) {
        self.request.lift_switch_limit();
    }

    fn job_sizes(&mut self, count: u32) -> (u32, u32) {
        self.request.node_range.unwrap_or((count, count))
    }

    fn count_broken_nodes(&mut self, free: &FreeSet) -> Option<u64> {
        self.rule.count_covered(free);
        self.rule.count_broken_nodes(free)
    }
}

impl<R: SelectionRule> Plugin<R> {
    /// Lists the units that jobs have alone.
    fn list_closed_units(&mut self, free: &FreeSet) -> Vec<usize> {
        // Jobs that ended have given their ranks back.
        self.exclusive_jobs
            .retain(|job| job.iter().all(|rank| !free.is_free(*rank)));
        let mut closed: Vec<usize> = self
            .exclusive_jobs
            .iter()
            .flatten()
            .filter_map(|rank| self.rule.unit_of(*rank))
            .collect();
        closed.sort_unstable();
        closed.dedup();
        closed
    }

    /// Places the next job, or refuses it.
    fn place_job(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if let Some(segment) = self.request.segment
            && count > segment
            && !count.is_multiple_of(segment)
        {
            return Choice::Never("its nodes are not a multiple of its segment".into());
        }
        let closed = self.list_closed_units(free);
        match self.pick_ranks(free, count, &closed) {
            Ok(()) => {
                // Remembered, as later jobs must stay out of its units while it runs.
                if self.request.exclusive {
                    self.exclusive_jobs.push(self.picked.clone());
                }
                chosen.push_ranks(&self.picked);
                Choice::Placed
            }
            Err(reason) => {
                // `--switches` holds a job back for a time only.
                self.request.lift_switch_limit();
                let key = (count, self.request.clone());
                let never = match self.never.get(&key) {
                    Some(never) => *never,
                    None => {
                        let never = self
                            .pick_ranks(&FreeSet::new(free.rank_count()), count, &[])
                            .is_err();
                        self.never.insert(key, never);
                        never
                    }
                };
                if never {
                    Choice::Never(reason.into())
                } else {
                    Choice::NotNow(reason.into())
                }
            }
        }
    }
}
