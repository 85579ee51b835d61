//! Every router splits equally over the neighbours that are nearer to the goal.

use super::super::demand::{Demand, End};
use super::{Fabric, Lengths, Routing, Wave, over_roots};
use crate::error::Result;

/// `ecmp-hop`: at every router, traffic is split equally over all links that lead nearer to its target, as
/// hashing switches do.
///
/// To target t, in order of falling distance: `flow(v) = W(v,t) + inflow(v)`, an equal part of it to every
/// neighbour one hop nearer.
///
/// # Complexity
/// O(links) a target, less where all sources are near.
pub const ROUTING: Routing = Routing {
    name: "ecmp-hop",
    about: "every router splits equally over the next hops nearer to the target",
    needs: "",
    suits: |_| true,
    loads,
    lengths: |_| Ok(Lengths::Shortest),
};

fn loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let links = &fabric.links;
    let targets = demand.roots(End::Target);
    let scratch = || (Wave::new(links.routers()), Vec::new());
    over_roots(fabric, targets.len(), scratch, |(wave, buffer), root, loads| {
        let row = demand.row(End::Target, root, buffer);
        wave.run(links, targets[root], row);
        // The root itself is the end of all ways.
        for i in (1..wave.reached()).rev() {
            let v = wave.router(i);
            let (hops, share) = (wave.hops[v as usize], wave.share[v as usize]);
            let flow = wave.wanted[v as usize] + share;
            if flow == 0.0 {
                continue;
            }
            let heads = links.heads(v);
            let nearer = |u: &u32| wave.hops[*u as usize] == hops - 1;
            let part = flow / heads.iter().filter(|u| nearer(u)).count() as f64;
            for (load, u) in loads[links.leaving(v)].iter_mut().zip(heads) {
                let part = if nearer(u) { part } else { 0.0 };
                *load += part;
                wave.share[*u as usize] += part;
            }
        }
        Ok(())
    })
}
