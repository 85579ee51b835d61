//! The flow level: jobs that share links, simulated message by message.
//!
//! Messages of a job on one route have one rate and are one flow (*slot*) of [`MaxMinRates`], whatever their sizes.
//! The simulation goes from event to event: a job has computed, the first byte of a flow arrives, the messages of one
//! size end. After each the rates are brought up to date, and with them the times at which messages end.
//!
//! A phase that no other job's sending can overlap takes as long as alone, which is found once: none of its flows is
//! followed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Channels;
use super::filling::MaxMinRates;
use super::flow::{EndQueue, Flow};
use super::messages::{FlowGroup, FlowJob, FlowPhase};
use super::pattern::{SimulationState, StopCondition};
use super::progress::ComputingTimes;
use super::timing::{Simulation, Timeline};

/// What a job does now.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FlowStage {
    /// Computes up to this second.
    Computes { until: f64 },
    /// Sends up to this second while no other job does: nothing slows it down.
    Alone { until: f64 },
    /// Sends beside others.
    Sends,
}

/// A job in the simulation.
#[derive(Clone, Debug)]
struct FlowMember {
    job: FlowJob,
    /// By phase: its slots in the order of their latencies.
    slots: Vec<Vec<u32>>,
    stage: FlowStage,
    /// Number of slots of the phase that have begun.
    begun: usize,
    /// Number of slots of the phase that are not done, begun or not.
    open: usize,
}

/// The simulation of jobs that share links, event by event.
#[derive(Clone, Debug)]
pub struct FlowRun {
    jobs: Vec<FlowMember>,
    flows: Vec<Flow>,
    filling: MaxMinRates,
    /// Bytes a second that no message exceeds.
    bound: f64,
    /// By link of the filling: the machine's channel.
    links: Vec<u32>,
    /// Slots by the second (as bits) at which their smallest messages end at present rates, with the slot's version.
    ends: EndQueue,
    line: Timeline,
}

impl FlowRun {
    /// Creates the simulation of jobs that share these channels, at time 0. `count`: states that come again are
    /// counted.
    pub fn new(jobs: &[(&FlowJob, &ComputingTimes)], channels: &Channels, count: bool) -> Self {
        let phases = jobs
            .iter()
            .map(|(job, computing)| (*computing, job.phases.len()));
        let mut line = Timeline::new(phases, count);
        let used = jobs.iter().flat_map(|(job, _)| job.used_channels());
        let links: BTreeSet<u32> = used.collect();
        let links: Vec<u32> = links.into_iter().collect();
        let index_of: BTreeMap<u32, u32> = links.iter().zip(0..).map(|(l, i)| (*l, i)).collect();
        let mut flows = Vec::new();
        let mut routes = Vec::new();
        let mut members = Vec::new();
        for (i, (job, _)) in jobs.iter().enumerate() {
            let mut slots = Vec::new();
            for phase in &job.phases {
                let first = flows.len() as u32;
                // Messages that share no channel end with the largest of them.
                let inside = (phase.inside > 0.0).then(|| FlowGroup {
                    route: Vec::new(),
                    latency: 0.0,
                    weight: 1.0,
                    sizes: vec![(phase.inside, 1.0)],
                });
                for group in phase.groups.iter().chain(&inside) {
                    let route: Vec<(u32, f64)> = group
                        .route
                        .iter()
                        .map(|(link, share)| (index_of[link], *share))
                        .collect();
                    routes.push((route, group.weight));
                    flows.push(Flow::new(i, group));
                }
                let mut list: Vec<u32> = (first..flows.len() as u32).collect();
                list.sort_by(|a, b| {
                    let latency = flows[*a as usize].latency;
                    latency.total_cmp(&flows[*b as usize].latency)
                });
                slots.push(list);
            }
            // All jobs begin their first iteration together.
            let computing = &mut line.jobs[i].computing;
            let until = computing.draw_seconds(job.phases[0].compute);
            members.push(FlowMember {
                slots,
                stage: FlowStage::Computes { until },
                begun: 0,
                open: 0,
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
        FlowRun {
            filling: MaxMinRates::new(capacity, bound, routes),
            jobs: members,
            flows,
            bound,
            links,
            ends: EndQueue::new(),
            line,
        }
    }

    /// Simulates the seconds that each phase of a job sends alone.
    pub fn time_phases_alone(job: &FlowJob, channels: &Channels) -> Vec<f64> {
        job.phases
            .iter()
            .map(|phase| FlowRun::simulate_phase(phase, channels).run_iterations(1))
            .collect()
    }

    /// Creates the simulation of one phase alone, which begins to send at time 0.
    fn simulate_phase(phase: &FlowPhase, channels: &Channels) -> Self {
        let phases = vec![FlowPhase {
            compute: 0.0,
            ..phase.clone()
        }];
        let job = FlowJob {
            phases,
            ..FlowJob::default()
        };
        FlowRun::new(&[(&job, &ComputingTimes::new(0, 0.0))], channels, false)
    }

    /// Ends the messages of the smallest size left in a slot.
    fn end_smallest(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        let (size, count) = flow.sizes[flow.next];
        flow.sent = size;
        flow.since = self.line.now;
        flow.next += 1;
        if self.filling.has_links(slot) {
            self.filling.end_messages(slot, count);
        }
        if flow.next == flow.sizes.len() {
            flow.version += 1;
            self.jobs[flow.job].open -= 1;
        } else {
            flow.queue_end(&mut self.ends, slot);
        }
    }

    /// Lets a job that has computed send.
    fn begin_sending(&mut self, job: usize) {
        let now = self.line.now;
        self.line.begin_stage(job, false);
        let phase = self.line.jobs[job].phase;
        let member = &self.jobs[job];
        let slots = member.slots[phase].len();
        // A phase without messages ends with its computing.
        if slots == 0 {
            return self.end_phase(job);
        }
        let seconds = member.job.sending.get(phase);
        // While all others compute, the phase takes as long as alone: no flow has to be followed.
        let alone = seconds.map(|seconds| now + seconds).filter(|until| {
            self.jobs.iter().enumerate().all(|(other, member)| {
                other == job
                    || matches!(member.stage, FlowStage::Computes { until: begins } if begins >= *until)
            })
        });
        let member = &mut self.jobs[job];
        member.begun = 0;
        member.open = slots;
        match alone {
            Some(until) => member.stage = FlowStage::Alone { until },
            None => {
                member.stage = FlowStage::Sends;
                self.begin_flows(job);
            }
        }
    }

    /// Begins the flows of a job whose latency has passed.
    fn begin_flows(&mut self, job: usize) {
        let progress = &self.line.jobs[job];
        let member = &mut self.jobs[job];
        while let Some(slot) = member.slots[progress.phase].get(member.begun).copied() {
            let flow = &mut self.flows[slot as usize];
            if progress.began + flow.latency > self.line.now {
                break;
            }
            member.begun += 1;
            flow.begin_messages(self.line.now);
            if self.filling.has_links(slot) {
                self.filling
                    .start_messages(slot, flow.sizes.iter().map(|(_, count)| count).sum());
            } else {
                flow.rate = self.bound;
                flow.queue_end(&mut self.ends, slot);
            }
        }
    }

    /// Ends a phase of a job, and lets it compute for the next one.
    fn end_phase(&mut self, job: usize) {
        if !matches!(self.jobs[job].stage, FlowStage::Computes { .. }) {
            self.line.begin_stage(job, true);
        }
        self.line.end_phase(job);
        let progress = &mut self.line.jobs[job];
        let member = &mut self.jobs[job];
        let compute = member.job.phases[progress.phase].compute;
        let until = self.line.now + progress.computing.draw_seconds(compute);
        member.stage = FlowStage::Computes { until };
    }

    /// Skips periods of states that come again, as many as fit before the goal.
    fn skip_periods(&mut self, goal: StopCondition) {
        let mut state = SimulationState::default();
        let now = self.line.now;
        for (member, progress) in self.jobs.iter().zip(&self.line.jobs) {
            // Numbers of stages stand for their names; a job that sends is known by when it began.
            let (stage, left) = match member.stage {
                FlowStage::Computes { until } => (0, until - now),
                FlowStage::Alone { until } => (1, until - now),
                FlowStage::Sends => (2, now - progress.began),
            };
            state
                .whole
                .extend([progress.phase as u32, stage, member.begun as u32]);
            state.times.push(left);
            if member.stage == FlowStage::Sends {
                for slot in &member.slots[progress.phase][..member.begun] {
                    let flow = &self.flows[*slot as usize];
                    state.whole.push(flow.next as u32);
                    if let Some((size, _)) = flow.sizes.get(flow.next) {
                        state.parts.push(flow.sent_at(now) / size);
                    }
                }
            }
        }
        self.line.skip_periods(state, goal);
    }

    /// Runs as [`Simulation::run_until`] does, but no further than the end of the first iteration.
    fn run_within_phase(&mut self, time: f64) {
        while self.line.jobs[0].count == 0 && self.next_event() <= time {
            self.simulate_step(StopCondition::Time(time));
        }
        if self.line.jobs[0].count == 0 {
            self.line.now = self.line.now.max(time);
        }
    }
}

impl Simulation for FlowRun {
    fn timeline(&mut self) -> &mut Timeline {
        &mut self.line
    }

    fn next_event(&mut self) -> f64 {
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
        let mut next = end;
        for (job, progress) in self.jobs.iter().zip(&self.line.jobs) {
            match job.stage {
                FlowStage::Computes { until } | FlowStage::Alone { until } => {
                    next = next.min(until)
                }
                FlowStage::Sends => {
                    if let Some(slot) = job.slots[progress.phase].get(job.begun) {
                        next = next.min(progress.began + self.flows[*slot as usize].latency);
                    }
                }
            }
        }
        next
    }

    fn simulate_step(&mut self, goal: StopCondition) {
        nodeorder_base::observer::unwind_if_stopped();
        let now = self.next_event();
        self.line.now = now;
        // Messages that should end together do, whatever the last bits of their times are.
        let together = (now * (1.0 + 1e-13)).to_bits();
        while let Some(Reverse((key, slot, version))) = self.ends.peek().copied() {
            if key > together {
                break;
            }
            self.ends.pop();
            if self.flows[slot as usize].version == version {
                self.end_smallest(slot);
            }
        }
        let before = self.line.jobs[0].count;
        for job in 0..self.jobs.len() {
            match self.jobs[job].stage {
                FlowStage::Computes { until } if until <= now => self.begin_sending(job),
                FlowStage::Alone { until } if until <= now => self.end_phase(job),
                FlowStage::Sends if self.jobs[job].open == 0 => self.end_phase(job),
                FlowStage::Sends => self.begin_flows(job),
                _ => {}
            }
        }
        self.filling.update_rates(|slot, rate| {
            let flow = &mut self.flows[slot as usize];
            flow.change_rate(now, rate);
            flow.queue_end(&mut self.ends, slot);
        });
        // States are compared once an iteration of the first job: more often would find nothing more.
        if self.line.jobs[0].count > before && self.line.pattern.is_some() {
            self.skip_periods(goal);
        }
    }

    fn carried_bytes(&self, channels: &Channels) -> Vec<(u32, f64)> {
        let mut bytes: BTreeMap<u32, f64> = self.links.iter().map(|link| (*link, 0.0)).collect();
        for (member, progress) in self.jobs.iter().zip(&self.line.jobs) {
            for (phase, done) in member.job.phases.iter().zip(&progress.done) {
                for group in &phase.groups {
                    let sum: f64 = group.sizes.iter().map(|(size, n)| size * n).sum();
                    add_bytes(&mut bytes, &group.route, done * sum);
                }
            }
            let phase = &member.job.phases[progress.phase];
            if let FlowStage::Alone { .. } = member.stage {
                // As far as it is alone after so long.
                let mut run = FlowRun::simulate_phase(phase, channels);
                run.run_within_phase(self.line.now - progress.began);
                for (link, part) in run.carried_bytes(channels) {
                    add_bytes(&mut bytes, &[(link, 1.0)], part);
                }
            }
            if member.stage == FlowStage::Sends {
                // Slots of a phase have consecutive numbers, in the order of its groups.
                let first = member.slots[progress.phase]
                    .iter()
                    .min()
                    .copied()
                    .unwrap_or(0);
                for slot in &member.slots[progress.phase][..member.begun] {
                    let flow = &self.flows[*slot as usize];
                    // The last slot may be that of messages inside nodes, which load nothing.
                    if let Some(group) = phase.groups.get((slot - first) as usize) {
                        add_bytes(&mut bytes, &group.route, flow.carried_by(self.line.now));
                    }
                }
            }
        }
        bytes.into_iter().collect()
    }
}

#[cfg(test)]
impl FlowRun {
    /// Simulates the next event.
    pub fn one_step(&mut self) {
        self.simulate_step(StopCondition::Time(f64::INFINITY));
    }

    /// Returns the bytes a second that each link carries now.
    pub fn link_rates(&self) -> Vec<(u32, f64)> {
        let mut used = Vec::new();
        for (index, link) in self.links.iter().enumerate() {
            used.push((*link, self.filling.carried_rate(index)));
        }
        used
    }
}

/// Adds the bytes of messages to the links of their route.
fn add_bytes(bytes: &mut BTreeMap<u32, f64>, route: &[(u32, f64)], all: f64) {
    for (link, share) in route {
        *bytes.entry(*link).or_default() += share * all;
    }
}
