//! A plan: its lists and the cells that these multiply to. Rows, journals and shards have the cells in one order:
//! topologies outermost, then seeds, orderings, and what each kind of row combines.

use std::path::Path;

use super::check::Remarks;
use super::kinds::KINDS;
use super::lists::{Cell, CellSpec, PlanLists};
use super::spec::{PlanSpec, TextLists};
use nodeorder_base::{Error, Result, SourceLocation, Text};
use nodeorder_network::Context;

/// Most cells of a plan.
const MOST: usize = 100_000_000;

/// The lists of a sweep and the cells that follow from them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The lists, as the plan writes them.
    pub lists: PlanLists,
    /// Assumptions that the results rest on, in sentences.
    pub remarks: Remarks,
    /// Cells of each ordering of each machine, in the order of the rows.
    specs: Vec<CellSpec>,
}

/// All cells of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'p>(&'p Plan);

impl Cells<'_> {
    /// Counts the cells.
    pub fn len(self) -> usize {
        let lists = &self.0.lists;
        self.0.specs.len() * lists.orderings.len() * lists.seeds.len() * lists.topologies.len()
    }

    /// Checks whether there is no cell.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Computes the cell of this number.
    pub fn get(self, number: usize) -> Cell {
        let Plan { lists, specs, .. } = self.0;
        // Cells are computed from their number and never kept in a list: a plan may have a hundred million.
        let ordering = number / specs.len();
        let machine = ordering / lists.orderings.len();
        Cell {
            number,
            topology: machine / lists.seeds.len(),
            seed: machine % lists.seeds.len(),
            ordering: ordering % lists.orderings.len(),
            spec: specs[number % specs.len()],
        }
    }
}

impl Plan {
    /// Reads a plan and checks it whole: options, files, and on every machine what depends on it. Paths in it are
    /// relative to `base`, the file it came from.
    ///
    /// # Errors
    /// With file and line: bad TOML, unknown keys, lists that belong together and do not stand together,
    /// something twice, too many cells; else everything that is wrong with what the plan names.
    pub fn read(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        let (spec, lists) = PlanSpec::read(text, base, context.seed)?;
        let location = SourceLocation::File(text.name().into());
        Plan::resolve(&spec, &lists, base, location, context)
    }

    /// Makes a plan of the lists of a program and checks it as [`Plan::read`] does.
    ///
    /// # Errors
    /// As [`Plan::read`]; the texts of the lists stand in the place of file and line.
    pub fn new(mut spec: PlanSpec, context: &Context) -> Result<Self> {
        if spec.seeds.is_empty() {
            // A file without seeds takes the seed of the command line; a program's plan does the same.
            spec.seeds.push(context.seed);
        }
        let location = SourceLocation::option(&spec.name);
        Plan::resolve(&spec, &spec.locate_texts()?, None, location, context)
    }

    fn resolve(
        spec: &PlanSpec,
        located: &TextLists,
        base: Option<&Path>,
        location: SourceLocation,
        context: &Context,
    ) -> Result<Self> {
        let mut lists = PlanLists::resolve(spec, located, base)?;
        // Before anything is made of them: long lists may multiply to anything.
        let (count, per_ordering) = lists.count_cells();
        if count > MOST as f64 {
            let found = format!("{count:.0} cells");
            return Err(Error::input(location, found, format!("at most {MOST}")));
        }
        let bytes = per_ordering * size_of::<CellSpec>() as f64;
        context.require_memory("the combinations of an ordering", bytes as u64)?;
        let remarks = lists.check(located, context)?;
        // After the check, which reports a missing file with the line that names it; here only the path would be
        // known.
        lists.hash_plan_and_files()?;
        let mut specs = Vec::new();
        for (kind, entry) in KINDS.iter().enumerate() {
            let cells = (entry.cells)(&lists).into_iter();
            specs.extend(cells.map(|spec| CellSpec { kind, ..spec }));
        }
        let plan = Plan {
            lists,
            remarks,
            specs,
        };
        debug_assert_eq!(plan.cells().len() as f64, count);
        Ok(plan)
    }

    /// Checks whether some rows are of the kind with this index.
    pub(super) fn has_kind(&self, kind: usize) -> bool {
        self.specs.iter().any(|spec| spec.kind == kind)
    }

    /// Returns the cells, in their order.
    pub fn cells(&self) -> Cells<'_> {
        Cells(self)
    }
}
