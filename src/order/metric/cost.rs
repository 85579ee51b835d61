//! Cost and power of a machine: its pieces, cables by class among them, each with a price and its watts.
//!
//! A cable is electrical (copper) inside a unit of some level, such as a group, and optical between two units. 100
//! routers at 9000 with 300 copper cables at 100 and 50 optic ones at 400 cost 900,000 + 30,000 + 20,000.

use std::path::Path;

use nodeorder_base::{Error, Result, SourceLocation, Text};
use nodeorder_network::Topology;
use nodeorder_network::topology::Statistics;

/// Names of the pieces that have prices and watts: a cable between two routers, of any class or of one; a cable of a
/// node; a router; a schedulable node; a watt, for as long as the machine runs.
const KEYS: [&str; 7] = [
    "links",
    "copper",
    "optic",
    "node_links",
    "routers",
    "nodes",
    "watt",
];

/// Price or watts of one piece of each kind, in the order of [`KEYS`]; pieces without one are left out of the sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    each: [Option<f64>; 7],
    /// Name of the unit of money; empty if not given.
    pub currency: String,
}

impl Prices {
    /// Reads `--prices`: `links=120,routers=9000,nodes=4000`, any of these, or `copper`, `optic` (cables by class),
    /// `node_links`, `watt`, and `currency=EUR`.
    ///
    /// # Errors
    /// Another key, a key twice, a price that is no number from 0.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_order::metric::cost::Prices;
    /// let prices = Prices::parse("routers=9000,links=120.5")?;
    /// assert_eq!((prices.price_of("links"), prices.price_of("nodes")), (Some(120.5), None));
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        Prices::read_option("--prices", "price", text, &KEYS)
    }

    /// Reads `--watts`: the same keys but `watt`.
    ///
    /// # Errors
    /// As [`Prices::parse`].
    pub fn parse_watts(text: &str) -> Result<Self> {
        Prices::read_option("--watts", "piece", text, &KEYS[..6])
    }

    /// Reads the numbers of an option. Fails for a key that is not among `keys`, a key twice, a value that is no
    /// number.
    fn read_option(option: &str, what: &'static str, text: &str, keys: &[&str]) -> Result<Self> {
        let location = SourceLocation::option(format!("{option} {text}"));
        let mut prices = Prices::default();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            if key.trim() == "currency" && keys.len() == KEYS.len() && !value.trim().is_empty() {
                prices.currency = value.trim().to_string();
                continue;
            }
            let Some(at) = keys.iter().position(|known| *known == key.trim()) else {
                return Err(Error::unknown(
                    location,
                    what,
                    key.trim(),
                    keys.iter().copied(),
                ));
            };
            let place = &mut prices.each[at];
            let expected = format!("key={what}, a number from 0 to 1e15, each key once");
            let number = value
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|p| (0.0..=1e15).contains(p));
            match number {
                Some(number) if place.is_none() => *place = Some(number),
                _ => return Err(Error::input(location, format!("`{part}`"), expected)),
            }
        }
        Ok(prices)
    }

    /// Looks up the price or watts of one piece; `None` if there is none, or the key is no piece.
    pub fn price_of(&self, key: &str) -> Option<f64> {
        KEYS.iter()
            .position(|known| *known == key)
            .and_then(|at| self.each[at])
    }

    /// Checks whether cables of the two classes have numbers of their own.
    fn has_prices_by_class(&self) -> bool {
        self.price_of("copper").or(self.price_of("optic")).is_some()
    }

    /// Adds up the numbers of all pieces; `None` if no piece has one.
    fn sum_pieces(&self, s: &Statistics, classes: Option<&CableClasses>) -> Option<f64> {
        let (copper, optic) = classes.map_or((s.cables, 0), |c| (c.copper, c.optic));
        let link = self.price_of("links");
        let parts = [
            (self.price_of("copper").or(link), copper),
            (self.price_of("optic").or(link), optic),
            (self.price_of("node_links"), s.node_links),
            (self.price_of("routers"), s.routers),
            (self.price_of("nodes"), s.nodes),
        ];
        let mut sum = None;
        for (price, count) in parts {
            if let Some(price) = price {
                sum = Some(sum.unwrap_or(0.0) + price * count as f64);
            }
        }
        sum
    }
}

/// Numbers of cables between routers, by class.
#[derive(Clone, Debug, PartialEq)]
pub struct CableClasses {
    /// Number of electrical cables, which stay inside a unit.
    pub copper: u64,
    /// Number of optical cables, which join two units.
    pub optic: u64,
    /// Name of the units: a level, `64 nodes`, or the file that lists the optical links.
    pub between: String,
}

/// Optical link of a file.
#[derive(Clone, Debug)]
struct OpticalLink {
    machine: String,
    /// The two routers that the link joins, the lower first.
    ends: (u32, u32),
    /// File and line.
    location: SourceLocation,
}

/// Rule that tells the classes of cables, and ports of a switch.
#[derive(Clone, Debug, Default)]
pub struct CableRule {
    /// Whether the option was given.
    given: bool,
    /// Names of levels, or numbers of nodes; the first that a machine has tells its units.
    levels: Vec<String>,
    /// Name of a file, and the optical links that it lists.
    listed: Option<(String, Vec<OpticalLink>)>,
    /// Number of ports of a switch; none where not given.
    pub radix: Option<u64>,
}

impl CableRule {
    /// Reads `--cables`: `optic=LEVEL` (several with `/` between; a number is that many consecutive node ids), or
    /// `file=FILE` with the optical links as CSV `machine,u,v`; and `radix=PORTS`.
    ///
    /// # Errors
    /// Another key or value; a file that cannot be read, with its line.
    pub fn parse(text: &str, memory: u64) -> Result<Self> {
        let location = SourceLocation::option(format!("--cables {text}"));
        let mut cables = CableRule {
            given: true,
            ..CableRule::default()
        };
        for part in text.split(',') {
            match part.split_once('=') {
                Some(("optic", levels)) if !levels.is_empty() => {
                    cables.levels = levels.split('/').map(String::from).collect();
                }
                Some(("file", path)) => {
                    let file = Text::read(Path::new(path), memory)?;
                    cables.listed = Some((path.into(), CableRule::read_links(&file)?));
                }
                Some(("radix", ports)) if ports.parse::<u64>().is_ok_and(|ports| ports > 0) => {
                    cables.radix = ports.parse().ok();
                }
                _ => {
                    let expected =
                        "optic=LEVEL or file=FILE, and radix=PORTS, a whole number above 0";
                    return Err(Error::input(location, format!("`{part}`"), expected));
                }
            }
        }
        Ok(cables)
    }

    /// Reads the optical links of a file. Fails at a line that is neither the header nor a machine and two router ids.
    fn read_links(file: &Text) -> Result<Vec<OpticalLink>> {
        let mut links = Vec::new();
        for (number, line) in file.data_lines().enumerate() {
            let fields = line.split_csv()?;
            let wrong = || line.whole_error("machine,u,v with ids of routers");
            match (number, &fields[..]) {
                (0, [machine, u, v]) if [machine, u, v] == ["machine", "u", "v"] => {}
                (1.., [machine, u, v]) => {
                    let ends = u.parse::<u32>().ok().zip(v.parse::<u32>().ok());
                    let (u, v) = ends.ok_or_else(wrong)?;
                    links.push(OpticalLink {
                        machine: machine.to_string(),
                        ends: (u.min(v), u.max(v)),
                        location: line.location(),
                    });
                }
                _ => return Err(wrong()),
            }
        }
        Ok(links)
    }

    /// Checks that every line of the file is of one of the machines called `names`.
    ///
    /// # Errors
    /// A line with another name, with its line and the nearest name.
    pub fn check_machines(&self, names: &[&str]) -> Result<()> {
        let lines = self.listed.iter().flat_map(|(_, lines)| lines);
        for line in lines {
            if !names.contains(&line.machine.as_str()) {
                let location = line.location.clone();
                return Err(Error::unknown(
                    location,
                    "machine",
                    &line.machine,
                    names.iter().copied(),
                ));
            }
        }
        Ok(())
    }

    /// Counts the cables of `topology` by class; `None` if nothing tells its units. Fails for a link of the file
    /// that the machine has not. O(links), or O(links log links) with a file.
    fn count_classes(&self, topology: &Topology, all: u64) -> Result<Option<CableClasses>> {
        let made = |optic, between: &str| CableClasses {
            copper: all.saturating_sub(optic),
            optic,
            between: between.into(),
        };
        if let Some((file, lines)) = &self.listed {
            let own = lines.iter().filter(|line| line.machine == topology.name());
            let mut links: Vec<(u32, u32)> = own.map(|line| line.ends).collect();
            links.sort_unstable();
            links.dedup();
            if let Some((u, v)) = topology.first_unlinked(&links) {
                let found = format!("a cable of {} between routers {u} and {v}", topology.name());
                return Err(Error::option(
                    format!("--cables file={file}"),
                    found,
                    "two routers that a link joins",
                ));
            }
            // A file may list links of some of the machines compared; the others go by levels.
            if !links.is_empty() {
                let optic = topology
                    .cables_where(|u, v| links.binary_search(&(u.min(v), u.max(v))).is_ok());
                return Ok(Some(made(optic, file)));
            }
        }
        let levels = topology.network().levels();
        let slots = topology.network().slots();
        // The outermost level that parts the machine at all: cables between racks or groups are the long ones.
        if self.levels.is_empty() {
            let outermost = levels.iter().position(|level| level.unit_count(slots) > 1);
            let found = outermost.and_then(|i| Some((topology.cables_between(i)?, &levels[i])));
            return Ok(found.map(|(optic, level)| made(optic, &level.name)));
        }
        for name in &self.levels {
            let level = levels.iter().position(|level| level.name == *name);
            if let Some(optic) = level.and_then(|level| topology.cables_between(level)) {
                return Ok(Some(made(optic, name)));
            }
            let network = topology.network();
            // Where some routers have no nodes, their ids tell no unit.
            if let Ok(nodes @ 1..) = name.parse::<u32>()
                && network.hosts() == network.routers()
            {
                let per = u64::from(network.per_router());
                let optic = topology.cables_where(|u, v| {
                    let [u, v] = [u, v].map(|router| u64::from(router) * per / u64::from(nodes));
                    u != v
                });
                return Ok(Some(made(optic, &format!("{nodes} nodes"))));
            }
        }
        Ok(None)
    }
}

/// Prices, watts and classes of cables.
#[derive(Clone, Debug, Default)]
pub struct PriceList {
    /// Prices of pieces.
    pub prices: Prices,
    /// Watts of pieces.
    pub watts: Prices,
    /// Rule that tells the classes of cables.
    pub cables: CableRule,
}

/// Cost and power of a machine.
#[derive(Clone, Debug, Default)]
pub struct CostBreakdown {
    /// Cables by class; none where nothing asks for classes.
    pub classes: Option<CableClasses>,
    /// Cost of all pieces; none where no price is given.
    pub cost: Option<f64>,
    /// Power that all pieces draw, in watts; none where no watts are given.
    pub watts: Option<f64>,
    /// Number of ports of a switch; none where not given.
    pub radix: Option<u64>,
    /// Name of the unit of money; empty if not given.
    pub currency: String,
}

impl PriceList {
    /// Adds up the pieces of a machine.
    ///
    /// # Errors
    /// A price by class where nothing tells the classes apart; a price of a watt without watts.
    pub fn add_up_costs(&self, topology: &Topology, s: &Statistics) -> Result<CostBreakdown> {
        let PriceList {
            prices,
            watts,
            cables,
        } = self;
        let by_class = prices.has_prices_by_class() || watts.has_prices_by_class();
        let mut classes = None;
        if by_class || cables.given {
            classes = cables.count_classes(topology, s.cables)?;
        }
        // One router has no cable to tell apart.
        if by_class && classes.is_none() && s.cables > 0 {
            let location = SourceLocation::option("--cables");
            let problem = format!(
                "nothing tells electrical from optical cables of {}",
                topology.name()
            );
            let remedy = "give optic=LEVEL or the number of nodes of a unit (optic=group/pod/64), a file, or prices and \
                          watts of links= alone";
            return Err(Error::unsuited(location, problem, remedy));
        }
        let drawn = watts.sum_pieces(s, classes.as_ref());
        // A price of power without power would be left out of the cost, unseen.
        if prices.price_of("watt").is_some() && drawn.is_none() {
            let expected = "--watts routers=W,copper=W,optic=W,nodes=W, or some of them";
            return Err(Error::option("--prices watt=", "no --watts", expected));
        }
        let pieces = prices.sum_pieces(s, classes.as_ref());
        let power = prices
            .price_of("watt")
            .zip(drawn)
            .map(|(watt, drawn)| watt * drawn);
        let cost = pieces.into_iter().chain(power).reduce(|a, b| a + b);
        Ok(CostBreakdown {
            classes,
            cost,
            watts: drawn,
            radix: cables.radix,
            currency: prices.currency.clone(),
        })
    }
}
