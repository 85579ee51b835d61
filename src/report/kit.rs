//! Names that most tables and pages import.

pub(super) use std::io::{self, Write};

pub(super) use serde_json::{Value, json};

pub(super) use super::html::{
    Best, Column, Figure, Part, Section, Table, Words, bold, fixed, words,
};
pub(super) use crate::columns::{self, object};
pub(super) use crate::error::Result;
pub(super) use crate::metric::comparison::Comparison;
pub(super) use crate::ordering::NodeOrder;
pub(super) use crate::plot::{self, thousands};
pub(super) use crate::replay::prediction::Prediction;
pub(super) use crate::schedule::orderings::Schedules;
pub(super) use crate::topology::Topology;
