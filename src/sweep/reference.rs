//! All tables of named entries in one list: what `nodeorder list` shows and `docs/reference.md` holds.

use nodeorder_base::{Entry, Opt, Registry};
use nodeorder_jobs::allocator;
use nodeorder_jobs::schedule;
use nodeorder_network::catalog;
use nodeorder_network::topology;
use nodeorder_order::ordering;
use nodeorder_present::export;
use nodeorder_traffic::mapping;

/// The entries that are there to repeat what papers report, by table: their machines, workloads and rules, and the
/// mapping methods that `best` tries in turn. Lists have them below the entries that users choose from.
const FROM_PAPERS: [(&str, &[&str]); 4] = [
    (
        "topologies",
        &[
            "cplant-test",
            "hector-dragonfly-best",
            "hector-dragonfly-worst",
            "hector-torus5d",
            "hu-random",
            "hu-torus",
            "hu-ws",
        ],
    ),
    (
        "allocators",
        &[
            "span-first-fit",
            "span-best-fit",
            "span-sum-of-squares",
            "mc1x1",
            "mbs",
        ],
    ),
    (
        "methods",
        &["bisection", "greedy", "refine", "tabu", "grid"],
    ),
    (
        "generators",
        &["hector", "hector-ten", "hector-year", "nersc"],
    ),
];

/// A table, without what its entries build.
pub struct Table {
    /// Its name, as in `nodeorder list orderings`.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// The option of the command that chooses an entry; empty where there are several.
    pub flag: &'static str,
    /// The character between the options of an entry.
    pub separator: char,
    /// Options of every entry besides its own.
    pub common: &'static [Opt],
    /// The noun for an entry in messages.
    pub noun: &'static str,
    /// The entries, those from the papers last.
    pub entries: Vec<Entry<()>>,
}

impl Table {
    fn new<B>(name: &'static str, about: &'static str, registry: &Registry<B>) -> Self {
        Table {
            name,
            about,
            flag: registry.flag,
            separator: registry.separator,
            common: &[],
            noun: registry.noun,
            entries: registry.iter().map(Entry::description).collect(),
        }
    }

    /// Checks whether an entry is there to repeat what a paper reports.
    pub fn is_from_papers(&self, entry: &Entry<()>) -> bool {
        let names = FROM_PAPERS.iter().find(|(table, _)| *table == self.name);
        names.is_some_and(|(_, names)| names.contains(&entry.name))
    }

    /// Splits the entries into those that users choose from and those from the papers.
    pub fn split_by_origin(&self) -> [&[Entry<()>]; 2] {
        let chosen = self
            .entries
            .partition_point(|entry| !self.is_from_papers(entry));
        self.entries.split_at(chosen).into()
    }

    /// Shows how an entry is chosen: its example behind the option that takes it.
    pub fn example_usage(&self, entry: &Entry<()>) -> String {
        match self.flag {
            "" => entry.example.into(),
            flag => format!("{flag} {}", entry.example),
        }
    }
}

/// Lists every table, in the order of the reference.
pub fn list_tables() -> Vec<Table> {
    let mut topologies = Table::new(
        "topologies",
        "Topology kinds and shipped machines",
        &topology::TOPOLOGIES,
    );
    topologies.common = topology::COMMON_OPTIONS;
    topologies
        .entries
        .extend(catalog::machine_names().into_iter().map(describe_machine));
    // A guest is a pattern or a file: the formats of files are listed with the patterns.
    let mut guests = Table::new(
        "guests",
        "Traffic patterns and guest files",
        &mapping::GUESTS,
    );
    guests
        .entries
        .extend(mapping::guest::FORMATS.iter().map(Entry::description));
    let mut tables = vec![
        topologies,
        Table::new("orderings", "Ordering methods", &ordering::ORDERINGS),
        Table::new(
            "allocators",
            "Allocators of replays and schedules",
            &allocator::ALLOCATORS,
        ),
        Table::new("policies", "Scheduling policies", &schedule::POLICIES),
        Table::new("models", "Runtime models of schedules", &schedule::MODELS),
        guests,
        Table::new("routings", "Routings", &mapping::ROUTINGS),
        Table::new("methods", "Mapping methods", &mapping::METHODS),
        Table::new("targets", "Export targets", &export::TARGETS),
        Table::new(
            "host-forms",
            "Forms of the hosts of one job",
            &export::HOST_FORMS,
        ),
        Table::new(
            "generators",
            "Generators of synthetic workloads",
            &nodeorder_trace::GENERATORS,
        ),
        Table::new(
            "traces",
            "Formats of logs, traces and tables of sizes",
            &nodeorder_trace::TRACE_FORMATS,
        ),
    ];
    for table in &mut tables {
        let mut entries = std::mem::take(&mut table.entries);
        // A stable sort: within each part entries keep the order of their table. `split_by_origin` needs the two
        // apart.
        entries.sort_by_key(|entry| table.is_from_papers(entry));
        table.entries = entries;
    }
    tables
}

/// Describes a shipped machine as an entry, by the first comment of its file.
fn describe_machine(name: &'static str) -> Entry<()> {
    // The file is where a machine is described, so the list says what the file says.
    let about = catalog::machine_toml(name)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches(['#', ' ']);
    Entry {
        name,
        about,
        example: name,
        options: &[],
        parse: (),
    }
}

/// Lists the options of an entry as rows: key, what it takes, default, meaning.
pub fn list_option_rows<'o>(options: impl IntoIterator<Item = &'o Opt>) -> Vec<[String; 4]> {
    options
        .into_iter()
        .map(|option| {
            let mut about = option.about.to_string();
            if !option.only_with.is_empty() {
                about += &format!(" (only with {})", option.only_with);
            }
            [
                option.key.into(),
                option.values.to_string(),
                option.default.to_string(),
                about,
            ]
        })
        .collect()
}
