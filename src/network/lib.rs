//! Machines: routers, links, nodes and distances; every family of networks, and the readers of files of real fabrics.

#![forbid(unsafe_code)]

pub mod catalog;
pub mod topology;
