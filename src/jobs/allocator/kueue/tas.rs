//! The allocator `kueue-tas`: what fits into each domain, kept up to date, and the choices made on that.
//!
//! Counting what fits into all domains takes a pass over the machine. It is kept for the last kinds of pods, and from
//! job to job only the leaves whose free GPUs changed are counted anew, with the domains above them.

use std::collections::HashMap;

use super::anywhere::LeafIndex;
use super::choice::find_topology_assignment;
use super::domains::{DomainCapacity, Domains, Slices};
use super::labels::LabelledNodes;
use super::options::{JobRequest, KueueOptions, LevelNames, OPTIONS, OptionTexts, read_job_texts};
use super::placement::{LeafAssignment, PlacementError, PodSetRequest, TopologyRequest};
use super::replacement::replace_failed_pods;
use crate::allocator::entry::{
    Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice, PodRules, PodsOn,
};
use nodeorder_base::{FreeSet, Ranks, Result};
use nodeorder_trace::JobOptions;

/// `kueue-tas[:mode=M,level=L,slice=A/B/C,slice_level=X/Y/Z,profile=P,balanced=true,gpus=G,leader=G,ties=T,swap=off]`:
/// pods on nodes, level by level, as Kueue's topology-aware scheduling puts them. A pod takes `gpus` of the GPUs of a
/// node; where the machine's nodes have none, a node. The levels are the machine's, but for one called `all`, and
/// nodes (`host`); one of a single unit is a level, too. Nodes that are out of service take no pods, and others no
/// more than the description says (`status.allocatable.pods`, a resource of which each pod takes 1).
///
/// # Limits
/// GPUs and `pods` are the only resources. Selectors and preferred nodes are left out; quotas, priorities and
/// preemption are Kueue's, not of its placement. Schedules know nodes only: there a pod takes a node.
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
    |params| Ok(Box::new(KueueOptions::parse_options(params)?)),
);

impl BuildAllocator for KueueOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let LabelledNodes { levels, paths } = LabelledNodes::new(context, self.by_rank);
        let paths: Vec<Vec<&str>> = paths
            .iter()
            .map(|labels| labels.iter().map(String::as_str).collect())
            .collect();
        let domains = Domains::new(&paths);
        let leaves: Vec<u32> = (0..paths.len()).map(|rank| domains.leaf_of(rank)).collect();
        let first = domains.domains_of_level(domains.level_count() - 1).start;
        let mut ranks = vec![0; paths.len()];
        for (rank, leaf) in (0..).zip(&leaves) {
            ranks[(leaf - first) as usize] = rank;
        }
        let request = levels.read_request(&self.defaults, &self.location)?;
        Ok(Box::new(KueueTas {
            domains,
            levels,
            down: vec![false; leaves.len()],
            pods: vec![0; leaves.len()],
            most_pods: list_most_pods(context),
            leaves,
            ranks,
            default_texts: self.defaults.clone(),
            replaces_failed: self.swap,
            request: request.clone(),
            default_request: request,
            capacities: Vec::new(),
            never: HashMap::new(),
            chosen: Vec::new(),
            scratch: Vec::new(),
        }))
    }
}

/// Lists by rank how many pods a node takes at most, [`u32::MAX`] where its GPUs, of which every pod takes one, are
/// never enough for more.
fn list_most_pods(context: &AllocatorContext<'_>) -> Vec<u32> {
    let nodes = context.order.nodes();
    let places = context.topology.gpus_per_node(nodes);
    let places = places.unwrap_or(vec![1; nodes.len()]);
    let most = nodes
        .iter()
        .map(|node| context.topology.most_pods_on(*node));
    most.zip(places)
        .map(|(most, places)| most.filter(|most| *most < places).unwrap_or(u32::MAX))
        .collect()
}

/// Number of pods of one kind that fit into each domain, and the free set for which it was counted.
struct CapacityCache {
    gpus: u32,
    leader: Option<u32>,
    slices: Slices,
    seen: FreeSet,
    rooms: Vec<DomainCapacity>,
    /// The leaves sorted by room; `None` until an unconstrained job asks.
    index: Option<LeafIndex>,
}

/// Number of kinds of pods whose room is kept up to date.
const KINDS: usize = 8;

struct KueueTas {
    domains: Domains,
    levels: LevelNames,
    /// Leaf of each rank.
    leaves: Vec<u32>,
    /// Rank of each leaf, in the order of the leaves.
    ranks: Vec<u32>,
    /// The options of jobs that give none.
    default_texts: OptionTexts,
    /// Whether pods of a failed node go to other nodes.
    replaces_failed: bool,
    /// What the next job asks for.
    request: JobRequest,
    /// What a job without options asks for.
    default_request: JobRequest,
    capacities: Vec<CapacityCache>,
    /// By rank: whether the node has failed.
    down: Vec<bool>,
    /// By rank: number of pods on the node, leaders too.
    pods: Vec<u32>,
    /// By rank: most pods of the node; [`u32::MAX`] if its GPUs are never enough for more.
    most_pods: Vec<u32>,
    /// By number of pods and request of a job: whether it would be refused on an empty machine, too.
    never: HashMap<(u32, JobRequest), bool>,
    /// The pods of the job placed last.
    chosen: Vec<PodsOn>,
    /// Memory for balanced placements.
    scratch: Vec<DomainCapacity>,
}

impl KueueTas {
    /// Counts the pods and slices that fit on a node with `places` GPUs free.
    fn count_leaf_capacity(&self, rank: u32, places: u32, slices: &Slices) -> DomainCapacity {
        let JobRequest { gpus, leader, .. } = self.request;
        let mut room = DomainCapacity::default();
        // A failed node may have free GPUs, but nothing fits on it.
        if self.down[rank as usize] {
            return room;
        }
        let most = self.most_pods[rank as usize].saturating_sub(self.pods[rank as usize]);
        room.pods = i64::from(most.min(places / gpus));
        room.pods_with_leader = room.pods;
        if let Some(leader) = leader.filter(|leader| *leader <= places && most > 0) {
            room.leaders = 1;
            room.pods_with_leader = i64::from((most - 1).min((places - leader) / gpus));
        }
        self.domains.fill_leaf_capacity(&mut room, slices);
        room
    }

    /// Counts what fits into every domain, from the leaves up.
    fn count_capacities(&self, free: &FreeSet, slices: &Slices) -> Vec<DomainCapacity> {
        let mut rooms = vec![DomainCapacity::default(); self.domains.domain_count()];
        for (rank, leaf) in (0..).zip(&self.leaves) {
            rooms[*leaf as usize] = self.count_leaf_capacity(rank, free.free_places(rank), slices);
        }
        let outermost = self.domains.domains_of_level(0);
        self.domains
            .sum_descendants(&mut rooms, outermost, slices, true);
        rooms
    }

    /// Updates what fits into every domain for pods of the next job's kind, and returns the index of that kind in
    /// `capacities`. O(places/64 + changes since the last time · levels), but O(domains) for pods of a new kind.
    fn update_capacities(&mut self, free: &FreeSet, slices: &Slices) -> usize {
        let JobRequest { gpus, leader, .. } = self.request;
        let at = self
            .capacities
            .iter()
            .position(|c| (c.gpus, c.leader, &c.slices) == (gpus, leader, slices))
            .unwrap_or(self.capacities.len());
        if at == self.capacities.len() {
            let cache = CapacityCache {
                gpus,
                leader,
                slices: slices.clone(),
                seen: free.clone(),
                rooms: self.count_capacities(free, slices),
                index: None,
            };
            // The kind that came first of those kept goes.
            self.capacities.truncate(KINDS - 1);
            self.capacities.insert(0, cache);
            return 0;
        }
        let mut rooms = std::mem::take(&mut self.capacities[at].rooms);
        let mut index = self.capacities[at].index.take();
        let mut changed = Vec::new();
        free.visit_changed(&self.capacities[at].seen, |rank| {
            let leaf = self.leaves[rank as usize];
            let before = rooms[leaf as usize].pods;
            let room = self.count_leaf_capacity(rank, free.free_places(rank), slices);
            rooms[leaf as usize] = room;
            if let Some(index) = &mut index {
                index.move_leaf(leaf, before, room.pods);
            }
            changed.push(leaf);
        });
        if !changed.is_empty() {
            self.domains.sum_ancestors(&mut rooms, changed, slices);
            self.capacities[at].seen.clone_from(free);
        }
        self.capacities[at].rooms = rooms;
        self.capacities[at].index = index;
        at
    }

    /// Turns leaves with pods into ranks.
    fn list_pods(&self, pods: LeafAssignment) -> Vec<PodsOn> {
        pods.into_iter()
            .map(|(leaf, pods, leaders)| self.pods_on_leaf(leaf, pods as u32, leaders as u32))
            .collect()
    }

    fn pods_on_leaf(&self, leaf: u32, pods: u32, leaders: u32) -> PodsOn {
        let first = self
            .domains
            .domains_of_level(self.domains.level_count() - 1)
            .start;
        let JobRequest { gpus, leader, .. } = self.request;
        let places = pods * gpus + leaders * leader.unwrap_or(0);
        PodsOn {
            rank: self.ranks[(leaf - first) as usize],
            pods,
            leaders,
            places,
        }
    }

    /// Places the next job on these free ranks. Fails if it does not fit.
    fn place_job(&mut self, free: &FreeSet, count: u32) -> Result<LeafAssignment, PlacementError> {
        let ask = PodSetRequest {
            pods: count.into(),
            ..self.request.ask.clone()
        };
        if ask.pods < ask.slices.outermost_layer(self.domains.level_count()).1 {
            return Err(PlacementError::BelowSlice);
        }
        let at = self.update_capacities(free, &ask.slices);
        // The index knows nothing but leaves and pods, and what-if profiles go by domains.
        let plain = ask.slices.layers.is_empty() && !ask.slices.leader && !ask.top_down;
        if ask.mode == TopologyRequest::Unconstrained && plain {
            let CapacityCache { index, rooms, .. } = &mut self.capacities[at];
            let index = index.get_or_insert_with(|| LeafIndex::new(&self.domains, rooms));
            return index.place_pods(ask.pods, ask.least_free);
        }
        find_topology_assignment(
            &self.domains,
            &ask,
            &self.capacities[at].rooms,
            &mut self.scratch,
        )
    }
}

impl Allocator for KueueTas {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let choice = match self.place_job(free, count) {
            Ok(pods) => {
                self.chosen = self.list_pods(pods);
                for pods in &self.chosen {
                    chosen.push_rank(pods.rank);
                }
                Choice::Placed
            }
            Err(misfit) => {
                let key = (count, self.request.clone());
                let never = match self.never.get(&key) {
                    Some(never) => *never,
                    None => {
                        // On an empty machine without failed nodes; the rooms counted so far are those of this one.
                        let up = vec![false; self.leaves.len()];
                        let down = std::mem::replace(&mut self.down, up);
                        let none = vec![0; self.leaves.len()];
                        let pods = std::mem::replace(&mut self.pods, none);
                        let counted = std::mem::take(&mut self.capacities);
                        let never = self.place_job(&free.with_all_free_again(), count).is_err();
                        self.down = down;
                        self.pods = pods;
                        self.capacities = counted;
                        self.never.insert(key, never);
                        never
                    }
                };
                let reason = misfit.describe_reason();
                if never {
                    Choice::Never(reason.into())
                } else {
                    Choice::NotNow(reason.into())
                }
            }
        };
        self.request.clone_from(&self.default_request);
        choice
    }

    fn may_refuse(&self) -> bool {
        true
    }

    fn pod_rules(&mut self) -> Option<&mut dyn PodRules> {
        Some(self)
    }

    fn set_options(&mut self, options: Option<&JobOptions>) -> Result<()> {
        self.request.clone_from(&self.default_request);
        let Some(options) = options else {
            return Ok(());
        };
        let texts = read_job_texts(&options.text, &options.location, &self.default_texts)?;
        self.request = self.levels.read_request(&texts, &options.location)?;
        Ok(())
    }

    fn job_sizes(&mut self, count: u32) -> (u32, u32) {
        (0, count)
    }
}

impl PodRules for KueueTas {
    fn chosen_pods(&self) -> &[PodsOn] {
        &self.chosen
    }

    fn replace_pods(&mut self, free: &FreeSet, held: &[PodsOn], failed: u32) -> Choice {
        let mut rest = LeafAssignment::new();
        let mut missing = 0;
        for on in held {
            if on.rank == failed {
                missing += i64::from(on.pods);
                continue;
            }
            let leaf = self.leaves[on.rank as usize];
            rest.push((leaf, on.pods.into(), on.leaders.into()));
        }
        rest.sort_unstable();
        let ask = self.request.ask.clone();
        let mut found = Err(PlacementError::NoReplacement);
        if self.replaces_failed {
            found = replace_failed_pods(&self.domains, &ask, &rest, missing, &|slices| {
                self.count_capacities(free, slices)
            });
        }
        let choice = match found {
            Ok(pods) => {
                self.chosen = self.list_pods(pods);
                Choice::Placed
            }
            Err(misfit) => Choice::NotNow(misfit.describe_reason().into()),
        };
        self.request.clone_from(&self.default_request);
        choice
    }

    fn settle_pods(&mut self, pods: &[PodsOn], taken: bool) {
        for on in pods {
            let held = &mut self.pods[on.rank as usize];
            let count = on.pods + on.leaders;
            *held = if taken {
                *held + count
            } else {
                held.saturating_sub(count)
            };
            // Free GPUs do not show how many pods have them.
            if self.most_pods[on.rank as usize] < u32::MAX {
                self.capacities.clear();
            }
        }
    }

    fn set_node_state(&mut self, rank: u32, up: bool) {
        self.down[rank as usize] = !up;
        // Free GPUs do not show that the node changed, so nothing that was counted holds.
        self.capacities.clear();
    }
}
