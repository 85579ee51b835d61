//! The journal of a sweep: what its finished cells gave, kept between runs.
//!
//! A journal is a text that only grows: a first line, then a line a cell with a checksum. A kill can spoil the last line
//! at most, which then does not count. A cell is known by what it is (machine, ordering, work, seed, the contents of the
//! files that these name), not by its number: where a plan changes, cells that it had before keep what they gave.

use std::collections::{BTreeMap, HashMap};

use super::Plan;
use super::fingerprint::Fingerprint;
use super::inputs::Spec;
use super::kinds::KINDS;
use super::lists::pick;
use super::rows::{self, Table};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_present::columns::Value;

/// Writes and reads the journal of one plan.
pub struct Journal<'p> {
    plan: &'p Plan,
    table: Table<'p>,
}

/// Finished cells of a journal, with their rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The rows of the plan's cells, by number, as lines of its table.
    pub rows: BTreeMap<usize, String>,
    /// How many lines are of cells that the plan does not have.
    pub others: usize,
}

impl<'p> Journal<'p> {
    /// The first line of a journal.
    pub const HEAD: &'static str = "# nodeorder sweep journal of cells\n";

    /// For the cells of `plan`.
    pub fn new(plan: &'p Plan) -> Self {
        Journal {
            plan,
            table: Table::new(plan),
        }
    }

    /// The journal's line for a cell with these values, in the order of [`super::store::columns`].
    ///
    /// # Errors
    /// None in practice: what writing to memory reports.
    pub fn line(&self, cell: usize, values: &[Value<'static>]) -> Result<String> {
        let work = self.plan.cells().get(cell).work;
        let (before, own, _) = self.table.widths(work.kind);
        let own = values[before..before + own]
            .iter()
            .chain(values.last())
            .cloned();
        let body = format!("{} {}", self.key(cell), rows::line(own)?);
        Ok(format!("{} {body}", Fingerprint::of(body.as_bytes())))
    }

    /// Reads the finished cells from a journal.
    ///
    /// # Errors
    /// Something else than a journal; one whose lines are all of other cells. Lines that a kill left incomplete are passed
    /// over.
    pub fn read(&self, name: &str, bytes: &[u8]) -> Result<Kept> {
        let mut lines = bytes.split_inclusive(|b| *b == b'\n').peekable();
        let first = lines.next().unwrap_or_default();
        let wrong = |found: String| {
            let expected = "a journal of this plan's cells: go on in an empty folder, or remove the journal to lose \
                            what it holds";
            Err(Error::input(SourceLocation::line(name, 1), found, expected))
        };
        if first != Self::HEAD.as_bytes() {
            return wrong(match std::str::from_utf8(first) {
                Ok(text) if text.starts_with("# nodeorder sweep journal") => {
                    format!(
                        "`{}`, of another version",
                        text.trim_start_matches("# ").trim_end()
                    )
                }
                _ => "something else than a journal".into(),
            });
        }
        let mut kept = Kept::default();
        if lines.peek().is_none() {
            return Ok(kept);
        }
        let cells = 0..self.plan.cells().len();
        let numbers: HashMap<String, usize> = cells.map(|c| (self.key(c).to_string(), c)).collect();
        for line in lines {
            let entry = || -> Option<(&str, &str)> {
                let line = std::str::from_utf8(line).ok()?;
                let (sum, body) = line.split_once(' ')?;
                // A kill may cut the line anywhere: only the checksum tells that it is whole.
                (line.ends_with('\n') && Fingerprint::of(body.as_bytes()).to_string() == sum)
                    .then_some(())?;
                body.trim_end_matches('\n').split_once(' ')
            };
            let Some((key, own)) = entry() else { continue };
            match numbers.get(key) {
                Some(number) => {
                    let cell = self.plan.cells().get(*number);
                    kept.rows.insert(*number, self.table.whole(&cell, own)?);
                }
                None => kept.others += 1,
            }
        }
        match kept.rows.is_empty() && kept.others > 0 {
            true => wrong(format!(
                "{} rows, none of them of a cell of this plan",
                kept.others
            )),
            false => Ok(kept),
        }
    }

    /// Key of a cell: all that its row depends on.
    fn key(&self, number: usize) -> Fingerprint {
        let (lists, cell) = (&self.plan.lists, self.plan.cells().get(number));
        let work = &cell.work;
        let spec = |spec: Option<&'p Spec>| spec.map_or(["", ""], |s| [&s.text, &s.contents]);
        let text = |list: &'p [String], index| pick(list, index).map_or("", |text| text);
        let workload = pick(&lists.workloads, work.workload);
        let procs = pick(&lists.procs_per_node, work.procs).map(u32::to_string);
        let flags = format!("{} {}", lists.shape, lists.room);
        let mut key = Fingerprint::EMPTY;
        // The number is raised where rows change their meaning: journals of older versions are then of no use.
        let parts = [
            ["nodeorder cell 1", env!("CARGO_PKG_VERSION")],
            [KINDS[work.kind].name, &flags],
            spec(lists.topologies.get(cell.topology)),
            spec(lists.orderings.get(cell.ordering)),
            [
                &lists.seeds[cell.seed].to_string(),
                procs.as_deref().unwrap_or(""),
            ],
            workload.map_or(["", ""], |w| [&w.text, &w.contents]),
            spec(workload.and_then(|w| w.generator.as_ref())),
            [text(&lists.transforms, work.transform), ""],
            spec(pick(&lists.allocators, work.allocator)),
            [
                text(&lists.policies, work.policy),
                text(&lists.routings, work.routing),
            ],
            spec(pick(&lists.models, work.model)),
            spec(pick(&lists.guests, work.guest)),
        ];
        parts
            .as_flattened()
            .iter()
            .for_each(|part| key.add_part(part));
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::input::Text;
    use nodeorder_network::topology::Context;
    use proptest::prelude::*;

    fn plan(text: &str) -> Plan {
        Plan::read(&Text::new("p.toml", text), None, &Context::default()).unwrap()
    }

    const PLAN: &str =
        "topologies = ['mesh:3', 'mesh:4']\norderings = ['snake', 'random']\nseeds = [1, 2, 3]\n";

    /// The values of a cell's row, its figures numbers that no other cell has.
    fn row(journal: &Journal<'_>, cell: usize) -> Vec<Value<'static>> {
        let of = journal.plan.cells().get(cell);
        let (_, own, _) = journal.table.widths(of.work.kind);
        let figures = match cell % 3 {
            2 => Err("`a, \"b\"`: no figures,".into()),
            _ => Ok((0..own)
                .map(|i| Value::from((100 * cell + i) as u64))
                .collect()),
        };
        journal.table.row(&of, figures)
    }

    /// A row of one plan comes back as the row that another has for the same cell, whatever columns these have.
    #[test]
    fn rows_come_back_in_the_columns_of_another_plan() {
        let more = "logs = ['nersc:placements=9,nodes=3']\nallocators = ['fifo:0', 'random']\n\
                    guests = ['ring:n=3']\nroutings = ['ecmp-hop']\n";
        let small = plan(&format!(
            "{PLAN}guests = ['ring:n=3']\nroutings = ['ecmp-hop']\n"
        ));
        let large = plan(&format!("{PLAN}{more}").replace("['mesh:3',", "['mesh:2', 'mesh:3',"));
        let (from, to) = (Journal::new(&small), Journal::new(&large));
        let mut text = Journal::HEAD.to_string();
        let mut figures = Vec::new();
        for cell in 0..small.cells().len() {
            let row = row(&from, cell);
            text += &from.line(cell, &row).unwrap();
            let (before, own, _) = from.table.widths(small.cells().get(cell).work.kind);
            let [own, note] = [&row[before..before + own], &row[row.len() - 1..]];
            figures.push((own.to_vec(), note[0].clone()));
        }
        let kept = to.read("j", text.as_bytes()).unwrap();
        assert_eq!((kept.rows.len(), kept.others), (small.cells().len(), 0));
        for (number, (own, note)) in kept.rows.keys().zip(figures) {
            let cell = large.cells().get(*number);
            let (before, count, _) = to.table.widths(cell.work.kind);
            let mut wanted = to.table.row(&cell, Ok(own));
            assert_eq!(
                wanted.len(),
                columns(&to) - 1 + usize::from(before + count > 0)
            );
            *wanted.last_mut().unwrap() = note;
            assert_eq!(kept.rows[number], rows::line(wanted).unwrap());
        }
        // Back again: the rows of the other cells are counted; none at all are refused.
        let back = from.read("j", text.as_bytes()).unwrap();
        assert_eq!(back.rows.len(), small.cells().len());
        let other = plan(&PLAN.replace("[1, 2, 3]", "[4]"));
        let error = Journal::new(&other).read("j", text.as_bytes()).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("j:1: found 12 rows, none of them"),
            "{error}"
        );
    }

    fn columns(journal: &Journal<'_>) -> usize {
        journal.table.columns().len()
    }

    proptest! {
        /// A journal cut anywhere and written on holds every line that was whole, and never a wrong one.
        #[test]
        fn journals_survive_any_cut(cut in 0usize..10_000, junk in any::<bool>()) {
            let plan = plan(PLAN);
            let journal = Journal::new(&plan);
            let line = |cell: usize| journal.line(cell, &row(&journal, cell)).unwrap();
            let whole = |cell: usize| rows::line(row(&journal, cell)).unwrap();
            let mut text = Journal::HEAD.to_string();
            let head = text.len();
            let mut ends = Vec::new();
            for cell in (1..12).step_by(2) {
                text += &line(cell);
                ends.push((text.len(), cell));
            }
            text.truncate(head + cut % (text.len() - head + 1));
            // A line that lacks only its end gets it back.
            let reach = text.len() + 1;
            let left: Vec<usize> =
                ends.iter().filter(|(end, _)| *end <= reach).map(|(_, cell)| *cell).collect();
            let mut rows: BTreeMap<usize, String> = left.into_iter().map(|c| (c, whole(c))).collect();
            text += "\n";
            if junk { text += "0 0 row 0\n" }
            text += &line(3);
            rows.insert(3, whole(3));
            let expected = Kept { rows, others: 0 };
            prop_assert_eq!(journal.read("j", text.as_bytes()).unwrap(), expected);
        }
    }
}
