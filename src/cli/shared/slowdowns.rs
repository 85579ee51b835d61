//! Slowdowns of the orderings that `compare` ranks, and of those that trade distance for bandwidth.

use std::io::Write;

use clap::Args;

use super::command_line::CommandLine;
use super::inputs::split_name;
use super::layout::{fit_to_terminal, print_sentence};
use super::notes::note;
use super::output::Output;
use super::{progress, tables};
use nodeorder_base::{Error, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_present::report::Advice;
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::slowdown::{
    GUESTS, GuestSlowdowns, SlowdownComparison, SlowdownOptions, Slowdowns, Tilings,
    choose_routing, parse_duty, parse_tilings,
};

/// Nodes up to which slowdowns are measured unasked: on larger machines random orders take minutes.
const UNASKED: usize = 1 << 15;

#[derive(Debug, Default, Args)]
pub struct SlowdownArgs {
    /// What a job's processes send to each other, for any number of nodes; repeat for several [default: all-to-all,
    /// stencil3d and ring]
    #[arg(long = "guest", value_name = "GUEST")]
    pub guests: Vec<String>,
    /// Which links traffic takes (see `nodeorder list routings`) [default: dimension-order on grids, else ecmp-hop]
    #[arg(long, value_name = "R")]
    pub routing: Option<String>,
    /// Share of the time in which the other jobs send, from 0 to 1 [default: 0.2]
    #[arg(long, value_parser = |text: &str| parse_duty(text).map_err(|e| e.to_string()))]
    pub duty: Option<f64>,
    /// Ways to cut the ranks into jobs of one size: 1, 2 or 4 [default: 2]
    #[arg(long, value_parser = |text: &str| parse_tilings(text).map_err(|e| e.to_string()))]
    pub tilings: Option<Tilings>,
}

impl SlowdownArgs {
    /// Measures the slowdowns of `orders`. Where these are the `defaults`, orders that trade distance for bandwidth are
    /// tried, too; one that is best for some guest joins `orders`. `None` where it was not asked for and takes too
    /// long or too much memory, which standard error says.
    pub fn measure_orders(
        &self,
        topology: &Topology,
        orders: &mut Vec<NodeOrder>,
        defaults: bool,
    ) -> anyhow::Result<Option<SlowdownComparison>> {
        let nodes = orders.iter().map(NodeOrder::len).max().unwrap_or(0);
        let asked = !self.guests.is_empty()
            || self.routing.is_some()
            || self.duty.is_some()
            || self.tilings.is_some();
        if nodes < 2 {
            return Ok(None);
        }
        if !asked && nodes > UNASKED {
            note!("slowdowns are not measured beyond {UNASKED} nodes unless --guest asks for them");
            return Ok(None);
        }
        match self.measure(topology, orders, defaults) {
            Err(error @ Error::Memory { .. }) if !asked => {
                note!("slowdowns are left out: {error}");
                Ok(None)
            }
            found => Ok(Some(found?)),
        }
    }

    fn measure(
        &self,
        topology: &Topology,
        orders: &mut Vec<NodeOrder>,
        defaults: bool,
    ) -> Result<SlowdownComparison> {
        let fabric = Fabric::with_components(topology)?;
        let slowdowns = Slowdowns::new(&fabric, self.choose_options(topology)?)?;
        let guests = self.choose_guests();
        let bar = progress::show_steps((orders.len() * guests.len()) as u64, "slowdown");
        let report = |label: &str, guest: &str| {
            bar.set_message(format!("{label} {guest}"));
            bar.inc(1);
        };
        let mut found = slowdowns.compare_orders(orders, &guests, &report)?;
        if defaults {
            // How many more there are to try is not known before.
            found.add_traders(&slowdowns, topology, orders, &|label, guest| {
                bar.set_message(format!("{label} {guest}"));
            })?;
        }
        bar.finish_and_clear();
        for guest in &found.guests {
            check_guest(guest, !self.guests.is_empty())?;
        }
        Ok(found)
    }

    /// Chooses what slowdowns are measured with on a machine.
    ///
    /// # Errors
    /// An unknown routing.
    pub fn choose_options(&self, topology: &Topology) -> Result<SlowdownOptions> {
        let mut options = SlowdownOptions::new(choose_routing(topology, self.routing.as_deref())?);
        options.duty = self.duty.unwrap_or(options.duty);
        options.tilings = self.tilings.unwrap_or(options.tilings);
        Ok(options)
    }

    /// Lists the guests that were named, or the usual ones if none were.
    pub fn choose_guests(&self) -> Vec<&str> {
        if self.guests.is_empty() {
            return GUESTS.to_vec();
        }
        self.guests.iter().map(String::as_str).collect()
    }
}

/// Checks that a guest that was named exists at some size, and says what is left out.
fn check_guest(guest: &GuestSlowdowns, named: bool) -> Result<()> {
    let left_out: u64 = guest.curves.iter().map(|curve| curve.left_out).sum();
    if left_out > 0 {
        note!(
            "{}: {left_out} windows left out: they span components, or send nothing over node links",
            guest.guest
        );
    } else if named && guest.curves.iter().all(|curve| curve.points.is_empty()) {
        let found = format!("`{}`", guest.guest);
        return Err(Error::option(
            "--guest",
            found,
            "traffic for any number of nodes, such as ring",
        ));
    }
    Ok(())
}

/// Prints the table of slowdowns and what to take for which traffic.
pub fn print_slowdowns(
    out: &mut Output,
    advice: &Advice,
    comparison: &Comparison,
) -> anyhow::Result<()> {
    if let Some(compared) = &advice.slowdowns {
        write_table(out, compared)?;
    }
    for verdict in advice.verdicts(comparison) {
        print_sentence(out, &verdict)?;
    }
    if advice.slowdowns.is_some() && advice.current.is_none() {
        let assumed = "Present order: taken to be row-major (--current ORD says another).";
        print_sentence(out, assumed)?;
    }
    for install in &advice.installs {
        // The present order needs no command.
        let command = install.command.as_ref();
        let end = command.map_or(".".into(), |command| format!(": {command}"));
        print_sentence(out, &format!("{} {}{end}", install.lead, install.order))?;
    }
    Ok(())
}

/// Builds the command that installs `order` on the machine `argument`, a SPEC or NAME=SPEC.
pub fn install_command(argument: &str, comparison: &Comparison, order: &str) -> String {
    // As `k8s-nodes` in `k8s-nodes:nodes.json`: whoever reads the machine there schedules there.
    let kind = comparison.topology.spec.split(':').next();
    let (target, file) = match kind {
        Some("k8s-nodes") => ("kueue", "topology.yaml"),
        Some("jgf") => ("flux", "flux.toml"),
        _ => ("slurm-lines", "nodes.conf"),
    };
    let command = CommandLine::new("export")
        .add_argument(split_name(argument).1)
        .add_option("--order", [order])
        .add_option("--to", [target])
        .add_option("-o", [file]);
    command.to_string()
}

/// Writes the table of slowdowns.
fn write_table(out: &mut Output, compared: &SlowdownComparison) -> anyhow::Result<()> {
    writeln!(out)?;
    let about = format!(
        "How many times as long communication takes as on a network that never blocks (routing {}): the log-spaced mean while \
         the other jobs send {:.0} % of the time, and all of it. Lower is better.",
        compared.routing,
        100.0 * compared.duty
    );
    print_sentence(out, &about)?;
    writeln!(out)?;
    let mut header = vec!["ordering".to_string()];
    for guest in &compared.guests {
        header.extend([guest.guest.clone(), format!("{}, all", guest.guest)]);
    }
    let mut rows = Vec::new();
    for (i, label) in compared.orderings.iter().enumerate() {
        let mut row = vec![label.clone()];
        for guest in &compared.guests {
            let curve = &guest.curves[i];
            let means = [
                curve.log_uniform_mean(|p| p.mixed),
                curve.log_uniform_mean(|p| p.all),
            ];
            row.extend(means.map(|mean| tables::format_number(mean, 2)));
        }
        rows.push(row);
    }
    let table = tables::lay_out_table(header, rows, 1);
    writeln!(out, "{}\n", fit_to_terminal(table, 1, &std::io::stdout()))?;
    Ok(())
}
