//! The network model at work: tasks start, share links, move their ends and end.

use super::state::{Job, Network};
use crate::schedule::model::entry::{Lost, Model, Start, stretched};
use crate::schedule::task::TICKS;
use nodeorder_base::error::{Result, six_digits};
use nodeorder_traffic::corun::Speeds;

impl Model for Network<'_> {
    fn rule(&self) -> String {
        let ends = if self.kill {
            "; jobs end at their requested times"
        } else {
            ""
        };
        let rate = match self.channels.speeds {
            Speeds {
                bandwidth, latency, ..
            } if bandwidth != 1.0 || latency != 0.0 => {
                let (bandwidth, latency) = (six_digits(bandwidth), six_digits(latency));
                format!(", {bandwidth} bytes a second a link, {latency} s a hop")
            }
            _ => String::new(),
        };
        let nodes = if self.channels.speeds.node_links_shared {
            "shared"
        } else {
            "free"
        };
        let rate = format!("{rate}, node links {nodes}");
        let run = match self.speed {
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

    fn start(&mut self, start: &Start<'_>) -> Result<i64> {
        let app = self.drawn[start.index as usize];
        self.prepare(app, start.task)?;
        let known = &self.known[&(app, start.task.nodes)];
        let (reference, least) = (known.reference, known.latency);
        let run = known.iterations.map_or(start.task.run, |iterations| {
            stretched(TICKS, f64::from(iterations) * reference)
        });
        let nodes = start.ranks.iter().take(known.processes as usize);
        let nodes = nodes.map(|rank| self.order.nodes()[rank as usize]);
        let (placed, latency) = self.placed((app, start.task.nodes, nodes.collect()))?;
        let seconds = placed.alone();
        let latency = (run as f64 * (latency - least) / reference).round() as i64;
        self.level.start(start.index, placed);
        let alone = stretched(run, seconds / reference);
        let limit = if self.kill {
            start.now + start.task.requested
        } else {
            i64::MAX
        };
        self.jobs.insert(
            start.index,
            Job {
                nodes: start.task.nodes,
                run,
                start: start.now,
                alone,
                latency,
                reference,
                seconds,
                left: run as f64,
                since: start.now,
                end: start.now + alone.min(limit - start.now),
                limit,
            },
        );
        self.changed = true;
        Ok(alone.min(limit - start.now))
    }

    fn end(&mut self, task: u32) {
        let Some(job) = self.jobs.remove(&task) else {
            return;
        };
        self.level.end(task);
        self.changed = true;
        // Less than a tick is rounding.
        let since = (job.end - job.since) as f64;
        let done = job.end < job.limit || job.left - since * job.reference / job.seconds < 1.0;
        let alone = if done {
            job.alone
        } else {
            job.alone.min(job.limit - job.start)
        };
        let hours = |ticks: i64| i128::from(job.nodes) * i128::from(ticks);
        // A job ended early lost so much of either as it had time for.
        let own = alone - job.run.min(job.limit - job.start);
        let latency = if done {
            job.latency
        } else {
            job.latency.clamp(own.min(0), own.max(0))
        };
        self.lost.latency += hours(latency);
        self.lost.links += hours(own - latency);
        self.lost.sharing += hours(job.end - job.start - alone);
        self.lost.killed += u32::from(!done);
    }

    fn settle(&mut self, now: i64, moves: &mut dyn FnMut(u32, i64)) -> Result<()> {
        if !std::mem::take(&mut self.changed) {
            return Ok(());
        }
        for (task, seconds) in self.level.update() {
            let Some(job) = self.jobs.get_mut(&task) else {
                continue;
            };
            if seconds == job.seconds {
                continue;
            }
            job.left -= (now - job.since) as f64 * job.reference / job.seconds;
            (job.since, job.seconds) = (now, seconds);
            let ticks = stretched(1, job.left.max(0.0) * seconds / job.reference);
            let end = (now + ticks).min(job.limit);
            if job.end != end {
                job.end = end;
                moves(task, end);
            }
        }
        Ok(())
    }

    fn lost(&self) -> Option<Lost> {
        Some(self.lost)
    }
}
