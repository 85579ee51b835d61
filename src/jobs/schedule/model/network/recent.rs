//! Cache of jobs placed not long ago: a job of the same application on the same nodes needs no new routes.

use std::collections::VecDeque;
use std::sync::Arc;

use nodeorder_base::NodeId;
use nodeorder_traffic::corun::PlacedJob;

/// Largest number of pairs of processes of the jobs kept, together: about 80 MB.
const MAX_PAIRS: u64 = 200_000;

/// Key of the cache: application, number of nodes of the task, and the node of each process.
pub type JobPlacement = (u32, u32, Vec<NodeId>);

/// Job with its routes, and the seconds of latency in its iteration alone.
type CachedJob = (Arc<PlacedJob>, f64);

/// The last jobs placed, oldest first, each with its number of pairs of processes.
#[derive(Default)]
pub struct RecentJobs(VecDeque<(JobPlacement, u64, CachedJob)>);

impl RecentJobs {
    /// Finds the job of a key; `None` if it is not kept.
    pub fn find_job(&self, place: &JobPlacement) -> Option<CachedJob> {
        self.0
            .iter()
            .find(|(known, ..)| known == place)
            .map(|(.., job)| job.clone())
    }

    /// Adds a job and drops the oldest ones above the limit.
    pub fn add_job(&mut self, place: JobPlacement, pairs: u64, job: CachedJob) {
        self.0.push_back((place, pairs, job));
        let mut all: u64 = self.0.iter().map(|(_, pairs, _)| pairs).sum();
        while all > MAX_PAIRS {
            all -= self.0.pop_front().map_or(all, |(_, pairs, _)| pairs);
        }
    }
}
