//! The labels that a node would carry in a cluster: for each level the unit that it is in, and its own name.

use super::options::LevelNames;
use crate::allocator::entry::AllocatorContext;
use crate::allocator::units::list_levels;

/// Name of the level of nodes, as Kueue's `kubernetes.io/hostname`.
const HOST: &str = "host";

/// The nodes of an ordering with their labels.
pub struct LabelledNodes {
    /// Names of the levels, nodes last.
    pub levels: LevelNames,
    /// By rank: the node's label at each level, the outermost first.
    pub paths: Vec<Vec<String>>,
}

impl LabelledNodes {
    /// Labels the nodes of an ordering; `by_rank` calls units by their lowest rank. A level `all` only joins what
    /// stands apart, and is left out; a level of one unit is a level as others are.
    pub fn new(context: &AllocatorContext<'_>, by_rank: bool) -> Self {
        let network = context.topology.network();
        let levels = network.levels();
        let skip = usize::from(levels.first().is_some_and(|level| level.name == "all"));
        let whole = network
            .whole_levels()
            .iter()
            .filter(|(name, _)| name != "all");
        let (mut names, around): (Vec<String>, Vec<String>) = whole.cloned().unzip();
        names.extend(levels.iter().skip(skip).map(|level| level.name.to_string()));
        let hosts: Vec<String> = context
            .order
            .nodes()
            .iter()
            .map(|node| context.topology.node_name(*node))
            .collect();
        let mut labels: Vec<Vec<String>> = vec![around.clone(); hosts.len()];
        let whole = around.len();
        let mut default = whole.saturating_sub(1);
        for (at, (units, of)) in list_levels(context)
            .iter()
            .zip(levels.iter())
            .enumerate()
            .skip(skip)
        {
            for (number, unit) in (0..).zip(units) {
                let name = of.unit_name(number);
                let label = if by_rank {
                    format!("{:010}", unit.ranks.first().copied().unwrap_or(0))
                } else {
                    // Units that share a name are called by their paths; within the unit around
                    // them the last part is enough.
                    name.rsplit('/').next().unwrap_or(&name).to_string()
                };
                for rank in &unit.ranks {
                    labels[*rank as usize].push(label.clone());
                }
                // Jobs that name no level are packed at the lowest one with a unit of several nodes.
                if unit.ranks.len() > 1 {
                    default = whole + at - skip;
                }
            }
        }
        names.push(HOST.into());
        for (labels, host) in labels.iter_mut().zip(hosts) {
            labels.push(host);
        }
        LabelledNodes {
            levels: LevelNames { names, default },
            paths: labels,
        }
    }
}
