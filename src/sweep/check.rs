//! Everything that a plan names is checked before its first cell: options, files, and what needs a machine on every
//! machine of the plan.

use std::collections::BTreeSet;

use super::inputs::{check_generator, check_kind};
use super::lists::PlanLists;
use super::spec::TextLists;
use nodeorder_base::params::text_before_colon;
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_jobs::allocator::{self, AllocatorContext};
use nodeorder_jobs::schedule::{model, policy};
use nodeorder_network::catalog;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::Changes;
use nodeorder_traffic::mapping::guest::check_sized_guest;
use nodeorder_traffic::mapping::{FixedRouting, Guest};
use nodeorder_traffic::slowdown::{parse_duty, parse_tilings};

/// Most errors that are reported of one list: what follows in it is then not checked.
const LISTED: usize = 10;

/// The faults of a plan that were found so far.
struct PlanProblems<'l> {
    lists: &'l TextLists,
    /// Items found to be wrong, by list and index: each is reported once.
    wrong: BTreeSet<(&'static str, usize)>,
    errors: Vec<Error>,
    remarks: Remarks,
}

/// Assumptions that a plan's results rest on, in sentences.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Files of orderings made for another machine, and nodes that they leave out: once a file and machine.
    pub orderings: Vec<String>,
    /// What is assumed of routings, once a model, and of the capacities of links, where figures rest on them: once a
    /// machine.
    pub assumed: Vec<String>,
    /// Schedulable nodes of each machine.
    pub(super) nodes: Vec<u64>,
}

impl PlanLists {
    /// Checks every item of the lists; nothing is computed. What is right may have remarks. Errors: all problems,
    /// up to some number of each list, each with its line.
    pub(super) fn check(&self, lists: &TextLists, context: &Context) -> Result<Remarks> {
        let context = Context {
            // Options do not depend on the seed, and a machine of each seed would be made for nothing.
            seed: self.seeds[0],
            ..*context
        };
        let mut problems = PlanProblems {
            lists,
            wrong: BTreeSet::new(),
            errors: Vec::new(),
            remarks: Remarks::default(),
        };
        let logs = lists["logs"].len();
        problems.check_items("logs", |i| self.check_workload(i, &context));
        problems.check_items("traces", |i| self.check_workload(logs + i, &context));
        problems.check_items("transforms", |i| {
            Changes::parse(&self.transforms[i], 1).map(drop)
        });
        problems.check_items("policies", |i| policy::check_policy(&self.policies[i]));
        problems.check_items("routings", |i| {
            // Slowdowns take a routing that looks at a job by itself, too.
            if !self.duty.is_empty() {
                return FixedRouting::find_for_jobs(&self.routings[i]).map(drop);
            }
            FixedRouting::find_by_name(&self.routings[i]).map(drop)
        });
        problems.check_items("duty", |i| parse_duty(&self.duty[i]).map(drop));
        problems.check_items("tilings", |i| parse_tilings(&self.tilings[i]).map(drop));
        problems.check_items("guests", |i| {
            if !self.duty.is_empty() {
                return check_sized_guest(&self.guests[i].text);
            }
            none_if_unsuited(Guest::check_options(&self.guests[i].located, &context)).map(drop)
        });
        for ((given, _), model) in lists["models"].iter().zip(&self.models) {
            if *given != model.text {
                problems.remarks.assumed.push(format!(
                    "{given}: taken as {} on every machine, so that kinds of machines do not decide a ranking",
                    model.text
                ));
            }
        }
        // A machine is made whole, and gone before the next.
        problems.check_with("topologies", |problems, i| {
            let topology = catalog::topology(&self.topologies[i].located, &context)?;
            // One for each machine in their order: with a machine that fails the plan fails, and nobody reads them.
            problems.remarks.nodes.push(topology.node_count() as u64);
            self.check_on(&topology, problems)
        });
        problems.report_problems()
    }

    fn check_workload(&self, index: usize, context: &Context) -> Result<()> {
        let workload = &self.workloads[index];
        match &workload.generator {
            Some(spec) => check_generator(spec, workload.is_trace),
            None => check_kind(workload, context.memory),
        }
    }

    /// Checks what depends on a machine. What does not suit it makes rows that say so, and is no problem here.
    fn check_on(&self, topology: &Topology, problems: &mut PlanProblems<'_>) -> Result<()> {
        if !self.guests.is_empty() || self.models.iter().any(|spec| model::uses_links(&spec.text)) {
            problems
                .remarks
                .assumed
                .extend(topology.capacity_assumption());
        }
        problems.check_with("orderings", |problems, i| {
            let order =
                none_if_unsuited(NodeOrder::check(topology, &self.orderings[i].located))?.flatten();
            problems
                .remarks
                .orderings
                .extend(order.iter().flat_map(|o| o.list_remarks(topology)));
            Ok(())
        });
        if self.workloads.is_empty() {
            return Ok(());
        }
        // Any ordering would do: whether options of allocators and models are valid does not depend on the order of
        // nodes.
        let order = NodeOrder::make(topology, "row-major")?;
        // On such a machine every workload's row is a note; there is nothing to check allocators with.
        let Some(distances) = none_if_unsuited(RankDistances::new(topology, &order))? else {
            return Ok(());
        };
        let context = AllocatorContext {
            topology,
            order: &order,
            distances: &distances,
        };
        problems.check_items("allocators", |i| {
            none_if_unsuited(allocator::make(&self.allocators[i].located, &context)).map(drop)
        });
        problems.check_items("models", |i| {
            none_if_unsuited(model::check_on_machine(&self.models[i].located, &context)).map(drop)
        });
        Ok(())
    }
}

impl PlanProblems<'_> {
    /// Checks the items of a list; skips those that are known to be wrong.
    fn check_items(&mut self, list: &'static str, check: impl Fn(usize) -> Result<()>) {
        self.check_with(list, |_, i| check(i));
    }

    fn check_with(
        &mut self,
        list: &'static str,
        mut check: impl FnMut(&mut Self, usize) -> Result<()>,
    ) {
        for (i, (text, location)) in self.lists[list].iter().enumerate() {
            // A plan that a script wrote may have thousands of equal errors: the first few tell as much.
            let listed = self.wrong.range((list, 0)..=(list, usize::MAX)).count();
            if listed == LISTED {
                return;
            }
            // Orderings and allocators are checked on every machine; a wrong one would be reported with each.
            if !self.wrong.contains(&(list, i))
                && let Err(error) = check(self, i)
            {
                self.wrong.insert((list, i));
                self.errors.push(locate_error(location, text, error));
                if listed + 1 == LISTED {
                    let found = format!("{LISTED} errors in `{list}` so far");
                    let expected = "these mended first: what follows in it is not checked";
                    self.errors
                        .push(Error::input(location.clone(), found, expected));
                }
            }
        }
    }

    /// Reports all problems in the order of their lines; the remarks if there are none.
    fn report_problems(mut self) -> Result<Remarks> {
        // Lists are checked in an order of their own; people mend a file from top to bottom.
        self.errors.sort_by_key(|error| match error {
            Error::Named {
                location: SourceLocation::Line { line, .. },
                ..
            }
            | Error::Input {
                location: SourceLocation::Line { line, .. },
                ..
            } => *line,
            _ => 0,
        });
        match self.errors.len() {
            0 => Ok(self.remarks),
            1 => Err(self.errors.remove(0)),
            _ => Err(Error::Several(self.errors)),
        }
    }
}

/// Turns a result that a machine does not suit into `None`: its rows say why.
fn none_if_unsuited<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(Error::Unsuited { .. }) => Ok(None),
        result => result.map(Some),
    }
}

/// Places an error about an item at the line of the plan that has it.
fn locate_error(location: &SourceLocation, text: &str, error: Error) -> Error {
    // A program's plan has no lines: the error is that of what it names.
    if matches!(location, SourceLocation::Option(_)) {
        return error;
    }
    let location = location.clone();
    let name = text_before_colon(text);
    let cause = match error {
        Error::Input {
            location: SourceLocation::Option(_),
            found,
            expected,
        } => {
            // It names the item already.
            if name == text || found.contains(&format!("`{name}")) {
                return Error::input(location, found, expected);
            }
            Error::input(SourceLocation::option(text), found, expected)
        }
        other => other,
    };
    Error::Named {
        location,
        cause: cause.into(),
    }
}
