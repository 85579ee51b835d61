//! A file of a report: its name, and the function that writes it.

use std::io::{self, Write};

use super::html::Figure;

/// A file of a comparison's output directory.
pub struct File<'a> {
    /// File name, without a directory.
    pub name: String,
    /// Function that writes the content: a table row by row, because it may be larger than memory.
    write: WriteFile<'a>,
}

/// A function that writes the content of a file.
type WriteFile<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

impl<'a> File<'a> {
    /// Makes a file of this text.
    pub fn text(name: impl Into<String>, text: String) -> Self {
        File::from_writer(name, move |out| out.write_all(text.as_bytes()))
    }

    /// Makes a file that `write` writes row by row.
    pub(super) fn from_writer(
        name: impl Into<String>,
        write: impl Fn(&mut dyn Write) -> io::Result<()> + 'a,
    ) -> Self {
        File {
            name: name.into(),
            write: Box::new(write),
        }
    }

    /// Describes the file as pages list it: its name and what is in it. `None` if pages do not list it.
    pub(super) fn list_entry(&self) -> Option<(&str, &'static str)> {
        Some((&self.name, describe_file(&self.name)?))
    }

    /// Writes the content.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(out)
    }
}

/// Adds a page to the files that it lists: the page first, its figures last.
pub fn add_page(
    files: &mut Vec<File<'_>>,
    page: String,
    figures: impl IntoIterator<Item = Figure>,
) {
    // The page is made last, as it lists the others, and written first.
    files.insert(0, File::text("index.html", page));
    for figure in figures {
        files.push(File::text(figure.file, figure.svg));
    }
}

/// Describes a file on the page that lists it. `None` if it is not listed.
fn describe_file(name: &str) -> Option<&'static str> {
    Some(match name {
        "machines.csv" => "the table of machines, ranked",
        "machine-curves.csv" => "the curves: machine, ordering, size, share, mpc, floor",
        "machine-jobs.csv" => "what jobs get under load, a row per machine and allocator",
        "machine-queue.csv" => "the schedules, a row per machine; times in seconds",
        "sizes.csv" => "the figures by job size, a row per placement and size",
        "periods.csv" => {
            "the figures over time, a row per placement and period; times in seconds since 1970"
        }
        // Figures and the page itself are not listed: the page shows them.
        "audit.json" | "snapshot.json" | "corun.json" => "all figures as one document",
        "jobs.csv" => "the jobs: job, processes, iterations, seconds, alone, slowdown",
        "links.csv" => "every directed link: u, v, utilisation",
        "mpc.csv" => "every curve at every size: ordering, size, mpc",
        "table.csv" => "the ranked table",
        "stretches.csv" => "which ordering is the best at which sizes",
        "crossovers.csv" => "where the first two change places",
        "limits.csv" => "how low any ordering could go: size, floor (proved), compact (sets found)",
        "workload.csv" => {
            "the replay of the workload: ordering, weighted_mpc, allocator, mean_mind"
        }
        "workload-sizes.csv" => {
            "MPC and the means of the replay by job size: ordering, allocator, size, jobs, mpc, \
             mean_mind"
        }
        "schedule.csv" => "the schedules of the workload, a row per ordering; times in seconds",
        "throughput.csv" => {
            "what orderings carry when jobs fill the machine, a row per ordering and job size"
        }
        "slowdown.csv" => {
            "how many times as long communication takes: ordering, guest, size, windows, alone, \
             mixed, all"
        }
        "summary.json" => "all but the curves and the means by job size, as one document",
        "machines.json" => "all but the curves, as one document",
        _ => return None,
    })
}
