//! A snapshot of a machine: one JSON document, and the texts that the terminal and the page have in common.

use serde_json::{Value as Json, json};

use nodeorder_jobs::audit::ReasonCount;
use nodeorder_jobs::audit::free_units::MovePlan;
use nodeorder_jobs::audit::slots::{SlotRow, UNIT_STATES};
use nodeorder_jobs::audit::snapshot::{LevelState, Snapshot, UnitState};
use nodeorder_network::Topology;

/// Most jobs named in a cell.
const NAMED: usize = 4;

/// A snapshot with what was asked of it.
pub struct SnapshotReport<'a> {
    /// The snapshot.
    pub snapshot: &'a Snapshot,
    /// Its machine.
    pub topology: &'a Topology,
    /// Name of the file of records.
    pub jobs: &'a str,
    /// Command line that makes the snapshot again.
    pub command: &'a str,
    /// Slots by level and size.
    pub slots: Vec<SlotRow>,
    /// Moves that free units, where these were asked for.
    pub moves: Option<MovePlan>,
}

/// Names the jobs that hold nodes of a unit, the first few of them.
pub fn holding_jobs(snapshot: &Snapshot, unit: &UnitState) -> String {
    let names = job_names(snapshot, unit);
    match names.len() {
        more if more > NAMED => format!("{} and {} more", names[..NAMED].join(", "), more - NAMED),
        _ => names.join(", "),
    }
}

/// Lists the names of all jobs that hold nodes of a unit.
fn job_names<'s>(snapshot: &'s Snapshot, unit: &UnitState) -> Vec<&'s str> {
    unit.jobs.keys().map(|job| snapshot.name_of(*job)).collect()
}

/// Computes the hours from the latest time of the records to that at which a unit is freed. `None` if no job's end
/// frees it.
pub fn hours_until(snapshot: &Snapshot, unit: &UnitState) -> Option<f64> {
    // Jobs past their limits may end at once.
    unit.freed
        .map(|freed| (freed - snapshot.latest).max(0) as f64 / 3600.0)
}

/// Counts the waiting jobs that ask for no more nodes than are free.
pub(super) fn waiting_that_fit(snapshot: &Snapshot) -> usize {
    let free = snapshot.whole_machine().free;
    snapshot
        .waiting
        .iter()
        // Requests of 0 nodes are records without a number.
        .filter(|nodes| (1..=free).contains(nodes))
        .count()
}

impl SnapshotReport<'_> {
    /// Writes `{"version","command","topology","jobs","latest","nodes","free","held","out","running","waiting",
    /// "waiting_that_fit","fragmentation","levels","units","slots","gains","notes"}`, and with moves `"moves"`,
    /// `"freed"`, `"moves_cost"`, `"moves_bound"` and `"moves_gap"`; a level has its roomiest unit, and `next`: the
    /// units held, in the order in which they are freed. Indented, with a newline at the end.
    pub fn document(&self) -> String {
        let snapshot = self.snapshot;
        let all = snapshot.whole_machine();
        let levels: Json = snapshot
            .levels
            .iter()
            .map(|level| level_object(snapshot, level))
            .collect();
        let mut document = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "command": self.command,
            "topology": self.topology.spec(),
            "jobs": self.jobs,
            "latest": snapshot.latest,
            "nodes": all.nodes,
            "free": all.free,
            "held": all.count_held(),
            "out": all.out,
            "running": snapshot.running.len(),
            "waiting": snapshot.waiting.len(),
            "waiting_that_fit": waiting_that_fit(snapshot),
            "fragmentation": snapshot.fragmentation(),
            "levels": levels,
            "units": snapshot.levels.iter().map(units_object).collect::<Json>(),
            "slots": self.slots.iter().map(|row| self.slot_object(row)).collect::<Json>(),
            "gains": self.list_gains(),
            "notes": snapshot.notes.iter().map(|note| reason_object(note, "count")).collect::<Json>(),
        });
        if let Some(plan) = &self.moves {
            let units = &snapshot.levels[plan.level].units;
            let freed = plan.freed.iter().map(|unit| units[*unit].name.as_str());
            document["freed"] = freed.collect();
            document["moves"] = self.list_moves().map(|[job, nodes, from, to]| {
                json!({"job": job, "nodes": nodes.parse::<u32>().ok(), "from": from, "to": to})
            }).collect();
            document["moves_cost"] = plan.objective.into();
            document["moves_bound"] = plan.bound.into();
            document["moves_gap"] = plan.gap().into();
        }
        format!("{document:#}\n")
    }

    /// Lists the moves: job, nodes, from, to.
    pub fn list_moves(&self) -> impl Iterator<Item = [String; 4]> {
        self.moves.iter().flat_map(|plan| {
            let units = &self.snapshot.levels[plan.level].units;
            plan.moves.iter().map(|one| {
                [
                    self.snapshot.name_of(one.job).to_string(),
                    one.nodes.to_string(),
                    units[one.from].name.clone(),
                    units[one.to].name.clone(),
                ]
            })
        })
    }

    /// Names the job whose end alone would gain the most slots of a size, with their number; empty if none would.
    pub fn name_most_gained(&self, row: &SlotRow) -> String {
        let best = row
            .gains
            .iter()
            .max_by_key(|(job, slots)| (*slots, std::cmp::Reverse(*job)));
        let best = best.map(|(job, slots)| format!("{slots} by {}", self.snapshot.name_of(*job)));
        best.unwrap_or_default()
    }

    /// Says which units the moves free, what they cost, and what is proved. `None` if none were asked for.
    pub fn describe_moves(&self) -> Option<String> {
        let plan = self.moves.as_ref()?;
        let units = &self.snapshot.levels[plan.level].units;
        let freed = plan.freed.iter().map(|unit| units[*unit].name.as_str());
        // A bound that is met needs no number.
        let proof = if plan.gap() <= 0.0 {
            "no moves cost less".to_string()
        } else {
            let gap = 100.0 * plan.gap();
            format!("no moves cost less than {:.2} (gap {gap:.1} %)", plan.bound)
        };
        Some(format!(
            "Moves that free {}: they cost {:.2}, and {proof}.",
            freed.collect::<Vec<_>>().join(", "),
            plan.objective
        ))
    }

    /// Lists level, size and, where jobs are cut into segments, their size: what tells a row of slots from others.
    pub fn slot_labels(&self, row: &SlotRow) -> Vec<(&'static str, String)> {
        let mut labels = vec![
            ("level", self.snapshot.levels[row.level].name.clone()),
            ("size", row.size.nodes.to_string()),
        ];
        if row.size.segment < row.size.nodes {
            labels.push(("segment", row.size.segment.to_string()));
        }
        labels
    }

    /// Describes the slots of a size as a JSON object.
    fn slot_object(&self, row: &SlotRow) -> Json {
        let mut object = json!({
            "level": self.snapshot.levels[row.level].name,
            "size": row.size.nodes,
            "slots": row.slots,
            "stranded": row.stranded,
        });
        if row.size.segment < row.size.nodes {
            object["segment"] = row.size.segment.into();
        }
        object
    }

    /// Lists the slots that jobs would free, each alone.
    fn list_gains(&self) -> Json {
        let mut gains = Vec::new();
        for row in &self.slots {
            for (job, slots) in &row.gains {
                gains.push(json!({
                    "job": self.snapshot.name_of(*job),
                    "level": self.snapshot.levels[row.level].name,
                    "size": row.size.nodes,
                    "slots": slots,
                }));
            }
        }
        gains.into()
    }
}

/// Describes the units of a level by state as a JSON object.
fn units_object(level: &LevelState) -> Json {
    let mut object = json!({"level": level.name});
    for (state, units) in UNIT_STATES.iter().zip(level.count_units()) {
        object[*state] = units.into();
    }
    object
}

/// Describes a level as a JSON object.
fn level_object(snapshot: &Snapshot, level: &LevelState) -> Json {
    let roomiest = level.roomiest();
    let next: Json = level
        .next_freed()
        .into_iter()
        .map(|unit| unit_object(snapshot, unit))
        .collect();
    json!({
        "level": level.name,
        "units": level.units.len(),
        "free_units": count_free_units(level),
        "largest": roomiest.free,
        "roomiest": unit_object(snapshot, roomiest),
        "next": next,
    })
}

/// Describes a unit as a JSON object.
fn unit_object(snapshot: &Snapshot, unit: &UnitState) -> Json {
    json!({
        "unit": unit.name,
        "nodes": unit.nodes,
        "free": unit.free,
        "held": unit.count_held(),
        "out": unit.out,
        "jobs": job_names(snapshot, unit),
        "freed": unit.freed,
    })
}

/// Describes records that were left out or mended as a JSON object, their number under the key `count`.
pub(super) fn reason_object(reason: &ReasonCount, count: &str) -> Json {
    let first = Some(&reason.first).filter(|first| !first.is_empty());
    json!({"reason": reason.name, "about": reason.about, count: reason.count, "first": first})
}

/// Counts the units of a level that are wholly free.
pub(super) fn count_free_units(level: &LevelState) -> u64 {
    level.units.iter().filter(|unit| unit.is_free()).count() as u64
}
