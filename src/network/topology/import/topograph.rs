//! Network layers of a cluster's instances, from the output of NVIDIA's topograph.
//!
//! An instance lists the switches above it, closest first: `{"id": "i-1", "network_layers": ["leaf7", "spine2",
//! "core"]}`.

use super::document;
use super::labelled::{LabelledHost, find_labels, list_labels, note_domains, wire_hosts};
use super::outline::{OutlineNetwork, UPLINKS};
use super::paths::HostPaths;
use super::wiring::Wiring;
use crate::topology::family::TopologyEntry;
use crate::topology::source_file::SourceFile;
use nodeorder_base::params::Written;
use nodeorder_base::{Opt, Result};

/// `topograph:FILE.json`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "topograph",
    about: "a cluster's instances with their network layers, as topograph prints them in JSON",
    example: "topograph:instances.json",
    options: &[
        Opt::file("file", "a JSON file of instances").positional(),
        Opt::text(
            "levels",
            "levels of the network, widest first, joined by /: tier-0 \
         is the closest layer, others are labels, as in domain/tier-0",
        )
        .default_in_words("the layers"),
        UPLINKS,
    ],
    parse: |params, _| {
        let levels = params.optional_word("levels")?;
        let written = params.written_value("levels");
        let expected = "a JSON file, as in topograph:instances.json";
        OutlineNetwork::parse(params, expected, move |file| {
            let suffix = levels.iter().map(|levels| format!(",levels={levels}"));
            let wiring = read_instances(file, levels.as_deref(), &written)?;
            Ok((wiring, suffix.collect()))
        })
    },
};

/// Reads a switch for each name of `network_layers`, within the layers above it; the widest are joined by one above
/// them all. Instances may have layers of different number, or none: those are reachable from nowhere. With `levels`
/// the switches are those of labels, of which layers are some: `tier-0` is the closest. Fails, with the line, if there
/// is no JSON or no instances, an instance has no id or comes again, or a layer is no text; or if no instance has a
/// label of `levels`.
///
/// # References
/// topograph v1.1, `docs`: "Topology data model" (`network_layers`, closest first), "Node labels and annotations"
/// (`accelerator.topograph.run/domain` is no part of the switch fabric).
fn read_instances(
    file: &SourceFile<'_>,
    levels: Option<&str>,
    written: &Written,
) -> Result<Wiring> {
    let text = &file.text;
    let document = document::read_document(text)?;
    let instances = document.require_list("instances")?;
    let layers = instances.iter().map(|i| i.items_of("network_layers").len());
    let tiers: Vec<String> = (0..layers.max().unwrap_or(0))
        .map(|n| format!("tier-{n}"))
        .collect();
    let mut paths = HostPaths::default();
    let mut hosts = Vec::new();
    for instance in instances {
        let id = instance.require_text("id")?;
        let layers = match instance.find_key("network_layers") {
            None => &[][..],
            Some(_) => instance.require_list("network_layers")?,
        };
        let mut path = Vec::new();
        for name in layers.iter().rev() {
            path.push(name.as_text().unwrap_or_default());
        }
        // Of several faulty layers the first of the file is reported.
        if let Some(i) = path.iter().rposition(|name| name.is_empty()) {
            let layer = &layers[path.len() - 1 - i];
            return Err(layer.error_here(format!("a layer {}", layer.describe()), "its name"));
        }
        let mut host = LabelledHost::new(id, instance).with_labels(instance.find_key("labels"));
        for (tier, name) in tiers.iter().zip(path.iter().rev()) {
            host.add_label(tier, name);
        }
        paths.add_host(text.name(), instance.line, id, &path)?;
        hosts.push(host);
    }
    let all = list_labels(&hosts);
    let mut wanted: Vec<&str> = tiers.iter().rev().map(String::as_str).collect();
    let mut wiring = match levels {
        Some(levels) => {
            wanted = find_labels(levels, &all, written)?;
            wire_hosts(text, &hosts, &wanted)?
        }
        None => paths.into_wiring(&|height| match height {
            0 => "leaf".into(),
            height => format!("level{height}"),
        }),
    };
    note_domains(&mut wiring, text, &hosts, &wanted, &all);
    Ok(wiring)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, levels, machine, names};
    use crate::topology::testing::{check_links, check_metric, from_file};

    #[test]
    fn layers_may_differ_in_depth() {
        let text = "{\"instances\": [\n{\"id\": \"i1\", \"network_layers\": [\"l1\", \"s1\"], \"labels\": {}},\n\
                    {\"id\": \"i2\", \"network_layers\": [\"l2\", \"s1\"]},\n\
                    {\"id\": \"i3\", \"network_layers\": [\"l9\"]},\n\
                    {\"id\": \"i4\", \"network_layers\": [\"l1\", \"s1\"]}]}";
        let cluster = machine("topograph", text).unwrap();
        check_links(&cluster);
        check_metric(&cluster);
        assert_eq!(names(&cluster), "i1 i4 i2 i3");
        assert_eq!(levels(&cluster), [("level1".into(), 2), ("leaf".into(), 3)]);
        // i3's switch hangs right below the one above all.
        let at = |name: &str| cluster.node_named(name).unwrap();
        assert_eq!(cluster.distance(at("i1"), at("i3")), 3);
        let alone = machine(
            "topograph",
            "{\"instances\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}",
        )
        .unwrap();
        assert_eq!(alone.component_count(), 2);
    }

    #[test]
    fn domains_are_said_and_may_be_levels() {
        let instance = |id: &str, leaf: &str, domain: &str| {
            format!(
                "{{\"id\": \"{id}\", \"network_layers\": [\"{leaf}\"], \"labels\": {{\"accelerator.topograph.run/domain\": \"{domain}\"}}}}"
            )
        };
        let all = [
            instance("a", "l1", "x"),
            instance("b", "l2", "x"),
            instance("c", "l3", "y"),
        ];
        let text = format!("{{\"instances\": [{}]}}", all.join(",\n"));
        let cluster = machine("topograph", &text).unwrap();
        assert_eq!(levels(&cluster), [("leaf".into(), 3)]);
        let said = "2 NVLink domains (accelerator.topograph.run/domain) over 3 leaf switches: no switches; levels=domain/tier-0 makes a level of them";
        let remarks = cluster.network().remarks();
        assert!(remarks[0].ends_with(said), "{remarks:?}");
        let cluster = from_file("topograph", &text, ",levels=domain/tier-0").unwrap();
        assert_eq!(
            levels(&cluster),
            [("domain".into(), 2), ("tier-0".into(), 3)]
        );
        assert!(cluster.spec().ends_with(",levels=domain/tier-0"));
        let error = from_file("topograph", &text, ",levels=rack")
            .unwrap_err()
            .to_string();
        assert!(error.contains("none of them has `rack`"), "{error}");
    }

    #[test]
    fn faults_are_named_with_their_line() {
        check_refused(
            "topograph",
            &[
                ("", ":1: found an empty file"),
                ("{\n\"instances\": [1,]}", ":2: found "),
                ("{}", ":1: found a map of 0 keys without `instances`"),
                (
                    "{\"instances\": {}}",
                    ":1: found instances: a map of 0 keys; expected a list",
                ),
                ("{\"instances\": []}", ": found no nodes"),
                (
                    "{\"instances\": [\n{}]}",
                    ":2: found a map of 0 keys without `id`",
                ),
                ("{\"instances\": [\n3]}", ":2: found `3` without `id`"),
                ("{\"instances\": [{\"id\": \"\"}]}", ":1: found id: ``"),
                (
                    "{\"instances\": [{\"id\": \"a\"},\n{\"id\": \"a\"}]}",
                    ":2: found host `a` again (line 1",
                ),
                (
                    "{\"instances\": [{\"id\": \"a\",\n\"network_layers\": \"x\"}]}",
                    ":2: found network_layers: `x`",
                ),
                (
                    "{\"instances\": [{\"id\": \"a\", \"network_layers\": [\n[]]}]}",
                    ":2: found a layer a list of 0",
                ),
            ],
        );
    }
}
