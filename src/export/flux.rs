//! Flux: brokers ranked in rank order.

use super::*;

/// `--to flux`.
pub(super) const TARGET: ExportTarget =
    ExportTarget::plain("flux", "TOML for Flux: broker ranks and resources in rank order", write);

const ABOUT: &str = "\
What it does: lists the hosts of a Flux system instance in rank order, for the overlay network (a broker's
  rank is its place in bootstrap.hosts) and for the resources. sched-simple takes free nodes by rank.
Run with: nothing; written after flux-config-bootstrap(5) and flux-config-resource(5) of flux-core.
How to use it: merge it into /etc/flux/system/conf.d; a management node that runs no jobs comes first in
  bootstrap.hosts and is left out of resource.config (ranks then begin at 1). Add what your hosts have,
  such as cores = \"0-63\", to the entry of resource.config. Load the scheduler by
  flux module load sched-simple mode=first-fit
  Ranks change only when the whole instance is restarted.
Know before: fluxion goes by the number at the end of a host's name unless a JGF says otherwise: its
  match-policy lonodex does not follow this order. Low ranks are the inner nodes of the overlay tree.
How to undo it: put the old hosts back and restart the instance.
";

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let hosts = compact_list(names(topology, order)?);
    let text = header("#", topology, order, ABOUT);
    Ok(format!(
        "{text}[bootstrap]\nhosts = [\n    {{ host = \"{hosts}\" }},\n]\n\n[[resource.config]]\nhosts = \"{hosts}\"\n"
    )
    .into())
}
