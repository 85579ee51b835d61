//! Tidy CSV tables: a header, a comma, full precision (the shortest text that reads back to the same f64).

use std::io::{self, Write};

use crate::metric::comparison::Comparison;

/// A field, quoted where its text needs it.
pub(crate) fn field(text: &str) -> io::Result<String> {
    let mut writer =
        csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Necessary).from_writer(Vec::new());
    writer.write_record([text])?;
    let bytes = writer.into_inner().map_err(|e| io::Error::other(e.to_string()))?;
    let mut line = String::from_utf8(bytes).map_err(io::Error::other)?;
    line.truncate(line.trim_end_matches('\n').len());
    Ok(line)
}

/// `ordering,size,mpc` row by row: rows go out as they are made, so that curves of millions of sizes take
/// no memory.
///
/// # Examples
/// ```
/// use nodeorder::report::csv::Curves;
/// let mut out = Vec::new();
/// let mut csv = Curves::new(&mut out);
/// csv.row("snake:axes=xy,reverse=x", 3, 4.0 / 3.0)?;
/// csv.finish()?;
/// assert_eq!(
///     String::from_utf8(out).unwrap(),
///     "ordering,size,mpc\n\"snake:axes=xy,reverse=x\",3,1.3333333333333333\n"
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Curves<W> {
    out: W,
    rows: Vec<u8>,
    /// The last label, and how it is written.
    label: (String, String),
}

impl<W: Write> Curves<W> {
    const FLUSH: usize = 1 << 16;

    /// Starts the table with its header.
    pub fn new(out: W) -> Self {
        Curves { out, rows: b"ordering,size,mpc\n".to_vec(), label: Default::default() }
    }

    /// One value.
    ///
    /// # Errors
    /// What the output reports.
    pub fn row(&mut self, label: &str, size: usize, value: f64) -> io::Result<()> {
        if self.label.0 != label {
            self.label = (label.to_string(), field(label)?);
        }
        writeln!(self.rows, "{},{size},{value}", self.label.1)?;
        if self.rows.len() >= Self::FLUSH {
            self.out.write_all(&self.rows)?;
            self.rows.clear();
        }
        Ok(())
    }

    /// Hands over what is left.
    ///
    /// # Errors
    /// What the output reports.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&self.rows)?;
        self.out.flush()
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
    let mut csv = Curves::new(out);
    for (label, values) in curves {
        values.iter().enumerate().try_for_each(|(i, value)| csv.row(label, i + 2, *value))?;
    }
    csv.finish()
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

/// `size,floor,compact`: how low any ordering could go, and what compact sets found have by themselves; empty
/// where the machine is too large for either.
///
/// # Errors
/// What `out` reports.
pub fn write_limits(out: impl Write, comparison: &Comparison) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    writeln!(out, "size,floor,compact")?;
    let text = |values: &[f64], i: usize| values.get(i).map_or_else(String::new, f64::to_string);
    for i in 0..comparison.floor.len().max(comparison.compact.len()) {
        let (floor, compact) = (text(&comparison.floor, i), text(&comparison.compact, i));
        writeln!(out, "{},{floor},{compact}", i + 2)?;
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
