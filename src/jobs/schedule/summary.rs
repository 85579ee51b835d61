//! Figures that sum up a schedule: waits, utilisation, slowdown, stretch, fragmentation.

use super::fairness::{self, SizeClass};
use super::result::ScheduleResult;
use nodeorder_base::ratio::divide_exactly;

/// Figures of a schedule; times in seconds. Without tasks all are 0 or `None`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ScheduleSummary {
    /// Number of tasks that ran.
    pub jobs: usize,
    /// Node-seconds used over nodes · makespan.
    pub utilisation: f64,
    /// Utilisation over the times at which tasks wait; `None` if none ever waits.
    pub utilisation_waiting: Option<f64>,
    /// Mean wait: start - submit.
    pub mean_wait: f64,
    /// Largest wait.
    pub max_wait: f64,
    /// 50th, 90th and 99th percentile p of the waits: the smallest wait that p per cent of the tasks do not exceed.
    pub wait_percentiles: [f64; 3],
    /// Waits and slowdowns by size, in classes of powers of two.
    pub by_size: Vec<SizeClass>,
    /// Number of tasks that starved ([`ScheduleResult::find_starved`]).
    pub starved: usize,
    /// Number of tasks left out because they can never run ([`ScheduleResult::left_out`]).
    pub never_placed: usize,
    /// Mean response: end - submit.
    pub mean_response: f64,
    /// Mean of max(1, response / max(duration, [`super::MIN_SLOWDOWN_SECONDS`])).
    pub mean_bounded_slowdown: f64,
    /// Makespan: last end - first submit.
    pub makespan: f64,
    /// Mean stretch: duration over the trace's run time.
    pub mean_stretch: f64,
    /// Node-hours that tasks would take alone on their nodes, less those of the trace; `None` if the model does
    /// not say.
    pub hours_lost_distance: Option<f64>,
    /// Part of `hours_lost_distance` that the tasks' own links cost.
    pub hours_lost_links: Option<f64>,
    /// Part of `hours_lost_distance` that latency costs.
    pub hours_lost_latency: Option<f64>,
    /// Node-hours that tasks take beside others, less those that they would take alone.
    pub hours_lost_sharing: Option<f64>,
    /// Number of tasks that the model ended at their requested times.
    pub killed: Option<u32>,
    /// Share of the tasks of two nodes or more whose ranks are one run; `None` if allocations were not measured.
    pub contiguous: Option<f64>,
    /// Mean over the tasks of two nodes or more of their mean pairwise distance, in hops; `None` if allocations were
    /// not measured.
    pub mean_mind: Option<f64>,
    /// Mean number of waiting jobs over the makespan; `None` if instants were not recorded.
    pub mean_queue: Option<f64>,
    /// Largest number of waiting jobs.
    pub max_queue: Option<u32>,
    /// External fragmentation of the ordering: mean over free node-seconds of 1 - longest free run / free nodes.
    pub fragmentation: Option<f64>,
}

impl ScheduleResult {
    /// Computes the figures that sum up the schedule. O(tasks · log tasks + instants).
    pub fn summary(&self) -> ScheduleSummary {
        let mut summary = ScheduleSummary {
            jobs: self.records.len(),
            utilisation_waiting: self.utilisation_waiting(),
            wait_percentiles: self.wait_percentiles(),
            by_size: self.waits_by_size(),
            starved: self.find_starved().len(),
            never_placed: self.left_out.len(),
            killed: self.lost.map(|lost| lost.killed),
            ..ScheduleSummary::default()
        };
        self.add_times(&mut summary);
        self.add_distances(&mut summary);
        self.add_timeline(&mut summary);
        if let Some(lost) = self.lost {
            summary.hours_lost_distance = Some(self.in_hours(lost.links + lost.latency));
            summary.hours_lost_links = Some(self.in_hours(lost.links));
            summary.hours_lost_latency = Some(self.in_hours(lost.latency));
            summary.hours_lost_sharing = Some(self.in_hours(lost.sharing));
        }
        summary
    }

    /// Converts ticks to seconds, rounded once.
    fn in_seconds(&self, ticks: u128) -> f64 {
        divide_exactly(ticks, self.ticks as u128)
    }

    /// Converts lost ticks, which are negative if jobs ran faster, to hours.
    fn in_hours(&self, ticks: i128) -> f64 {
        let hours = self.in_seconds(ticks.unsigned_abs()) / 3600.0;
        if ticks < 0 { -hours } else { hours }
    }

    /// Computes the time from the first submit to the last end, in ticks.
    fn makespan_ticks(&self) -> u128 {
        let (first, last) = self.time_span().unwrap_or((0, 0));
        u128::from(last.abs_diff(first))
    }

    /// Sets the figures of waits, run times and use of the machine; without tasks they stay 0.
    fn add_times(&self, summary: &mut ScheduleSummary) {
        if self.records.is_empty() {
            return;
        }
        // Whole ticks, which add up exactly; only the quotients are rounded.
        let mut waits = 0;
        let mut responses = 0;
        let mut longest = 0;
        let mut area = 0;
        let mut slowdowns = 0.0;
        let mut stretches = 0.0;
        for record in &self.records {
            let task = self.task_of_record(record);
            let waited = record.start.abs_diff(task.submit);
            let took = record.end.abs_diff(record.start);
            waits += u128::from(waited);
            responses += u128::from(waited + took);
            longest = longest.max(waited);
            area += u128::from(task.nodes) * u128::from(took);
            slowdowns += fairness::bounded_slowdown(self, record);
            stretches += took as f64 / task.run as f64;
        }
        let jobs = self.records.len();
        let makespan = self.makespan_ticks();
        let per_job = self.ticks as u128 * jobs as u128;
        summary.utilisation = divide_exactly(area, u128::from(self.nodes) * makespan);
        summary.mean_wait = divide_exactly(waits, per_job);
        summary.max_wait = self.in_seconds(longest.into());
        summary.mean_response = divide_exactly(responses, per_job);
        summary.mean_bounded_slowdown = slowdowns / jobs as f64;
        summary.makespan = self.in_seconds(makespan);
        summary.mean_stretch = stretches / jobs as f64;
    }

    /// Sets the figures of allocations, over the tasks whose nodes have a mean distance.
    fn add_distances(&self, summary: &mut ScheduleSummary) {
        let mut several = 0.0;
        let mut contiguous = 0.0;
        let mut minds = 0.0;
        for placement in self.records.iter().filter_map(|r| r.placement.as_ref()) {
            // A task of one node has no distance and is always contiguous: it says nothing.
            if let Some(mind) = placement.mean_distance() {
                several += 1.0;
                contiguous += f64::from(placement.linear_span == placement.size);
                minds += mind;
            }
        }
        if several > 0.0 {
            summary.contiguous = Some(contiguous / several);
            summary.mean_mind = Some(minds / several);
        }
    }

    /// Computes how full the machine is while it is saturated: node-seconds used while tasks wait over nodes times
    /// these seconds. `None` if no task ever waits.
    fn utilisation_waiting(&self) -> Option<f64> {
        // Time, change of the number of waiting tasks, change of the number of nodes in use.
        let mut events: Vec<(i64, i64, i64)> = Vec::with_capacity(3 * self.records.len());
        for record in &self.records {
            let task = self.task_of_record(record);
            let nodes = i64::from(task.nodes);
            let waits = i64::from(record.start > task.submit);
            events.extend([(task.submit, waits, 0), (record.start, -waits, nodes)]);
            events.push((record.end, 0, -nodes));
        }
        events.sort_unstable();
        let mut waiting = 0;
        let mut busy = 0i64;
        let mut used = 0;
        let mut time = 0;
        // Events of one time have no ticks between them, so sums between them do not matter.
        for pair in events.windows(2) {
            waiting += pair[0].1;
            busy += pair[0].2;
            if waiting > 0 {
                let ticks = u128::from(pair[1].0.abs_diff(pair[0].0));
                used += u128::from(busy.unsigned_abs()) * ticks;
                time += ticks;
            }
        }
        (time > 0).then(|| divide_exactly(used, u128::from(self.nodes) * time))
    }

    /// Sets the figures of the queue and of free runs over time, if instants were recorded.
    fn add_timeline(&self, summary: &mut ScheduleSummary) {
        let makespan = self.makespan_ticks();
        let Some((_, last)) = self.time_span().filter(|_| makespan > 0) else {
            return;
        };
        if self.timeline.is_empty() {
            return;
        }
        let mut queue = 0;
        let mut free = 0;
        let mut longest = 0;
        for (i, instant) in self.timeline.iter().enumerate() {
            let until = self.timeline.get(i + 1).map_or(last, |next| next.time);
            let ticks = u128::from(until.abs_diff(instant.time));
            queue += u128::from(instant.waiting) * ticks;
            free += u128::from(self.nodes - instant.busy) * ticks;
            longest += u128::from(instant.longest) * ticks;
        }
        summary.mean_queue = Some(divide_exactly(queue, makespan));
        summary.max_queue = self.timeline.iter().map(|i| i.waiting).max();
        summary.fragmentation = (free > 0).then(|| divide_exactly(free - longest, free));
    }
}
