//! The options of the allocator and of its jobs, and the request that they make on the levels of a machine.
//!
//! Options stay texts until a job is placed: those of a job go before those of the allocator, key by key, and only
//! together they say which levels are meant.

use std::collections::HashMap;

use super::domains::Slices;
use super::placement::{PodSetRequest, TopologyRequest};
use crate::allocator::units::find_level_named;
use nodeorder_base::{Error, Opt, Params, Result, SourceLocation};

/// The options of the allocator, in the order of the help.
pub const OPTIONS: &[Opt] = &[
    Opt::one_of(
        "mode",
        &["unconstrained", "preferred", "required"],
        "required: one domain of the level; preferred: else of a level above, else several; unconstrained: anywhere",
    ),
    Opt::text("level", "level that a job asks for, or `host`")
        .default_in_words("the innermost with units of several nodes"),
    Opt::text(
        "slice",
        "pods that share a domain of slice_level; up to three layers, as in 16/4/1",
    )
    .default_in_words("none"),
    Opt::text(
        "slice_level",
        "levels of the slices, the outermost first, as in block/rack/host",
    )
    .default_in_words("none"),
    Opt::one_of(
        "profile",
        &[
            "mixed",
            "best-fit",
            "least-free",
            "least-free-hierarchical",
            "tightest-leaf",
        ],
        "domains that are taken first: the fullest (least-free), those with most room (best-fit); mixed: least-free for unconstrained jobs; what if: these from the outermost level down (least-free-hierarchical, kueue#10406), single pods by the fullest node (tightest-leaf, kueue#10878)",
    ),
    Opt::flag(
        "balanced",
        "preferred jobs are put evenly over few domains (TASBalancedPlacement)",
    ),
    Opt::whole("gpus", "GPUs of a pod, on machines with several a node").default_value("1"),
    Opt::text(
        "leader",
        "a leader beside the pods: its GPUs, or `same`: as many as theirs",
    )
    .default_in_words("none"),
    TIES,
    SWAP,
];

const TIES: Opt = Opt::one_of(
    "ties",
    &["names", "ranks"],
    "equal domains by their labels, as bytes; or units (not nodes) by their lowest rank, as labelled by `export --to kueue`",
);
const SWAP: Opt = Opt::one_of(
    "swap",
    &["on", "off"],
    "on: pods of a node that fails go to others; off: the job ends",
);

/// Options of jobs: all but `ties` and `swap`, which concern the machine.
const JOBS: &[Opt] = OPTIONS.split_at(8).0;

/// The options of a job as texts, by key.
pub type OptionTexts = HashMap<&'static str, String>;

/// The options of the allocator, checked as far as that goes without a machine.
pub struct KueueOptions {
    /// Text that gives the options, for messages.
    pub location: SourceLocation,
    /// Whether equal domains go by their lowest rank.
    pub by_rank: bool,
    /// Whether pods of a node that fails go to others.
    pub swap: bool,
    /// The options of jobs that give none.
    pub defaults: OptionTexts,
}

impl KueueOptions {
    /// Reads [`OPTIONS`]. Fails if a value is out of range; whether levels are there is seen on a machine.
    pub fn parse_options(params: &Params) -> Result<Self> {
        if params.has_key("profile")
            && params.optional_word("profile")?.as_deref() == Some("most-free")
        {
            return Err(params.invalid_value(
                "profile",
                "mixed, best-fit (as most-free was called) or least-free",
            ));
        }
        Ok(KueueOptions {
            location: params.location().clone(),
            by_rank: params.required_choice("ties")? == "ranks",
            swap: params.required_choice("swap")? == "on",
            defaults: read_texts(params, &OptionTexts::new())?,
        })
    }
}

/// Reads the options that a job gives, and takes those that it does not give from `usual`. Fails if a value is out of
/// range.
fn read_texts(params: &Params, usual: &OptionTexts) -> Result<OptionTexts> {
    let mut texts = usual.clone();
    for option in JOBS {
        let value = match option.key {
            // These have values that need no machine to be checked.
            "mode" | "profile" => Some(params.required_choice(option.key)?.to_string()),
            "balanced" => Some(params.is_set("balanced")?.to_string()),
            "gpus" => Some(
                params
                    .required_integer::<u32>("gpus", 1, 1 << 16)?
                    .to_string(),
            ),
            key => params.optional_word(key)?,
        };
        if let Some(value) = value.filter(|_| params.has_key(option.key)) {
            texts.insert(option.key, value);
        }
    }
    Ok(texts)
}

/// Reads the options of a job as it states them, as [`read_texts`] does.
pub fn read_job_texts(
    text: &str,
    location: &SourceLocation,
    defaults: &OptionTexts,
) -> Result<OptionTexts> {
    read_texts(&Params::parse_words(text, location, JOBS)?, defaults)
}

/// Options of a job, completed by the allocator's, and the location that they were read from.
struct MergedOptions<'t> {
    texts: &'t OptionTexts,
    location: &'t SourceLocation,
}

impl MergedOptions<'_> {
    /// Looks up the value of an option; `None` if neither job nor allocator gives it.
    fn option_text(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str)
    }

    /// Lists the parts of a value such as `16/4/1`; none if it is not given.
    fn option_parts(&self, key: &str) -> Vec<&str> {
        self.option_text(key)
            .map_or(Vec::new(), |text| text.split('/').collect())
    }

    /// Builds the error that the value of `key` is not what is expected.
    fn invalid_option(&self, key: &'static str, expected: &str) -> Error {
        let found = format!("{key} = `{}`", self.option_text(key).unwrap_or_default());
        Error::input(self.location.clone(), found, expected)
    }

    /// Finds the number of the level of this name. Fails if there is none.
    fn find_level(&self, name: &str, levels: &[String]) -> Result<usize> {
        find_level_named(self.location, levels.iter().map(String::as_str), name)
    }
}

/// A job's request; `ask.pods` is set when it is placed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JobRequest {
    pub ask: PodSetRequest,
    /// Number of GPUs of a pod.
    pub gpus: u32,
    /// Number of GPUs of the leader; `None` if there is no leader.
    pub leader: Option<u32>,
}

/// Names of the levels of a machine.
pub struct LevelNames {
    /// Names of the levels, the outermost first.
    pub names: Vec<String>,
    /// The level of jobs that name none.
    pub default: usize,
}

impl LevelNames {
    /// Reads level and pods of each layer of slices. Fails if they are not nested, or name no level.
    fn read_slice_layers(&self, options: &MergedOptions<'_>) -> Result<Vec<(usize, i64)>> {
        let sizes = options.option_parts("slice");
        let at = options.option_parts("slice_level");
        if sizes.len() != at.len() || sizes.len() > 3 {
            let found = format!("{} sizes of slices at {} levels", sizes.len(), at.len());
            let expected = "up to three of both, as in slice=16/4 slice_level=rack/host";
            return Err(Error::input(options.location.clone(), found, expected));
        }
        let mut layers: Vec<(usize, i64)> = Vec::new();
        for (size, name) in sizes.iter().zip(&at) {
            let size: Option<u32> = size.parse().ok().filter(|size| *size > 0);
            let expected = "whole numbers above 0, each a divisor of the one before, as in 16/4/1";
            let size = i64::from(size.ok_or_else(|| options.invalid_option("slice", expected))?);
            let level = options.find_level(name, &self.names)?;
            if let Some((outer, more)) = layers.last() {
                if level <= *outer {
                    return Err(
                        options.invalid_option("slice_level", "levels from the outermost in")
                    );
                }
                if more % size != 0 {
                    return Err(options.invalid_option("slice", expected));
                }
            }
            layers.push((level, size));
        }
        Ok(layers)
    }

    /// Reads the request of a job with these options. Fails if they do not go together, or name no level.
    pub fn read_request(
        &self,
        texts: &OptionTexts,
        location: &SourceLocation,
    ) -> Result<JobRequest> {
        let options = MergedOptions { texts, location };
        let layers = self.read_slice_layers(&options)?;
        let mode = match options.option_text("mode") {
            Some("required") => TopologyRequest::Required,
            Some("preferred") => TopologyRequest::Preferred,
            _ => TopologyRequest::Unconstrained,
        };
        let free = mode == TopologyRequest::Unconstrained;
        let profile = options.option_text("profile").unwrap_or("mixed");
        let by_leaf = free && profile == "tightest-leaf";
        let top_down = by_leaf || free && profile == "least-free-hierarchical";
        // Unconstrained jobs start where no domain is too small to be one of several: at the leaves; with
        // slices at the outermost level, since slices below it are kept together.
        let level = match (mode, options.option_text("level")) {
            (TopologyRequest::Unconstrained, Some(name)) => {
                options.find_level(name, &self.names)?;
                return Err(
                    options.invalid_option("level", "mode=required or mode=preferred with it")
                );
            }
            (TopologyRequest::Unconstrained, None) if layers.is_empty() && !top_down => {
                self.names.len() - 1
            }
            (TopologyRequest::Unconstrained, None) => 0,
            (_, Some(name)) => options.find_level(name, &self.names)?,
            (_, None) => self.default,
        };
        if layers
            .first()
            .is_some_and(|(outermost, _)| *outermost < level)
        {
            let own = &self.names[level];
            let expected = format!("levels not above {own}, which the job asks for");
            return Err(options.invalid_option("slice_level", &expected));
        }
        let gpus: u32 = options
            .option_text("gpus")
            .and_then(|text| text.parse().ok())
            .unwrap_or(1);
        let expected = "`same`, or a whole number of GPUs from 0 to 65536";
        let leader = match options.option_text("leader") {
            Some("same") => Some(gpus),
            Some(text) => {
                let own = text.parse().ok().filter(|gpus: &u32| *gpus <= 1 << 16);
                Some(own.ok_or_else(|| options.invalid_option("leader", expected))?)
            }
            None => None,
        };
        let least_free = profile != "best-fit" && (free || profile == "least-free");
        // A job that asks for slices alone gets no replacement for pods that are no whole slice of any layer.
        let bare = options.option_text("mode").is_none();
        let slices = Slices {
            layers,
            leader: leader.is_some(),
        };
        let balanced = options.option_text("balanced") == Some("true");
        let ask = PodSetRequest {
            pods: 0,
            mode,
            level,
            slices,
            least_free,
            top_down,
            by_leaf,
            balanced,
            slices_only: bare,
        };
        Ok(JobRequest { ask, gpus, leader })
    }
}
