//! A plan: its lists and the cells that these multiply to. Rows, journals and shards have the cells in one order:
//! topologies outermost, then seeds, orderings, and the work of each kind of row.

use std::path::Path;

use super::check::Remarks;
use super::kinds::KINDS;
use super::lists::{PlanLists, Work};
use super::spec::{Lists, PlanSpec};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;
use nodeorder_network::topology::Context;

/// Most cells of a plan.
const MOST: usize = 100_000_000;

/// The lists of a sweep and the work that follows from them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The lists, as the plan writes them.
    pub lists: PlanLists,
    /// What its results rest on.
    pub remarks: Remarks,
    /// The work with each ordering of each machine, in the order of the rows.
    works: Vec<Work>,
}

/// One combination of the plan's lists, by indices into them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The machine.
    pub topology: usize,
    /// The seed.
    pub seed: usize,
    /// The ordering.
    pub ordering: usize,
    /// The work with them.
    pub work: Work,
}

/// All cells of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'p>(&'p Plan);

impl Cells<'_> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.per_machine() * self.0.lists.topologies.len() * self.0.lists.seeds.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// How many belong to one ordering; they follow one another.
    pub(super) fn per_ordering(self) -> usize {
        self.0.works.len()
    }

    /// How many belong to one machine and seed; they follow one another.
    pub(super) fn per_machine(self) -> usize {
        self.per_ordering() * self.0.lists.orderings.len()
    }

    /// A cell by its number.
    pub fn get(self, cell: usize) -> Cell {
        let (machine, ordering) = (cell / self.per_machine(), cell / self.per_ordering());
        Cell {
            topology: machine / self.0.lists.seeds.len(),
            seed: machine % self.0.lists.seeds.len(),
            ordering: ordering % self.0.lists.orderings.len(),
            work: self.0.works[cell % self.per_ordering()],
        }
    }
}

impl Plan {
    /// Reads a plan and checks it whole: options, files, and on every machine what depends on it. Paths in it are relative
    /// to `base`, the file it came from.
    ///
    /// # Errors
    /// With file and line: bad TOML, unknown keys, lists that belong together and do not stand together, something twice,
    /// too many cells; else everything that is wrong with what the plan names.
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
            spec.seeds.push(context.seed);
        }
        let location = SourceLocation::option(&spec.name);
        Plan::resolve(&spec, &spec.locate()?, None, location, context)
    }

    fn resolve(
        spec: &PlanSpec,
        located: &Lists,
        base: Option<&Path>,
        location: SourceLocation,
        context: &Context,
    ) -> Result<Self> {
        let mut lists = PlanLists::resolve(spec, located, base)?;
        // Before anything is made of them: long lists may multiply to anything.
        let (count, per_ordering) = lists.count();
        if count > MOST as f64 {
            let found = format!("{count:.0} cells");
            return Err(Error::input(location, found, format!("at most {MOST}")));
        }
        let bytes = per_ordering * size_of::<Work>() as f64;
        context.require("the combinations of an ordering", bytes as u64)?;
        let remarks = lists.check(located, context)?;
        lists.fingerprint()?;
        let mut works = Vec::new();
        for (kind, of) in KINDS.iter().enumerate() {
            works.extend(
                (of.works)(&lists)
                    .into_iter()
                    .map(|work| Work { kind, ..work }),
            );
        }
        let plan = Plan {
            lists,
            remarks,
            works,
        };
        debug_assert_eq!(plan.cells().len() as f64, count);
        Ok(plan)
    }

    /// Whether some rows are of the kind with this index.
    pub(super) fn has_kind(&self, kind: usize) -> bool {
        self.works.iter().any(|work| work.kind == kind)
    }

    /// The cells, in their order.
    pub fn cells(&self) -> Cells<'_> {
        Cells(self)
    }
}
