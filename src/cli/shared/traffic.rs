//! `--guest` and `--routing`: the options of commands that simulate the traffic of jobs.

use anyhow::Context as _;
use clap::Args;

use super::inputs;
use nodeorder_jobs::replay::traffic::TrafficSettings;
use nodeorder_network::Topology;
use nodeorder_traffic::mapping::routing::suitable;
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

#[derive(Debug, Default, Args)]
pub struct TrafficArgs {
    /// What a job's processes send to each other: all-to-all, ring, stencil2d or stencil (three dimensions); simulated
    /// for every job, reports path length and contention
    #[arg(long, value_name = "GUEST")]
    pub guest: Option<String>,
    /// Which links traffic takes (see `nodeorder list routings`) [default: dimension-order on grids, else ecmp-path]
    #[arg(long, value_name = "R", requires = "guest")]
    pub routing: Option<String>,
}

impl TrafficArgs {
    /// Builds the machine's links, where traffic is simulated.
    pub fn build_fabric<'t>(&self, topology: &'t Topology) -> anyhow::Result<Option<Fabric<'t>>> {
        Ok(self
            .guest
            .is_some()
            .then(|| inputs::build_fabric(topology))
            .transpose()?)
    }

    /// Chooses how jobs communicate. `None` if traffic is not simulated.
    pub fn traffic_settings<'a>(
        &'a self,
        fabric: Option<&'a Fabric<'a>>,
    ) -> anyhow::Result<Option<TrafficSettings<'a>>> {
        let (Some(pattern), Some(fabric)) = (&self.guest, fabric) else {
            return Ok(None);
        };
        let routing = match &self.routing {
            Some(name) => FixedRouting::find_by_name(name)?,
            // Every machine has one: ecmp-path.
            None => suitable(fabric.topology)
                .into_iter()
                .next()
                .context("no routing suits this machine")?,
        };
        Ok(Some(TrafficSettings::new(fabric, pattern, routing)?))
    }
}
