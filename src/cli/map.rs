//! `nodeorder map`: what a placed guest does to a machine's links.

use crate::shared::layout::print_field;
use crate::shared::network_figures::NetworkFigureArgs;
use crate::shared::notes::note;
use crate::shared::notes::say_unfinished;
use crate::shared::picture::Picture;
use crate::shared::watch::Clock;
use crate::shared::{inputs, output, progress, throughput};
use clap::{ArgGroup, Args};
use nodeorder_base::{NodeId, Text};
use nodeorder_network::{Context, Topology};
use nodeorder_present::columns;
use nodeorder_present::columns::fill_template;
use nodeorder_present::columns::mapping::{LinkLoad, MappingFigures, NAMED_PROCESS, PROCESS};
use nodeorder_present::columns::throughput::FOUND;
use nodeorder_present::export::{HOST_FORMS, HostForm, write_placed};
use nodeorder_present::plot::{self, PlottedMapping};
use nodeorder_present::report;
use nodeorder_present::report::mapping::{busiest_links, link_load};
use nodeorder_traffic::mapping::guest::make_guest_for;
use nodeorder_traffic::mapping::routing::BestShares;
use nodeorder_traffic::mapping::{
    self, Analysis, Demand, Fabric, FixedRouting, Guest, ProcessMapping, method,
};
use nodeorder_traffic::throughput::Throughput;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Analyse how far an application's traffic goes and which links carry it
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("where").required(true).args(["mapping", "order"]),
    after_help = "Example: nodeorder map torus:8x8x8 --guest stencil:8x8x8 --order hilbert --routing ecmp-hop"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:…
    spec: String,
    /// What a job's processes send to each other: a pattern such as stencil:8x8x8, or a .csv, .mtx, .grf or .mat file
    #[arg(long)]
    guest: String,
    /// Where processes run: a CSV file of process,node
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// An ordering: a name with options, or an ordering file; process i runs on rank i
    #[arg(long, value_name = "ORD")]
    order: Option<String>,
    /// Which links traffic takes (see `nodeorder list routings`)
    #[arg(long, value_name = "R", default_value = "ecmp-hop")]
    routing: String,
    #[command(flatten)]
    network: NetworkFigureArgs,
    /// Put the processes on the same nodes anew: rank, bisection, greedy, refine, tabu, grid or best, with options
    #[arg(long, value_name = "METHOD")]
    map: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write every directed link to FILE as CSV: u,v,load (before division by capacity)
    #[arg(long, alias = "links", value_name = "FILE")]
    links_out: Option<PathBuf>,
    /// Write the mapping to FILE as CSV, process,node
    #[arg(
        long = "mapping-out",
        alias = "output",
        short_alias = 'o',
        value_name = "FILE"
    )]
    output: Option<PathBuf>,
    /// Write the nodes' names; without it, the mapping has their ids
    #[arg(long, requires = "output")]
    names: bool,
    /// Form of the output: the mapping as launchers read it, such as rankfile; see `nodeorder list host-forms`
    #[arg(
        long,
        value_name = "FORMAT",
        requires = "output",
        conflicts_with = "names"
    )]
    to: Option<String>,
    /// Draw the result: link loads, dilation and traffic
    #[arg(long, value_name = "FILE.svg|.png|.pdf")]
    plot: Option<PathBuf>,
}

/// Lines of the terminal's table: a label, and a template of the figures beside it.
const TABLE: [(&str, &str); 13] = [
    ("machine", "{topology}"),
    ("guest", "{guest}, {processes} processes"),
    ("mapping", "{mapping}"),
    ("routing", "{routing}"),
    ("traffic", "{volume} in {pairs} pairs"),
    ("between routers", "{share_between_routers%}"),
    (
        "dilation",
        "mean {dilation_mean} by volume, {dilation_mean_pairs} by pairs; max {dilation_max}",
    ),
    ("hop-bytes", "{hop_bytes}"),
    (
        "contention",
        "max {contention_max}, mean {contention_mean} over {links} directed links, {links_used} of them used",
    ),
    ("node links", "most {node_load_max}"),
    (
        "allocation",
        "{allocation.nodes} nodes on {allocation.routers} routers in {allocation.components} components",
    ),
    (
        "in the machine",
        "mean distance {allocation.aspl}, diameter {allocation.diameter}",
    ),
    (
        "by itself",
        "mean distance {allocation.induced_aspl}, diameter {allocation.induced_diameter}",
    ),
];

/// A further line where nodes have fast links inside domains.
const FAST_LINKS: (&str, &str) = (
    "inside domains",
    "max load {nvlink_load_max}, contention {nvlink_contention_max}",
);

/// A further line where shares were searched for.
const FOUND_LINE: &str = "{throughput}, at most {throughput_at_most} (gap {routing_gap%})";

/// Routing with fixed shares, with shares to be searched for, or none where there are no links.
enum Routing {
    Fixed(FixedRouting),
    Best(BestShares),
    None,
}

impl Routing {
    fn parse_method_choice(text: &str) -> anyhow::Result<Self> {
        Ok(match BestShares::parse_routing(text)? {
            Some(best) => Routing::Best(best),
            None => Routing::Fixed(FixedRouting::find_by_name(text)?),
        })
    }

    fn method_name(&self) -> &'static str {
        match self {
            Routing::Fixed(entry) => entry.name(),
            Routing::Best(best) => best.name,
            Routing::None => "none",
        }
    }

    /// Checks that the routing suits a machine; where that has distances alone, which do for `--map`, there is none.
    fn fit_machine(self, topology: &Topology, maps: bool) -> nodeorder_base::error::Result<Self> {
        // A mapping by distances alone is wanted: no routing has anything to take.
        if maps && topology.has_distances_alone() {
            return Ok(Routing::None);
        }
        match &self {
            Routing::Fixed(entry) => entry.check_machine(topology)?,
            Routing::Best(best) => best.check_machine(topology)?,
            Routing::None => {}
        }
        Ok(self)
    }

    fn analyse_mapping(
        &self,
        fabric: &Fabric<'_>,
        guest: &Guest,
        placement: &ProcessMapping,
    ) -> anyhow::Result<(Analysis, Option<Throughput>)> {
        let best = match self {
            Routing::Fixed(entry) => {
                return Ok((mapping::analyse(fabric, guest, placement, *entry)?, None));
            }
            // No link carries anything.
            Routing::None => {
                let analysis = mapping::analyse_distances(fabric, guest, placement)?;
                return Ok((analysis, None));
            }
            Routing::Best(best) => best,
        };
        // A search finds loads of links, not paths of pairs: dilation by pairs stays unknown.
        let demand = Demand::new(fabric.topology, guest, placement)?;
        let found = throughput::search_shares(fabric, &demand, best)?;
        let loads = found.loads.clone();
        let analysis = mapping::analyse_loads(fabric, (guest, placement), &demand, loads)?;
        Ok((analysis, Some(found)))
    }
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        // A wrong ending of the file is reported before the work.
        let picture = self.plot.as_deref().map(Picture::new).transpose()?;
        let routing = Routing::parse_method_choice(&self.routing)?;
        let figures = self.network.parse_figures(None, context)?;
        self.find_form(context)?;
        let topology = inputs::build_distances(&self.spec, context)?;
        // The default that the help of `--bandwidth` gives, in bytes a second.
        let speeds = figures.of_machine(&topology).with_defaults(1.25e9);
        // Before the guest is placed, which may take a search.
        let routing = routing.fit_machine(&topology, self.map.is_some())?;
        let guest = make_guest_for(&self.guest, topology.node_count() as u32, context)?;
        guest.remarks().iter().for_each(|text| note!("{text}"));
        let MappedGuest {
            ranks,
            placement,
            method,
            unfinished,
        } = self.place_guest(&topology, &guest)?;
        let fabric = inputs::build_fabric(&topology)?;
        let (analysis, found) = routing.analyse_mapping(&fabric, &guest, &placement)?;
        if let Some(path) = &self.links_out {
            write_links(&fabric, &analysis, path)?;
        }
        if self.output.is_some() {
            self.write_placement(&topology, &placement, &ranks)?;
        }
        if let Some(picture) = picture {
            let mapped = PlottedMapping {
                fabric: &fabric,
                guest: &guest,
                placement: &placement,
                ranks: &ranks,
                routing: routing.method_name(),
                analysis: &analysis,
            };
            picture.draw_figure(&plot::plot_mapping(&mapped))?;
        }
        let figures = MappingFigures {
            topology: topology.spec(),
            guest: guest.label(),
            processes: guest.processes(),
            mapping: placement.label(),
            method,
            order: self.order.as_deref(),
            routing: routing.method_name(),
            links: fabric.links.cabled_link_count(),
            analysis: &analysis,
            unfinished: &unfinished,
            speeds,
        };
        if self.json {
            let document = report::mapping::document(&fabric, &figures, found.as_ref());
            return output::write_json(None, &document);
        }
        let busiest = busiest_links(&fabric, &analysis);
        output::write_by(None, |out| {
            write_table(out, &figures, found.as_ref(), &busiest)
        })
    }

    /// Finds the form of launchers that is asked for. Fails on an unknown one.
    fn find_form(&self, context: &Context) -> anyhow::Result<Option<&'static HostForm>> {
        let found = self
            .to
            .as_deref()
            .map(|name| HOST_FORMS.find_and_read(name, context.seed));
        Ok(found.transpose()?.map(|(form, _)| form))
    }

    /// Writes the node of each process to the output file, by id or by name, or in a form of launchers, which have the
    /// nodes in the order of `ranks`.
    fn write_placement(
        &self,
        topology: &Topology,
        placement: &ProcessMapping,
        ranks: &[NodeId],
    ) -> anyhow::Result<()> {
        // Launchers know nodes by their names.
        if let Some(form) = self.find_form(topology.context())? {
            let [placed, launcher] = [placement.nodes(), ranks].map(|nodes| {
                nodes
                    .iter()
                    .map(|node| topology.node_name(*node))
                    .collect::<Vec<_>>()
            });
            return output::write_text(
                self.output.as_deref(),
                write_placed(form, &placed, &launcher)?,
            );
        }
        if !self.names {
            return output::write_by(self.output.as_deref(), |out| {
                columns::write_table(out, PROCESS, placement.process_nodes())
            });
        }
        topology.check_names(placement.nodes())?;
        output::write_by(self.output.as_deref(), |out| {
            let named = placement
                .process_nodes()
                .map(|(i, node)| (i, topology.node_name(node)));
            columns::write_table(out, NAMED_PROCESS, named)
        })
    }

    fn place_guest(&self, topology: &Topology, guest: &Guest) -> anyhow::Result<MappedGuest> {
        let (ranks, given) = match (&self.order, &self.mapping) {
            (Some(order), _) => {
                let order = inputs::make_order(topology, order)?;
                let placement = ProcessMapping::in_order(guest, order.label(), order.nodes())?;
                (placement.nodes().to_vec(), placement)
            }
            (None, path) => {
                let path = path.as_deref().unwrap_or(Path::new("-"));
                let text = Text::read(path, topology.context().memory)?;
                let placement = ProcessMapping::read(topology, guest, &text)?;
                // A mapping of a file has no rank order: the picture shows its nodes by id.
                (placement.distinct_nodes(), placement)
            }
        };
        let Some(text) = &self.map else {
            return Ok(MappedGuest {
                ranks,
                placement: given,
                method: None,
                unfinished: Vec::new(),
            });
        };
        let waiting = progress::show_spinner(text);
        let clock = Clock::start_clock(false, &waiting);
        // On the nodes that order or file give: `--map` changes who sits where, not what the job was allocated.
        let found = method::place(topology, guest, given.nodes(), text, &clock)?;
        drop(waiting);
        say_unfinished(&found.unfinished);
        Ok(MappedGuest {
            ranks,
            placement: found.mapping,
            method: Some(found.method),
            unfinished: found.unfinished,
        })
    }
}

/// The nodes in rank order, the placement on them, the method that found it, and the methods that did not come to their
/// end.
struct MappedGuest {
    ranks: Vec<NodeId>,
    placement: ProcessMapping,
    method: Option<&'static str>,
    unfinished: Vec<&'static str>,
}

fn write_links(fabric: &Fabric<'_>, analysis: &Analysis, path: &Path) -> anyhow::Result<()> {
    // A joint is no link and carries no load: its row would always be 0.
    let rows = (0..fabric.links.len())
        .filter(|link| !fabric.links.is_joint(*link))
        .map(|link| link_load(fabric, analysis, link));
    output::write_by(Some(path), |out| {
        columns::write_table(out, LinkLoad::ALL, rows)
    })
}

fn write_table(
    out: &mut impl Write,
    figures: &MappingFigures<'_>,
    found: Option<&Throughput>,
    busiest: &[LinkLoad<'_>],
) -> std::io::Result<()> {
    let columns = [MappingFigures::ALL, MappingFigures::MORE].concat();
    let fast = figures.analysis.domain_load.map(|_| FAST_LINKS);
    for (label, template) in TABLE.into_iter().chain(fast) {
        // Of a search for the best shares no pair's paths are known.
        let mean = label == "dilation" && found.is_some();
        let template = if mean {
            "mean {dilation_mean} by volume"
        } else {
            template
        };
        print_field(out, 18, label, &fill_template(template, &columns, figures))?;
        if let (Some(found), "contention") = (found, label) {
            print_field(
                out,
                18,
                "throughput",
                &fill_template(FOUND_LINE, FOUND, found),
            )?;
        }
    }
    let columns = [LinkLoad::ALL, LinkLoad::BUSIEST].concat();
    for (i, link) in busiest.iter().take(5).enumerate() {
        let label = if i == 0 { "busiest links" } else { "" };
        print_field(
            out,
            18,
            label,
            &fill_template("{from} to {to}: {contention}", &columns, link),
        )?;
    }
    Ok(())
}
