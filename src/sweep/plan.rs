//! A plan: its lists and the cells that these multiply to. Rows, journals and shards have the cells in one order:
//! topologies outermost, then seeds, orderings, and the work of each kind of row.

use std::path::Path;

use super::kinds::KINDS;
use super::lists::{PlanLists, Work};
use crate::error::{Error, Result, SourceLocation};
use crate::input::Text;
use crate::topology::Context;

/// Most cells of a plan.
const MOST: usize = 100_000_000;

/// The lists of a sweep and the work that follows from them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The lists, as the plan writes them.
    pub lists: PlanLists,
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
        // Long lists may multiply to more than fits; such plans are refused.
        self.per_machine().saturating_mul(self.0.lists.topologies.len() * self.0.lists.seeds.len())
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
        self.per_ordering().saturating_mul(self.0.lists.orderings.len())
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
    /// Reads a plan; paths in it are relative to `base`, the file it came from. Files it names are read once,
    /// for the plan's hash.
    ///
    /// # Errors
    /// With file and line: bad TOML, unknown keys, lists that belong together and do not stand together,
    /// something twice, names that nothing has, files that cannot be read.
    pub fn read(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        let (lists, mut works) = (PlanLists::read(text, base, context)?, Vec::new());
        for (kind, of) in KINDS.iter().enumerate() {
            works.extend((of.works)(&lists).into_iter().map(|work| Work { kind, ..work }));
        }
        let plan = Plan { lists, works };
        let count = plan.cells().len();
        if count > MOST {
            let location = SourceLocation::File(text.name().into());
            let expected = format!("at most {MOST}");
            return Err(Error::input(location, format!("{count} cells"), expected));
        }
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
