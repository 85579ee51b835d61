//! An audit as one page: what the scheduler did to the jobs, beside what others would have done.

use std::collections::BTreeMap;

use super::period;
use crate::plot::audit::{Points, over_time};
use crate::plot::replay::{Figure as Drawn, Labelled};
use crate::plot::{fixed, machine, thousands};
use crate::report::document::Document;
use crate::report::html::{Best, Column, Fact, Figure, Part, Section, Table, Words, bold, words};
use crate::report::words::file_name;
use crate::report::{File, terms};
use nodeorder_base::error::Result;
use nodeorder_jobs::audit::summary::{Summary, Sums};
use nodeorder_jobs::audit::{Audit, Score, Worst};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// The page as HTML text, and its figures.
pub(super) fn html(
    audit: &Audit,
    topology: &Topology,
    trace: &str,
    share: Option<f64>,
    command: &str,
    files: &[File<'_>],
) -> Result<(String, Vec<Figure>)> {
    let name = file_name(trace);
    let recorded = &audit.placements[0];
    let mut sections = vec![placements(audit, share), sizes(audit)?];
    sections.extend(time(audit)?);
    sections.extend(months(audit));
    sections.extend(worst(audit, topology)?);
    let mut facts = vec![
        Fact::wide("Machine", Part::Code(topology.spec().into())),
        Fact::new("Rows read", thousands(audit.read)),
        Fact::new("Jobs scored", thousands(recorded.all.jobs)),
    ];
    let [jobs, whole, broken] = recorded.all.segments;
    if jobs > 0 {
        let all = thousands(whole + broken);
        let text = format!(
            "{} of {all} that {} jobs were made of do not lie in one unit of the lowest level with room for one",
            thousands(broken),
            thousands(jobs)
        );
        facts.push(Fact::wide("Segments broken", text));
    }
    for reason in &audit.left_out {
        let first = match reason.first.is_empty() {
            true => String::new(),
            false => format!(" (the first: {})", reason.first),
        };
        facts.push(Fact::wide(
            "Left out",
            format!("{} {}{first}", thousands(reason.count), reason.about),
        ));
    }
    for reason in &audit.mended {
        facts.push(Fact::wide(
            "Read with",
            format!("{} {}", thousands(reason.count), reason.about),
        ));
    }
    let (verdict, details) = verdict(audit);
    let page = Document {
        title: format!("What the scheduler did to the jobs of {name}"),
        verdict,
        details,
        about: ("read", "What was read"),
        facts,
        exact: "Every job is scored; nothing is sampled.",
        terms: [&terms::DISTANCES[..2], &terms::AUDIT, &[terms::ALLOCATOR]].concat(),
        sections,
        ..Document::new(files, command)
    };
    Ok(page.html())
}

/// The first sentence of the page (recorded distance and the best alternative) and how it was computed.
fn verdict(audit: &Audit) -> (Words, Words) {
    let recorded = &audit.placements[0].all;
    let hops = recorded.mean_hops().map_or_else(
        || "no job of several nodes whose distances are known".to_string(),
        |hops| format!("{hops:.3} hops between two nodes of a job on average"),
    );
    let mut said = vec![Part::Text(format!("Recorded: {hops}"))];
    if let Some(level) = audit.levels.first()
        && let Some(share) = recorded.at_fewest(0)
    {
        said.push(
            format!(
                "; {:.1}% of the jobs span the fewest {level} units possible",
                100.0 * share
            )
            .into(),
        );
    }
    let tried = audit.placements[1..]
        .iter()
        .filter_map(|s| Some((s, s.all.mean_hops()?)));
    let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
    if let (Some((best, value)), Some(hops)) =
        (best, recorded.mean_hops().filter(|hops| *hops > 0.0))
    {
        let (less, change) = (value < hops, 100.0 * (value / hops - 1.0).abs());
        said.push(". The closest tried, ".into());
        said.push(bold(&best.name));
        let how = if less { "less" } else { "more" };
        said.push(format!(", would have given {value:.3}: {change:.1}% {how}").into());
        if let Some(change) = best.change(&audit.placements[0]) {
            let [low, high] = [change[1], change[2]].map(|end| fixed(100.0 * end, 1));
            said.push(format!(" (95% interval of the change {low}% to {high}%)").into());
        }
    }
    said.push(".".into());
    let skipped = audit
        .placements
        .iter()
        .map(|s| s.skipped)
        .max()
        .unwrap_or(0);
    let mut details = Words::default();
    if audit.placements.len() > 1 {
        details = words![
            "Orderings were tried by a replay of the same jobs, each from its recorded start to its recorded end, on a \
                   machine that was empty at first: nobody waits longer or shorter than recorded."
        ];
        details.parts.push(
            " Intervals are by the jackknife over up to 30 stretches of time of equal length, none where jobs started in \
             fewer than ten: they say how sure the difference is for other times like these."
                .into(),
        );
        if skipped > 0 {
            details.parts.push(format!(
                " Up to {} jobs found too few nodes free and were skipped, so means are not over quite the same jobs.",
                thousands(skipped)
            ).into());
        }
    }
    (Words { parts: said }, details)
}

/// All placements, a row each.
fn placements(audit: &Audit, share: Option<f64>) -> Section {
    let all = || audit.placements.iter();
    let of =
        |value: &dyn Fn(&Sums) -> Option<f64>| all().map(|s| value(&s.all)).collect::<Vec<_>>();
    let mut columns = vec![
        Column::new("Mean distance (hops)", 3, Best::Low, of(&Sums::mean_hops)),
        Column::new("Diameter (hops)", 3, Best::Low, of(&Sums::diameter)),
        Column::new("Ring step (hops)", 3, Best::Low, of(&Sums::ring_step)),
    ];
    for (i, level) in audit.levels.iter().enumerate() {
        columns.push(Column::new(
            format!("Spans {level}"),
            2,
            Best::Low,
            of(&|s| s.spanned(i)),
        ));
        columns.push(Column::new(
            format!("Fewest {level}"),
            2,
            Best::None,
            of(&|s| s.fewest(i)),
        ));
        let share = of(&|s| Some(100.0 * s.at_fewest(i)?));
        columns
            .push(Column::new(format!("At fewest {level} (%)"), 1, Best::High, share).on_demand());
    }
    let recorded = &audit.placements[0];
    let ends = |found: [f64; 3], scale: f64, decimals| {
        let [value, low, high] = found.map(|value| fixed(scale * value, decimals));
        format!("{value} ({low} to {high})")
    };
    let tried = || all().skip(1);
    let none = || std::iter::once("–".to_string());
    if audit.placements.len() > 1 {
        let change = |s: &Summary| match s.change(recorded) {
            Some(found) => ends(found, 100.0, 1),
            None => "–".into(),
        };
        let texts = none().chain(tried().map(change));
        columns.push(Column::names(
            "Distance against recorded (%, 95% interval)",
            texts,
        ));
    }
    if let Some(share) = share {
        let spared = |s: &Summary| match s.against(recorded, |ours, _| ours.spared(share)) {
            Some(found) => ends(found, s.all.node_seconds as f64 / 3600.0, 1),
            None => s
                .node_hours_spared(share)
                .map_or("–".into(), |hours| fixed(hours, 1)),
        };
        let texts = none().chain(tried().map(spared));
        columns.push(Column::names(
            format!("Node-hours spared at share {share} (95% interval)"),
            texts,
        ));
    }
    columns.push(Column::counts("Jobs", all().map(|s| s.all.jobs)));
    if all().any(|s| s.skipped > 0) {
        columns.push(Column::counts("Skipped", all().map(|s| s.skipped)));
    }
    if all().any(|s| s.all.apart > 0) {
        columns.push(Column::counts("Apart", all().map(|s| s.all.apart)));
    }
    let names = all().map(|s| s.name.clone()).collect();
    let table = Table::new("Placements of the jobs", "Placement", names, columns);
    let about = words![
        "Means over all jobs: distances over jobs of two nodes and more. Beside the units that jobs span stand the fewest \
         that have as many nodes. The best value of a column is bold."
    ];
    Section::new("placements", "All jobs", about, table)
}

/// Jobs and hops of some groups of the recorded jobs, the hops that the placements `tried` give them (by their number
/// and that of the group), and the units of the first `levels`.
fn columns(
    audit: &Audit,
    groups: &[&Sums],
    levels: usize,
    tried: impl Fn(usize, usize) -> Option<f64>,
) -> Vec<Column> {
    let each = |value: &dyn Fn(&Sums) -> Option<f64>| groups.iter().map(|s| value(s)).collect();
    let column =
        |title: String, decimals, values: Vec<_>| Column::new(title, decimals, Best::None, values);
    let mut columns = vec![
        Column::counts("Jobs", groups.iter().map(|s| s.jobs)),
        column("Recorded (hops)".into(), 3, each(&Sums::mean_hops)),
    ];
    for (i, placement) in audit.placements.iter().enumerate().skip(1) {
        let values = (0..groups.len()).map(|group| tried(i, group)).collect();
        columns.push(column(format!("{} (hops)", placement.name), 3, values));
    }
    for (i, level) in audit.levels.iter().enumerate().take(levels) {
        columns.push(column(format!("Spans {level}"), 2, each(&|s| s.spanned(i))));
        columns.push(column(format!("Fewest {level}"), 2, each(&|s| s.fewest(i))));
    }
    columns
}

/// The recorded jobs by size, and figures of all placements.
fn sizes(audit: &Audit) -> Result<Section> {
    let recorded = &audit.placements[0];
    let classes: Vec<(u32, u32, &Sums)> = recorded.by_size().collect();
    let range = |(from, to, _): &(u32, u32, &Sums)| match from == to {
        true => from.to_string(),
        false => format!("{from}–{to}"),
    };
    let groups: Vec<&Sums> = classes.iter().map(|(.., sums)| *sums).collect();
    let tried = |i: usize, group: usize| audit.placements[i].class(classes[group].0)?.mean_hops();
    let columns = columns(audit, &groups, usize::MAX, tried);
    let names = classes.iter().map(range).collect();
    let table = Table::new("Jobs by size", "Nodes", names, columns);
    let about = words![
        "Sizes in nodes, by powers of two. Units and fewest are those of the recorded placement."
    ];
    let mut section = Section::new("sizes", "By job size", about, table);
    let lines = |value: &dyn Fn(&Sums) -> Option<f64>| -> Vec<Vec<(u32, f64)>> {
        let of = |s: &Summary| {
            s.by_size()
                .filter_map(|(from, _, sums)| Some((from, value(sums)?)))
                .collect()
        };
        audit.placements.iter().map(of).collect()
    };
    let mut draw = |file: &str,
                    title: &str,
                    what: &str,
                    caption: &str,
                    lines: Vec<Vec<(u32, f64)>>,
                    more: Option<&str>|
     -> Result<()> {
        if lines.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let names = audit.placements.iter().map(|s| s.name.as_str()).chain(more);
        let rows: Vec<Labelled<'_, &[(u32, f64)]>> = (names.zip(&lines).enumerate())
            .map(|(slot, (label, line))| Labelled {
                label,
                slot,
                data: &line[..],
            })
            .collect();
        section.figures.push(Figure::of(
            file,
            caption,
            Drawn::improvement(title, what, &rows)?,
        )?);
        Ok(())
    };
    draw(
        "hops-by-size.svg",
        "Mean distance within jobs, by size",
        "mean distance (hops)",
        "Mean distance of two nodes of a job, by its size: lower is better.",
        lines(&Sums::mean_hops),
        None,
    )?;
    if let Some(level) = audit.levels.first() {
        let mut units = lines(&|s| s.spanned(0));
        let fewest = recorded
            .by_size()
            .filter_map(|(from, _, sums)| Some((from, sums.fewest(0)?)));
        units.push(fewest.collect());
        draw(
            "units-by-size.svg",
            &format!("Units of the level {level} that jobs span, by size"),
            &format!("{level} units"),
            "Units that jobs span on average, and the fewest that have as many nodes: a line on that of the fewest could not \
             be better.",
            units,
            Some("fewest possible"),
        )?;
    }
    Ok(section)
}

/// The jobs by the time they started; none where no job says when.
fn time(audit: &Audit) -> Result<Option<Section>> {
    let hours = period(audit);
    let periods: Vec<Vec<(i64, Sums)>> = audit
        .placements
        .iter()
        .map(|s| s.over_time(hours))
        .collect();
    let Some((first, _)) = periods[0].first() else {
        return Ok(None);
    };
    let length = match hours {
        1 => "hours".to_string(),
        24 => "days".into(),
        168 => "weeks, from Monday on".into(),
        hours if hours % 24 == 0 => format!("periods of {} days", hours / 24),
        hours => format!("periods of {hours} hours"),
    };
    let recorded = &periods[0];
    let groups: Vec<&Sums> = recorded.iter().map(|(_, sums)| sums).collect();
    let tried = |i: usize, group: usize| {
        periods[i]
            .iter()
            .find(|(from, _)| *from == recorded[group].0)?
            .1
            .mean_hops()
    };
    let columns = columns(audit, &groups, 1, tried);
    let names = recorded
        .iter()
        .map(|(from, _)| date(*from, *first, hours))
        .collect();
    let table = Table::new("Jobs over time", "From", names, columns);
    let about = words![format!(
        "By the time at which jobs started, in {length}, by the clock of the records."
    )];
    let mut section = Section::new("time", "Over time", about, table);
    let points = |value: &dyn Fn(&Sums) -> Option<f64>| -> Vec<Points> {
        let of = |p: &Vec<(i64, Sums)>| {
            p.iter()
                .filter_map(|(from, s)| Some((*from as f64, value(s)?)))
                .collect()
        };
        periods.iter().map(of).collect()
    };
    let mut panels = vec![("mean distance (hops)", points(&Sums::mean_hops))];
    let units = audit
        .levels
        .first()
        .map(|level| format!("{level} units spanned"));
    if let Some(name) = &units {
        panels.push((name, points(&|s| s.spanned(0))));
    }
    if recorded.len() > 1 && panels[0].1.iter().any(|line| line.len() > 1) {
        let step = recorded.len().div_ceil(5);
        let ticks = recorded
            .iter()
            .step_by(step)
            .map(|(from, _)| (*from as f64, date(*from, *first, hours)));
        let labels: Vec<&str> = audit.placements.iter().map(|s| s.name.as_str()).collect();
        let note = format!("means over the jobs that started in these {length}");
        let drawn = over_time(
            "What jobs got over time",
            &note,
            &labels,
            ticks.collect(),
            panels,
        )?;
        let caption = "Means of the jobs that started in a period: lower is better.";
        section
            .figures
            .push(Figure::of("over-time.svg", caption, drawn)?);
        section.folded = true;
    }
    Ok(Some(section))
}

/// The jobs by the month in which they started; none where there are not two.
fn months(audit: &Audit) -> Option<Section> {
    let months = |s: &Summary| by_month(s, audit);
    let recorded = months(&audit.placements[0]);
    let tried: Vec<BTreeMap<String, Sums>> = audit.placements.iter().map(months).collect();
    let (names, groups): (Vec<String>, Vec<&Sums>) = recorded
        .iter()
        .map(|(name, sums)| (name.clone(), sums))
        .unzip();
    if names.len() < 2 {
        return None;
    }
    let hops = |i: usize, group: usize| tried[i].get(&names[group])?.mean_hops();
    let columns = columns(audit, &groups, usize::MAX, hops);
    let table = Table::new("Jobs by month", "Month", names.clone(), columns);
    let about = words!["By the month in which jobs started, by the clock of the records."];
    Some(Section::new("months", "By month", about, table))
}

/// Sums by month, `2026-11`; none where times are no dates.
pub(super) fn by_month(summary: &Summary, audit: &Audit) -> BTreeMap<String, Sums> {
    let mut months = BTreeMap::<String, Sums>::new();
    let days = summary.over_time(24);
    let first = days.first().map_or(0, |(from, _)| *from);
    for (from, sums) in days {
        let day = date(from, first, 24);
        if let Some((month, _)) = day.rsplit_once('-') {
            let none = || Sums::new(audit.levels.len());
            months
                .entry(month.to_string())
                .or_insert_with(none)
                .merge(&sums);
        }
    }
    months
}

/// The worst jobs, the first of them drawn on the machine; none where no job has several nodes.
fn worst(audit: &Audit, topology: &Topology) -> Result<Option<Section>> {
    let Some(first) = audit.worst.first() else {
        return Ok(None);
    };
    let jobs = || audit.worst.iter();
    let mut columns = vec![
        Column::counts("Nodes", jobs().map(|w| w.score.size.into())),
        Column::new(
            "Mean distance (hops)",
            3,
            Best::None,
            jobs().map(|w| w.score.mean_hops),
        ),
    ];
    for (i, level) in audit.levels.iter().enumerate() {
        let counts = |of: fn(&Score) -> &Vec<u32>| jobs().map(move |w| of(&w.score)[i].into());
        columns.push(Column::counts(
            format!("Spans {level}"),
            counts(|s| &s.spanned),
        ));
        columns.push(Column::counts(
            format!("Fewest {level}"),
            counts(|s| &s.fewest),
        ));
    }
    let begin = audit.placements[0]
        .over_time(1)
        .first()
        .map_or(0, |(from, _)| *from);
    let when = |w: &Worst| w.start.map_or("–".into(), |start| date(start, begin, 1));
    columns.push(Column::names("Started", jobs().map(when)));
    let names = jobs().map(|w| w.job.clone()).collect();
    let table = Table::new("Worst jobs", "Job", names, columns);
    let about = match audit.levels.first() {
        Some(level) => format!(
            "Recorded jobs that span the most units of the level {level} beyond the fewest, then those that lie \
             farthest apart."
        ),
        None => "Recorded jobs whose nodes lie farthest apart.".into(),
    };
    let mut section = Section::new("worst", "The worst jobs", words![about], table);
    let order = NodeOrder::new(topology, format!("job {}", first.job), first.nodes.clone())?;
    let caption = format!(
        "The nodes of job {}, the first of the table: dark for the first of its list, light for the last; nodes without \
         colour are not its own.",
        first.job
    );
    section.figures.push(Figure::of(
        "worst-job.svg",
        caption,
        machine(topology, &order),
    )?);
    Ok(Some(section))
}

/// The date of a time since 1970, with the hour where periods are shorter than a day; days from the first one where
/// times are too small to be dates.
fn date(seconds: i64, first: i64, hours: i64) -> String {
    const YEAR: i64 = 31_536_000;
    if first < 10 * YEAR {
        let (day, clock) = (
            (seconds - first).div_euclid(86_400),
            (seconds - first).rem_euclid(86_400),
        );
        return match hours % 24 {
            0 => format!("day {day}"),
            _ => format!("day {day}, {:02}:00", clock / 3600),
        };
    }
    // Years that begin in March, in eras of 400 of them.
    let days = seconds.div_euclid(86_400) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * of_era + of_era / 4 - of_era / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (
        day - (153 * month + 2) / 5 + 1,
        if month < 10 { month + 3 } else { month - 9 },
    );
    let year = of_era + era * 400 + i64::from(month <= 2);
    match hours % 24 {
        0 => format!("{year}-{month:02}-{day:02}"),
        _ => {
            format!(
                "{year}-{month:02}-{day:02} {:02}:00",
                seconds.div_euclid(3600).rem_euclid(24)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(1_795_350_019, 1_795_350_019, 24), "2026-11-22");
        assert_eq!(date(1_795_350_019, 1_795_350_019, 6), "2026-11-22 12:00");
        assert_eq!(date(951_782_400, 951_782_400, 24), "2000-02-29");
        assert_eq!(date(951_868_800, 951_782_400, 24), "2000-03-01");
        assert_eq!(date(1_767_225_599, 951_782_400, 24), "2025-12-31");
        assert_eq!(date(172_800, 0, 24), "day 2");
        assert_eq!(date(7200, 3600, 1), "day 0, 01:00");
        assert_eq!(date(129_600, 0, 6), "day 1, 12:00");
    }
}
