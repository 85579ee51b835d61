//! The rows of a section: orderings ranked under each of several choices.

use std::collections::{BTreeMap, BTreeSet};

use super::groups::{Group, Lowest};
use super::ranking::mean_value;
use crate::columns::sweep::ResultRow;
use crate::report::html::{Best, Column, Table};

/// The rows of a group that have figures, by the values of its keys, in the order they come.
pub(super) fn sections<'r>(
    rows: &'r [ResultRow],
    group: &Group,
) -> Vec<(Vec<String>, Vec<&'r ResultRow>)> {
    let mut sections: Vec<(Vec<String>, Vec<&ResultRow>)> = Vec::new();
    let mut indices: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let shown = |row: &&ResultRow| row.text("group") == group.name && row.text("note").is_empty();
    for row in rows.iter().filter(shown) {
        let titles: Vec<String> = group
            .keys
            .iter()
            .map(|key| row.text(key).into_owned())
            .collect();
        let index = *indices.entry(titles.clone()).or_insert(sections.len());
        if index == sections.len() {
            sections.push((titles, Vec::new()));
        }
        sections[index].1.push(row);
    }
    sections
}

/// Different values of a column, in the order they come.
pub(super) fn labels<'r>(rows: impl Iterator<Item = &'r ResultRow>, column: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = rows.map(|row| row.text(column).into_owned());
    all.filter(|label| seen.insert(label.clone())).collect()
}

/// The mean of `figure` over the rows (seeds) with these values; none where no row has such a figure.
pub(super) fn mean(rows: &[&ResultRow], fixed: &[(&str, &str)], figure: &str) -> Option<f64> {
    let here = |row: &&&ResultRow| {
        fixed
            .iter()
            .all(|(column, label)| row.text(column) == *label)
    };
    let rows: Vec<&ResultRow> = rows.iter().filter(here).copied().collect();
    mean_value(&rows, figure)
}

/// The figures of the orderings in a section, under each of several choices.
pub(super) struct Figures<'r> {
    pub group: &'static Group,
    /// The values of the group's keys.
    pub titles: Vec<String>,
    pub rows: Vec<&'r ResultRow>,
    pub choices: Vec<String>,
    pub orderings: Vec<String>,
    /// The orderings of the whole sweep: their indices decide their colours.
    pub all: &'r [String],
}

impl<'r> Figures<'r> {
    pub fn new(
        group: &'static Group,
        titles: Vec<String>,
        rows: Vec<&'r ResultRow>,
        all: &'r [String],
    ) -> Self {
        let (choices, orderings) = (
            labels(rows.iter().copied(), group.by),
            labels(rows.iter().copied(), "ordering"),
        );
        Figures {
            group,
            titles,
            rows,
            choices,
            orderings,
            all,
        }
    }

    pub fn title(&self) -> String {
        (self.group.title)(&self.titles)
    }

    /// The values of all keys but the machine's.
    pub fn workload(&self) -> Vec<&str> {
        let keys = self.group.keys.iter().zip(&self.titles);
        keys.filter(|(key, _)| **key != "topology")
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// The lowest value under any choice that ranks.
    pub fn lowest(&self, ordering: &str, figure: &str) -> Option<f64> {
        self.among()
            .iter()
            .filter_map(|c| self.of(ordering, c, figure))
            .reduce(f64::min)
    }

    pub fn of(&self, ordering: &str, choice: &str, figure: &str) -> Option<f64> {
        mean(
            &self.rows,
            &[("ordering", ordering), (self.group.by, choice)],
            figure,
        )
    }

    /// The choices that rank the orderings.
    pub fn among(&self) -> &[String] {
        if self.group.first_ranks {
            &self.choices[..1]
        } else {
            &self.choices
        }
    }

    /// The ordering with the lowest value of the first column. Of equal ones the first.
    pub fn best(&self) -> Option<Lowest<'_>> {
        let all = self
            .orderings
            .iter()
            .flat_map(|o| self.among().iter().map(move |c| (o, c)));
        let figure = self.group.columns[0].0;
        let known = all.filter_map(|(o, c)| Some((self.of(o, c, figure)?, &**o, &**c)));
        known.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The orderings, those with the lowest first column first.
    pub fn ranked(&self) -> Vec<String> {
        let first = |o: &String| {
            self.lowest(o, self.group.columns[0].0)
                .unwrap_or(f64::INFINITY)
        };
        let mut names = self.orderings.clone();
        names.sort_by(|a, b| first(a).total_cmp(&first(b)));
        names
    }

    /// Orderings against columns, the lowest of each marked; those with the lowest first column come first.
    pub fn table(&self) -> Table {
        let Group { label, columns, .. } = self.group;
        let names = self.ranked();
        let columns = (self.choices.iter())
            .flat_map(|choice| columns.iter().map(move |column| (choice, column)))
            .map(|(choice, (figure, title, axis))| {
                let values = names
                    .iter()
                    .map(|ordering| self.of(ordering, choice, figure));
                let decimals = if axis.ends_with("(s)") { 1 } else { 4 };
                Column::new(title.replace("{}", choice), decimals, Best::Low, values)
            })
            .collect();
        Table {
            label,
            of: "Ordering",
            names,
            columns,
            ..Table::default()
        }
    }
}
