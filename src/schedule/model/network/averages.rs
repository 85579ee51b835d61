//! Mean seconds an iteration of jobs that run side by side, without a simulation of their iterations.
//!
//! A job computes for c seconds and then sends; alone it sends for A seconds. Beside others it sends for R: at a moment
//! at which the jobs of a set S send as well, a link l takes d(l) + Σ_{k∈S} w(k, l) for the job's bytes, where d(l) is
//! what it takes alone and w what sharing with job k costs: rates on a full link are equal (max-min fairness), but job
//! k takes no more of it than alone. The slowest link counts, and
//!
//! `R = Σ_S P(S) · max(A, max_l d(l) + Σ_{k∈S} w(k, l))`,
//!
//! jobs being in S independently, each with the share of its time in which it would send if this job were away (the
//! arrival theorem of closed queueing networks): solved by iteration. With up to [`EXACT`] others all sets are
//! summed up, else [`DRAWS`] of them, in which each job stands for exactly its share.
//!
//! # Limits
//! Messages that end early free no link, and jobs are not kept apart by having met. Against the job level with phases
//! that drift, on three crowded networks of 64 to 72 nodes, half of 368 jobs come within 6 % and nine in ten within
//! 25 % (the test below).
//!
//! # References
//! Reiser, Lavenberg, "Mean-value analysis of closed multichain queuing networks", J. ACM 27(2), 1980,
//! <https://doi.org/10.1145/322186.322195>.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::corun::{Channels, PhaseUsage};
use crate::random::{generator, shuffle};

/// Other jobs of which every set is looked at.
const EXACT: usize = 5;

/// Sets drawn where there are more.
const DRAWS: usize = 32;

/// Seconds of an iteration are right to this part.
const CLOSE: f64 = 1e-7;

/// The most rounds of the iteration.
const ROUNDS: usize = 60;

/// Links looked at for each set of jobs that share some: those that they can load most.
const LINKS: usize = 16;

/// A running job.
struct Member {
    /// Seconds of an iteration in which it sends nothing.
    compute: f64,
    /// Seconds in which it sends, alone.
    alone: f64,
    /// Bytes of its largest message.
    bytes: f64,
    /// Every link with the bytes of largest messages on it, over the link's capacity.
    links: Vec<(u32, f64)>,
    /// Seconds in which it sends beside the others.
    sending: f64,
}

/// A link that several jobs can fill. For each of them its index in the component, and the seconds that a byte of each one's largest message takes there.
type SharedLink = Vec<(u32, f64)>;

/// The jobs that run, each with its mean seconds an iteration beside the others.
pub(super) struct Averages {
    channels: Channels,
    running: BTreeMap<u32, Member>,
    on: Vec<Vec<u32>>,
    /// By link: sum of the loads that its jobs would put on it if each were alone, over its capacity.
    asked: Vec<f64>,
    /// Jobs whose seconds must be found anew.
    dirty: BTreeSet<u32>,
    /// Shuffles of the draws, one for each of a job's others.
    shuffles: Vec<[u8; DRAWS]>,
}

impl Averages {
    /// No jobs on these channels.
    pub fn new(channels: Channels) -> Self {
        Averages {
            on: vec![Vec::new(); channels.capacity.len()],
            asked: vec![0.0; channels.capacity.len()],
            channels,
            running: BTreeMap::new(),
            dirty: BTreeSet::new(),
            shuffles: Vec::new(),
        }
    }

    /// A job starts. O(links it loads).
    pub fn start(&mut self, key: u32, usage: &PhaseUsage) {
        let rate = usage.alone(&self.channels);
        let member = Member {
            compute: usage.compute + usage.latency,
            alone: usage.bytes / rate,
            bytes: usage.bytes,
            links: usage
                .links
                .iter()
                .map(|(l, u)| (*l, u / self.channels.capacity[*l as usize]))
                .collect(),
            sending: usage.bytes / rate,
        };
        for (link, _) in &member.links {
            self.on[*link as usize].push(key);
        }
        self.running.insert(key, member);
        let links: Vec<u32> = self.running[&key].links.iter().map(|(link, _)| *link).collect();
        links.into_iter().for_each(|link| self.recount(link));
        self.dirty.insert(key);
    }

    /// A job ends.
    pub fn end(&mut self, key: u32) {
        let Some(member) = self.running.remove(&key) else { return };
        for (link, _) in &member.links {
            let met = self.contended(*link);
            let on = &mut self.on[*link as usize];
            on.retain(|on| *on != key);
            // Jobs that it met may have met others only through it: each is solved anew.
            if met {
                self.dirty.extend(on.iter());
            }
            self.recount(*link);
        }
        self.dirty.remove(&key);
    }

    /// Sums the load asked of a link, in the order of the jobs: rounding then does not depend on who came first.
    fn recount(&mut self, link: u32) {
        let share = |key: &u32| {
            let job = &self.running[key];
            let at = job.links.binary_search_by_key(&link, |(l, _)| *l);
            at.map_or(0.0, |at| job.links[at].1 * job.bytes / job.alone)
        };
        let on = &mut self.on[link as usize];
        on.sort_unstable();
        self.asked[link as usize] = if on.len() > 1 { on.iter().map(share).sum() } else { 0.0 };
    }

    /// Whether the jobs on a link can fill it.
    fn contended(&self, link: u32) -> bool {
        self.asked[link as usize] > 1.0 + 1e-9
    }

    /// Mean seconds of an iteration of a job, as last found.
    pub fn seconds(&self, key: u32) -> Option<f64> {
        self.running.get(&key).map(|job| job.compute + job.sending)
    }

    /// A job and those that it meets on links that they can fill, directly or through others.
    fn meeting(&self, key: u32) -> BTreeSet<u32> {
        let (mut met, mut left) = (BTreeSet::from([key]), vec![key]);
        while let Some(job) = left.pop().and_then(|key| self.running.get(&key)) {
            for (link, _) in job.links.iter().filter(|(link, _)| self.contended(*link)) {
                let on = self.on[*link as usize].iter();
                left.extend(on.filter(|key| met.insert(**key)).copied());
            }
        }
        met
    }

    /// Finds what has changed. Returns those jobs, ascending.
    ///
    /// # Complexity
    /// For the jobs that meet what came or went, directly or through others: O(links they load), and a round of the
    /// iteration O(entries of shared links · sets).
    pub fn update(&mut self) -> Vec<u32> {
        let mut all = BTreeSet::new();
        while let Some(key) = self.dirty.pop_first() {
            if all.contains(&key) {
                continue;
            }
            let component: Vec<u32> = self.meeting(key).into_iter().collect();
            self.solve(&component);
            all.extend(component);
        }
        all.into_iter().collect()
    }

    /// The links that some jobs can fill, those asked for most first and few of each kind.
    fn rows(&self, component: &[u32]) -> Vec<SharedLink> {
        let index_of: HashMap<u32, u32> = component.iter().copied().zip(0..).collect();
        let mut kinds: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (i, key) in component.iter().enumerate() {
            for (link, _) in &self.running[key].links {
                let on = &self.on[*link as usize];
                // Each link once: for the first job on it.
                if self.contended(*link) && index_of.get(&on[0]) == Some(&(i as u32)) {
                    kinds.entry(on.clone()).or_default().push(*link);
                }
            }
        }
        let mut rows = Vec::new();
        for (keys, mut links) in kinds {
            let asked = |link: &u32| self.asked[*link as usize];
            links.sort_by(|a, b| asked(b).total_cmp(&asked(a)).then(a.cmp(b)));
            let mut kept: Vec<SharedLink> = Vec::new();
            for link in links {
                let row: SharedLink = (keys.iter())
                    .map(|key| {
                        let uses = &self.running[key].links;
                        let at = uses.binary_search_by_key(&link, |(l, _)| *l);
                        (index_of[key], at.map_or(0.0, |at| uses[at].1))
                    })
                    .collect();
                let covers = |other: &SharedLink| other.iter().zip(&row).all(|(a, b)| a.1 >= b.1);
                if kept.len() < LINKS && !kept.iter().any(covers) {
                    kept.push(row);
                }
            }
            rows.append(&mut kept);
        }
        rows
    }

    fn solve(&mut self, component: &[u32]) {
        let rows = self.rows(component);
        let members: Vec<&Member> = component.iter().map(|key| &self.running[key]).collect();
        let meetings = meetings(&members, &rows);
        while self.shuffles.len() < members.len() {
            let mut draws: [u8; DRAWS] = std::array::from_fn(|i| i as u8);
            shuffle(&mut draws, &mut generator(self.shuffles.len() as u64));
            self.shuffles.push(draws);
        }
        let mut sending: Vec<f64> = members.iter().map(|job| job.alone).collect();
        for _ in 0..ROUNDS {
            // What all others cost each job.
            let mut costing = vec![0.0; members.len()];
            for ((job, meeting), sends) in members.iter().zip(&meetings).zip(&sending) {
                for (k, costs) in &meeting.others {
                    costing[*k as usize] += costs * sends / (job.compute + sends);
                }
            }
            let next: Vec<f64> = (0..members.len())
                .map(|j| sends(j, &members, &rows, &meetings, &sending, &costing, &self.shuffles))
                .collect();
            let apart = |(a, b): (&f64, &f64)| (a - b).abs() <= CLOSE * b.abs();
            let done = next.iter().zip(&sending).all(apart);
            sending = next;
            if done {
                break;
            }
        }
        for (key, sending) in component.iter().zip(sending) {
            if let Some(job) = self.running.get_mut(key) {
                job.sending = sending;
            }
        }
    }
}

/// The links that a job shares, and the jobs that it shares them with.
#[derive(Default)]
struct Meeting {
    /// Its rows, by number.
    rows: Vec<u32>,
    /// The others on them, ascending, with the seconds that this job costs each one at most.
    others: Vec<(u32, f64)>,
}

fn meetings(members: &[&Member], rows: &[SharedLink]) -> Vec<Meeting> {
    let mut all: Vec<Meeting> = members.iter().map(|_| Meeting::default()).collect();
    let mut costs: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); members.len()];
    for (number, row) in (0..).zip(rows) {
        for (j, uses) in row {
            all[*j as usize].rows.push(number);
            for (k, theirs) in row.iter().filter(|(k, _)| k != j) {
                let other = members[*k as usize];
                let more = other.bytes * (uses + theirs) - other.alone;
                let most = costs[*j as usize].entry(*k).or_default();
                *most = most.max(more);
            }
        }
    }
    for (meeting, costs) in all.iter_mut().zip(costs) {
        meeting.others = costs.into_iter().collect();
    }
    all
}

/// Seconds in which job `j` sends, the others sending for `sending` and losing `costing` to all they meet.
#[allow(clippy::too_many_arguments)]
fn sends(
    j: usize,
    members: &[&Member],
    rows: &[SharedLink],
    meetings: &[Meeting],
    sending: &[f64],
    costing: &[f64],
    shuffles: &[[u8; DRAWS]],
) -> f64 {
    let (job, meeting) = (members[j], &meetings[j]);
    if meeting.others.is_empty() {
        return job.alone;
    }
    let own = sending[j] / (job.compute + sending[j]);
    // How much of each set another job is in, and how likely the set is.
    let exact = meeting.others.len() <= EXACT;
    let mut likely = [1.0 / DRAWS as f64; DRAWS];
    let mut sets = 1usize;
    let mut inside: Vec<[f64; DRAWS]> = Vec::with_capacity(meeting.others.len());
    if exact {
        likely[0] = 1.0;
    }
    for (i, (k, costs)) in meeting.others.iter().enumerate() {
        let other = members[*k as usize];
        let (took, all) = (sending[*k as usize], costing[*k as usize]);
        let part = if all > 0.0 { own * costs / all } else { 0.0 };
        let without = took - part * (took - other.alone);
        let share = without / (other.compute + without);
        let mut part = [0.0; DRAWS];
        if exact {
            for set in 0..sets {
                likely[set + sets] = likely[set] * share;
                likely[set] *= 1.0 - share;
            }
            sets *= 2;
            (0..DRAWS).for_each(|set| part[set] = f64::from(set as u8 >> i & 1));
        } else {
            let full = share * DRAWS as f64;
            part = shuffles[i].map(|draw| (full - f64::from(draw)).clamp(0.0, 1.0));
        }
        inside.push(part);
    }
    let sets = if exact { sets } else { DRAWS };
    let mut slowest = [job.alone; DRAWS];
    for row in meeting.rows.iter().map(|row| &rows[*row as usize]) {
        let uses = row.iter().find(|(i, _)| *i as usize == j).map_or(0.0, |(_, uses)| *uses);
        let mut takes = [job.bytes * uses; DRAWS];
        let alone = takes[0];
        let mut at = 0;
        for (k, theirs) in row.iter().filter(|(k, _)| *k as usize != j) {
            while meeting.others[at].0 < *k {
                at += 1;
            }
            let other = members[*k as usize];
            let full = other.bytes * theirs / other.alone;
            let left = if full < 1.0 { alone * full / (1.0 - full) } else { f64::INFINITY };
            let costs = (job.bytes * theirs).min(left);
            for (takes, part) in takes.iter_mut().zip(&inside[at]) {
                *takes += costs * part;
            }
        }
        for (slowest, takes) in slowest.iter_mut().zip(takes) {
            *slowest = if takes > *slowest { takes } else { *slowest };
        }
    }
    slowest[..sets].iter().zip(likely).map(|(seconds, likely)| seconds * likely).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corun::{JobLevel, JobUsage, Speeds};
    use crate::ids::NodeId;
    use crate::mapping::guest::sized;
    use crate::mapping::{Fabric, ProcessMapping, RoutingEntry};
    use crate::random::below;
    use crate::topology::{Context, Topology};

    fn speeds() -> Speeds {
        Speeds::new(1e9, 0.0)
    }

    fn channels(topology: &Topology, fabric: &Fabric<'_>) -> Channels {
        Channels::new(topology, fabric.links, &speeds())
    }

    /// Two to nine jobs on random nodes, each with a share of sending between a fifth and four fifths alone.
    fn case(topology: &Topology, fabric: &Fabric<'_>, seed: u64) -> Vec<PhaseUsage> {
        let mut random = generator(seed);
        let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
        shuffle(&mut nodes, &mut random);
        let mut jobs = Vec::new();
        let count = 2 + below(8, &mut random) as usize;
        let routing = RoutingEntry::named("one-path").unwrap();
        let channels = channels(topology, fabric);
        for _ in 0..count {
            let size = [4, 6, 8][below(3, &mut random) as usize];
            if nodes.len() < size {
                break;
            }
            let guest =
                ["all-to-all", "ring", "stencil2d", "stencil3d"][below(4, &mut random) as usize];
            let guest = sized(guest, size as u32, topology.context()).unwrap();
            let mapping =
                ProcessMapping::new(topology, "job", nodes.drain(..size).collect()).unwrap();
            let mut usage =
                PhaseUsage::new(fabric, routing, &guest, &mapping, 1e9, 0.0, &channels).unwrap();
            let share = [0.2, 0.5, 0.8][below(3, &mut random) as usize];
            usage.compute = usage.bytes / usage.alone(&channels) * (1.0 - share) / share;
            jobs.push(usage);
        }
        jobs
    }

    /// Against the job level, event by event, with phases that drift.
    #[test]
    fn averages_are_near_a_simulation_of_every_phase() {
        let mut errors = Vec::new();
        for spec in ["torus:4x4x4", "mesh:8x8", "dragonfly:p=2,a=4,h=2"] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let fabric = Fabric::new(&topology).unwrap();
            for seed in 0..20 {
                let jobs = case(&topology, &fabric, seed);
                let mut level = JobLevel::new(channels(&topology, &fabric), 600);
                let mut averages = Averages::new(channels(&topology, &fabric));
                for (key, usage) in (0..).zip(&jobs) {
                    let phases = vec![usage.clone()];
                    level.start(key, JobUsage { phases, spread: 0.3, seed: key + 1 });
                    averages.start(key as u32, usage);
                }
                averages.update();
                for key in 0..jobs.len() as u32 {
                    let simulated = level.seconds(key.into()).unwrap();
                    errors.push((averages.seconds(key).unwrap() / simulated - 1.0).abs());
                }
            }
        }
        errors.sort_by(f64::total_cmp);
        let at = |share: f64| errors[(share * (errors.len() - 1) as f64) as usize];
        println!("{} jobs: median {}, 90 % {}, most {}", errors.len(), at(0.5), at(0.9), at(1.0));
        assert!(at(0.5) < 0.08 && at(0.9) < 0.3, "median {}, 90 % {}", at(0.5), at(0.9));
    }

    /// Jobs on one link that send all the time take as many times as long as there are; one that others meet with
    /// the share f of their time, f of itself longer for the first of them.
    #[test]
    fn one_link_is_shared_equally() {
        let usage = |compute| {
            let links = vec![(0, 1.0)];
            PhaseUsage { compute, latency: 0.0, bytes: 1.0, weight: 1.0, links }
        };
        for count in 1..9 {
            let mut averages = Averages::new(Channels::of_links(vec![1.0], 1.0));
            (0..count).for_each(|key| averages.start(key, &usage(0.0)));
            assert_eq!(averages.update().len(), count as usize);
            for key in 0..count {
                let seconds = averages.seconds(key).unwrap();
                assert!((seconds - f64::from(count)).abs() < 1e-6, "{count} jobs: {seconds}");
            }
        }
        let mut averages = Averages::new(Channels::of_links(vec![1.0], 1.0));
        averages.start(1, &usage(3.0));
        averages.start(2, &usage(3.0));
        averages.update();
        assert!((averages.seconds(1).unwrap() - 4.25).abs() < 1e-9);
        averages.end(2);
        assert_eq!((averages.update(), averages.seconds(1)), (vec![1], Some(4.0)));
    }

    /// Results depend on the jobs that run, not on jobs that came and went before.
    #[test]
    fn the_way_to_a_set_of_jobs_does_not_show() {
        let topology = Topology::inline("torus:4x4x2", &Context::default()).unwrap();
        let fabric = Fabric::new(&topology).unwrap();
        for seed in 0..30 {
            let jobs = case(&topology, &fabric, seed);
            let new = || Averages::new(channels(&topology, &fabric));
            let (mut long, mut short) = (new(), new());
            for (key, usage) in (0u32..).zip(&jobs).collect::<Vec<_>>().into_iter().rev() {
                long.start(key, usage);
                long.update();
            }
            let stays = |key: &u32| key % 3 != 1;
            for key in (0..jobs.len() as u32).filter(|key| !stays(key)) {
                long.end(key);
                long.update();
            }
            (0..).zip(&jobs).filter(|(key, _)| stays(key)).for_each(|(key, u)| short.start(key, u));
            short.update();
            for key in 0..jobs.len() as u32 {
                assert_eq!(long.seconds(key), short.seconds(key));
            }
        }
    }
}
