//! Things that several cells share: made when first asked for, by one thread, and dropped after the last use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use crate::error::Error;

/// What came of making something.
pub(super) enum Made<V> {
    /// It is there.
    Ready(Arc<V>),
    /// It does not suit: what the row says instead of figures.
    Unsuited(String),
    /// It failed; the first to come takes the error, and the run ends.
    Failed(Mutex<Option<Error>>),
}

/// Why a cell has no figures.
pub(super) enum Fault {
    /// Something does not suit something else.
    Unsuited(String),
    /// The run ends; none where another cell has the error.
    Failed(Option<Error>),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::Unsuited { .. } => Fault::Unsuited(error.to_string()),
            other => Fault::Failed(Some(other)),
        }
    }
}

struct Slot<V> {
    made: Arc<OnceLock<Made<V>>>,
    uses: usize,
}

/// Shared things by key.
pub(super) struct Pool<K, V>(Mutex<BTreeMap<K, Slot<V>>>);

impl<K: Ord + Copy, V> Pool<K, V> {
    pub(super) fn new() -> Self {
        Pool(Mutex::new(BTreeMap::new()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, Slot<V>>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Says that one more cell will use `key`.
    pub(super) fn expect(&self, key: K) {
        let slot = || Slot { made: Arc::new(OnceLock::new()), uses: 0 };
        self.lock().entry(key).or_insert_with(slot).uses += 1;
    }

    /// The thing of `key`, made now if nobody has yet. Threads that come meanwhile wait: `make` may use
    /// rayon, so this must not be called on its threads.
    pub(super) fn get(
        &self,
        key: K,
        make: impl FnOnce() -> Result<V, Fault>,
    ) -> Result<Arc<V>, Fault> {
        let made = {
            let mut slots = self.lock();
            let slot = || Slot { made: Arc::new(OnceLock::new()), uses: 0 };
            Arc::clone(&slots.entry(key).or_insert_with(slot).made)
        };
        let outcome = made.get_or_init(|| match make() {
            Ok(value) => Made::Ready(Arc::new(value)),
            Err(Fault::Unsuited(why)) => Made::Unsuited(why),
            Err(Fault::Failed(error)) => Made::Failed(Mutex::new(error)),
        });
        match outcome {
            Made::Ready(value) => Ok(Arc::clone(value)),
            Made::Unsuited(why) => Err(Fault::Unsuited(why.clone())),
            Made::Failed(error) => {
                Err(Fault::Failed(error.lock().unwrap_or_else(|e| e.into_inner()).take()))
            }
        }
    }

    /// Says that one of the expected uses is over.
    pub(super) fn release(&self, key: K) {
        let mut slots = self.lock();
        if let Some(slot) = slots.get_mut(&key) {
            slot.uses = slot.uses.saturating_sub(1);
            if slot.uses == 0 {
                slots.remove(&key);
            }
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.lock().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn everything_is_made_once_and_dropped_after_the_last_use() {
        let pool: Pool<u32, u32> = Pool::new();
        let made = AtomicUsize::new(0);
        (0..60).for_each(|i| pool.expect(i % 3));
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (pool, made) = (&pool, &made);
                scope.spawn(move || {
                    for i in thread * 10..thread * 10 + 10 {
                        let value = pool.get(i % 3, || {
                            made.fetch_add(1, Ordering::SeqCst);
                            Ok(i % 3 + 7)
                        });
                        assert_eq!(value.map(|v| *v).ok(), Some(i % 3 + 7));
                        pool.release(i % 3);
                    }
                });
            }
        });
        assert_eq!((made.load(Ordering::SeqCst), pool.len()), (3, 0));
    }

    #[test]
    fn an_error_is_told_once() {
        let pool: Pool<u32, u32> = Pool::new();
        let make = || {
            let cause = std::io::Error::other("gone");
            Err(Error::io(std::path::Path::new("x"), "reading", cause).into())
        };
        assert!(matches!(pool.get(1, make), Err(Fault::Failed(Some(_)))));
        assert!(matches!(pool.get(1, make), Err(Fault::Failed(None))));
    }
}
