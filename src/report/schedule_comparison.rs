//! A trace's schedules on several orderings: a section of the page and a table of the data.

use std::io::{self, Write};

use super::html::{Best, Column as Shown, Part, Section, Table, Words, bold, fixed, words};
use crate::columns::comparison::{SCHEDULE, SCHEDULED};
use crate::plot::thousands;
use crate::schedule::orderings::{OrderingSchedule, Schedules};

/// How the page shows one of the figures of [`SCHEDULE`]: its title, its name there, decimals, whether low is good.
struct Column {
    title: &'static str,
    name: &'static str,
    decimals: usize,
    low: bool,
}

const fn column(title: &'static str, name: &'static str, decimals: usize, low: bool) -> Column {
    Column { title, name, decimals, low }
}

const COLUMNS: [Column; 7] = [
    column("Mean wait (s)", "mean_wait", 1, true),
    column("Mean response (s)", "mean_response", 1, true),
    column("Mean bounded slowdown", "mean_bounded_slowdown", 3, true),
    column("Utilisation (%)", "utilisation", 2, false),
    column("Makespan (s)", "makespan", 0, true),
    column("Run time over the trace’s", "mean_stretch", 4, true),
    column("Mean distance (hops)", "mean_mind", 4, true),
];

impl Column {
    fn figure(&self, row: &OrderingSchedule) -> Option<f64> {
        let column = SCHEDULE.iter().find(|column| column.name == self.name)?;
        (column.value)(row).number()
    }
}

/// Figures by ordering; times in seconds.
///
/// # Errors
/// What `out` reports.
pub fn write_csv(out: impl Write, schedules: &Schedules) -> io::Result<()> {
    let mut table = crate::columns::Table::rows(out);
    table.header(SCHEDULED)?;
    table.header(SCHEDULE)?;
    table.end()?;
    for row in &schedules.rows {
        table.values(SCHEDULED, row)?;
        table.row(SCHEDULE, row)?;
    }
    table.finish()
}

/// The page's section.
pub(super) fn section(schedules: &Schedules) -> Section {
    let mut ranked: Vec<&OrderingSchedule> = schedules.rows.iter().collect();
    ranked.sort_by(|a, b| a.mean_response.total_cmp(&b.mean_response));
    let columns = COLUMNS.iter().map(|c| {
        // Shares are per cent on the page.
        let unit = if c.name == "utilisation" { 100.0 } else { 1.0 };
        let values = ranked.iter().map(|row| c.figure(row).map(|v| unit * v));
        Shown::new(c.title, c.decimals, if c.low { Best::Low } else { Best::High }, values)
    });
    let columns = columns.collect();
    let names = ranked.iter().map(|row| row.ordering.clone()).collect();
    let left_out = match schedules.rows.iter().map(|r| r.too_large).max().unwrap_or(0) {
        0 => String::new(),
        n => format!(
            " Up to {} jobs that need more nodes than an ordering has were left out.",
            thousands(n as u64)
        ),
    };
    let jobs = schedules.rows.iter().map(|r| r.jobs as u64).max().unwrap_or(0);
    let allocator = match &schedules.allocator {
        Some(allocator) => words!["allocator ", bold(allocator)],
        None => words!["nodes chosen by the policy itself"],
    };
    let about = words![
        format!(
            "The {} jobs of {} were scheduled on each ordering with their times: policy ",
            thousands(jobs),
            schedules.trace
        ),
        bold(&schedules.policy),
        ", ",
        allocator,
        ", run-time model ",
        bold(&schedules.model),
        format!(
            ".{left_out} The rows differ in the ordering alone. Best first by mean response time; the best value \
             of each column is bold."
        ),
    ];
    let table = Table::ranked("Schedules by ordering", names, columns);
    let mut section = Section::new("scheduling", "Job queue", about, table);
    section.note = words![
        spread(&ranked),
        format!(
            " Policy {}. Model {}. How strongly run times depend on distance differs between applications: the \
             differences follow from this assumption. Give your own with ",
            schedules.rule, schedules.model_rule
        ),
        Part::Code("--model".into()),
        "."
    ];
    section
}

/// First against last, in a sentence.
fn spread(ranked: &[&OrderingSchedule]) -> Words {
    let (Some(first), Some(last)) = (ranked.first(), ranked.last()) else {
        return Words::default();
    };
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

    fn row(ordering: &str, mean_response: f64) -> OrderingSchedule {
        OrderingSchedule {
            ordering: ordering.into(),
            jobs: 3,
            too_large: 1,
            mean_wait: 1.5,
            mean_response,
            mean_bounded_slowdown: 1.0,
            utilisation: 0.5,
            makespan: 40.0,
            mean_stretch: 1.25,
            mean_mind: None,
        }
    }

    #[test]
    fn rows_keep_their_order_in_the_data_and_are_ranked_on_the_page() {
        let schedules = Schedules {
            trace: "t.swf".into(),
            policy: "easy".into(),
            allocator: Some("fifo:0".into()),
            model: "fixed".into(),
            rule: "easy".into(),
            model_rule: "fixed".into(),
            rows: vec![row("b,c", 20.0), row("<a>", 10.0)],
        };
        let mut out = Vec::new();
        write_csv(&mut out, &schedules).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "ordering,jobs,too_large,mean_wait,mean_response,mean_bounded_slowdown,utilisation,makespan,\
             mean_stretch,mean_mind\n\"b,c\",3,1,1.5,20,1,0.5,40,1.25,\n<a>,3,1,1.5,10,1,0.5,40,1.25,\n"
        );
        let section = section(&schedules).to_string();
        assert!(section.find("&#60;a&#62;").unwrap() < section.find("b,c").unwrap());
        assert!(section.contains("grows by 100.00\u{a0}%") && section.contains(">50.00<"));
    }
}
