//! Applications of a trace's jobs: one for all, or a mix drawn by seed.

use std::path::Path;

use nodeorder_base::error::{Error, Result, SourceLocation, six_digits};
use nodeorder_base::input::Text;
use nodeorder_base::random::{generator, unit};
use nodeorder_network::topology::Context;
use nodeorder_traffic::mapping::guest::{Benchmark, sized, sized_names};
use nodeorder_traffic::mapping::{GUESTS, Guest};

/// An application: its name, how often it is drawn, its traffic.
#[derive(Clone, Debug)]
pub(super) struct Application {
    pub name: String,
    pub weight: f64,
    pub guest: String,
    pub share: f64,
    pub location: SourceLocation,
}

/// Reads `app,weight,guest,share`, header first: how often an application occurs (any positive unit), its traffic,
/// and the share of its run time in which it sends. Where `benchmarks` are run there is no share. Errors: with file and
/// line: a malformed line, an unknown guest, a weight or share out of range, an application named twice; a file without
/// applications.
pub(super) fn read_applications(
    path: &Path,
    benchmarks: bool,
    context: &Context,
) -> Result<Vec<Application>> {
    let text = Text::read(path, context.memory)?;
    let mut lines = text.data_lines();
    let columns: &[&str] = match benchmarks {
        true => &["app", "weight", "guest"],
        false => &["app", "weight", "guest", "share"],
    };
    let expected = format!("the header {}", columns.join(","));
    let header = lines.next().map(|line| line.fields()).transpose()?;
    match header {
        Some(fields) if fields == columns => {}
        Some(fields) => {
            return Err(Error::input(
                text.location(),
                format!("`{}`", fields.join(",")),
                expected,
            ));
        }
        None => return Err(Error::input(text.location(), "no lines", expected)),
    }
    let mut all: Vec<Application> = Vec::new();
    for line in lines {
        let fields = line.fields()?;
        let (name, weight, guest, share) = match fields.as_slice() {
            [name, weight, guest, share] if !benchmarks => (name, weight, guest, &**share),
            [name, weight, guest] if benchmarks => (name, weight, guest, "0"),
            _ => {
                let expected = format!("{}: {}", columns.len(), columns.join(","));
                return Err(line.wrong(format!("{} fields", fields.len()), expected));
            }
        };
        if all.iter().any(|app| app.name == **name) {
            return Err(line.wrong(
                format!("application `{name}` again"),
                "each application once",
            ));
        }
        let number = |what: &str, text: &str, most: f64| match text.trim().parse::<f64>() {
            Ok(value) if value >= 0.0 && value <= most => Ok(value),
            _ => Err(line.wrong(
                format!("{what} `{text}`"),
                format!("a number from 0 to {most}"),
            )),
        };
        let app = Application {
            name: name.to_string(),
            weight: number("weight", weight, 1e12)?,
            guest: guest.to_string(),
            share: number("share", share, 1.0)?,
            location: line.location(),
        };
        app.check(benchmarks, context)?;
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

/// An application for each task in queue order.
pub(super) fn draw_applications(applications: &[Application], tasks: usize, seed: u64) -> Vec<u32> {
    let all: f64 = applications.iter().map(|app| app.weight).sum();
    let mut random = generator(seed);
    let mut one = || {
        let mut at = unit(&mut random) * all;
        let chosen = applications.iter().position(|app| {
            at -= app.weight;
            at < 0.0
        });
        // Rounding may leave the last bit to no one.
        let last = || {
            applications
                .iter()
                .rposition(|app| app.weight > 0.0)
                .unwrap_or(0)
        };
        chosen.unwrap_or_else(last) as u32
    };
    (0..tasks).map(|_| one()).collect()
}

impl Application {
    /// Refuses a guest that does not exist, or is no benchmark where one is needed.
    pub(super) fn check(&self, benchmark: bool, context: &Context) -> Result<()> {
        if benchmark {
            let made = Benchmark::sized(&self.guest, 1, context).map(|_| ());
            return made.map_err(|error| error.about(&self.guest, &self.location));
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

    /// In words, what all jobs run.
    pub(super) fn what(&self, benchmark: bool, compute: Option<f64>) -> String {
        let Application { guest, share, .. } = self;
        match compute {
            None if benchmark => format!("the benchmark {guest}"),
            None => format!("{guest} traffic, share {share} of the run time"),
            Some(seconds) => {
                format!(
                    "{guest} traffic after {} s of computing",
                    six_digits(seconds)
                )
            }
        }
    }

    /// Its guest for a job of so many nodes: a pattern as large as the job, in which each process sends one unit on the
    /// mean, or a guest of its own size on the job's first nodes. Errors: a guest of more processes than nodes.
    pub(super) fn guest(&self, nodes: u32, job: i64, context: &Context) -> Result<Guest> {
        if sized_names().contains(&self.guest.as_str()) {
            return sized(&self.guest, nodes, context);
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
            return Err(Error::input(
                SourceLocation::option(format!("job {job}")),
                found,
                expected,
            ));
        }
        Ok(guest)
    }
}
