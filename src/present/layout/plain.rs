//! Layouts without coordinates: routers round a circle, rows of node ids.

use std::f64::consts::{FRAC_PI_2, TAU};

use super::grid::Grid;
use super::parts::{Layout, Part, flat_layout};
use nodeorder_base::NodeId;
use nodeorder_base::error::format_thousands;
use nodeorder_network::Topology;

/// Largest number of links that are drawn.
const LINKS: u64 = 3000;

/// Lays out routers round a circle with their links, nodes outwards.
pub fn lay_out_circle(topology: &Topology) -> Layout {
    let network = topology.network();
    let hosts = network.hosts();
    let per = network.per_router();
    // Routers are 1.35 cells apart on the circle, so that discs do not touch.
    let radius = (f64::from(hosts) * 1.35 / TAU).max(3.0);
    let size = 2.0 * (radius + 0.8 + 1.05 * (f64::from(per) - 1.0));
    let spot = |router: u32, r: f64| {
        let turn = f64::from(router) / f64::from(hosts) * TAU - FRAC_PI_2;
        (size / 2.0 + r * turn.cos(), size / 2.0 + r * turn.sin())
    };
    let slots = topology.nodes().slot_count();
    let mut ends = Vec::new();
    // More lines would cover each other, and the file grow without a use.
    if network.link_count() <= LINKS {
        network.for_each_link(&mut |u, v, _| {
            // A router without nodes has no place on the circle.
            if u < hosts && v < hosts {
                let a = spot(u, radius - 0.6);
                let b = spot(v, radius - 0.6);
                ends.extend([a.0, a.1, b.0, b.1]);
            }
        });
    }
    let outwards = if per > 1 {
        ", their nodes outwards"
    } else {
        ""
    };
    let lines = if ends.is_empty() {
        ""
    } else {
        "; lines are links"
    };
    Layout {
        round: true,
        points: (0..slots)
            .map(|n: u32| {
                let router = network.router_of(NodeId(n)).0;
                // Its slot, among ids that are dealt out, too.
                let slot = n / network.dealt_over() % per;
                spot(router, radius + 1.05 * f64::from(slot))
            })
            .flat_map(|(x, y)| [x, y])
            .collect(),
        links: ends,
        about: format!(
            "Routers round a circle by their number, from the top clockwise{outwards}{lines}."
        ),
        ..flat_layout(slots as usize, (size, size), Vec::new())
    }
}

/// Lays out node ids in rows.
pub fn lay_out_rows(topology: &Topology) -> Layout {
    let slots = topology.nodes().slot_count();
    let per = f64::from(topology.network().per_router());
    // A whole number of routers in a row, so that the nodes of one stay together.
    let columns = (((f64::from(slots) * 1.6).sqrt() / per).ceil() * per) as u32;
    let columns = columns.min(slots).max(1);
    let grid = Grid {
        count: slots as usize,
        columns: columns as usize,
        step: (1.0, 1.0),
        gap: 0.0,
    };
    let parts = vec![Part::grid_part(vec![(1, slots)], &grid, (0.5, 0.5))];
    Layout {
        about: format!(
            "Node ids in rows of {}, from the top left.",
            format_thousands(u64::from(columns))
        ),
        ..flat_layout(slots as usize, grid.block_size(), parts)
    }
}
