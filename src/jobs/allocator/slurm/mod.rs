//! Allocators that choose as Slurm's selection and topology plugins do.
//!
//! Each plugin is a file: `tree`, `block`, `torus3d`, `ring`, and `best_fit` for no plugin. `rule` is what the
//! plugins share, `plugins` reads their options, `site` finds their units, `settings` proposes options for a machine.
//!
//! The ordering is Slurm's table of nodes: their names in natural order, or the order of ranks under
//! `SwitchAsNodeRank` and `BlockAsNodeRank`. Units come from the site's own file (`slurm-topology:`), or from the
//! levels of other networks.

mod best_fit;
mod block;
mod plugins;
mod ring;
mod rule;
mod settings;
mod site;
mod torus3d;
mod tree;

pub use best_fit::BEST_FIT;
pub use plugins::{BLOCK, RING, TORUS3D, TREE};
pub use settings::list_settings;
