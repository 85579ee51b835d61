//! Machines whose options are checked before they are built.

use std::path::Path;

use super::{COMMON, Context, Step, TOPOLOGIES, Topology, TopologyEntry, by_size};
use nodeorder_base::error::Result;
use nodeorder_base::input::Text;
use nodeorder_base::params::Params;

/// A machine to be built: its family's options are checked and no key is unknown. Files that the options name have
/// not been read, and nothing large has been made.
pub struct Blueprint {
    params: Params,
    step: Step,
    /// The rule that chose the shape for `nodes=`.
    chosen: Option<&'static str>,
    /// Name of the machine unless an option gives one.
    name: String,
}

impl Blueprint {
    /// Checks an inline specification such as `torus:8x8x5,per_router=2`.
    ///
    /// # Errors
    /// Unknown kind or key, a value out of range, a machine of more than 2³¹ nodes or more memory than
    /// `context` allows.
    pub fn inline(spec: &str, context: &Context) -> Result<Self> {
        let family = TOPOLOGIES.find(spec)?;
        let options = family.options.iter().chain(COMMON);
        let params = Params::inline(spec, TOPOLOGIES.separator, options, context.seed)?;
        Blueprint::new(family, params, spec, context)
    }

    /// Checks a TOML text; paths in it are relative to `base`, the file it came from.
    ///
    /// # Errors
    /// As [`Blueprint::inline`], with file and line; also bad TOML.
    pub fn toml(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        let name = Path::new(text.name())
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned());
        let params = Params::toml(text, base, context.seed)?;
        Blueprint::of_file(params, name.as_deref().unwrap_or(text.name()), context)
    }

    /// As [`Blueprint::toml`], with `options` that win over those of the text; the whole is called `spec`, as the machine
    /// is unless they name it.
    ///
    /// # Errors
    /// As [`Blueprint::toml`].
    pub fn toml_with(text: &Text, options: &str, spec: &str, context: &Context) -> Result<Self> {
        let mut params = Params::toml(text, None, context.seed)?;
        params.remove("name");
        params.override_by(options, spec)?;
        Blueprint::of_file(params, spec, context)
    }

    fn of_file(mut params: Params, name: &str, context: &Context) -> Result<Self> {
        let family = TOPOLOGIES.find_at(params.kind(), || params.location_of("kind"))?;
        params.declare(family.options.iter().chain(COMMON))?;
        Blueprint::new(family, params, name, context)
    }

    fn new(
        family: &TopologyEntry,
        mut params: Params,
        name: &str,
        context: &Context,
    ) -> Result<Self> {
        let mut chosen = None;
        if let Some((keys, rule)) = by_size::chosen(family, &params)? {
            params = params.with("nodes", keys);
            chosen = Some(rule);
        }
        let step = family.parse.parse(&params, context)?;
        // Read when the machine is built: they need its nodes.
        COMMON.iter().for_each(|option| params.accept(option.key));
        params.finish()?;
        Ok(Blueprint {
            params,
            step,
            chosen,
            name: name.into(),
        })
    }

    /// Builds the machine.
    ///
    /// # Errors
    /// Errors in files, with their line; options that do not fit the network, such as `limit` and `exclude`; more
    /// memory than `context` allows.
    pub fn build(self, context: &Context) -> Result<Topology> {
        let network = (self.step)(&self.params, context)?;
        Topology::new(network, &self.params, self.chosen, &self.name, context)
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
        Blueprint::inline(spec, context)?.build(context)
    }

    /// Builds a machine from TOML text; paths in it are relative to `base`, the file it came from.
    ///
    /// # Errors
    /// As [`Topology::inline`], with file and line; also bad TOML.
    pub fn toml(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        Blueprint::toml(text, base, context)?.build(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that do not exist and draws that fail are found by building; options by the blueprint.
    #[test]
    fn options_are_checked_before_anything_is_built() {
        let context = Context::default();
        for spec in [
            "graph:no-such-file.csv",
            "random-regular:n=50,d=2,seed=1",
            "torus:4,limit=9",
        ] {
            let blueprint = Blueprint::inline(spec, &context).unwrap();
            assert!(
                blueprint.build(&context).is_err() || spec.starts_with("random"),
                "{spec}"
            );
        }
        for (spec, part) in [
            ("graph:no-such-file.csv,per_router=0", "per_router = `0`"),
            ("tiers:no-such-file.csv,order=leaf", "unknown order `leaf`"),
            ("k8s-nodes:levels=a", "no `file`"),
            ("random-regular:n=50,d=3,sede=1", "unknown key"),
            ("gnm:n=1000000000,m=900000000000", "this run may use"),
            ("fat-tree:k=4,nodes=9", "nodes = 9 beside `k`"),
        ] {
            let error = Blueprint::inline(spec, &context).err().unwrap().to_string();
            assert!(error.contains(part), "{spec}: {error}");
        }
    }
}
