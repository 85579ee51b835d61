//! Slurm's words for the states of jobs and nodes, 24.05 to 26.05: long (`%T`), short (`%t`), and the lists of JSON.
//!
//! A state is a base and flags; of several words the one that says most decides. Words of text: `job_state_string`,
//! `node_state_string` and their `_compact` forms in Slurm's `src/common/slurm_protocol_defs.c`; of JSON: `JOB_STATE`
//! and `NODE_STATES` in `src/plugins/data_parser/*/parsers.c`.

/// Phase of a job, as a state of Slurm's tells it. If a state has several words, the last in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobPhase {
    /// Nothing by itself: a flag.
    Flag,
    /// It ended as it should.
    Completed,
    /// It ended by its own fault, its limit's or a node's.
    Failed,
    /// It was ended by its user or an administrator.
    Cancelled,
    /// It waits, for the first time or again.
    Waits,
    /// It runs, or ran, on another cluster of a federation.
    Elsewhere,
    /// It holds nodes: it runs, waits for them to boot, or is ending.
    Holds,
}

/// States of jobs by their long and short words: the base states, then the flags. A flag without a short word repeats
/// the long word.
const JOB_WORDS: [(&str, &str, JobPhase); 29] = [
    ("PENDING", "PD", JobPhase::Waits),
    ("RUNNING", "R", JobPhase::Holds),
    ("SUSPENDED", "S", JobPhase::Holds),
    ("COMPLETED", "CD", JobPhase::Completed),
    ("CANCELLED", "CA", JobPhase::Cancelled),
    ("FAILED", "F", JobPhase::Failed),
    ("TIMEOUT", "TO", JobPhase::Failed),
    ("NODE_FAIL", "NF", JobPhase::Failed),
    ("PREEMPTED", "PR", JobPhase::Failed),
    ("BOOT_FAIL", "BF", JobPhase::Failed),
    ("DEADLINE", "DL", JobPhase::Failed),
    ("OUT_OF_MEMORY", "OOM", JobPhase::Failed),
    ("COMPLETING", "CG", JobPhase::Holds),
    ("CONFIGURING", "CF", JobPhase::Holds),
    ("RESIZING", "RS", JobPhase::Holds),
    ("SIGNALING", "SI", JobPhase::Holds),
    ("STOPPED", "ST", JobPhase::Holds),
    ("REQUEUED", "RQ", JobPhase::Waits),
    ("REQUEUE_FED", "RF", JobPhase::Waits),
    ("REQUEUE_HOLD", "RH", JobPhase::Waits),
    ("RESV_DEL_HOLD", "RD", JobPhase::Waits),
    ("SPECIAL_EXIT", "SE", JobPhase::Waits),
    ("REVOKED", "RV", JobPhase::Elsewhere),
    // Its nodes are free while its data is copied.
    ("STAGE_OUT", "SO", JobPhase::Flag),
    ("LAUNCH_FAILED", "LAUNCH_FAILED", JobPhase::Flag),
    ("RECONFIG_FAIL", "RECONFIG_FAIL", JobPhase::Flag),
    ("POWER_UP_NODE", "POWER_UP_NODE", JobPhase::Flag),
    ("EXPEDITING", "EXPEDITING", JobPhase::Flag),
    ("UPDATE_DB", "UPDATE_DB", JobPhase::Flag),
];

/// Finds the phase of a job from the words of its state. `None` if no word is known.
pub fn find_job_phase<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<JobPhase> {
    let phases = words.into_iter().filter_map(|word| {
        let is = |known: &str| known.eq_ignore_ascii_case(word);
        let mut known = JOB_WORDS.iter();
        known.find(|(long, short, _)| is(long) || is(short))
    });
    phases.map(|(.., phase)| *phase).max()
}

/// Use of a node, as a state of Slurm's tells it. If a state has several words, the last in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeUse {
    /// Nothing by itself: a flag.
    Flag,
    /// It takes a job now.
    Free,
    /// It will take a job soon: it boots, or was switched off while there were no jobs.
    Closed,
    /// Jobs hold it, all of it or a part, or keep others from it.
    Held,
    /// It is kept for a reservation.
    Reserved,
    /// It takes no job, even when all running jobs end.
    Out,
}

/// States of nodes by their long and short words, and the words of JSON.
const NODE_WORDS: [(&str, &str, NodeUse); 38] = [
    ("IDLE", "IDLE", NodeUse::Free),
    ("PLANNED", "PLND", NodeUse::Free),
    ("ALLOCATED", "ALLOC", NodeUse::Held),
    ("MIXED", "MIX", NodeUse::Held),
    ("COMPLETING", "COMP", NodeUse::Held),
    // A job that has its block alone keeps others from the rest.
    ("BLOCKED", "BLOCK", NodeUse::Held),
    ("RESERVED", "RESV", NodeUse::Reserved),
    ("DOWN", "DOWN", NodeUse::Out),
    ("ERROR", "ERR", NodeUse::Out),
    ("FUTURE", "FUTR", NodeUse::Out),
    ("UNKNOWN", "UNK", NodeUse::Out),
    ("DRAIN", "DRAIN", NodeUse::Out),
    ("DRAINED", "DRAIN", NodeUse::Out),
    ("DRAINING", "DRNG", NodeUse::Out),
    ("FAIL", "FAIL", NodeUse::Out),
    ("FAILING", "FAILG", NodeUse::Out),
    ("NOT_RESPONDING", "*", NodeUse::Out),
    ("MAINTENANCE", "MAINT", NodeUse::Out),
    ("REBOOT", "BOOT", NodeUse::Out),
    ("INVALID_REG", "INVAL", NodeUse::Out),
    ("INVALID", "INVAL", NodeUse::Out),
    ("EXTERNAL", "EXT", NodeUse::Out),
    ("DYNAMIC_FUTURE", "DYNAMIC_FUTURE", NodeUse::Out),
    ("PERFCTRS", "NPC", NodeUse::Out),
    ("REBOOT_ISSUED", "^", NodeUse::Closed),
    ("REBOOT_REQUESTED", "@", NodeUse::Closed),
    ("POWER_DOWN", "POW_DN", NodeUse::Closed),
    ("POWERING_DOWN", "POWRING_DN", NodeUse::Closed),
    // Slurm switches it on for the job.
    ("POWERED_DOWN", "POWERED_DN", NodeUse::Flag),
    ("POWERING_UP", "POWERING_UP", NodeUse::Flag),
    ("POWER_UP", "POW_UP", NodeUse::Flag),
    ("POWER_DRAIN", "POWER_DRAIN", NodeUse::Flag),
    ("REBOOT_CANCELED", "CANC_R", NodeUse::Flag),
    ("CANCEL_REBOOT", "CANC_R", NodeUse::Flag),
    ("CLOUD", "CLOUD", NodeUse::Flag),
    ("DYNAMIC_NORM", "DYNAMIC_NORM", NodeUse::Flag),
    ("RESUME", "RESM", NodeUse::Flag),
    ("UNDRAIN", "UNDRAIN", NodeUse::Flag),
];

/// Marks behind a word of text.
const MARKS: [(char, NodeUse); 10] = [
    ('*', NodeUse::Out),
    ('$', NodeUse::Reserved),
    ('%', NodeUse::Closed),
    ('!', NodeUse::Closed),
    ('^', NodeUse::Closed),
    ('@', NodeUse::Closed),
    ('~', NodeUse::Flag),
    ('#', NodeUse::Flag),
    ('+', NodeUse::Flag),
    ('-', NodeUse::Flag),
];

/// Finds the use of a node from its state and the marks behind it, as in `idle~` or `MIXED+DRAIN`. `None` if it is not
/// known.
pub fn find_node_use(word: &str) -> Option<NodeUse> {
    // `scontrol show node` joins words by +; at the end it is a mark.
    let uses = word.split('+').filter(|part| !part.is_empty()).map(|part| {
        let name = part.trim_end_matches(|c| MARKS.iter().any(|(mark, _)| *mark == c));
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let mut known = NODE_WORDS.iter();
        let (.., base) = known.find(|(long, short, _)| is(long) || is(short))?;
        let marks = part[name.len()..].chars();
        let marks = marks.filter_map(|c| MARKS.iter().find(|(mark, _)| *mark == c));
        Some(marks.map(|(_, mark)| *mark).fold(*base, NodeUse::max))
    });
    // A word that is not known, among others, leaves open what they say together.
    uses.collect::<Option<Vec<_>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word of `squeue` and `sinfo`: no two words, long or short, mean different things.
    #[test]
    fn words_are_told_apart() {
        for (i, (long, short, phase)) in JOB_WORDS.iter().enumerate() {
            for word in [long, short] {
                assert_eq!(find_job_phase([*word]), Some(*phase), "{word}");
            }
            assert!(
                JOB_WORDS[..i]
                    .iter()
                    .all(|(l, s, _)| l != long && s != short)
            );
        }
        for (long, short, taken) in NODE_WORDS {
            assert_eq!(find_node_use(long), Some(taken), "{long}");
            if !"*^@".contains(short) {
                assert_eq!(find_node_use(&short.to_lowercase()), Some(taken), "{short}");
            }
        }
        assert_eq!(
            (find_job_phase(["WORKING"]), find_node_use("odd")),
            (None, None)
        );
    }

    /// Bases with each flag that Slurm sets beside them.
    #[test]
    fn flags_change_what_a_base_says() {
        let job = |words: &str| find_job_phase(words.split(' ')).unwrap();
        assert_eq!(job("RUNNING CONFIGURING POWER_UP_NODE"), JobPhase::Holds);
        assert_eq!(job("CONFIGURING"), JobPhase::Holds);
        assert_eq!(job("COMPLETED COMPLETING"), JobPhase::Holds);
        // The epilogue of its last run still has the nodes.
        assert_eq!(job("PENDING REQUEUED COMPLETING"), JobPhase::Holds);
        assert_eq!(job("PENDING REQUEUED"), JobPhase::Waits);
        assert_eq!(job("COMPLETED STAGE_OUT"), JobPhase::Completed);
        assert_eq!(job("PENDING REVOKED"), JobPhase::Elsewhere);
        let node = |word: &str| find_node_use(word).unwrap();
        for held in [
            "alloc",
            "mix-",
            "comp+",
            "alloc@",
            "mix^",
            "block",
            "ALLOCATED+CLOUD",
        ] {
            assert_eq!(node(held), NodeUse::Held, "{held}");
        }
        for out in [
            "idle*",
            "down~",
            "drng",
            "MIXED+DRAIN",
            "maint",
            "IDLE+NOT_RESPONDING",
        ] {
            assert_eq!(node(out), NodeUse::Out, "{out}");
        }
        assert_eq!(node("idle~"), NodeUse::Free);
        assert_eq!(node("idle%"), NodeUse::Closed);
        assert_eq!(node("alloc$"), NodeUse::Reserved);
        assert_eq!(find_node_use("IDLE+NEW_FLAG"), None);
    }
}
