//! Hosts with the switches above them, from tables and labels: each host with its path from the top.
//!
//! A switch's name need only be unique below its parent, as racks r1 of two rows are. Rows `a r1 x`, `a r2 y`, `b r1
//! z` (widest first, the host last) make:
//!
//! ```text
//!          all
//!         /   \
//!        a     b
//!       / \     \
//!    a/r1  r2   b/r1       names that come twice are written as paths
//!      x   y     z
//! ```

use std::collections::{BTreeMap, HashMap};

use super::wiring::{NO_PARENT, Wiring};
use nodeorder_base::{Error, Result, SourceLocation};

/// Collector of hosts, each with its path from the widest unit to its leaf switch.
#[derive(Default)]
pub(super) struct HostPaths {
    wiring: Wiring,
    /// By switch: the switch above it.
    above: Vec<usize>,
    /// Switch by the switch above it and its name.
    known: HashMap<(usize, String), usize>,
    /// Line of each host.
    hosts: HashMap<String, usize>,
    /// Number of switches of each name.
    names: BTreeMap<String, usize>,
}

impl HostPaths {
    /// Adds a host of `line` below `path`, widest first. Fails, with the lines of both, if it was added before.
    /// O(path).
    pub fn add_host(&mut self, file: &str, line: usize, host: &str, path: &[&str]) -> Result<()> {
        if let Some(other) = self.hosts.insert(host.to_string(), line) {
            let found = format!("host `{host}` again (line {other} has it)");
            let location = SourceLocation::line(file, line);
            return Err(Error::input(location, found, "each host once"));
        }
        let mut at = NO_PARENT;
        for name in path {
            let key = (at, name.to_string());
            at = match self.known.get(&key) {
                Some(switch) => *switch,
                None => {
                    let switch = self.add_switch(at, name, line);
                    *self.names.entry(name.to_string()).or_insert(0) += 1;
                    self.known.insert(key, switch);
                    switch
                }
            };
        }
        if at == NO_PARENT {
            // A host without a switch gets one, which no path joins to others.
            at = self.add_switch(NO_PARENT, host, line);
        }
        self.wiring.switches[at].nodes.push(host.to_string());
        Ok(())
    }

    /// Adds a switch below `parent` and returns its number.
    fn add_switch(&mut self, parent: usize, name: &str, line: usize) -> usize {
        let switch = self.wiring.add_switch(name, Vec::new(), line);
        self.above.push(parent);
        if parent != NO_PARENT {
            self.wiring.add_cable(parent, switch, 1.0);
        }
        switch
    }

    /// Completes the wiring. The widest units are joined by one switch above them all if there is more than one. A
    /// switch whose name another has, too, is called by its path; `name` gives levels their names, the leaf
    /// being 0.
    pub fn into_wiring(mut self, name: &dyn Fn(usize) -> String) -> Wiring {
        let mut paths = Vec::new();
        let mut roots = Vec::new();
        for switch in 0..self.above.len() {
            let own = &self.wiring.switches[switch].name;
            let mut path = own.clone();
            let mut at = self.above[switch];
            // The switch of a host without switches stands alone.
            if at == NO_PARENT && self.known.contains_key(&(NO_PARENT, own.clone())) {
                roots.push(switch);
            }
            let is_taken =
                self.names.get(own).is_some_and(|n| *n > 1) || self.hosts.contains_key(own);
            while at != NO_PARENT && is_taken {
                path = format!("{}/{path}", self.wiring.switches[at].name);
                at = self.above[at];
            }
            paths.push(path);
        }
        for (switch, path) in self.wiring.switches.iter_mut().zip(paths) {
            switch.name = path;
        }
        if roots.len() > 1 {
            let top = self.add_switch(NO_PARENT, "all", 1);
            for root in roots {
                self.above[root] = top;
                self.wiring.add_cable(root, top, 1.0);
            }
        }
        self.wiring.forest = true;
        self.wiring.outline = true;
        self.wiring.build_levels(&self.above, name);
        self.wiring
    }
}
