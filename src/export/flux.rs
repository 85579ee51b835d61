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

/// `n[000-127,200],m7`: a host list (RFC 29) in the order given; runs of numbers are joined.
pub(super) fn host_list(names: &[String]) -> String {
    let split = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = name[stem.len()..].to_string();
        (stem.to_string(), digits)
    };
    let next = |a: &str, b: &str| {
        let follows = a.parse().ok().and_then(|n: u64| n.checked_add(1)) == b.parse().ok();
        follows && a.len() == b.len() && !a.is_empty()
    };
    let mut words = Vec::new();
    let pairs: Vec<(String, String)> = names.iter().map(|name| split(name)).collect();
    for group in pairs.chunk_by(|a, b| a.0 == b.0 && !a.1.is_empty() && !b.1.is_empty()) {
        let runs = group.chunk_by(|a, b| next(&a.1, &b.1));
        let runs: Vec<String> = runs
            .map(|run| match run {
                [one] => one.1.clone(),
                run => format!("{}-{}", run[0].1, run[run.len() - 1].1),
            })
            .collect();
        let stem = &group[0].0;
        words.push(match group {
            [one] => format!("{stem}{}", one.1),
            _ => format!("{stem}[{}]", runs.join(",")),
        });
    }
    words.join(",")
}

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let hosts = host_list(&names(topology, order)?);
    let text = header("#", topology, order, ABOUT);
    Ok(format!(
        "{text}[bootstrap]\nhosts = [\n    {{ host = \"{hosts}\" }},\n]\n\n[[resource.config]]\nhosts = \"{hosts}\"\n"
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list written out again.
    fn expand(list: &str) -> Vec<String> {
        let mut out = Vec::new();
        let mut rest = list;
        while !rest.is_empty() {
            let end = rest.find([',', '[']).unwrap_or(rest.len());
            let stem = &rest[..end];
            if rest[end..].starts_with('[') {
                let close = rest.find(']').unwrap();
                for run in rest[end + 1..close].split(',') {
                    let (a, b) = run.split_once('-').unwrap_or((run, run));
                    let width = a.len();
                    let (a, b): (u64, u64) = (a.parse().unwrap(), b.parse().unwrap());
                    out.extend((a..=b).map(|n| format!("{stem}{n:0width$}")));
                }
                rest = &rest[close + 1..];
            } else {
                out.push(stem.to_string());
                rest = &rest[end..];
            }
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        out
    }

    #[test]
    fn host_lists_keep_the_order() {
        let texts = [
            ("n1 n2 n3", "n[1-3]"),
            ("n08 n09 n10 n7", "n[08-10,7]"),
            ("n9 n10", "n[9,10]"),
            ("n3 n2 n1 m1 login x", "n[3,2,1],m1,login,x"),
            ("a1b2 a1b3 a2b4", "a1b[2-3],a2b4"),
            ("n99999999999999999999999 n1", "n[99999999999999999999999,1]"),
        ];
        for (names, list) in texts {
            let names: Vec<String> = names.split(' ').map(str::to_string).collect();
            assert_eq!(host_list(&names), list);
            if !list.contains("999") {
                assert_eq!(expand(list), names);
            }
        }
    }
}
