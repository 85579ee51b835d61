//! From a trace to a placement log, or to a trace in the Standard Workload Format whose processors are nodes.

use std::fmt::Write;

use super::swf::Trace;

/// Writes the placement log of a trace: every job is placed at submit + wait and freed at the end of its run. At one
/// instant jobs are freed first, then placed, each by submit time and file order.
///
/// The log starts with comments that say where it comes from and what was left out. Where a trace has no wait
/// times, jobs are placed when they were submitted, and the log may hold more than the machine did. With `options`
/// jobs have those that the trace says: segments.
///
/// # Complexity
/// O(jobs · log jobs) time, 48 bytes a job; the text is some 20 bytes a job.
pub fn write_log(trace: &Trace, options: bool) -> String {
    let mut text = format!("# placement log of {}\n", trace.name());
    let tally = trace.tally();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# {} of {} jobs", trace.jobs().len(), tally.lines);
    for (reason, count) in tally.iter() {
        let what = if reason.drops_line() {
            "left out"
        } else {
            "kept"
        };
        let _ = writeln!(text, "# {what}: {count} {}", reason.description());
    }
    // Time, whether it is a start, index by submit time, job. An end sorts before a start: the job that starts at this
    // second may need the nodes. No two events are alike: an unstable sort has one outcome.
    let mut events: Vec<(i64, bool, usize, u32)> = Vec::with_capacity(2 * trace.jobs().len());
    for (nth, index) in trace.by_submit().iter().enumerate() {
        let job = &trace.jobs()[*index as usize];
        events.extend([
            (job.start_time(), true, nth, *index),
            (job.end_time(), false, nth, *index),
        ]);
    }
    events.sort_unstable();
    for (_, start, _, index) in events {
        let job = &trace.jobs()[index as usize];
        let _ = if !start {
            writeln!(text, "F {}", job.id)
        } else if options && job.segment > 0 {
            writeln!(text, "P {} {} segment={}", job.id, job.nodes, job.segment)
        } else {
            writeln!(text, "P {} {}", job.id, job.nodes)
        };
    }
    text
}

/// Writes a trace in the Standard Workload Format, its jobs in file order; a processor is a node. The header is that
/// of the trace, its counts of the machine left out, as they are of processors.
///
/// # Complexity
/// O(jobs) time; the text is some 80 bytes a job.
pub fn write_swf(trace: &Trace) -> String {
    let mut text = format!(
        "; Version: 2.2\n; Note: {}, a processor is a node\n",
        trace.name()
    );
    // Counts of the traced machine are of processors, and jobs may have been left out since.
    let left_out = ["Version", "MaxProcs", "MaxNodes", "MaxJobs", "MaxRecords"];
    for entry in trace.header().entries() {
        if left_out.contains(&entry.label.as_str()) {
            continue;
        }
        let label = if entry.label.is_empty() {
            String::new()
        } else {
            format!("{}: ", entry.label)
        };
        // Lines without a label go on with the entry above, so a value of several lines stays one.
        let value = entry.value.replace('\n', "\n;        ");
        let _ = writeln!(text, "; {label}{value}");
    }
    for job in trace.jobs() {
        let nodes = job.nodes;
        let _ = writeln!(
            text,
            // Processor time and memory are not kept of a job: they are unknown here, whatever the trace had.
            "{} {} {} {} {nodes} -1 -1 {nodes} {} -1 {} {} {} {} {} {} {} {}",
            job.id,
            job.submit,
            job.wait.unwrap_or(-1),
            job.run,
            job.requested_time,
            job.status,
            job.user,
            job.group,
            job.executable,
            job.queue,
            job.partition,
            job.preceding,
            job.think_time,
        );
    }
    text
}
