//! Figures that sum up a schedule.

use super::fairness::{self, SizeClass};
use super::model::Lost;
use super::result::ScheduleResult;
use nodeorder_base::ratio::ratio;

/// Figures of a schedule; times in seconds. Without tasks all are 0.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ScheduleSummary {
    /// Tasks.
    pub jobs: usize,
    /// Node-seconds used over nodes · makespan.
    pub utilisation: f64,
    /// Utilisation over the times at which tasks wait; none where none waits.
    pub utilisation_waiting: Option<f64>,
    /// Mean of start - submit.
    pub mean_wait: f64,
    /// The largest of them.
    pub max_wait: f64,
    /// The waits that 50, 90 and 99 in a hundred tasks do not exceed: the smallest such waits of tasks.
    pub wait_percentiles: [f64; 3],
    /// Waits and slowdowns by size, powers of two.
    pub by_size: Vec<SizeClass>,
    /// How many tasks starved ([`ScheduleResult::starved`]).
    pub starved: usize,
    /// Tasks left out because they can never run ([`ScheduleResult::left_out`]).
    pub never_placed: usize,
    /// Mean of end - submit.
    pub mean_response: f64,
    /// Mean of max(1, response / max(duration, [`super::BOUND`])).
    pub mean_bounded_slowdown: f64,
    /// Last end - first submit.
    pub makespan: f64,
    /// Mean of duration over the trace's run time.
    pub mean_stretch: f64,
    /// Node-hours that tasks take alone where they are, less those of the trace, where the model says so.
    pub hours_lost_distance: Option<f64>,
    /// How many of them to the tasks' own links.
    pub hours_lost_links: Option<f64>,
    /// How many of them to latency.
    pub hours_lost_latency: Option<f64>,
    /// Node-hours that they take beside others, less those alone.
    pub hours_lost_sharing: Option<f64>,
    /// Tasks ended at their requested times, where the model does that.
    pub killed: Option<u32>,
    /// Share of tasks of two nodes or more whose ranks are one run, where placements are known.
    pub contiguous: Option<f64>,
    /// Mean of the mean pairwise distances of such tasks, in hops, where placements are known.
    pub mean_mind: Option<f64>,
    /// Mean over time, from first submit to last end, of the jobs waiting, where instants are known.
    pub mean_queue: Option<f64>,
    /// The longest queue.
    pub max_queue: Option<u32>,
    /// Mean over free node-seconds of 1 - longest free run / free nodes: external fragmentation of the
    /// ordering.
    pub fragmentation: Option<f64>,
}

impl ScheduleResult {
    /// The figures. O(tasks · log tasks + instants).
    pub fn summary(&self) -> ScheduleSummary {
        let jobs = self.records.len();
        let (first, last) = self.span().unwrap_or((0, 0));
        let seconds = |ticks: i128| {
            let size = ratio(ticks.unsigned_abs(), self.ticks as u128);
            if ticks < 0 { -size } else { size }
        };
        let mean = |ticks: i128| match jobs {
            0 => 0.0,
            _ => ratio(ticks.unsigned_abs(), self.ticks as u128 * jobs as u128),
        };
        let (mut wait, mut response, mut most, mut area) = (0i128, 0i128, 0i64, 0u128);
        let (mut slowdown, mut stretch) = (0.0, 0.0);
        let (mut several, mut whole, mut minds, mut known) = (0u64, 0u64, 0.0, false);
        for record in &self.records {
            let task = self.task(record);
            let (waited, took) = (record.start - task.submit, record.end - record.start);
            wait += i128::from(waited);
            response += i128::from(waited + took);
            most = most.max(waited);
            area += u128::from(task.nodes) * took as u128;
            slowdown += fairness::slowdown(self, record);
            stretch += took as f64 / task.run as f64;
            if let Some(placement) = &record.placement {
                known = true;
                if let Some(mind) = placement.mind() {
                    several += 1;
                    whole += u64::from(placement.linear_span == placement.size);
                    minds += mind;
                }
            }
        }
        let over = |sum: f64| if jobs == 0 { 0.0 } else { sum / jobs as f64 };
        let of_several = |sum: f64| (known && several > 0).then(|| sum / several as f64);
        let hours =
            |of: fn(&Lost) -> i128| self.lost.as_ref().map(|lost| seconds(of(lost)) / 3600.0);
        let makespan = i128::from(last) - i128::from(first);
        let capacity = u128::from(self.nodes) * makespan.unsigned_abs();
        let (mean_queue, max_queue, fragmentation) = self.over_time(last, makespan);
        ScheduleSummary {
            jobs,
            utilisation: if capacity == 0 {
                0.0
            } else {
                ratio(area, capacity)
            },
            utilisation_waiting: self.utilisation_waiting(),
            mean_wait: mean(wait),
            max_wait: seconds(i128::from(most)),
            wait_percentiles: self.wait_percentiles(),
            by_size: self.by_size(),
            starved: self.starved().len(),
            never_placed: self.left_out.len(),
            mean_response: mean(response),
            mean_bounded_slowdown: over(slowdown),
            makespan: seconds(makespan),
            mean_stretch: over(stretch),
            hours_lost_distance: hours(|lost| lost.links + lost.latency),
            hours_lost_links: hours(|lost| lost.links),
            hours_lost_latency: hours(|lost| lost.latency),
            hours_lost_sharing: hours(|lost| lost.sharing),
            killed: self.lost.map(|lost| lost.killed),
            contiguous: of_several(whole as f64),
            mean_mind: of_several(minds),
            mean_queue,
            max_queue,
            fragmentation,
        }
    }

    /// Node-seconds used while tasks wait over nodes times these seconds: how full a saturated machine is.
    fn utilisation_waiting(&self) -> Option<f64> {
        // Time, change of the tasks that wait, change of the nodes in use.
        let mut events: Vec<(i64, i64, i64)> = Vec::with_capacity(3 * self.records.len());
        for record in &self.records {
            let task = self.task(record);
            let nodes = i64::from(task.nodes);
            let waits = i64::from(record.start > task.submit);
            events.extend([(task.submit, waits, 0), (record.start, -waits, nodes)]);
            events.push((record.end, 0, -nodes));
        }
        events.sort_unstable();
        let (mut waiting, mut busy, mut used, mut time) = (0i64, 0i64, 0u128, 0u128);
        for (event, next) in events.iter().zip(events.iter().skip(1)) {
            waiting += event.1;
            busy += event.2;
            if waiting > 0 {
                let seconds = u128::from(next.0.abs_diff(event.0));
                used += u128::from(busy.unsigned_abs()) * seconds;
                time += seconds;
            }
        }
        (time > 0).then(|| ratio(used, u128::from(self.nodes) * time))
    }

    fn over_time(&self, last: i64, makespan: i128) -> (Option<f64>, Option<u32>, Option<f64>) {
        if self.timeline.is_empty() || makespan <= 0 {
            return (None, None, None);
        }
        let (mut queue, mut free, mut longest) = (0u128, 0u128, 0u128);
        for (i, instant) in self.timeline.iter().enumerate() {
            let until = self.timeline.get(i + 1).map_or(last, |next| next.time);
            let time = u128::from((until - instant.time).unsigned_abs());
            queue += u128::from(instant.waiting) * time;
            free += u128::from(self.nodes - instant.busy) * time;
            longest += u128::from(instant.longest) * time;
        }
        let most = self.timeline.iter().map(|i| i.waiting).max();
        let broken = (free > 0).then(|| ratio(free - longest, free));
        (Some(ratio(queue, makespan.unsigned_abs())), most, broken)
    }
}
