//! Loads of the few links that one window takes.

use std::ops::Range;

/// Loads of the directed links that the traffic of windows takes, window by window, each link once a window; all others
/// carry nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkLoads {
    /// Directed links, by their place in the router graph.
    pub links: Vec<u32>,
    /// Load of each of these links, above zero.
    pub loads: Vec<f64>,
}

impl LinkLoads {
    /// Returns the number of links.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Adds a link that has no load yet.
    pub fn push_link(&mut self, link: usize, load: f64) {
        self.links.push(link as u32);
        self.loads.push(load);
    }

    /// Iterates over the links at `places`, and their loads.
    pub fn iter_links(&self, places: Range<usize>) -> impl Iterator<Item = (usize, f64)> + '_ {
        let loads = self.loads[places.clone()].iter().copied();
        let links = self.links[places].iter();
        links.map(|link| *link as usize).zip(loads)
    }

    /// Iterates over all links and their loads.
    pub fn iter_all(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.iter_links(0..self.link_count())
    }

    /// Takes all links away.
    pub fn clear(&mut self) {
        self.links.clear();
        self.loads.clear();
    }

    /// Gives back the memory that is kept for further links.
    pub fn shrink_to_fit(&mut self) {
        self.links.shrink_to_fit();
        self.loads.shrink_to_fit();
    }
}

/// Sums of loads by link; clearing costs only as much as the links touched.
#[derive(Debug)]
pub(super) struct LinkTally {
    /// Load of every link of the machine; zero between two windows.
    loads: Vec<f64>,
    /// Links with a load, in the order in which they got it.
    touched: Vec<u32>,
}

impl LinkTally {
    /// Makes room for a machine's directed links.
    pub fn new(links: usize) -> Self {
        LinkTally {
            loads: vec![0.0; links],
            touched: Vec::new(),
        }
    }

    /// Adds a load above zero to a link.
    pub fn add_load(&mut self, link: usize, load: f64) {
        let sum = &mut self.loads[link];
        if *sum == 0.0 {
            self.touched.push(link as u32);
        }
        *sum += load;
    }

    /// Returns the load added up for a link.
    pub fn load_of(&self, link: usize) -> f64 {
        self.loads[link]
    }

    /// Moves all sums to `loads`, and begins anew.
    pub fn move_loads(&mut self, loads: &mut LinkLoads) {
        let sums = self.touched.iter().map(|link| self.loads[*link as usize]);
        loads.loads.extend(sums);
        loads.links.extend_from_slice(&self.touched);
        self.clear();
    }

    /// Takes all sums away.
    pub fn clear(&mut self) {
        for link in self.touched.drain(..) {
            self.loads[link as usize] = 0.0;
        }
    }
}
