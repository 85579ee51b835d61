//! Bandwidths and latencies of links, node links and switches.

use std::path::{Path, PathBuf};

use nodeorder_base::params::{Tables, Unit};
use nodeorder_base::{Error, Opt, Params, Result, SourceLocation, Text};
use nodeorder_network::Topology;

/// Rule by which messages share a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fair {
    /// Messages share it equally.
    Flow,
    /// Messages share it by 1 over the latency of their routes, as long-lived TCP streams do and SimGrid's model CM02
    /// has it; equally where the latency is 0.
    Rtt,
}

/// Bandwidths and latencies of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// Bytes a second of a link of capacity 1.
    pub bandwidth: f64,
    /// Seconds of a hop.
    pub latency: f64,
    /// Rule by which messages share a link.
    pub fair: Fair,
    /// Bytes a second of a node link, each way.
    pub node_bandwidth: f64,
    /// Seconds of a node link.
    pub node_latency: f64,
    /// Whether all that a node sends shares its node link, and all that it receives; else a node link only bounds each
    /// message.
    pub node_links_shared: bool,
    /// Bytes a second of all that passes through a switch; infinite if there is no limit.
    pub switch_bandwidth: f64,
}

impl Default for Speeds {
    /// Creates links and shared node links of 1 byte a second without latency, for figures that are ratios.
    fn default() -> Self {
        Speeds::new(1.0, 0.0)
    }
}

impl Speeds {
    /// Creates links of this bandwidth and latency, shared node links of the same bandwidth, and switches without
    /// a limit.
    pub fn new(bandwidth: f64, latency: f64) -> Self {
        let figures = NetworkFigures {
            bandwidth: Some(bandwidth),
            latency: Some(latency),
            ..NetworkFigures::default()
        };
        figures.with_defaults(bandwidth)
    }

    /// Computes the seconds before the first byte of a message between nodes this many hops apart arrives.
    pub fn path_latency(&self, hops: f64) -> f64 {
        hops * self.latency + 2.0 * self.node_latency
    }

    /// Computes the rate of a message over `hops` relative to others on a shared link: 1, or 1 over its latency in
    /// hops.
    pub fn rate_weight(&self, hops: f64) -> f64 {
        match self.fair {
            // Latencies in units of a hop's: only ratios count.
            Fair::Rtt if self.latency > 0.0 && hops > 0.0 => {
                1.0 / (hops + 2.0 * self.node_latency / self.latency)
            }
            _ => 1.0,
        }
    }
}

/// Bandwidths and latencies as options and files give them; `None` where not given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetworkFigures {
    /// Bytes a second of a link of capacity 1.
    pub bandwidth: Option<f64>,
    /// Seconds of a hop.
    pub latency: Option<f64>,
    /// Bytes a second of a node link, each way: the bandwidth of a link of the same capacity unless given.
    pub node_bandwidth: Option<f64>,
    /// Capacity of a node link: 1 unless given.
    pub node_capacity: Option<f64>,
    /// Seconds of a node link.
    pub node_latency: Option<f64>,
    /// Bytes a second of all that passes through a switch.
    pub switch_bandwidth: Option<f64>,
    /// Whether node links only bound each message.
    pub node_links_free: bool,
}

/// Options of runtime models for the network's figures.
pub const OPTIONS: [Opt; 6] = [
    Opt::text("bandwidth", "of a link of capacity 1, such as 10GB/s")
        .default_in_words("1B/s: no unit is needed"),
    Opt::text("latency", "of a hop, such as 1us").default_in_words("0s"),
    Opt::one_of(
        "node_links",
        &["shared", "free"],
        "whether what a node sends shares its node link",
    )
    .default_value("shared"),
    Opt::text("node_bandwidth", "of a node link each way").default_in_words("bandwidth="),
    Opt::text("switch_bandwidth", "of all that passes through a switch")
        .default_in_words("no limit"),
    Opt::file("links", "figures of links, as corun --fit writes them").default_in_words("none"),
];

/// The options [`OPTIONS`], read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureOptions {
    /// The figures given.
    own: NetworkFigures,
    /// File of the figures that are not given.
    file: Option<PathBuf>,
}

impl FigureOptions {
    /// Reads the keys of [`OPTIONS`].
    ///
    /// # Errors
    /// A text that is no such quantity; a bandwidth of 0.
    pub fn parse(params: &Params) -> Result<Self> {
        let own = NetworkFigures {
            node_links_free: params.required_choice("node_links")? == "free",
            ..NetworkFigures::read_keys(params, ["bandwidth", "latency"])?
        };
        Ok(FigureOptions {
            own,
            file: params.optional_path("links")?,
        })
    }

    /// Reads the file, if there is one, and returns its figures with those given in their place.
    ///
    /// # Errors
    /// As [`NetworkFigures::read_file`].
    pub fn read_figures(&self, memory: u64) -> Result<NetworkFigures> {
        self.own.fill_from_file(self.file.as_deref(), memory)
    }
}

/// Keys of a file of figures.
const FILE_KEYS: [&str; 5] = [
    "link_bandwidth",
    "link_latency",
    "node_bandwidth",
    "node_latency",
    "switch_bandwidth",
];

impl NetworkFigures {
    /// Reads a file of figures: TOML with any of `link_bandwidth`, `link_latency`, `node_bandwidth`,
    /// `node_latency` and `switch_bandwidth`, numbers in bytes a second and seconds, or texts with a unit.
    ///
    /// # Errors
    /// With file and line: another key, a value that is no such quantity, a bandwidth of 0.
    pub fn read_file(text: &Text) -> Result<Self> {
        let file = Tables::read("a file of links", text, None, 0)?;
        let params = &file.params;
        let figures = NetworkFigures {
            node_latency: params.optional_quantity("node_latency", Unit::Seconds)?,
            ..NetworkFigures::read_keys(params, ["link_bandwidth", "link_latency"])?
        };
        file.check_keys(&FILE_KEYS, &[])?;
        Ok(figures)
    }

    /// Reads the figures that options and files have; the first two keys are those of links.
    fn read_keys(params: &Params, [bandwidth, latency]: [&'static str; 2]) -> Result<Self> {
        Ok(NetworkFigures {
            bandwidth: read_bandwidth(params, bandwidth)?,
            latency: params.optional_quantity(latency, Unit::Seconds)?,
            node_bandwidth: read_bandwidth(params, "node_bandwidth")?,
            switch_bandwidth: read_bandwidth(params, "switch_bandwidth")?,
            ..NetworkFigures::default()
        })
    }

    /// Reads the texts of options, by their names, and the file of `--links-file`, whose figures hold where no
    /// option says otherwise.
    ///
    /// # Errors
    /// A text that is no such quantity; a bandwidth of 0; a file that cannot be read.
    pub fn from_options<'a>(
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
        file: Option<&Path>,
        memory: u64,
    ) -> Result<Self> {
        let mut figures = NetworkFigures::default();
        for (flag, text) in options {
            let place = match flag {
                "--bandwidth" => &mut figures.bandwidth,
                "--node-bandwidth" => &mut figures.node_bandwidth,
                "--switch-bandwidth" => &mut figures.switch_bandwidth,
                "--node-links" => {
                    figures.node_links_free = text == "free";
                    continue;
                }
                _ => {
                    figures.latency = Some(Unit::Seconds.parse_option(flag, text)?);
                    continue;
                }
            };
            let value = Unit::Bandwidth.parse_option(flag, text)?;
            if value == 0.0 {
                let location = SourceLocation::option(format!("{flag} {text}"));
                return Err(Error::input(
                    location,
                    "a bandwidth of 0",
                    "a bandwidth above 0",
                ));
            }
            *place = Some(value);
        }
        figures.fill_from_file(file, memory)
    }

    /// Fills in the missing figures from a file. Fails if the file cannot be read.
    pub fn fill_from_file(self, path: Option<&Path>, memory: u64) -> Result<Self> {
        let Some(path) = path else { return Ok(self) };
        let other = NetworkFigures::read_file(&Text::read(path, memory)?)?;
        Ok(NetworkFigures {
            bandwidth: self.bandwidth.or(other.bandwidth),
            latency: self.latency.or(other.latency),
            node_bandwidth: self.node_bandwidth.or(other.node_bandwidth),
            node_latency: self.node_latency.or(other.node_latency),
            switch_bandwidth: self.switch_bandwidth.or(other.switch_bandwidth),
            ..self
        })
    }

    /// Sets the capacity of the machine's node links.
    pub fn of_machine(self, topology: &Topology) -> Self {
        NetworkFigures {
            node_capacity: Some(topology.network().node_capacity()),
            ..self
        }
    }

    /// Fills in defaults: `bandwidth` for links, that of links of the same capacity for node links, latencies of 0,
    /// switches without a limit, equal shares.
    pub fn with_defaults(&self, bandwidth: f64) -> Speeds {
        let bandwidth = self.bandwidth.unwrap_or(bandwidth);
        Speeds {
            bandwidth,
            latency: self.latency.unwrap_or(0.0),
            fair: Fair::Flow,
            node_bandwidth: self
                .node_bandwidth
                .unwrap_or(bandwidth * self.node_capacity.unwrap_or(1.0)),
            node_latency: self.node_latency.unwrap_or(0.0),
            node_links_shared: !self.node_links_free,
            switch_bandwidth: self.switch_bandwidth.unwrap_or(f64::INFINITY),
        }
    }
}

/// Reads a bandwidth; `None` if it is not given. Fails if it is 0.
fn read_bandwidth(params: &Params, key: &'static str) -> Result<Option<f64>> {
    match params.optional_quantity(key, Unit::Bandwidth)? {
        Some(0.0) => Err(params.invalid_value(key, "more than 0")),
        value => Ok(value),
    }
}
