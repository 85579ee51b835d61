//! A job of a trace, and how traces are read.

/// How a trace is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Processors of a node, at least 1: a job's nodes are its processors divided by this, rounded up.
    pub procs_per_node: u32,
    /// Whether `procs_per_node` is what the user said, rather than assumed: then there is no hint about it.
    pub processors_stated: bool,
    /// The machine's nodes; without it the header's `MaxProcs` processors, else its `MaxNodes` nodes, else no
    /// limit. Jobs that are larger are left out.
    pub nodes: Option<u32>,
    /// The partitions whose jobs are wanted; empty for all.
    pub partitions: Vec<i32>,
    /// The most bytes that the jobs and the header may take.
    pub memory: u64,
}

impl Default for Options {
    /// Makes options for one processor a node, all jobs and 8 GB.
    fn default() -> Self {
        Options {
            procs_per_node: 1,
            processors_stated: false,
            nodes: None,
            partitions: Vec::new(),
            memory: 8_000_000_000,
        }
    }
}

/// A job of a trace. Times in seconds; `None` where the trace says -1 (or, for requests, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Job number (field 1): no two jobs have the same.
    pub id: i64,
    /// Submit time (2), as the trace has it: seconds since the header's `UnixStartTime`.
    pub submit: i64,
    /// Wait time (3).
    pub wait: Option<i64>,
    /// Run time (4), cut at the requested time; at least 1.
    pub run: i64,
    /// Processors requested (8), else allocated (5); at least 1.
    pub processors: u32,
    /// Nodes that these take, rounded up; those of field 21 where it has them.
    pub nodes: u32,
    /// Processors allocated (5).
    pub allocated: Option<u32>,
    /// Processors requested (8).
    pub requested: Option<u32>,
    /// Time requested (9), else the run time; at least the run time.
    pub requested_time: i64,
    /// Status (11): 1 completed, 0 failed, 5 cancelled, 2 to 4 a part of a job, -1 unknown.
    pub status: i32,
    /// User number (12), or -1.
    pub user: i32,
    /// Group number (13), or -1.
    pub group: i32,
    /// Executable number (14), or -1.
    pub executable: i32,
    /// Queue number (15), or -1.
    pub queue: i32,
    /// Partition number (16), or -1.
    pub partition: i32,
    /// The job number that must end before this one is submitted (17), or -1.
    pub preceding: i64,
    /// Seconds from that end to the submit (18), or -1.
    pub think_time: i64,
    /// Nodes of its segments, in records of Slurm; 0 for none.
    pub segment: u32,
    /// Line that the job stands on, from 1.
    pub line: usize,
}

impl Job {
    /// Computes when the job started on the traced machine: submit + wait, an unknown wait counting as none.
    pub fn start_time(&self) -> i64 {
        self.submit + self.wait.unwrap_or(0)
    }

    /// Computes when the job ended there: start + run.
    pub fn end_time(&self) -> i64 {
        self.start_time() + self.run
    }
}
