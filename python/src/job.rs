//! Long work beside Python: without the interpreter's lock, with Ctrl-C, with progress, and with every panic caught.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nodeorder_base::observer::{stop_on_flag, unwind_if_stopped};
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::error::{Failure, of_panic};

/// Interval between checks for signals, and between updates of progress, while work goes on.
const POLL: Duration = Duration::from_millis(50);
/// Bytes of stack of a thread, as the command's main thread has.
const STACK: usize = 8 << 20;

/// Threads to use; 0 for all cores.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// A pool that no work uses. A process that was forked has none of its parent's threads, and makes a pool of its own.
static IDLE: Mutex<Option<Pool>> = Mutex::new(None);

/// Threads for one call at a time.
struct Pool {
    process: u32,
    wanted: usize,
    threads: ThreadPool,
    /// Stops the work on these threads; they are not used again then.
    stop: Arc<AtomicBool>,
}

/// Sets the number of threads of all work from here on; 0 for all cores. Results do not depend on it.
#[pyfunction]
pub fn set_threads(count: usize) {
    THREADS.store(count, Ordering::SeqCst);
}

impl Pool {
    /// Takes the idle pool, or makes a new one.
    fn take() -> Result<Pool, Failure> {
        let (process, wanted) = (std::process::id(), THREADS.load(Ordering::SeqCst));
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(pool) = idle {
            if (pool.process, pool.wanted) == (process, wanted) {
                return Ok(pool);
            }
            if pool.process != process {
                // Its threads exist in the parent only: dropping it here would end threads that are not there.
                std::mem::forget(pool);
            }
        }
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let builder = rayon::ThreadPoolBuilder::new()
            .num_threads(wanted)
            .stack_size(STACK);
        let builder = builder.start_handler(move |_| stop_on_flag(Some(flag.clone())));
        let threads = builder
            .build()
            .map_err(|e| Failure::Text(format!("`threads`: {e}")))?;
        Ok(Pool {
            process,
            wanted,
            threads,
            stop,
        })
    }

    /// Keeps the pool for the next call.
    fn give_back(self) {
        *IDLE.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }
}

/// Messages between the work and the thread of Python: progress one way, a request to stop the other.
pub struct Job {
    stop: Arc<AtomicBool>,
    done: AtomicU64,
    total: AtomicU64,
}

impl Job {
    /// Unwinds the work after Ctrl-C. Nothing outside is left half written: work changes only what it owns.
    pub fn check(&self) {
        unwind_if_stopped();
    }

    /// Sets the total amount of work, in the unit of its progress.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Sets the amount done; unwinds after Ctrl-C.
    pub fn set(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.check();
    }

    /// Adds to the amount done; unwinds after Ctrl-C.
    pub fn add(&self, more: u64) {
        self.done.fetch_add(more, Ordering::Relaxed);
        self.check();
    }
}

/// A search's clock. Ctrl-C stops the search by the flag of its threads.
pub struct Clock {
    began: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Clock {
            began: Instant::now(),
        }
    }
}

impl nodeorder_order::ordering::Observer for Clock {
    fn elapsed_seconds(&self) -> Option<f64> {
        Some(self.began.elapsed().as_secs_f64())
    }
}

/// Runs `work` on the pool's threads; other Python threads run meanwhile. `progress` is called at intervals with the
/// amount done and the total. Ctrl-C raises its exception here, and the work ends: at the next step of the library, or
/// where it checks its [`Job`].
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Job) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let pool = py.detach(Pool::take)?;
    let (done, total) = (AtomicU64::new(0), AtomicU64::new(0));
    let job = Arc::new(Job {
        stop: pool.stop.clone(),
        done,
        total,
    });
    let (send, receive) = mpsc::channel();
    let receive = Mutex::new(receive);
    let theirs = job.clone();
    pool.threads.spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&theirs)));
        let _ = send.send(outcome);
    });
    let wait = || {
        receive
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv_timeout(POLL)
    };
    loop {
        match py.detach(wait) {
            Ok(Ok(outcome)) => {
                pool.give_back();
                return outcome.map_err(PyErr::from);
            }
            Ok(Err(payload)) => return Err(of_panic(&*payload)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(of_panic(&"the work was lost")),
        }
        let (done, total) = (
            job.done.load(Ordering::Relaxed),
            job.total.load(Ordering::Relaxed),
        );
        let shown = progress.map_or(Ok(()), |show| show.call1((done, total)).map(drop));
        if let Err(error) = py.check_signals().and(shown) {
            job.stop.store(true, Ordering::SeqCst);
            drop(pool);
            return Err(error);
        }
    }
}

/// Panics, for the test that a panic is an exception.
#[pyfunction]
pub fn panic(py: Python<'_>) -> PyResult<()> {
    run(py, None, |_| panic!("asked for"))
}
