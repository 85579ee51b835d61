//! The outcome of a comparison of machines in sentences: which machine and ordering, by how much, how sure.

use super::comparison::Machines;
use super::confidence::Difference;
use super::contender::{Contender, Criterion};
use crate::columns::bounds::Bound;

/// Most machines whose slowdowns are said.
const SAID: usize = 4;

/// Says the outcome in some sentences. `workload` is its name.
pub fn headline(machines: &Machines, workload: Option<&str>) -> String {
    let (outcome, details) = outcome_sentences(machines, workload);
    let mut sentences = vec![outcome];
    sentences.extend(details);
    sentences.join(" ")
}

/// Says the outcome in a sentence, and in those that follow how sure it is, which job sizes count, which machines are
/// not compared, and which jobs do not fit on which machine.
pub fn outcome_sentences(machines: &Machines, workload: Option<&str>) -> (String, Vec<String>) {
    if machines.contenders.is_empty() {
        return Default::default();
    }
    let mut details = Vec::new();
    // One difference that is not certain decides that there is no winner: then that one is spoken of.
    let deciding = machines
        .differences
        .iter()
        .find(|difference| !difference.is_significant())
        .or(machines.differences.first());
    details.extend(machines.contenders.iter().filter_map(wide_gap));
    details.extend(deciding.and_then(|difference| how_sure(difference, machines)));
    details.extend(routing_sentence(machines));
    details.extend(
        machines
            .contenders
            .iter()
            .take(1)
            .filter_map(throughput_sentence),
    );
    details.extend(slowdown_sentence(machines));
    details.extend(machines.contenders.iter().filter_map(few_ports));
    details.extend(size_sentence(machines));
    // Not left out silently: the reader may have asked for just this machine.
    for contender in &machines.contenders[machines.compared..] {
        details.push(format!(
            "{} is not compared: {:.1} % of its windows span pieces that no link joins.",
            contender.machine.name(),
            100.0 * contender.machine.windows_left_out()
        ));
    }
    details.extend(machines.contenders.iter().filter_map(too_large));
    (winner_sentence(machines, workload), details)
}

/// Says that the search of a machine ended before its gap was reached. `None` if it was.
fn wide_gap(contender: &Contender) -> Option<String> {
    let carried = contender.carried.as_ref()?;
    let searches = [&carried.all_to_all, &carried.matching];
    let gaps = searches
        .iter()
        .filter(|found| found.stopped)
        .map(|found| found.relative_gap());
    let gap = 100.0 * gaps.reduce(f64::max)?;
    let name = contender.machine.name();
    Some(format!(
        "The search of {name} ran out of time with a gap of {gap:.2} %, wider than gap= asks for."
    ))
}

/// Says which runtime model and which routing the ranking is under. `None` if no traffic ranks.
fn routing_sentence(machines: &Machines) -> Option<String> {
    let model = machines.settings.as_ref().map(|settings| &settings.model);
    match (&machines.routing, model, machines.criterion) {
        (Some(_), Some(model), Criterion::Response) => Some(format!(
            "Run times follow the model {model}: one routing for all machines."
        )),
        (None, Some(model), Criterion::Response) => {
            Some(format!("Run times follow the model {model}."))
        }
        (Some(routing), ..) => Some(format!("Routing of all machines: {routing}.")),
        _ => None,
    }
}

/// Says how much an all-to-all is slowed on each of the first machines, with the better of its two orderings. `None`
/// unless it was measured.
fn slowdown_sentence(machines: &Machines) -> Option<String> {
    let mut parts = Vec::new();
    // One that was not measured leaves nothing to compare with.
    for contender in machines.contenders.iter().take(SAID) {
        let [best, random] = [0, 1].map(|ordering| contender.slowdown(0, ordering));
        let [best, random] = [best?, random?];
        let label = if random < best {
            "random"
        } else {
            contender.machine.best.label()
        };
        parts.push(format!(
            "{:.2} times on {} ({label})",
            best.min(random),
            contender.machine.name()
        ));
    }
    let measured = machines.contenders.first()?.slowdowns.as_ref()?;
    Some(format!(
        "All-to-all traffic is slowed {} (mean over job sizes, the \
        other jobs send {:.0} % of the time, routing {}).",
        parts.join(", "),
        100.0 * measured.duty,
        measured.routing
    ))
}

/// Says which machine is the best, and by how much; or that there is no winner, and why.
fn winner_sentence(machines: &Machines, workload: Option<&str>) -> String {
    let Machines {
        contenders,
        scores,
        criterion,
        differences,
        ..
    } = machines;
    let first = contenders[0].display_name(*criterion);
    let digits = criterion.decimals();
    let figure = criterion.name();
    let unit = machines.unit();
    let score = criterion.round_score(scores[0]);
    let score = format!("{score:.digits$} {unit}");
    if contenders.len() == 1 {
        return format!("{first}: {figure} {score}.");
    }
    let scope = scope_phrase(machines, workload);
    match machines.is_told() {
        Some(true) => {
            let gap = differences[0].difference.abs();
            let more = if criterion.higher_is_better() {
                "more"
            } else {
                "less"
            };
            // A score of 0 has no share, as of jobs that wait for nothing.
            let share = if scores[1] > 0.0 {
                100.0 * gap / scores[1]
            } else {
                0.0
            };
            format!(
                "Best by {figure}{scope}: {first}: {score}, {gap:.digits$} {unit} ({share:.1} %) \
                 {more} than {}.",
                contenders[1].display_name(*criterion),
            )
        }
        Some(false) => {
            // The first machine and those that may be as good.
            let mut names = vec![first];
            let mut values = vec![format!("{:.digits$}", criterion.round_score(scores[0]))];
            for (i, difference) in differences.iter().enumerate() {
                if !difference.is_significant() {
                    names.push(contenders[i + 1].display_name(*criterion));
                    values.push(format!("{:.digits$}", criterion.round_score(scores[i + 1])));
                }
            }
            format!(
                "No winner{scope}: {} do not differ for certain in {figure} ({} {unit}).",
                join_names(&names),
                join_names(&values),
            )
        }
        None if machines.compared == 0 => {
            format!("No winner{scope}: none of the machines can be compared.")
        }
        None => {
            format!("No winner{scope}: nothing can be compared with {first} ({figure} {score}).")
        }
    }
}

/// Names the scope of the outcome: the workload, and the job sizes if not all machines have the same.
fn scope_phrase(machines: &Machines, workload: Option<&str>) -> String {
    if machines.criterion.is_bracket() {
        return " when traffic is routed well".into();
    }
    // Curves are of the ordering alone, whatever the workload.
    let served = workload.filter(|_| machines.criterion != Criterion::MeanLog);
    match (served, machines.node_counts()) {
        (Some(name), Some((least, _))) => format!(" for {name}, jobs of at most {least} nodes"),
        (Some(name), None) => format!(" for {name}"),
        (None, Some((least, _))) => format!(" for jobs of 2 to {least} nodes"),
        (None, None) => String::new(),
    }
}

/// Says which job sizes count. `None` if all machines have the same.
fn size_sentence(machines: &Machines) -> Option<String> {
    let (least, most) = machines.node_counts()?;
    // Throughput is of whole machines, whatever their size.
    if machines.criterion.is_bracket() {
        return Some(format!("The machines have {least} to {most} nodes."));
    }
    let more = match machines.criterion {
        Criterion::Response => "; more nodes mean shorter waits, whatever the network",
        _ => "",
    };
    Some(format!(
        "The machines have {least} to {most} nodes: only job sizes that fit on all of them are \
         counted{more}."
    ))
}

/// Says what a machine carries, costs and draws. `None` if its throughput was not searched.
fn throughput_sentence(contender: &Contender) -> Option<String> {
    let carried = contender.carried.as_ref()?;
    let mut text = format!(
        "Each node of {} can send {} of a link's capacity in all-to-all traffic, {} to a node \
         far away (a longest matching)",
        contender.machine.name(),
        format_range(contender.all_to_all()?, 4),
        format_range(
            [
                carried.matching.carried_multiple(),
                carried.matching.carried_at_most()
            ],
            4
        ),
    );
    if let (Some(low), Some(high)) = (carried.worst_at_least, carried.worst_at_most) {
        text += &format!(
            ", {} in the worst traffic in which no node sends or gets more than 1",
            format_range([low, high], 4)
        );
    }
    let bill = &contender.machine.bill;
    for (sum, what, unit) in [(bill.cost, "costs", ""), (bill.watts, "draws", " W")] {
        if let Some(ends) = contender.per_throughput(sum) {
            text += &format!(
                "; a node's unit of all-to-all throughput {what} {}{unit}",
                format_range(ends, 2)
            );
        }
    }
    Some(text + ". These figures of throughput are proved, nothing sampled.")
}

/// Formats the ends of a bracket, low to high, or one number if both read the same. Each end is rounded away from the
/// other.
pub(super) fn format_range(ends: [f64; 2], digits: usize) -> String {
    let low = Bound::Lower.round(ends[0].min(ends[1]), digits);
    let high = Bound::Upper.round(ends[0].max(ends[1]), digits);
    let low = format!("{low:.digits$}");
    let high = format!("{high:.digits$}");
    // Bounds that meet to the last digit shown are one number to the reader.
    if low == high {
        low
    } else {
        format!("{low} to {high}")
    }
}

/// Warns of switches with too few ports. `None` if they suffice, or if no radix is given.
fn few_ports(contender: &Contender) -> Option<String> {
    let ports = contender.machine.comparison.topology.ports;
    let radix = contender.machine.bill.radix?;
    let name = contender.machine.name();
    (ports > radix)
        .then(|| format!("{name} needs {ports} ports at a switch, more than radix={radix}."))
}

/// Names jobs that do not fit on a machine. `None` if all fit.
fn too_large(contender: &Contender) -> Option<String> {
    let service = contender.service.as_ref().filter(|s| s.too_large > 0)?;
    let more = match service.too_large - service.too_large_names.len() as u64 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{} of the jobs do not fit on {}: {}{more}.",
        service.too_large,
        contender.machine.name(),
        service.too_large_names.join(", "),
    ))
}

/// Lists names or numbers in a sentence: `a, b and c`.
pub fn join_names(items: &[String]) -> String {
    match items {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        other => other.concat(),
    }
}

/// Says how sure a difference is. `None` for exact figures over only some of a machine's job sizes: these are not
/// called exact.
fn how_sure(difference: &Difference, machines: &Machines) -> Option<String> {
    let (Some(low), Some(high)) = (difference.low, difference.high) else {
        return machines
            .node_counts()
            .is_none()
            .then(|| "Both mean distances are exact.".into());
    };
    // The sentence says how much better the first one is. Zero less a zero has no sign.
    let (low, high) = if machines.criterion.higher_is_better() {
        (low, high)
    } else {
        (0.0 - high, 0.0 - low)
    };
    let digits = machines.criterion.decimals();
    let unit = machines.unit();
    let holds = if difference.is_significant() {
        ""
    } else {
        ", which includes zero"
    };
    if difference.over == "bounds" {
        let low = Bound::Lower.round(low, digits);
        let high = Bound::Upper.round(high, digits);
        let drawn = if machines.contenders.iter().any(|c| c.seeds.is_some()) {
            " Random networks count as drawn from their own seed."
        } else {
            ""
        };
        return Some(format!(
            "Proved: the difference is {low:.digits$} to {high:.digits$} {unit}{holds}.{drawn}"
        ));
    }
    let sample = match difference.over {
        "seeds" => format!("{} seeds of the random networks", difference.count),
        "weeks" => format!("{} weeks, {} jobs", difference.count, difference.jobs),
        _ => format!("{} jobs", difference.jobs),
    };
    Some(format!(
        "95 % interval of the difference: {low:.digits$} to {high:.digits$} {unit}{holds} \
         ({sample})."
    ))
}
