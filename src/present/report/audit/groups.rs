//! Sections of an audit's page about groups of jobs: by size, by time, by month.

use std::collections::BTreeMap;

use crate::plot::audit::{Points, over_time};
use crate::plot::replay::{Figure as Drawn, Labelled};
use crate::report::html::{Best, Column, Figure, Section, Table, words};
use nodeorder_base::error::Result;
use nodeorder_jobs::audit::Audit;
use nodeorder_jobs::audit::summary::{Summary, Sums};

/// Hours of the periods that the audit is divided into: those of the recorded placement.
pub fn period(audit: &Audit) -> i64 {
    audit.placements.first().map_or(1, Summary::period)
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
pub(super) fn sizes(audit: &Audit) -> Result<Section> {
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
pub(super) fn time(audit: &Audit) -> Result<Option<Section>> {
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
pub(super) fn months(audit: &Audit) -> Option<Section> {
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

/// The date of a time since 1970, with the hour where periods are shorter than a day; days from the first one where
/// times are too small to be dates.
pub(super) fn date(seconds: i64, first: i64, hours: i64) -> String {
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
