//! Parts of pages: sentences, tables, pictures and sections. Each is a template of `templates/`, which
//! escapes all that it is given; what has been through one goes into another as it is.

use askama::Template;
use askama::filters::HtmlSafe;

pub(super) use crate::plot::fixed;
use crate::plot::{self, thousands};
use nodeorder_base::error::Result;

/// A sentence or several, in which names stand out.
#[derive(Clone, Debug, Default, Template)]
#[template(
    source = "{% for part in parts %}{% match part %}{% when Part::Text(text) %}{{ text }}\
              {% when Part::Bold(text) %}<b>{{ text }}</b>{% when Part::Strong(text) %}<strong>{{ text }}</strong>\
              {% when Part::Code(text) %}<code>{{ text }}</code>\
              {% when Part::Link(to, text) %}<a href=\"{{ to }}\">{{ text }}</a>\
              {% when Part::Words(words) %}{{ words }}{% endmatch %}{% endfor %}",
    ext = "html"
)]
pub(super) struct Words {
    pub parts: Vec<Part>,
}

/// A piece of a sentence.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Bold(String),
    Strong(String),
    Code(String),
    /// Where it leads and what it says.
    Link(String, String),
    Words(Words),
}

impl Words {
    /// `items` with `between` between them.
    pub fn join(items: impl IntoIterator<Item = Words>, between: &str) -> Words {
        let mut parts = Vec::new();
        for item in items {
            if !parts.is_empty() {
                parts.push(between.into());
            }
            parts.push(Part::Words(item));
        }
        Words { parts }
    }

    /// The sentence without marks, for terminals.
    pub fn plain(&self) -> String {
        let text = |part: &Part| match part {
            Part::Text(text) | Part::Bold(text) | Part::Strong(text) | Part::Code(text) => {
                text.clone()
            }
            Part::Link(_, text) => text.clone(),
            Part::Words(words) => words.plain(),
        };
        self.parts.iter().map(text).collect()
    }
}

/// A name that stands out.
pub(super) fn bold(name: &str) -> Part {
    Part::Bold(name.into())
}

impl<T: Into<String>> From<T> for Part {
    fn from(text: T) -> Self {
        Part::Text(text.into())
    }
}

impl From<Words> for Part {
    fn from(words: Words) -> Self {
        Part::Words(words)
    }
}

/// A sentence of its parts: texts, names and other sentences.
macro_rules! words {
    ($($part:expr),* $(,)?) => { $crate::report::html::Words { parts: vec![$($part.into()),*] } };
}
pub(super) use words;

/// A figure, in the page and as a file beside it.
#[derive(Clone, Template)]
#[template(path = "figure.html")]
pub struct Figure {
    /// The name of its file.
    pub file: String,
    /// Text below the drawing.
    pub caption: String,
    /// The drawing.
    pub svg: String,
}

impl Figure {
    /// The figure of a drawing, with its file name and caption.
    pub fn of(
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

/// Which value of a column is marked; none where all are equal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Best {
    None,
    Low,
    High,
}

/// A cell of a table: a number as it reads and as it sorts, a name, or nothing.
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
    best: bool,
    class: &'static str,
}

#[derive(Clone)]
enum Value {
    Number(f64),
    Name,
    Nothing,
}

/// A column of numbers or names.
pub(super) struct Column {
    title: String,
    cells: Vec<Cell>,
    /// Classes of its cells.
    class: &'static str,
}

impl Column {
    /// `values` with `decimals` decimals.
    pub fn new(
        title: impl Into<String>,
        decimals: usize,
        best: Best,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        let values: Vec<Option<f64>> = values.into_iter().collect();
        let known = || values.iter().copied().flatten();
        let (low, high) = (known().reduce(f64::min), known().reduce(f64::max));
        let marked = match best {
            Best::None => None,
            Best::Low => low,
            Best::High => high,
        };
        // Where all are equal, none is better.
        let best = marked.filter(|_| low != high);
        let cell = |value: Option<f64>| Cell {
            text: value.map_or(String::new(), |v| match decimals {
                0 if v >= 1e4 => thousands(v.round() as u64),
                _ => fixed(v, decimals),
            }),
            value: value.map_or(Value::Nothing, Value::Number),
            best: value.is_some() && value == best,
            class: "",
        };
        Column {
            title: title.into(),
            cells: values.into_iter().map(cell).collect(),
            class: "",
        }
    }

    /// Whole numbers.
    pub fn counts(title: impl Into<String>, counts: impl IntoIterator<Item = u64>) -> Self {
        let value = |n: u64| Value::Number(n as f64);
        let cell = |n: u64| Cell {
            text: thousands(n),
            value: value(n),
            best: false,
            class: "",
        };
        let cells = counts.into_iter().map(cell).collect();
        Column {
            title: title.into(),
            cells,
            class: "",
        }
    }

    /// Names.
    pub fn names(title: impl Into<String>, names: impl IntoIterator<Item = String>) -> Self {
        let cell = |text| Cell {
            text,
            value: Value::Name,
            best: false,
            class: "text",
        };
        let cells = names.into_iter().map(cell).collect();
        Column {
            title: title.into(),
            cells,
            class: "text",
        }
    }

    /// Figures of several kinds, as they read: numbers to the right, without an order.
    pub fn readings(title: impl Into<String>, texts: impl IntoIterator<Item = String>) -> Self {
        let mut column = Column::names(title, texts);
        column.cells.iter_mut().for_each(|cell| cell.class = "");
        Column {
            class: "",
            ..column
        }
    }

    /// Hides the column until the reader asks for all columns.
    pub fn on_demand(mut self) -> Self {
        self.class = "more";
        self.cells.iter_mut().for_each(|cell| cell.class = "more");
        self
    }

    /// Shows no value as the best.
    pub fn unmarked(mut self) -> Self {
        self.cells.iter_mut().for_each(|cell| cell.best = false);
        self
    }

    /// Puts `marks` before the numbers.
    pub fn marked(mut self, marks: impl IntoIterator<Item = &'static str>) -> Self {
        self.cells
            .iter_mut()
            .zip(marks)
            .for_each(|(cell, mark)| cell.text.insert_str(0, mark));
        self
    }
}

/// A table that the reader can sort by any column of numbers or names: numbers to the right, the best one marked.
#[derive(Default, Template)]
#[template(path = "table.html")]
pub(super) struct Table {
    /// Label for screen readers.
    pub label: &'static str,
    pub id: &'static str,
    /// Heading of the column of names.
    pub of: &'static str,
    pub names: Vec<String>,
    /// The columns before the names.
    pub before: Vec<Column>,
    pub columns: Vec<Column>,
    /// The key of each row's curve as SVG, what the curve shows in words, and the curve as SVG; or nothing at all.
    pub curves: Vec<(String, String, String)>,
}

impl Table {
    /// A table with a row for each of `names`, which are `of` this kind.
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

    /// A table of orderings, in the order of a rank.
    pub fn ranked(label: &'static str, names: Vec<String>, columns: Vec<Column>) -> Self {
        let before = vec![Column::counts("Rank", 1..=names.len() as u64)];
        Table {
            before,
            ..Table::new(label, "Ordering", names, columns)
        }
    }

    /// Adds a row without a rank: the only row of `columns`, which are those of the table.
    pub fn below(&mut self, name: String, columns: Vec<Column>) {
        self.names.push(name);
        let rank = Column::new("", 0, Best::None, [None]);
        self.before
            .iter_mut()
            .for_each(|column| column.cells.extend(rank.cells.clone()));
        let columns = self.columns.iter_mut().zip(columns);
        columns.for_each(|(column, row)| column.cells.extend(row.cells));
    }

    /// The numbers of a row before its name.
    fn before(&self, row: &usize) -> impl Iterator<Item = &Cell> {
        self.before.iter().map(move |column| &column.cells[*row])
    }

    /// The numbers of a row after its name.
    fn after(&self, row: &usize) -> impl Iterator<Item = &Cell> {
        self.columns.iter().map(move |column| &column.cells[*row])
    }

    fn curve(&self, row: &usize) -> Option<&(String, String, String)> {
        self.curves.get(*row)
    }

    fn first_column(&self) -> usize {
        self.before.len() + 1 + usize::from(!self.curves.is_empty())
    }
}

/// A section that shows a table.
#[derive(Template)]
#[template(path = "section.html")]
pub(super) struct Section {
    pub id: String,
    pub title: String,
    pub about: Words,
    pub table: Table,
    /// Paragraph below the table.
    pub said: Words,
    /// List below the paragraph.
    pub list: Vec<Words>,
    pub note: Words,
    pub figures: Vec<Figure>,
    /// Whether the figures come first, and the table is folded below them.
    pub folded: bool,
}

impl Section {
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        about: Words,
        table: Table,
    ) -> Self {
        let (id, title) = (id.into(), title.into());
        let (said, note) = (Words::default(), Words::default());
        let (list, figures) = (Vec::new(), Vec::new());
        Section {
            id,
            title,
            about,
            table,
            said,
            list,
            note,
            figures,
            folded: false,
        }
    }
}

/// A term of a list and its value.
pub(super) struct Fact {
    pub term: String,
    pub value: Words,
    pub wide: bool,
}

impl Fact {
    pub fn new(term: impl Into<String>, value: impl Into<Part>) -> Self {
        Fact {
            term: term.into(),
            value: words![value],
            wide: false,
        }
    }

    /// A fact on a line of its own.
    pub fn wide(term: impl Into<String>, value: impl Into<Part>) -> Self {
        Fact {
            wide: true,
            ..Fact::new(term, value)
        }
    }
}

impl HtmlSafe for Cell {}
impl HtmlSafe for Words {}
impl HtmlSafe for Figure {}
impl HtmlSafe for Table {}
impl HtmlSafe for Section {}
