//! Node-hours that the best ordering saves on a trace, and the waits that the trace records, in sentences.

use super::sentences::{RichText, file_name, sentence};
use crate::plot::{format_fixed, format_thousands};
use nodeorder_jobs::schedule::ScheduleSummary;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_jobs::schedule::saving::ModelSaving;

/// Ratio of simulated and recorded waits, beyond a minute, from which on they are called far from each other.
const FAR: f64 = 2.0;

/// Says how many node-hours the best ordering saves on the workload, and which waits the trace records. Empty if the
/// workload was not scheduled.
pub fn saving_sentences(schedules: &Schedules) -> RichText {
    hours_saved(schedules).rich(&wait_sentence(schedules))
}

/// Says how many node-hours the best ordering saves against the default one, if the trace shows a saving.
fn hours_saved(schedules: &Schedules) -> RichText {
    let Some(saving) = &schedules.saving else {
        return RichText::default();
    };
    let Some(first) = saving.models.first() else {
        return RichText::default();
    };
    let trace = file_name(&schedules.trace);
    let assumed =
        sentence(" That rests on an assumption about run times, the model ").code(&first.model);
    if saving.best == saving.reference {
        return sentence(format!(
            "On {trace} no ordering uses fewer node-hours than "
        ))
        .bold(&saving.reference)
        .text(", the default order.")
        .rich(&assumed)
        .text(". ");
    }
    let intervals = match first.low {
        Some(_) => format!(
            " Intervals: {} weeks of the trace, drawn again.",
            saving.weeks
        ),
        None => String::new(),
    };
    let span = if saving.a_year { " a year" } else { "" };
    let shortest = schedules.shortest_response().unwrap_or(&saving.best);
    // Node-hours alone would praise an ordering under which jobs wait longer.
    if !saving.is_shown() || shortest != saving.best {
        let why = match first.low {
            // Weeks are resampled, and fewer than eight say nothing about a year.
            None => "an interval needs eight weeks, and the trace is shorter".into(),
            Some(_) if !saving.is_shown() => "not all intervals lie above zero".into(),
            Some(_) => format!("{shortest} has the shortest mean response time"),
        };
        let all: Vec<String> = saving.models.iter().map(amount_by_model).collect();
        return sentence(format!("{trace}: no proven saving: {why}. Estimate for "))
            .bold(&saving.best)
            .text(" against ")
            .bold(&saving.reference)
            .text(format!(
                ": node-hours saved{span}: {}.{intervals} ",
                all.join("; ")
            ));
    }
    let other_models: Vec<String> = saving.models[1..].iter().map(amount_by_model).collect();
    let other_models = match other_models.as_slice() {
        [] => ". ".into(),
        all => format!("; it is {}. ", all.join(" and ")),
    };
    // A trace of empty jobs used no hours: no division by zero.
    let share = 100.0 * first.hours / saving.hours_used.max(f64::MIN_POSITIVE);
    RichText::default()
        .bold(&saving.best)
        .text(format!(
            " saves {} node-hours{span} on {trace} against the default order, ",
            saved_hours(first)
        ))
        .bold(&saving.reference)
        .text(format!(
            ": {} % of those used.{intervals}",
            format_fixed(share, 2)
        ))
        .rich(&assumed)
        .text(other_models)
}

/// Formats node-hours as a whole number.
fn hours_text(hours: f64) -> String {
    // Rounded first: a few minutes lost are 0, not −0.
    let hours = hours.round();
    let sign = if hours < 0.0 { "−" } else { "" };
    format!("{sign}{}", format_thousands(hours.abs() as u64))
}

/// Formats the node-hours saved under a model, with their interval if there is one.
fn saved_hours(model: &ModelSaving) -> String {
    let hours = hours_text(model.hours);
    match (model.low, model.high) {
        (Some(low), Some(high)) => {
            let low = hours_text(low);
            let high = hours_text(high);
            format!("{hours} (95 %: {low} to {high})")
        }
        _ => hours,
    }
}

/// Formats the node-hours saved under a model, with its name.
fn amount_by_model(model: &ModelSaving) -> String {
    format!("{} under {}", saved_hours(model), model.model)
}

/// Compares the waits that the trace records with those of its schedule on the default order. Empty if it records
/// none.
fn wait_sentence(schedules: &Schedules) -> RichText {
    let Some((saving, recorded)) = schedules.saving.as_ref().zip(schedules.recorded.as_ref())
    else {
        return RichText::default();
    };
    let Some(simulated) = schedules
        .rows
        .iter()
        .find(|row| row.ordering == saving.reference)
    else {
        return RichText::default();
    };
    let there = &recorded.summary;
    let here = &simulated.summary;
    let known = format_thousands(there.jobs as u64);
    let jobs = if there.jobs == here.jobs {
        format!("the same {known} jobs")
    } else {
        format!(
            "those {known} of {} jobs whose waits it has",
            format_thousands(here.jobs as u64)
        )
    };
    let most = there.mean_wait.max(here.mean_wait);
    let least = there.mean_wait.min(here.mean_wait);
    // A minute more or less is no difference to users, whatever its ratio.
    let far = most > FAR * least + 60.0;
    let head = if far {
        "Simulated waits are far from recorded ones: on "
    } else {
        "On "
    };
    // Slow models make jobs wait longer as well: readers should know before they doubt the schedule.
    let longer = if far && here.mean_stretch >= 1.05 {
        format!(
            "; under this model jobs run {} times as long as recorded, on average",
            format_fixed(here.mean_stretch, 2)
        )
    } else {
        String::new()
    };
    sentence(head).bold(&simulated.ordering).text(format!(
        " the mean wait is {}, by the trace {}, over {jobs}{longer}. ",
        format_waits(here),
        format_waits(there)
    ))
}

/// Formats the mean and the median wait of a schedule in seconds.
fn format_waits(summary: &ScheduleSummary) -> String {
    format!(
        "{} s (median {} s)",
        format_thousands(summary.mean_wait.round() as u64),
        format_thousands(summary.wait_percentiles[0].round() as u64)
    )
}
