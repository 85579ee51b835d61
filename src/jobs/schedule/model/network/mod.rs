//! Run times by what the network gives a job beside the jobs that run with it.

mod applications;
mod known;
mod model;
mod options;
mod recent;
mod state;

pub(super) use options::NETWORK;
