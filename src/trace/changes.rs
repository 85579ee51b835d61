//! The changes that a transform makes, and how its options are written.

use std::fmt;

use nodeorder_base::{Opt, Params, Result};

/// The change of the times between arrivals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// The times are multiplied by this factor.
    Times(f64),
    /// The times are scaled so that the offered load becomes this number.
    Load(f64),
}

/// The changes that [`super::Transformed`] makes; by default none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Changes {
    /// Only jobs submitted at this second of the trace or later.
    pub after: Option<i64>,
    /// Only jobs submitted before this second.
    pub before: Option<i64>,
    /// Factor of run times and requested times: the work multiple.
    pub runtime: f64,
    /// The change of the times between arrivals.
    pub pace: Pace,
    /// Number of times that each job stands in the result: the replication factor.
    pub replicate: u32,
    /// Most seconds by which a copy is submitted earlier or later than the job.
    pub jitter: u64,
    /// Most seconds by which every job is submitted earlier or later.
    pub shake: u64,
    /// Seed of jitter and shake.
    pub seed: u64,
}

impl Default for Changes {
    fn default() -> Self {
        Changes {
            after: None,
            before: None,
            runtime: 1.0,
            pace: Pace::Times(1.0),
            replicate: 1,
            jitter: 0,
            shake: 0,
            seed: 1,
        }
    }
}

/// Seconds from the trace's beginning up to which results go, and the largest job number.
pub const MOST: i64 = 1_000_000_000_000_000;
/// The most that a factor may be, and one over the least.
const FACTOR: f64 = 1e6;

impl Changes {
    /// The options, as plans write them: those of `nodeorder trace transform`.
    pub const OPTIONS: &'static [Opt] = &[
        Opt::whole(
            "after",
            "only jobs submitted at this second of the trace or later",
        )
        .default_in_words("all"),
        Opt::whole("before", "only jobs submitted before this second").default_in_words("all"),
        Opt::number("scale-runtime", "factor of run times and requested times").default_value("1"),
        Opt::number("scale-time", "factor of the times between arrivals").default_value("1"),
        Opt::number(
            "load",
            "offered load to be reached by scaling the times between arrivals",
        )
        .default_in_words("as it is"),
        Opt::whole("replicate", "how often each job stands in the result").default_value("1"),
        Opt::whole(
            "jitter",
            "seconds that a copy is submitted earlier or later, at most",
        )
        .default_value("0"),
        Opt::whole(
            "shake",
            "seconds that every job is submitted earlier or later, at most",
        )
        .default_value("0"),
    ];

    /// Reads `scale-runtime=2,replicate=3`; `none` for no change.
    ///
    /// # Errors
    /// An unknown option, a value out of its range, options that exclude one another.
    pub fn parse(text: &str, seed: u64) -> Result<Self> {
        // The parser of options wants a name before them.
        let text = if text == "none" {
            "transform".into()
        } else {
            format!("transform:{text}")
        };
        let params = Params::parse_inline(&text, ',', Changes::OPTIONS, seed)?;
        let load = params.optional_real("load", 1.0 / FACTOR, FACTOR)?;
        if load.is_some() && params.has_key("scale-time") {
            return Err(params.invalid_value("load", "`load` or `scale-time`, not both"));
        }
        // Only copies are moved by it: alone it would change nothing, without a word.
        if params.has_key("jitter") && !params.has_key("replicate") {
            return Err(params.invalid_value("jitter", "it beside `replicate` only"));
        }
        let time = params.required_real("scale-time", 1.0 / FACTOR, FACTOR)?;
        Ok(Changes {
            after: params.optional_integer("after", -MOST, MOST)?,
            before: params.optional_integer("before", -MOST, MOST)?,
            runtime: params.required_real("scale-runtime", 1.0 / FACTOR, FACTOR)?,
            pace: load.map_or(Pace::Times(time), Pace::Load),
            replicate: params.required_integer("replicate", 1, 1_000_000)?,
            jitter: params.required_integer("jitter", 0, MOST as u64)?,
            shake: params.required_integer("shake", 0, MOST as u64)?,
            seed,
        })
    }
}

/// As options: what [`Changes::parse`] reads.
impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.after.map(|t| format!("after={t}")));
        parts.extend(self.before.map(|t| format!("before={t}")));
        let factor = |key: &str, x: f64| (x != 1.0).then(|| format!("{key}={x}"));
        parts.extend(factor("scale-runtime", self.runtime));
        parts.extend(match self.pace {
            Pace::Times(x) => factor("scale-time", x),
            Pace::Load(x) => Some(format!("load={x}")),
        });
        // `parse` takes jitter beside copies only.
        if self.replicate > 1 {
            parts.push(format!(
                "replicate={},jitter={}",
                self.replicate, self.jitter
            ));
        }
        parts.extend((self.shake > 0).then(|| format!("shake={}", self.shake)));
        f.write_str(if parts.is_empty() { "none" } else { "" })?;
        f.write_str(&parts.join(","))
    }
}
