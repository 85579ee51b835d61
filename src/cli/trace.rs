//! `nodeorder trace`: inspect, convert and generate workloads.

use clap::{Args, Subcommand, ValueEnum};

use crate::shared::formats::FormatArgs;
use crate::shared::layout::print_field;
use crate::shared::notes::note;
use crate::shared::output::Output;
use crate::shared::{inputs, output};
use nodeorder_base::error::sanitize;
use nodeorder_base::{Error, Lines, SourceLocation};
use nodeorder_network::Context;
use nodeorder_present::columns;
use nodeorder_present::columns::jobs::SIZE_COUNT;
use nodeorder_present::report::trace::document;
use nodeorder_trace::records::{Records, placements};
use nodeorder_trace::{
    Changes, GeneratedWorkload, Options, Tally, Trace, Transformed, convert, open,
};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Inspect, convert or generate traces and placement logs
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder trace info theta.swf.gz --json")]
pub struct Command {
    #[command(subcommand)]
    verb: TraceVerb,
}

#[derive(Debug, Subcommand)]
enum TraceVerb {
    /// Describe a trace, a placement log or a table of sizes
    #[command(after_help = "Example: nodeorder trace info theta.swf.gz --json")]
    Info {
        /// The file; `-` for standard input
        file: PathBuf,
        #[command(flatten)]
        format: FormatArgs,
        #[command(flatten)]
        machine: MachineArgs,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
        /// Write the number of jobs of each size to FILE as CSV, size,jobs
        #[arg(long = "sizes-out", alias = "sizes", value_name = "FILE")]
        sizes: Option<PathBuf>,
    },
    /// Write a trace or accounting records as a placement log, an SWF trace or recorded placements
    #[command(after_help = "Example: nodeorder trace convert sacct.txt --to swf -o jobs.swf")]
    Convert(Convert),
    /// Change a trace in time: scale run times or arrivals, copy jobs, cut out a window, reach a load
    #[command(
        after_help = "Example: nodeorder trace transform october.swf --scale-runtime 1.5 --replicate 2 --jitter 600 -o more.swf"
    )]
    Transform(Transform),
    /// Generate a placement log or SWF trace: hector, hector-year, nersc, log or poisson, with options
    #[command(
        after_help = "Example: nodeorder trace generate hector:placements=300000,nodes=2816,load=0.9 -o hector.log"
    )]
    Generate {
        /// The workload: its kind with options, such as poisson:jobs=2000,rate=2,sizes=4x16x64x64
        spec: String,
        /// Write to FILE instead of standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// Options of `trace convert`.
#[derive(Debug, Args)]
struct Convert {
    /// The trace, plain or .gz; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    /// Form of the output. Log: at one time jobs end before others start. Swf: a processor is a node. Placements: a CSV
    /// row for each job with its times and nodes [default: by the ending of the output, .swf or .csv, else log]
    #[arg(long, value_name = "FORMAT")]
    to: Option<To>,
    #[command(flatten)]
    machine: MachineArgs,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Values of `--to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Log,
    Swf,
    Placements,
}

#[derive(Debug, Args)]
struct Transform {
    /// The trace; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    machine: MachineArgs,
    /// Multiply the times between arrivals by X
    #[arg(long, value_name = "X")]
    scale_time: Option<String>,
    /// Multiply run times and requested times by X, rounded to seconds, at least 1
    #[arg(long, value_name = "X")]
    scale_runtime: Option<String>,
    /// Have each job K times in all
    #[arg(long, value_name = "K")]
    replicate: Option<String>,
    /// Submit each copy up to SECONDS earlier or later than its job, drawn by --seed [default: 0]
    #[arg(long, value_name = "SECONDS", requires = "replicate")]
    jitter: Option<String>,
    /// Submit every job up to so many seconds earlier or later, at random
    #[arg(long, value_name = "SECONDS")]
    shake: Option<String>,
    /// Keep the jobs submitted at second T of the trace or later
    #[arg(long, value_name = "T")]
    after: Option<String>,
    /// Keep the jobs submitted before second T
    #[arg(long, value_name = "T")]
    before: Option<String>,
    /// Stretch arrival times to an offered load of X (1 = full machine of --machine-nodes)
    #[arg(
        long,
        value_name = "X",
        requires = "nodes",
        conflicts_with = "scale_time"
    )]
    load: Option<String>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Transform {
    fn run(self, context: &Context) -> anyhow::Result<()> {
        let given = [
            ("after", self.after),
            ("before", self.before),
            ("scale-runtime", self.scale_runtime),
            ("scale-time", self.scale_time),
            ("load", self.load),
            ("replicate", self.replicate),
            ("jitter", self.jitter),
            ("shake", self.shake),
        ];
        let given = given
            .into_iter()
            .filter_map(|(key, value)| Some(format!("{key}={}", value?)));
        let given: Vec<String> = given.collect();
        let text = if given.is_empty() {
            // No change is a use of its own: lines come out mended and by submit time.
            "none".into()
        } else {
            given.join(",")
        };
        let changes = Changes::parse(&text, context.seed)?;
        let options = self.machine.reading_options(context);
        let mut lines = Lines::open(&self.file, options.memory)?;
        let (lines, before) = match self.format.find_record_format(&mut lines)? {
            Some((form, columns)) => {
                let records = Records::from_lines(lines, form, columns.as_ref())?;
                open::write_as_swf(&records.read_trace(&options)?, &options)
            }
            None => (lines, Tally::default()),
        };
        inputs::report_counts(lines.name(), &before);
        let made = Transformed::read_and_change(lines, &options, changes)?;
        inputs::report_tally(made.trace());
        let jobs = made.job_count();
        let kept = made.trace().jobs().len();
        note!(
            "jobs: {jobs}, from {kept} of the {} read",
            // Records that became SWF count as they were read: what was dropped then is not in the trace made of
            // them.
            before.lines.max(made.trace().tally().lines)
        );
        if let Some([before, after]) = made.offered_loads().filter(|_| options.nodes.is_some()) {
            note!(
                "offered load: {before:.4} before, {after:.4} after; arrivals times {}",
                made.arrival_factor()
            );
        }
        output::write_by(self.output.as_deref(), |out| {
            made.swf_pieces()
                .try_for_each(|piece| out.write_all(&piece))
        })
    }
}

/// How many processors make a node, and which jobs are kept.
#[derive(Debug, Args)]
struct MachineArgs {
    /// Processors per node: a job's nodes are its processors divided by P, rounded up [default: 1]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..))]
    procs_per_node: Option<u32>,
    /// Leave out jobs of more than N nodes [default: the machine's nodes in the trace's header]
    #[arg(long = "machine-nodes", alias = "nodes", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    nodes: Option<u32>,
    /// Keep only jobs of this partition; repeat for several
    #[arg(long, value_name = "N")]
    partition: Vec<i32>,
}

impl MachineArgs {
    fn reading_options(self, context: &Context) -> Options {
        Options {
            nodes: self.nodes,
            partitions: self.partition,
            ..inputs::trace_options(self.procs_per_node, context)
        }
    }
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        match self.verb {
            TraceVerb::Info {
                file,
                format,
                machine,
                json,
                sizes,
            } => print_record_info(
                &file,
                &format,
                &machine.reading_options(context),
                json,
                sizes,
            ),
            TraceVerb::Convert(convert) => convert.run(context),
            TraceVerb::Transform(transform) => transform.run(context),
            TraceVerb::Generate { spec, output } => {
                let mut pieces = GeneratedWorkload::generate_workload(&spec, context.seed)?;
                output::write_by(output.as_deref(), |out| {
                    pieces.try_for_each(|piece| out.write_all(piece.as_bytes()))
                })
            }
        }
    }
}

impl Convert {
    fn run(self, context: &Context) -> anyhow::Result<()> {
        let Convert {
            file,
            format,
            to,
            machine,
            output,
        } = self;
        let ending = output.as_deref().map(Path::to_string_lossy);
        let ending = ending
            .as_deref()
            .unwrap_or_default()
            .trim_end_matches(".gz");
        let to = match to {
            Some(to) => to,
            // The name of the output says what its reader expects; `.gz` behind it changes nothing.
            None if ending.ends_with(".swf") => To::Swf,
            None if ending.ends_with(".csv") => To::Placements,
            None => To::Log,
        };
        let options = machine.reading_options(context);
        let (mut lines, names) = inputs::open_files(&[file], options.memory)?;
        let Some((form, columns)) = format.find_record_format(&mut lines)? else {
            if to == To::Placements {
                let found = "a trace without lists of nodes";
                let expected = "records that list nodes, such as the output of sacct";
                return Err(Error::option("--to placements", found, expected).into());
            }
            return write_trace(&Trace::from_lines(lines, &options)?, to, output.as_deref());
        };
        let mut records = Records::from_lines(lines, form, columns.as_ref())?.of_files(names);
        if to != To::Placements {
            return write_trace(&records.read_trace(&options)?, to, output.as_deref());
        }
        let name = records.name().to_string();
        let mut out = Output::open(output.as_deref())?;
        let written = placements::write_placements::<anyhow::Error>(&mut records, &mut out)?;
        inputs::report_counts(&name, records.tally());
        // The output is not finished: no file with a header only that later commands refuse.
        if written == 0 {
            let location = SourceLocation::File(name.as_str().into());
            return Err(
                Error::input(location, "no job with a list of nodes", "at least one").into(),
            );
        }
        out.finish()
    }
}

/// Writes a trace, and says what was left out of it or mended, whatever it is written as.
fn write_trace(trace: &Trace, to: To, output: Option<&Path>) -> anyhow::Result<()> {
    inputs::report_tally(trace);
    let text = if to == To::Swf {
        convert::write_swf(trace)
    } else {
        convert::write_log(trace, true)
    };
    output::write_text(output, text)
}

/// Prints what is known of a file and of the sizes of its jobs.
fn print_record_info(
    file: &Path,
    format: &FormatArgs,
    options: &Options,
    as_json: bool,
    to: Option<PathBuf>,
) -> anyhow::Result<()> {
    let (mut lines, names) = inputs::open_files(&[file.to_path_buf()], options.memory)?;
    let form = format.find_record_format(&mut lines)?;
    let (document, sizes, trace) = document(lines, names, form, options)?;
    trace
        .iter()
        .for_each(inputs::warn_processors_taken_for_nodes);
    if let Some(path) = to {
        // A table of shares has no numbers of jobs: the file then has its header only.
        let rows = sizes.count_table().unwrap_or_default();
        output::write_by(Some(&path), |out| {
            columns::write_table(out, SIZE_COUNT, rows)
        })?;
    }
    if as_json {
        return output::write_json(None, &document);
    }
    let mut out = Output::open(None)?;
    for (key, value) in document.as_object().into_iter().flatten() {
        print_key_value(&mut out, key, value)?;
    }
    out.finish()
}

fn print_key_value(out: &mut Output, key: &str, value: &Value) -> anyhow::Result<()> {
    let label = key.replace('_', " ");
    match value {
        Value::Null => {}
        Value::Object(counts) => {
            for (reason, count) in counts {
                print_field(out, 14, &label, &format!("{count} {reason}"))?;
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                let [name, text] = ["label", "value"].map(|key| {
                    let text = entry[key].as_str().unwrap_or_default();
                    // A header is whatever a file holds: control characters must not reach the terminal.
                    sanitize(&text.replace('\n', " / ")).into_owned()
                });
                print_field(out, 14, &label, &format!("{name}: {text}"))?;
            }
        }
        Value::String(text) => print_field(out, 14, &label, &sanitize(text))?,
        number => print_field(out, 14, &label, &number.to_string())?,
    }
    Ok(())
}
