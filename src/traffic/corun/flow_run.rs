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
use super::pattern::{Pattern, SimulationState, StopCondition};
use super::timing::{Computing, FinishedIterations, Simulation, Span, Spans};

/// The present activity of a job.
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
    computing: Computing,
    /// Index of the present phase.
    phase: usize,
    stage: FlowStage,
    /// Second at which the stage began.
    began: f64,
    /// Number of slots of the phase that have begun.
    begun: usize,
    /// Number of slots of the phase that are not done, begun or not.
    open: usize,
    /// By phase: number of times it was done.
    done: Vec<f64>,
    finished: FinishedIterations,
}

/// The simulation of jobs that share links, event by event.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowRun {
    jobs: Vec<FlowMember>,
    flows: Vec<Flow>,
    filling: MaxMinRates,
    /// Bytes a second that no message exceeds.
    bound: f64,
    /// By link of the filling: the machine's channel.
    links: Vec<u32>,
    /// Slots by the second (as bits) at which their smallest messages end at present rates, with the slot's version.
    ends: EndQueue,
    /// Simulated seconds.
    now: f64,
    /// Seconds of repeated periods that were added up without being simulated.
    skipped: f64,
    /// States met so far; `None` if none can come again.
    pattern: Option<Pattern>,
    spans: Spans,
}

impl FlowRun {
    /// Creates the simulation of jobs that share these channels, at time 0. `count`: states that come again are
    /// counted.
    pub fn new(jobs: &[&FlowJob], channels: &Channels, count: bool) -> Self {
        let links: BTreeSet<u32> = jobs.iter().flat_map(|job| job.used_channels()).collect();
        let links: Vec<u32> = links.into_iter().collect();
        let index_of: BTreeMap<u32, u32> = links.iter().zip(0..).map(|(l, i)| (*l, i)).collect();
        let mut flows = Vec::new();
        let mut routes = Vec::new();
        let mut members = Vec::new();
        for (i, job) in jobs.iter().enumerate() {
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
            let mut computing = Computing::new(job.seed, job.spread);
            // All jobs begin their first iteration together.
            let until = computing.draw_seconds(job.phases[0].compute);
            members.push(FlowMember {
                slots,
                computing,
                phase: 0,
                stage: FlowStage::Computes { until },
                began: 0.0,
                begun: 0,
                open: 0,
                done: vec![0.0; job.phases.len()],
                finished: FinishedIterations::default(),
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
            filling: MaxMinRates::new(capacity, bound, routes),
            jobs: members,
            flows,
            bound,
            links,
            pattern: repeats.then(Pattern::default),
            ..FlowRun::default()
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
        FlowRun::new(&[&job], channels, false)
    }

    /// Adds up the time in seconds, simulated and counted.
    pub fn elapsed_time(&self) -> f64 {
        self.now + self.skipped
    }

    /// Finds the second of the next event; infinite if there is none.
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
        for job in &self.jobs {
            match job.stage {
                FlowStage::Computes { until } | FlowStage::Alone { until } => {
                    next = next.min(until)
                }
                FlowStage::Sends => {
                    if let Some(slot) = job.slots[job.phase].get(job.begun) {
                        next = next.min(job.began + self.flows[*slot as usize].latency);
                    }
                }
            }
        }
        next
    }

    /// Simulates the next event, and all others at its time.
    fn simulate_step(&mut self, goal: StopCondition) {
        nodeorder_base::observer::unwind_if_stopped();
        self.now = self.next_event();
        // Messages that should end together do, whatever the last bits of their times are.
        let together = (self.now * (1.0 + 1e-13)).to_bits();
        while let Some(Reverse((key, slot, version))) = self.ends.peek().copied() {
            if key > together {
                break;
            }
            self.ends.pop();
            if self.flows[slot as usize].version == version {
                self.end_smallest(slot);
            }
        }
        let before = self.jobs[0].finished.count;
        for job in 0..self.jobs.len() {
            match self.jobs[job].stage {
                FlowStage::Computes { until } if until <= self.now => self.begin_sending(job),
                FlowStage::Alone { until } if until <= self.now => self.end_phase(job),
                FlowStage::Sends if self.jobs[job].open == 0 => self.end_phase(job),
                FlowStage::Sends => self.begin_flows(job),
                _ => {}
            }
        }
        self.filling.update_rates(|slot, rate| {
            let flow = &mut self.flows[slot as usize];
            flow.change_rate(self.now, rate);
            flow.queue_end(&mut self.ends, slot);
        });
        // States are compared once an iteration of the first job: more often would find nothing more.
        if self.jobs[0].finished.count > before && self.pattern.is_some() {
            self.skip_periods(goal);
        }
    }

    /// Ends the messages of the smallest size left in a slot.
    fn end_smallest(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        let (size, count) = flow.sizes[flow.next];
        flow.sent = size;
        flow.since = self.now;
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
        let now = self.now;
        self.keep_span(job, false);
        let member = &self.jobs[job];
        let slots = member.slots[member.phase].len();
        // A phase without messages ends with its computing.
        if slots == 0 {
            return self.end_phase(job);
        }
        let seconds = member.job.sending.get(member.phase);
        // While all others compute, the phase takes as long as alone: no flow has to be followed.
        let alone = seconds.map(|seconds| now + seconds).filter(|until| {
            self.jobs.iter().enumerate().all(|(other, member)| {
                other == job
                    || matches!(member.stage, FlowStage::Computes { until: begins } if begins >= *until)
            })
        });
        let member = &mut self.jobs[job];
        member.began = now;
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
        let member = &mut self.jobs[job];
        while let Some(slot) = member.slots[member.phase].get(member.begun).copied() {
            let flow = &mut self.flows[slot as usize];
            if member.began + flow.latency > self.now {
                break;
            }
            member.begun += 1;
            flow.begin_messages(self.now);
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
            self.keep_span(job, true);
        }
        let time = self.elapsed_time();
        let member = &mut self.jobs[job];
        member.done[member.phase] += 1.0;
        member.phase = (member.phase + 1) % member.done.len();
        // Back at the first phase: an iteration is done.
        if member.phase == 0 {
            member.finished.add_iteration(time);
        }
        let compute = member.job.phases[member.phase].compute;
        let until = self.now + member.computing.draw_seconds(compute);
        member.stage = FlowStage::Computes { until };
        member.began = self.now;
    }

    /// Keeps the span of a job's stage, which ends now.
    fn keep_span(&mut self, job: usize, sends: bool) {
        let span = Span {
            job,
            from: self.jobs[job].began + self.skipped,
            to: self.elapsed_time(),
            sends,
        };
        self.spans.add_span(span);
    }

    /// Skips periods of states that come again, as many as fit before the goal.
    fn skip_periods(&mut self, goal: StopCondition) {
        let Some(pattern) = &mut self.pattern else {
            return;
        };
        let mut state = SimulationState::default();
        for member in &self.jobs {
            // Numbers of stages stand for their names; a job that sends is known by when it began.
            let (stage, left) = match member.stage {
                FlowStage::Computes { until } => (0, until - self.now),
                FlowStage::Alone { until } => (1, until - self.now),
                FlowStage::Sends => (2, self.now - member.began),
            };
            state
                .whole
                .extend([member.phase as u32, stage, member.begun as u32]);
            state.times.push(left);
            if member.stage == FlowStage::Sends {
                for slot in &member.slots[member.phase][..member.begun] {
                    let flow = &self.flows[*slot as usize];
                    state.whole.push(flow.next as u32);
                    if let Some((size, _)) = flow.sizes.get(flow.next) {
                        state.parts.push(flow.sent_at(self.now) / size);
                    }
                }
            }
        }
        let mut jobs: Vec<_> = self
            .jobs
            .iter_mut()
            .map(|member| (&mut member.finished, &mut member.done))
            .collect();
        if let Some(seconds) =
            pattern.skip_periods(state, (self.now, self.skipped), goal, &mut jobs)
        {
            // Spans of skipped time are not known one by one.
            self.skipped += seconds;
            self.spans.stop_keeping();
        }
    }

    /// Runs as [`Simulation::run_until`] does, but no further than the end of the first iteration.
    fn run_within_phase(&mut self, time: f64) {
        while self.jobs[0].finished.count == 0 && self.next_event() <= time {
            self.simulate_step(StopCondition::Time(time));
        }
        if self.jobs[0].finished.count == 0 {
            self.now = self.now.max(time);
        }
    }
}

impl Simulation for FlowRun {
    fn run_iterations(&mut self, iterations: u64) -> f64 {
        while self.jobs.iter().any(|job| job.finished.count < iterations) {
            self.simulate_step(StopCondition::Iterations(iterations));
        }
        self.elapsed_time()
    }

    fn run_until(&mut self, time: f64) {
        while self.next_event() + self.skipped <= time {
            self.simulate_step(StopCondition::Time(time));
        }
        self.now = self.now.max(time - self.skipped);
    }

    fn finished_iterations(&self, job: usize) -> &FinishedIterations {
        &self.jobs[job].finished
    }

    fn carried_bytes(&self, channels: &Channels) -> Vec<(u32, f64)> {
        let mut bytes: BTreeMap<u32, f64> = self.links.iter().map(|link| (*link, 0.0)).collect();
        for member in &self.jobs {
            for (phase, done) in member.job.phases.iter().zip(&member.done) {
                for group in &phase.groups {
                    let sum: f64 = group.sizes.iter().map(|(size, n)| size * n).sum();
                    add_bytes(&mut bytes, &group.route, done * sum);
                }
            }
            let phase = &member.job.phases[member.phase];
            if let FlowStage::Alone { .. } = member.stage {
                // As far as it is alone after so long.
                let mut run = FlowRun::simulate_phase(phase, channels);
                run.run_within_phase(self.now - member.began);
                for (link, part) in run.carried_bytes(channels) {
                    add_bytes(&mut bytes, &[(link, 1.0)], part);
                }
            }
            if member.stage == FlowStage::Sends {
                // Slots of a phase have consecutive numbers, in the order of its groups.
                let first = member.slots[member.phase]
                    .iter()
                    .min()
                    .copied()
                    .unwrap_or(0);
                for slot in &member.slots[member.phase][..member.begun] {
                    let flow = &self.flows[*slot as usize];
                    // The last slot may be that of messages inside nodes, which load nothing.
                    if let Some(group) = phase.groups.get((slot - first) as usize) {
                        add_bytes(&mut bytes, &group.route, flow.carried_by(self.now));
                    }
                }
            }
        }
        bytes.into_iter().collect()
    }

    fn kept_spans(&mut self) -> &mut Spans {
        &mut self.spans
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
