//! Tables of machines side by side.

use super::{Column, Value, columns, row};
use crate::machines::{AllocatorService, Bracket, Contender, JobService};
use nodeorder_network::topology::Statistics;
use nodeorder_order::metric::bisection::Bisection;
use nodeorder_order::metric::cost::CostBreakdown;
use nodeorder_order::metric::machine_figures::MachineFigures;

/// A machine in the ranked table.
pub struct RankedMachine<'a> {
    /// Rank from 1; none for a machine that is not compared.
    pub rank: Option<usize>,
    /// Machine with its best ordering, and the service that jobs get on it.
    pub contender: &'a Contender,
    /// Figure that ranks the machines, in the unit of the criterion.
    pub score: f64,
    /// Largest job size in nodes that means are over.
    pub largest: usize,
    /// Routing of the traffic that ranks the machines.
    pub routing: Option<&'a str>,
}

impl<'a> RankedMachine<'a> {
    /// Returns the figures of the machine and its best ordering.
    fn machine(&self) -> &'a MachineFigures {
        &self.contender.machine
    }

    /// Returns the counts and distances of its network.
    fn network(&self) -> &'a Statistics {
        &self.machine().comparison.topology
    }

    /// Returns the machine's price and watts.
    fn bill(&self) -> &'a CostBreakdown {
        &self.machine().bill
    }

    /// Returns the best cut found. `None` if there was none to search.
    fn best_cut(&self) -> Option<&'a Bisection> {
        self.machine().bisection.as_ref()
    }

    /// Computes the all-to-all throughput of all nodes for each link.
    fn throughput_per_link(&self) -> Option<Bracket> {
        let links = self.network().links as f64;
        self.contender.all_to_all_per(Some(links))
    }

    /// Computes the all-to-all throughput of all nodes for each router.
    fn throughput_per_router(&self) -> Option<Bracket> {
        let routers = self.network().routers as f64;
        self.contender.all_to_all_per(Some(routers))
    }

    /// First columns of `machines.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        rank, "",
            "1 for the best `score`; the same where bounds do not tell machines apart; empty for a machine that is not compared: see `windows_left_out`.";
        "machine", "", "The machine's name.",
            |r| r.machine().name();
        "spec", "", "Its specification in one line.",
            |r| r.network().spec.as_str();
        "nodes", "nodes", "Schedulable nodes.",
            |r| r.network().nodes;
        "places", "nodes", "Places for nodes that are built.",
            |r| r.network().places;
        "fill", "", "`nodes` over `places`.",
            |r| r.network().fill();
        "routers", "routers", "Routers, those without nodes included.",
            |r| r.network().routers;
        "links", "links", "Links between routers.",
            |r| r.network().links;
        "cables", "links",
            "Cables between routers: as the source counts them, else one a link; prices count these.",
            |r| r.network().cables;
        "node_links", "links",
            "Cables of nodes to their routers, which `links` and `cables` leave out.",
            |r| r.network().node_links;
        "ports", "links",
            "Cables of the busiest router, those of its nodes included.",
            |r| r.network().ports;
        "idle_ports", "", "Ports of the routers of a fat tree, dragonfly or dragonfly+ that no cable takes, places for nodes aside; 0 elsewhere.",
            |r| r.network().idle_ports;
        "oversubscription", "", "Capacity of the cables of a router's nodes over that of its \
            other cables, where that is most; empty where a router with nodes has no other cable.",
            |r| r.network().oversubscription;
        "links_per_node", "links",
            "Links between routers for each node.",
            |r| r.machine().links_per_node();
        "diameter", "hops", "Largest distance of two nodes.",
            |r| r.network().diameter;
        "mean_distance", "hops", "Mean distance of two nodes.",
            |r| r.network().mean_distance;
        "bisection_links", "links",
            "Links between two halves of the nodes, the fewest known; see `bisection_exact`.",
            |r| r.best_cut().map(cut_links);
        "bisection_exact", "",
            "Whether no halves have fewer links between them.",
            |r| r.best_cut().map(|cut| cut.exact.to_string());
        "bisection_at_least", "links",
            "Proved: any halves have at least so many links between them.",
            |r| r.best_cut().and_then(|cut| cut.at_least);
        "bisection_per_node", "links",
            "`bisection_links` for each node.",
            |r| r.machine().bisection_per_node();
        "cost", "", "Sum of the prices given, in their unit.",
            |r| r.bill().cost;
        "cost_per_node", "", "`cost` for each node.",
            |r| r.machine().cost_per_node();
        "cost_per_place", "", "`cost` for each of `places`.",
            |r| r.machine().cost_per_place();
        "ordering", "", "The machine's best ordering.",
            |r| r.machine().best.label();
        "mean_log", "hops",
            "Its mean of MPC over job sizes up to `largest_size` with weight 1/size.",
            |r| r.machine().mean_log();
        "floor_mean_log", "hops",
            "Proved: no ordering has a lower `mean_log`.",
            |r| r.machine().comparison.floor_mean_log;
        score, "",
            "The figure that ranks: seconds, hops or cost, lower is better, or throughput, higher is better.";
        routing, "",
            "Routing of the traffic that `score` is of, the same on all machines; empty where no traffic ranks.";
        "largest_size", "nodes",
            "The largest job size that all machines have: means of MPC are over sizes up to it.",
            |r| r.largest;
        "windows_left_out", "",
            "Share of windows that span pieces that no link joins; `mean_log` is without them.",
            |r| r.machine().windows_left_out();
    };

    /// Throughput: further columns of `machines.csv`.
    pub const CARRIED: &'a [Column<Self>] = columns! {
        "hop_bound", "",
            "All-to-all throughput is not above this: capacities of all links over nodes times mean distance.",
            |r| r.machine().hop_bound;
        "throughput_all_to_all", "",
            "Found: capacities of a link that each node can send to all others.",
            |r| r.contender.all_to_all().map(|ends| ends[0]);
        "throughput_all_to_all_at_most", "",
            "Proved: no routing carries more.",
            |r| r.contender.all_to_all().map(|ends| ends[1]);
        "throughput_matching", "",
            "Found: the same where every node sends to one of those farthest away.",
            |r| r.contender.carried.as_ref().map(|c| c.matching.carried_multiple());
        "throughput_matching_at_most", "",
            "Proved: no routing carries more.",
            |r| r.contender.carried.as_ref().map(|c| c.matching.carried_at_most());
        "worst_at_least", "",
            "Proved: any traffic in which no node sends or gets more than 1 is carried so often.",
            |r| r.contender.carried.as_ref().and_then(|c| c.worst_at_least);
        "worst_at_most", "",
            "Proved: for some such traffic no routing carries more.",
            |r| r.contender.carried.as_ref().and_then(|c| c.worst_at_most);
        "broken_throughput", "",
            "All-to-all throughput found with a part broken: mean of ten draws of it.",
            |r| r.contender.broken.as_ref().map(|b| b.throughput.difference);
        "broken_throughput_at_most", "",
            "Proved: mean of what no routing exceeds in the same draws.",
            |r| r.contender.broken.as_ref().map(|b| b.at_most.difference);
        "broken_throughput_low", "", "Lower end of the 95 % interval of `broken_throughput`.",
            |r| r.contender.broken.as_ref().and_then(|b| b.throughput.low);
        "broken_throughput_high", "", "Upper end of the 95 % interval of `broken_throughput_at_most`.",
            |r| r.contender.broken.as_ref().and_then(|b| b.at_most.high);
        "unreachable_nodes", "nodes",
            "Nodes that are broken or cut off from the largest piece: mean of the same draws.",
            |r| r.contender.broken.as_ref().map(|b| b.unreachable.difference);
        "unreachable_nodes_low", "nodes", "Lower end of its 95 % interval.",
            |r| r.contender.broken.as_ref().and_then(|b| b.unreachable.low);
        "unreachable_nodes_high", "nodes", "Upper end of its 95 % interval.",
            |r| r.contender.broken.as_ref().and_then(|b| b.unreachable.high);
        "throughput_per_link", "",
            "`throughput_all_to_all` of all nodes for each of `links`.",
            |r| r.throughput_per_link().map(|ends| ends[0]);
        "throughput_per_link_at_most", "",
            "As above, of `throughput_all_to_all_at_most`.",
            |r| r.throughput_per_link().map(|ends| ends[1]);
        "throughput_per_router", "",
            "`throughput_all_to_all` of all nodes for each of `routers`.",
            |r| r.throughput_per_router().map(|ends| ends[0]);
        "throughput_per_router_at_most", "",
            "As above, of `throughput_all_to_all_at_most`.",
            |r| r.throughput_per_router().map(|ends| ends[1]);
        "throughput_per_cost", "",
            "`throughput_all_to_all` of all nodes for each unit of `cost`.",
            |r| r.contender.all_to_all_per(r.bill().cost).map(|ends| ends[0]);
        "throughput_per_cost_at_most", "",
            "As above, of `throughput_all_to_all_at_most`.",
            |r| r.contender.all_to_all_per(r.bill().cost).map(|ends| ends[1]);
    };

    /// Slowdown of communication: further columns of `machines.csv`.
    pub const SLOWDOWN: &'a [Column<Self>] = columns! {
        "slowdown_all_to_all", "",
            "`mixed` of the command `slowdown` for all-to-all traffic \
            with the best ordering: the log-uniform mean over job sizes.",
            |r| r.contender.slowdown(0, 0);
        "slowdown_all_to_all_random", "", "`mixed` for all-to-all traffic with `random`.",
            |r| r.contender.slowdown(0, 1);
        "slowdown_stencil", "", "`mixed` for `stencil3d` with the best ordering.",
            |r| r.contender.slowdown(1, 0);
        "slowdown_stencil_random", "", "`mixed` for `stencil3d` with `random`.",
            |r| r.contender.slowdown(1, 1);
        "slowdown_ring", "", "`mixed` for `ring` with the best ordering.",
            |r| r.contender.slowdown(2, 0);
        "slowdown_ring_random", "", "`mixed` for `ring` with `random`.",
            |r| r.contender.slowdown(2, 1);
        "slowdown_routing", "", "Routing of these figures, the same on all machines.",
            |r| r.contender.slowdowns.as_ref().map(|all| all.routing);
    };

    /// Cables, cost and watts: further columns of `machines.csv`.
    pub const BOUGHT: &'a [Column<Self>] = columns! {
        "copper", "cables",
            "Electrical cables between routers: inside a unit.",
            |r| r.bill().classes.as_ref().map(|c| c.copper);
        "optic", "cables",
            "Optical cables between routers: between units.",
            |r| r.bill().classes.as_ref().map(|c| c.optic);
        "optic_between", "",
            "These units: a level, so many nodes by id, or the file that lists the cables.",
            |r| r.bill().classes.as_ref().map(|c| c.between.as_str());
        "watts", "W", "Sum of the watts given.",
            |r| r.bill().watts;
        "watts_per_node", "W", "`watts` for each node.",
            |r| r.machine().watts_per_node();
        "cost_per_throughput", "",
            "`cost` for each unit of all-to-all throughput of a node: at most so much, proved.",
            |r| r.contender.per_throughput(r.bill().cost).map(|ends| ends[0]);
        "cost_per_throughput_at_least", "",
            "`cost` for each unit of it: at least so much under any routing, proved.",
            |r| r.contender.per_throughput(r.bill().cost).map(|ends| ends[1]);
        "watts_per_throughput", "W",
            "`watts` for each unit of all-to-all throughput of a node: at most so much, proved.",
            |r| r.contender.per_throughput(r.bill().watts).map(|ends| ends[0]);
        "watts_per_throughput_at_least", "W",
            "`watts` for each unit of it: at least so much under any routing, proved.",
            |r| r.contender.per_throughput(r.bill().watts).map(|ends| ends[1]);
        "radix", "links",
            "Ports of a switch, where given: compare `ports`.",
            |r| r.bill().radix;
    };

    /// Lists all columns of `machines.csv`.
    // Throughput, cables and prices are empty unless asked for.
    pub fn all_columns() -> Vec<Column<Self>> {
        [Self::ALL, Self::CARRIED, Self::BOUGHT, Self::SLOWDOWN].concat()
    }
}

/// Counts the links of a cut, as an integer if their capacities add up to one.
fn cut_links(cut: &Bisection) -> Value<'static> {
    // Capacities may be fractions; whole sums read as counts.
    cut.whole_links()
        .map_or_else(|| cut.cut_links().into(), Value::from)
}

row! {
    /// One value of the best ordering's curve.
    pub struct MachinePoint<'a> {
        /// Number of nodes of the machine.
        pub nodes: f64,
    }
    /// Columns of `machine-curves.csv`.
    pub const ALL:
    machine: &'a str, "", "The machine's name.";
    ordering: &'a str, "", "The machine's best ordering.";
    size: usize, "nodes", "Nodes of a job.";
    ["share"], "", "Share of the machine that such a job takes.",
        |r| r.size as f64 / r.nodes;
    mpc: f64, "hops",
        "Mean placement distance: of two nodes of a job of this size on consecutive ranks.";
    floor: Option<f64>, "hops",
        "Proved: no ordering has a lower MPC at this size.";
}

/// Jobs placed by one allocator on one machine.
pub struct MachineJobs<'a> {
    /// Machine with its best ordering.
    pub contender: &'a Contender,
    /// Results of the jobs on the machine.
    pub service: &'a JobService,
    /// Distances that one allocator gives these jobs.
    pub allocator: &'a AllocatorService,
}

impl<'a> MachineJobs<'a> {
    /// Columns of `machine-jobs.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "machine", "", "The machine's name.",
            |r| r.contender.machine.name();
        "ordering", "", "The machine's best ordering.",
            |r| r.contender.machine.best.label();
        "allocator", "", "The allocator as it was given.",
            |r| r.allocator.allocator.as_str();
        placed of service, "jobs", "Jobs placed.";
        skipped of service, "jobs",
            "Jobs skipped: too few nodes were free.";
        too_large of service, "jobs",
            "Jobs that ask for more nodes than the machine has.";
        mean_mind of allocator, "hops",
            "Mean of `mind` over jobs of two nodes and more.";
        improvement_small of allocator, "%",
            "Improvement over fifo:0 on the same machine, sizes 2 to 10.";
        improvement_large of allocator, "%",
            "Improvement over fifo:0 on the same machine, sizes from 11.";
        improvement of allocator, "%",
            "Improvement over fifo:0 on the same machine, all sizes.";
    };
}
