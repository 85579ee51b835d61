//! A trace's schedules on several orderings: a section of the page and a table of the data.

use std::io::{self, Write};

use super::words::fixed;
use crate::columns::Table;
use crate::columns::comparison::{SCHEDULE, SCHEDULED};
use crate::plot::{escape, thousands};
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
    let mut table = Table::rows(out);
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
pub(super) fn section(schedules: &Schedules) -> String {
    let mut ranked: Vec<&OrderingSchedule> = schedules.rows.iter().collect();
    ranked.sort_by(|a, b| a.mean_response.total_cmp(&b.mean_response));
    let heads: String = (COLUMNS.iter().enumerate())
        .map(|(i, c)| format!("<th scope=\"col\" data-column=\"{}\">{}</th>", i + 2, c.title))
        .collect();
    // Shares are per cent on the page.
    let shown = |c: &Column, row: &OrderingSchedule| {
        c.figure(row).map(|v| if c.name == "utilisation" { 100.0 * v } else { v })
    };
    let best: Vec<f64> = (COLUMNS.iter())
        .map(|c| {
            let values = ranked.iter().filter_map(|row| shown(c, row));
            match c.low {
                true => values.fold(f64::INFINITY, f64::min),
                false => values.fold(f64::NEG_INFINITY, f64::max),
            }
        })
        .collect();
    let body: String = (ranked.iter().enumerate())
        .map(|(rank, row)| {
            let cells: String = (COLUMNS.iter().zip(&best))
                .map(|(c, best)| match shown(c, row) {
                    Some(value) => {
                        let class = if value == *best { " class=\"low\"" } else { "" };
                        let text = fixed(value, c.decimals);
                        format!("<td data-value=\"{value}\"{class}>{text}</td>")
                    }
                    None => "<td data-value=\"\">–</td>".into(),
                })
                .collect();
            let label = escape(&row.ordering);
            format!(
                "<tr><td>{}</td><th scope=\"row\" class=\"text\" data-value=\"{label}\">{label}</th>{cells}</tr>\n",
                rank + 1
            )
        })
        .collect();
    let too_large = schedules.rows.iter().map(|r| r.too_large).max().unwrap_or(0);
    let left_out = match too_large {
        0 => String::new(),
        n => format!(" Up to {} jobs larger than an ordering were left out.", thousands(n as u64)),
    };
    let jobs = schedules.rows.iter().map(|r| r.jobs as u64).max().unwrap_or(0);
    let allocator = match &schedules.allocator {
        Some(allocator) => format!("allocator <b>{}</b>", escape(allocator)),
        None => "nodes chosen by the policy itself".into(),
    };
    format!(
        "<section aria-labelledby=\"scheduling\">\n<h2 id=\"scheduling\">How the queue fares</h2>\n<p>The {jobs} jobs \
         of {trace} were scheduled on each ordering with their times: policy <b>{policy}</b>, {allocator}, run-time \
         model <b>{model}</b>.{left_out} What differs between the rows is the ordering alone. Best first by mean \
         response; the best of each column is bold.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Schedules by ordering\"><table class=\"sortable\">\n<thead><tr><th scope=\"col\" \
         data-column=\"0\" aria-sort=\"ascending\">Rank</th><th scope=\"col\" data-column=\"1\" \
         class=\"text\">Ordering</th>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n<p \
         class=\"note\">{told} Policy {rule}. Model {model_rule}. How strongly run times follow distance \
         depends on the applications: read the differences as what this assumption implies, or give your \
         own with --model.</p>\n</section>\n",
        jobs = thousands(jobs),
        trace = escape(&schedules.trace),
        policy = escape(&schedules.policy),
        model = escape(&schedules.model),
        told = told(&ranked),
        rule = escape(&schedules.rule),
        model_rule = escape(&schedules.model_rule),
    )
}

/// First against last, in a sentence.
fn told(ranked: &[&OrderingSchedule]) -> String {
    let (Some(first), Some(last)) = (ranked.first(), ranked.last()) else { return String::new() };
    if first.mean_response == last.mean_response {
        return "Under this policy and model the orderings make no difference to the queue.".into();
    }
    format!(
        "From the best ordering to the last, mean response grows by {}\u{a0}% and mean wait from {} to {} s.",
        fixed(100.0 * (last.mean_response / first.mean_response - 1.0), 2),
        fixed(first.mean_wait, 1),
        fixed(last.mean_wait, 1),
    )
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
        let section = section(&schedules);
        assert!(section.find("&lt;a&gt;").unwrap() < section.find("b,c").unwrap());
        assert!(section.contains("grows by 100.00\u{a0}%") && section.contains(">50.00<"));
    }
}
