//! The generators, and the workload that a specification names.

use super::workload::{GeneratedWorkload, ParseWorkload};
use super::{churn, poisson};
use nodeorder_base::{Registry, Result};

/// Every generator.
pub static GENERATORS: Registry<ParseWorkload> = Registry::new(
    "workload",
    "",
    &[
        churn::HECTOR,
        churn::HECTOR_TEN,
        churn::HECTOR_YEAR,
        churn::NERSC,
        churn::LOG,
        poisson::POISSON,
    ],
);

impl GeneratedWorkload {
    /// Makes the workload of a specification such as `hector:placements=300000,nodes=2816,load=0.9,seed=1`;
    /// `seed` is taken where it names none.
    ///
    /// # Errors
    /// An unknown generator or key, a value out of its range, a file of sizes that cannot be read.
    ///
    /// # Complexity
    /// Constant memory, O(log sizes) time a job.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_trace::GeneratedWorkload;
    ///
    /// let log: String = GeneratedWorkload::generate_workload("nersc:placements=10,nodes=64", 1)?.collect();
    /// assert_eq!(log.lines().filter(|line| line.starts_with("P ")).count(), 10);
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn generate_workload(spec: &str, seed: u64) -> Result<GeneratedWorkload> {
        let (generator, params) = GENERATORS.find_and_read(spec, seed)?;
        (generator.parse)(&params)?.generate()
    }
}
