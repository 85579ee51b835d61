//! `nodeorder audit`: recorded placements scored, beside what orderings would have given the same jobs.

use crate::shared::command_line::CommandLine;
use crate::shared::formats::FormatArgs;
use crate::shared::notes::note;
use crate::shared::output::Output;
use crate::shared::rows::RowFile;
use crate::shared::tables::{format_number, format_range, lay_out_table, write_section};
use crate::shared::{inputs, layout, output, own_files, progress};
use clap::Args;
use nodeorder_base::{Error, SourceLocation};
use nodeorder_jobs::audit::slots::JobSize;
use nodeorder_jobs::audit::summary::{Summary, Sums};
use nodeorder_jobs::audit::{Audit, AuditSettings, Scored, audit};
use nodeorder_network::{Context, Topology};
use nodeorder_order::metric::units::Units;
use nodeorder_present::report::File;
use nodeorder_present::report::audit::{AuditColumns, compact_sentence, document, files};
use nodeorder_present::report::snapshot_samples::write_room;
use nodeorder_trace::WorkloadKind;
use nodeorder_trace::records::Records;
use std::io::Write;
use std::path::PathBuf;

/// Score the places that a scheduler gave its jobs, compared with what others would give
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder audit slurm-topology:topology.conf --trace sacct.txt --out audit"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// A record of jobs, with their nodes: sacct -P with NodeList, accounting of PBS, recorded placements, a CSV table;
    /// plain or .gz; a folder is all of its files by name; repeat for several, in their order
    #[arg(long, value_name = "FILE", required = true)]
    trace: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
    /// An ordering: a name with options, or an ordering file, on which the same jobs are placed, too; repeat for
    /// several [default with --alloc: row-major]
    #[arg(long = "order", value_name = "ORD")]
    orders: Vec<String>,
    /// An allocator (see `nodeorder list allocators`): where it would have placed the same jobs; repeat for several
    /// [default with --order: slurm-best-fit]
    #[arg(long = "alloc", value_name = "A")]
    allocators: Vec<String>,
    /// Also say which node-hours they spare, if this share of every run time grows with the mean distance of a job's
    /// nodes: from 0 to 1
    #[arg(long, value_name = "SHARE")]
    share: Option<f64>,
    /// Write to FILE instead of standard output: a row for each job, as CSV; the table is printed
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add compactness columns: ring hops, bisection links, closed rings
    #[arg(long)]
    shape: bool,
    /// What a job's processes send to each other, such as ring: adds columns with its bytes between units of each level
    #[arg(long, value_name = "GUEST")]
    guest: Option<String>,
    /// Measure the room left for jobs: room.csv in DIR with slots, stranded nodes and units by state, as snapshot
    /// --append has them, for each time at which recorded jobs start
    #[arg(long, requires = "out")]
    room: bool,
    /// Job sizes: those whose slots are counted, such as 4,16,64:segment=8 [default: powers of two]
    #[arg(long, value_name = "SIZES", requires = "room")]
    sizes: Option<String>,
    /// Write into the folder DIR: a page (index.html), its figures as SVG and the sums as CSV
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON document: the sums
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        if let Some(share) = self.share.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(Error::option("--share", share.to_string(), "a number from 0 to 1").into());
        }
        inputs::check_distinct("--alloc", "allocator", &self.allocators)?;
        let topology = inputs::build_topology(&self.spec, context)?;
        let mut records = self.open_records(context)?;
        let tried = !self.orders.is_empty() || !self.allocators.is_empty();
        // Whoever names an ordering or an allocator wants a replay, which needs both. With neither, only the record
        // is scored.
        let (mut orders, mut allocators) = (self.orders.clone(), self.allocators.clone());
        if tried {
            set_default(&mut orders, "row-major");
            set_default(&mut allocators, "slurm-best-fit");
        }
        let orders = inputs::make_orders(&topology, &orders)?;
        let settings = AuditSettings {
            orders: &orders,
            allocators: &allocators,
            shape: self.shape,
            guest: self.guest.as_deref(),
        };
        // Without another output the rows are what is wanted.
        let rows = self.output.is_some() || !self.json && self.out.is_none();
        let mut sink = rows
            .then(|| self.open_row_table(&topology, &settings))
            .transpose()?;
        let waiting = progress::show_spinner("audit");
        // Rows go out job by job: accounting of years does not fit into memory.
        let found = audit::<anyhow::Error>(&topology, &mut records, settings, |scored| {
            sink.as_mut()
                .map_or(Ok(()), |sink| sink.add_scored_job(&scored))
        })?;
        drop(waiting);
        report_left_out(records.name(), &found);
        sink.map_or(Ok(()), |sink| sink.file.finish())?;
        self.write_results(&found, &topology, records.name(), context)
    }

    /// Writes what was found in `trace`, in each form that was asked for: a folder, JSON, the table that people read.
    fn write_results(
        &self,
        found: &Audit,
        topology: &Topology,
        trace: &str,
        context: &Context,
    ) -> anyhow::Result<()> {
        let command = self.command_line(context);
        if let Some(folder) = &self.out {
            let mut files = files(found, topology, trace, self.share, &command)?;
            // Beside the page, so that the folder is one set.
            if self.room {
                files.push(self.make_room(topology, context)?);
            }
            own_files::write_report(folder, "audit", files)?;
        }
        if self.json {
            return output::write_text(
                None,
                document(found, topology, trace, self.share, &command),
            );
        }
        if self.out.is_none() && self.output.is_none() {
            return Ok(());
        }
        let mut out = Output::open(None)?;
        write_table(&mut out, found, topology, trace, self.share)?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }

    /// Makes the file of what was left of the machine after each start.
    fn make_room(&self, topology: &Topology, context: &Context) -> anyhow::Result<File<'static>> {
        let sizes = self.sizes.as_deref().map(JobSize::parse_list).transpose()?;
        let mut table = Vec::new();
        // A second time from the start: the sums of an audit are a stream.
        let mut records = self.open_records(context)?;
        write_room::<anyhow::Error>(topology, &mut records, sizes.as_deref(), &mut table)?;
        Ok(File::text("room.csv", String::from_utf8(table)?))
    }

    /// Opens the records, which must be of a kind that lists nodes.
    fn open_records(&self, context: &Context) -> anyhow::Result<Records> {
        let (mut lines, names) = inputs::open_files(&self.trace, context.memory)?;
        let found = match self.format.find_record_format(&mut lines)? {
            Some((form, columns)) if form.lists_nodes => {
                return Ok(Records::from_lines(lines, form, columns.as_ref())?.of_files(names));
            }
            Some((form, _)) => format!("a {}, which lists no nodes", form.noun),
            None => match nodeorder_trace::detect_kind(&mut lines)? {
                WorkloadKind::Swf => "an SWF trace, which lists no nodes".to_string(),
                WorkloadKind::Log => "a placement log, which lists no nodes".to_string(),
                WorkloadKind::Table => "a table of sizes".to_string(),
                WorkloadKind::Records(form) => form.noun.to_string(),
            },
        };
        let expected = "records that list nodes: sacct -P with NodeList, PBS accounting, recorded placements, a CSV table";
        Err(Error::input(SourceLocation::File(lines.name().into()), found, expected).into())
    }

    /// Opens the table of rows.
    fn open_row_table(
        &self,
        topology: &Topology,
        settings: &AuditSettings<'_>,
    ) -> anyhow::Result<Sink<'_>> {
        let path = self.output.as_deref();
        let levels: Vec<String> = Units::new(topology).name_list();
        let mut names = vec!["recorded".to_string()];
        for order in settings.orders {
            // In the order of the placements, all allocators of an ordering together: rows find their names by
            // number.
            names.extend(
                settings
                    .allocators
                    .iter()
                    .map(|a| format!("{} {a}", order.label())),
            );
        }
        let rows = AuditColumns {
            named: names.len() > 1,
            shaped: self.shape,
            bytes: self.guest.is_some(),
        };
        let file = RowFile::open_table(path, |out| rows.write_header(&levels, out))?;
        Ok(Sink { file, rows, names })
    }

    /// Writes the command line that makes this audit again.
    fn command_line(&self, context: &Context) -> String {
        CommandLine::new("audit")
            .add_argument(&self.spec)
            .add_option("--trace", self.trace.iter().map(|path| path.display()))
            .add_option("--from", &self.format.from)
            .add_option("--columns", &self.format.columns)
            .add_option("--order", &self.orders)
            .add_option("--alloc", &self.allocators)
            .add_seed(context.seed)
            .add_option("--guest", &self.guest)
            .add_flag("--room", self.room)
            .add_option("--sizes", &self.sizes)
            .add_option("--share", self.share)
            .add_option("--out", self.out.as_ref().map(|path| path.display()))
            .to_string()
    }
}

/// The table of jobs being written.
struct Sink<'p> {
    file: RowFile<'p>,
    rows: AuditColumns,
    /// Names of the placements, by number: `recorded`, then an ordering and an allocator each.
    names: Vec<String>,
}

impl Sink<'_> {
    fn add_scored_job(&mut self, scored: &Scored<'_>) -> anyhow::Result<()> {
        let mut row = Vec::new();
        self.rows
            .write(scored, &self.names[scored.placement], &mut row)?;
        self.file.add_rows(scored.placement, &row)
    }
}

/// Puts `default` where the user named nothing.
fn set_default(texts: &mut Vec<String>, default: &str) {
    if texts.is_empty() {
        texts.push(default.to_string());
    }
}

/// Says on standard error which records were not scored, and which jobs a replay skipped.
fn report_left_out(name: &str, found: &Audit) {
    for reason in &found.left_out {
        let first = if reason.first.is_empty() {
            String::new()
        } else {
            format!("; the first: {}", reason.first)
        };
        note!("{name}: left out {}: {}{first}", reason.count, reason.about);
    }
    for reason in &found.mended {
        note!("{name}: adjusted {}: {}", reason.count, reason.about);
    }
    for placement in &found.placements {
        let Summary {
            name: tried,
            skipped,
            all: Sums { apart, .. },
            ..
        } = placement;
        if *apart > 0 {
            note!(
                "{name}: {tried}: no path joins all nodes of {apart} of its jobs, which count in no distance"
            );
        }
        if *skipped > 0 {
            note!(
                "{name}: {tried}: skipped {skipped} jobs, which found too few nodes free or were refused"
            );
        }
    }
}

/// Prints the placements side by side, then the recorded one by size.
fn write_table(
    out: &mut impl Write,
    found: &Audit,
    topology: &Topology,
    trace: &str,
    share: Option<f64>,
) -> anyhow::Result<()> {
    let levels = &found.levels;
    let about = format!(
        "{} on {}: {} jobs scored. Means over jobs: hops between two nodes, diameter, hops of a step of the ring, units \
         spanned and the fewest possible.",
        trace,
        topology.name(),
        found.placements[0].all.jobs
    );
    let compact = compact_sentence(found, share);
    layout::print_sentence(out, &(compact + &about))?;
    writeln!(out)?;
    // The record is always the first placement; all others are held against it.
    let recorded = &found.placements[0];
    for tried in &found.placements[1..] {
        if let Some(change) = tried.hops_change(recorded) {
            let [value, low, high] = change.map(|part| 100.0 * part);
            let about = format!(
                "{}: distance {value:+.1} % against recorded (95 % interval {low:+.1} to {high:+.1}).",
                tried.name
            );
            layout::print_sentence(out, &about)?;
        }
        if let Some(hours) = share.and_then(|share| tried.node_hours_spared(share)) {
            layout::print_sentence(
                out,
                &format!("{}: {hours:.1} node-hours spared.", tried.name),
            )?;
        }
    }
    let heading = |first: &str| {
        let mut names = [first, "jobs", "hops", "diameter", "ring"]
            .map(String::from)
            .to_vec();
        for level in levels {
            names.extend([level.clone(), "fewest".into(), "at fewest".into()]);
        }
        names
    };
    let row = |name: String, sums: &Sums| {
        let mut row = vec![
            name,
            sums.jobs.to_string(),
            format_number(sums.mean_hops(), 3),
            format_number(sums.mean_diameter(), 3),
            format_number(sums.mean_ring_step(), 3),
        ];
        for level in 0..levels.len() {
            row.push(format_number(sums.mean_spanned(level), 2));
            row.push(format_number(sums.mean_fewest(level), 2));
            row.push(
                sums.share_at_fewest(level)
                    // A class without a job that can be scored has no share; 0% would say that the scheduler did
                    // badly.
                    .map_or("-".into(), |share| format!("{:.1} %", 100.0 * share)),
            );
        }
        row
    };
    let rows = found
        .placements
        .iter()
        .map(|placement| row(placement.name.clone(), &placement.all));
    let all = lay_out_table(heading("placement"), rows, 1);
    writeln!(
        out,
        "{}\n",
        layout::fit_to_terminal(all, 3, &std::io::stdout())
    )?;
    let rows = recorded
        .size_classes()
        .map(|(from, to, sums)| row(format_range(from, to), sums));
    let about = "The recorded jobs by size in nodes.";
    write_section(out, about, heading("nodes"), rows, [0, 3])?;
    Ok(())
}
