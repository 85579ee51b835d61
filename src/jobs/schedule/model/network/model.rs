//! The network model at work: tasks start, change speed when others start or end, and end.

use super::state::{NetworkModel, ReferenceTimes, RunningTask};
use crate::schedule::model::entry::{LostNodeTime, Model, StartedTask, scale_ticks};
use crate::schedule::task::TICKS_PER_SECOND;
use nodeorder_base::Result;
use nodeorder_base::error::format_six_digits;
use nodeorder_traffic::corun::Speeds;

impl Model for NetworkModel<'_> {
    fn describe_rule(&self) -> String {
        let ends = if self.options.kill {
            "; jobs end at their requested times"
        } else {
            ""
        };
        let Speeds {
            bandwidth,
            latency,
            node_links_shared,
            ..
        } = self.channels.speeds;
        // Without units, only ratios matter and there is nothing to quote.
        let mut rate = if bandwidth == 1.0 && latency == 0.0 {
            String::new()
        } else {
            format!(
                ", {} bytes a second a link, {} s a hop",
                format_six_digits(bandwidth),
                format_six_digits(latency)
            )
        };
        rate += if node_links_shared {
            ", node links shared"
        } else {
            ", node links free"
        };
        let run = match self.options.speed {
            Some(speed) => format!("jobs run a benchmark once, {speed} operations a second"),
            None => "the trace's run times stand for a compact allocation, alone".into(),
        };
        format!(
            "network: {run}; speed is what links give a job \
             beside those that run with it ({}, routing {}{rate}{ends})",
            self.what,
            self.routing.name()
        )
    }

    fn start_task(&mut self, start: &StartedTask<'_>) -> Result<i64> {
        let app = self.application_of_task[start.index as usize];
        self.prepare_reference(app, start.task)?;
        let &ReferenceTimes {
            reference,
            latency: least,
            processes,
            iterations,
            ..
        } = &self.references[&(app, start.task.nodes)];
        // A benchmark runs all its iterations, whatever the trace says.
        let run = iterations.map_or(start.task.run, |iterations| {
            scale_ticks(TICKS_PER_SECOND, f64::from(iterations) * reference)
        });
        // A guest of its own size runs on the first nodes of a larger job.
        let nodes = start.ranks.iter().take(processes as usize);
        let nodes = nodes.map(|rank| self.order.nodes()[rank as usize]);
        let (placed, latency) = self.routed_job((app, start.task.nodes, nodes.collect()))?;
        let seconds = placed.time_alone();
        let latency = (run as f64 * (latency - least) / reference).round() as i64;
        self.level.start_job(start.index, placed);
        let alone = scale_ticks(run, seconds / reference);
        // As a difference, because the sum with a missing limit would overflow.
        let longest = if self.options.kill {
            start.task.requested
        } else {
            i64::MAX - start.now
        };
        let duration = alone.min(longest);
        let job = RunningTask {
            nodes: start.task.nodes,
            run,
            start: start.now,
            alone,
            latency,
            reference,
            seconds,
            left: run as f64,
            since: start.now,
            end: start.now + duration,
            limit: start.now + longest,
        };
        self.jobs.insert(start.index, job);
        self.changed = true;
        Ok(duration)
    }

    fn end_task(&mut self, task: u32) {
        let Some(job) = self.jobs.remove(&task) else {
            return;
        };
        self.level.end_job(task);
        self.changed = true;
        // At the limit a job is done, too, if less than a tick is left: that is rounding.
        let since = (job.end - job.since) as f64;
        let done = job.end < job.limit || job.left - since * job.reference / job.seconds < 1.0;
        let longest = job.limit - job.start;
        let mut alone = job.alone;
        if !done {
            alone = alone.min(longest);
        }
        let own = alone - job.run.min(longest);
        let mut latency = job.latency;
        // A job that is ended early lost no more to latency than it had time for.
        if !done {
            latency = latency.clamp(own.min(0), own.max(0));
        }
        let nodes = i128::from(job.nodes);
        self.lost.latency += nodes * i128::from(latency);
        self.lost.links += nodes * i128::from(own - latency);
        self.lost.sharing += nodes * i128::from(job.end - job.start - alone);
        self.lost.killed += u32::from(!done);
    }

    fn settle_ends(&mut self, now: i64, moves: &mut dyn FnMut(u32, i64)) -> Result<()> {
        // Speeds only change when a task starts or ends.
        if !std::mem::take(&mut self.changed) {
            return Ok(());
        }
        for (task, seconds) in self.level.update_times() {
            let Some(job) = self.jobs.get_mut(&task) else {
                continue;
            };
            // An unchanged speed leaves the end as it is: recomputing it would round it again.
            if seconds == job.seconds {
                continue;
            }
            job.left -= (now - job.since) as f64 * job.reference / job.seconds;
            job.since = now;
            job.seconds = seconds;
            let ticks = scale_ticks(1, job.left.max(0.0) * seconds / job.reference);
            let end = (now + ticks).min(job.limit);
            if job.end != end {
                job.end = end;
                moves(task, end);
            }
        }
        Ok(())
    }

    fn lost_time(&self) -> Option<LostNodeTime> {
        Some(self.lost)
    }
}
