//! Nodes that are out of service: those on which Kueue places nothing.
//!
//! Kueue's tree has the nodes that are Ready and not cordoned; on a node with a taint that its pods do not tolerate, or
//! without room for one more pod, nothing fits. What a dump does not say (conditions, taints, `pods`) counts as
//! fine.
//!
//! # References
//! Kueue 0.20, `pkg/cache/scheduler` (`tas_flavor.go`: Ready and schedulable nodes; `tas_flavor_snapshot.go`: taints,
//! and `pods` as a resource). Kubernetes, admission controller ExtendedResourceToleration: pods that ask for a resource
//! tolerate taints with its name as the key.

use crate::topology::import::document::Node;

/// Reason for which a node is out of service, as remarks name it.
const REASONS: [&str; 4] = ["cordoned", "not ready", "tainted", "without room for pods"];

/// Rules that tell which nodes are out of service.
pub(super) struct ServiceRules {
    /// The option `tolerate`; `None` if it is not given.
    tolerated: Option<String>,
}

impl ServiceRules {
    /// Creates the rules of a service that tolerates taints of the given keys (joined by `+`).
    pub fn new(tolerated: Option<String>) -> Self {
        ServiceRules { tolerated }
    }

    /// Writes the option that the rules come from, for a specification.
    pub fn suffix(&self) -> String {
        let tolerated = self.tolerated.iter();
        tolerated.map(|keys| format!(",tolerate={keys}")).collect()
    }

    /// Finds the reason for which a node is out of service, the first of [`REASONS`] that holds; `None` if it is not.
    pub fn find_reason(&self, item: &Node) -> Option<&'static str> {
        let holds = [
            item.text_at(&["spec", "unschedulable"]) == Some("true"),
            is_not_ready(item),
            self.has_repelling_taint(item),
            item.text_at(&["status", "allocatable", "pods"]) == Some("0"),
        ];
        let first = holds.iter().position(|holds| *holds)?;
        Some(REASONS[first])
    }

    /// Checks whether a node has a taint that keeps new pods away and that they do not tolerate.
    fn has_repelling_taint(&self, item: &Node) -> bool {
        let Some(spec) = item.find_key("spec") else {
            return false;
        };
        let resources = item.find_path(&["status", "allocatable"]);
        let tolerated = self.tolerated.as_deref().unwrap_or_default().split('+');
        spec.items_of("taints").iter().any(|taint| {
            let key = taint.text_at(&["key"]).unwrap_or_default();
            let is_resource = resources.is_some_and(|all| all.find_key(key).is_some());
            let effect = taint.text_at(&["effect"]).unwrap_or_default();
            ["NoSchedule", "NoExecute"].contains(&effect)
                && !(key.contains('/') && is_resource)
                && !tolerated.clone().any(|other| other.trim() == key)
        })
    }
}

/// Checks whether a node has a condition Ready that does not hold.
fn is_not_ready(item: &Node) -> bool {
    let Some(status) = item.find_key("status") else {
        return false;
    };
    let mut conditions = status.items_of("conditions").iter();
    conditions.any(|condition| {
        condition.text_at(&["type"]) == Some("Ready")
            && condition.text_at(&["status"]) != Some("True")
    })
}

/// Describes how many nodes are out for each reason, as in `2 cordoned, 1 tainted`.
pub(super) fn count_reasons(out: &[(&str, &str)]) -> String {
    let mut counts = Vec::new();
    for reason in REASONS {
        let count = out.iter().filter(|(_, other)| *other == reason).count();
        if count > 0 {
            counts.push(format!("{count} {reason}"));
        }
    }
    counts.join(", ")
}
