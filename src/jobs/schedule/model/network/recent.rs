//! Jobs placed not long ago: one on the same nodes again needs no new routes.

use std::collections::VecDeque;
use std::sync::Arc;

use nodeorder_base::ids::NodeId;
use nodeorder_traffic::corun::PlacedJob;

/// Pairs of processes of the jobs kept, at most: about 80 MB.
const PAIRS: u64 = 200_000;

/// Application, nodes of the task, and nodes of its processes.
pub(super) type Place = (u32, u32, Vec<NodeId>);

/// A job, and how many of its seconds alone are latency.
type Found = (Arc<PlacedJob>, f64);

/// The last jobs placed, with their pairs of processes.
#[derive(Default)]
pub(super) struct RecentJobs(VecDeque<(Place, u64, Found)>);

impl RecentJobs {
    /// The job of this place.
    pub fn find(&self, place: &Place) -> Option<Found> {
        self.0
            .iter()
            .find(|(known, ..)| known == place)
            .map(|(.., job)| job.clone())
    }

    /// Keeps a job; the oldest ones go.
    pub fn keep(&mut self, place: Place, pairs: u64, job: Found) {
        self.0.push_back((place, pairs, job));
        let mut all: u64 = self.0.iter().map(|(_, pairs, _)| pairs).sum();
        while all > PAIRS {
            all -= self.0.pop_front().map_or(all, |(_, pairs, _)| pairs);
        }
    }
}
