//! Kueue's topology-aware scheduling.

mod anywhere;
mod balanced;
mod choice;
mod domains;
mod labels;
mod options;
mod placement;
mod replacement;
mod tas;

pub use choice::place;
pub use domains::{Domains, Room, Slices};
pub use placement::{Ask, Misfit, Mode, Pods};
pub use replacement::replace;
pub(super) use tas::KUEUE_TAS;
