//! The rows of a section: orderings ranked under each of several choices.

use std::collections::{BTreeMap, BTreeSet};

use super::groups::{LowestValue, RowGroup};
use super::ranking::mean_value;
use crate::columns::sweep::ResultRow;
use crate::plot::format_fixed;
use crate::report::html::{BestValue, Column, Table};

/// Groups the rows of a group that have figures by the values of its keys, in the order they come.
pub fn group_rows<'r>(
    rows: &'r [ResultRow],
    group: &RowGroup,
) -> Vec<(Vec<String>, Vec<&'r ResultRow>)> {
    let mut sections: Vec<(Vec<String>, Vec<&ResultRow>)> = Vec::new();
    let mut indices: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for row in rows {
        // A row with a note has no figures: the note says why.
        if row.text("group") != group.name || !row.text("note").is_empty() {
            continue;
        }
        let titles: Vec<String> = group
            .keys
            .iter()
            .map(|key| row.text(key).into_owned())
            .collect();
        // Sections keep the order of their first rows, which is that of the plan.
        let index = *indices.entry(titles.clone()).or_insert(sections.len());
        if index == sections.len() {
            sections.push((titles, Vec::new()));
        }
        sections[index].1.push(row);
    }
    sections
}

/// Lists the different values of a column, in the order they come.
pub fn distinct_values<'r>(rows: impl Iterator<Item = &'r ResultRow>, column: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    rows.map(|row| row.text(column).into_owned())
        .filter(|label| seen.insert(label.clone()))
        .collect()
}

/// Computes the mean of `figure` over the rows (seeds) with these values. `None` if no row has such a figure.
fn mean_where(rows: &[&ResultRow], fixed: &[(&str, &str)], figure: &str) -> Option<f64> {
    let mut rows = rows.to_vec();
    for (column, label) in fixed {
        rows.retain(|row| row.text(column) == *label);
    }
    mean_value(&rows, figure)
}

/// The figures of the orderings in a section, under each of several choices.
pub struct SectionFigures<'r> {
    pub group: &'static RowGroup,
    /// Values of the group's keys.
    pub titles: Vec<String>,
    /// Rows of the section, one for each ordering, choice and seed.
    pub rows: Vec<&'r ResultRow>,
    /// Values of the group's column of choices.
    pub choices: Vec<String>,
    pub orderings: Vec<String>,
    /// Orderings of the whole sweep: their indices decide their colours.
    pub all: &'r [String],
}

impl<'r> SectionFigures<'r> {
    /// Finds the choices and orderings of the rows of a section.
    pub fn new(
        group: &'static RowGroup,
        titles: Vec<String>,
        rows: Vec<&'r ResultRow>,
        all: &'r [String],
    ) -> Self {
        SectionFigures {
            group,
            titles,
            choices: distinct_values(rows.iter().copied(), group.by),
            orderings: distinct_values(rows.iter().copied(), "ordering"),
            rows,
            all,
        }
    }

    /// Makes the title of the section.
    pub fn title(&self) -> String {
        (self.group.title)(&self.titles)
    }

    /// Finds the index of the machine among the keys. `None` if they have none.
    pub fn machine_key(&self) -> Option<usize> {
        self.group.keys.iter().position(|key| *key == "topology")
    }

    /// Lists the values of all keys but the machine's.
    pub fn workload_values(&self) -> Vec<&str> {
        let mut values: Vec<&str> = self.titles.iter().map(String::as_str).collect();
        if let Some(topology) = self.machine_key() {
            values.remove(topology);
        }
        values
    }

    /// Finds the lowest value of a figure under any choice that ranks. `None` if there is none.
    pub fn lowest_value(&self, ordering: &str, figure: &str) -> Option<f64> {
        self.ranking_choices()
            .iter()
            .filter_map(|choice| self.mean_figure(ordering, choice, figure))
            // Each ordering with the choice that suits it.
            .reduce(f64::min)
    }

    /// Computes the mean of a figure of an ordering under a choice, over seeds. `None` if there is none.
    pub fn mean_figure(&self, ordering: &str, choice: &str, figure: &str) -> Option<f64> {
        mean_where(
            &self.rows,
            &[("ordering", ordering), (self.group.by, choice)],
            figure,
        )
    }

    /// Chooses the choices that rank the orderings.
    pub fn ranking_choices(&self) -> &[String] {
        // Contentions under different routings are not comparable; the plan's first routing ranks.
        if self.group.first_ranks {
            &self.choices[..1]
        } else {
            &self.choices
        }
    }

    /// Finds the ordering with the lowest value of the first column; of equal ones the first.
    pub fn best_ordering(&self) -> Option<LowestValue<'_>> {
        let figure = self.group.columns[0].0;
        let mut best: Option<LowestValue<'_>> = None;
        for ordering in &self.orderings {
            for choice in self.ranking_choices() {
                if let Some(value) = self.mean_figure(ordering, choice, figure)
                    && best.is_none_or(|(lowest, ..)| value.total_cmp(&lowest).is_lt())
                {
                    best = Some((value, ordering, choice));
                }
            }
        }
        best
    }

    /// Says which other orderings and choices read the same as the best. Empty if none does.
    pub fn describe_ties(&self, (lowest, best, chosen): LowestValue<'_>) -> String {
        let figure = self.group.columns[0].0;
        let mut tied = Vec::new();
        for ordering in &self.orderings {
            for choice in self.ranking_choices() {
                let value = self.mean_figure(ordering, choice, figure);
                // By the digits of the table: no reader could tell these apart.
                let reads_same = value.map(|v| format_fixed(v, 4)) == Some(format_fixed(lowest, 4));
                if reads_same && (ordering != best || choice != chosen) {
                    let with = format!("{ordering} with {choice}");
                    // Rows without workloads have no choice beside the ordering.
                    tied.push(if self.group.by == "topology" {
                        ordering.clone()
                    } else {
                        with
                    });
                }
            }
        }
        match tied.len() {
            0 => String::new(),
            1..=3 => format!(" Tied: {}.", tied.join("; ")),
            n => format!(" Tied: {} and {} more.", tied[..3].join("; "), n - 3),
        }
    }

    /// Ranks the orderings by the lowest value of the first column; those without one come last.
    pub fn rank_orderings(&self) -> Vec<String> {
        let figure = self.group.columns[0].0;
        let mut names = self.orderings.clone();
        names.sort_by(|a, b| {
            let a = self.lowest_value(a, figure).unwrap_or(f64::INFINITY);
            let b = self.lowest_value(b, figure).unwrap_or(f64::INFINITY);
            a.total_cmp(&b)
        });
        names
    }

    /// Makes a table of orderings against columns, ranked, the lowest of each column marked.
    pub fn figure_table(&self) -> Table {
        let names = self.rank_orderings();
        let mut columns = Vec::new();
        for choice in &self.choices {
            for (figure, title, axis) in self.group.columns {
                let values = names
                    .iter()
                    .map(|ordering| self.mean_figure(ordering, choice, figure));
                let decimals = if axis.ends_with("(s)") { 1 } else { 4 };
                let title = title.replace("{}", choice);
                columns.push(Column::new(title, decimals, BestValue::Low, values));
            }
        }
        Table::new(self.group.label, "Ordering", names, columns)
    }
}
