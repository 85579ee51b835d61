//! Pods of Kubernetes as `kubectl get pods -A -o json` prints them: the jobs of now.
//!
//! Pods of one job have its name in a label, or one owner. A job holds the nodes that its pods are bound to, from the
//! first pod's start on; one without such a pod waits for as many nodes as it has pods. Where some pods ask for
//! accelerators (a resource called `…/gpu` or `…/tpu`), only these count: others run beside jobs. Pods of a DaemonSet,
//! and those of a node itself, hold nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::json::{HeldRecords, parse_document};
use super::record::{Record, RecordFormat, State};
use super::time::{LONGEST, parse_instant};
use nodeorder_base::{Error, Result, Text};

/// Pods of Kubernetes in JSON. A [`Record`] has a start and a host list where the job holds nodes.
pub static PODS: RecordFormat = RecordFormat {
    name: "k8s-pods",
    about: "pods of Kubernetes as kubectl get pods -A -o json prints them: jobs that wait and that run, with their nodes",
    example: "{\"apiVersion\":\"v1\",\"items\":[{\"kind\":\"Pod\",…}],\"kind\":\"List\"}",
    noun: "list of pods",
    lists_nodes: true,
    joins: false,
    begins: |text| {
        let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
        text.starts_with(b"{") && has(b"\"apiVersion\"") && has(b"\"items\"")
    },
    open: |lines, _| Ok(Box::new(read_pods(&lines.into_text()?)?)),
};

/// Labels that name the job of a pod, those of larger jobs first.
const JOB_LABELS: [&str; 7] = [
    "jobset.sigs.k8s.io/jobset-name",
    "leaderworkerset.sigs.k8s.io/name",
    "training.kubeflow.org/job-name",
    "ray.io/cluster",
    "volcano.sh/job-name",
    "batch.kubernetes.io/job-name",
    "job-name",
];

/// Reads the records of a list of pods: one a job, in the order of their names.
fn read_pods(text: &Text) -> Result<HeldRecords> {
    let expected = "the output of kubectl get pods -A -o json: items of metadata, spec and status";
    let document: Value = parse_document(text, expected)?;
    let items = document["items"].as_array();
    let items = items.ok_or_else(|| Error::input(text.location(), "no items", expected))?;
    let mut pods = Vec::new();
    for pod in items {
        if !pod["metadata"]["name"].is_string() || !pod["status"]["phase"].is_string() {
            return Err(Error::input(
                text.location(),
                "an item that is no pod",
                expected,
            ));
        }
        let owner = &pod["metadata"]["ownerReferences"][0]["kind"];
        if owner != "DaemonSet" && owner != "Node" {
            pods.push(pod);
        }
    }
    if pods.iter().any(|pod| is_accelerated(pod)) {
        pods.retain(|pod| is_accelerated(pod));
    }
    let mut jobs: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for pod in pods {
        jobs.entry(name_job(pod)).or_default().push(pod);
    }
    let records = jobs.into_iter().map(|(job, pods)| to_record(job, &pods));
    Ok(HeldRecords::new(records.collect(), Vec::new()))
}

/// Names the job of a pod: `namespace/name`.
fn name_job(pod: &Value) -> String {
    let metadata = &pod["metadata"];
    let labels = JOB_LABELS.iter().map(|label| &metadata["labels"][*label]);
    let owner = &metadata["ownerReferences"][0]["name"];
    let mut names = labels
        .chain([owner, &metadata["name"]])
        .filter_map(Value::as_str);
    let space = metadata["namespace"].as_str().unwrap_or("default");
    format!("{space}/{}", names.next().unwrap_or_default())
}

/// Checks whether a pod asks for accelerators.
fn is_accelerated(pod: &Value) -> bool {
    let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
    let requests =
        containers.flat_map(|one| ["limits", "requests"].map(|key| &one["resources"][key]));
    let mut names = requests
        .filter_map(Value::as_object)
        .flat_map(|request| request.keys());
    names.any(|name| name.ends_with("/gpu") || name.ends_with("/tpu"))
}

/// Finds the earliest of the times that pods have: UTC, as in `2026-11-26T10:00:00Z`.
fn find_earliest<'v>(times: impl Iterator<Item = &'v Value>) -> Option<i64> {
    times
        .filter_map(|time| parse_instant(time.as_str()?).flatten())
        .min()
}

/// Converts the pods of a job to a record.
fn to_record(job: String, pods: &[&Value]) -> Record {
    let mut live = pods.to_vec();
    live.retain(|pod| pod["status"]["phase"] != "Succeeded" && pod["status"]["phase"] != "Failed");
    let hosts: BTreeSet<&str> = live
        .iter()
        .filter_map(|pod| pod["spec"]["nodeName"].as_str())
        .collect();
    let submit = find_earliest(pods.iter().map(|pod| &pod["metadata"]["creationTimestamp"]));
    let start = find_earliest(live.iter().map(|pod| &pod["status"]["startTime"]));
    Record {
        submit,
        // A pod is bound before the kubelet says that it starts.
        start: start.or(submit).filter(|_| !hosts.is_empty()),
        limit: pods
            .iter()
            .find_map(|pod| pod["spec"]["activeDeadlineSeconds"].as_i64())
            .filter(|limit| (1..LONGEST).contains(limit)),
        nodes: if hosts.is_empty() {
            live.len()
        } else {
            hosts.len()
        } as u32,
        hosts: hosts.into_iter().collect::<Vec<_>>().join(","),
        partition: job.split('/').next().unwrap_or_default().into(),
        state: if !live.is_empty() {
            State::Unknown
        } else if pods.iter().any(|pod| pod["status"]["phase"] == "Failed") {
            State::Failed
        } else {
            State::Completed
        },
        job,
        ..Record::default()
    }
}
