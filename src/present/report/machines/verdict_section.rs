//! Which offer is best at what: a table by criterion, and a picture of cost against what it buys.

use crate::machines::{Machines, Verdict};
use crate::plot::{self, OfferPanel};
use crate::report::html::{Column, Figure, Section, Table};
use nodeorder_base::Result;

/// Makes the section of which machine is best at what: a row a criterion, a column a machine.
pub fn verdict_section(machines: &Machines) -> Result<Section> {
    let verdict = machines.judge_offers();
    let offers = machines.contenders[..machines.compared].iter().enumerate();
    let columns = offers.map(|(i, offer)| {
        let criteria = verdict.criteria.iter();
        // Where machines differ in size, some figures follow from that: a star says enough.
        let cells = criteria.map(|criterion| {
            let best = machines.is_even() && criterion.best.contains(&i);
            (criterion.cell_text(i), best)
        });
        Column::marked_figures(offer.machine.name(), cells)
    });
    let columns = columns.collect();
    let names = verdict
        .criteria
        .iter()
        .map(|criterion| criterion.figure.clone());
    let table = Table::new("By criterion", "Criterion", names.collect(), columns);
    let about =
        "A star marks the best of a row: several where they tie or where their ranges overlap.";
    let mut section = Section::new("verdict", "Which is best at what", about, table);
    section.figures.extend(draw_offers(machines, &verdict)?);
    Ok(section)
}

/// Draws what offers give against what they cost. `None` without prices or a second offer.
fn draw_offers(machines: &Machines, verdict: &Verdict) -> Result<Option<Figure>> {
    let find = |best: &str| verdict.criteria.iter().find(|c| c.best_is == best);
    let Some(cost) = find("cheapest").filter(|_| machines.compared > 1) else {
        return Ok(None);
    };
    let costs = cost.list_certain();
    // Throughput is known where it was searched; a cut of the machine in two says less.
    let wide = find("fastest for all-to-all").or_else(|| find("widest in the middle"));
    // Distance on the left is always known.
    let mut panels = Vec::new();
    for criterion in find("closest").into_iter().chain(wide) {
        panels.push(OfferPanel {
            figure: criterion.figure.clone(),
            higher_is_better: criterion.higher_is_better,
            points: costs
                .iter()
                .copied()
                .zip(criterion.list_certain())
                .collect(),
        });
    }
    let offers = machines.contenders[..machines.compared].iter();
    let names = offers.map(|offer| offer.machine.name()).collect();
    let drawn = plot::plot_offers(names, cost.figure.clone(), panels);
    let caption = "Cost against distance (lower is better) and bandwidth (higher is better); of \
        a range its worse end.";
    Ok(Some(Figure::from_drawing("offers.svg", caption, drawn)?))
}
