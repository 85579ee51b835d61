//! Switches, nodes and cables as files describe them, and the network that they make.

use std::collections::{BTreeMap, HashMap};

use petgraph::unionfind::UnionFind;

use crate::topology::lattice::Lattice;
use crate::topology::link_list::{listed, numbered};
use crate::topology::network::{Level, Network, later};
use crate::topology::site::Site;
use crate::topology::sizes::{check_nodes, require_graph};
use crate::topology::source_file::SourceFile;
use nodeorder_base::error::{Error, Result, SourceLocation};

/// Switches with their nodes and the cables between switches, as a file describes them.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    pub switches: Vec<Switch>,
    /// Capacity between two switches, the lower first.
    pub links: BTreeMap<(usize, usize), f64>,
    /// The hierarchy, the outermost level first.
    pub levels: Vec<Units>,
    /// Whether the fabric may be in several components.
    pub forest: bool,
    pub lattice: Option<Lattice>,
    pub site: Option<Site>,
    /// GPUs of nodes by name.
    pub gpus: HashMap<String, u32>,
    pub remarks: Vec<String>,
    /// Whether it is an outline: a tree whose switches may stand for several, and which does not say how wide links are.
    pub outline: bool,
    /// Speeds of links, by their switches, where the file gives some: any unit, but the same for all.
    pub speeds: BTreeMap<(usize, usize), u32>,
    pub assumption: Option<String>,
    /// Whether the widths of links are not known.
    pub unknown_widths: bool,
}

/// A switch of a [`Wiring`].
#[derive(Debug, Default)]
pub(super) struct Switch {
    pub name: String,
    pub nodes: Vec<String>,
    pub line: usize,
}

/// A level of a [`Wiring`].
#[derive(Debug)]
pub(super) struct Units {
    pub name: String,
    /// The unit of each switch.
    pub unit_of: Vec<usize>,
    /// The name of each unit.
    pub names: Vec<String>,
    pub links: u64,
}

/// Parent of a switch with no switch above it.
pub(super) const ROOT: usize = usize::MAX;

impl Wiring {
    /// Adds a cable of a capacity; of parallel ones the capacities add up.
    pub fn join(&mut self, a: usize, b: usize, capacity: f64) {
        *self.links.entry((a.min(b), a.max(b))).or_insert(0.0) += capacity;
    }

    /// Adds a switch.
    pub fn add(&mut self, name: &str, nodes: Vec<String>, line: usize) -> usize {
        self.switches.push(Switch {
            name: name.into(),
            nodes,
            line,
        });
        self.switches.len() - 1
    }

    /// Gives the links of an outline their capacities: the cables of each, times its speed over the lowest one. Where
    /// cables or speeds are not given, what is assumed is said.
    pub fn widen(&mut self, uplinks: Option<u32>) {
        if !self.outline || self.links.is_empty() {
            return;
        }
        let speeds: Vec<u32> = self
            .links
            .keys()
            .filter_map(|ends| self.speeds.get(ends))
            .copied()
            .collect();
        let (low, high) = (speeds.iter().min().copied(), speeds.iter().max().copied());
        for (ends, capacity) in &mut self.links {
            let speed = self.speeds.get(ends).or(low.as_ref()).zip(low.as_ref());
            let times = speed.map_or(1.0, |(speed, low)| f64::from(*speed) / f64::from(*low));
            *capacity = f64::from(uplinks.unwrap_or(1)) * times;
        }
        let (links, slow) = (self.links.len(), self.links.len() - speeds.len());
        let speeds = low.filter(|_| low != high);
        self.unknown_widths = uplinks.is_none() && speeds.is_none();
        let wide = match speeds {
            Some(low) => {
                format!("as wide as LinkSpeed= says (1 for {low}, and for {slow} without it)")
            }
            None => "of capacity 1".into(),
        };
        let said = uplinks.is_some() && (speeds.is_none() || slow == 0);
        let count = uplinks.map_or("one uplink".into(), |uplinks| format!("uplinks={uplinks}"));
        self.assumption = (!said)
            .then(|| format!("{count} {wide} for each of {links} switches; uplinks=K sets it"));
    }

    /// Builds the levels from the switch above each switch ([`ROOT`] above the topmost; there are no loops). A switch with
    /// nothing below has height 0, others one more than the highest below. A unit of level h is a switch of height h, or
    /// lower where the next above is higher, with all below it, and has its name. `name` gives levels their names. Of the
    /// levels above the lowest, those of a single unit are left out. O(switches · height).
    pub fn hierarchy(&mut self, above: &[usize], name: &dyn Fn(usize) -> String) {
        let mut height = vec![0; above.len()];
        for mut at in 0..above.len() {
            let mut h = 0;
            while above[at] != ROOT && height[above[at]] <= h {
                (at, h) = (above[at], h + 1);
                height[at] = h;
            }
        }
        let most = height.iter().copied().max().unwrap_or(0);
        for h in (0..=most).rev() {
            let climb = |mut at: usize| {
                while above[at] != ROOT && height[above[at]] <= h {
                    at = above[at];
                }
                at
            };
            let unit_of: Vec<usize> = (0..above.len()).map(climb).collect();
            let mut carrying = (0..above.len()).filter(|i| !self.switches[*i].nodes.is_empty());
            let first = carrying.next().map(|i| unit_of[i]);
            if h == 0 || carrying.any(|i| Some(unit_of[i]) != first) {
                let names = self.switches.iter().map(|s| s.name.clone()).collect();
                self.levels.push(Units {
                    name: name(h),
                    unit_of,
                    names,
                    links: 0,
                });
            }
        }
        for (a, b) in self.links.keys() {
            let apart = |level: &&mut Units| level.unit_of[*a] != level.unit_of[*b];
            if let Some(level) = self.levels.iter_mut().find(apart) {
                level.links += 1;
            }
        }
    }

    /// The network of `file`; `suffix` follows its specification. Errors: no nodes at all; a switch that no path joins
    /// to the first, where the fabric may not be in several components; more nodes or memory than allowed.
    pub fn network(self, file: &SourceFile<'_>, suffix: &str) -> Result<Network> {
        let path = file.path();
        let context = file.context;
        let nodes = || self.switches.iter().flat_map(|s| &s.nodes);
        let most = self.switches.iter().map(|s| s.nodes.len()).max();
        // In a torus, cells without a node have an empty name.
        let Some(per_router) = most.filter(|_| nodes().any(|name| !name.is_empty())) else {
            let location = SourceLocation::file(path);
            return Err(Error::input(location, "no nodes", "switches with nodes"));
        };
        let mut parts = UnionFind::<usize>::new(self.switches.len());
        self.links.keys().for_each(|(a, b)| {
            parts.union(*a, *b);
        });
        let apart = (0..self.switches.len()).find(|i| !parts.equiv(0, *i));
        if let Some(apart) = apart.filter(|_| !self.forest) {
            let (first, switch) = (&self.switches[0].name, &self.switches[apart]);
            let found = format!("switch `{}`, which no path joins to `{first}`", switch.name);
            let location = SourceLocation::line(&path.display().to_string(), switch.line);
            return Err(Error::input(location, found, "a connected network"));
        }
        let (mut carrying, bare): (Vec<usize>, Vec<usize>) =
            (0..self.switches.len()).partition(|i| !self.switches[*i].nodes.is_empty());
        self.gather(&mut carrying);
        let mut router = vec![0u32; self.switches.len()];
        let routers = || carrying.iter().chain(&bare);
        (0..).zip(routers()).for_each(|(r, i)| router[*i] = r);
        let slots = carrying.len() as u64 * per_router as u64;
        check_nodes(file.location(), slots)?;
        require_graph(context, self.switches.len() as u64, self.links.len() as u64)?;
        context.require("the names of the nodes", 64 * slots)?;
        let levels = self
            .levels
            .iter()
            .map(|units| self.level(units, &carrying, per_router as u32))
            .collect();
        let up: Vec<u64> = self.levels.iter().map(|units| units.links).collect();
        let component_of = match apart {
            Some(_) => numbered(routers().map(|i| parts.find(*i)), self.switches.len()),
            None => Vec::new(),
        };
        let ends = |(a, b): (usize, usize)| (router[a].min(router[b]), router[a].max(router[b]));
        let mut links: Vec<_> = self
            .links
            .iter()
            .map(|(pair, capacity)| (ends(*pair), *capacity))
            .collect();
        links.sort_unstable_by_key(|(ends, _)| *ends);
        let (links, capacities) = links.into_iter().unzip();
        let (routers, hosts) = (self.switches.len() as u32, carrying.len() as u32);
        let switch_names = carrying
            .iter()
            .chain(&bare)
            .map(|i| self.switches[*i].name.clone())
            .collect();
        let mut nodes: Vec<Vec<String>> = self.switches.into_iter().map(|s| s.nodes).collect();
        let mut names = Vec::with_capacity(slots as usize);
        for (i, switch) in carrying.iter().enumerate() {
            names.append(&mut nodes[*switch]);
            names.resize((i + 1) * per_router, String::new());
        }
        let spec = format!("{}{suffix}", file.spec());
        Ok(Network {
            hosts,
            names,
            levels,
            links_up: if up.is_empty() {
                None
            } else {
                later(move || up.clone())
            },
            component_of,
            lattice: self.lattice,
            site: self.site,
            gpus: self.gpus,
            remarks: self.remarks,
            switch_names,
            outline: self.outline,
            widths: !self.unknown_widths,
            assumption: self.assumption,
            ..listed(spec, routers, per_router as u32, links, capacities)
        })
    }

    /// Sorts switches so that those of a unit follow each other: units in the order of their first switch.
    fn gather(&self, carrying: &mut [usize]) {
        let mut keys = vec![Vec::new(); self.switches.len()];
        for level in &self.levels {
            let units = carrying.iter().map(|i| level.unit_of[*i]);
            let numbers = numbered(units, level.names.len());
            carrying
                .iter()
                .zip(numbers)
                .for_each(|(i, number)| keys[*i].push(number));
        }
        carrying.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
    }

    /// The level of these units, whose switches follow each other in `carrying`.
    fn level(&self, units: &Units, carrying: &[usize], per_router: u32) -> Level {
        let (mut ends, mut names) = (Vec::new(), Vec::new());
        for (r, i) in (1..).zip(carrying) {
            let unit = units.unit_of[*i];
            if r as usize == carrying.len() || units.unit_of[carrying[r as usize]] != unit {
                ends.push(r * per_router);
                names.push(units.names[unit].clone());
            }
        }
        Level::named(units.name.clone(), ends, names)
    }
}
