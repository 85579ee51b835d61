//! Options of jobs that are replayed and scheduled: allocators, policy and runtime model, with their defaults.

use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_jobs::allocator::ALLOCATORS;
use nodeorder_jobs::replay::prediction::DEFAULT_ALLOCATORS;
use nodeorder_jobs::schedule::orderings::{
    DEFAULT_ALLOCATOR, DEFAULT_MODEL, DEFAULT_POLICY, OTHER_MODELS, TraceSettings,
};
use nodeorder_jobs::schedule::{Task, model, policy};
use nodeorder_trace::Trace;

/// The options `--alloc`, `--policy` and `--model`.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadOptions<'a> {
    /// Allocators of the replay, the first also of the schedule; none for the default ones.
    pub allocators: &'a [String],
    /// The policy, `none` for no schedule.
    pub policy: Option<&'a str>,
    /// The runtime model.
    pub model: Option<&'a str>,
}

impl<'a> WorkloadOptions<'a> {
    /// The allocators of the replay.
    pub fn allocators(&self) -> Vec<String> {
        match self.allocators {
            [] => DEFAULT_ALLOCATORS.map(String::from).to_vec(),
            given => given.to_vec(),
        }
    }

    /// The policy of the schedule, unless there shall be none.
    pub fn scheduled(&self) -> Option<&'a str> {
        Some(self.policy.unwrap_or(DEFAULT_POLICY)).filter(|policy| *policy != "none")
    }

    /// Checks all of it before anything is computed.
    ///
    /// # Errors
    /// An unknown allocator, policy or model; a model without a policy.
    pub fn check(&self) -> Result<()> {
        self.allocators
            .iter()
            .try_for_each(|text| ALLOCATORS.find(text).map(|_| ()))?;
        self.scheduled().map(policy::check).transpose()?;
        let Some(text) = self.model else {
            return Ok(());
        };
        model::check(text)?;
        match self.scheduled() {
            Some(_) => Ok(()),
            None => {
                let found = "--policy none, which schedules nothing";
                Err(refused("--model", text, found, "a policy"))
            }
        }
    }

    /// Checks that nothing is asked that a placement log, called `name`, cannot have.
    ///
    /// # Errors
    /// A policy or a model.
    pub fn check_log(&self, name: &str) -> Result<()> {
        let mut given = [("--policy", self.policy), ("--model", self.model)].into_iter();
        let Some((option, text)) = given.find_map(|(option, text)| Some((option, text?))) else {
            return Ok(());
        };
        let expected = "an SWF trace, whose jobs have times";
        Err(refused(
            option,
            text,
            format!("{name}, a placement log"),
            expected,
        ))
    }

    /// The jobs of a trace and how they are scheduled.
    pub fn queue(&self, trace: &Trace) -> Option<(Vec<Task>, TraceSettings)> {
        let settings = TraceSettings {
            trace: trace.name().to_string(),
            policy: self.scheduled()?.to_string(),
            allocator: self
                .allocators
                .first()
                .map_or(DEFAULT_ALLOCATOR, String::as_str)
                .to_string(),
            model: self.model.unwrap_or(DEFAULT_MODEL).to_string(),
            other_models: match self.model {
                None => OTHER_MODELS.map(String::from).to_vec(),
                Some(_) => Vec::new(),
            },
            waits: trace
                .by_submit()
                .iter()
                .map(|i| trace.jobs()[*i as usize].wait)
                .collect(),
        };
        Some((Task::of(trace), settings))
    }
}

/// The error of an option with a value that something else rules out.
fn refused(option: &str, value: &str, found: impl Into<String>, expected: &str) -> Error {
    Error::input(
        SourceLocation::option(format!("{option} {value}")),
        found,
        expected,
    )
}
