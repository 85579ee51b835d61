//! Long work beside Python: without the interpreter's lock, with Ctrl-C, with progress, and with every panic caught.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::error::{Failure, of_panic};

/// How often Python is asked for signals and shown progress while work goes on.
const POLL: Duration = Duration::from_millis(50);
/// Bytes of stack of a thread, as the command's main thread has.
const STACK: usize = 8 << 20;

/// Threads to use; 0 for all cores.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The pool, the process that it belongs to and its number of threads. A process that was forked has none of its
/// parent's threads, and makes a pool of its own.
static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);

/// Threads of all work from here on; 0 for all cores. Results do not depend on it.
#[pyfunction]
pub fn set_threads(count: usize) {
    THREADS.store(count, Ordering::SeqCst);
}

fn pool() -> Result<Arc<ThreadPool>, Failure> {
    let (process, wanted) = (std::process::id(), THREADS.load(Ordering::SeqCst));
    let mut current = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, threads, pool)) = &*current
        && (*owner, *threads) == (process, wanted)
    {
        return Ok(pool.clone());
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(wanted).stack_size(STACK);
    let made = builder.build().map_err(|e| Failure::Text(format!("`threads`: {e}")))?;
    let made = Arc::new(made);
    if let Some((owner, _, old)) = current.replace((process, wanted, made.clone()))
        && owner != process
    {
        // Its threads are the parent's: there is nobody to end them here.
        std::mem::forget(old);
    }
    Ok(made)
}

/// What the work and Python say to each other.
#[derive(Default)]
pub struct Job {
    stop: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

/// What unwinds the work after Ctrl-C.
struct Stopped;

impl Job {
    /// Whether Python wants no result any more.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the work where Python wants no result any more. Nothing is left half done: all that it made is its own.
    pub fn check(&self) {
        if self.stopped() {
            resume_unwind(Box::new(Stopped));
        }
    }

    /// How much there is to do.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// How much is done; ends the work as [`Job::check`].
    pub fn set(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.check();
    }

    /// So much more is done; ends the work as [`Job::check`].
    pub fn add(&self, more: u64) {
        self.done.fetch_add(more, Ordering::Relaxed);
        self.check();
    }
}

/// A search's clock, which Ctrl-C stops.
pub struct Clock<'j> {
    job: &'j Job,
    began: Instant,
}

impl<'j> Clock<'j> {
    pub fn start(job: &'j Job) -> Self {
        Clock { job, began: Instant::now() }
    }
}

impl nodeorder::ordering::Observer for Clock<'_> {
    fn seconds(&self) -> Option<f64> {
        Some(self.began.elapsed().as_secs_f64())
    }

    fn should_stop(&self) -> bool {
        self.job.stopped()
    }
}

/// Does `work` on the pool's threads while other threads of Python run. Every moment `progress` is called with what is
/// done and all there is to do, and Ctrl-C raises its exception here. Work that asks [`Job`] ends then; what does not
/// goes on by itself to its end, and its result is dropped.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Job) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let job = Arc::new(Job::default());
    let (send, receive) = mpsc::channel();
    let receive = Mutex::new(receive);
    let theirs = job.clone();
    py.detach(pool)?.spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&theirs)));
        let _ = send.send(outcome);
    });
    let wait = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(POLL);
    loop {
        match py.detach(wait) {
            Ok(Ok(outcome)) => return outcome.map_err(PyErr::from),
            Ok(Err(payload)) => return Err(of_panic(&*payload)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(of_panic(&"the work was lost")),
        }
        let (done, total) = (job.done.load(Ordering::Relaxed), job.total.load(Ordering::Relaxed));
        let shown = progress.map_or(Ok(()), |show| show.call1((done, total)).map(drop));
        if let Err(error) = py.check_signals().and(shown) {
            job.stop.store(true, Ordering::SeqCst);
            return Err(error);
        }
    }
}

/// Panics, for the test that a panic is an exception.
#[pyfunction]
pub fn panic(py: Python<'_>) -> PyResult<()> {
    run(py, None, |_| panic!("asked for"))
}
