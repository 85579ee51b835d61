//! Machines side by side as CSV tables and one JSON document.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::csv::field;
use crate::machines::{Contender, Machines, headline};
use crate::metric::bisection::Bisection;

/// A figure that may be missing: empty in CSV.
fn text<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

/// Links of a bisection: a whole number where it is one.
fn links(bisection: &Bisection) -> String {
    bisection.whole_links().map_or_else(|| bisection.links().to_string(), |n| n.to_string())
}

/// `machines.csv`: one row a machine, ranked. `node_links` are the links of nodes to their routers, which `links`
/// leaves out; `bisection_links` is an upper bound where `bisection_exact` is false.
///
/// # Errors
/// What `out` reports.
pub fn write_machines(mut out: impl Write, machines: &Machines) -> io::Result<()> {
    writeln!(
        out,
        "rank,machine,spec,nodes,routers,links,node_links,links_per_node,diameter,mean_distance,bisection_links,\
         bisection_exact,bisection_at_least,bisection_per_node,cost,cost_per_node,ordering,mean_log,floor_mean_log,\
         score"
    )?;
    for (i, (contender, score)) in machines.contenders.iter().zip(&machines.scores).enumerate() {
        let (m, s) = (&contender.machine, &contender.machine.comparison.topology);
        let cut = m.bisection.as_ref();
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{score}",
            i + 1,
            field(&s.name)?,
            field(&s.spec)?,
            s.nodes,
            s.routers,
            s.links,
            s.nodes,
            m.links_per_node(),
            s.diameter,
            s.mean_distance,
            text(cut.map(links)),
            text(cut.map(|b| b.exact)),
            text(cut.and_then(|b| b.at_least)),
            text(m.bisection_per_node()),
            text(m.cost),
            text(m.cost_per_node()),
            field(m.best.label())?,
            m.mean_log(),
            text(m.comparison.floor_mean_log),
        )?;
    }
    out.flush()
}

/// `machine-curves.csv`: `machine,ordering,size,share,mpc,floor`, the best ordering's curve over job size and over
/// the share of the machine that a job takes; `floor` is empty where there is none.
///
/// # Errors
/// What `out` reports.
pub fn write_curves(out: impl Write, machines: &Machines) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    writeln!(out, "machine,ordering,size,share,mpc,floor")?;
    for Contender { machine, .. } in &machines.contenders {
        let (name, label) = (field(machine.name())?, field(machine.best.label())?);
        let nodes = machine.comparison.topology.nodes as f64;
        for (i, mpc) in machine.comparison.entries[0].values.iter().enumerate() {
            let floor = text(machine.comparison.floor.get(i));
            writeln!(out, "{name},{label},{},{},{mpc},{floor}", i + 2, (i + 2) as f64 / nodes)?;
        }
    }
    out.flush()
}

/// `machine-jobs.csv`: what jobs get under load, one row a machine and allocator; improvement over fifo:0 on the
/// same machine, in per cent.
///
/// # Errors
/// What `out` reports.
pub fn write_jobs(mut out: impl Write, machines: &Machines) -> io::Result<()> {
    writeln!(
        out,
        "machine,ordering,allocator,placed,skipped,too_large,mean_mind,improvement_small,improvement_large,improvement"
    )?;
    for Contender { machine, service, .. } in &machines.contenders {
        let Some(service) = service else { continue };
        for row in &service.allocators {
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{}",
                field(machine.name())?,
                field(machine.best.label())?,
                field(&row.allocator)?,
                service.placed,
                service.skipped,
                service.too_large,
                text(row.mean_mind),
                text(row.improvement_small),
                text(row.improvement_large),
                text(row.improvement),
            )?;
        }
    }
    out.flush()
}

/// `machine-queue.csv`: waits, slowdowns and utilisation, one row a machine; times in seconds.
///
/// # Errors
/// What `out` reports.
pub fn write_queue(mut out: impl Write, machines: &Machines) -> io::Result<()> {
    writeln!(
        out,
        "machine,ordering,jobs,too_large,mean_wait,mean_response,mean_bounded_slowdown,utilisation,makespan,\
         mean_stretch,mean_mind"
    )?;
    for Contender { machine, service, .. } in &machines.contenders {
        for row in service.iter().filter_map(|s| s.schedule.as_ref()) {
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{}",
                field(machine.name())?,
                field(&row.ordering)?,
                row.jobs,
                row.too_large,
                row.mean_wait,
                row.mean_response,
                row.mean_bounded_slowdown,
                row.utilisation,
                row.makespan,
                row.mean_stretch,
                text(row.mean_mind),
            )?;
        }
    }
    out.flush()
}

/// `bisection_links`, `bisection_exact`, `bisection_at_least`, `bisection_method` of one machine, as JSON; all null
/// where nothing is known.
pub fn bisection(bisection: Option<&Bisection>) -> [(&'static str, Value); 4] {
    let links = bisection.map(|b| b.whole_links().map_or_else(|| json!(b.links()), |n| json!(n)));
    [
        ("bisection_links", json!(links)),
        ("bisection_exact", json!(bisection.map(|b| b.exact))),
        ("bisection_at_least", json!(bisection.and_then(|b| b.at_least))),
        ("bisection_method", json!(bisection.map(|b| b.method))),
    ]
}

/// `{"version","command","headline","ranked_by","unit","jobs","difference","machines":[…]}`, machines ranked, each
/// with its figures, levels, orderings and what jobs get; indented, with a newline at the end.
pub fn document(machines: &Machines, workload: Option<&str>, command: &str) -> String {
    let one = |(contender, score): (&Contender, &f64)| {
        let Contender { machine: m, service, seeds } = contender;
        let s = &m.comparison.topology;
        let mut value = json!({
            "machine": s.name, "spec": s.spec, "nodes": s.nodes, "routers": s.routers, "links": s.links,
            "node_links": s.nodes, "links_per_node": m.links_per_node(), "diameter": s.diameter,
            "mean_distance": s.mean_distance, "bisection_per_node": m.bisection_per_node(), "levels": m.levels,
            "cost": m.cost, "cost_per_node": m.cost_per_node(), "ordering": m.best.label(),
            "mean_log": m.mean_log(), "floor_mean_log": m.comparison.floor_mean_log,
            "orderings": m.comparison.entries, "score": score,
        });
        for (key, figure) in bisection(m.bisection.as_ref()) {
            value[key] = figure;
        }
        if let Some(seeds) = seeds {
            value["seeds"] = json!({
                "first": seeds.first, "mean_distance": seeds.mean_distance, "mean_log": seeds.mean_log,
            });
        }
        if let Some(service) = service {
            value["workload"] = json!({
                "placed": service.placed, "skipped": service.skipped, "too_large": service.too_large,
                "too_large_names": service.too_large_names, "allocators": service.allocators,
                "schedule": service.schedule,
            });
        }
        value
    };
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"), "command": command, "headline": headline(machines, workload),
        "ranked_by": machines.criterion.name(), "unit": machines.criterion.unit(), "jobs": machines.jobs,
        "difference": machines.difference,
        "told": machines.difference.as_ref().map(|d| d.told()),
        "machines": machines.contenders.iter().zip(&machines.scores).map(one).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::machine::Prices;
    use crate::ordering::NoObserver;
    use crate::topology::{Context, Topology};

    fn machines() -> Machines {
        let build = |spec: &str| Topology::inline(spec, &Context::default()).unwrap();
        let machines = [build("mesh:2x2,per_router=2"), build("torus:nodes=9")];
        let prices = Prices::parse("nodes=10,links=1").unwrap();
        crate::machines::compare(
            &machines,
            &["row-major".into()],
            &prices,
            None,
            &NoObserver,
            &|_| (),
        )
        .unwrap()
    }

    fn written(write: impl Fn(&mut Vec<u8>, &Machines) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out, &machines()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_of_machines() {
        let text = written(|out, m| write_machines(out, m));
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0].matches(',').count(), 19);
        // Four links, bisection 2; 8 nodes at 10 and 4 links at 1.
        let row = "\"mesh:2x2,per_router=2\",\"mesh:2x2,per_router=2\",8,4,4,8,0.5,2,";
        assert!(rows[1].starts_with(&format!("1,{row}")), "{}", rows[1]);
        assert!(rows[1].contains(",2,true,2,0.25,84,10.5,row-major,"), "{}", rows[1]);
        assert!(
            rows[2].starts_with("2,torus:nodes=9,\"torus:3x2x2,limit=9\",9,12,"),
            "{}",
            rows[2]
        );
    }

    #[test]
    fn curves_end_at_the_whole_machine() {
        let text = written(|out, m| write_curves(out, m));
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 1 + 7 + 8);
        assert!(rows[7].starts_with("\"mesh:2x2,per_router=2\",row-major,8,1,"), "{}", rows[7]);
        assert!(rows[15].starts_with("torus:nodes=9,row-major,9,1,"), "{}", rows[15]);
        assert_eq!(written(|out, m| write_jobs(out, m)).lines().count(), 1);
        assert_eq!(written(|out, m| write_queue(out, m)).lines().count(), 1);
    }

    #[test]
    fn the_document_says_it_all() {
        let text = document(&machines(), None, "nodeorder compare …");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["machines"][0]["bisection_links"], json!(2));
        assert_eq!(value["machines"][0]["bisection_exact"], json!(true));
        assert_eq!(value["machines"][0]["orderings"][0]["label"], json!("row-major"));
        assert_eq!((&value["told"], &value["jobs"]), (&json!(true), &json!(0)));
        assert!(
            value["headline"]
                .as_str()
                .unwrap()
                .starts_with("Best: mesh:2x2,per_router=2 with row-major")
        );
        assert!(value["machines"][1].get("workload").is_none());
    }
}
