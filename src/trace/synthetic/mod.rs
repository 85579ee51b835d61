//! Synthetic workloads: seeded, streamed, the same bytes on every machine.

mod churn;
mod draw;
mod poisson;
mod profile;
mod table;
mod workload;

pub use table::GENERATORS;
pub use workload::{Format, GenerateWorkload, GeneratedWorkload, GeneratorEntry};

#[cfg(test)]
mod tests {
    use super::super::{Log, Options, Trace, WorkloadKind, detect_kind, survey::survey_log};
    use super::*;
    use nodeorder_base::Lines;

    #[test]
    fn every_example_makes_what_it_says() {
        for generator in GENERATORS.iter() {
            let small = generator
                .example
                .replace("300000", "2000")
                .replace("400000", "2000")
                .replace("100000", "2000");
            let workload = GeneratedWorkload::generate_workload(&small, 1).unwrap();
            let format = workload.format;
            let text: String = workload.collect();
            let jobs = match detect_kind(&mut Lines::new("w", text.as_str())).unwrap() {
                WorkloadKind::Log if format == Format::Log => {
                    let survey = survey_log(Log::new("w", text.as_str())).unwrap();
                    assert_eq!(survey.placements, survey.frees);
                    survey.placements
                }
                WorkloadKind::Swf if format == Format::Swf => {
                    let trace = Trace::new("w", text.as_str(), &Options::default()).unwrap();
                    assert_eq!(trace.tally().dropped_lines(), 0);
                    trace.jobs().len() as u64
                }
                other => panic!("{small}: {other:?} for {format:?}"),
            };
            assert_eq!(jobs, 2000, "{small}");
            let again: String = GeneratedWorkload::generate_workload(&small, 1)
                .unwrap()
                .collect();
            assert_eq!(again, text);
        }
    }

    #[test]
    fn examples_parse_and_options_are_read() {
        nodeorder_base::registry::testing::check_table(&GENERATORS, |entry, params| {
            (entry.parse)(params).map(drop)
        });
    }

    #[test]
    fn the_seed_of_the_run_counts_where_none_is_named() {
        let text = |spec: &str, seed| {
            let all: String = GeneratedWorkload::generate_workload(spec, seed)
                .unwrap()
                .collect();
            all.lines()
                .filter(|l| !l.starts_with(['#', ';']))
                .map(|l| l.to_string() + "\n")
                .collect::<String>()
        };
        let plain = "nersc:placements=200,nodes=64";
        assert_ne!(text(plain, 1), text(plain, 2));
        assert_eq!(text(plain, 2), text(&format!("{plain},seed=2"), 1));
    }

    #[test]
    fn bad_specifications_are_refused() {
        let cases = [
            ("hektor", "did you mean `hector`?"),
            ("hector:placement=3", "did you mean `placements`?"),
            ("hector:placements=0", "expected a whole number from 1"),
            ("hector:load=0", "expected a number from 0.001 to 2"),
            ("hector:nodes=many", "expected a whole number from 1"),
            ("hector:sizes=4", "unknown key for hector `sizes`"),
            ("log:nodes=9,placements=3", "no `sizes`"),
            ("log:sizes=4x0,nodes=9", "sizes[1] = 0"),
            ("log:sizes=64,nodes=9", "no job of 1 to 9 nodes"),
            ("log:sizes=4", "no `nodes`"),
            ("log:sizes=log-uniform,nodes=1", "no job of 1 to 1 nodes"),
            (
                "log:sizes=/nowhere/sizes.csv,nodes=9",
                "/nowhere/sizes.csv: opening",
            ),
            ("poisson:sizes=4,rate=0", "expected a number from"),
            ("poisson:sizes=4,runtime=gamma", "unknown runtime `gamma`"),
            ("poisson:sizes=4,sigma=2", "unknown key for poisson `sigma`"),
            ("poisson:sizes=log-uniform", "no `nodes`"),
            ("poisson:sizes=4,estimate=0.5", "expected a number from 1"),
        ];
        for (spec, message) in cases {
            let error = GeneratedWorkload::generate_workload(spec, 1)
                .unwrap_err()
                .to_string();
            assert!(error.contains(message), "{spec}: {error}");
        }
    }
}
