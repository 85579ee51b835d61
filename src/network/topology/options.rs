//! Options of a machine: parsed from a specification or a file, before it is built.

use std::path::Path;

use super::by_size;
use super::context::Context;
use super::family::{BuildNetwork, TopologyEntry};
use super::machine::Topology;
use super::machine_options::{COMMON_OPTIONS, MachineOptions};
use super::recognise::find_reader;
use super::source_file;
use super::table::TOPOLOGIES;
use nodeorder_base::{Params, Result, Text};

/// Options of a machine, read and checked. Files that they name have not been read, and nothing large has been made.
pub struct TopologyOptions {
    /// Options of the family.
    network: Box<dyn BuildNetwork>,
    machine: MachineOptions,
    /// Rule that chose the shape; `None` if `nodes=` was not given.
    chosen: Option<&'static str>,
}

impl TopologyOptions {
    /// Parses an inline specification such as `torus:8x8x5,per_router=2`, without building anything.
    ///
    /// # Errors
    /// Unknown kind or key, a value out of range, a machine of more than 2³¹ nodes or more memory than
    /// `context` allows.
    pub fn inline(spec: &str, context: &Context) -> Result<Self> {
        let family = TOPOLOGIES.find(spec)?;
        let options = family.options.iter().chain(COMMON_OPTIONS);
        let params = Params::parse_inline(spec, TOPOLOGIES.separator, options, context.seed)?;
        TopologyOptions::parse(family, params, spec, context)
    }

    /// Parses a TOML text; paths in it are relative to `base`, the file it came from.
    ///
    /// # Errors
    /// As [`TopologyOptions::inline`], with file and line; also bad TOML.
    pub fn toml(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        let params = Params::parse_toml(text, base, context.seed)?;
        let stem = Path::new(text.name()).file_stem();
        let name = stem.map_or(text.name().into(), |stem| stem.to_string_lossy());
        TopologyOptions::parse_file(params, &name, context)
    }

    /// Parses the file at `path` (`-`: standard input), TOML or one that a reader recognises, with `options` as
    /// [`TopologyOptions::toml_with`]. The whole is called `spec`.
    ///
    /// # Errors
    /// As [`TopologyOptions::toml_with`]; no reader or two that know the file.
    pub fn file(path: &Path, options: Option<&str>, spec: &str, context: &Context) -> Result<Self> {
        let text = source_file::read(path, context)?;
        let Some(kind) = find_reader(&text, path)? else {
            return match options {
                Some(options) => {
                    TopologyOptions::toml_with(&text, Some(path), options, spec, context)
                }
                None => TopologyOptions::toml(&text, Some(path), context),
            };
        };
        let mut params = Params::of_file(kind, path, spec, context.seed);
        if let Some(options) = options {
            params.override_by(options, spec)?;
        }
        TopologyOptions::parse_file(params, spec, context)
    }

    /// Parses a TOML text as [`TopologyOptions::toml`], with `options` that win over those of the text. The whole
    /// is called `spec`, and so is the machine unless the options name it.
    ///
    /// # Errors
    /// As [`TopologyOptions::toml`].
    pub fn toml_with(
        text: &Text,
        base: Option<&Path>,
        options: &str,
        spec: &str,
        context: &Context,
    ) -> Result<Self> {
        let mut params = Params::parse_toml(text, base, context.seed)?;
        params.remove_key("name");
        params.override_by(options, spec)?;
        TopologyOptions::parse_file(params, spec, context)
    }

    /// Finds the family of a file's options and parses them.
    fn parse_file(mut params: Params, name: &str, context: &Context) -> Result<Self> {
        let family = TOPOLOGIES.find_at(params.kind(), || params.location_of("kind"))?;
        params.declare_options(family.options.iter().chain(COMMON_OPTIONS))?;
        TopologyOptions::parse(family, params, name, context)
    }

    /// Parses the options of a family and those of every machine.
    fn parse(
        family: &TopologyEntry,
        mut params: Params,
        name: &str,
        context: &Context,
    ) -> Result<Self> {
        let mut chosen = None;
        // `nodes=` stands for the keys of the shape that a rule of the family chooses.
        if let Some((keys, rule)) = by_size::choose_shape(family, &params)? {
            params = params.expand_shorthand("nodes", keys);
            chosen = Some(rule);
        }
        Ok(TopologyOptions {
            network: (family.parse)(&params, context)?,
            machine: MachineOptions::parse(&params, name)?,
            chosen,
        })
    }

    /// Builds the machine.
    ///
    /// # Errors
    /// Errors in files, with their line; options that do not fit the network, such as `limit` and `exclude`; more
    /// memory than `context` allows.
    pub fn build(&self, context: &Context) -> Result<Topology> {
        let network = self.network.build(context)?;
        Topology::new(network, &self.machine, self.chosen, context)
    }
}

impl Topology {
    /// Builds a machine from an inline specification such as `torus:8x8x5,per_router=2`.
    ///
    /// # Errors
    /// Unknown kind or key, a value out of range, a machine of more than 2³¹ nodes or more memory than
    /// `context` allows.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_base::ids::NodeId;
    /// use nodeorder_network::topology::Topology;
    /// let torus = Topology::inline("torus:4x4", &Default::default())?;
    /// assert_eq!(torus.node_count(), 16);
    /// assert_eq!(torus.distance(NodeId(0), NodeId(15)), 2); // both dimensions wrap
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn inline(spec: &str, context: &Context) -> Result<Self> {
        TopologyOptions::inline(spec, context)?.build(context)
    }

    /// Builds a machine from TOML text; paths in it are relative to `base`, the file it came from.
    ///
    /// # Errors
    /// As [`Topology::inline`], with file and line; also bad TOML.
    pub fn toml(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        TopologyOptions::toml(text, base, context)?.build(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that do not exist and draws that fail are found by building; wrong options by parsing.
    #[test]
    fn options_are_checked_before_anything_is_built() {
        let context = Context::default();
        for spec in [
            "graph:no-such-file.csv",
            "random-regular:n=50,d=2,seed=1",
            "torus:4,limit=9",
        ] {
            let options = TopologyOptions::inline(spec, &context).unwrap();
            assert!(
                options.build(&context).is_err() || spec.starts_with("random"),
                "{spec}"
            );
        }
        for (spec, part) in [
            ("graph:no-such-file.csv,per_router=0", "per_router = `0`"),
            ("tiers:no-such-file.csv,order=leaf", "unknown order `leaf`"),
            ("k8s-nodes:levels=a", "no `file`"),
            ("random-regular:n=50,d=3,sede=1", "unknown key"),
            ("gnm:n=1000000000,m=900000000000", "this run may use"),
            ("fat-tree:k=4,pods=3,nodes=9", "nodes = 9 beside `pods`"),
            ("fat-tree:k=4,nodes=17", "at most 16 nodes with k=4"),
            ("torus:4,limit=x", "a whole number from 1 to"),
            ("torus:4,names=rack", "for the id"),
        ] {
            let error = TopologyOptions::inline(spec, &context)
                .err()
                .unwrap()
                .to_string();
            assert!(error.contains(part), "{spec}: {error}");
        }
    }
}
