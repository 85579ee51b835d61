//! What the best ordering saves of node-hours on a trace, and the waits that the trace records, in sentences.

use super::html::{Part, Words, bold, fixed, words};
use super::words::file_name;
use crate::plot::thousands;
use nodeorder_jobs::schedule::ScheduleSummary;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_jobs::schedule::saving::ModelSaving;

/// Node-hours that the best ordering saves on the workload, where the trace shows a saving, and the waits that the trace
/// records; empty where it was not scheduled.
pub fn saved(schedules: &Schedules) -> Words {
    words![hours_saved(schedules), recorded(schedules)]
}

fn hours_saved(schedules: &Schedules) -> Words {
    let Some((saving, first)) = schedules
        .saving
        .as_ref()
        .and_then(|s| Some((s, s.models.first()?)))
    else {
        return Words::default();
    };
    let trace = file_name(&schedules.trace);
    let hours = |hours: f64| {
        let sign = if hours < 0.0 { "−" } else { "" };
        format!("{sign}{}", thousands(hours.abs().round() as u64))
    };
    let amount = |model: &ModelSaving| match (model.low, model.high) {
        (Some(low), Some(high)) => {
            format!(
                "{} (95\u{a0}%: {} to {})",
                hours(model.hours),
                hours(low),
                hours(high)
            )
        }
        _ => hours(model.hours),
    };
    let sure = match first.low {
        Some(_) => format!(
            " Intervals: {} weeks of the trace, drawn again.",
            saving.weeks
        ),
        None => String::new(),
    };
    let under = |model: &ModelSaving| format!("{} under {}", amount(model), model.model);
    let span = if saving.a_year { " a year" } else { "" };
    let assumed = words![
        " That rests on an assumption about run times, the model ",
        Part::Code(first.model.clone())
    ];
    if saving.best == saving.reference {
        let none = format!("On {trace} no ordering uses fewer node-hours than ");
        let default = bold(&saving.reference);
        return words![none, default, ", the default order.", assumed, ". "];
    }
    let soonest = schedules.soonest().unwrap_or(&saving.best);
    if !saving.is_shown() || soonest != saving.best {
        let why = match first.low {
            None => "the trace is too short for an interval, which takes eight weeks".into(),
            Some(_) if !saving.is_shown() => "not all intervals lie above zero".into(),
            Some(_) => format!("{soonest} has the shortest mean response time"),
        };
        let all = Words::join(
            saving.models.iter().map(|model| words![under(model)]),
            " and ",
        );
        return words![
            format!("{trace} shows no saving of node-hours against the default order, "),
            bold(&saving.reference),
            format!(
                ": {why}. On {} jobs use fewer{span}, by model of run times: ",
                saving.best
            ),
            all,
            ".",
            sure,
            " "
        ];
    }
    let others: Vec<String> = saving.models.iter().skip(1).map(under).collect();
    let others = match others.as_slice() {
        [] => ".".into(),
        all => format!("; it is {}.", all.join(" and ")),
    };
    let share = 100.0 * first.hours / saving.hours_used.max(f64::MIN_POSITIVE);
    let head = words![
        bold(&saving.best),
        format!(
            " saves {} node-hours{span} on {trace} against the default order, ",
            amount(first)
        ),
        bold(&saving.reference),
        format!(": {}\u{a0}% of those used.", fixed(share, 2))
    ];
    words![head, sure, assumed, others, " "]
}

/// How many times as long simulated waits must be as recorded ones, or these as those, beyond a minute, to be far from them.
const FAR: f64 = 2.0;

/// Waits that the trace records beside those of its schedule on the default order; empty where it records none.
fn recorded(schedules: &Schedules) -> Words {
    let reference = schedules
        .saving
        .as_ref()
        .map(|saving| saving.reference.as_str());
    let simulated = schedules
        .rows
        .iter()
        .find(|row| Some(row.ordering.as_str()) == reference);
    let (Some(recorded), Some(simulated)) = (&schedules.recorded, simulated) else {
        return Words::default();
    };
    let (there, here) = (&recorded.summary, &simulated.summary);
    let seconds = |value: f64| thousands(value.round() as u64);
    let waits = |s: &ScheduleSummary| {
        format!(
            "{} s (median {} s)",
            seconds(s.mean_wait),
            seconds(s.wait_percentiles[0])
        )
    };
    let (simulated_waits, recorded_waits) = (waits(here), waits(there));
    let jobs = match (there.jobs as u64, here.jobs as u64) {
        (known, all) if known == all => format!("the same {} jobs", thousands(all)),
        (known, all) => {
            format!(
                "those {} of {} jobs whose waits it has",
                thousands(known),
                thousands(all)
            )
        }
    };
    let (most, least) = (
        there.mean_wait.max(here.mean_wait),
        there.mean_wait.min(here.mean_wait),
    );
    let far = most > FAR * least + 60.0;
    let head = if far {
        "Simulated waits are far from recorded ones: on "
    } else {
        "On "
    };
    let longer = match here.mean_stretch {
        times if far && times >= 1.05 => {
            format!(
                "; under this model jobs run {} times as long as recorded, on average",
                fixed(times, 2)
            )
        }
        _ => String::new(),
    };
    words![
        head,
        bold(&simulated.ordering),
        format!(
            " the mean wait is {simulated_waits}, by the trace {recorded_waits}, over {jobs}{longer}. "
        )
    ]
}
