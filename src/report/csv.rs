//! Tidy CSV tables: a header, a comma, full precision (the shortest text that reads back to the same f64).

use std::io::{self, Write};

use crate::metric::comparison::Comparison;

/// A field, quoted where its text needs it.
fn field(text: &str) -> io::Result<String> {
    let mut writer =
        csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Necessary).from_writer(Vec::new());
    writer.write_record([text])?;
    let bytes = writer.into_inner().map_err(|e| io::Error::other(e.to_string()))?;
    let mut line = String::from_utf8(bytes).map_err(io::Error::other)?;
    line.truncate(line.trim_end_matches('\n').len());
    Ok(line)
}

/// `ordering,size,mpc`: every curve (element i is MPC(i + 2)), at all sizes or, of `sizes`, those it
/// reaches. Rows go out as they are made, so that curves of millions of sizes take no memory.
///
/// # Errors
/// What `out` reports.
///
/// # Examples
/// ```
/// use nodeorder::report::csv::write_curves;
/// let mut out = Vec::new();
/// write_curves(&mut out, [("snake:axes=xy,reverse=x", &[1.0, 4.0 / 3.0][..])], None)?;
/// assert_eq!(
///     String::from_utf8(out).unwrap(),
///     "ordering,size,mpc\n\"snake:axes=xy,reverse=x\",2,1\n\"snake:axes=xy,reverse=x\",3,1.3333333333333333\n"
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_curves<'a>(
    mut out: impl Write,
    curves: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    sizes: Option<&[usize]>,
) -> io::Result<()> {
    const FLUSH: usize = 1 << 16;
    let mut rows = b"ordering,size,mpc\n".to_vec();
    for (label, values) in curves {
        let label = field(label)?;
        let mut row = |size: usize, value: f64| {
            writeln!(rows, "{label},{size},{value}")?;
            if rows.len() >= FLUSH {
                out.write_all(&rows)?;
                rows.clear();
            }
            Ok::<(), io::Error>(())
        };
        match sizes {
            None => values.iter().enumerate().try_for_each(|(i, value)| row(i + 2, *value))?,
            Some(sizes) => {
                for size in sizes {
                    if let Some(value) = size.checked_sub(2).and_then(|i| values.get(i)) {
                        row(*size, *value)?;
                    }
                }
            }
        }
    }
    out.write_all(&rows)?;
    out.flush()
}

/// The ranked table: `rank,ordering,nodes,mean_log,mean_plain,best_share,mean_step` and `mpc_S` for each
/// of the comparison's sizes; empty where an ordering has fewer nodes.
///
/// # Errors
/// What `out` reports.
pub fn write_table(mut out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let sizes: String = comparison.sizes.iter().map(|s| format!(",mpc_{s}")).collect();
    writeln!(out, "rank,ordering,nodes,mean_log,mean_plain,best_share,mean_step{sizes}")?;
    for (i, e) in comparison.entries.iter().enumerate() {
        let at: String =
            e.at.iter().map(|v| v.map_or(",".into(), |value| format!(",{value}"))).collect();
        writeln!(
            out,
            "{},{},{},{},{},{},{}{at}",
            i + 1,
            field(&e.label)?,
            e.nodes,
            e.mean_log,
            e.mean_plain,
            e.best_share,
            e.mean_step
        )?;
    }
    out.flush()
}

/// `from,to,ordering`: which ordering is the best from size `from` to size `to`.
///
/// # Errors
/// What `out` reports.
pub fn write_stretches(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    writeln!(out, "from,to,ordering")?;
    let labels: Vec<String> =
        comparison.entries.iter().map(|e| field(&e.label)).collect::<io::Result<_>>()?;
    for stretch in &comparison.stretches {
        writeln!(out, "{},{},{}", stretch.from, stretch.to, labels[stretch.winner])?;
    }
    out.flush()
}

/// `size,ordering`: the sizes at which the two leaders change places, and who of them leads from there.
///
/// # Errors
/// What `out` reports.
pub fn write_crossovers(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    writeln!(out, "size,ordering")?;
    if let [first, second, ..] = comparison.entries.as_slice() {
        for size in &comparison.crossovers {
            let leads = first.values[size - 2] < second.values[size - 2];
            let leader = if leads { first } else { second };
            writeln!(out, "{size},{}", field(&leader.label)?)?;
        }
    }
    out.flush()
}
