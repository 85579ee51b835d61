//! Switches, nodes and cables as files describe them, and the network that they make.
//!
//! A reader adds switches and joins them, and says which units they form; then the network is made, in which switches
//! with nodes come first, those of a unit together:
//!
//! ```text
//! file            add("s1", [a b]), add("top", []), add("s2", [c]), join(0, 1), join(2, 1)
//! switches        0 s1 with a, b    1 top             2 s2 with c
//! routers         0 s1: a b         1 s2: c and an empty slot      2 top
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};

use petgraph::unionfind::UnionFind;

use crate::topology::lattice::Lattice;
use crate::topology::link_list::{network_of_links, number_labels};
use crate::topology::network::{Level, Network, on_request};
use crate::topology::site::Site;
use crate::topology::sizes::{check_nodes, require_graph};
use crate::topology::source_file::SourceFile;
use nodeorder_base::{Error, Result, SourceLocation};

/// Switches with their nodes and the cables between switches, as a file describes them.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    pub switches: Vec<Switch>,
    /// Capacity between two switches, the lower number first.
    pub links: BTreeMap<(usize, usize), f64>,
    /// Number of cables between two switches, the lower number first; where `links` has two switches and this has not,
    /// they have one.
    pub cables: BTreeMap<(usize, usize), u32>,
    /// Whether capacities are speeds, so that they are no numbers of cables.
    pub has_speeds: bool,
    /// Capacity of most node links; `None` if it is 1.
    pub node_capacity: Option<f64>,
    /// Capacities of node links, by the names of the nodes; nodes without an entry have `node_capacity`.
    pub node_capacities: HashMap<String, f64>,
    /// Levels of the hierarchy, the outermost first.
    pub levels: Vec<Units>,
    /// Whether the fabric may be in several components.
    pub forest: bool,
    /// Coordinates of switches; `None` if the file gives none.
    pub lattice: Option<Lattice>,
    /// Contents of a file of Slurm's, so that it can be written back.
    pub site: Option<Site>,
    /// Number of GPUs of nodes by name.
    pub gpus: HashMap<String, u32>,
    /// Most pods of nodes by name.
    pub pods: HashMap<String, u32>,
    /// Names of the nodes that are out of service.
    pub down: HashSet<String>,
    /// Levels of a single unit above the lowest level, the outermost first, each with its unit.
    pub whole_levels: Vec<(String, String)>,
    /// Notes on the file for its reader.
    pub remarks: Vec<String>,
    /// Whether the wiring is an outline: a tree whose switches may stand for several, and which does not say how wide
    /// links are.
    pub outline: bool,
    /// Speeds of links, by their switches, if the file gives some: in any unit, but the same for all.
    pub speeds: BTreeMap<(usize, usize), u32>,
    /// Assumption about the capacities of links; `None` if the file says all.
    pub assumption: Option<String>,
    /// Whether the widths of links are not known.
    pub unknown_widths: bool,
}

/// A switch of a [`Wiring`].
#[derive(Debug, Default)]
pub(super) struct Switch {
    pub name: String,
    /// Names of the switch's nodes; an empty name is a slot without a node.
    pub nodes: Vec<String>,
    /// Line of the file that describes it.
    pub line: usize,
}

/// A level of a [`Wiring`].
#[derive(Debug)]
pub(super) struct Units {
    /// Name of a unit of the level, such as `leaf`.
    pub name: String,
    /// Unit of each switch.
    pub unit_of: Vec<usize>,
    /// Name of each unit.
    pub names: Vec<String>,
    /// Number of links between units of this level that no wider level has counted.
    pub links: u64,
}

/// Parent of a switch with no switch above it.
pub(super) const NO_PARENT: usize = usize::MAX;

impl Wiring {
    /// Adds a cable of a capacity; of parallel ones the capacities add up.
    pub fn add_cable(&mut self, a: usize, b: usize, capacity: f64) {
        let ends = (a.min(b), a.max(b));
        *self.links.entry(ends).or_insert(0.0) += capacity;
        *self.cables.entry(ends).or_insert(0) += 1;
    }

    /// Adds a switch and returns its number.
    pub fn add_switch(&mut self, name: &str, nodes: Vec<String>, line: usize) -> usize {
        self.switches.push(Switch {
            name: name.into(),
            nodes,
            line,
        });
        self.switches.len() - 1
    }

    /// Gives the links of an outline their capacities: the cables of each, times its speed over the lowest one.
    /// If cables or speeds are not given, [`Wiring::assumption`] tells what is assumed.
    pub fn set_outline_capacities(&mut self, uplinks: Option<u32>) {
        if !self.outline || self.links.is_empty() {
            return;
        }
        let speeds: Vec<u32> = self
            .links
            .keys()
            .filter_map(|ends| self.speeds.get(ends))
            .copied()
            .collect();
        let low = speeds.iter().min().copied();
        let cables = f64::from(uplinks.unwrap_or(1));
        for (ends, capacity) in &mut self.links {
            // A link without a speed is as fast as the slowest.
            let times = match (self.speeds.get(ends), low) {
                (Some(speed), Some(low)) => f64::from(*speed) / f64::from(low),
                _ => 1.0,
            };
            *capacity = cables * times;
        }
        self.has_speeds = !speeds.is_empty();
        self.cables
            .extend(self.links.keys().map(|ends| (*ends, uplinks.unwrap_or(1))));
        let links = self.links.len();
        let without_speed = links - speeds.len();
        // One speed for all says nothing about widths.
        let differing = low.filter(|_| low != speeds.iter().max().copied());
        self.unknown_widths = uplinks.is_none() && differing.is_none();
        if uplinks.is_some() && (differing.is_none() || without_speed == 0) {
            self.assumption = None;
            return;
        }
        let wide = match differing {
            Some(low) => format!(
                "as wide as LinkSpeed= says (1 for {low}, and for {without_speed} without it)"
            ),
            None => "of capacity 1".into(),
        };
        let count = uplinks.map_or("one uplink".into(), |uplinks| format!("uplinks={uplinks}"));
        self.assumption = Some(format!(
            "{count} {wide} for each of {links} switches; uplinks=K sets it"
        ));
    }

    /// Builds the levels from the switch above each switch ([`NO_PARENT`] above the topmost; there are no loops).
    /// A switch with nothing below has height 0, others one more than the highest below. A unit of level h is a
    /// switch of height h, or lower if the next above is higher, with all below it, and has its name. `name`
    /// gives levels their names. Of the levels above the lowest, those of a single unit stand apart. O(switches
    /// · height).
    pub fn build_levels(&mut self, above: &[usize], name: &dyn Fn(usize) -> String) {
        let mut height = vec![0; above.len()];
        for start in 0..above.len() {
            let mut at = start;
            let mut steps = 0;
            // Above a switch that is high enough already all others are, too.
            while above[at] != NO_PARENT && height[above[at]] <= steps {
                at = above[at];
                steps += 1;
                height[at] = steps;
            }
        }
        let highest = height.iter().copied().max().unwrap_or(0);
        for level in (0..=highest).rev() {
            let mut unit_of: Vec<usize> = (0..above.len()).collect();
            for at in &mut unit_of {
                while above[*at] != NO_PARENT && height[above[*at]] <= level {
                    *at = above[*at];
                }
            }
            let with_nodes = (0..above.len()).filter(|i| !self.switches[*i].nodes.is_empty());
            let mut units = with_nodes.map(|i| unit_of[i]);
            let first = units.next();
            if level == 0 || units.any(|unit| Some(unit) != first) {
                self.levels.push(Units {
                    name: name(level),
                    names: self.switches.iter().map(|s| s.name.clone()).collect(),
                    unit_of,
                    links: 0,
                });
            } else if let Some(unit) = first {
                let unit = self.switches[unit].name.clone();
                self.whole_levels.push((name(level), unit));
            }
        }
        for (a, b) in self.links.keys() {
            let mut levels = self.levels.iter_mut();
            if let Some(level) = levels.find(|level| level.unit_of[*a] != level.unit_of[*b]) {
                level.links += 1;
            }
        }
    }

    /// Builds the network of `file`; `suffix` follows its specification. Fails if there are no nodes at all, no
    /// path joins a switch to the first though the fabric may not be in several components, or there are more
    /// nodes or memory than allowed.
    pub fn into_network(self, file: &SourceFile<'_>, suffix: &str) -> Result<Network> {
        let context = file.context;
        let switch_count = self.switches.len();
        let mut nodes = self.switches.iter().flat_map(|s| &s.nodes);
        // In a torus, cells without a node have an empty name.
        if nodes.all(String::is_empty) {
            let location = SourceLocation::file(file.path());
            return Err(Error::input(location, "no nodes", "switches with nodes"));
        }
        let mut parts = UnionFind::<usize>::new(switch_count);
        for (a, b) in self.links.keys() {
            parts.union(*a, *b);
        }
        let apart = (0..switch_count).find(|i| !parts.equiv(0, *i));
        if let Some(apart) = apart.filter(|_| !self.forest) {
            return Err(self.disconnected_error(apart, file));
        }
        let (mut order, without_nodes): (Vec<usize>, Vec<usize>) =
            (0..switch_count).partition(|i| !self.switches[*i].nodes.is_empty());
        self.sort_by_unit(&mut order);
        let hosts = order.len();
        let most = order.iter().map(|i| self.switches[*i].nodes.len()).max();
        let per_router = most.unwrap_or(1);
        let slots = hosts as u64 * per_router as u64;
        check_nodes(file.location(), slots)?;
        require_graph(context, switch_count as u64, self.links.len() as u64)?;
        context.require_memory("the names of the nodes", 64 * slots)?;
        let mut levels = Vec::new();
        let mut links_up = Vec::new();
        for units in &self.levels {
            levels.push(build_level(units, &order, per_router as u32));
            links_up.push(units.links);
        }
        order.extend(without_nodes);
        let mut router = vec![0u32; switch_count];
        for (number, switch) in (0..).zip(&order) {
            router[*switch] = number;
        }
        let mut component_of = Vec::new();
        if apart.is_some() {
            component_of = number_labels(order.iter().map(|i| parts.find(*i)), switch_count);
        }
        let mut links = Vec::with_capacity(self.links.len());
        for ((a, b), capacity) in &self.links {
            let ends = (router[*a].min(router[*b]), router[*a].max(router[*b]));
            let cables = self.cables.get(&(*a, *b)).copied().unwrap_or(1);
            links.push((ends, (*capacity, cables)));
        }
        links.sort_unstable_by_key(|(ends, _)| *ends);
        let (links, labels): (_, Vec<_>) = links.into_iter().unzip();
        let (capacities, cables) = labels.into_iter().unzip();
        let mut switches = self.switches;
        let mut names = Vec::with_capacity(slots as usize);
        let mut switch_names = Vec::with_capacity(switch_count);
        for (i, switch) in order.iter().enumerate() {
            let switch = &mut switches[*switch];
            switch_names.push(std::mem::take(&mut switch.name));
            if i < hosts {
                names.append(&mut switch.nodes);
                names.resize((i + 1) * per_router, String::new());
            }
        }
        let down = (0..)
            .zip(&names)
            .filter(|(_, name)| self.down.contains(*name));
        let down = down.map(|(slot, _)| slot).collect();
        let node_capacity = self.node_capacity.unwrap_or(1.0);
        let mut slot_capacities = Vec::new();
        if !self.node_capacities.is_empty() {
            let own = names.iter().map(|name| self.node_capacities.get(name));
            slot_capacities.extend(own.map(|capacity| capacity.copied().unwrap_or(node_capacity)));
        }
        let spec = format!("{}{suffix}", file.spec());
        Ok(Network {
            hosts: hosts as u32,
            names,
            levels,
            links_up: if links_up.is_empty() {
                None
            } else {
                on_request(move || links_up.clone())
            },
            component_of,
            cable_counts: self.has_speeds.then_some(cables),
            node_capacity,
            slot_capacities,
            lattice: self.lattice,
            site: self.site,
            gpus: self.gpus,
            pods: self.pods,
            down,
            whole_levels: self.whole_levels,
            remarks: self.remarks,
            switch_names,
            outline: self.outline,
            widths: !self.unknown_widths,
            assumption: self.assumption,
            ..network_of_links(
                spec,
                switch_count as u32,
                per_router as u32,
                links,
                capacities,
            )
        })
    }

    /// Describes the switch `apart`, which no path joins to the first one.
    fn disconnected_error(&self, apart: usize, file: &SourceFile<'_>) -> Error {
        let first = &self.switches[0].name;
        let switch = &self.switches[apart];
        let found = format!("switch `{}`, which no path joins to `{first}`", switch.name);
        let location = SourceLocation::line(&file.path().display().to_string(), switch.line);
        Error::input(location, found, "a connected network")
    }

    /// Sorts switches so that those of a unit follow each other: units in the order of their first switch.
    fn sort_by_unit(&self, order: &mut [usize]) {
        // The unit of a switch at each level, numbered in the order of the file.
        let mut units_of = vec![Vec::new(); self.switches.len()];
        for level in &self.levels {
            let units = order.iter().map(|i| level.unit_of[*i]);
            let numbers = number_labels(units, level.names.len());
            for (switch, number) in order.iter().zip(numbers) {
                units_of[*switch].push(number);
            }
        }
        order.sort_by(|a, b| units_of[*a].cmp(&units_of[*b]));
    }
}

/// Builds a level from `units`; the switches of a unit follow each other in `order`.
fn build_level(units: &Units, order: &[usize], per_router: u32) -> Level {
    let mut ends = Vec::new();
    let mut names = Vec::new();
    let mut end = 0;
    for of_unit in order.chunk_by(|a, b| units.unit_of[*a] == units.unit_of[*b]) {
        end += of_unit.len() as u32 * per_router;
        ends.push(end);
        names.push(units.names[units.unit_of[of_unit[0]]].clone());
    }
    Level::with_named_units(units.name.clone(), ends, names)
}
