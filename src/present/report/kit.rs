//! Names that most tables and pages import.

pub(super) use std::io::{self, Write};

pub(super) use serde_json::{Value, json};

pub(super) use super::html::{
    Best, Column, Figure, Part, Section, Table, Words, bold, fixed, words,
};
pub(super) use crate::columns::{self, object};
pub(super) use crate::plot::{self, thousands};
pub(super) use nodeorder_base::error::Result;
pub(super) use nodeorder_jobs::replay::prediction::Prediction;
pub(super) use nodeorder_jobs::schedule::orderings::Schedules;
pub(super) use nodeorder_network::topology::Topology;
pub(super) use nodeorder_order::metric::comparison::Comparison;
pub(super) use nodeorder_order::ordering::NodeOrder;
