//! Options for bandwidths and latencies of links, node links and switches.

use std::path::{Path, PathBuf};

use clap::Args;

use nodeorder_base::Result;
use nodeorder_network::Context;
use nodeorder_traffic::corun::NetworkFigures;

/// Bandwidths and latencies of links, node links and switches.
#[derive(Debug, Args)]
pub struct NetworkFigureArgs {
    /// Bandwidth of a link of capacity 1, each way: 10GB/s, or 80Gb/s in bits [default: 1.25GB/s]
    #[arg(long, value_name = "B/s")]
    bandwidth: Option<String>,
    /// shared: the messages that a node sends share its node link, and so do those that it receives; free: a node link
    /// only limits each message by itself [default: shared]
    #[arg(long, value_parser = ["shared", "free"])]
    node_links: Option<String>,
    /// Bandwidth of a node link, each way [default: that of a link]
    #[arg(long, value_name = "B/s")]
    node_bandwidth: Option<String>,
    /// Bandwidth of all that passes through a switch [default: no limit]
    #[arg(long, value_name = "B/s")]
    switch_bandwidth: Option<String>,
    /// Read these figures from FILE, as --fit writes it: TOML with link_bandwidth, link_latency, node_bandwidth,
    /// node_latency, switch_bandwidth; options given beside it win
    #[arg(long, value_name = "FILE")]
    links_file: Option<PathBuf>,
}

impl NetworkFigureArgs {
    /// Lists the options that are given, with their texts.
    pub fn given_options(&self) -> impl Iterator<Item = (&str, &str)> {
        let options = [
            ("--bandwidth", self.bandwidth.as_deref()),
            ("--node-links", self.node_links.as_deref()),
            ("--node-bandwidth", self.node_bandwidth.as_deref()),
            ("--switch-bandwidth", self.switch_bandwidth.as_deref()),
            (
                "--links-file",
                self.links_file.as_deref().and_then(Path::to_str),
            ),
        ];
        options
            .into_iter()
            .filter_map(|(flag, text)| Some((flag, text?)))
    }

    /// Parses the figures that are given, and the text of `--latency`, where a command takes it.
    pub fn parse_figures(
        &self,
        latency: Option<&str>,
        context: &Context,
    ) -> Result<NetworkFigures> {
        let figures = self
            .given_options()
            // The file is no figure: it is read beneath the options, which win over it.
            .filter(|(flag, _)| *flag != "--links-file");
        let figures = figures.chain(latency.map(|text| ("--latency", text)));
        NetworkFigures::from_options(figures, self.links_file.as_deref(), context.memory)
    }
}
