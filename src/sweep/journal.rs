//! The journal of a sweep: what its finished cells gave, kept between runs.
//!
//! A journal is a text that only grows: a first line, then a line a cell with a checksum. A kill can spoil the last
//! line at most, which then does not count. A cell is known by what it is (machine, ordering, work, seed, the
//! contents of the files that these name), not by its number: where a plan changes, cells that it had before keep
//! what they gave.

use std::collections::{BTreeMap, HashMap};

use super::fingerprint::Fingerprint;
use super::inputs::Spec;
use super::kinds::KINDS;
use super::lists::item_at;
use super::plan::Plan;
use super::rows::{ResultsTable, SweepRow, write_line};
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_present::columns::Value;

/// Writes and reads the journal of one plan.
pub struct Journal<'p> {
    plan: &'p Plan,
    table: ResultsTable<'p>,
}

/// Rows of finished cells that a journal holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveredRows {
    /// Lines of the plan's table, by the number of their cell.
    pub lines: BTreeMap<usize, String>,
    /// Number of rows of cells that the plan does not have.
    pub others: usize,
}

impl<'p> Journal<'p> {
    /// The first line of a journal.
    pub const HEAD: &'static str = "# nodeorder sweep journal of cells\n";

    /// Lays out the journal of the cells of `plan`.
    pub fn new(plan: &'p Plan) -> Self {
        Journal {
            plan,
            table: ResultsTable::new(plan),
        }
    }

    /// Formats the journal's line of a row: its cell's key, its figures and its note.
    ///
    /// # Errors
    /// None in practice: what writing to memory reports.
    pub fn format_row(&self, row: &SweepRow) -> Result<String> {
        let kind = self.plan.cells().get(row.cell).spec.kind;
        let mut values = match &row.figures {
            Ok(figures) => figures.clone(),
            // As many fields as rows with figures have: the note is always the last one.
            Err(_) => vec![Value::Empty; self.table.count_figures(kind)],
        };
        let note = row.figures.as_ref().err().cloned().unwrap_or_default();
        values.push(note.into());
        let body = format!("{} {}", self.cell_key(row.cell), write_line(values)?);
        Ok(format!(
            "{} {body}",
            Fingerprint::hash_of_bytes(body.as_bytes())
        ))
    }

    /// Reads the finished cells from a journal.
    ///
    /// # Errors
    /// Something else than a journal; one whose lines are all of other cells. Lines that a kill left incomplete
    /// are passed over.
    pub fn recover_rows(&self, name: &str, bytes: &[u8]) -> Result<RecoveredRows> {
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
        let mut recovered = RecoveredRows::default();
        // A new journal needs no table of keys, which takes long for plans of millions of cells.
        if lines.peek().is_none() {
            return Ok(recovered);
        }
        let cells = 0..self.plan.cells().len();
        let numbers: HashMap<String, usize> =
            cells.map(|c| (self.cell_key(c).to_string(), c)).collect();
        for line in lines {
            // A torn line is no error: its cell is computed again.
            let Some((key, values)) = read_line(line) else {
                continue;
            };
            let Some(cell) = numbers.get(key) else {
                // The plan was changed. Its old cells may come back with the next change, so their rows stay in the
                // journal.
                recovered.others += 1;
                continue;
            };
            if let Some(row) = self.read_row(*cell, values) {
                recovered.lines.insert(*cell, self.table.format_row(&row)?);
            }
        }
        // Then it is probably the journal of another plan, and the wrong folder.
        if recovered.lines.is_empty() && recovered.others > 0 {
            return wrong(format!(
                "{} rows, none of them of a cell of this plan",
                recovered.others
            ));
        }
        Ok(recovered)
    }

    /// Reads a row from its figures and its note as a line of CSV. `None` if the cell's kind has other figures.
    fn read_row(&self, cell: usize, values: &str) -> Option<SweepRow> {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).from_reader(values.as_bytes());
        let record = reader.records().next()?.ok()?;
        let kind = self.plan.cells().get(cell).spec.kind;
        let count = self.table.count_figures(kind);
        // The plan asks for other columns now, so the cell must be computed again.
        if record.len() != count + 1 {
            return None;
        }
        let note = &record[count];
        let figures = if note.is_empty() {
            let texts = record.iter().take(count);
            Ok(texts.map(|text| text.to_string().into()).collect())
        } else {
            Err(note.to_string())
        };
        Some(SweepRow { cell, figures })
    }

    /// Computes the key of a cell: all that its row depends on.
    fn cell_key(&self, number: usize) -> Fingerprint {
        let lists = &self.plan.lists;
        let cell = self.plan.cells().get(number);
        let spec = &cell.spec;
        let workload = item_at(&lists.workloads, spec.workload);
        let procs = item_at(&lists.procs_per_node, spec.procs).map(u32::to_string);
        let mut flags = format!("{} {}", lists.shape, lists.room);
        if let Some(duty) = item_at(&lists.duty, spec.duty) {
            flags += &format!(" {duty} {}", describe_text(&lists.tilings, spec.tilings));
        }
        let mut key = Fingerprint::EMPTY;
        // The number is raised where rows change their meaning: journals of older versions are then of no use. Every
        // part has its place, empty or not, so that no text can pass for that of another list. The plan's name is not
        // among them: no figure depends on it.
        let parts = [
            ["nodeorder cell 1", env!("CARGO_PKG_VERSION")],
            [KINDS[spec.kind].name, &flags],
            describe_spec(lists.topologies.get(cell.topology)),
            describe_spec(lists.orderings.get(cell.ordering)),
            [
                &lists.seeds[cell.seed].to_string(),
                procs.as_deref().unwrap_or(""),
            ],
            workload.map_or(["", ""], |w| [&w.text, &w.contents]),
            describe_spec(workload.and_then(|w| w.generator.as_ref())),
            [describe_text(&lists.transforms, spec.transform), ""],
            describe_spec(item_at(&lists.allocators, spec.allocator)),
            [
                describe_text(&lists.policies, spec.policy),
                describe_text(&lists.routings, spec.routing),
            ],
            describe_spec(item_at(&lists.models, spec.model)),
            describe_spec(item_at(&lists.guests, spec.guest)),
        ];
        for part in parts.as_flattened() {
            key.add_part(part);
        }
        key
    }
}

/// Looks up the text of an entry and the checksums of its files; empty if there is none.
fn describe_spec(spec: Option<&Spec>) -> [&str; 2] {
    spec.map_or(["", ""], |spec| [&spec.text, &spec.contents])
}

/// Looks up the text that an index stands for; empty if there is none.
fn describe_text(list: &[String], index: Option<u32>) -> &str {
    item_at(list, index).map_or("", |text| text)
}

/// Reads the key and the row of a journal's line. `None` if the line is not whole.
fn read_line(line: &[u8]) -> Option<(&str, &str)> {
    let line = std::str::from_utf8(line).ok()?;
    let (sum, body) = line.split_once(' ')?;
    // A kill may cut the line anywhere: only the checksum tells that it is whole.
    if !line.ends_with('\n') || Fingerprint::hash_of_bytes(body.as_bytes()).to_string() != sum {
        return None;
    }
    body.trim_end_matches('\n').split_once(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Text;
    use nodeorder_network::Context;
    use proptest::prelude::*;

    fn plan(text: &str) -> Plan {
        Plan::read(&Text::new("p.toml", text), None, &Context::default()).unwrap()
    }

    const PLAN: &str =
        "topologies = ['mesh:3', 'mesh:4']\norderings = ['snake', 'random']\nseeds = [1, 2, 3]\n";

    /// A row whose figures no other cell has, or that has none.
    fn row(journal: &Journal<'_>, cell: usize) -> SweepRow {
        let kind = journal.plan.cells().get(cell).spec.kind;
        let figures = 0..journal.table.count_figures(kind);
        let figures = match cell % 3 {
            2 => Err("`a, \"b\"`: no figures,".into()),
            _ => Ok(figures.map(|i| ((100 * cell + i) as u64).into()).collect()),
        };
        SweepRow { cell, figures }
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
        let from = Journal::new(&small);
        let to = Journal::new(&large);
        assert!(to.table.column_names().len() > from.table.column_names().len());
        let rows: Vec<SweepRow> = (0..small.cells().len()).map(|c| row(&from, c)).collect();
        let mut text = Journal::HEAD.to_string();
        for row in &rows {
            text += &from.format_row(row).unwrap();
        }
        let recovered = to.recover_rows("j", text.as_bytes()).unwrap();
        assert_eq!((recovered.lines.len(), recovered.others), (rows.len(), 0));
        for ((number, line), row) in recovered.lines.iter().zip(rows) {
            let same = SweepRow {
                cell: *number,
                ..row
            };
            assert_eq!(*line, to.table.format_row(&same).unwrap());
        }
        // Back again: the rows of the other cells are counted; none at all are refused.
        let back = from.recover_rows("j", text.as_bytes()).unwrap();
        assert_eq!(back.lines.len(), small.cells().len());
        let other = plan(&PLAN.replace("[1, 2, 3]", "[4]"));
        let error = Journal::new(&other)
            .recover_rows("j", text.as_bytes())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("j:1: found 12 rows, none of them"),
            "{error}"
        );
    }

    proptest! {
        /// A journal cut anywhere and written on holds every line that was whole, and never a wrong one.
        #[test]
        fn journals_survive_any_cut(cut in 0usize..10_000, junk in any::<bool>()) {
            let plan = plan(PLAN);
            let journal = Journal::new(&plan);
            let line = |cell: usize| journal.format_row(&row(&journal, cell)).unwrap();
            let whole = |cell: usize| journal.table.format_row(&row(&journal, cell)).unwrap();
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
            let mut lines: BTreeMap<usize, String> = left.into_iter().map(|c| (c, whole(c))).collect();
            text += "\n";
            if junk { text += "0 0 row 0\n" }
            text += &line(3);
            lines.insert(3, whole(3));
            let expected = RecoveredRows { lines, others: 0 };
            prop_assert_eq!(journal.recover_rows("j", text.as_bytes()).unwrap(), expected);
        }
    }
}
