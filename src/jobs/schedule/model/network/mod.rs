//! The model `network`: run times follow the bandwidth that a job gets beside the jobs that share its links.

mod applications;
mod known;
mod model;
mod options;
mod recent;
mod state;

pub(super) use options::NETWORK;
