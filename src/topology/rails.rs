//! Numbers of nodes and switches in a multi-rail network, for its family and for the routing that follows rails.

/// Nodes with an interface on each of several rails, in domains of fast links, in units with a leaf switch a rail.
///
/// Endpoints come first: nodes, or with `gpus` the GPUs of each node, one a rail, GPU i of a node on rail i. Then the
/// switches of the domains, the leaf switches (unit · rails + rail), the spine switches (rail · spines + number) and
/// the core switches (spine number · cores + number).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rails {
    /// Rails: interfaces of each node.
    pub rails: u32,
    /// Nodes of each domain.
    pub domain: u32,
    /// Domains of each unit.
    pub domains: u32,
    /// Units.
    pub units: u32,
    /// Spine switches of each rail.
    pub spines: u32,
    /// Core switches over the spines of one number in all rails.
    pub cores: u32,
    /// Whether endpoints are GPUs.
    pub gpus: bool,
}

impl Rails {
    /// Endpoints of a node.
    pub fn per_node(&self) -> u32 {
        if self.gpus { self.rails } else { 1 }
    }

    /// Endpoints of a domain.
    pub(crate) fn per_domain(&self) -> u32 {
        self.domain * self.per_node()
    }

    /// Endpoints of a unit.
    pub(crate) fn per_unit(&self) -> u32 {
        self.domains * self.per_domain()
    }

    /// Endpoints.
    pub fn endpoints(&self) -> u32 {
        self.units * self.per_unit()
    }

    /// Interfaces of an endpoint: the rails it is on.
    pub fn interfaces(&self) -> u32 {
        self.rails / self.per_node()
    }

    /// The rails an endpoint is on: all, or the one of a GPU.
    pub fn rails_of(&self, endpoint: u32) -> std::ops::Range<u32> {
        let first = if self.gpus { endpoint % self.rails } else { 0 };
        first..first + self.interfaces()
    }

    /// The domain of an endpoint.
    pub fn domain_of(&self, endpoint: u32) -> u32 {
        endpoint / self.per_domain()
    }

    /// The unit of an endpoint.
    pub fn unit_of(&self, endpoint: u32) -> u32 {
        endpoint / self.per_unit()
    }

    /// The endpoint of the same node that is on a rail.
    pub fn on_rail(&self, endpoint: u32, rail: u32) -> u32 {
        if self.gpus { endpoint - endpoint % self.rails + rail } else { endpoint }
    }

    /// Switches of domains: one each where a domain has several endpoints.
    pub fn switches(&self) -> u32 {
        if self.per_domain() > 1 { self.units * self.domains } else { 0 }
    }

    /// The switch of an endpoint's domain, where domains have one.
    pub fn switch_of(&self, endpoint: u32) -> Option<u32> {
        (self.switches() > 0).then(|| self.endpoints() + self.domain_of(endpoint))
    }

    /// The leaf switch of a rail in a unit.
    pub fn leaf(&self, unit: u32, rail: u32) -> u32 {
        self.endpoints() + self.switches() + unit * self.rails + rail
    }

    /// A spine switch of a rail.
    pub fn spine(&self, rail: u32, number: u32) -> u32 {
        self.leaf(self.units, 0) + rail * self.spines + number
    }

    /// A core switch over the spines of a number.
    pub fn core(&self, spine: u32, number: u32) -> u32 {
        self.spine(self.rails, 0) + spine * self.cores + number
    }

    /// All routers: endpoints and switches.
    pub fn routers(&self) -> u32 {
        self.core(self.spines, 0)
    }
}
