//! Orderings of one machine compared by their curves: what `compare` and `throughput --sizes` have in common.

use std::io::Write;

use clap::Args;
use rayon::prelude::*;

use super::command_line::CommandLine;
use super::layout::print_sentence;
use super::notes::note;
use super::output::Output;
use super::{inputs, progress, slowdowns, tables};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc::{self, Curve};
use nodeorder_order::ordering;
use nodeorder_present::report::{self, WorkloadResults};

/// The orderings to compare.
#[derive(Debug, Args)]
pub struct OrderingArgs {
    /// An ordering: a name with options, or an ordering file; repeat for several
    /// [default: those that suit the machine]
    #[arg(long = "order", value_name = "ORD")]
    pub orders: Vec<String>,
    /// Also search for a good ordering: for the job sizes of a trace (log-uniform without one), within a budget such as
    /// time=10 (seconds) or steps=1000000
    // Without `=` the word behind it, often the machine, would be taken for the budget.
    #[arg(
        long,
        value_name = "BUDGET",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "time=10"
    )]
    pub optimise: Option<String>,
}

/// Ranks up to which all orderings are made at the same time: some take 100 bytes a rank while they are made.
const MADE_TOGETHER: usize = 1 << 25;

impl OrderingArgs {
    /// Makes the orderings; a search is for `sizes` of jobs, as an option of `optimise`.
    pub fn make_orderings(
        &self,
        topology: &Topology,
        sizes: &str,
    ) -> anyhow::Result<Vec<NodeOrder>> {
        let texts = match self.orders.as_slice() {
            [] => ordering::defaults::default_orderings(topology),
            given => given.to_vec(),
        };
        // Orderings of a large machine take minutes: too little memory for their curves shows before.
        inputs::check_curves(topology, &texts)?;
        let bar = progress::show_steps(texts.len() as u64, "orderings");
        // Equal orderings are dropped among the defaults only: what users name they want to see in the table.
        let mut orders = if self.orders.is_empty() {
            make_defaults(topology, &texts)?
        } else {
            inputs::make_orders(topology, &texts)?
        };
        bar.inc(texts.len() as u64);
        if let Some(budget) = &self.optimise {
            // A number alone is seconds.
            let key = if budget.contains('=') { "" } else { "time=" };
            let text = format!("optimise:weights=workload,{sizes},{key}{budget}");
            bar.set_message(text.clone());
            // After the others and by itself: its time counts on the clock, and other threads would take it.
            orders.push(inputs::make_order(topology, &text)?);
        }
        bar.finish_and_clear();
        NodeOrder::check_same_nodes(topology, &orders)?;
        Ok(orders)
    }

    /// Adds the search to a command line.
    pub fn add_search(&self, line: CommandLine) -> CommandLine {
        match &self.optimise {
            Some(budget) => line.add_argument(format!("--optimise={budget}")),
            None => line,
        }
    }
}

/// Makes default orderings; the first of those that are equal, as on many machines two methods give the same one.
fn make_defaults(topology: &Topology, texts: &[String]) -> anyhow::Result<Vec<NodeOrder>> {
    let made: Vec<NodeOrder> = if texts.len() * topology.node_count() <= MADE_TOGETHER {
        texts
            .par_iter()
            .map(|text| NodeOrder::make(topology, text))
            .collect::<Result<_, _>>()?
    } else {
        texts
            .iter()
            .map(|text| NodeOrder::make(topology, text))
            .collect::<Result<_, _>>()?
    };
    let mut distinct: Vec<NodeOrder> = Vec::new();
    for order in made {
        if distinct.iter().all(|other| other.nodes() != order.nodes()) {
            distinct.push(order);
        }
    }
    Ok(distinct)
}

/// Computes the curves of orderings, or what is kept of them. Windows that are left out are said on standard error.
pub fn compute_curves<T: From<Curve> + Send>(
    topology: &Topology,
    orders: &[NodeOrder],
) -> anyhow::Result<Vec<T>> {
    let bar = progress::show_steps(orders.len() as u64, "comparing");
    let made = mpc::curves(topology, orders, |order, curve| {
        bar.set_message(order.label().to_string());
        bar.inc(1);
        // Callers without a plot keep means only: whole curves of many orderings fill the memory of a large machine.
        (curve.spanning_share(), T::from(curve))
    })?;
    bar.finish_and_clear();
    // Notes come after the bar is gone, in the order of the orderings rather than of the threads.
    let mut curves = Vec::with_capacity(made.len());
    for (order, (spanning, curve)) in orders.iter().zip(made) {
        if let Some(share) = spanning {
            let label = order.label();
            note!(
                "{label}: {:.1} % of windows span components: left out",
                100.0 * share
            );
        }
        curves.push(curve);
    }
    Ok(curves)
}

/// Prints the ranked table and the tables of a workload, as far as there are any.
pub fn print_comparison(
    out: &mut Output,
    comparison: &Comparison,
    results: &WorkloadResults<'_>,
) -> anyhow::Result<()> {
    let lost = report::lost(comparison, results);
    if !lost.is_empty() {
        print_sentence(out, &lost)?;
        writeln!(out)?;
    }
    if let Some(saved) = results.schedules.as_ref().map(report::saved) {
        writeln!(out, "{saved}\n")?;
    }
    tables::write_comparison(out, comparison)?;
    if let Some(advice) = &results.advice {
        slowdowns::print_slowdowns(out, advice, comparison)?;
    }
    if let Some(prediction) = &results.prediction {
        tables::write_prediction(out, prediction)?;
    }
    if let Some(schedules) = &results.schedules {
        tables::write_schedules(out, schedules)?;
    }
    Ok(())
}
