//! The flow level: jobs that share links, simulated message by message.
//!
//! Messages of a job on one route have one rate and are one slot of [`Filling`], whatever their sizes. A phase that
//! no other job's sending can overlap takes as long as alone, which is found once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::Channels;
use super::filling::Filling;
use super::messages::{FlowGroup, FlowJob, FlowPhase};
use super::pattern::{Goal, Pattern, State};
use super::timing::{Computing, Finished, Run, Span, Spans};

/// How far the messages of a slot are.
#[derive(Clone, Debug)]
struct Flow {
    job: usize,
    latency: f64,
    sizes: Vec<(f64, f64)>,
    /// The smallest size that is not done; beyond the last where all are.
    next: usize,
    /// Bytes of each message at a time, and the rate since.
    sent: f64,
    since: f64,
    rate: f64,
    /// Raised whenever the end changes: entries of the queue with an older version are stale.
    version: u32,
}

impl Flow {
    fn sent_at(&self, now: f64) -> f64 {
        self.sent + self.rate * (now - self.since)
    }
}

/// The present activity of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Computes {
        until: f64,
    },
    /// Sends while no other job does: nothing slows it down.
    Alone {
        until: f64,
    },
    Sends,
}

#[derive(Clone, Debug)]
struct Member {
    job: FlowJob,
    /// The slots of each phase in the order of their latencies.
    slots: Vec<Vec<u32>>,
    computing: Computing,
    phase: usize,
    stage: Stage,
    /// When the stage began.
    began: f64,
    /// Slots of the phase that have begun, and those not done, begun or not.
    begun: usize,
    open: usize,
    /// How often each phase is done.
    done: Vec<f64>,
    finished: Finished,
}

/// The simulation of jobs that share links, event by event.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowRun {
    jobs: Vec<Member>,
    flows: Vec<Flow>,
    filling: Filling,
    bound: f64,
    /// The machine's link for each of those used.
    links: Vec<u32>,
    /// Messages by when they end, at the rates they have.
    ends: BinaryHeap<Reverse<(u64, u32, u32)>>,
    now: f64,
    /// Time that was counted instead of simulated.
    skipped: f64,
    pattern: Option<Pattern>,
    spans: Spans,
}

impl FlowRun {
    /// Jobs at time 0 that share these channels. `count`: states that come again are counted.
    pub fn new(jobs: &[&FlowJob], channels: &Channels, count: bool) -> Self {
        let links: BTreeSet<u32> = jobs.iter().flat_map(|job| job.channels()).collect();
        let links: Vec<u32> = links.into_iter().collect();
        let index_of: BTreeMap<u32, u32> = links.iter().zip(0..).map(|(l, i)| (*l, i)).collect();
        let (mut flows, mut routes, mut members) = (Vec::new(), Vec::new(), Vec::new());
        for (i, job) in jobs.iter().enumerate() {
            let mut slots = Vec::new();
            for phase in &job.phases {
                let first = flows.len() as u32;
                let inside = FlowGroup {
                    route: Vec::new(),
                    latency: 0.0,
                    weight: 1.0,
                    sizes: vec![(phase.inside, 1.0)],
                };
                for group in phase
                    .groups
                    .iter()
                    .chain((phase.inside > 0.0).then_some(&inside))
                {
                    let route: Vec<(u32, f64)> = group
                        .route
                        .iter()
                        .map(|(link, share)| (index_of[link], *share))
                        .collect();
                    routes.push((route, group.weight));
                    let (latency, sizes) = (group.latency, group.sizes.clone());
                    let next = sizes.len();
                    let (sent, since, rate, version) = (0.0, 0.0, 0.0, 0);
                    flows.push(Flow {
                        job: i,
                        latency,
                        sizes,
                        next,
                        sent,
                        since,
                        rate,
                        version,
                    });
                }
                let mut list: Vec<u32> = (first..flows.len() as u32).collect();
                let latency = |slot: &u32| flows[*slot as usize].latency;
                list.sort_by(|a, b| latency(a).total_cmp(&latency(b)));
                slots.push(list);
            }
            let mut computing = Computing::new(job.seed, job.spread);
            let until = computing.draw(job.phases[0].compute);
            members.push(Member {
                slots,
                computing,
                phase: 0,
                stage: Stage::Computes { until },
                began: 0.0,
                begun: 0,
                open: 0,
                done: vec![0.0; job.phases.len()],
                finished: Finished::default(),
                job: (*job).clone(),
            });
        }
        let capacity = links
            .iter()
            .map(|link| channels.capacity[*link as usize])
            .collect();
        let bound = channels.bound;
        let routes = routes
            .iter()
            .map(|(route, weight)| (route.as_slice(), *weight));
        // With drawn computing times no state comes again.
        let repeats = count && jobs.iter().all(|job| job.spread == 0.0);
        FlowRun {
            filling: Filling::new(capacity, bound, routes),
            jobs: members,
            flows,
            bound,
            links,
            pattern: repeats.then(Pattern::default),
            ..FlowRun::default()
        }
    }

    /// The seconds that each phase of a job sends alone.
    pub fn alone(job: &FlowJob, channels: &Channels) -> Vec<f64> {
        let phase = |phase: &FlowPhase| {
            let phases = vec![FlowPhase {
                compute: 0.0,
                ..phase.clone()
            }];
            let job = FlowJob {
                phases,
                ..FlowJob::default()
            };
            FlowRun::new(&[&job], channels, false).until_each_has_done(1)
        };
        job.phases.iter().map(phase).collect()
    }

    pub fn time(&self) -> f64 {
        self.now + self.skipped
    }

    /// When something happens next.
    fn next(&mut self) -> f64 {
        while let Some(Reverse((_, slot, version))) = self.ends.peek() {
            if self.flows[*slot as usize].version == *version {
                break;
            }
            self.ends.pop();
        }
        let end = self
            .ends
            .peek()
            .map_or(f64::INFINITY, |Reverse((key, ..))| f64::from_bits(*key));
        let own = |job: &Member| match job.stage {
            Stage::Computes { until } | Stage::Alone { until } => until,
            Stage::Sends => (job.slots[job.phase].get(job.begun)).map_or(f64::INFINITY, |slot| {
                job.began + self.flows[*slot as usize].latency
            }),
        };
        self.jobs.iter().map(own).fold(end, f64::min)
    }

    /// The next event, and all others at its time.
    fn step(&mut self, goal: Goal) {
        nodeorder_base::observer::pause();
        self.now = self.next();
        // Messages that should end together do, whatever the last bits of their times are.
        let together = (self.now * (1.0 + 1e-13)).to_bits();
        while let Some(Reverse((key, slot, version))) = self.ends.peek().copied() {
            if key > together {
                break;
            }
            self.ends.pop();
            if self.flows[slot as usize].version == version {
                self.smallest_end(slot);
            }
        }
        let before = self.jobs[0].finished.count;
        for job in 0..self.jobs.len() {
            match self.jobs[job].stage {
                Stage::Computes { until } if until <= self.now => self.send(job),
                Stage::Alone { until } if until <= self.now => self.end_phase(job),
                Stage::Sends if self.jobs[job].open == 0 => self.end_phase(job),
                Stage::Sends => self.begin_flows(job),
                _ => {}
            }
        }
        let (flows, ends, now) = (&mut self.flows, &mut self.ends, self.now);
        self.filling.settle(|slot, rate| {
            let flow = &mut flows[slot as usize];
            (flow.sent, flow.since) = (flow.sent_at(now), now);
            flow.rate = rate;
            queue(ends, flow, slot);
        });
        // States are compared once an iteration of the first job: more often would find nothing more.
        if self.jobs[0].finished.count > before && self.pattern.is_some() {
            self.count(goal);
        }
    }

    /// The messages of the smallest size left in a slot end.
    fn smallest_end(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        let (size, count) = flow.sizes[flow.next];
        (flow.sent, flow.since) = (size, self.now);
        flow.next += 1;
        if self.filling.crosses(slot) {
            self.filling.end(slot, count);
        }
        if flow.next == flow.sizes.len() {
            flow.version += 1;
            self.jobs[flow.job].open -= 1;
        } else {
            queue(&mut self.ends, flow, slot);
        }
    }

    /// A job has computed: it sends.
    fn send(&mut self, job: usize) {
        let now = self.now;
        self.span(job, false);
        let member = &self.jobs[job];
        let slots = member.slots[member.phase].len();
        if slots == 0 {
            return self.end_phase(job);
        }
        let alone = member
            .job
            .sending
            .get(member.phase)
            .map(|seconds| now + seconds);
        let quiet = |until: &f64| {
            self.jobs
                .iter()
                .enumerate()
                .all(|(other, member)| match member.stage {
                    Stage::Computes { until: begins } => other == job || begins >= *until,
                    _ => false,
                })
        };
        // While all others compute, the phase takes as long as alone: no flow has to be followed.
        let alone = alone.filter(quiet);
        let member = &mut self.jobs[job];
        (member.began, member.begun, member.open) = (now, 0, slots);
        match alone {
            Some(until) => member.stage = Stage::Alone { until },
            None => {
                member.stage = Stage::Sends;
                self.begin_flows(job);
            }
        }
    }

    /// The messages whose latency has passed begin.
    fn begin_flows(&mut self, job: usize) {
        let member = &mut self.jobs[job];
        while let Some(slot) = member.slots[member.phase].get(member.begun).copied() {
            let flow = &mut self.flows[slot as usize];
            if member.began + flow.latency > self.now {
                break;
            }
            member.begun += 1;
            (flow.next, flow.sent, flow.since, flow.rate) = (0, 0.0, self.now, 0.0);
            if self.filling.crosses(slot) {
                self.filling
                    .start(slot, flow.sizes.iter().map(|(_, count)| count).sum());
            } else {
                flow.rate = self.bound;
                queue(&mut self.ends, flow, slot);
            }
        }
    }

    fn end_phase(&mut self, job: usize) {
        if !matches!(self.jobs[job].stage, Stage::Computes { .. }) {
            self.span(job, true);
        }
        let time = self.time();
        let member = &mut self.jobs[job];
        member.done[member.phase] += 1.0;
        member.phase = (member.phase + 1) % member.done.len();
        if member.phase == 0 {
            member.finished.add(time);
        }
        let compute = member.job.phases[member.phase].compute;
        let until = self.now + member.computing.draw(compute);
        (member.stage, member.began) = (Stage::Computes { until }, self.now);
    }

    /// Notes what a job did since its stage began.
    fn span(&mut self, job: usize, sends: bool) {
        let span = Span {
            job,
            from: self.jobs[job].began + self.skipped,
            to: self.time(),
            sends,
        };
        self.spans.add(span);
    }

    /// Skips periods of states that come again, as many as fit before the goal.
    fn count(&mut self, goal: Goal) {
        let Some(pattern) = &mut self.pattern else {
            return;
        };
        let mut state = State::default();
        for member in &self.jobs {
            let (stage, left) = match member.stage {
                Stage::Computes { until } => (0, until - self.now),
                Stage::Alone { until } => (1, until - self.now),
                Stage::Sends => (2, self.now - member.began),
            };
            state
                .whole
                .extend([member.phase as u32, stage, member.begun as u32]);
            state.times.push(left);
            if member.stage == Stage::Sends {
                for slot in &member.slots[member.phase][..member.begun] {
                    let flow = &self.flows[*slot as usize];
                    state.whole.push(flow.next as u32);
                    if let Some((size, _)) = flow.sizes.get(flow.next) {
                        state.parts.push(flow.sent_at(self.now) / size);
                    }
                }
            }
        }
        let jobs = self
            .jobs
            .iter_mut()
            .map(|member| (&mut member.finished, &mut member.done));
        let times = (self.now, self.skipped);
        if let Some(seconds) = pattern.count(state, times, goal, &mut jobs.collect::<Vec<_>>()) {
            self.skipped += seconds;
            self.spans.stop();
        }
    }

    /// As [`FlowRun::until`], but no further than the end of the first iteration.
    fn until_within_phase(&mut self, time: f64) {
        while self.jobs[0].finished.count == 0 && self.next() <= time {
            self.step(Goal::Time(time));
        }
        if self.jobs[0].finished.count == 0 {
            self.now = self.now.max(time);
        }
    }
}

impl Run for FlowRun {
    fn until_each_has_done(&mut self, iterations: u64) -> f64 {
        while self.jobs.iter().any(|job| job.finished.count < iterations) {
            self.step(Goal::Iterations(iterations));
        }
        self.time()
    }

    fn until(&mut self, time: f64) {
        while self.next() + self.skipped <= time {
            self.step(Goal::Time(time));
        }
        self.now = self.now.max(time - self.skipped);
    }

    fn finished(&self, job: usize) -> &Finished {
        &self.jobs[job].finished
    }

    fn carried(&self, channels: &Channels) -> Vec<(u32, f64)> {
        let mut bytes: BTreeMap<u32, f64> = self.links.iter().map(|link| (*link, 0.0)).collect();
        let mut add = |route: &[(u32, f64)], all: f64| {
            for (link, share) in route {
                *bytes.entry(*link).or_default() += share * all;
            }
        };
        for member in &self.jobs {
            for (phase, done) in member.job.phases.iter().zip(&member.done) {
                for group in &phase.groups {
                    let sum: f64 = group.sizes.iter().map(|(size, n)| size * n).sum();
                    add(&group.route, done * sum);
                }
            }
            let phase = &member.job.phases[member.phase];
            if let Stage::Alone { .. } = member.stage {
                // As far as it is alone after so long.
                let phases = vec![FlowPhase {
                    compute: 0.0,
                    ..phase.clone()
                }];
                let job = FlowJob {
                    phases,
                    ..FlowJob::default()
                };
                let mut run = FlowRun::new(&[&job], channels, false);
                run.until_within_phase(self.now - member.began);
                for (link, part) in run.carried(channels) {
                    add(&[(link, 1.0)], part);
                }
            }
            if member.stage == Stage::Sends {
                let first = member.slots[member.phase]
                    .iter()
                    .min()
                    .copied()
                    .unwrap_or(0);
                for slot in &member.slots[member.phase][..member.begun] {
                    let (flow, i) = (&self.flows[*slot as usize], (slot - first) as usize);
                    let at = flow.sent_at(self.now);
                    let part = |(k, (size, n)): (usize, &(f64, f64))| {
                        n * if k < flow.next { *size } else { at.min(*size) }
                    };
                    if let Some(group) = phase.groups.get(i) {
                        add(&group.route, flow.sizes.iter().enumerate().map(part).sum());
                    }
                }
            }
        }
        bytes.into_iter().collect()
    }

    fn spans(&mut self) -> &mut Spans {
        &mut self.spans
    }
}

#[cfg(test)]
impl FlowRun {
    /// The next event.
    pub fn one_step(&mut self) {
        self.step(Goal::Time(f64::INFINITY));
    }

    /// Bytes a second that each link carries now.
    pub fn used(&self) -> Vec<(u32, f64)> {
        let mut used = Vec::new();
        for (index, link) in self.links.iter().enumerate() {
            used.push((*link, self.filling.used(index)));
        }
        used
    }
}

/// Puts the next end of a slot into the queue.
fn queue(ends: &mut BinaryHeap<Reverse<(u64, u32, u32)>>, flow: &mut Flow, slot: u32) {
    flow.version += 1;
    let left = (flow.sizes[flow.next].0 - flow.sent).max(0.0);
    let end = flow.since + left / flow.rate;
    ends.push(Reverse((end.to_bits(), slot, flow.version)));
}
