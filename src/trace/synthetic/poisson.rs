//! Traces of jobs that arrive at random.

use std::fmt::Write;

use super::draw::{Sampler, draw_exponential, draw_normal, exponential};
use super::profile;
use super::profile::SizeSource;
use super::{Format, GenerateWorkload, GeneratedWorkload, GeneratorEntry};
use crate::sizes::Sizes;
use nodeorder_base::params::SEED;
use nodeorder_base::random::{Generator, natural_logarithm, seed_generator};
use nodeorder_base::{Opt, Params, Result};

/// `poisson:jobs=2000,rate=2,sizes=4x16x64x64,runtime=exponential,mean=3600,seed=1`: a trace in the Standard
/// Workload Format.
///
/// - Arrivals: a Poisson process of `rate` jobs in `unit` seconds (1 unless given); submit times are rounded
///   down to seconds.
/// - Sizes: `sizes=`, each entry of a list equally likely; `hector`, `nersc`, `log-uniform` or a file. `nodes=`
///   leaves out those larger, and goes into the header.
/// - Run times, rounded to the nearest second, at least 1: `exponential` of mean `mean`; `log-normal` of the
///   same mean, exp(μ + σZ) with σ = `sigma` (1 unless given) and μ = ln mean - σ²/2; `fixed`, all `mean`.
/// - Requested times: `estimate` (at least 1, 1 unless given) times the run time, rounded up.
///
/// Size, gap and run time of a job are drawn in this order, job by job. Wait times are unknown (-1), as they
/// are the scheduler's doing.
///
/// # References
/// Arrivals and the sizes of the example: Hu, "Topology Mapping of Parallel Applications onto Random Allocations",
/// section IV: 2,000 jobs with λ = 2.
pub const POISSON: GeneratorEntry = GeneratorEntry {
    name: "poisson",
    about: "SWF trace: Poisson arrivals, exponential, log-normal or fixed run times",
    example: "poisson:jobs=2000,rate=2,sizes=4x16x64x64",
    options: &[
        profile::SIZES,
        Opt::whole("nodes", "nodes of the machine; larger sizes are left out")
            .default_in_words("the largest size"),
        Opt::whole("jobs", "jobs").default_value("2000"),
        Opt::number("rate", "arrivals in a unit of time").default_value("1"),
        Opt::number("unit", "seconds of the unit of time").default_value("1"),
        Opt::one_of(
            "runtime",
            &["exponential", "log-normal", "fixed"],
            "distribution of the run times",
        ),
        Opt::number("mean", "mean run time in seconds").default_value("3600"),
        Opt::number("sigma", "σ of the logarithm")
            .default_value("1")
            .only_with("runtime=log-normal"),
        Opt::number("estimate", "requested time over run time, at least 1").default_value("1"),
        SEED,
    ],
    parse,
};

struct PoissonOptions {
    sizes: SizeSource,
    /// Nodes of the machine; the largest size unless given.
    nodes: Option<u32>,
    jobs: u64,
    /// Arrivals in a unit of time.
    rate: f64,
    /// Seconds of the unit of time.
    unit: f64,
    law: RunTimes,
    /// Mean run time in seconds.
    mean: f64,
    /// Requested time over run time.
    estimate: f64,
    seed: u64,
}

fn parse(params: &Params) -> Result<Box<dyn GenerateWorkload>> {
    let sizes = SizeSource::parse(params)?;
    let nodes = match sizes {
        // These sizes have no largest.
        SizeSource::LogUniform => Some(params.required_integer("nodes", 1, 1 << 31)?),
        _ => params.optional_integer("nodes", 1, 1 << 31)?,
    };
    let mean = params.required_real("mean", 1.0, 1e9)?;
    let runtime = params.required_choice("runtime")?;
    let law = if runtime == "log-normal" {
        let sigma = params.required_real("sigma", 0.0, 10.0)?;
        let mu = natural_logarithm(mean) - sigma * sigma / 2.0;
        RunTimes::LogNormal { mu, sigma }
    } else {
        // A σ that changes nothing would be taken for one that does.
        params.refuse_unread(&["sigma"])?;
        match runtime {
            "exponential" => RunTimes::Exponential,
            _ => RunTimes::Fixed,
        }
    };
    Ok(Box::new(PoissonOptions {
        sizes,
        nodes,
        jobs: params.required_integer("jobs", 1, 1_000_000_000_000)?,
        rate: params.required_real("rate", 1e-6, 1e6)?,
        unit: params.required_real("unit", 1e-3, 1e6)?,
        law,
        mean,
        estimate: params.required_real("estimate", 1.0, 1000.0)?,
        seed: params.seed()?,
    }))
}

impl GenerateWorkload for PoissonOptions {
    fn generate(&self) -> Result<GeneratedWorkload> {
        let sizes = self.sizes.read()?;
        let sampler = Sampler::new(&sizes, self.nodes.unwrap_or(u32::MAX))?;
        let mut arrivals = Arrivals {
            random: seed_generator(self.seed),
            gap: self.unit / self.rate,
            time: 0.0,
            law: self.law,
            mean: self.mean,
            estimate: self.estimate,
            done: 0,
            jobs: self.jobs,
            sampler,
        };
        let header = self.write_header(&sizes, &arrivals.sampler);
        Ok(GeneratedWorkload::write_events(
            Format::Swf,
            header,
            move |text| arrivals.write_job(text),
        ))
    }
}

impl PoissonOptions {
    fn write_header(&self, sizes: &Sizes, sampler: &Sampler) -> String {
        let &PoissonOptions {
            jobs,
            rate,
            unit,
            law,
            mean,
            estimate,
            seed,
            ..
        } = self;
        let runtime = match law {
            RunTimes::Exponential => "exponential",
            RunTimes::LogNormal { .. } => "log-normal",
            RunTimes::Fixed => "fixed",
        };
        let machine = self.nodes.unwrap_or(sampler.largest_size());
        let mut header = String::from("; Version: 2.2\n; Computer: none, synthetic\n");
        // Writing to a String cannot fail.
        let _ = write!(
            header,
            "; MaxJobs: {jobs}\n; MaxRecords: {jobs}\n; UnixStartTime: 0\n; MaxNodes: {machine}\n\
             ; MaxProcs: {machine}\n; Note: Poisson arrivals, {rate} in {unit} s; sizes {}, mean {}\n\
             ; Note: run times {runtime}, mean {mean} s",
            sizes.name(),
            sampler.mean
        );
        if let RunTimes::LogNormal { sigma, .. } = law {
            let _ = write!(header, ", sigma {sigma}");
        }
        let _ = writeln!(header, "; requested {estimate} times that; seed {seed}");
        header
    }
}

#[derive(Clone, Copy)]
enum RunTimes {
    Exponential,
    LogNormal { mu: f64, sigma: f64 },
    Fixed,
}

struct Arrivals {
    sampler: Sampler,
    random: Generator,
    /// Mean seconds between two arrivals.
    gap: f64,
    time: f64,
    law: RunTimes,
    /// Mean run time in seconds.
    mean: f64,
    estimate: f64,
    done: u64,
    jobs: u64,
}

impl Arrivals {
    /// Writes the next job; false after the last.
    fn write_job(&mut self, text: &mut String) -> bool {
        if self.done == self.jobs {
            return false;
        }
        self.done += 1;
        let size = self.sampler.draw_size(&mut self.random);
        // The fraction is kept: gaps rounded one by one would change the rate.
        self.time += draw_exponential(&mut self.random) * self.gap;
        let seconds = match self.law {
            RunTimes::Exponential => draw_exponential(&mut self.random) * self.mean,
            RunTimes::LogNormal { mu, sigma } => {
                exponential(mu + sigma * draw_normal(&mut self.random))
            }
            RunTimes::Fixed => self.mean,
        };
        // No run is longer than 30,000 years, so that the times add up to numbers a trace may have.
        let run = seconds.round().clamp(1.0, 1e12);
        let submit = self.time as u64;
        let requested = (run * self.estimate).ceil() as u64;
        let _ = writeln!(
            text,
            "{} {submit} -1 {} {size} -1 -1 {size} {requested} -1 1 -1 -1 -1 -1 -1 -1 -1",
            self.done, run as u64
        );
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Options, Trace};
    use super::*;

    fn trace(spec: &str) -> Trace {
        let text: String = GeneratedWorkload::generate_workload(spec, 1)
            .unwrap()
            .collect();
        Trace::new("w", text, &Options::default()).unwrap()
    }

    #[test]
    fn arrivals_and_run_times_have_their_means() {
        let mean = |trace: &Trace| {
            trace.jobs().iter().map(|job| job.run as f64).sum::<f64>() / trace.jobs().len() as f64
        };
        let plain = trace("poisson:jobs=40000,rate=2,sizes=4x16x64x64");
        let last = plain.jobs().last().unwrap().submit as f64;
        // 20,000 s with a standard deviation of 100; the mean run time's is 18 s.
        assert!((last - 20_000.0).abs() < 400.0, "{last}");
        assert!((mean(&plain) - 3600.0).abs() < 75.0, "{}", mean(&plain));
        let large = plain.jobs().iter().filter(|job| job.nodes == 64).count();
        assert!((19_500..20_500).contains(&large), "{large}");
        assert_eq!(plain.header().max_nodes("w").unwrap(), Some(64));
        // The deviation of the log-normal law is mean·√(e^σ² - 1): 533·0.005 of the mean of 40,000.
        let skew =
            trace("poisson:jobs=40000,unit=60,sizes=hector,runtime=log-normal,mean=1000,sigma=0.5");
        assert!((mean(&skew) - 1000.0).abs() < 11.0, "{}", mean(&skew));
        let below = skew
            .jobs()
            .iter()
            .filter(|job| (job.run as f64) < 1000.0 * (-0.125f64).exp())
            .count();
        assert!(
            (below as i64 - 20_000).abs() < 450,
            "half lie below exp μ: {below}"
        );
        let last = skew.jobs().last().unwrap().submit as f64;
        assert!((last - 2_400_000.0).abs() < 48_000.0, "{last}");
    }

    #[test]
    fn requests_are_estimates_and_machines_limit_sizes() {
        let fixed = trace("poisson:jobs=50,sizes=4x16,runtime=fixed,mean=10,estimate=1.25,nodes=8");
        assert!(
            fixed
                .jobs()
                .iter()
                .all(|j| (j.nodes, j.run, j.requested_time) == (4, 10, 13))
        );
        assert_eq!(fixed.header().max_nodes("w").unwrap(), Some(8));
        assert_eq!(fixed.tally().lines, 50);
    }
}
