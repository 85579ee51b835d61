//! Sections of an audit's page about groups of jobs: by size, by time, by month.

use std::collections::BTreeMap;

use crate::plot::audit::{LineShape, Points, plot_over_time};
use crate::plot::replay::{Figure as Drawn, SizeLine};
use crate::report::html::{Column, Figure, Section, Table};
use crate::report::sentences::range_text;
use nodeorder_base::Result;
use nodeorder_jobs::audit::Audit;
use nodeorder_jobs::audit::summary::{Summary, Sums};

/// Chooses the hours of the periods that the audit is divided into: those of the recorded placement.
pub fn period_hours(audit: &Audit) -> i64 {
    audit.placements.first().map_or(1, Summary::choose_period)
}

/// Makes the columns of some groups of the recorded jobs: jobs and hops, the hops that the placements `tried` give
/// them (by their number and that of the group), and the units of the first `levels`.
fn group_columns(
    audit: &Audit,
    groups: &[&Sums],
    levels: usize,
    tried: impl Fn(usize, usize) -> Option<f64>,
) -> Vec<Column> {
    let mut columns = vec![
        Column::counts("Jobs", groups.iter().map(|sums| sums.jobs)),
        Column::unranked_figures(
            "Recorded (hops)",
            3,
            groups.iter().map(|sums| sums.mean_hops()),
        ),
    ];
    for (i, placement) in audit.placements.iter().enumerate().skip(1) {
        let values = (0..groups.len()).map(|group| tried(i, group));
        let title = format!("{} (hops)", placement.name);
        columns.push(Column::unranked_figures(title, 3, values));
    }
    for (i, level) in audit.levels.iter().enumerate().take(levels) {
        let spanned = groups.iter().map(|sums| sums.mean_spanned(i));
        let title = format!("Spans {level}");
        columns.push(Column::unranked_figures(title, 2, spanned));
        let fewest = groups.iter().map(|sums| sums.mean_fewest(i));
        let title = format!("Fewest {level}");
        columns.push(Column::unranked_figures(title, 2, fewest));
    }
    columns
}

/// Makes the section of the recorded jobs by size, with figures of all placements.
pub fn size_section(audit: &Audit) -> Result<Section> {
    let recorded = &audit.placements[0];
    let mut names = Vec::new();
    let mut groups: Vec<&Sums> = Vec::new();
    let mut firsts = Vec::new();
    for (from, to, sums) in recorded.size_classes() {
        names.push(range_text(from, to));
        firsts.push(from);
        groups.push(sums);
    }
    let columns = group_columns(audit, &groups, usize::MAX, |i, group| {
        audit.placements[i].size_class(firsts[group])?.mean_hops()
    });
    let table = Table::new("Jobs by size", "Nodes", names, columns);
    let about =
        "Sizes in nodes, by powers of two. Units and fewest are those of the recorded placement.";
    let mut section = Section::new("sizes", "By job size", about, table);
    section.figures.extend(draw_sizes(
        audit,
        "hops-by-size.svg",
        "Mean distance of two nodes of a job, by its size: lower is better.",
        ("Mean distance within jobs, by size", "mean distance (hops)"),
        size_lines(audit, &Sums::mean_hops),
        None,
    )?);
    if let Some(level) = audit.levels.first() {
        let mut units = size_lines(audit, &|sums| sums.mean_spanned(0));
        // Nobody spans fewer units than a job of that size must.
        units.push(size_line(recorded, &|sums| sums.mean_fewest(0)));
        section.figures.extend(draw_sizes(
            audit,
            "units-by-size.svg",
            "Units that jobs span on average, and the fewest that have as many nodes: a line on \
             that of the fewest could not be better.",
            (
                &format!("Units of the level {level} that jobs span, by size"),
                &format!("{level} units"),
            ),
            units,
            Some("fewest possible"),
        )?);
    }
    Ok(section)
}

/// Makes the line of a figure by job size of each placement.
fn size_lines(audit: &Audit, value: &dyn Fn(&Sums) -> Option<f64>) -> Vec<Vec<(u32, f64)>> {
    audit
        .placements
        .iter()
        .map(|summary| size_line(summary, value))
        .collect()
}

/// Lists the values of a figure of one placement by job size, where it has any.
fn size_line(summary: &Summary, value: &dyn Fn(&Sums) -> Option<f64>) -> Vec<(u32, f64)> {
    summary
        .size_classes()
        .filter_map(|(from, _, sums)| Some((from, value(sums)?)))
        .collect()
}

/// Draws lines by job size: those of the placements, then one named `more`. `titles` are the title and the name of
/// the axis. `None` if no line has a value.
fn draw_sizes(
    audit: &Audit,
    file: &str,
    caption: &str,
    (title, axis): (&str, &str),
    lines: Vec<Vec<(u32, f64)>>,
    more: Option<&str>,
) -> Result<Option<Figure>> {
    if lines.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let names = audit.placements.iter().map(|s| s.name.as_str()).chain(more);
    let rows: Vec<SizeLine<'_>> = names
        .zip(&lines)
        .enumerate()
        .map(|(slot, (label, data))| SizeLine { label, slot, data })
        .collect();
    let drawn = Drawn::plot_improvement(title, axis, &rows)?;
    Ok(Some(Figure::from_drawing(file, caption, drawn)?))
}

/// Makes the section of the jobs by the time they started. `None` if no job says when.
pub fn time_section(audit: &Audit) -> Result<Option<Section>> {
    let hours = period_hours(audit);
    let periods: Vec<Vec<(i64, Sums)>> = audit
        .placements
        .iter()
        .map(|summary| summary.sums_by_period(hours))
        .collect();
    let recorded = &periods[0];
    let Some((first, _)) = recorded.first() else {
        return Ok(None);
    };
    // The period follows the length of the records; common ones have names.
    let length = match hours {
        1 => "hours".to_string(),
        24 => "days".into(),
        168 => "weeks, from Monday on".into(),
        hours if hours % 24 == 0 => format!("periods of {} days", hours / 24),
        hours => format!("periods of {hours} hours"),
    };
    let groups: Vec<&Sums> = recorded.iter().map(|(_, sums)| sums).collect();
    let columns = group_columns(audit, &groups, 1, |i, group| {
        // A replay skips jobs: it may have no job in a period.
        let (_, sums) = periods[i]
            .iter()
            .find(|(from, _)| *from == recorded[group].0)?;
        sums.mean_hops()
    });
    let names = recorded
        .iter()
        .map(|(from, _)| format_date(*from, *first, hours))
        .collect();
    let table = Table::new("Jobs over time", "From", names, columns);
    let about =
        format!("By the time at which jobs started, in {length}, by the clock of the records.");
    let mut section = Section::new("time", "Over time", about, table);
    let mut panels = vec![(
        "mean distance (hops)",
        period_lines(&periods, &Sums::mean_hops),
    )];
    let units = audit
        .levels
        .first()
        .map(|level| format!("{level} units spanned"));
    if let Some(name) = &units {
        panels.push((name, period_lines(&periods, &|sums| sums.mean_spanned(0))));
    }
    if recorded.len() > 1 && panels[0].1.iter().any(|line| line.len() > 1) {
        // Five dates fit side by side.
        let ticks = recorded
            .iter()
            .step_by(recorded.len().div_ceil(5))
            .map(|(from, _)| (*from as f64, format_date(*from, *first, hours)))
            .collect();
        let labels: Vec<&str> = audit.placements.iter().map(|s| s.name.as_str()).collect();
        let note = format!("means over the jobs that started in these {length}");
        let title = "What jobs got over time";
        let drawn = plot_over_time(title, &note, &labels, ticks, panels, LineShape::Line)?;
        let caption = "Means of the jobs that started in a period: lower is better.";
        section
            .figures
            .push(Figure::from_drawing("over-time.svg", caption, drawn)?);
        section.folded = true;
    }
    Ok(Some(section))
}

/// Makes the line of a figure over time of each placement.
fn period_lines(periods: &[Vec<(i64, Sums)>], value: &dyn Fn(&Sums) -> Option<f64>) -> Vec<Points> {
    let mut lines = Vec::new();
    for placement in periods {
        let mut line = Vec::new();
        for (from, sums) in placement {
            line.extend(value(sums).map(|value| (*from as f64, value)));
        }
        lines.push(line);
    }
    lines
}

/// Makes the section of the jobs by the month in which they started. `None` if there are not two.
pub fn month_section(audit: &Audit) -> Option<Section> {
    let tried: Vec<BTreeMap<String, Sums>> = audit
        .placements
        .iter()
        .map(|summary| sum_by_month(summary, audit))
        .collect();
    let names: Vec<String> = tried[0].keys().cloned().collect();
    // One month is the whole audit.
    if names.len() < 2 {
        return None;
    }
    let groups: Vec<&Sums> = tried[0].values().collect();
    let columns = group_columns(audit, &groups, usize::MAX, |i, group| {
        tried[i].get(&names[group])?.mean_hops()
    });
    let table = Table::new("Jobs by month", "Month", names.clone(), columns);
    let about = "By the month in which jobs started, by the clock of the records.";
    Some(Section::new("months", "By month", about, table))
}

/// Adds up sums by month, `2026-11`. Empty if times are no dates.
pub fn sum_by_month(summary: &Summary, audit: &Audit) -> BTreeMap<String, Sums> {
    let mut months = BTreeMap::<String, Sums>::new();
    let days = summary.sums_by_period(24);
    let first = days.first().map_or(0, |(from, _)| *from);
    for (from, sums) in days {
        // `day 3` has no `-`: then there are no months.
        if let Some((month, _)) = format_date(from, first, 24).rsplit_once('-') {
            months
                .entry(month.to_string())
                .or_insert_with(|| Sums::new(audit.levels.len()))
                .add_sums(&sums);
        }
    }
    months
}

/// Formats a time since 1970 as a date, with the hour if periods are shorter than a day; as days from the first one if
/// times are too small to be dates.
pub fn format_date(seconds: i64, first: i64, hours: i64) -> String {
    const YEAR: i64 = 31_536_000;
    const DAY: i64 = 86_400;
    let hour = seconds.div_euclid(3600).rem_euclid(24);
    // Simulated traces begin at 0 or soon after.
    if first < 10 * YEAR {
        let passed = seconds - first;
        let day = passed.div_euclid(DAY);
        let hour = passed.rem_euclid(DAY) / 3600;
        return match hours % 24 {
            0 => format!("day {day}"),
            _ => format!("day {day}, {hour:02}:00"),
        };
    }
    // Years that begin in March, in eras of 400 of them: the leap day comes last, and each era has as many days.
    let days = seconds.div_euclid(DAY) + 719_468;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * of_era + of_era / 4 - of_era / 100);
    // 153 days in five months, whose lengths are 31, 30, 31, 30, 31.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = of_era + era * 400 + i64::from(month <= 2);
    match hours % 24 {
        0 => format!("{year}-{month:02}-{day:02}"),
        _ => format!("{year}-{month:02}-{day:02} {hour:02}:00"),
    }
}

#[cfg(test)]
mod tests {
    use super::format_date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(format_date(1_795_350_019, 1_795_350_019, 24), "2026-11-22");
        assert_eq!(
            format_date(1_795_350_019, 1_795_350_019, 6),
            "2026-11-22 12:00"
        );
        assert_eq!(format_date(951_782_400, 951_782_400, 24), "2000-02-29");
        assert_eq!(format_date(951_868_800, 951_782_400, 24), "2000-03-01");
        assert_eq!(format_date(1_767_225_599, 951_782_400, 24), "2025-12-31");
        assert_eq!(format_date(172_800, 0, 24), "day 2");
        assert_eq!(format_date(7200, 3600, 1), "day 0, 01:00");
        assert_eq!(format_date(129_600, 0, 6), "day 1, 12:00");
    }
}
