//! The table of mapping methods.

use super::entry::ParseMethod;
use super::{best, bisection, greedy, grid, rank, refine, tabu};
use nodeorder_base::Registry;

/// Every mapping method.
pub static METHODS: Registry<ParseMethod> = Registry::new(
    "mapping method",
    "--map",
    &[
        rank::METHOD,
        bisection::METHOD,
        greedy::METHOD,
        refine::METHOD,
        tabu::METHOD,
        grid::METHOD,
        best::METHOD,
    ],
);
