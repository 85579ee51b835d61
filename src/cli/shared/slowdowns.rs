//! Slowdowns of the orderings that `compare` ranks, and of those that trade distance for bandwidth.

use std::io::Write;

use clap::Args;

use super::layout::{fit_to_terminal, print_sentence};
use super::notes::note;
use super::output::Output;
use super::progress::{self, Bar};
use super::tables;
use nodeorder_base::error::{Error, Result};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_present::report::Advice;
use nodeorder_traffic::mapping::{Fabric, FixedRouting};
use nodeorder_traffic::slowdown::{
    GuestSlowdowns, SlowdownComparison, SlowdownOptions, Slowdowns, Tilings, power_sizes,
};

/// Guests of jobs unless some are named.
pub const GUESTS: [&str; 3] = ["all-to-all", "stencil3d", "ring"];

/// Nodes up to which slowdowns are measured unasked: on larger machines random orders take minutes.
const UNASKED: usize = 1 << 15;

#[derive(Debug, Default, Args)]
pub struct SlowdownArgs {
    /// What the nodes of a job send to each other, for any number of nodes; repeat for several (with --trace one,
    /// which is simulated for every job, too) [default: all-to-all, stencil3d and ring]
    #[arg(long = "guest", value_name = "PATTERN")]
    pub guests: Vec<String>,
    /// Which links that traffic takes; `nodeorder list routings` names them
    /// [default: dimension-order on grids, else ecmp-hop]
    #[arg(long, value_name = "R")]
    pub routing: Option<String>,
    /// Share of the time in which the other jobs send, from 0 to 1 [default: 0.2]
    #[arg(long, value_name = "DUTY")]
    pub duty: Option<f64>,
    /// Ways to cut the ranks into jobs of one size: 1, 2 or 4 [default: 2]
    #[arg(long, value_name = "TILINGS")]
    pub tilings: Option<u32>,
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
        let mut options = SlowdownOptions::new(self.choose_routing(topology)?);
        options.duty = self.duty.unwrap_or(options.duty);
        if let Some(tilings) = self.tilings {
            options.tilings = Tilings::new(tilings)?;
        }
        let fabric = Fabric::with_components(topology)?;
        let slowdowns = Slowdowns::new(&fabric, options)?;
        let guests: Vec<&str> = if self.guests.is_empty() {
            GUESTS.to_vec()
        } else {
            self.guests.iter().map(String::as_str).collect()
        };
        let bar = progress::show_steps((orders.len() * guests.len()) as u64, "slowdown");
        let report = |label: &str, guest: &str| {
            bar.set_message(format!("{label} {guest}"));
            bar.inc(1);
        };
        let mut found =
            SlowdownComparison::measure_orders(&slowdowns, &options, orders, &guests, &report)?;
        if defaults {
            add_traders(&slowdowns, topology, orders, &mut found, &bar)?;
        }
        bar.finish_and_clear();
        for guest in &found.guests {
            check_guest(guest, !self.guests.is_empty())?;
        }
        Ok(found)
    }

    /// Finds the routing asked for; unless one is, the natural one of the machine.
    fn choose_routing(&self, topology: &Topology) -> Result<FixedRouting> {
        if let Some(name) = &self.routing {
            return FixedRouting::find_by_name(name);
        }
        let along_axes = FixedRouting::find_by_name("dimension-order")?;
        if along_axes.works_on(topology) {
            return Ok(along_axes);
        }
        FixedRouting::find_by_name("ecmp-hop")
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

/// Tries orders that trade distance for bandwidth: routers in random order, and K nodes of each outermost unit in turn.
/// One that is best for some guest joins the others.
fn add_traders(
    slowdowns: &Slowdowns<'_>,
    topology: &Topology,
    orders: &mut Vec<NodeOrder>,
    found: &mut SlowdownComparison,
    bar: &Bar,
) -> Result<()> {
    for family in list_traders(topology) {
        // A unit may have fewer nodes than places.
        let made = family
            .iter()
            .filter_map(|text| NodeOrder::make(topology, text).ok());
        let made: Vec<NodeOrder> = made.collect();
        // Of a family the best for each guest, by fewer sizes: two octaves apart.
        let mut chosen: Vec<usize> = Vec::new();
        for guest in &found.guests {
            let mut means = Vec::new();
            for order in made.iter().filter(|_| made.len() > 1) {
                bar.set_message(format!("{} {}", order.label(), guest.guest));
                let sizes: Vec<usize> = (1..15)
                    .map(|i| 1 << (2 * i))
                    .take_while(|s| *s <= order.len())
                    .collect();
                let curve = slowdowns.measure_curve(order, &guest.guest, &sizes)?;
                means.push(
                    curve
                        .log_uniform_mean(|point| point.mixed)
                        .unwrap_or(f64::INFINITY),
                );
            }
            let lowest = (0..means.len()).min_by(|a, b| means[*a].total_cmp(&means[*b]));
            chosen.push(lowest.unwrap_or(0));
        }
        chosen.sort_unstable();
        chosen.dedup();
        for i in chosen {
            let Some(order) = made.get(i) else {
                continue;
            };
            if orders.iter().any(|other| other.nodes() == order.nodes()) {
                continue;
            }
            let sizes = power_sizes(order.len());
            let mut curves = Vec::new();
            for guest in &found.guests {
                bar.set_message(format!("{} {}", order.label(), guest.guest));
                curves.push(slowdowns.measure_curve(order, &guest.guest, &sizes)?);
            }
            let mut with = found.clone();
            with.add_ordering(order.label(), curves);
            let last = with.orderings.len() - 1;
            let best = with
                .guests
                .iter()
                .map(|guest| guest.find_best(|point| point.mixed));
            if best.into_iter().any(|best| best == Some(last)) {
                *found = with;
                orders.push(order.clone());
            }
        }
    }
    Ok(())
}

/// Lists orders that trade distance for bandwidth, in families of which the best member counts.
fn list_traders(topology: &Topology) -> Vec<Vec<String>> {
    let mut families = Vec::new();
    if topology.network().per_router() > 1 {
        families.push(vec!["random:unit=router".to_string()]);
    }
    let level = topology.level_table().into_iter().next();
    if let Some(level) = level.filter(|level| level.units > 1) {
        // With all nodes of a unit it is `hierarchical`.
        let counts = (0..32)
            .map(|i| 1u64 << i)
            .take_while(|count| *count < level.nodes);
        families.push(
            counts
                .map(|count| format!("hierarchical:scatter={count}"))
                .collect(),
        );
    }
    families
}

/// Prints the table of slowdowns and what to take for which traffic.
pub fn print_slowdowns(out: &mut Output, advice: &Advice) -> anyhow::Result<()> {
    let Some(compared) = &advice.slowdowns else {
        return Ok(());
    };
    writeln!(out)?;
    let about = format!(
        "How many times as long communication takes as on a network that never blocks (routing {}): the log-spaced mean while \
         the other jobs send {:.0}% of the time, and all of it. Lower is better.",
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
    for verdict in advice.verdicts() {
        print_sentence(out, &verdict)?;
    }
    if advice.current.is_none() {
        print_sentence(
            out,
            "Present order: taken to be row-major (--current ORD says another).",
        )?;
    }
    Ok(())
}
