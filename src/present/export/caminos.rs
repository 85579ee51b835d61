//! caminos: a network, the server of each task and a whole configuration, to move packets.

use std::collections::BTreeMap;

use super::cables::list_cables;
use super::entry::{Export, ExportInput, ExportTarget, ParseTarget, WriteExport, refuse_export};
use super::node_names::join_items;
use super::placed::ExportJob;
use nodeorder_base::error::escape_controls;
use nodeorder_base::{Opt, Params, Result, RouterId};
use nodeorder_network::Topology;

/// `--to caminos`.
pub(super) const TARGET: ExportTarget = ExportTarget {
    name: "caminos",
    about: "a folder for caminos 0.6.3: main.cfg, network.adj and the server of each task, by the ordering or by jobs",
    example: "caminos:routing=ugal",
    options: &[
        Opt::one_of("routing", &["shortest", "valiant", "ugal"], "the way of a packet"),
        Opt::number("load", "phits that a node sends in a cycle, in jobs without messages of their own")
            .default_value("0.1"),
        Opt::whole("cycles", "cycles measured, after a tenth as many; at most these where all jobs have messages of their own")
            .default_value("20000"),
        Opt::whole("message", "phits of a message").default_value("16"),
        Opt::number("phit", "bytes of a phit, for jobs with messages of their own").default_value("64"),
    ],
    parse: ParseTarget::Options(parse),
};

/// Most numbers in all maps of the bursts of one job: more would make files of over a hundred megabytes.
const MOST: usize = 1 << 24;

/// Options of an export to caminos: the routing of packets, and the traffic of jobs.
struct CaminosOptions {
    routing: &'static str,
    /// Phits that a node sends in a cycle.
    load: f64,
    cycles: u64,
    /// Phits of a message.
    message: u32,
    /// Bytes of a phit.
    phit: f64,
}

fn parse(params: &Params) -> Result<WriteExport> {
    let options = CaminosOptions {
        routing: params.required_choice("routing")?,
        load: params.required_real("load", 0.0, 1.0)?,
        cycles: params.required_integer("cycles", 1, 1 << 40)?,
        message: params.required_integer("message", 1, 1 << 20)?,
        phit: params.required_real("phit", 1e-9, 1e15)?,
    };
    Ok(Box::new(move |input| options.write_export(input)))
}

impl CaminosOptions {
    fn write_export(&self, input: &ExportInput) -> Result<Export> {
        let ExportInput { topology, jobs, .. } = *input;
        let network = topology.network();
        let links = list_cables(topology, "caminos", false)?;
        let routers = network.routers();
        let per_router = network.per_router();
        // caminos puts server s on router s / servers_per_router, which ids that are dealt over routers do not obey.
        if links.is_empty() || network.dealt_over() > 1 {
            let problem = "a machine of one router, or whose node ids are dealt over routers";
            return Err(refuse_export("caminos", problem, "routers that links join"));
        }
        input.refuse_shared_nodes("caminos")?;
        // caminos gives every router servers, those that carry no nodes included; the extra ones stay idle.
        let tasks = u64::from(routers) * u64::from(per_router);
        let all = input.jobs_or_all();
        // Within one node there is nothing to send.
        let sending = all.iter().filter(|job| job.nodes.len() > 1);
        let mut files = vec![("network.adj".into(), write_adjacency(routers, &links))];
        let mut traffic = vec![];
        for (i, job) in sending.enumerate() {
            let file = if jobs.is_empty() {
                "order.map".into()
            } else {
                format!("job-{i}.map")
            };
            let lines = job.nodes.iter().enumerate();
            let map = lines.map(|(task, node)| format!("{task} {node}\n"));
            let application = self.write_application(job)?;
            traffic.push(format!(
                "// {}\n  TrafficMap {{ tasks: {tasks}, map: FileMap {{ filename: \"{file}\" }}, application: {application} }}",
                // A line break would end the comment, and the rest of the name become syntax.
                escape_controls(&job.name)
            ));
            files.push((file, map.collect()));
        }
        let bursts = !jobs.is_empty() && jobs.iter().all(|job| !job.traffic.is_empty());
        if traffic.is_empty() {
            let problem = "nothing to send: no job has two nodes";
            return Err(refuse_export(
                "caminos",
                problem,
                "a job of two nodes or more",
            ));
        }
        // Bursts are sent in the first cycle: a warm-up would leave them out of what is measured.
        let warm = if bursts { 0 } else { self.cycles / 10 };
        let [channels, routing] = routing_of(topology, self.routing)?;
        let about = include_str!("texts/caminos.txt").replace("PHITS", &self.message.to_string());
        // The buffers of a router hold 64 and 32 phits: a packet must fit into them, a long message need not.
        let packet = self.message.min(16);
        let router = include_str!("texts/caminos-router.txt").replace("CHANNELS", &channels);
        let router = router.trim_end().replace("PACKET", &packet.to_string());
        let text = format!(
            "{}Configuration {{\n random_seed: {}, warmup: {warm}, measured: {},\n \
             topology: File {{ filename: \"network.adj\", format: 0, servers_per_router: \
             {per_router} }},\n traffic: TrafficSum {{ list: [\n  {}\n ] }},\n \
             maximum_packet_size: {packet},\n router: {router},\n routing: {routing},\n \
             link_classes: [ LinkClass {{ delay: 1 }}, LinkClass {{ delay: 1 }} ],\n}}\n",
            input.header_comments("//", &about),
            topology.context().seed,
            self.cycles,
            traffic.join(",\n  "),
        );
        Ok(Export {
            folder: Some("main.cfg"),
            beside: files,
            ..Export::of_links(topology, text)
        })
    }

    /// Writes the traffic of a job: its messages as bursts, or uniform traffic where it has none.
    ///
    /// Burst k holds the k-th receiver of each process, counted from the process on, so that not all send to the
    /// same one at a time; processes without one name themselves, which caminos passes over.
    fn write_application(&self, job: &ExportJob) -> Result<String> {
        let n = job.nodes.len();
        let message = self.message;
        if job.traffic.is_empty() {
            let load = self.load;
            return Ok(format!(
                "HomogeneousTraffic {{ pattern: Uniform, tasks: {n}, load: {load}, message_size: {message} }}"
            ));
        }
        let mut bytes: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (guest, unit) in &job.traffic {
            guest.for_each_message(|m| {
                let after = (m.target as usize + n - m.source as usize) % n;
                *bytes.entry((m.source as usize, after)).or_default() += m.volume * unit;
            });
        }
        let mut bursts: BTreeMap<(usize, u64), Vec<usize>> = BTreeMap::new();
        let mut last = usize::MAX;
        let mut k = 0;
        for ((source, after), bytes) in bytes.into_iter().filter(|(_, bytes)| *bytes > 0.0) {
            // The map goes by source, so that a new source begins to count its receivers anew.
            k = if source == last { k + 1 } else { 0 };
            last = source;
            // A message has one fixed size in caminos; what is left over takes a whole one.
            let messages = (bytes / (self.phit * f64::from(message))).ceil().max(1.0) as u64;
            // Checked before the map is made: every burst has n numbers, and a job may need n of them.
            if (bursts.len() + 1) * n > MOST {
                let problem = format!(
                    "job `{}`, whose messages are too many and too different",
                    job.name
                );
                return Err(refuse_export("caminos", problem, "a smaller job"));
            }
            let burst = bursts
                // A burst has one number of messages for all its tasks, so that other numbers need a burst of their
                // own.
                .entry((k, messages))
                .or_insert_with(|| (0..n).collect());
            burst[source] = (source + after) % n;
        }
        let bursts = bursts.into_iter().map(|((_, messages), map)| {
            let map = join_items(map, ",");
            format!(
                "Burst {{ pattern: EmbeddedMap {{ map: [{map}] }}, tasks: {n}, messages_per_task: {messages}, message_size: {message} }}"
            )
        });
        let list = join_items(bursts, ",\n   ");
        Ok(format!("TrafficSum {{ list: [ {list} ] }}"))
    }
}

/// Writes the neighbours of every router.
fn write_adjacency(routers: u32, links: &[(u32, u32, u32)]) -> String {
    let mut neighbours = vec![Vec::new(); routers as usize];
    for (u, v, _) in links {
        neighbours[*u as usize].push(*v);
        neighbours[*v as usize].push(*u);
    }
    let degree = neighbours.iter().map(Vec::len).max().unwrap_or(0);
    // The format spells its words in Spanish: nodes and degree.
    let mut text = format!("NODOS {routers}\nGRADO {degree}\n");
    for (router, list) in neighbours.iter().enumerate() {
        text += &format!("N {router}\n{}\n", join_items(list, " "));
    }
    text
}

/// Writes the number of virtual channels and the routing. A packet takes a channel of its own at each hop, so that
/// none waits for another in a circle.
fn routing_of(topology: &Topology, routing: &str) -> Result<[String; 2]> {
    let graph = topology.graph()?;
    let hosts = (0..topology.network().hosts()).map(RouterId);
    let far = hosts
        .filter_map(|host| graph.hops_from(host).into_iter().max())
        .max()
        .unwrap_or(1);
    // Two legs of shortest paths, each as long as the longest: the router between them may be any, also one without
    // nodes.
    let hops = if routing == "shortest" { far } else { 2 * far };
    let each = join_items(0..hops, "],[");
    let all = join_items(0..hops, ",");
    let valiant = "Valiant { first: Shortest, second: Shortest }";
    let inner = match routing {
        "valiant" => valiant.into(),
        "ugal" => format!(
            "Sum {{ policy: TryBoth, first_routing: Shortest, second_routing: {valiant}, \
             first_allowed_virtual_channels: [{all}], second_allowed_virtual_channels: [{all}], \
             first_extra_label: 0, second_extra_label: 10 }}"
        ),
        _ => "Shortest".to_string(),
    };
    let channels = format!("[{each}],[{all}]");
    Ok([
        hops.to_string(),
        format!("ChannelsPerHop {{ routing: {inner}, channels: [ {channels} ] }}"),
    ])
}
