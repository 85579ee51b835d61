//! Guests as comma-separated values.

use super::fields::{parse_amount, parse_process};
use crate::mapping::guest::Message;
use nodeorder_base::{Result, Text};

/// Reads lines `source,target,volume`; a first line without numbers is a header.
pub fn read_csv(text: &Text) -> Result<(u32, Vec<Message>)> {
    let mut processes = 0;
    let mut messages = Vec::new();
    for (i, line) in text.data_lines().enumerate() {
        let fields = line.split_csv()?;
        if i == 0 && fields.len() > 1 && fields.iter().all(|f| f.parse::<f64>().is_err()) {
            continue;
        }
        let [source, target, amount] = fields.as_slice() else {
            return Err(line.whole_error("source,target,volume"));
        };
        let source = parse_process(&line, source, 0, None)?;
        let target = parse_process(&line, target, 0, None)?;
        processes = processes.max(source + 1).max(target + 1);
        messages.push(Message {
            source,
            target,
            volume: parse_amount(&line, amount)?,
        });
    }
    Ok((processes, messages))
}
