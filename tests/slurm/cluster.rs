//! A real Slurm with emulated nodes on loopback: the one that is installed, or one in a folder of its own.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::skip::{Peer, skipped, without};

/// How long anything may take before a test gives up: against tests that never end, not a measure of speed.
const PATIENCE: Duration = Duration::from_secs(1800);

/// One cluster at a time: 64 daemons are enough.
static TURN: Mutex<()> = Mutex::new(());

/// Where a Slurm is.
#[derive(Clone, Debug)]
pub struct Slurm {
    /// The folder that holds a whole system, where it is not this one.
    root: Option<PathBuf>,
}

fn find(root: &Path, program: &str) -> Option<PathBuf> {
    let folders = [
        "usr/sbin",
        "usr/bin",
        "usr/local/sbin",
        "usr/local/bin",
        "sbin",
    ];
    folders
        .iter()
        .map(|folder| root.join(folder).join(program))
        .find(|path| path.exists())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|out| out.stdout.trim_ascii() == b"0")
}

impl Slurm {
    /// The Slurm of this system and a turn to use it; says by name what is skipped otherwise.
    pub fn installed(test: &str) -> Option<(Slurm, MutexGuard<'static, ()>)> {
        Slurm { root: None }.ready(Peer::Slurm, test)
    }

    /// Slurm 26.05, which `.ci/slurm-26 FOLDER` puts into a folder: that of `NODEORDER_SLURM_26`, else
    /// `target/slurm-26`.
    pub fn release_26(test: &str) -> Option<(Slurm, MutexGuard<'static, ()>)> {
        let beside = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("slurm-26");
        let root = std::env::var_os("NODEORDER_SLURM_26").map_or(beside, PathBuf::from);
        Slurm { root: Some(root) }.ready(Peer::Slurm26, test)
    }

    fn ready(self, peer: Peer, test: &str) -> Option<(Slurm, MutexGuard<'static, ()>)> {
        let programs = [
            "munged",
            "slurmctld",
            "slurmd",
            "salloc",
            "sbatch",
            "scancel",
            "sinfo",
            "squeue",
        ];
        if let Some(missing) = programs.iter().find(|program| self.find(program).is_none()) {
            without(
                peer,
                &format!("slurm::{test}"),
                &format!("{missing} is not installed"),
            );
            return None;
        }
        if !is_root() {
            skipped(&format!("slurm::{test}"), "needs to be root");
            return None;
        }
        Some((self, TURN.lock().unwrap_or_else(|e| e.into_inner())))
    }

    fn find(&self, program: &str) -> Option<PathBuf> {
        find(self.root.as_deref().unwrap_or(Path::new("/")), program)
    }

    /// A command of it. In a folder it sees a /proc of its own, which ends with it.
    fn command(&self, program: &str) -> Command {
        let path = self.find(program).unwrap();
        let Some(root) = &self.root else {
            return Command::new(path);
        };
        let inside = Path::new("/").join(path.strip_prefix(root).unwrap());
        let mut command = Command::new("unshare");
        let script =
            "mount -t proc proc \"$1/proc\" && root=$1 && shift && exec chroot \"$root\" \"$@\"";
        command
            .args(["--mount", "sh", "-c", script, "sh"])
            .arg(root)
            .arg(inside);
        command
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LC_ALL", "C");
        command
    }
}

/// Configuration of a cluster, beside its nodes.
#[derive(Clone, Debug, Default)]
pub struct Conf {
    /// Further lines of slurm.conf.
    pub lines: String,
    /// Further files beside it, by name.
    pub files: BTreeMap<&'static str, String>,
}

/// Daemons on loopback, ended by pid when this is dropped.
pub struct Cluster {
    slurm: Slurm,
    folder: tempfile::TempDir,
    /// The folder as the daemons see it.
    here: PathBuf,
    daemons: Vec<Child>,
    nodes: usize,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Steps outlive their daemons.
        let _ = self.tell("scancel", &["--full", "--user", "root"]);
        // The controller first, then the nodes, then munge.
        self.daemons.reverse();
        for daemon in &self.daemons {
            let _ = Command::new("kill")
                .args(["-TERM", &daemon.id().to_string()])
                .status();
        }
        for daemon in &mut self.daemons {
            let _ = daemon.wait();
        }
    }
}

impl Cluster {
    /// Starts a cluster whose slurm.conf has `lines`, one a node, as exported; what only this machine knows of
    /// a node is added to each. Waits until all nodes are idle.
    pub fn start(slurm: &Slurm, lines: &[&str], more: &Conf) -> Cluster {
        let root = slurm.root.clone().unwrap_or_default();
        let mut folder = tempfile::Builder::new();
        let folder = match &slurm.root {
            Some(root) => folder
                .prefix("nodeorder-slurm-")
                .tempdir_in(root.join("tmp")),
            None => folder.prefix("nodeorder-slurm-").tempdir(),
        };
        let folder = folder.unwrap();
        let inside = folder.path().strip_prefix(&root).unwrap_or(folder.path());
        let inside = Path::new("/").join(inside);
        let here = inside.display().to_string();
        std::fs::create_dir(folder.path().join("state")).unwrap();
        let key: Vec<u8> = (0..1024u32).map(|i| (i * 7 + i / 256) as u8).collect();
        std::fs::write(folder.path().join("key"), key).unwrap();
        for (name, mode) in [("key", 0o600), (".", 0o755)] {
            use std::os::unix::fs::PermissionsExt;
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path().join(name), permissions).unwrap();
        }
        let host = String::from_utf8(Command::new("hostname").output().unwrap().stdout).unwrap();
        let host = host.trim();
        let base = free_ports(lines.len() as u16 + 1);
        let names: Vec<&str> = lines
            .iter()
            .map(|line| {
                line.split(' ')
                    .next()
                    .unwrap()
                    .strip_prefix("NodeName=")
                    .unwrap()
            })
            .collect();
        let mut conf = format!(
            "ClusterName=nodeorder\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={base}\nSlurmUser=root\n\
             SlurmdUser=root\nAuthInfo=socket={here}/munge.sock\n\
             CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n\
             AccountingStorageType=accounting_storage/none\nJobCompType=jobcomp/none\nMpiDefault=none\n\
             ReturnToService=2\nSlurmdParameters=config_overrides\n\
             MessageTimeout=1000\nTCPTimeout=1000\nSlurmdTimeout=0\nSlurmctldTimeout=1000\n\
             SchedulerType=sched/builtin\n\
             SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nStateSaveLocation={here}/state\n\
             SlurmctldPidFile={here}/slurmctld.pid\nSlurmdPidFile={here}/slurmd-%n.pid\n\
             SlurmdSpoolDir={here}/spool-%n\n{}NodeName=DEFAULT CPUs=1\n",
            more.lines
        );
        for (i, line) in lines.iter().enumerate() {
            conf += &format!("{line} NodeAddr=127.0.0.1 Port={}\n", base + 1 + i as u16);
        }
        conf += "PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=EXCLUSIVE\n";
        std::fs::write(folder.path().join("slurm.conf"), conf).unwrap();
        if slurm.root.is_some() {
            std::fs::write(folder.path().join("cgroup.conf"), "CgroupPlugin=disabled\n").unwrap();
        }
        for (name, text) in &more.files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }

        let slurm = slurm.clone();
        let nodes = lines.len();
        let mut cluster = Cluster {
            slurm,
            folder,
            here: inside,
            daemons: Vec::new(),
            nodes,
        };
        let file = |name: &str| format!("{here}/{name}");
        let (key, socket) = (file("key"), file("munge.sock"));
        let (pid, log, seed) = (file("munged.pid"), file("munged.log"), file("munged.seed"));
        #[rustfmt::skip]
        cluster.daemon("munged", &["-F", "--force", "--key-file", &key, "--socket", &socket,
            "--pid-file", &pid, "--log-file", &log, "--seed-file", &seed]);
        cluster.wait("munge", |cluster| {
            cluster.folder.path().join("munge.sock").exists()
        });
        let conf = file("slurm.conf");
        cluster.daemon("slurmctld", &["-D", "-c", "-f", &conf]);
        for name in names {
            cluster.daemon("slurmd", &["-D", "-N", name, "-f", &conf]);
        }
        cluster.wait("idle nodes", |cluster| cluster.idle() == cluster.nodes);
        cluster
    }

    /// Starts a daemon that dies with this process, where the system can see to that.
    fn daemon(&mut self, program: &str, arguments: &[&str]) {
        let plain = self.command(program);
        let mut command = match find(Path::new("/"), "setpriv") {
            Some(setpriv) => {
                let mut command = Command::new(setpriv);
                command
                    .args(["--pdeathsig", "KILL"])
                    .arg(plain.get_program());
                command.args(plain.get_args());
                command.envs(
                    plain
                        .get_envs()
                        .filter_map(|(key, value)| Some((key, value?))),
                );
                command
            }
            None => plain,
        };
        command.args(arguments);
        let log = std::fs::File::create(self.folder.path().join(format!("{program}.out"))).unwrap();
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        self.daemons.push(command.spawn().unwrap());
    }

    fn wait(&self, what: &str, ready: impl Fn(&Cluster) -> bool) {
        let began = Instant::now();
        while !ready(self) {
            let late = began.elapsed() > PATIENCE;
            assert!(
                !late,
                "no {what} after half an hour\n{}",
                self.tell("sinfo", &["-N", "-l"])
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = self.slurm.command(program);
        command
            .env("SLURM_CONF", self.here.join("slurm.conf"))
            .stdin(Stdio::null());
        command
    }

    /// Output of a program, errors included.
    pub fn tell(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program).args(arguments).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    }

    /// Nodes that are idle: one that is still completing counts as busy, for Slurm, too; one in a block that a job
    /// has alone is idle.
    fn idle(&self) -> usize {
        let said = self.tell("sinfo", &["-h", "-o", "%t %D"]);
        let idle = |line: &str| {
            let (state, count) = line.split_once(' ')?;
            ["idle", "block"]
                .contains(&state)
                .then(|| count.trim().parse::<usize>().ok())?
        };
        said.lines().filter_map(idle).sum()
    }

    /// Allocates `count` nodes: the job's number, and the names in Slurm's order.
    pub fn allocate(&self, count: u32) -> (String, Vec<String>) {
        let said = self.tell(
            "salloc",
            &["--no-shell", "--exclusive", "-N", &count.to_string()],
        );
        self.granted(&said).unwrap_or_else(|| panic!("{said}"))
    }

    /// Allocates `count` nodes at once, with further options, or says why not.
    pub fn try_allocate(
        &self,
        count: u32,
        options: &[String],
    ) -> Result<(String, Vec<String>), String> {
        let count = count.to_string();
        let mut all = vec!["--no-shell", "--immediate", "-N", &count];
        if !options
            .iter()
            .any(|option| option.starts_with("--exclusive"))
        {
            all.push("--exclusive");
        }
        all.extend(options.iter().map(String::as_str));
        let said = self.tell("salloc", &all);
        self.granted(&said).ok_or(said)
    }

    fn granted(&self, said: &str) -> Option<(String, Vec<String>)> {
        let job = said.split("Granted job allocation ").nth(1)?;
        let job = job.split_whitespace().next().unwrap().to_string();
        let list = self.tell("squeue", &["-h", "-j", &job, "-o", "%N"]);
        Some((job, expand(list.trim())))
    }

    /// Writes the file `name` beside slurm.conf, has the controller read it, and returns what scontrol prints.
    pub fn reconfigured(&self, name: &str, text: &str, show: &[&str]) -> String {
        std::fs::write(self.folder.path().join(name), text).unwrap();
        let said = self.tell("scontrol", &["reconfigure"]);
        assert!(said.is_empty(), "{said}\n{text}");
        self.tell("scontrol", show)
    }

    /// Frees a job's nodes; returns when `idle` nodes are idle.
    pub fn free(&self, job: &str, idle: usize) {
        let said = self.tell("scancel", &[job]);
        assert!(said.is_empty(), "{said}");
        self.wait("free nodes", |cluster| cluster.idle() == idle);
    }
}

/// The first of `count` ports in a row that nobody listens on.
fn free_ports(count: u16) -> u16 {
    let start = 20_000 + (std::process::id() % 100) as u16 * 100;
    let free =
        |base: &u16| (*base..base + count).all(|p| TcpListener::bind(("127.0.0.1", p)).is_ok());
    (start..60_000).step_by(100).find(free).unwrap()
}

/// `n[01-03,7],m1` written out.
pub fn expand(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let end = rest.find([',', '[']).unwrap_or(rest.len());
        let stem = &rest[..end];
        if rest[end..].starts_with('[') {
            let close = rest.find(']').unwrap();
            for run in rest[end + 1..close].split(',') {
                let (a, b) = run.split_once('-').unwrap_or((run, run));
                let width = a.len();
                let (a, b): (u32, u32) = (a.parse().unwrap(), b.parse().unwrap());
                names.extend((a..=b).map(|n| format!("{stem}{n:0width$}")));
            }
            rest = &rest[close + 1..];
        } else {
            names.push(stem.to_string());
            rest = &rest[end..];
        }
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    names
}

#[test]
fn host_lists_are_written_out() {
    assert_eq!(
        expand("n[01-03,7],m1,x"),
        ["n01", "n02", "n03", "n7", "m1", "x"]
    );
}
