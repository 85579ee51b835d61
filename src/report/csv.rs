//! Tidy CSV tables: a header, a comma, full precision (the shortest text that reads back to the same f64).

use std::io::{self, Write};

use crate::columns::comparison::{Crossover, CurvePoint, LIMITS, Limits, RankedEntry, Winner};
use crate::columns::{self, Table};
use crate::metric::comparison::Comparison;

/// `ordering,size,mpc` row by row: rows go out as they are made, so that curves of millions of sizes take
/// no memory.
///
/// # Examples
/// ```
/// use nodeorder::report::csv::Curves;
/// let mut out = Vec::new();
/// let mut csv = Curves::new(&mut out)?;
/// csv.row("snake:axes=xy,reverse=x", 3, 4.0 / 3.0)?;
/// csv.finish()?;
/// assert_eq!(
///     String::from_utf8(out).unwrap(),
///     "ordering,size,mpc\n\"snake:axes=xy,reverse=x\",3,1.3333333333333333\n"
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Curves<W: Write>(Table<W>);

impl<W: Write> Curves<W> {
    /// Starts the table with its header.
    ///
    /// # Errors
    /// What the output reports.
    pub fn new(out: W) -> io::Result<Self> {
        Ok(Curves(Table::new(out, CurvePoint::ALL)?))
    }

    /// One value.
    ///
    /// # Errors
    /// What the output reports.
    pub fn row(&mut self, ordering: &str, size: usize, mpc: f64) -> io::Result<()> {
        self.0.row(CurvePoint::ALL, &CurvePoint { ordering, size, mpc })
    }

    /// Hands over what is left.
    ///
    /// # Errors
    /// What the output reports.
    pub fn finish(self) -> io::Result<()> {
        self.0.finish()
    }
}

/// Whole curves (element i is MPC(i + 2)) as one table.
///
/// # Errors
/// What `out` reports.
pub fn write_curves<'a>(
    out: impl Write,
    curves: impl IntoIterator<Item = (&'a str, &'a [f64])>,
) -> io::Result<()> {
    let mut csv = Curves::new(out)?;
    for (label, values) in curves {
        values.iter().enumerate().try_for_each(|(i, value)| csv.row(label, i + 2, *value))?;
    }
    csv.finish()
}

/// The ranked table, and `mpc_S` for each of the comparison's sizes; empty where an ordering has fewer nodes.
///
/// # Errors
/// What `out` reports.
pub fn write_table(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let mut table = Table::rows(out);
    table.header(RankedEntry::ALL)?;
    comparison.sizes.iter().try_for_each(|size| table.cell(format!("mpc_{size}").into()))?;
    table.end()?;
    for (i, entry) in comparison.entries.iter().enumerate() {
        table.values(RankedEntry::ALL, &RankedEntry { rank: i + 1, entry })?;
        entry.at.iter().try_for_each(|mpc| table.cell((*mpc).into()))?;
        table.end()?;
    }
    table.finish()
}

/// Which ordering is the best at which sizes.
///
/// # Errors
/// What `out` reports.
pub fn write_stretches(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let rows = comparison.stretches.iter().map(|stretch| Winner {
        from: stretch.from,
        to: stretch.to,
        ordering: &comparison.entries[stretch.winner].label,
    });
    columns::write(out, Winner::ALL, rows)
}

/// How low any ordering could go, and what compact sets found have by themselves; empty where the machine is too
/// large for either.
///
/// # Errors
/// What `out` reports.
pub fn write_limits(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let Comparison { floor, compact, .. } = comparison;
    let rows = (0..floor.len().max(compact.len())).map(|i| Limits {
        size: i + 2,
        floor: floor.get(i).copied(),
        compact: compact.get(i).copied(),
    });
    columns::write(out, LIMITS, rows)
}

/// The sizes at which the two leaders change places, and which of them leads from there.
///
/// # Errors
/// What `out` reports.
pub fn write_crossovers(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let leaders = comparison.entries.first().zip(comparison.entries.get(1));
    let rows = leaders.into_iter().flat_map(|(first, second)| {
        comparison.crossovers.iter().map(move |size| {
            let leads = first.values[size - 2] < second.values[size - 2];
            Crossover { size: *size, ordering: if leads { &first.label } else { &second.label } }
        })
    });
    columns::write(out, Crossover::ALL, rows)
}
