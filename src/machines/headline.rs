//! Which machine and which ordering, by how much, how sure: in words.

use super::comparison::{Contender, Criterion, Machines};
use super::confidence::Difference;

/// The outcome in two or three sentences. `workload` is its name.
pub fn headline(machines: &Machines, workload: Option<&str>) -> String {
    let (outcome, details) = outcome(machines, workload);
    [outcome].into_iter().chain(details).collect::<Vec<_>>().join(" ")
}

/// The outcome in a sentence, and those that follow: how sure it is, and which jobs do not fit on which machine.
pub fn outcome(machines: &Machines, workload: Option<&str>) -> (String, Vec<String>) {
    let Machines { contenders, scores, criterion, .. } = machines;
    let Some(first) = contenders.first() else { return Default::default() };
    let called = |c: &Contender| format!("{} with {}", c.machine.name(), c.machine.best.label());
    let digits = if *criterion == Criterion::Response { 1 } else { 4 };
    let (figure, unit) = (criterion.name(), criterion.unit());
    let for_what = match (workload, criterion) {
        (Some(name), Criterion::Response | Criterion::Hops) => format!(" for {name}"),
        _ => String::new(),
    };
    let mut details = Vec::new();
    let outcome = match (contenders.get(1), &machines.difference) {
        (Some(second), Some(difference)) => {
            let gap = -difference.difference;
            let share = if scores[1] > 0.0 { 100.0 * gap / scores[1] } else { 0.0 };
            details.push(how_sure(difference, digits));
            if difference.is_significant() {
                format!(
                    "Best{for_what}: {}: {figure} {:.digits$} {unit}, {gap:.digits$} {unit} ({share:.1}%) less than \
                     {}.",
                    called(first),
                    scores[0],
                    called(second),
                )
            } else {
                format!(
                    "No difference{for_what} between {} and {} in {figure} ({:.digits$} and {:.digits$} {unit}).",
                    called(first),
                    called(second),
                    scores[0],
                    scores[1],
                )
            }
        }
        _ => format!("{}: {figure} {:.digits$} {unit}.", called(first), scores[0]),
    };
    for contender in contenders {
        if let Some(service) = contender.service.as_ref().filter(|s| s.too_large > 0) {
            let more = service.too_large - service.too_large_names.len() as u64;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            details.push(format!(
                "{} of the jobs do not fit on {}: {}{more}.",
                service.too_large,
                contender.machine.name(),
                service.too_large_names.join(", "),
            ));
        }
    }
    (outcome, details)
}

/// How sure a difference is, in a sentence.
fn how_sure(difference: &Difference, digits: usize) -> String {
    let (Some(low), Some(high)) = (difference.low, difference.high) else {
        return "Both figures are exact.".into();
    };
    // Zero less a zero has no sign.
    let (low, high) = (0.0 - high, 0.0 - low);
    let unit = difference.unit;
    let holds = if difference.is_significant() { "" } else { ", which holds zero" };
    let of = match difference.over {
        "seeds" => format!("{} seeds of the random networks", difference.count),
        "weeks" => format!("{} weeks, {} jobs", difference.count, difference.jobs),
        _ => format!("{} jobs", difference.jobs),
    };
    format!(
        "95% interval of the difference: {low:.digits$} to {high:.digits$} {unit}{holds} ({of})."
    )
}
