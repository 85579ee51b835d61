//! Options that jobs get by their sizes, from a table of rules.

use super::entry::{Allocator, Choice, PodRules};
use nodeorder_base::{FreeSet, Ranks, Result};
use nodeorder_trace::{JobOptions, Rules};

/// An allocator whose jobs get the options of a table of rules where they give none of their own.
pub struct RuledAllocator<'a> {
    inner: Box<dyn Allocator + 'a>,
    rules: Rules,
    /// Options that the next job gives itself.
    own_options: Option<JobOptions>,
    /// Whether the next job has waited for [`Allocator::max_wait`].
    expired: bool,
}

impl<'a> RuledAllocator<'a> {
    /// Wraps an allocator.
    ///
    /// # Errors
    /// A rule whose options the allocator does not have, with its line.
    pub fn new(mut inner: Box<dyn Allocator + 'a>, rules: &Rules) -> Result<Self> {
        // Each rule is tried once, so that a fault is seen before the first job.
        for options in rules.all_options() {
            inner.set_options(Some(options))?;
        }
        inner.set_options(None)?;
        Ok(RuledAllocator {
            inner,
            rules: rules.clone(),
            own_options: None,
            expired: false,
        })
    }

    /// Sets the options of a job of `count` nodes.
    fn set_job_options(&mut self, count: u32) -> Result<()> {
        let options = self.rules.merge_options(count, self.own_options.as_ref());
        self.inner.set_options(options.as_ref())
    }
}

impl Allocator for RuledAllocator<'_> {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let fault = self.set_job_options(count).err();
        if std::mem::take(&mut self.expired) {
            self.inner.wait_expired();
        }
        self.own_options = None;
        match fault {
            None => self.inner.choose_ranks(free, count, chosen),
            Some(error) => Choice::Never(error.to_string().into()),
        }
    }

    fn may_refuse(&self) -> bool {
        self.inner.may_refuse()
    }

    fn largest_job(&mut self, free: &FreeSet) -> u32 {
        self.inner.largest_job(free)
    }

    fn total_distance(&self) -> Option<u64> {
        self.inner.total_distance()
    }

    fn list_refreshes(&self) -> u64 {
        self.inner.list_refreshes()
    }

    fn pod_rules(&mut self) -> Option<&mut dyn PodRules> {
        self.inner.pod_rules()
    }

    fn set_options(&mut self, options: Option<&JobOptions>) -> Result<()> {
        self.own_options = options.cloned();
        self.inner.set_options(options)
    }

    fn job_sizes(&mut self, count: u32) -> (u32, u32) {
        // A fault here is the answer of the choice that follows.
        let _ = self.set_job_options(count);
        self.inner.job_sizes(count)
    }

    fn max_wait(&mut self, count: u32) -> Option<i64> {
        let _ = self.set_job_options(count);
        self.inner.max_wait(count)
    }

    fn wait_expired(&mut self) {
        self.expired = true;
    }

    fn count_broken_nodes(&mut self, free: &FreeSet) -> Option<u64> {
        self.inner.count_broken_nodes(free)
    }
}
