//! A trace's schedules on several orderings: a section of the page and a table of the data.

use std::io::{self, Write};

use super::words::file_name;
use crate::columns;
use crate::columns::named;
use crate::columns::schedule::ScheduleFigures;
use crate::plot::thousands;
use crate::report::html::{Best, Column, Part, Section, Table, Words, bold, fixed, words};
use nodeorder_jobs::schedule::orderings::{OrderingSchedule, Schedules};
use nodeorder_jobs::schedule::{STARVED_OVERTAKEN, STARVED_WAITS};

/// How the page shows the figures: title, column, decimals, which value is best.
const FIGURES: [(&str, &str, usize, Best); 11] = [
    ("Mean wait (s)", "mean_wait", 1, Best::Low),
    ("90 % waited at most (s)", "wait_p90", 1, Best::Low),
    ("99 % waited at most (s)", "wait_p99", 1, Best::Low),
    ("Longest wait (s)", "max_wait", 1, Best::Low),
    ("Jobs starved", "starved_jobs", 0, Best::Low),
    ("Mean response (s)", "mean_response", 1, Best::Low),
    (
        "Mean bounded slowdown",
        "mean_bounded_slowdown",
        3,
        Best::Low,
    ),
    // High where jobs run longer, too: neither side is better.
    ("Utilisation (%)", "utilisation", 2, Best::None),
    ("Makespan (s)", "makespan", 0, Best::Low),
    ("Run time over the trace’s", "mean_stretch", 4, Best::Low),
    ("Mean distance (hops)", "mean_mind", 4, Best::Low),
];

/// As columns take it.
pub(super) fn figures(row: &OrderingSchedule) -> ScheduleFigures<'_> {
    let OrderingSchedule {
        ordering,
        too_large,
        summary,
    } = row;
    let left_out = *too_large as u64;
    ScheduleFigures {
        machine: "",
        ordering,
        schedule: None,
        summary,
        left_out,
    }
}

fn figure(row: &OrderingSchedule, name: &str) -> Option<f64> {
    let column = named(&ScheduleFigures::compared(), &[name])[0];
    (column.value)(&figures(row)).number()
}

/// The rows of `schedule.csv`.
pub(super) fn rows(schedules: &Schedules) -> impl Iterator<Item = ScheduleFigures<'_>> {
    schedules.rows.iter().map(figures)
}

/// Figures by ordering; times in seconds.
///
/// # Errors
/// Errors of `out`.
pub fn write_csv(out: impl Write, schedules: &Schedules) -> io::Result<()> {
    columns::write(out, &ScheduleFigures::compared(), rows(schedules))
}

/// The figures as columns of a page's table.
pub(super) fn queue_columns(rows: &[&OrderingSchedule]) -> Vec<Column> {
    let column = |(title, name, decimals, best): (&str, &str, usize, Best)| {
        // Shares are per cent on the page.
        let unit = if name == "utilisation" { 100.0 } else { 1.0 };
        let values = rows.iter().map(|row| Some(unit * figure(row, name)?));
        Column::new(title, decimals, best, values)
    };
    FIGURES.map(column).into()
}

/// The page's section.
pub(super) fn section(schedules: &Schedules) -> Section {
    let mut ranked: Vec<&OrderingSchedule> = schedules.rows.iter().collect();
    ranked.sort_by(|a, b| a.summary.mean_response.total_cmp(&b.summary.mean_response));
    let classes = schedules.size_classes();
    let columns = |rows: &[&OrderingSchedule]| {
        let waits = classes.iter().map(|(from, to)| {
            let wait = |row: &&OrderingSchedule| row.class(*from).map(|class| class.mean_wait);
            let title = format!("Mean wait, {} nodes (s)", sizes(*from, *to));
            Column::new(title, 1, Best::Low, rows.iter().map(wait))
        });
        queue_columns(rows)
            .into_iter()
            .chain(waits)
            .collect::<Vec<Column>>()
    };
    let names = ranked.iter().map(|row| row.ordering.clone()).collect();
    let left_out = match schedules
        .rows
        .iter()
        .map(|r| r.too_large)
        .max()
        .unwrap_or(0)
    {
        0 => String::new(),
        n => format!(
            " Up to {} jobs that need more nodes than an ordering has were left out.",
            thousands(n as u64)
        ),
    };
    let never = match schedules
        .rows
        .iter()
        .map(|r| r.summary.never_placed)
        .max()
        .unwrap_or(0)
    {
        0 => String::new(),
        n => format!(
            " Up to {} jobs were left out because they are refused even on the empty machine.",
            thousands(n as u64)
        ),
    };
    let jobs = schedules
        .rows
        .iter()
        .map(|r| r.summary.jobs as u64)
        .max()
        .unwrap_or(0);
    let allocator = match &schedules.allocator {
        Some(allocator) => words!["allocator ", bold(allocator)],
        None => words!["nodes chosen by the policy itself"],
    };
    let recorded = match schedules.recorded {
        Some(_) => " The last row is what the trace records of these jobs, on its own machine.",
        None => "",
    };
    let about = words![
        format!(
            "The {} jobs of {} were scheduled on each ordering with their times: policy ",
            thousands(jobs),
            file_name(&schedules.trace)
        ),
        bold(&schedules.policy),
        ", ",
        allocator,
        ", run-time model ",
        bold(&schedules.model),
        format!(
            ".{left_out} The rows differ in the ordering alone. Best first by mean response time; the lowest \
             value of each column is bold, but for utilisation: it is high where jobs run longer, too.{recorded}"
        ),
    ];
    let mut table = Table::ranked("Schedules by ordering", names, columns(&ranked));
    if let Some(recorded) = &schedules.recorded {
        table.below(recorded.ordering.clone(), columns(&[recorded]));
    }
    let mut section = Section::new("scheduling", "Job queue", about, table);
    section.note = words![
        spread(&ranked),
        format!(
            " A job is starved that waited for more than {STARVED_WAITS} times the mean wait while {STARVED_OVERTAKEN} \
             or more jobs behind it in the queue started.{never} Policy {}. Model {}. How strongly run times depend on distance differs between applications: the \
             differences follow from this assumption. Give your own with ",
            schedules.rule, schedules.model_rule
        ),
        Part::Code("--model".into()),
        "."
    ];
    section
}

/// The sizes of a class.
fn sizes(from: u32, to: u32) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("{from}–{to}")
    }
}

/// First against last, in a sentence.
fn spread(ranked: &[&OrderingSchedule]) -> Words {
    let (Some(first), Some(last)) = (ranked.first(), ranked.last()) else {
        return Words::default();
    };
    let (first, last) = (&first.summary, &last.summary);
    if first.mean_response == last.mean_response {
        return words![
            "Under this policy and model, mean response time is equal on all orderings."
        ];
    }
    words![format!(
        "From the best ordering to the last, mean response grows by {}\u{a0}% and mean wait goes from {} to {} s.",
        fixed(100.0 * (last.mean_response / first.mean_response - 1.0), 2),
        fixed(first.mean_wait, 1),
        fixed(last.mean_wait, 1),
    )]
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
        let section = section(&schedules).to_string();
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
        let section = section(&schedules).to_string();
        assert!(
            section.contains(">75.00<") && !section.contains("class=\"low\""),
            "{section}"
        );
    }
}
