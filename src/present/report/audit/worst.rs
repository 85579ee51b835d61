//! The section of an audit's page about the jobs that lie farthest apart.

use super::groups::format_date;
use crate::plot::{NodeGroup, plot_groups};
use crate::report::html::{Column, Figure, Section, Table};
use nodeorder_base::{NodeId, Result};
use nodeorder_jobs::audit::Audit;
use nodeorder_network::Topology;

/// Makes the section of the worst jobs, the first of them drawn on the machine. `None` if no job has several nodes.
pub fn worst_section(audit: &Audit, topology: &Topology) -> Result<Option<Section>> {
    let jobs = &audit.worst;
    let Some(first) = jobs.first() else {
        return Ok(None);
    };
    let mut columns = vec![
        Column::counts("Nodes", jobs.iter().map(|job| job.score.size.into())),
        Column::unranked_figures(
            "Mean distance (hops)",
            3,
            jobs.iter().map(|job| job.score.mean_hops),
        ),
    ];
    for (i, level) in audit.levels.iter().enumerate() {
        columns.push(Column::counts(
            format!("Spans {level}"),
            jobs.iter().map(|job| job.score.spanned[i].into()),
        ));
        columns.push(Column::counts(
            format!("Fewest {level}"),
            jobs.iter().map(|job| job.score.fewest[i].into()),
        ));
    }
    // Days are counted from the first job that started.
    let begin = audit.placements[0]
        .sums_by_period(1)
        .first()
        .map_or(0, |(from, _)| *from);
    let started = jobs.iter().map(|job| {
        job.start
            .map_or("–".into(), |start| format_date(start, begin, 1))
    });
    columns.push(Column::names("Started", started));
    let names = jobs.iter().map(|job| job.job.clone()).collect();
    let table = Table::new("Worst jobs", "Job", names, columns);
    let about = match audit.levels.first() {
        Some(level) => format!(
            "Recorded jobs that span the most units of the level {level} beyond the fewest, then \
             those that lie farthest apart."
        ),
        None => "Recorded jobs whose nodes lie farthest apart.".into(),
    };
    let mut section = Section::new("worst", "The worst jobs", about, table);
    // The others are drawn, too: where a job could have been says how far it is spread.
    let is_own = |node: &NodeId| first.nodes.contains(node);
    let (own, others): (Vec<_>, Vec<_>) = topology.nodes().iter().partition(is_own);
    let job = format!("job {}", first.job);
    let groups = [
        NodeGroup::new(&job, Some(0), own),
        NodeGroup::new("other", None, others),
    ];
    let title = format!("{job} on {}", topology.name());
    let caption = format!("The nodes of {job}, the first of the table, on the machine.");
    let figure = Figure::from_drawing(
        "worst-job.svg",
        caption,
        plot_groups(topology, &title, &groups),
    )?;
    section.figures.push(figure);
    Ok(Some(section))
}
