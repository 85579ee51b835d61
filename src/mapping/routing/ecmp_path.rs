//! Every shortest path carries the same share.

use super::super::demand::{Demand, End};
use super::{Fabric, Lengths, Routing, Wave, over_roots};
use crate::error::{Error, Place, Result};

/// `ecmp-path`: traffic between two routers is split equally over all shortest paths.
///
/// From source s, with σ(v) the number of shortest paths to v and W(v) the traffic to v, in order of
/// falling distance: `dep(v) = W(v) + Σ load(v→c)` over the links further away, and
/// `load(p→v) = dep(v)·σ(p)/σ(v)`. With W = 1 the loads are the edge betweenness.
///
/// # Complexity
/// O(links) a source, less where all targets are near.
///
/// # References
/// Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociology 25(2), 2001,
/// <https://doi.org/10.1080/0022250X.2001.9990249>.
///
/// # Limits
/// More than 10³⁰⁸ shortest paths between two routers are refused.
pub const ROUTING: Routing = Routing {
    name: "ecmp-path",
    about: "all shortest paths, an equal share each",
    needs: "",
    suits: |_| true,
    loads,
    lengths: |_| Ok(Lengths::Shortest),
};

fn loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let links = &fabric.links;
    let sources = demand.roots(End::Source);
    let scratch = || (Wave::new(links.routers()), Vec::new());
    over_roots(fabric, sources.len(), scratch, |(wave, buffer), root, loads| {
        let row = demand.row(End::Source, root, buffer);
        wave.run(links, sources[root], row);
        for i in (0..wave.reached()).rev() {
            let p = wave.router(i);
            let (hops, paths) = (wave.hops[p as usize] + 1, wave.paths[p as usize]);
            if !paths.is_finite() {
                return Err(uncountable(fabric));
            }
            let mut dep = wave.wanted[p as usize];
            for (load, v) in loads[links.leaving(p)].iter_mut().zip(links.heads(p)) {
                let further = wave.hops[*v as usize] == hops;
                let through = if further { paths * wave.share[*v as usize] } else { 0.0 };
                *load += through;
                dep += through;
            }
            wave.share[p as usize] = dep / paths;
        }
        Ok(())
    })
}

fn uncountable(fabric: &Fabric<'_>) -> Error {
    let name = fabric.topology.name();
    Error::unsuited(
        Place::option("--routing ecmp-path"),
        format!("{name} has more than 10^308 shortest paths between two routers"),
        "use --routing ecmp-hop",
    )
}
