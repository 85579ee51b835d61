//! Replays a placement log as Stoltzfus did ("Job placement on HECToR", 2013): four networks of HECToR's
//! size, row-major order, every algorithm. Writes tables as CSV and figures as SVG and PNG.
//!
//! `cargo run --release --package nodeorder-generators --bin stoltzfus -- LOG OUTDIR`
//!
//! Where the source is silent: improvements are means over sizes with more than 30 placements, every size
//! the same. Its tables of the best three leave out closest-mind, and so do these.

use std::path::Path;
use std::time::Instant;

use nodeorder::allocator::{self, AllocatorContext, STOLTZFUS};
use nodeorder::metric::{allocation::AllocationMeter, rank_distances::RankDistances};
use nodeorder::plot::replay::{
    Bars, Figure, Jobs, Line, Means, OnMachine, Range, Row, Spread, Sweep,
};
use nodeorder::replay::statistics::{SizeRow, Summary};
use nodeorder::replay::{self, Outputs, Replay};
use nodeorder::trace::Log;
use nodeorder::{NodeOrder, catalog};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const MACHINES: [&str; 4] =
    ["hector", "hector-dragonfly-best", "hector-dragonfly-worst", "hector-torus5d"];
/// Sizes count with more placements than this.
const THRESHOLD: u64 = 30;
const WHAT: &str = "improvement over fifo:0 (%)";

/// A group of job sizes: its name, and its mean among the means.
type Group = (&'static str, fn(Means) -> Option<f64>);

/// One machine's replays, the baseline's first.
struct Study {
    machine: &'static str,
    names: Vec<String>,
    summaries: Vec<Summary>,
    seconds: Vec<f64>,
}

fn study(machine: &'static str, names: Vec<String>, log: &Path) -> Result<Study> {
    let topology = catalog::topology(machine, &Default::default())?;
    let order = NodeOrder::make(&topology, "row-major")?;
    let distances = RankDistances::new(&topology, &order)?;
    let context = AllocatorContext { topology: &topology, order: &order, distances: &distances };
    let replay = |name: &String| {
        let (allocator, meter) =
            (allocator::make(name, &context)?, AllocationMeter::new(&topology, &distances)?);
        Ok(Replay::new(allocator, meter, distances.len(), Outputs::default()))
    };
    let mut replays = names.iter().map(replay).collect::<nodeorder::Result<Vec<_>>>()?;
    let mut summaries = vec![Summary::default(); names.len()];
    let start = Instant::now();
    let clock = move || start.elapsed();
    let count = |placed: &[Vec<replay::Placed>]| {
        for (summary, ours) in summaries.iter_mut().zip(placed) {
            summary.add(ours, &placed[0]);
        }
        Ok(())
    };
    let ignore = |_: replay::Step<'_>| Ok::<(), nodeorder::Error>(());
    replay::run(&mut Log::open(log, 8_000_000_000)?, &mut replays, Some(&clock), ignore, count)?;
    let replay::Counts { placed, skipped, .. } = replays[0].counts();
    println!("{machine}: {placed} jobs placed, {skipped} skipped, {:.1?}", start.elapsed());
    let seconds = replays.iter().map(|r| r.counts().choosing.as_secs_f64()).collect();
    Ok(Study { machine, names, summaries, seconds })
}

impl Study {
    fn summary(&self, name: &str) -> &Summary {
        let found = self.names.iter().position(|n| n == name);
        &self.summaries[found.expect("an algorithm of the study")]
    }

    fn improvements(&self, name: &str) -> Vec<(u32, f64)> {
        self.summary(name).improvements(&self.summaries[0], THRESHOLD)
    }

    fn means(&self, name: &str) -> Means {
        let means = self.summary(name).improvement(&self.summaries[0], THRESHOLD);
        Means { small: means.small, large: means.large, overall: means.overall }
    }

    fn spreads(&self, name: &str) -> Vec<Spread> {
        let often = self.summary(name).sizes().filter(|(_, row)| row.count > THRESHOLD);
        let spread = |(size, row): (u32, &SizeRow)| {
            let (least, mean, most) = (row.min(size), row.mean(size), row.max(size));
            Spread { size, least, mean, most }
        };
        often.map(spread).collect()
    }

    /// Group, place, algorithm and improvement of the best three.
    fn best(&self) -> Vec<(&'static str, usize, &str, f64)> {
        let groups: [Group; 3] =
            [("small", |m| m.small), ("large", |m| m.large), ("overall", |m| m.overall)];
        let top = |(group, of): Group| {
            let names = self.names.iter().filter(|n| *n != "closest-mind");
            let mut ranked: Vec<(&str, f64)> =
                names.filter_map(|n| Some((n.as_str(), of(self.means(n))?))).collect();
            ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
            ranked.into_iter().take(3).enumerate().map(move |(i, (n, v))| (group, i + 1, n, v))
        };
        groups.into_iter().flat_map(top).collect()
    }

    fn figures(&self, directory: &Path) -> Result<()> {
        let machine = self.machine;
        let lines = |names: &[&str], slot: &dyn Fn(usize) -> usize| {
            let points: Vec<_> = names.iter().map(|n| self.improvements(n)).collect();
            let line = |i: usize| Line { label: names[i], slot: slot(i), data: &points[i] };
            let lines: Vec<Line<'_>> = (0..names.len()).map(line).collect();
            Figure::improvement(&format!("Improvement by job size on {machine}"), WHAT, &lines)
        };
        save(directory, &format!("improvement-{machine}"), &lines(&STOLTZFUS[1..], &|i| i)?)?;
        for rule in ["first-fit", "largest-fit"] {
            let gaps = self.names.iter().map(String::as_str);
            let gaps: Vec<&str> = gaps.filter(|n| n.split(':').next() == Some(rule)).collect();
            save(directory, &format!("improvement-{rule}-{machine}"), &lines(&gaps, &|i| i)?)?;
        }
        let named = self.names.iter().skip(1);
        let rows: Vec<Bars<'_>> =
            named.map(|n| Bars { label: n, slot: slot(n), data: self.means(n) }).collect();
        let title = format!("Mean improvement on {machine}");
        save(directory, &format!("averages-{machine}"), &Figure::averages(&title, WHAT, &rows)?)?;
        for name in &STOLTZFUS[1..] {
            let spreads = [self.spreads(name), self.spreads("fifo:0")];
            let rows = [
                Range { label: name, slot: slot(name), data: &spreads[0] },
                Range { label: "fifo:0", slot: slot("fifo:0"), data: &spreads[1] },
            ];
            let figure = Figure::ranges(&format!("Range of MIND on {machine}: {name}"), &rows)?;
            save(directory, &format!("ranges-{}-{machine}", name.replace(':', "-")), &figure)?;
        }
        Ok(())
    }
}

/// Every algorithm of the source's Table 2, the baseline first.
fn algorithms() -> Vec<String> {
    let thresholds = [2, 4, 8, 16, 32, 64, 128];
    let mut names = vec!["fifo:0".to_string()];
    names.extend(thresholds.map(|k| format!("fifo:{k}")));
    for gap in [1, 2, 4, 8] {
        names.extend(["first-fit", "largest-fit"].map(|rule| format!("{rule}:{gap}")));
        names.extend(thresholds.map(|k| format!("fifo-fit:{k}:{gap}")));
    }
    names.extend(["varying-fit", "closest-fit", "closest-mind"].map(String::from));
    names.sort_by_key(|name| (slot(name) + 1) % STOLTZFUS.len());
    names
}

/// The place of an algorithm's rule in the source's list, the baseline's (and black) last: one colour a rule.
fn slot(name: &str) -> usize {
    let rule = |name: &str| name.split(':').next().unwrap_or_default().to_string();
    let known = STOLTZFUS.len();
    STOLTZFUS.iter().position(|s| rule(s) == rule(name)).map_or(known, |i| (i + known - 1) % known)
}

fn save(directory: &Path, name: &str, figure: &Figure<'_>) -> Result<()> {
    std::fs::write(directory.join(format!("{name}.svg")), figure.svg()?)?;
    Ok(std::fs::write(directory.join(format!("{name}.png")), figure.png()?)?)
}

fn csv(
    directory: &Path,
    name: &str,
    head: &str,
    rows: impl IntoIterator<Item = String>,
) -> Result<()> {
    let rows: String = rows.into_iter().map(|row| row + "\n").collect();
    Ok(std::fs::write(directory.join(name), format!("{head}\n{rows}"))?)
}

/// A number, or nothing, as a field.
fn cell(value: Option<f64>) -> String {
    value.map_or(String::new(), |v| v.to_string())
}

fn tables(studies: &[Study], directory: &Path) -> Result<()> {
    let torus = &studies[0];
    let head = "group,place,algorithm,improvement_percent";
    for (study, number) in studies.iter().zip([1, 4, 5, 6]) {
        let best = study.best().into_iter();
        let best = best.map(|(group, i, name, value)| format!("{group},{i},{name},{value:.2}"));
        csv(directory, &format!("table{number}.csv"), head, best)?;
    }
    let tested = torus.names.iter().zip(&torus.summaries).filter_map(|(name, summary)| {
        let (test, own) = (summary.t_test()?, summary.normalised());
        let deviation = own.standard_deviation()?;
        Some(format!("{name},{},{deviation},{},{:e}", own.mean, test.t, test.p))
    });
    csv(directory, "table2.csv", "algorithm,mean,standard_deviation,t,p", tested)?;
    let times = torus.names.iter().zip(&torus.seconds).map(|(name, s)| format!("{name},{s:.4}"));
    csv(directory, "table3.csv", "algorithm,seconds", times)?;
    let first = studies.iter().flat_map(|s| {
        let first = s.best().into_iter().filter(|best| best.1 == 1);
        first.map(|(group, _, name, value)| format!("{},{group},{name},{value:.2}", s.machine))
    });
    csv(directory, "table7.csv", "topology,group,algorithm,improvement_percent", first)?;
    let delta = |s: &Study| s.summary("closest-fit").improvement(&s.summaries[0], THRESHOLD);
    let deltas = studies.iter().map(|s| format!("{},{}", s.machine, cell(delta(s).delta_mind)));
    csv(directory, "table8.csv", "topology,delta_mind_closest_fit_vs_fifo0", deltas)?;

    let pairs = || studies.iter().flat_map(|s| s.names.iter().map(move |n| (s, s.machine, n)));
    let rows = pairs().flat_map(|(study, machine, name)| {
        let rows = study.improvements(name).into_iter();
        rows.map(move |(size, value)| format!("{machine},{name},{size},{value}"))
    });
    csv(directory, "improvements.csv", "topology,algorithm,size,improvement_percent", rows)?;
    let rows = pairs().flat_map(|(study, machine, name)| {
        let rows = study.spreads(name).into_iter();
        rows.map(move |s| format!("{machine},{name},{},{},{},{}", s.size, s.least, s.mean, s.most))
    });
    csv(directory, "ranges.csv", "topology,algorithm,size,least,mean,most", rows)
}

/// Figs 29 to 31: the three rules with a parameter, from 1 to 2,048.
fn sweep(log: &Path, directory: &Path) -> Result<()> {
    let rules = ["fifo", "first-fit", "largest-fit"];
    let values = || (0..12).map(|e| 1u32 << e);
    let mut names = vec!["fifo:0".to_string()];
    names.extend(rules.iter().flat_map(|rule| values().map(move |v| format!("{rule}:{v}"))));
    let study = study(MACHINES[0], names, log)?;
    let means = |rule: &str| values().map(|v| (v, study.means(&format!("{rule}:{v}")))).collect();
    let points: Vec<Vec<(u32, Means)>> = rules.iter().map(|rule| means(rule)).collect();
    let line = |(label, data)| Sweep { label, slot: slot(label), data };
    let lines: Vec<_> = rules.into_iter().zip(points.iter().map(Vec::as_slice)).map(line).collect();
    let rows = lines.iter().flat_map(|line| line.data.iter().map(move |p| (line.label, p)));
    let rows = rows.map(|(rule, (value, m))| {
        format!("{rule},{value},{},{},{}", cell(m.small), cell(m.large), cell(m.overall))
    });
    csv(directory, "sweep.csv", "rule,value,small,large,overall", rows)?;
    let parameter = "gap G, or threshold K of fifo (nodes), log scale";
    let title = "Improvement by gap or threshold on hector";
    save(directory, "sweep", &Figure::sweep(title, WHAT, parameter, &lines)?)
}

/// Figs 43 and 44.
fn topologies(studies: &[Study], directory: &Path) -> Result<()> {
    let means = |s: &Study| -> [Vec<(u32, f64)>; 2] {
        let (closest, base) = (s.spreads("closest-fit"), s.spreads("fifo:0"));
        let gain = base.iter().zip(&closest).map(|(b, c)| (c.size, b.mean - c.mean));
        [closest.iter().map(|c| (c.size, c.mean)).collect(), gain.collect()]
    };
    let rows: Vec<_> = studies.iter().map(means).collect();
    let named = MACHINES.iter().zip(&rows).enumerate();
    let machines: Vec<_> = named
        .map(|(slot, (label, [mind, gain]))| Row { label, slot, data: OnMachine { mind, gain } })
        .collect();
    let title = "Closest fit on four networks of HECToR's size";
    save(directory, "topologies", &Figure::topologies(title, "fifo:0", &machines)?)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(log), Some(directory)) = (arguments.next(), arguments.next()) else {
        return Err("expected a placement log and a directory".into());
    };
    let (log, directory) = (Path::new(&log), Path::new(&directory));
    std::fs::create_dir_all(directory)?;
    let studies = MACHINES.into_iter().map(|m| study(m, algorithms(), log));
    let studies = studies.collect::<Result<Vec<Study>>>()?;
    tables(&studies, directory)?;
    let all = &studies[0].summaries[0];
    let several = all.sizes().map(|(size, row)| (size, row.count));
    let jobs: Vec<(u32, u64)> = std::iter::once((1, all.singles)).chain(several).collect();
    let jobs = [Jobs { label: "the log", slot: 0, data: &jobs }];
    save(directory, "sizes", &Figure::sizes("Jobs by size", &jobs)?)?;
    studies.iter().try_for_each(|study| study.figures(directory))?;
    topologies(&studies, directory)?;
    sweep(log, directory)
}
