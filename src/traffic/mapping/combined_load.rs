//! Several jobs on one machine at a time: load of the links, and number of jobs that share them.

use nodeorder_network::RouterGraph;

/// Smallest load that is kept: loads are whole multiples of it, so that a job which leaves takes away exactly what it
/// brought and the order of jobs does not show.
const UNIT: f64 = 1.0 / (1u64 << 40) as f64;

/// Loads of one job, which are added when it starts and taken away when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLoad {
    /// Links that carry something of the job, ascending, with its load in [`UNIT`]s.
    links: Vec<(u32, i128)>,
}

impl JobLoad {
    /// Keeps the loads of links that are not idle, of those of every directed link. A load is rounded to 2⁻⁴⁰.
    pub fn new(loads: &[f64]) -> Self {
        let links = (0..).zip(loads).filter(|(_, load)| **load > 0.0);
        JobLoad {
            links: links
                .map(|(i, load)| (i, (load / UNIT).round() as i128))
                .collect(),
        }
    }

    /// Iterates over the links that the job loads, ascending.
    pub fn loaded_links(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.links.iter().map(|(i, _)| *i as usize)
    }
}

/// Load of the links, and the number of jobs on each, summed over all running jobs.
///
/// # Examples
/// ```
/// use nodeorder_traffic::mapping::{JobLoad, CombinedLoad};
/// let (a, b) = (JobLoad::new(&[1.0, 0.1]), JobLoad::new(&[0.0, 0.2]));
/// let mut load = CombinedLoad::new(2);
/// load.add_job(&a);
/// load.add_job(&b);
/// assert!((load.link_load(1) - 0.3).abs() < 1e-9);
/// load.remove_job(&a);
/// load.remove_job(&b);
/// assert_eq!(load.link_load(1), 0.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedLoad {
    /// Load of each directed link, in [`UNIT`]s.
    loads: Vec<i128>,
    /// Number of jobs on each directed link.
    jobs: Vec<u32>,
}

impl CombinedLoad {
    /// Creates the load of a machine of `links` directed links without jobs. 20 bytes a link.
    pub fn new(links: usize) -> Self {
        CombinedLoad {
            loads: vec![0; links],
            jobs: vec![0; links],
        }
    }

    /// Adds the load of a job that starts. O(links it loads).
    ///
    /// # Panics
    /// When the job was routed on a machine of more links.
    pub fn add_job(&mut self, job: &JobLoad) {
        for (link, load) in &job.links {
            let link = *link as usize;
            self.loads[link] += load;
            self.jobs[link] += 1;
        }
    }

    /// Takes away the load of a job that ends and was added before.
    ///
    /// # Panics
    /// When one of its links has no job.
    pub fn remove_job(&mut self, job: &JobLoad) {
        for (link, load) in &job.links {
            let link = *link as usize;
            assert!(
                self.jobs[link] > 0,
                "a job is removed once, after it was added"
            );
            self.loads[link] -= load;
            self.jobs[link] -= 1;
        }
    }

    /// Computes the load of a directed link, in the unit of the volumes.
    pub fn link_load(&self, link: usize) -> f64 {
        self.loads[link] as f64 * UNIT
    }

    /// Finds the largest number of jobs on one link of a job that is (or would be) among the running ones, itself
    /// included, and the highest contention on its links.
    pub fn most_on_links(&self, links: &RouterGraph, job: &JobLoad) -> (u32, f64) {
        let mut jobs = 0;
        let mut most = 0f64;
        for link in job.loaded_links() {
            jobs = jobs.max(self.jobs[link]);
            most = most.max(self.link_load(link) / links.capacity(link));
        }
        (jobs, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// After jobs came and went in any order, the sum is that of the jobs left.
        #[test]
        fn what_leaves_leaves_nothing_behind(
            jobs in prop::collection::vec(prop::collection::vec(0.0f64..1e9, 6), 1..8),
            stays in prop::collection::vec(any::<bool>(), 8),
        ) {
            let jobs: Vec<JobLoad> = jobs.iter().map(|loads| {
                // Some links idle.
                let loads: Vec<f64> = loads.iter().map(|l| if *l < 2e8 { 0.0 } else { *l }).collect();
                JobLoad::new(&loads)
            }).collect();
            let mut load = CombinedLoad::new(6);
            jobs.iter().for_each(|job| load.add_job(job));
            for (job, stays) in jobs.iter().zip(&stays).rev() {
                if !stays {
                    load.remove_job(job);
                }
            }
            let mut fresh = CombinedLoad::new(6);
            jobs.iter().zip(&stays).filter(|(_, s)| **s).for_each(|(job, _)| fresh.add_job(job));
            prop_assert_eq!(&load, &fresh);
            let links: usize = jobs.iter().zip(&stays).filter(|(_, s)| **s).map(|(j, _)| j.loaded_links().len()).sum();
            prop_assert_eq!(load.jobs.iter().sum::<u32>() as usize, links);
        }

        #[test]
        fn loads_are_kept_to_a_fine_unit(load in 0.0f64..1e12) {
            let mut sum = CombinedLoad::new(1);
            sum.add_job(&JobLoad::new(&[load]));
            prop_assert!((sum.link_load(0) - load).abs() <= UNIT / 2.0 + load * f64::EPSILON);
        }
    }
}
