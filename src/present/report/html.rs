//! Parts of pages: tables, pictures and sections. Each is a template of `templates/`, which escapes all that it is
//! given; what has been through one goes into another as it is.

use askama::Template;
use askama::filters::HtmlSafe;

use super::sentences::RichText;
use crate::plot::{self, format_fixed, format_thousands};
use nodeorder_base::Result;

/// A figure, in the page and as a file beside it.
#[derive(Clone, Template)]
#[template(path = "figure.html")]
pub struct Figure {
    /// File name, without a directory.
    pub file: String,
    /// Caption below the drawing.
    pub caption: String,
    /// Drawing as SVG.
    pub svg: String,
}

impl Figure {
    /// Makes a figure of a drawing.
    pub fn from_drawing(
        file: impl Into<String>,
        caption: impl Into<String>,
        drawn: plot::Figure<'_>,
    ) -> Result<Self> {
        Ok(Figure {
            file: file.into(),
            caption: caption.into(),
            svg: drawn.svg()?,
        })
    }
}

/// Which value of a column is marked as the best; none where all are equal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BestValue {
    /// No value is marked.
    None,
    /// The lowest value is marked.
    Low,
    /// The highest value is marked.
    High,
}

/// A cell of a table: its text, what it sorts by, and how it looks.
#[derive(Template)]
#[template(
    source = "<td data-value=\"{% match value %}{% when Value::Number(value) %}{{ value }}{% when Value::Name %}{{ text }}\
              {% when Value::Nothing %}{% endmatch %}\"{% if !class.is_empty() || best %} \
              class=\"{{ class }}{% if best %}{% if !class.is_empty() %} {% endif %}low{% endif %}\"{% endif %}>\
              {% if let Value::Nothing = value %}–{% else %}{{ text }}{% endif %}</td>",
    ext = "html"
)]
#[derive(Clone)]
struct Cell {
    text: String,
    value: Value,
    /// Whether the cell is marked as the best of its column.
    best: bool,
    class: &'static str,
}

/// What a cell sorts by: its number, its text, or nothing.
#[derive(Clone)]
enum Value {
    Number(f64),
    Name,
    Nothing,
}

/// A column of numbers or names.
pub struct Column {
    title: String,
    cells: Vec<Cell>,
    /// Classes of the heading and the cells of the column.
    class: &'static str,
}

impl Column {
    /// Makes a column of unmarked cells.
    fn from_cells(
        title: impl Into<String>,
        cells: impl IntoIterator<Item = (String, Value)>,
    ) -> Self {
        let class = "";
        Column {
            title: title.into(),
            cells: cells
                .into_iter()
                .map(|(text, value)| Cell {
                    text,
                    value,
                    best: false,
                    class,
                })
                .collect(),
            class,
        }
    }

    /// Makes a column of `values` with `decimals` decimals, and marks the best.
    pub fn new(
        title: impl Into<String>,
        decimals: usize,
        best: BestValue,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        let values: Vec<Option<f64>> = values.into_iter().collect();
        let low = values.iter().copied().flatten().reduce(f64::min);
        let high = values.iter().copied().flatten().reduce(f64::max);
        let marked = match best {
            BestValue::None => None,
            BestValue::Low => low,
            BestValue::High => high,
        };
        let marked = marked.map(|value| format_fixed(value, decimals));
        let cells = values.iter().map(|value| match value {
            // Whole numbers of five digits and more are read in groups of three.
            Some(value) if decimals == 0 && *value >= 1e4 => (
                format_thousands(value.round() as u64),
                Value::Number(*value),
            ),
            Some(value) => (format_fixed(*value, decimals), Value::Number(*value)),
            None => (String::new(), Value::Nothing),
        });
        let mut column = Column::from_cells(title, cells);
        // Values that read the same are all the best; where all do, none is better.
        let is_best = |value: &f64| marked.as_ref() == Some(&format_fixed(*value, decimals));
        if !values.iter().flatten().all(is_best) {
            for (cell, value) in column.cells.iter_mut().zip(&values) {
                cell.best = value.as_ref().is_some_and(is_best);
            }
        }
        column
    }

    /// Makes a column of `values` with `decimals` decimals, none of which is marked.
    pub fn unranked_figures(
        title: impl Into<String>,
        decimals: usize,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        Column::new(title, decimals, BestValue::None, values)
    }

    /// Makes a column of whole numbers.
    pub fn counts(title: impl Into<String>, counts: impl IntoIterator<Item = u64>) -> Self {
        let cells = counts
            .into_iter()
            .map(|n| (format_thousands(n), Value::Number(n as f64)));
        Column::from_cells(title, cells)
    }

    /// Makes a column of names, which stand to the left.
    pub fn names(title: impl Into<String>, names: impl IntoIterator<Item = String>) -> Self {
        // The style aligns this class to the left.
        Column::unordered_figures(title, names).with_class("text")
    }

    /// Makes a column of figures of several kinds, as they read: numbers to the right, without an order.
    pub fn unordered_figures(
        title: impl Into<String>,
        texts: impl IntoIterator<Item = String>,
    ) -> Self {
        Column::from_cells(title, texts.into_iter().map(|text| (text, Value::Name)))
    }

    /// Makes a column of figures as they read, each with whether it is marked as the best.
    pub fn marked_figures(
        title: impl Into<String>,
        cells: impl IntoIterator<Item = (String, bool)>,
    ) -> Self {
        let (texts, marks): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        let mut column = Column::unordered_figures(title, texts);
        for (cell, best) in column.cells.iter_mut().zip(marks) {
            cell.best = best;
        }
        column
    }

    /// Hides the column until the reader asks for all columns.
    pub fn on_demand(self) -> Self {
        self.with_class("more")
    }

    /// Sets the class of the heading and of all cells.
    fn with_class(mut self, class: &'static str) -> Self {
        self.class = class;
        for cell in &mut self.cells {
            cell.class = class;
        }
        self
    }

    /// Marks no value as the best.
    pub fn unmarked(mut self) -> Self {
        for cell in &mut self.cells {
            cell.best = false;
        }
        self
    }

    /// Puts `marks` before the numbers.
    pub fn prefix_marks(mut self, marks: impl IntoIterator<Item = &'static str>) -> Self {
        for (cell, mark) in self.cells.iter_mut().zip(marks) {
            cell.text.insert_str(0, mark);
        }
        self
    }
}

/// A table that the reader can sort by any column of numbers or names: numbers to the right, the best one marked.
#[derive(Default, Template)]
#[template(path = "table.html")]
pub struct Table {
    /// Label for screen readers.
    pub label: &'static str,
    /// Anchor of the table; empty where no script looks for it.
    pub id: &'static str,
    /// Heading of the column of names.
    pub of: &'static str,
    pub names: Vec<String>,
    /// Columns before the names.
    pub before: Vec<Column>,
    pub columns: Vec<Column>,
    /// Key of each row's curve as SVG, what the curve shows in words, and the curve as SVG; empty for no curves.
    pub curves: Vec<(String, String, String)>,
}

impl Table {
    /// Makes a table with a row for each of `names`, under the heading `of`.
    pub fn new(
        label: &'static str,
        of: &'static str,
        names: Vec<String>,
        columns: Vec<Column>,
    ) -> Self {
        Table {
            label,
            of,
            names,
            columns,
            ..Table::default()
        }
    }

    /// Makes a table of orderings, which are in the order of their `ranks`.
    pub fn ranked(
        label: &'static str,
        names: Vec<String>,
        ranks: Vec<u64>,
        columns: Vec<Column>,
    ) -> Self {
        Table {
            before: vec![Column::counts("Rank", ranks)],
            ..Table::new(label, "Ordering", names, columns)
        }
    }

    /// Adds a row without a rank: the only row of `columns`, which are those of the table.
    pub fn add_unranked_row(&mut self, name: String, columns: Vec<Column>) {
        self.names.push(name);
        for column in &mut self.before {
            // The row is beside the ranking, not in it.
            let rank = Column::new("", 0, BestValue::None, [None]);
            column.cells.extend(rank.cells);
        }
        for (column, row) in self.columns.iter_mut().zip(columns) {
            column.cells.extend(row.cells);
        }
    }

    /// Lists the cells of a row before its name.
    fn cells_before(&self, row: &usize) -> impl Iterator<Item = &Cell> {
        self.before.iter().map(move |column| &column.cells[*row])
    }

    /// Lists the cells of a row after its name.
    fn cells_after(&self, row: &usize) -> impl Iterator<Item = &Cell> {
        self.columns.iter().map(move |column| &column.cells[*row])
    }

    /// Looks up the curve of a row. `None` if the table has no curves.
    fn curve(&self, row: &usize) -> Option<&(String, String, String)> {
        self.curves.get(*row)
    }

    /// Computes the number of the first column after the names and curves, by which scripts sort.
    fn first_column(&self) -> usize {
        self.before.len() + 1 + usize::from(!self.curves.is_empty())
    }
}

/// Most characters of a name in a table: three lines of a narrow column.
const LONGEST: usize = 44;

/// Shows a name that is too long for a column by its two ends, and whole where a pointer rests on it. Sentences break
/// between words.
fn short_name(name: &str) -> RichText {
    let words: Vec<String> = name
        .split(' ')
        .map(|word| plot::cut_middle(word, LONGEST))
        .collect();
    let shown = words.join(" ");
    if shown == name {
        name.into()
    } else {
        RichText::default().abbreviation(&shown, name)
    }
}

/// Ranks sorted figures from 1; equal ones share a rank.
pub fn rank_figures(sorted: &[f64]) -> Vec<u64> {
    let mut ranks = Vec::new();
    for figure in sorted {
        let before = sorted.iter().take_while(|other| *other != figure);
        ranks.push(before.count() as u64 + 1);
    }
    ranks
}

/// A section that shows a table.
#[derive(Default, Template)]
#[template(path = "section.html")]
pub struct Section {
    /// Anchor of the section; the page links to it.
    pub id: String,
    pub title: String,
    /// Paragraph above the table.
    pub about: RichText,
    pub table: Table,
    /// Paragraph below the table.
    pub said: RichText,
    /// List below the paragraph.
    pub list: Vec<RichText>,
    /// Paragraph in small print below the list.
    pub note: RichText,
    pub figures: Vec<Figure>,
    /// Whether the figures come first, and the table is folded below them.
    pub folded: bool,
}

impl Section {
    /// Makes a section without figures.
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        about: impl Into<RichText>,
        table: Table,
    ) -> Self {
        Section {
            id: id.into(),
            title: title.into(),
            about: about.into(),
            table,
            ..Section::default()
        }
    }
}

/// A term of a list and its value.
pub struct Fact {
    pub term: String,
    pub value: RichText,
    /// Whether the fact takes a line of its own.
    pub wide: bool,
}

impl Fact {
    /// Makes a fact that stands beside others.
    pub fn new(term: impl Into<String>, value: impl Into<RichText>) -> Self {
        Fact {
            term: term.into(),
            value: value.into(),
            wide: false,
        }
    }

    /// Makes a fact on a line of its own.
    pub fn on_own_line(term: impl Into<String>, value: impl Into<RichText>) -> Self {
        Fact {
            wide: true,
            ..Fact::new(term, value)
        }
    }

    /// Makes a fact on a line of its own, whose value is what users type.
    pub fn code(term: impl Into<String>, value: &str) -> Self {
        Fact::on_own_line(term, RichText::default().code(value))
    }
}

// Each has escaped what it was given: a second time would show the escapes.
impl HtmlSafe for Cell {}
impl HtmlSafe for Figure {}
impl HtmlSafe for Table {}
impl HtmlSafe for Section {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shown_by_both_ends_and_told_whole() {
        let long = "row-major slurm-torus3d:placements=1x1x1/2x1x1/2x2x1/2x2x2/4x2x2/4x4x4";
        let shown = "<abbr title=\"".to_string()
            + long
            + "\">row-major slurm-torus3d:placemen…x2x1/2x2x2/4x2x2/4x4x4</abbr>";
        let column = Column::counts(long, [1, 2]);
        let names = vec![long.to_string(), "snake".into()];
        let table = Table::new("t", "Placement", names, vec![column]).to_string();
        assert_eq!(table.matches(&shown).count(), 2, "{table}");
        assert!(table.contains(&format!("data-value=\"{long}\">")));
        assert!(table.contains(">snake</th>"));
    }
}
