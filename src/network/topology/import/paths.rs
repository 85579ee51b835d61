//! Hosts with the switches above them, from tables and labels. A switch name is unique below its parent only.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::wiring::{ROOT, Wiring};
use nodeorder_base::error::{Error, Result, SourceLocation};

/// Collects hosts, each with its path from the widest unit to its leaf switch.
#[derive(Default)]
pub(super) struct Paths {
    wiring: Wiring,
    above: Vec<usize>,
    /// The switch of each name below each switch.
    known: HashMap<(usize, String), usize>,
    /// The line of each host.
    hosts: HashMap<String, usize>,
    /// Number of switches of each name.
    names: BTreeMap<String, usize>,
}

impl Paths {
    /// Adds a host of `line` below `path`, widest first. O(path).
    ///
    /// # Errors
    /// A host again, with the line of both.
    pub fn host(&mut self, file: &str, line: usize, host: &str, path: &[&str]) -> Result<()> {
        if let Some(other) = self.hosts.insert(host.to_string(), line) {
            let found = format!("host `{host}` again (line {other} has it)");
            return Err(Error::input(
                SourceLocation::line(file, line),
                found,
                "each host once",
            ));
        }
        let mut at = ROOT;
        for name in path {
            at = match self.known.get(&(at, name.to_string())) {
                Some(switch) => *switch,
                None => {
                    let switch = self.wiring.add(name, Vec::new(), line);
                    self.above.push(at);
                    if at != ROOT {
                        self.wiring.join(at, switch, 1.0);
                    }
                    self.known.insert((at, name.to_string()), switch);
                    *self.names.entry(name.to_string()).or_insert(0) += 1;
                    switch
                }
            };
        }
        if at == ROOT {
            // A host without a switch gets one, which no path joins to others.
            at = self.wiring.add(host, Vec::new(), line);
            self.above.push(ROOT);
        }
        self.wiring.switches[at].nodes.push(host.to_string());
        Ok(())
    }

    /// The wiring. The widest units are joined by one switch above them all where there is more than one. A switch
    /// whose name another has, too, is called by its path; `name` gives levels their names, the leaf being 0.
    pub fn wiring(mut self, name: &dyn Fn(usize) -> String) -> Wiring {
        let hosts: HashSet<&String> = self.hosts.keys().collect();
        let paths: Vec<String> = (0..self.above.len())
            .map(|i| {
                let own = &self.wiring.switches[i].name;
                let unlike = self.names.get(own).is_none_or(|n| *n < 2) && !hosts.contains(own);
                let mut path = own.clone();
                let mut at = self.above[i];
                while at != ROOT && !unlike {
                    path = format!("{}/{path}", self.wiring.switches[at].name);
                    at = self.above[at];
                }
                path
            })
            .collect();
        (self.wiring.switches.iter_mut())
            .zip(paths)
            .for_each(|(switch, path)| switch.name = path);
        let roots: Vec<usize> = (0..self.above.len())
            .filter(|i| self.above[*i] == ROOT && !self.alone(*i))
            .collect();
        if roots.len() > 1 {
            let top = self.wiring.add("all", Vec::new(), 1);
            self.above.push(ROOT);
            for root in roots {
                self.above[root] = top;
                self.wiring.join(root, top, 1.0);
            }
        }
        self.wiring.forest = true;
        self.wiring.outline = true;
        self.wiring.hierarchy(&self.above, name);
        self.wiring
    }

    /// Whether a switch stands for a host without switches.
    fn alone(&self, switch: usize) -> bool {
        let of = &self.wiring.switches[switch];
        !self.known.contains_key(&(ROOT, of.name.clone()))
    }
}
