//! Tidy CSV tables: a header, a comma, full precision (the shortest text that reads back to the same f64).

use std::io::{self, Write};

use crate::columns;
use crate::columns::Table;
use crate::columns::comparison::{BestStretch, Crossover, CurveLimits, CurvePoint, RankedEntry};
use nodeorder_order::metric::comparison::Comparison;

/// Writes whole curves (element i is MPC(i + 2)) as one table, in blocks: curves of millions of sizes take no memory.
///
/// # Errors
/// Errors of `out`.
///
/// # Examples
/// ```
/// let mut out = Vec::new();
/// let curve = [1.0, 4.0 / 3.0];
/// nodeorder_present::report::csv::write_curves(&mut out, [("snake:axes=xy,reverse=x", &curve[..])])?;
///     assert_eq!( String::from_utf8(out).unwrap(),
///     "ordering,size,mpc\n\"snake:axes=xy,reverse=x\",2,1\n\"snake:axes=xy,reverse=x\",3,1.3333333333333333\n"
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_curves<'a>(
    mut out: impl Write,
    curves: impl IntoIterator<Item = (&'a str, &'a [f64])>,
) -> io::Result<()> {
    // The header alone: blocks of rows are made by threads and have none.
    Table::new(&mut out, CurvePoint::ALL)?.finish()?;
    for (ordering, values) in curves {
        columns::write_rows(&mut out, CurvePoint::ALL, values.len(), |i| CurvePoint {
            ordering,
            size: i + 2,
            mpc: values[i],
        })?;
    }
    Ok(())
}

/// Writes the ranked table, with `mpc_S` and `throughput_bound_S` for each of the comparison's sizes; empty where an
/// ordering has fewer nodes.
///
/// # Errors
/// Errors of `out`.
pub fn write_table(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let mut table = Table::without_header(out);
    table.write_header(RankedEntry::ALL)?;
    for name in ["mpc", "throughput_bound"] {
        for size in &comparison.sizes {
            table.write_cell(format!("{name}_{size}").into())?;
        }
    }
    table.end_line()?;
    for (i, entry) in comparison.entries.iter().enumerate() {
        table.write_values(RankedEntry::ALL, &RankedEntry { rank: i + 1, entry })?;
        for value in entry.at.iter().chain(&entry.throughput_bound) {
            table.write_cell((*value).into())?;
        }
        table.end_line()?;
    }
    table.finish()
}

/// Writes which ordering is the best at which sizes. Fails if `out` does.
pub fn write_stretches(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let rows = comparison.stretches.iter().map(|stretch| BestStretch {
        from: stretch.from,
        to: stretch.to,
        ordering: &comparison.entries[stretch.winner].label,
    });
    columns::write_table(out, BestStretch::ALL, rows)
}

/// Writes the proved floor of MPC and the mean distance of the compact sets found, by size; empty where the machine
/// is too large for either. Fails if `out` does.
pub fn write_limits(mut out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let Comparison { floor, compact, .. } = comparison;
    // Floor and compact sets may end at different sizes: the longer one decides.
    Table::new(&mut out, CurveLimits::ALL)?.finish()?;
    let sizes = floor.len().max(compact.len());
    columns::write_rows(out, CurveLimits::ALL, sizes, |i| CurveLimits {
        size: i + 2,
        floor: floor.get(i).copied(),
        compact: compact.get(i).copied(),
    })
}

/// Writes the sizes at which the two leaders change places, and which of them leads from there. Fails if `out` does.
pub fn write_crossovers(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let mut rows = Vec::new();
    if let [first, second, ..] = comparison.entries.as_slice() {
        for size in &comparison.crossovers {
            // Curves begin at size 2.
            let leads = first.values[size - 2] < second.values[size - 2];
            rows.push(Crossover {
                size: *size,
                ordering: if leads { &first.label } else { &second.label },
            });
        }
    }
    columns::write_table(out, Crossover::ALL, rows)
}
