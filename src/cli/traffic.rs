//! `--guest` and `--routing`, of the commands whose jobs may traffic.

use anyhow::Context as _;
use clap::Args;

use crate::mapping::routing::suitable;
use crate::mapping::{Fabric, RoutingEntry};
use crate::replay::traffic::TrafficSettings;
use crate::topology::Topology;

#[derive(Debug, Args)]
pub(super) struct TrafficArgs {
    /// Let every job talk in this pattern, and tell what its traffic meets: all-to-all, ring, stencil2d or
    /// stencil (of three dimensions)
    #[arg(long, value_name = "PATTERN")]
    pub guest: Option<String>,
    /// Which links that traffic takes [default: dimension-order on grids, else ecmp-path]
    #[arg(long, value_name = "R", requires = "guest")]
    pub routing: Option<String>,
}

impl TrafficArgs {
    /// The machine's links, where jobs traffic.
    pub fn fabric<'t>(&self, topology: &'t Topology) -> anyhow::Result<Option<Fabric<'t>>> {
        Ok(self.guest.is_some().then(|| Fabric::new(topology)).transpose()?)
    }

    /// How jobs talk, where they do.
    pub fn talks<'a>(
        &'a self,
        fabric: Option<&'a Fabric<'a>>,
    ) -> anyhow::Result<Option<TrafficSettings<'a>>> {
        let (Some(pattern), Some(fabric)) = (&self.guest, fabric) else { return Ok(None) };
        let routing = match &self.routing {
            Some(name) => RoutingEntry::named(name)?,
            // Every machine has one: ecmp-path.
            None => suitable(fabric.topology)
                .into_iter()
                .next()
                .context("no routing suits this machine")?,
        };
        Ok(Some(TrafficSettings::new(fabric, pattern, routing)?))
    }
}
