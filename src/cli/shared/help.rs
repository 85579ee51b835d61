//! The layout of every help: headings for options, common options alone in `-h`, further examples in `--help`.

use clap::{Arg, Command};

use super::layout;

/// Headings of the help, each with the options below it; all other options stand below "Options".
const HEADINGS: [(&str, &[&str]); 4] = [
    (
        "Orderings",
        &[
            "order", "orders", "by", "optimise", "current", "method", "weights", "time",
        ],
    ),
    (
        "Jobs",
        &[
            "trace",
            "jobs",
            "from",
            "columns",
            "procs_per_node",
            "partition",
            "partitions",
            "alloc",
            "allocators",
            "allocator",
            "rules",
            "policy",
            "model",
            "nodes",
            "seeds",
            "shake",
            "compute",
            "threshold",
            "at",
            "share",
        ],
    ),
    (
        "Traffic and links",
        &[
            "guest",
            "guests",
            "routing",
            "bandwidth",
            "node_links",
            "node_bandwidth",
            "switch_bandwidth",
            "links_file",
            "latency",
            "fair",
            "detail",
            "speed",
            "duty",
            "tilings",
        ],
    ),
    (
        "Output",
        &[
            "output",
            "out",
            "json",
            "plot",
            "plots",
            "links_out",
            "names",
            "ranks",
            "pods",
            "extent",
            "shape",
            "room",
            "summary",
            "totals",
            "timings",
            "whole_hops",
            "timeline",
            "edges",
            "histogram",
            "matching_out",
        ],
    ),
];

/// Options that `-h` leaves to `--help`.
const RARE: [&str; 25] = [
    "seed",
    "threads",
    "memory",
    "quiet",
    "rules",
    "procs_per_node",
    "columns",
    "from",
    "switch_bandwidth",
    "node_bandwidth",
    "links_file",
    "fair",
    "iterations",
    "seeds",
    "shake",
    "threshold",
    "whole_hops",
    "timings",
    "pods",
    "extent",
    "compute",
    "totals",
    "partition",
    "partitions",
    "optimise",
];

/// Options of a command with many that its `-h` leaves to `--help`, too.
const RARE_HERE: [(&str, &[&str]); 1] = [(
    "compare",
    &["policy", "model", "guests", "routing", "duty", "tilings"],
)];

/// Further examples of commands that do several things.
const EXAMPLES: [(&str, &[&str]); 7] = [
    (
        "compare",
        &[
            "nodeorder compare topology.conf",
            "nodeorder compare titan --trace theta.swf.gz --alloc slurm-best-fit",
        ],
    ),
    (
        "hosts",
        &["nodeorder hosts torus:4x4 --nodes 0-3 --to machinefile --per-node 8"],
    ),
    (
        "export",
        &[
            "nodeorder export torus:8x8 --order hilbert --to simgrid --bandwidth 10GB/s --latency 1us",
        ],
    ),
    (
        "throughput",
        &["nodeorder throughput torus:4x4x4 --traffic all-to-all,matching"],
    ),
    (
        "map",
        &[
            "nodeorder map torus:8x8 --guest ring --order row-major --map refine --mapping-out ranks.csv",
        ],
    ),
    (
        "replay",
        &["nodeorder replay torus:8x8 --order hilbert --trace jobs.log --alloc first-fit:8 --json"],
    ),
    (
        "topology",
        &["nodeorder topology topology.conf --check today.conf"],
    ),
];

/// Lists the examples of a command's help: the first, which ends its `-h`, too, then the others.
pub fn list_examples(command: &Command) -> Vec<String> {
    let first = command.get_after_help().map(ToString::to_string);
    let first = first
        .iter()
        .filter_map(|text| text.strip_prefix("Example: "));
    let more = EXAMPLES
        .iter()
        .filter(|(verb, _)| *verb == command.get_name());
    let more = more.flat_map(|(_, examples)| examples.iter().copied());
    first.chain(more).map(String::from).collect()
}

/// Lays out the help of a command and of those within it.
pub fn lay_out_help(command: Command) -> Command {
    let examples = list_examples(&command);
    let mut here = RARE_HERE.iter();
    let here = here.find(|(verb, _)| *verb == command.get_name());
    let rare = here.map_or(&[][..], |(_, ids)| ids);
    let command = command
        .mut_args(|option| place_option(option, rare))
        .mut_subcommands(lay_out_help);
    match examples.as_slice() {
        [] | [_] => command,
        several => command.after_long_help(format!("Examples:\n  {}", several.join("\n  "))),
    }
}

/// Puts an option below its heading, and leaves rare ones, those of `here` too, to `--help`.
fn place_option(option: Arg, here: &[&str]) -> Arg {
    let id = option.get_id().as_str();
    let is_rare = RARE.contains(&id) || here.contains(&id);
    let heading = HEADINGS.iter().find(|(_, ids)| ids.contains(&id));
    let heading =
        heading.filter(|_| option.get_help_heading().is_none() && !option.is_positional());
    let option = match heading {
        Some((heading, _)) => option.help_heading(*heading),
        None => option,
    };
    if is_rare {
        option.hide_short_help(true)
    } else {
        option
    }
}

/// Groups the commands in the help of `command`: a line each.
pub fn group_commands(command: Command, groups: &[(&str, &[&str])]) -> Command {
    let heading = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    // At most 100 columns: longer lines of a help are hard to read.
    let room = layout::output_width()
        .unwrap_or(100)
        .min(100)
        .saturating_sub(16)
        .max(16);
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    for (group, names) in groups {
        text += &format!("{heading}{group}:{heading:#}\n");
        for verb in names
            .iter()
            .filter_map(|name| command.find_subcommand(name))
        {
            let about = verb
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let about = layout::wrap_text(&about, room).join("\n                ");
            text += &format!("  {literal}{:<12}{literal:#}  {about}\n", verb.get_name());
        }
    }
    text += "\nEvery command takes --seed N, --threads N, --memory SIZE and --quiet; its --help has all options.{after-help}";
    command.help_template(text)
}
