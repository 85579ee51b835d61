//! The section of an audit's page about the jobs that lie farthest apart.

use super::groups::date;
use crate::plot::machine;
use crate::report::html::{Best, Column, Figure, Section, Table, words};
use nodeorder_base::error::Result;
use nodeorder_jobs::audit::{Audit, Score, Worst};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// The worst jobs, the first of them drawn on the machine; none where no job has several nodes.
pub(super) fn worst(audit: &Audit, topology: &Topology) -> Result<Option<Section>> {
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
