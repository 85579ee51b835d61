//! The memory that a run may use unless `--memory` says otherwise: four fifths of what the system, the control groups
//! of the process and their parents leave, and half of the addresses that `ulimit -v` leaves; 8 GB where nothing is
//! told.
//!
//! Sources: `MemAvailable` of `/proc/meminfo`; `memory.max` and `memory.current` of cgroup v2,
//! `memory.limit_in_bytes` and `memory.usage_in_bytes` of v1 (Linux, `Documentation/admin-guide/cgroup-v2.rst` and
//! `cgroup-v1/memory.rst`); `Max address space` of `/proc/self/limits` (`getrlimit(2)`, `RLIMIT_AS`).

use std::path::{Path, PathBuf};

use nodeorder_network::Context;

/// Computes the default limit of memory, in bytes.
pub fn default_memory() -> u64 {
    limit_below(Path::new("/")).unwrap_or(Context::default().memory)
}

/// Computes the limit from the files below `root`, in bytes. `None` if none of them tells one.
fn limit_below(root: &Path) -> Option<u64> {
    let meminfo = read(&root.join("proc/meminfo"));
    let available = value_behind(&meminfo, "MemAvailable:").map(|kilobytes| kilobytes * 1024);
    // A fifth is left for what the limit does not count, and for others on the node.
    let memory = groups_of(root)
        .iter()
        .filter_map(|group| group.free_bytes())
        .chain(available)
        .min()
        .map(|free| free / 5 * 4);
    // Stacks and arenas of threads reserve addresses that they never use.
    let addresses = free_addresses(root).map(|free| free / 2);
    memory.into_iter().chain(addresses).min()
}

/// Reads a file; an empty text where it cannot be read, as elsewhere than on Linux.
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Finds the number behind a label at the beginning of a line. `None` if there is none, as for `unlimited`.
fn value_behind(text: &str, label: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(label))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Computes the bytes of addresses that the process may still take. `None` if they are not limited.
fn free_addresses(root: &Path) -> Option<u64> {
    let limits = read(&root.join("proc/self/limits"));
    let limit = value_behind(&limits, "Max address space")?;
    let status = read(&root.join("proc/self/status"));
    let taken = value_behind(&status, "VmSize:").unwrap_or(0) * 1024;
    Some(limit.saturating_sub(taken))
}

/// A control group, by its folder.
struct ControlGroup {
    folder: PathBuf,
    files: &'static GroupFileNames,
}

/// The names that a version of control groups has for its files.
struct GroupFileNames {
    /// File system type, and the controller that `/proc/self/cgroup` names; v2 names none.
    kind: &'static str,
    controller: &'static str,
    limit: &'static str,
    taken: &'static str,
    /// Label, in `memory.stat`, of file contents that the system gives up when memory is short.
    spare: &'static str,
}

const VERSIONS: [GroupFileNames; 2] = [
    GroupFileNames {
        kind: "cgroup2",
        controller: "",
        limit: "memory.max",
        taken: "memory.current",
        spare: "inactive_file",
    },
    GroupFileNames {
        kind: "cgroup",
        controller: "memory",
        limit: "memory.limit_in_bytes",
        taken: "memory.usage_in_bytes",
        spare: "total_inactive_file",
    },
];

impl ControlGroup {
    /// Computes the bytes that the group may still take. `None` if it has no limit.
    fn free_bytes(&self) -> Option<u64> {
        let number = |name: &str| read(&self.folder.join(name)).trim().parse::<u64>().ok();
        let limit = number(self.files.limit)?;
        let spare = value_behind(&read(&self.folder.join("memory.stat")), self.files.spare);
        let taken = number(self.files.taken).unwrap_or(0);
        Some(limit.saturating_sub(taken.saturating_sub(spare.unwrap_or(0))))
    }
}

/// Lists the control groups of the process and their parents, as far as they can be seen.
fn groups_of(root: &Path) -> Vec<ControlGroup> {
    let own = read(&root.join("proc/self/cgroup"));
    let mounts = read(&root.join("proc/self/mountinfo"));
    let mut groups = Vec::new();
    for files in &VERSIONS {
        // `ID:CONTROLLERS:PATH`
        let path = own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            let mut controllers = controllers.split(',');
            controllers.any(|c| c == files.controller).then_some(path)
        });
        let Some(path) = path else {
            continue;
        };
        for line in mounts.lines() {
            // `ID PARENT DEVICE ROOT POINT OPTIONS … - TYPE SOURCE SUPER_OPTIONS`
            let Some((mount, kind)) = line.split_once(" - ") else {
                continue;
            };
            let mut kind = kind.split(' ');
            let right = kind.next() == Some(files.kind)
                && (files.controller.is_empty()
                    || kind.any(|options| options.split(',').any(|o| o == files.controller)));
            let words: Vec<&str> = mount.split(' ').collect();
            let (true, Some(top), Some(point)) = (right, words.get(3), words.get(4)) else {
                continue;
            };
            let point = root.join(point.trim_start_matches('/'));
            // A container may see its own group as the root of the mount, under the path that it has outside.
            let inner = Path::new(path).strip_prefix(top).unwrap_or(Path::new(path));
            let inner = inner.strip_prefix("/").unwrap_or(inner);
            groups.extend(inner.ancestors().map(|inner| ControlGroup {
                folder: point.join(inner),
                files,
            }));
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system of some files.
    fn limit_of(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        limit_below(root.path())
    }

    const MEMINFO: (&str, &str) = (
        "proc/meminfo",
        "MemTotal: 99 kB\nMemAvailable:   1000000 kB\n",
    );
    const V2: (&str, &str) = (
        "proc/self/mountinfo",
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n",
    );

    #[test]
    fn the_least_of_system_groups_and_addresses_counts() {
        assert_eq!(limit_of(&[]), None);
        assert_eq!(limit_of(&[MEMINFO]), Some(1_024_000_000 / 5 * 4));
        let job = ("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
        let none = ("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
        assert_eq!(limit_of(&[MEMINFO, V2, job, none]), Some(819_200_000));
        // The limit of a parent, less what it holds but for files that it can give up.
        let limit = ("sys/fs/cgroup/slurm/job_7/memory.max", "500000000\n");
        let taken = ("sys/fs/cgroup/slurm/job_7/memory.current", "150000000\n");
        let spare = (
            "sys/fs/cgroup/slurm/job_7/memory.stat",
            "anon 5\ninactive_file 50000000\n",
        );
        let files = [MEMINFO, V2, job, none, limit, taken, spare];
        assert_eq!(limit_of(&files), Some(320_000_000));
        let limits = (
            "proc/self/limits",
            "Max cpu time              unlimited            unlimited            seconds\n\
             Max address space         400000000            unlimited            bytes\n",
        );
        let status = ("proc/self/status", "Name: x\nVmSize:\t  100000 kB\n");
        assert_eq!(
            limit_of(&[&files[..], &[limits, status]].concat()),
            Some(148_800_000)
        );
        let free = (
            "proc/self/limits",
            "Max address space         unlimited  unlimited  bytes\n",
        );
        assert_eq!(
            limit_of(&[&files[..], &[free, status]].concat()),
            Some(320_000_000)
        );
    }

    #[test]
    fn groups_of_the_first_version_and_of_containers_are_found() {
        let mounts = (
            "proc/self/mountinfo",
            "34 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n\
             35 31 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
        );
        let own = (
            "proc/self/cgroup",
            "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n",
        );
        let limit = ("sys/fs/cgroup/memory/memory.limit_in_bytes", "200000000\n");
        let taken = ("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000000\n");
        assert_eq!(
            limit_of(&[MEMINFO, mounts, own, limit, taken]),
            Some(80_000_000)
        );
        // The number that stands for no limit.
        let none = (
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
            "9223372036854771712\n",
        );
        assert_eq!(
            limit_of(&[MEMINFO, mounts, own, none, taken]),
            Some(819_200_000)
        );
    }
}
