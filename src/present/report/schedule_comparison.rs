//! A trace's schedules on several orderings: a section of the page and a table of the data.

use std::io::{self, Write};

use super::html::{BestValue, Column, Section, Table, rank_figures};
use super::sentences::{file_name, range_text, sentence};
use crate::columns;
use crate::columns::schedule::ScheduleFigures;
use crate::columns::select_columns;
use crate::plot::{format_fixed, format_thousands};
use nodeorder_jobs::schedule::orderings::{OrderingSchedule, Schedules};
use nodeorder_jobs::schedule::{STARVED_OVERTAKEN, STARVED_WAITS};

/// Columns of the page: title, name in the data, decimals, which value is best.
const FIGURES: [(&str, &str, usize, BestValue); 11] = [
    ("Mean wait (s)", "mean_wait", 1, BestValue::Low),
    ("90 % waited at most (s)", "wait_p90", 1, BestValue::Low),
    ("99 % waited at most (s)", "wait_p99", 1, BestValue::Low),
    ("Longest wait (s)", "max_wait", 1, BestValue::Low),
    ("Jobs starved", "starved_jobs", 0, BestValue::Low),
    ("Mean response (s)", "mean_response", 1, BestValue::Low),
    (
        "Mean bounded slowdown",
        "mean_bounded_slowdown",
        3,
        BestValue::Low,
    ),
    // High where jobs run longer, too: neither side is better.
    ("Utilisation (%)", "utilisation", 2, BestValue::None),
    ("Makespan (s)", "makespan", 0, BestValue::Low),
    (
        "Run time over the trace’s",
        "mean_stretch",
        4,
        BestValue::Low,
    ),
    ("Mean distance (hops)", "mean_mind", 4, BestValue::Low),
];

/// Makes a row of a table of schedules.
pub(super) fn schedule_figures(row: &OrderingSchedule) -> ScheduleFigures<'_> {
    ScheduleFigures {
        machine: "",
        ordering: &row.ordering,
        schedule: None,
        summary: &row.summary,
        left_out: row.too_large as u64,
    }
}

/// Makes the rows of `schedule.csv`.
pub(super) fn schedule_rows(schedules: &Schedules) -> impl Iterator<Item = ScheduleFigures<'_>> {
    schedules.rows.iter().map(schedule_figures)
}

/// Writes `schedule.csv`: figures by ordering, times in seconds.
///
/// # Errors
/// Errors of `out`.
pub fn write_csv(out: impl Write, schedules: &Schedules) -> io::Result<()> {
    columns::write_table(
        out,
        &ScheduleFigures::comparison_columns(),
        schedule_rows(schedules),
    )
}

/// Makes the columns of a page's table of schedules.
pub(super) fn queue_columns(rows: &[&OrderingSchedule]) -> Vec<Column> {
    let mut columns = Vec::new();
    for (title, name, decimals, best) in FIGURES {
        // Shares are per cent on the page.
        let unit = if name == "utilisation" { 100.0 } else { 1.0 };
        let column = select_columns(&ScheduleFigures::comparison_columns(), &[name])[0];
        let values = rows
            .iter()
            .map(|row| Some(unit * (column.value)(&schedule_figures(row)).as_number()?));
        columns.push(Column::new(title, decimals, best, values));
    }
    columns
}

/// Makes the columns of the page's table, with the mean waits by job size.
fn columns_by_class(schedules: &Schedules, rows: &[&OrderingSchedule]) -> Vec<Column> {
    let mut columns = queue_columns(rows);
    for (from, to) in schedules.size_classes() {
        let sizes = range_text(from, to);
        // A class without jobs on one of the orderings has an empty cell there.
        let waits = rows.iter().map(|row| Some(row.size_class(from)?.mean_wait));
        let title = format!("Mean wait, {sizes} nodes (s)");
        columns.push(Column::new(title, 1, BestValue::Low, waits));
    }
    columns
}

/// Finds the largest count of all rows.
fn largest_count(schedules: &Schedules, count: fn(&OrderingSchedule) -> u64) -> u64 {
    schedules.rows.iter().map(count).max().unwrap_or(0)
}

/// Makes the page's section.
pub(super) fn queue_section(schedules: &Schedules) -> Section {
    let mut ranked: Vec<&OrderingSchedule> = schedules.rows.iter().collect();
    // By response, not by wait: an ordering may have jobs wait less and run longer.
    ranked.sort_by(|a, b| a.summary.mean_response.total_cmp(&b.summary.mean_response));
    let names = ranked.iter().map(|row| row.ordering.clone()).collect();
    let left_out = match largest_count(schedules, |row| row.too_large as u64) {
        0 => String::new(),
        n => format!(
            " Up to {} jobs that need more nodes than an ordering has were left out.",
            format_thousands(n)
        ),
    };
    let never = match largest_count(schedules, |row| row.summary.never_placed as u64) {
        0 => String::new(),
        n => format!(
            " Up to {} jobs were left out because they are refused even on the empty machine.",
            format_thousands(n)
        ),
    };
    let recorded = match schedules.recorded {
        Some(_) => " The last row is what the trace records of these jobs, on its own machine.",
        None => "",
    };
    let about = sentence(format!(
        "The {} jobs of {} were scheduled on each ordering with their times: policy ",
        format_thousands(largest_count(schedules, |row| row.summary.jobs as u64)),
        file_name(&schedules.trace)
    ))
    .bold(&schedules.policy);
    let about = match &schedules.allocator {
        Some(allocator) => about.text(", allocator ").bold(allocator),
        None => about.text(", nodes chosen by the policy itself"),
    };
    let about = about
        .text(", run-time model ")
        .bold(&schedules.model)
        .text(format!(
            ".{left_out} The rows differ in the ordering alone. Best first by mean response \
             time; the lowest value of each column is bold, but for utilisation: it is high \
             where jobs run longer, too.{recorded}"
        ));
    let columns = columns_by_class(schedules, &ranked);
    let responses: Vec<f64> = ranked.iter().map(|row| row.summary.mean_response).collect();
    let ranks = rank_figures(&responses);
    let mut table = Table::ranked("Schedules by ordering", names, ranks, columns);
    if let Some(recorded) = &schedules.recorded {
        table.add_unranked_row(
            recorded.ordering.clone(),
            columns_by_class(schedules, &[recorded]),
        );
    }
    let mut section = Section::new("scheduling", "Job queue", about, table);
    section.note = sentence(format!(
        "{} A job is starved that waited for more than {STARVED_WAITS} times the mean wait while \
         {STARVED_OVERTAKEN} or more jobs behind it in the queue started.{never} Policy {}. \
         Model {}. How strongly run times depend on distance differs between applications: the \
         differences follow from this assumption. Give your own with ",
        spread_sentence(&ranked),
        schedules.rule,
        schedules.model_rule
    ))
    .code("--model")
    .text(".");
    section
}

/// Says how far the last ordering is behind the first.
fn spread_sentence(ranked: &[&OrderingSchedule]) -> String {
    let Some((first, last)) = ranked.first().zip(ranked.last()) else {
        return String::new();
    };
    let first = &first.summary;
    let last = &last.summary;
    if first.mean_response == last.mean_response {
        return "Under this policy and model, mean response time is equal on all orderings.".into();
    }
    format!(
        "From the best ordering to the last, mean response grows by {} % and mean wait goes from {} to {} s.",
        format_fixed(100.0 * (last.mean_response / first.mean_response - 1.0), 2),
        format_fixed(first.mean_wait, 1),
        format_fixed(last.mean_wait, 1),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_jobs::schedule::{ScheduleSummary, SizeClass};

    fn row(ordering: &str, mean_response: f64) -> OrderingSchedule {
        let mut size = SizeClass::default();
        size.from = 4;
        size.to = 7;
        size.mean_wait = 1.5;
        let mut summary = ScheduleSummary::default();
        summary.jobs = 3;
        summary.mean_wait = 1.5;
        summary.mean_response = mean_response;
        summary.mean_bounded_slowdown = 1.0;
        summary.utilisation = 0.5;
        summary.makespan = 40.0;
        summary.mean_stretch = 1.25;
        summary.wait_percentiles = [1.0, 2.0, 3.0];
        summary.max_wait = 4.0;
        summary.by_size = vec![size];
        OrderingSchedule {
            ordering: ordering.into(),
            too_large: 1,
            summary,
        }
    }

    fn schedules(rows: Vec<OrderingSchedule>) -> Schedules {
        Schedules {
            trace: "t.swf".into(),
            policy: "easy".into(),
            allocator: Some("fifo:0".into()),
            model: "fixed".into(),
            rule: "easy".into(),
            model_rule: "fixed".into(),
            saving: None,
            recorded: None,
            rows,
        }
    }

    #[test]
    fn rows_keep_their_order_in_the_data_and_are_ranked_on_the_page() {
        let schedules = schedules(vec![row("b,c", 20.0), row("<a>", 10.0)]);
        let mut out = Vec::new();
        write_csv(&mut out, &schedules).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "ordering,jobs,too_large,mean_wait,mean_response,mean_bounded_slowdown,utilisation,makespan,\
             mean_stretch,mean_mind,wait_p50,wait_p90,wait_p99,max_wait,starved_jobs,never_placed,\
             hours_lost_distance,hours_lost_links,hours_lost_latency,hours_lost_sharing\n\
             \"b,c\",3,1,1.5,20,1,0.5,40,1.25,,1,2,3,4,0,0,,,,\n<a>,3,1,1.5,10,1,0.5,40,1.25,,1,2,3,4,0,0,,,,\n"
        );
        let section = queue_section(&schedules).to_string();
        assert!(section.find("&#60;a&#62;").unwrap() < section.find("b,c").unwrap());
        assert!(section.contains("grows by 100.00\u{a0}%") && section.contains(">50.00<"));
        // Waits and all else are equal: only the lower response is marked.
        assert_eq!(section.matches("class=\"low\"").count(), 1, "{section}");
        assert!(
            section.contains("<td data-value=\"10\" class=\"low\">10.0</td>"),
            "{section}"
        );
        assert!(section.contains("Mean wait, 4–7 nodes (s)"), "{section}");
    }

    #[test]
    fn utilisation_has_no_best_value() {
        let mut longer = row("random", 10.0);
        longer.summary.utilisation = 0.75;
        let schedules = schedules(vec![row("snake", 10.0), longer]);
        let section = queue_section(&schedules).to_string();
        assert!(
            section.contains(">75.00<") && !section.contains("class=\"low\""),
            "{section}"
        );
    }
}
