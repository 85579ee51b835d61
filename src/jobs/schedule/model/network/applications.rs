//! Applications of a trace's jobs, read from a file or from options: one for all jobs, or a mix drawn by seed.

use std::path::Path;

use nodeorder_base::error::format_six_digits;
use nodeorder_base::random::{random_unit, seed_generator};
use nodeorder_base::{Error, Line, Result, SourceLocation, Text};
use nodeorder_network::Context;
use nodeorder_traffic::mapping::guest::{Benchmark, make_sized_guest, sized_names};
use nodeorder_traffic::mapping::{GUESTS, Guest};

/// Application that jobs run.
#[derive(Clone, Debug)]
pub struct Application {
    pub name: String,
    /// Weight with which the application is drawn, in any unit.
    pub weight: f64,
    /// Guest or pattern of the application's traffic.
    pub guest: String,
    /// Share of the run time in which a job sends, on a compact allocation.
    pub share: f64,
    /// File and line, or option, that the application was read from.
    pub location: SourceLocation,
}

/// Reads a file of applications, `app,weight,guest,share` with a header; without `share` if `benchmarks` are run.
/// Fails, with file and line, on a malformed line, an unknown guest, a weight or share out of range, an application
/// named twice, or a file without applications.
pub fn read_applications(
    path: &Path,
    benchmarks: bool,
    context: &Context,
) -> Result<Vec<Application>> {
    let text = Text::read(path, context.memory)?;
    // A benchmark says itself how much it sends.
    let count = if benchmarks { 3 } else { 4 };
    let columns = &["app", "weight", "guest", "share"][..count];
    let mut all: Vec<Application> = Vec::new();
    for line in text.list_rows(columns)? {
        let fields = line.split_csv()?;
        if fields.len() != count {
            let expected = format!("{count}: {}", columns.join(","));
            return Err(line.error_here(format!("{} fields", fields.len()), expected));
        }
        let name = &fields[0];
        if all.iter().any(|app| app.name == **name) {
            return Err(line.error_here(
                format!("application `{name}` again"),
                "each application once",
            ));
        }
        let app = Application {
            name: name.to_string(),
            weight: parse_number(&line, "weight", &fields[1], 1e12)?,
            guest: fields[2].to_string(),
            share: match fields.get(3) {
                Some(share) => parse_number(&line, "share", share, 1.0)?,
                None => 0.0,
            },
            location: line.location(),
        };
        app.check_guest(benchmarks, context)?;
        all.push(app);
    }
    if all.iter().map(|app| app.weight).sum::<f64>() <= 0.0 {
        return Err(Error::input(
            text.location(),
            "no application of a weight above 0",
            "one",
        ));
    }
    Ok(all)
}

/// Reads a number from 0 to `most`. Fails with the line.
fn parse_number(line: &Line<'_>, what: &str, text: &str, most: f64) -> Result<f64> {
    match text.trim().parse() {
        Ok(value) if (0.0..=most).contains(&value) => Ok(value),
        _ => Err(line.error_here(
            format!("{what} `{text}`"),
            format!("a number from 0 to {most}"),
        )),
    }
}

/// Draws an application for each task in queue order, by weight; returns their indices.
pub fn draw_applications(applications: &[Application], tasks: usize, seed: u64) -> Vec<u32> {
    let all: f64 = applications.iter().map(|app| app.weight).sum();
    // Rounding may leave the last bit of the range to no one: it belongs to the last application of any weight.
    let last = applications.iter().rposition(|app| app.weight > 0.0);
    let mut random = seed_generator(seed);
    let mut drawn = Vec::with_capacity(tasks);
    for _ in 0..tasks {
        let mut at = random_unit(&mut random) * all;
        let chosen = applications.iter().position(|app| {
            at -= app.weight;
            at < 0.0
        });
        drawn.push(chosen.or(last).unwrap_or(0) as u32);
    }
    drawn
}

impl Application {
    /// Checks that the guest exists, and is a benchmark if one is needed. Fails otherwise.
    pub fn check_guest(&self, benchmark: bool, context: &Context) -> Result<()> {
        if benchmark {
            // Any size shows whether there is such a benchmark.
            let made = Benchmark::make_sized(&self.guest, 1, context).map(|_| ());
            return made.map_err(|error| error.locate_text_error(&self.guest, &self.location));
        }
        if sized_names().contains(&self.guest.as_str()) {
            return Ok(());
        }
        if GUESTS.get(&self.guest).is_some() || Path::new(&self.guest).exists() {
            return Guest::make(&self.guest, context).map(|_| ());
        }
        Err(Error::unknown(
            self.location.clone(),
            "guest",
            &self.guest,
            sized_names(),
        ))
    }

    /// Describes what jobs run, as results quote it.
    pub fn describe_traffic(&self, benchmark: bool, compute: Option<f64>) -> String {
        let Application { guest, share, .. } = self;
        match compute {
            None if benchmark => format!("the benchmark {guest}"),
            None => format!("{guest} traffic, share {share} of the run time"),
            Some(seconds) => {
                format!(
                    "{guest} traffic after {} s of computing",
                    format_six_digits(seconds)
                )
            }
        }
    }

    /// Makes the guest of a job of `nodes`: a pattern as large as the job, in which each process sends one unit on the
    /// mean, or a guest of its own size for the job's first nodes. Fails if the guest has more processes than the job
    /// nodes.
    pub fn make_guest(&self, nodes: u32, job: i64, context: &Context) -> Result<Guest> {
        if sized_names().contains(&self.guest.as_str()) {
            return make_sized_guest(&self.guest, nodes, context);
        }
        let guest = Guest::make(&self.guest, context)?;
        if guest.processes() > nodes {
            let found = format!(
                "{nodes} nodes for the {} processes of guest `{}` ({})",
                guest.processes(),
                self.guest,
                self.location
            );
            let expected =
                "a job as large as its guest, or a guest for any size, such as stencil3d";
            return Err(Error::option(format!("job {job}"), found, expected));
        }
        Ok(guest)
    }
}
