//! The allocator: capacities kept up to date, and the choices made on them.

use std::collections::HashMap;

use super::anywhere::Index;
use super::choice::place;
use super::domains::{Domains, Room, Slices};
use super::labels::LabelledNodes;
use super::options::{JobRequest, KueueOptions, LevelNames, OPTIONS, Texts, read_job_texts};
use super::placement::{Ask, Misfit, Mode, Pods};
use super::replacement::replace;
use crate::allocator::entry::{
    Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice, JobRules, PodRules, PodsOn,
};
use nodeorder_base::error::Result;
use nodeorder_base::ranks::{FreeSet, Ranks};
use nodeorder_trace::JobOptions;

/// `kueue-tas[:mode=M,level=L,slice=A/B/C,slice_level=X/Y/Z,profile=P,balanced=true,gpus=G,leader=G,ties=T,swap=off]`: pods
/// on nodes, level by level, as Kueue's topology-aware scheduling puts them. A pod takes `gpus` of the GPUs of a node;
/// where the machine's nodes have none, a node. The levels are the machine's, but for one called `all`, and nodes (`host`).
///
/// # Limits
/// GPUs are the only resource. Taints, selectors and preferred nodes are left out; quotas, priorities and preemption
/// are Kueue's, not of its placement. Schedules know nodes only: there a pod takes a node.
///
/// # Complexity
/// O(GPUs/64 + domains of the level asked for + domains below those chosen · log of these).
///
/// # References
/// Kueue 0.20 in development, commit ff69552e: KEP-2724 "Topology Aware Scheduling", `pkg/cache/scheduler`; held to
/// recorded placements of it.
pub(in crate::allocator) const KUEUE_TAS: AllocatorEntry = AllocatorEntry::new(
    "kueue-tas",
    "Kueue's topology-aware scheduling: levels, slices, leaders, pods that take part of a node",
    OPTIONS,
    |params| Ok(Box::new(KueueOptions::parse(params)?)),
);

impl BuildAllocator for KueueOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let LabelledNodes { levels, paths } = LabelledNodes::new(context, self.by_rank);
        let paths: Vec<Vec<&str>> = paths
            .iter()
            .map(|labels| labels.iter().map(String::as_str).collect())
            .collect();
        let domains = Domains::new(&paths);
        let leaves: Vec<u32> = (0..paths.len()).map(|rank| domains.leaf(rank)).collect();
        let first = domains.level(domains.depth() - 1).start;
        let mut ranks = vec![0; paths.len()];
        for (rank, leaf) in (0..).zip(&leaves) {
            ranks[(leaf - first) as usize] = rank;
        }
        let request = levels.read_request(&self.usual, &self.location)?;
        Ok(Box::new(KueueTas {
            domains,
            levels,
            down: vec![false; leaves.len()],
            leaves,
            ranks,
            usual: self.usual.clone(),
            swap: self.swap,
            request: request.clone(),
            usual_request: request,
            counted: Vec::new(),
            never: HashMap::new(),
            chosen: Vec::new(),
            scratch: Vec::new(),
        }))
    }
}

/// The room for pods of one kind, and the free set that it was counted on.
struct CapacityCache {
    gpus: u32,
    leader: Option<u32>,
    slices: Slices,
    seen: FreeSet,
    rooms: Vec<Room>,
    /// Its leaves in order, once an unconstrained job asked.
    index: Option<Index>,
}

/// Kinds of pods whose room is kept up to date.
const KINDS: usize = 8;

struct KueueTas {
    domains: Domains,
    levels: LevelNames,
    /// The leaf of each rank, and the rank of each leaf, counted from the first.
    leaves: Vec<u32>,
    ranks: Vec<u32>,
    /// The options of jobs that give none.
    usual: Texts,
    swap: bool,
    request: JobRequest,
    usual_request: JobRequest,
    counted: Vec<CapacityCache>,
    down: Vec<bool>,
    never: HashMap<(u32, JobRequest), bool>,
    chosen: Vec<PodsOn>,
    scratch: Vec<Room>,
}

impl KueueTas {
    /// The room of a leaf with so many places free.
    fn leaf_room(&self, rank: u32, places: u32, slices: &Slices) -> Room {
        let JobRequest { gpus, leader, .. } = self.request;
        let mut room = Room::default();
        if self.down[rank as usize] {
            return room;
        }
        room.pods = i64::from(places / gpus);
        room.pods_beside = room.pods;
        if let Some(leader) = leader.filter(|leader| *leader <= places) {
            (room.leaders, room.pods_beside) = (1, i64::from((places - leader) / gpus));
        }
        self.domains.slice_leaf(&mut room, slices);
        room
    }

    /// Counts the room for such pods on these free ranks. O(places/64 + changes since the last time · levels), but
    /// O(domains) for pods of a new kind.
    fn count(&mut self, free: &FreeSet, slices: &Slices) -> usize {
        let JobRequest { gpus, leader, .. } = self.request;
        let same = |c: &CapacityCache| (c.gpus, c.leader, &c.slices) == (gpus, leader, slices);
        let at = self
            .counted
            .iter()
            .position(same)
            .unwrap_or(self.counted.len());
        if at == self.counted.len() {
            let mut rooms = vec![Room::default(); self.domains.count()];
            for (rank, leaf) in (0..).zip(&self.leaves) {
                rooms[*leaf as usize] = self.leaf_room(rank, free.places(rank), slices);
            }
            let all = self.domains.level(0);
            self.domains.sum_below(&mut rooms, all, slices, true);
            let (seen, slices) = (free.clone(), slices.clone());
            self.counted.truncate(KINDS - 1);
            self.counted.insert(
                0,
                CapacityCache {
                    gpus,
                    leader,
                    slices,
                    seen,
                    rooms,
                    index: None,
                },
            );
            return 0;
        }
        let mut rooms = std::mem::take(&mut self.counted[at].rooms);
        let mut index = self.counted[at].index.take();
        let mut changed = Vec::new();
        free.changes(&self.counted[at].seen, |rank| {
            let leaf = self.leaves[rank as usize];
            let before = rooms[leaf as usize].pods;
            let room = self.leaf_room(rank, free.places(rank), slices);
            rooms[leaf as usize] = room;
            index
                .iter_mut()
                .for_each(|index| index.change(leaf, before, room.pods));
            changed.push(leaf);
        });
        if !changed.is_empty() {
            self.domains.sum_above(&mut rooms, changed, slices);
            self.counted[at].seen.clone_from(free);
        }
        (self.counted[at].rooms, self.counted[at].index) = (rooms, index);
        at
    }

    fn pods_on_leaf(&self, (leaf, pods, leaders): (u32, i64, i64)) -> PodsOn {
        let first = self.domains.level(self.domains.depth() - 1).start;
        let JobRequest { gpus, leader, .. } = self.request;
        let (pods, leaders) = (pods as u32, leaders as u32);
        let places = pods * gpus + leaders * leader.unwrap_or(0);
        PodsOn {
            rank: self.ranks[(leaf - first) as usize],
            pods,
            leaders,
            places,
        }
    }

    fn answer(&mut self, free: &FreeSet, count: u32) -> Result<Pods, Misfit> {
        let ask = Ask {
            pods: count.into(),
            ..self.request.ask.clone()
        };
        if ask.pods < ask.slices.outermost(self.domains.depth()).1 {
            return Err(Misfit::BelowSlice);
        }
        let at = self.count(free, &ask.slices);
        let plain = ask.slices.layers.is_empty() && !ask.slices.leader && !ask.top_down;
        if ask.mode == Mode::Unconstrained && plain {
            let CapacityCache { index, rooms, .. } = &mut self.counted[at];
            let index = index.get_or_insert_with(|| Index::new(&self.domains, rooms));
            return index.place(ask.pods, ask.least_free);
        }
        place(
            &self.domains,
            &ask,
            &self.counted[at].rooms,
            &mut self.scratch,
        )
    }
}

impl Allocator for KueueTas {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let choice = match self.answer(free, count) {
            Ok(pods) => {
                self.chosen = pods
                    .into_iter()
                    .map(|pods| self.pods_on_leaf(pods))
                    .collect();
                self.chosen
                    .iter()
                    .for_each(|pods| chosen.push_rank(pods.rank));
                Choice::Placed
            }
            Err(misfit) => {
                let key = (count, self.request.clone());
                let never = match self.never.get(&key) {
                    Some(never) => *never,
                    None => {
                        let down =
                            std::mem::replace(&mut self.down, vec![false; self.leaves.len()]);
                        let counted = std::mem::take(&mut self.counted);
                        let never = self.answer(&free.emptied(), count).is_err();
                        (self.down, self.counted) = (down, counted);
                        self.never.insert(key, never);
                        never
                    }
                };
                let reason = misfit.reason();
                if never {
                    Choice::Never(reason.into())
                } else {
                    Choice::NotNow(reason.into())
                }
            }
        };
        self.request.clone_from(&self.usual_request);
        choice
    }

    fn may_refuse(&self) -> bool {
        true
    }

    fn jobs(&mut self) -> Option<&mut dyn JobRules> {
        Some(self)
    }

    fn pods(&mut self) -> Option<&mut dyn PodRules> {
        Some(self)
    }
}

impl JobRules for KueueTas {
    fn set_options(&mut self, options: Option<&JobOptions>) -> Result<()> {
        self.request.clone_from(&self.usual_request);
        let Some(options) = options else {
            return Ok(());
        };
        let texts = read_job_texts(&options.text, &options.location, &self.usual)?;
        self.request = self.levels.read_request(&texts, &options.location)?;
        Ok(())
    }

    fn sizes(&mut self, count: u32) -> (u32, u32) {
        (0, count)
    }
}

impl PodRules for KueueTas {
    fn chosen(&self) -> &[PodsOn] {
        &self.chosen
    }

    fn replace(&mut self, free: &FreeSet, held: &[PodsOn], failed: u32) -> Choice {
        let mut rest: Pods = held
            .iter()
            .filter(|pods| pods.rank != failed)
            .map(|on| {
                (
                    self.leaves[on.rank as usize],
                    on.pods.into(),
                    on.leaders.into(),
                )
            })
            .collect();
        rest.sort_unstable();
        let missing = held
            .iter()
            .filter(|on| on.rank == failed)
            .map(|on| i64::from(on.pods))
            .sum();
        let ask = self.request.ask.clone();
        let mut found = Err(Misfit::NoReplacement);
        if self.swap {
            let rooms = |slices: &Slices| {
                let mut rooms = vec![Room::default(); self.domains.count()];
                for (rank, leaf) in (0..).zip(&self.leaves) {
                    rooms[*leaf as usize] = self.leaf_room(rank, free.places(rank), slices);
                }
                self.domains
                    .sum_below(&mut rooms, self.domains.level(0), slices, true);
                rooms
            };
            found = replace(&self.domains, &ask, &rest, missing, &rooms);
        }
        let choice = match found {
            Ok(pods) => {
                self.chosen = pods
                    .into_iter()
                    .map(|pods| self.pods_on_leaf(pods))
                    .collect();
                Choice::Placed
            }
            Err(misfit) => Choice::NotNow(misfit.reason().into()),
        };
        self.request.clone_from(&self.usual_request);
        choice
    }

    fn set_node(&mut self, rank: u32, up: bool) {
        self.down[rank as usize] = !up;
        self.counted.clear();
    }
}
