//! Targets drawn at random.

use super::kit::*;
use nodeorder_base::params::SEED;
use nodeorder_base::random::{below, generator};

/// `random:n=64,degree=4,seed=7`: every process to `degree` different others (default 4, or all there
/// are), drawn uniformly.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "random",
    about: "every process to degree= others, drawn uniformly with seed=",
    example: "random:n=64,degree=4,seed=7",
    options: &[
        N,
        Opt::whole("degree", "targets of each process").or_else("4, or all there are"),
        SEED,
        VOLUME,
    ],
    parse: Pattern {
        make: |params, context| {
            let n = count(params)?;
            let degree = params.integer("degree", 0, n - 1)?.unwrap_or(4.min(n - 1));
            let mut random = generator(params.seed()?);
            let mut others = Vec::new();
            list(params, context, n, degree, move |i, send| {
                // Floyd's sample of `degree` from the n-1 others, numbered without i.
                others.clear();
                for last in n - 1 - degree..n - 1 {
                    let drawn = below(u64::from(last) + 1, &mut random) as u32;
                    let taken = others.contains(&drawn);
                    others.push(if taken { last } else { drawn });
                }
                others.iter().for_each(|o| send(o + u32::from(*o >= i)));
            })
        },
        benchmark: None,
        sized: &[],
    },
};
