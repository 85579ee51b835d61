//! Terms that pages explain: every page lists those that it uses.

/// The explanations, as HTML: a term on a line of its own, then what it means, then an empty line.
const MEANINGS: &str = include_str!("terms.txt");

/// A term that [`MEANINGS`] explains.
#[derive(Clone, Copy)]
pub struct Term {
    /// Name of the term, as HTML.
    pub name: &'static str,
}

impl Term {
    /// Finds the term's explanation, as HTML.
    pub fn meaning(self) -> String {
        let after = MEANINGS.lines().skip_while(|line| *line != self.name);
        let own: Vec<&str> = after.skip(1).take_while(|line| !line.is_empty()).collect();
        own.join(" ")
    }
}

/// Makes a term.
const fn term(name: &'static str) -> Term {
    Term { name }
}

/// Terms of distances between nodes.
pub const DISTANCES: [Term; 3] = [term("Ordering, rank"), term("Distance, hops"), MPC];
/// Terms of audits.
pub const AUDIT: [Term; 3] = [
    term("Mean distance"),
    term("Ring step"),
    term("Units spanned, fewest"),
];
/// Terms of networks.
pub const NETWORK: [Term; 2] = [term("Router"), term("Diameter, mean distance")];
pub const SLOT: Term = term("Slot");
/// Terms of machines side by side.
pub const CABLES: [Term; 2] = [term("Links, cables a node"), term("Bisection bandwidth")];
pub const THROUGHPUT: Term = term("Throughput");
/// Terms about the cost of machines.
pub const BOUGHT: Term = term("Electrical and optical cables; a unit of throughput");
pub const MPC: Term = term("Mean placement calculation, MPC(<var>S</var>)");
pub const LOG_UNIFORM: Term = term("Log-uniform mean");
pub const BEST_AT: Term = term("Best at");
pub const STEP: Term = term("Mean step");
pub const RANDOM: Term = term("Random placement");
pub const FLOOR: Term = term("Proved floor");
pub const SPANNING: Term = term("Windows left out");
pub const COMPACT: Term = term("Compact sets found");
pub const ALLOCATOR: Term = term("Allocator");
pub const MIND: Term = term("MIND, mean distance of a job");
pub const IMPROVEMENT: Term = term("Improvement over fifo:0");
/// Terms of replays beside forecasts.
pub const FORECAST: [Term; 2] = [
    term("Weighted MPC"),
    term("Spearman’s and Kendall’s rank correlation"),
];
/// Terms of schedules.
pub const QUEUE: [Term; 3] = [
    term("Wait, response"),
    term("Bounded slowdown"),
    term("Policy"),
];
/// Terms of run times in schedules.
pub const RUNTIMES: [Term; 3] = [term("Runtime model"), term("Utilisation"), term("Makespan")];
pub const GUEST: Term = term("Mapping, guest, routing");
pub const DILATION: Term = term("Dilation");
pub const CONTENTION: Term = term("Contention");
pub const INTERVAL: Term = term("95 % interval");
pub const SLOWDOWN: Term = term("Slowdown");
/// Terms of snapshots.
pub const SNAPSHOT: [Term; 3] = [
    term("Unit, level"),
    term("Held, out"),
    term("Largest job within one unit"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_is_explained_once() {
        let source = include_str!("terms.rs").replace("#[cfg(test)]", "\0");
        let code = source.split('\0').next().unwrap();
        let mut named: Vec<&str> = code
            .split("term(\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        let mut explained: Vec<&str> = MEANINGS
            .split("\n\n")
            .map(|text| text.lines().next().unwrap())
            .collect();
        named.sort_unstable();
        explained.sort_unstable();
        assert_eq!(named, explained);
        assert!(named.is_sorted_by(|a, b| a < b));
        assert!(named.len() > 30);
        assert_eq!(
            term("Makespan").meaning(),
            "The time from the first submission to the last end."
        );
    }
}
