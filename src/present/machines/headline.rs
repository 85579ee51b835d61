//! Which machine and which ordering, by how much, how sure: in words.

use super::comparison::Machines;
use super::confidence::Difference;
use super::contender::{Contender, Criterion};

/// The outcome in some sentences. `workload` is its name.
pub fn headline(machines: &Machines, workload: Option<&str>) -> String {
    let (outcome, details) = outcome(machines, workload);
    [outcome]
        .into_iter()
        .chain(details)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The outcome in a sentence, and those that follow: how sure it is, which job sizes count, which machines are not
/// compared, and which jobs do not fit on which machine.
pub fn outcome(machines: &Machines, workload: Option<&str>) -> (String, Vec<String>) {
    let Machines {
        contenders,
        scores,
        criterion,
        differences,
        compared,
        ..
    } = machines;
    let Some(first) = contenders.first() else {
        return Default::default();
    };
    let called = |c: &Contender| c.called(*criterion);
    let digits = criterion.decimals();
    let (figure, unit) = (criterion.name(), criterion.unit());
    let for_what = for_what(machines, workload);
    // The first machine and those not told apart from it.
    let near = || {
        let close = differences
            .iter()
            .map(|difference| !difference.is_significant());
        let all = contenders
            .iter()
            .zip(scores)
            .zip([true].into_iter().chain(close));
        all.filter_map(|(machine, near)| near.then_some(machine))
    };
    let outcome = match (machines.is_told(), compared) {
        _ if contenders.len() == 1 => {
            format!("{}: {figure} {:.digits$} {unit}.", called(first), scores[0])
        }
        (Some(true), _) => {
            let gap = differences[0].difference.abs();
            let more = if criterion.rises() { "more" } else { "less" };
            let share = if scores[1] > 0.0 {
                100.0 * gap / scores[1]
            } else {
                0.0
            };
            format!(
                "Best{for_what}: {}: {figure} {:.digits$} {unit}, {gap:.digits$} {unit} ({share:.1}%) {more} than {}.",
                called(first),
                scores[0],
                called(&contenders[1]),
            )
        }
        (Some(false), _) => format!(
            "No winner{for_what}: {} are not told apart by {figure} ({} {unit}).",
            list(near().map(|(contender, _)| called(contender))),
            list(near().map(|(_, score)| format!("{score:.digits$}"))),
        ),
        (None, 0) => format!("No winner{for_what}: none of the machines can be compared."),
        (None, _) => format!(
            "No winner{for_what}: nothing can be compared with {} ({figure} {:.digits$} {unit}).",
            called(first),
            scores[0]
        ),
    };
    // The closest of those that decide.
    let decides = differences
        .iter()
        .find(|d| !d.is_significant())
        .or(differences.first());
    let mut details: Vec<String> = decides
        .and_then(|d| how_sure(d, digits, machines))
        .into_iter()
        .collect();
    details.extend(contenders.iter().take(1).filter_map(carries));
    details.extend(contenders.iter().filter_map(few_ports));
    details.extend(counted(machines));
    details.extend(contenders[*compared..].iter().map(|contender| {
        format!(
            "{} is not compared: {:.1}% of its windows span pieces that no link joins.",
            contender.machine.name(),
            100.0 * contender.machine.windows_left_out()
        )
    }));
    details.extend(contenders.iter().filter_map(too_large));
    (outcome, details)
}

/// Scope of the outcome: the workload, and the job sizes where not all machines have the same.
fn for_what(machines: &Machines, workload: Option<&str>) -> String {
    if machines.criterion.is_bracket() {
        return " when traffic is routed well".into();
    }
    let served = workload.filter(|_| machines.criterion != Criterion::MeanLog);
    match (served, machines.node_counts()) {
        (Some(name), Some((least, _))) => format!(" for {name}, jobs of at most {least} nodes"),
        (Some(name), None) => format!(" for {name}"),
        (None, Some((least, _))) => format!(" for jobs of 2 to {least} nodes"),
        (None, None) => String::new(),
    }
}

/// Which job sizes count, where not all machines have the same.
fn counted(machines: &Machines) -> Option<String> {
    let (least, most) = machines.node_counts()?;
    if machines.criterion.is_bracket() {
        return Some(format!("The machines have {least} to {most} nodes."));
    }
    let more = match machines.criterion {
        Criterion::Response => "; more nodes mean shorter waits, whatever the network",
        _ => "",
    };
    Some(format!(
        "The machines have {least} to {most} nodes: only job sizes that fit on all of them are counted{more}."
    ))
}

/// Throughput, cost and watts of a machine in a sentence to quote.
fn carries(contender: &Contender) -> Option<String> {
    let carried = contender.carried.as_ref()?;
    let [found, at_most] = contender.all_to_all()?;
    let digits = |[a, b]: [f64; 2], digits: usize| {
        let [low, high] = [a.min(b), a.max(b)].map(|end| format!("{end:.digits$}"));
        if low == high {
            low
        } else {
            format!("{low} to {high}")
        }
    };
    let between = |ends| digits(ends, 4);
    let mut text = format!(
        "{} carries {} of a link's capacity from each node in all-to-all traffic, {} where each node sends to one of those \
         farthest away",
        contender.machine.name(),
        between([found, at_most]),
        between([carried.matching.found(), carried.matching.at_most()]),
    );
    if let (Some(low), Some(high)) = (carried.worst_at_least, carried.worst_at_most) {
        let worst = between([low, high]);
        text += &format!(
            ", and of the worst traffic in which no node sends or gets more than 1, {worst}"
        );
    }
    let bill = &contender.machine.bill;
    for (sum, what) in [(bill.cost, "costs"), (bill.watts, "draws")] {
        if let Some(ends) = contender.per_throughput(sum) {
            let (unit, ends) = (if what == "draws" { " W" } else { "" }, digits(ends, 2));
            text += &format!("; a node's unit of all-to-all throughput {what} {ends}{unit}");
        }
    }
    Some(text + ". All of this is proved, nothing sampled.")
}

/// A warning where switches have too few ports.
fn few_ports(contender: &Contender) -> Option<String> {
    let (ports, radix) = (
        contender.machine.comparison.topology.ports,
        contender.machine.bill.radix?,
    );
    let name = contender.machine.name();
    (ports > radix)
        .then(|| format!("{name} needs {ports} ports at a switch, more than radix={radix}."))
}

/// The jobs that do not fit on a machine, where there are some.
fn too_large(contender: &Contender) -> Option<String> {
    let service = contender.service.as_ref().filter(|s| s.too_large > 0)?;
    let more = service.too_large - service.too_large_names.len() as u64;
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    Some(format!(
        "{} of the jobs do not fit on {}: {}{more}.",
        service.too_large,
        contender.machine.name(),
        service.too_large_names.join(", "),
    ))
}

/// Names or numbers in a sentence.
fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    match items.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        other => other.concat(),
    }
}

/// How sure a difference is, in a sentence; figures over some of a machine's job sizes are not called exact.
fn how_sure(difference: &Difference, digits: usize, machines: &Machines) -> Option<String> {
    let (Some(low), Some(high)) = (difference.low, difference.high) else {
        return machines
            .node_counts()
            .is_none()
            .then(|| "Both figures are exact.".into());
    };
    // Zero less a zero has no sign.
    let (low, high) = if machines.criterion.rises() {
        (low, high)
    } else {
        (0.0 - high, 0.0 - low)
    };
    let unit = difference.unit;
    let holds = if difference.is_significant() {
        ""
    } else {
        ", which holds zero"
    };
    if difference.over == "bounds" {
        let drawn = match machines.contenders.iter().any(|c| c.seeds.is_some()) {
            true => " Random networks count as drawn from their own seed.",
            false => "",
        };
        return Some(format!(
            "Proved: the difference is {low:.digits$} to {high:.digits$} {unit}{holds}; for each machine a routing was \
             found, and lengths of links prove how much more any other could carry.{drawn}"
        ));
    }
    let of = match difference.over {
        "seeds" => format!("{} seeds of the random networks", difference.count),
        "weeks" => format!("{} weeks, {} jobs", difference.count, difference.jobs),
        _ => format!("{} jobs", difference.jobs),
    };
    Some(format!(
        "95% interval of the difference: {low:.digits$} to {high:.digits$} {unit}{holds} ({of})."
    ))
}
