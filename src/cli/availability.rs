//! `nodeorder availability`: how many racks are up, and how many spare ones a promise takes.

use clap::Args;
use serde_json::json;

use crate::shared::inputs;
use crate::shared::notes::note;
use crate::shared::output::{self, Output};
use crate::shared::tables::write_section;
use nodeorder_network::{Context, Topology};
use nodeorder_order::metric::availability::{Availability, AvailabilityQuestion, NODE};

/// Compute how many racks or groups are up, and the spares that a promise takes
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder availability xgft:m=18x128,w=1x1 --need 16/18 --node 0.995 --slices 1,8,32 --promise 126:0.99"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// The level whose units count, such as rack [default: the innermost whose units have several nodes]
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,
    /// Nodes that a unit of N needs to be up; units of other sizes need the same share, rounded up [default: all]
    #[arg(long, value_name = "M/N")]
    need: Option<String>,
    /// Share of the time in which a node is up [default: 0.995]
    #[arg(long, value_name = "A")]
    node: Option<f64>,
    /// Instead of --node: mean time between failures of a node, such as 5y
    #[arg(long, value_name = "TIME", requires = "mttr", conflicts_with = "node")]
    mtbf: Option<String>,
    /// Mean time to repair a node, such as 12h
    #[arg(long, value_name = "TIME", requires = "mtbf")]
    mttr: Option<String>,
    /// Share of the time in which a switch is up; each unit of each level has one [default: 1]
    #[arg(long, value_name = "A")]
    switch: Option<f64>,
    /// Units that a job takes: what share of the machine such jobs can use
    #[arg(long, value_name = "J,…", value_delimiter = ',')]
    slices: Vec<usize>,
    /// Find the fewest units to add so that U are up with probability P
    #[arg(long, value_name = "U:P")]
    promise: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = inputs::build_topology(&self.spec, context)?;
        let question = AvailabilityQuestion {
            level: self.level.as_deref(),
            need: self.need.as_deref(),
            node: self.node,
            times: self
                .mtbf
                .as_deref()
                .zip(self.mttr.as_deref())
                .map(<[&str; 2]>::from),
            switch: self.switch,
            slices: &self.slices,
            promise: self.promise.as_deref(),
        };
        let found = Availability::compute(&topology, &question)?;
        // Everything else follows from it: who gave none has to know.
        if self.node.is_none() && self.mtbf.is_none() {
            note!("--node {NODE} is assumed: say how often your nodes are up");
        }
        if self.json {
            // The figures are the library's; what they are of stands beside them.
            let mut document = json!(found);
            document["topology"] = topology.spec().into();
            document["version"] = env!("CARGO_PKG_VERSION").into();
            return output::write_json(None, &document);
        }
        self.write_tables(&found, &topology)
    }

    /// Prints how many units are up, what jobs of several get, and the spares.
    fn write_tables(&self, found: &Availability, topology: &Topology) -> anyhow::Result<()> {
        let mut out = Output::open(None)?;
        let level = &found.level;
        let about = format!(
            "{}: {} units of the level {level}, of up to {} nodes each, of which {} must be up. A node is up for {:.4} % of \
             the time.",
            topology.name(),
            found.units,
            found.nodes,
            found.need,
            100.0 * found.node
        );
        let rows = [
            (
                "probability that a unit is up",
                format!("{:.4}", found.unit_availability),
            ),
            (
                "units up, on average",
                format!("{:.2}", found.expected_units),
            ),
            (
                "units up with probability 0.95",
                found.units_at_95.to_string(),
            ),
            (
                "units up with probability 0.99",
                found.units_at_99.to_string(),
            ),
        ];
        let spares = found.spares.zip(self.promise.as_deref());
        let spares = spares
            .map(|(units, promise)| (format!("units to add for {promise}"), units.to_string()));
        let rows = rows.map(|(what, figure)| (what.to_string(), figure));
        let rows = rows.into_iter().chain(spares).map(<[String; 2]>::from);
        write_section(&mut out, &about, ["what", "figure"], rows, [1, 2])?;
        // Without --slices there is nothing to show.
        if !found.goodput.is_empty() {
            let about = "Jobs of so many units: the mean share of the machine that they use where they take any units that are up, and the share of \
                 the time in which fixed slices are up.";
            let rows = found.goodput.iter().map(|row| {
                [
                    row.units.to_string(),
                    format!("{:.4}", row.any),
                    format!("{:.4}", row.fixed),
                ]
            });
            write_section(&mut out, about, ["units", "any", "fixed"], rows, [0, 3])?;
        }
        out.finish()
    }
}
