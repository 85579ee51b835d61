//! A plan as it is written: the texts of its lists, read from TOML or given by a program.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use serde_json::Value as Json;

use nodeorder_base::{Error, Params, Result, SourceLocation, Text};

/// The lists of a plan as texts, before anything that they name is looked up. Empty lists are left out of the product.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanSpec {
    /// Name of the sweep.
    pub name: String,
    /// Machines.
    pub topologies: Vec<String>,
    /// Orderings.
    pub orderings: Vec<String>,
    /// Allocators of replays and schedules.
    pub allocators: Vec<String>,
    /// Placement logs: files or generators.
    pub logs: Vec<String>,
    /// Traces: files or generators.
    pub traces: Vec<String>,
    /// Changes of the traces.
    pub transforms: Vec<String>,
    /// Policies that schedule the traces.
    pub policies: Vec<String>,
    /// Runtime models of the policies' schedules.
    pub models: Vec<String>,
    /// Traffic to be mapped, or patterns whose slowdowns are measured.
    pub guests: Vec<String>,
    /// Routings of the guests' traffic.
    pub routings: Vec<String>,
    /// Whether slowdowns of the guests are measured at all job sizes, in the place of mapping them.
    pub slowdown: bool,
    /// Shares of the time in which other jobs send, in slowdowns; 0.2 if empty.
    pub duty: Vec<String>,
    /// Numbers of ways to cut the ranks into jobs, in slowdowns; 2 if empty.
    pub tilings: Vec<String>,
    /// Processors of a node, in traces; 1 if empty.
    pub procs_per_node: Vec<u32>,
    /// Seeds of random entries without a `seed=` of their own; that of the context if empty.
    pub seeds: Vec<u64>,
    /// Whether rows have the means of the shapes of allocations.
    pub shape: bool,
    /// Whether rows have the means of the largest job that could still be placed.
    pub room: bool,
}

/// A text of a plan and where it stands.
pub type LocatedText = (String, SourceLocation);
/// Lists of located texts, by the keys of [`TEXT_LISTS`].
pub type TextLists = BTreeMap<&'static str, Vec<LocatedText>>;

/// Keys of the lists of texts.
const TEXT_LISTS: [&str; 12] = [
    "topologies",
    "orderings",
    "allocators",
    "logs",
    "traces",
    "transforms",
    "policies",
    "models",
    "guests",
    "routings",
    "duty",
    "tilings",
];

impl PlanSpec {
    /// Reads a plan from TOML, and where each of its texts stands. Fails if the TOML is bad, a key is unknown,
    /// something is listed twice, or lists that belong together do not stand together.
    pub(super) fn read(text: &Text, base: Option<&Path>, seed: u64) -> Result<(Self, TextLists)> {
        let params = Params::parse_toml_of_kind("a sweep plan", text, base, seed)?;
        let mut keys = vec!["group", "name", "procs_per_node", "room", "seeds", "shape"];
        keys.extend(TEXT_LISTS);
        let mut seeds = parse_numbers(&read_list(&params, "seeds")?, 0, u64::MAX)?;
        if seeds.is_empty() {
            // Without a list the seed of the plan or of the command line counts. Beside a list, `seed` is refused as
            // unknown: it would have no effect.
            seeds.push(params.seed()?);
            keys.push("seed");
        }
        let procs_per_node = read_list(&params, "procs_per_node")?;
        let procs_per_node = parse_numbers(&procs_per_node, 1, u32::MAX)?;
        let name = params
            .optional_word("name")?
            .unwrap_or_else(|| "sweep".into());
        let mut lists = TextLists::new();
        for key in TEXT_LISTS {
            lists.insert(key, read_list(&params, key)?);
        }
        let shape = params.is_set("shape")?;
        let room = params.is_set("room")?;
        let slowdown = match params.optional_word("group")?.as_deref() {
            None | Some("mapping") => false,
            Some("slowdown") => true,
            Some(_) => return Err(params.invalid_value("group", "mapping or slowdown")),
        };
        // Before the rules about lists: a misspelt key would else be reported as a list that is missing.
        params.check_keys(keys)?;
        if let Some((key, expected)) = find_broken_rule(|key: &str| match lists.get(key) {
            Some(list) => !list.is_empty(),
            None if key == "group" => slowdown,
            None => params.has_key(key),
        }) {
            return Err(params.invalid_value(key, expected));
        }
        let texts = |key| lists[key].iter().map(|(text, _)| text.clone()).collect();
        let spec = PlanSpec {
            name,
            topologies: texts("topologies"),
            orderings: texts("orderings"),
            allocators: texts("allocators"),
            logs: texts("logs"),
            traces: texts("traces"),
            transforms: texts("transforms"),
            policies: texts("policies"),
            models: texts("models"),
            guests: texts("guests"),
            routings: texts("routings"),
            slowdown,
            duty: texts("duty"),
            tilings: texts("tilings"),
            procs_per_node,
            seeds,
            shape,
            room,
        };
        Ok((spec, lists))
    }

    /// Locates the lists of texts, each text located by itself, as an option is. Fails as [`PlanSpec::read`] does.
    pub(super) fn locate_texts(&self) -> Result<TextLists> {
        let mut lists = TextLists::new();
        for (key, texts) in self.text_lists() {
            let list: Vec<LocatedText> = texts
                .iter()
                .map(|text| (text.clone(), SourceLocation::option(text)))
                .collect();
            // A program may give texts that no TOML reader has looked at.
            check_list(key, &list)?;
            lists.insert(key, list);
        }
        match find_broken_rule(|key: &str| match key {
            "procs_per_node" => !self.procs_per_node.is_empty(),
            "shape" => self.shape,
            "room" => self.room,
            "group" => self.slowdown,
            list => !lists[list].is_empty(),
        }) {
            Some((key, expected)) => Err(Error::option(key, format!("no `{key}`"), expected)),
            None => Ok(lists),
        }
    }

    /// Lists the lists of texts with their keys.
    fn text_lists(&self) -> [(&'static str, &[String]); TEXT_LISTS.len()] {
        [
            ("topologies", &self.topologies),
            ("orderings", &self.orderings),
            ("allocators", &self.allocators),
            ("logs", &self.logs),
            ("traces", &self.traces),
            ("transforms", &self.transforms),
            ("policies", &self.policies),
            ("models", &self.models),
            ("guests", &self.guests),
            ("routings", &self.routings),
            ("duty", &self.duty),
            ("tilings", &self.tilings),
        ]
    }

    /// Writes the plan as TOML, a list a line; empty lists are left out.
    pub fn to_toml(&self) -> String {
        let mut lists: BTreeMap<&str, Json> = BTreeMap::new();
        for (key, texts) in self.text_lists() {
            lists.insert(key, texts.into());
        }
        lists.insert("procs_per_node", self.procs_per_node.clone().into());
        lists.insert("seeds", self.seeds.clone().into());
        // The escapes of a JSON string are valid in a TOML string too.
        let mut text = format!("name = {}\n", Json::from(self.name.as_str()));
        for key in [
            "topologies",
            "orderings",
            "logs",
            "traces",
            "procs_per_node",
            "policies",
            "models",
            "transforms",
            "allocators",
            "guests",
            "routings",
            "duty",
            "tilings",
            "seeds",
        ] {
            let items = lists[key].as_array().into_iter().flatten();
            let items: Vec<String> = items.map(Json::to_string).collect();
            if !items.is_empty() {
                let _ = writeln!(text, "{key} = [{}]", items.join(", "));
            }
        }
        for (line, is_set) in [
            ("group = \"slowdown\"", self.slowdown),
            ("shape = true", self.shape),
            ("room = true", self.room),
        ] {
            if is_set {
                let _ = writeln!(text, "{line}");
            }
        }
        text
    }
}

/// Reads the list under `key`. Fails as [`check_list`] does.
fn read_list(params: &Params, key: &'static str) -> Result<Vec<LocatedText>> {
    let list = params.list_elements(key)?;
    check_list(key, &list)?;
    Ok(list)
}

/// Checks that no text of a list is empty, has several lines or stands in it twice.
fn check_list(key: &str, list: &[LocatedText]) -> Result<()> {
    let mut seen = HashSet::with_capacity(list.len());
    for (i, (text, location)) in list.iter().enumerate() {
        let wrong = |found, expected| Err(Error::input(location.clone(), found, expected));
        // Texts stand in journals and shards, where an end of line ends a row, and in hashes, where a zero byte ends
        // a part.
        if text.is_empty() || text.contains(char::is_control) {
            return wrong(format!("{key}[{i}] {text:?}"), "a text in one line");
        }
        // Two rows with the same cell columns could not be told apart in the table.
        if !seen.insert(text) {
            return wrong(format!("`{text}` twice in `{key}`"), "each once");
        }
    }
    Ok(())
}

/// Finds the key and the expected text of the first broken rule about lists that belong together; `None` if all hold.
/// Only the first, as the others may follow from it.
fn find_broken_rule(is_given: impl Fn(&str) -> bool) -> Option<(&'static str, &'static str)> {
    let has_workloads = is_given("logs") || is_given("traces");
    // The error is placed at the list that is missing, not at the one that is there.
    let workload_key = if has_workloads { "allocators" } else { "logs" };
    let guest_key = if is_given("guests") {
        "routings"
    } else {
        "guests"
    };
    let rules = [
        (
            is_given("procs_per_node") && !is_given("traces"),
            "procs_per_node",
            "it beside `traces` only",
        ),
        (
            is_given("shape") && !has_workloads,
            "shape",
            "it beside `logs` or `traces` only",
        ),
        (
            is_given("room") && !has_workloads,
            "room",
            "it beside `logs` or `traces` only",
        ),
        (
            is_given("transforms") && !is_given("traces"),
            "transforms",
            "`transforms` beside `traces` only",
        ),
        (
            !is_given("topologies"),
            "topologies",
            "topologies = [\"…\", …] with at least one",
        ),
        (
            !is_given("orderings"),
            "orderings",
            "orderings = [\"…\", …] with at least one",
        ),
        (
            has_workloads != is_given("allocators"),
            workload_key,
            "`allocators` together with `logs` or `traces`",
        ),
        (
            is_given("guests") != is_given("routings"),
            guest_key,
            "`guests` together with `routings`",
        ),
        (
            is_given("group") && !is_given("guests"),
            "guests",
            "`guests` beside `group = \"slowdown\"`",
        ),
        (
            is_given("duty") && !is_given("group"),
            "duty",
            "it beside `group = \"slowdown\"` only",
        ),
        (
            is_given("tilings") && !is_given("group"),
            "tilings",
            "it beside `group = \"slowdown\"` only",
        ),
        (
            is_given("policies") && !is_given("traces"),
            "policies",
            "`policies` beside `traces` only",
        ),
        (
            is_given("models") && !is_given("policies"),
            "models",
            "`models` beside `policies` only",
        ),
    ];
    let broken = rules.into_iter().find(|(is_broken, ..)| *is_broken);
    broken.map(|(_, key, expected)| (key, expected))
}

/// Parses the numbers of a list. Fails if one is no whole number from `least` to `most`.
fn parse_numbers<T>(list: &[LocatedText], least: T, most: T) -> Result<Vec<T>>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    list.iter()
        .map(|(text, location)| match text.parse::<T>() {
            Ok(number) if number >= least => Ok(number),
            _ => {
                let expected = format!("a whole number from {least} to {most}");
                Err(Error::input(
                    location.clone(),
                    format!("`{text}`"),
                    expected,
                ))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> PlanSpec {
        PlanSpec {
            name: "a \"name\"".into(),
            topologies: vec!["torus:4x4".into()],
            orderings: vec!["snake".into(), "random".into()],
            traces: vec!["poisson:jobs=5,sizes=4".into()],
            allocators: vec!["fifo:0".into()],
            procs_per_node: vec![2],
            seeds: vec![3, 4],
            room: true,
            guests: vec!["ring".into()],
            routings: vec!["ecmp-hop".into()],
            slowdown: true,
            duty: vec!["0.5".into()],
            ..PlanSpec::default()
        }
    }

    #[test]
    fn a_plan_written_as_toml_reads_back() {
        let text = Text::new("p.toml", spec().to_toml());
        assert_eq!(PlanSpec::read(&text, None, 1).unwrap().0, spec());
        assert!(!text.as_str().contains("shape") && !text.as_str().contains("logs"));
    }

    #[test]
    fn lists_of_a_program_are_checked_as_those_of_a_file() {
        let error = |change: fn(&mut PlanSpec)| {
            let mut spec = spec();
            change(&mut spec);
            spec.locate_texts().unwrap_err().to_string()
        };
        let twice = error(|spec| spec.orderings.push("snake".into()));
        assert_eq!(
            twice,
            "`snake`: found `snake` twice in `orderings`; expected each once"
        );
        let alone = error(|spec| spec.allocators.clear());
        assert!(alone.contains("`allocators` together with"), "{alone}");
        let lines = error(|spec| spec.traces.push("a\nb".into()));
        assert!(lines.contains("a text in one line"), "{lines}");
    }
}
