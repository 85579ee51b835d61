//! `nodeorder map`: what a placed guest does to a machine's links.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{ArgGroup, Args};
use serde_json::{Value, json};

use super::layout::field;
use super::mpc::{PlotKind, plot_kind};
use super::output::{self, Output};
use crate::ids::NodeId;
use crate::input::Text;
use crate::mapping::{self, Analysis, Fabric, Guest, ProcessMapping, RoutingEntry, method};
use crate::ordering::NodeOrder;
use crate::plot::{self, Mapped};
use crate::topology::{Context, Topology};

/// Analyse how far an application's traffic goes and which links carry it
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("where").required(true).args(["mapping", "order"]),
    after_help = "Example: nodeorder map torus:8x8x8 --guest stencil:8x8x8 --order hilbert --routing ecmp-hop"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…
    spec: String,
    /// The traffic: a pattern such as stencil:8x8x8, or a .csv, .mtx, .grf or .mat file
    #[arg(long)]
    guest: String,
    /// Where processes run: a CSV file of process,node
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Process i runs on rank i: an ordering's name with options, or an ordering file
    #[arg(long, value_name = "ORD")]
    order: Option<String>,
    /// Which links traffic takes; `nodeorder list routings` names them
    #[arg(long, value_name = "R", default_value = "ecmp-hop")]
    routing: String,
    /// Put the processes on the same nodes anew: rank, bisection, greedy or refine, with options
    #[arg(long, value_name = "METHOD")]
    map: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write the load of every directed link to FILE as CSV, u,v,load (before division by capacity)
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,
    /// Write the mapping to FILE as CSV, process,node
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw link loads, dilation and traffic
    #[arg(long, value_name = "FILE.svg|.png")]
    plot: Option<PathBuf>,
}

/// Links that are named.
const BUSIEST: usize = 10;
/// Bars of the contention histogram.
const BARS: usize = 20;

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let plot_kind = self.plot.as_deref().map(plot_kind).transpose()?;
        let routing = RoutingEntry::named(&self.routing)?;
        let topology = super::load(&self.spec, context)?;
        routing.check(&topology)?;
        let guest = Guest::make(&self.guest, context)?;
        let (ranks, placement) = self.place(&topology, &guest)?;
        let fabric = Fabric::new(&topology)?;
        let analysis = mapping::analyse(&fabric, &guest, &placement, routing)?;
        if let Some(path) = &self.links {
            write_links(&fabric, &analysis, path)?;
        }
        if let Some(path) = &self.output {
            output::write(Some(path), placement.to_file().as_bytes())?;
        }
        if let (Some(path), Some(kind)) = (&self.plot, plot_kind) {
            let mapped = Mapped {
                fabric: &fabric,
                guest: &guest,
                placement: &placement,
                ranks: &ranks,
                routing: routing.name,
                analysis: &analysis,
            };
            let picture = match kind {
                PlotKind::Svg => plot::mapping(&mapped)?.into_bytes(),
                PlotKind::Png => plot::mapping_png(&mapped)?,
            };
            output::write(Some(path), &picture)?;
        }
        let mut document = figures(&fabric, &analysis);
        document["version"] = json!(env!("CARGO_PKG_VERSION"));
        document["topology"] = json!(topology.spec());
        document["guest"] = json!(guest.label());
        document["processes"] = json!(guest.processes());
        document["mapping"] = json!(placement.label());
        document["order"] = json!(self.order);
        document["routing"] = json!(routing.name);
        if self.json {
            return output::write(None, format!("{document:#}\n").as_bytes());
        }
        let mut out = Output::open(None)?;
        write_table(&mut out, &document)?;
        out.finish()
    }

    /// The nodes in rank order, and the placement on them.
    fn place(
        &self,
        topology: &Topology,
        guest: &Guest,
    ) -> anyhow::Result<(Vec<NodeId>, ProcessMapping)> {
        let (ranks, given) = match (&self.order, &self.mapping) {
            (Some(order), _) => {
                let order = NodeOrder::make(topology, order)?;
                let placement = ProcessMapping::in_order(guest, &order)?;
                (placement.nodes().to_vec(), placement)
            }
            (None, path) => {
                let path = path.as_deref().unwrap_or(Path::new("-"));
                let text = Text::read(path, topology.context().memory)?;
                let placement = ProcessMapping::read(topology, guest, &text)?;
                (placement.allocation(), placement)
            }
        };
        Ok(match &self.map {
            Some(text) => {
                let placement = method::place(topology, guest, given.nodes(), text)?;
                (ranks, placement)
            }
            None => (ranks, given),
        })
    }
}

fn write_links(fabric: &Fabric<'_>, analysis: &Analysis, path: &Path) -> anyhow::Result<()> {
    let mut out = Output::open(Some(path))?;
    let mut write = || -> std::io::Result<()> {
        writeln!(out, "u,v,load")?;
        for (u, v, link) in fabric.links.iter() {
            writeln!(out, "{u},{v},{}", analysis.contention.loads[link])?;
        }
        Ok(())
    };
    write().with_context(|| output::name(Some(path)))?;
    out.finish()
}

/// Every figure of the analysis.
fn figures(fabric: &Fabric<'_>, analysis: &Analysis) -> Value {
    let Analysis { dilation, contention, allocation, share_between_routers } = analysis;
    let links = &fabric.links;
    let busiest = contention.busiest(links, BUSIEST);
    let busiest = busiest.into_iter().map(|link| {
        let (u, v) = links.ends(link);
        let [from, to] = [u, v].map(|r| fabric.router_name(r));
        let (load, capacity) = (contention.loads[link], links.capacity(link));
        json!({"u": u, "v": v, "from": from, "to": to, "load": load, "capacity": capacity,
               "contention": load / capacity})
    });
    let bars = contention.histogram(links, BARS);
    let bars = bars.iter().map(|b| json!({"from": b.from, "to": b.to, "links": b.links}));
    let hops = dilation.histogram.iter().enumerate();
    let hops =
        hops.map(|(h, (pairs, volume))| json!({"hops": h, "pairs": pairs, "volume": volume}));
    json!({
        "pairs": dilation.pairs,
        "volume": dilation.volume,
        "dilation_max": dilation.max,
        "dilation_mean": dilation.mean,
        "dilation_mean_pairs": dilation.mean_pairs,
        "dilation_histogram": hops.collect::<Vec<_>>(),
        "hop_bytes": dilation.hop_bytes,
        "share_between_routers": share_between_routers,
        "contention_max": contention.max,
        "contention_mean": contention.mean,
        "contention_histogram": bars.collect::<Vec<_>>(),
        "links": links.len(),
        "links_used": contention.used,
        "busiest_links": busiest.collect::<Vec<_>>(),
        "allocation": {
            "nodes": allocation.nodes,
            "routers": allocation.routers,
            "components": allocation.components,
            "aspl": allocation.aspl,
            "diameter": allocation.diameter,
            "induced_aspl": allocation.induced_aspl,
            "induced_diameter": allocation.induced_diameter,
        },
    })
}

fn write_table(out: &mut impl Write, document: &Value) -> std::io::Result<()> {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        Value::Number(n) if n.is_f64() => {
            let value = n.as_f64().unwrap_or(0.0);
            if value.fract() == 0.0 && value.abs() < 1e15 {
                format!("{value}")
            } else {
                format!("{value:.4}")
            }
        }
        other => other.to_string(),
    };
    let of = |key: &str| plain(&document[key]);
    let mut line = |name: &str, text: String| field(out, 18, name, &text);
    line("machine", of("topology"))?;
    line("guest", format!("{}, {} processes", of("guest"), of("processes")))?;
    line("mapping", of("mapping"))?;
    line("routing", of("routing"))?;
    line("traffic", format!("{} in {} pairs", of("volume"), of("pairs")))?;
    let share = 100.0 * document["share_between_routers"].as_f64().unwrap_or(0.0);
    line("between routers", format!("{share:.1}%"))?;
    line(
        "dilation",
        format!(
            "mean {} by volume, {} by pairs; max {}",
            of("dilation_mean"),
            of("dilation_mean_pairs"),
            of("dilation_max")
        ),
    )?;
    line("hop-bytes", of("hop_bytes"))?;
    line(
        "contention",
        format!(
            "max {}, mean {} over {} directed links, {} of them used",
            of("contention_max"),
            of("contention_mean"),
            of("links"),
            of("links_used")
        ),
    )?;
    let allocation = &document["allocation"];
    let inner = |key: &str| plain(&allocation[key]);
    line(
        "allocation",
        format!(
            "{} nodes on {} routers in {} components",
            inner("nodes"),
            inner("routers"),
            inner("components")
        ),
    )?;
    line(
        "in the machine",
        format!("mean distance {}, diameter {}", inner("aspl"), inner("diameter")),
    )?;
    line(
        "by itself",
        format!("mean distance {}, diameter {}", inner("induced_aspl"), inner("induced_diameter")),
    )?;
    for (i, link) in document["busiest_links"].as_array().into_iter().flatten().take(5).enumerate()
    {
        let name = if i == 0 { "busiest links" } else { "" };
        let inner = |key: &str| plain(&link[key]);
        line(name, format!("{} to {}: {}", inner("from"), inner("to"), inner("contention")))?;
    }
    Ok(())
}
