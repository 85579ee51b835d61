//! Job files of engines that run the shards of a sweep and merge them: Slurm, HyperQueue, Snakemake and others.
//!
//! A shard depends on its plan and number alone, so an engine's queue balances them, and one that is lost is run again
//! by itself. Most files are templates in `engines/`, whose fields stand between `@`.

use nodeorder_base::error::quote_word;
use nodeorder_base::{Error, Result, SourceLocation};

/// An engine that runs shards.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Name, which `--emit` takes.
    pub name: &'static str,
    /// Name of its file.
    pub file: &'static str,
    /// Command that runs the file, before its path.
    pub command: &'static str,
    /// Words of the file that its user has to replace.
    pub placeholders: &'static [&'static str],
    template: &'static str,
}

/// The engines.
pub const ENGINES: [Engine; 7] = [
    Engine::new(
        "slurm",
        "sweep.sbatch",
        "bash",
        include_str!("engines/slurm.sh"),
    ),
    // No template: its tasks are written one by one.
    Engine::new(
        "hyperqueue",
        "sweep-hyperqueue.toml",
        "hq job submit-file",
        "",
    ),
    Engine::new(
        "snakemake",
        "Snakefile",
        "snakemake --cores all -s",
        include_str!("engines/snakemake.py"),
    ),
    Engine::new(
        "flux",
        "sweep-flux.sh",
        "bash",
        include_str!("engines/flux.sh"),
    ),
    Engine::new("pbs", "sweep.pbs", "bash", include_str!("engines/pbs.sh")),
    Engine {
        // What only those who run the cluster know.
        placeholders: &["IMAGE", "CLAIM"],
        ..Engine::new(
            "kubernetes",
            "sweep-kubernetes.yaml",
            "kubectl apply -f",
            include_str!("engines/kubernetes.yaml"),
        )
    },
    Engine::new(
        "parallel",
        "sweep-parallel.sh",
        "bash",
        include_str!("engines/parallel.sh"),
    ),
];

/// A sweep that an engine is to run.
#[derive(Clone, Debug)]
pub struct EngineJob<'a> {
    /// Name of the plan.
    pub name: &'a str,
    /// Words of the command that runs the plan, without its shard.
    pub run: &'a [String],
    /// Words of the command that merges the shards.
    pub merge: &'a [String],
    /// Folder of the results.
    pub out: &'a str,
    /// Number of shards.
    pub tasks: u32,
}

impl Engine {
    const fn new(
        name: &'static str,
        file: &'static str,
        command: &'static str,
        template: &'static str,
    ) -> Self {
        Engine {
            name,
            file,
            command,
            placeholders: &[],
            template,
        }
    }

    /// Finds the engine of this name.
    ///
    /// # Errors
    /// An unknown one.
    pub fn find(name: &str) -> Result<&'static Engine> {
        let found = ENGINES.iter().find(|engine| engine.name == name);
        found.ok_or_else(|| {
            let location = SourceLocation::option(format!("--emit {name}"));
            Error::unknown(
                location,
                "engine",
                name,
                ENGINES.iter().map(|engine| engine.name),
            )
        })
    }

    /// Writes the job file of a sweep: all shards, and the merge that waits for them.
    pub fn write_job(&self, job: &EngineJob<'_>) -> String {
        let n = job.tasks;
        let name = job_name(job.name);
        if self.template.is_empty() {
            return write_hyperqueue(job, &name);
        }
        let mut run = quote_words(job.run);
        let mut merge = quote_words(job.merge);
        let mut out = job.out.to_string();
        if self.name == "snakemake" {
            // Commands and paths in which braces are fields, as texts of Python, which JSON's are.
            let shard = double_braces(&run) + &format!(" --shard {{wildcards.i}}/{n}");
            run = serde_json::Value::from(shard).to_string();
            merge = serde_json::Value::from(double_braces(&merge)).to_string();
            out = serde_json::Value::from(double_braces(&out)).to_string();
        }
        let fields = [
            ("@name@", name),
            ("@n@", n.to_string()),
            ("@last@", (n - 1).to_string()),
            // Parallel hands its words to a shell of its own.
            ("@quoted@", quote_word(&run).into_owned()),
            ("@merge@", merge),
            ("@out@", out),
            ("@run@", run),
        ];
        // In this order: a path is put in last, whatever it holds.
        let mut text = self.template.to_string();
        for (field, value) in fields {
            text = text.replace(field, &value);
        }
        text
    }
}

/// Writes the job file of HyperQueue: a task for each shard, and one that depends on them.
///
/// HyperQueue runs the tasks of a lost worker again, but no task whose process failed: so a shell runs a shard that a
/// signal ends, three times at most.
fn write_hyperqueue(job: &EngineJob<'_>, name: &str) -> String {
    let run = quote_words(job.run);
    // Numbers of tasks are those of shards; the merge has the next one.
    let mut text = format!("name = \"{name}\"\n");
    for i in 0..job.tasks {
        let shard = format!("{run} --shard {i}/{}", job.tasks);
        // Beyond 128 a shell gives the number of the signal.
        let again =
            format!("for i in 1 2 3; do {shard}; s=$?; [ $s -gt 128 ] || break; done; exit $s");
        let words = serde_json::Value::from(["sh", "-c", &again].to_vec());
        text += &format!("\n[[task]]\nid = {i}\ncommand = {words}\n");
    }
    let words = serde_json::Value::from(job.merge.to_vec());
    let all: Vec<u32> = (0..job.tasks).collect();
    text + &format!(
        "\n[[task]]\nid = {}\ncommand = {words}\ndeps = {all:?}\n",
        job.tasks
    )
}

/// Makes a name that all engines take: lower-case letters, digits and `-`.
fn job_name(name: &str) -> String {
    // Kubernetes takes names of hosts alone, and PBS no long ones.
    let name = name
        .to_lowercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let short: String = name.trim_matches('-').chars().take(40).collect();
    // Where it was cut a dash may be last, which Kubernetes refuses.
    match short.trim_end_matches('-') {
        "" => "sweep".into(),
        name => format!("sweep-{name}"),
    }
}

/// Joins words to a shell command.
fn quote_words(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| quote_word(word)).collect();
    words.join(" ")
}

fn double_braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}
