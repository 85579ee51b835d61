//! Options that jobs get by their sizes, from a table of rules.

use super::entry::{Allocator, Choice, JobRules, PodRules};
use nodeorder_base::error::Result;
use nodeorder_base::ranks::{FreeSet, Ranks};
use nodeorder_trace::{JobOptions, Rules};

/// An allocator whose jobs get the options of a table of rules where they give none of their own.
pub(super) struct Ruled<'a> {
    inner: Box<dyn Allocator + 'a>,
    rules: Rules,
    /// Options that the next job gives itself.
    own: Option<JobOptions>,
    /// Whether the next job has waited for [`JobRules::max_wait`].
    expired: bool,
}

impl<'a> Ruled<'a> {
    /// Wraps an allocator.
    ///
    /// # Errors
    /// A rule whose options the allocator does not have, with its line.
    pub fn new(mut inner: Box<dyn Allocator + 'a>, rules: &Rules) -> Result<Self> {
        // Each rule is tried once, so that a fault is seen before the first job.
        for options in rules.all() {
            inner.set_options(Some(options))?;
        }
        inner.set_options(None)?;
        Ok(Ruled {
            inner,
            rules: rules.clone(),
            own: None,
            expired: false,
        })
    }

    /// Sets the options of a job of `count` nodes.
    fn apply(&mut self, count: u32) -> Result<()> {
        let options = self.rules.options(count, self.own.as_ref());
        self.inner.set_options(options.as_ref())
    }
}

impl Allocator for Ruled<'_> {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let fault = self.apply(count).err();
        if std::mem::take(&mut self.expired) {
            self.inner.wait_expired();
        }
        self.own = None;
        match fault {
            None => self.inner.choose(free, count, chosen),
            Some(error) => Choice::Never(error.to_string().into()),
        }
    }

    fn may_refuse(&self) -> bool {
        self.inner.may_refuse()
    }

    fn largest(&mut self, free: &FreeSet) -> u32 {
        self.inner.largest(free)
    }

    fn total_distance(&self) -> Option<u64> {
        self.inner.total_distance()
    }

    fn jobs(&mut self) -> Option<&mut dyn JobRules> {
        Some(self)
    }

    fn pods(&mut self) -> Option<&mut dyn PodRules> {
        self.inner.pods()
    }
}

impl JobRules for Ruled<'_> {
    fn set_options(&mut self, options: Option<&JobOptions>) -> Result<()> {
        self.own = options.cloned();
        self.inner.set_options(options)
    }

    fn sizes(&mut self, count: u32) -> (u32, u32) {
        // A fault here is the answer of the choice that follows.
        let _ = self.apply(count);
        self.inner.sizes(count)
    }

    fn max_wait(&mut self, count: u32) -> Option<i64> {
        let _ = self.apply(count);
        self.inner.max_wait(count)
    }

    fn wait_expired(&mut self) {
        self.expired = true;
    }

    fn fragmentation(&mut self, free: &FreeSet) -> Option<u64> {
        self.inner.jobs()?.fragmentation(free)
    }
}
