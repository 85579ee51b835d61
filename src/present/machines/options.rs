//! Options of a workload that is replayed and scheduled: allocators, policy and runtime model, with their defaults.

use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_jobs::allocator::ALLOCATORS;
use nodeorder_jobs::replay::prediction::DEFAULT_ALLOCATORS;
use nodeorder_jobs::schedule::orderings::{
    DEFAULT_ALLOCATOR, DEFAULT_MODEL, DEFAULT_POLICY, OTHER_MODELS, TraceSettings,
};
use nodeorder_jobs::schedule::{Task, model, policy};
use nodeorder_trace::Trace;

/// The options `--alloc`, `--policy` and `--model`, as given.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadOptions<'a> {
    /// Allocators of the replay, the first also of the schedule; empty for the default ones.
    pub allocators: &'a [String],
    /// Policy of the schedule: `none` for no schedule, nothing for the default one.
    pub policy: Option<&'a str>,
    /// Runtime model of the schedule; nothing for the default one.
    pub model: Option<&'a str>,
}

impl<'a> WorkloadOptions<'a> {
    /// Lists the allocators of the replay, those given or the default ones.
    pub fn allocators(&self) -> Vec<String> {
        match self.allocators {
            // An empty list is no request for no allocator.
            [] => DEFAULT_ALLOCATORS.map(String::from).to_vec(),
            given => given.to_vec(),
        }
    }

    /// Chooses the policy of the schedule. `None` if nothing is to be scheduled.
    pub fn schedule_policy(&self) -> Option<&'a str> {
        Some(self.policy.unwrap_or(DEFAULT_POLICY)).filter(|policy| *policy != "none")
    }

    /// Checks that allocators, policy and model exist, before anything is computed.
    ///
    /// # Errors
    /// An unknown allocator, policy or model; a model without a policy.
    pub fn check(&self) -> Result<()> {
        self.allocators
            .iter()
            .try_for_each(|text| ALLOCATORS.find(text).map(|_| ()))?;
        self.schedule_policy()
            .map(policy::check_policy)
            .transpose()?;
        // The default model needs no check, and is no contradiction to `none`.
        let Some(text) = self.model else {
            return Ok(());
        };
        model::check_name(text)?;
        if self.schedule_policy().is_some() {
            return Ok(());
        }
        let found = "--policy none, which schedules nothing";
        Err(conflicting_option_error("--model", text, found, "a policy"))
    }

    /// Checks that nothing is asked that the placement log called `name` cannot have: its jobs have no times.
    ///
    /// # Errors
    /// A policy or a model.
    pub fn check_log(&self, name: &str) -> Result<()> {
        for (option, given) in [("--policy", self.policy), ("--model", self.model)] {
            if let Some(text) = given {
                let found = format!("{name}, a placement log");
                let expected = "an SWF trace, whose jobs have times";
                return Err(conflicting_option_error(option, text, found, expected));
            }
        }
        Ok(())
    }

    /// Lists the jobs of a trace and how they are scheduled. `None` if nothing is to be scheduled.
    pub fn schedule_inputs(&self, trace: &Trace) -> Option<(Vec<Task>, TraceSettings)> {
        let settings = TraceSettings {
            trace: trace.name().to_string(),
            policy: self.schedule_policy()?.to_string(),
            allocator: self
                .allocators
                .first()
                .map_or(DEFAULT_ALLOCATOR, String::as_str)
                .to_string(),
            model: self.model.unwrap_or(DEFAULT_MODEL).to_string(),
            // Savings rest on the model: without one given, they are found under several.
            other_models: match self.model {
                None => OTHER_MODELS.map(String::from).to_vec(),
                Some(_) => Vec::new(),
            },
            // Recorded waits, by the jobs' places in the queue: what schedules are compared with.
            waits: trace
                .by_submit()
                .iter()
                .map(|i| trace.jobs()[*i as usize].wait)
                .collect(),
        };
        Some((Task::from_trace(trace), settings))
    }
}

/// Makes the error of an option whose value something else rules out.
fn conflicting_option_error(
    option: &str,
    value: &str,
    found: impl Into<String>,
    expected: &str,
) -> Error {
    Error::input(
        SourceLocation::option(format!("{option} {value}")),
        found,
        expected,
    )
}
