//! The jobs of a placement log that live.

use hashbrown::HashTable;

/// Dense key of a live job. It is used again once the job was freed, so arrays indexed by it stay as small as
/// the number of jobs that live at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobKey(pub u32);

impl JobKey {
    /// Returns the key as an array index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The jobs that live, by name and by key.
///
/// Names stay with their keys, so a job that takes over a key takes over its memory, too, and a long log allocates
/// nothing.
#[derive(Debug, Default)]
pub struct JobTable {
    /// Jobs by key, those of keys that are free as they were.
    pub jobs: Vec<LiveJob>,
    /// Keys that no live job has.
    free: Vec<u32>,
    /// The keys of live jobs, by name.
    pub table: HashTable<u32>,
    /// Estimate of the memory of the whole table; it never shrinks.
    pub bytes: usize,
}

/// Bytes that a job takes beside its name: lists grow by doubling.
const JOB_BYTES: usize = 2 * (size_of::<LiveJob>() + 2 * size_of::<u32>() + 2);

#[derive(Debug, Default)]
pub struct LiveJob {
    name: String,
    /// Line of the log that placed the job, from 1.
    line: usize,
}

impl JobTable {
    /// Creates the key of a new job; fails with the line of the live one that has its name already.
    pub fn add_job(&mut self, name: &str, line: usize) -> Result<JobKey, usize> {
        let of_name = hash_name(name.as_bytes());
        if let Some(key) = self
            .table
            .find(of_name, |key| self.jobs[*key as usize].name == name)
        {
            return Err(self.jobs[*key as usize].line);
        }
        let key = self.free.pop().unwrap_or_else(|| {
            self.jobs.push(LiveJob::default());
            self.bytes += JOB_BYTES;
            self.jobs.len() as u32 - 1
        });
        let job = &mut self.jobs[key as usize];
        let held = job.name.capacity();
        job.name.clear();
        job.name.push_str(name);
        self.bytes += job.name.capacity() - held;
        job.line = line;
        let jobs = &self.jobs;
        self.table.insert_unique(of_name, key, |key| {
            hash_name(jobs[*key as usize].name.as_bytes())
        });
        Ok(JobKey(key))
    }

    /// Ends the job of this name, if it lives.
    pub fn end_job(&mut self, name: &str) -> Option<JobKey> {
        let jobs = &self.jobs;
        let found = self.table.find_entry(hash_name(name.as_bytes()), |key| {
            jobs[*key as usize].name == name
        });
        let (key, _) = found.ok()?.remove();
        self.free.push(key);
        Some(JobKey(key))
    }
}

/// Hashes eight bytes at a time, each step a multiplication that spreads them; the upper half comes down at the end.
fn hash_name(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15; // 2⁶⁴ / golden ratio
    let mut state = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state.rotate_left(26) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    state ^ (state >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// The table against a map of the standard library, with names that often return.
        #[test]
        fn keys_are_those_of_a_plain_map(steps in prop::collection::vec((0u32..60, any::<bool>()), 0..400)) {
            let mut live = JobTable::default();
            let mut plain: BTreeMap<String, (JobKey, usize)> = BTreeMap::new();
            let mut most = 0;
            for (line, (job, placing)) in steps.into_iter().enumerate() {
                let name = "j".repeat(job as usize % 11) + &job.to_string();
                if placing {
                    match (live.add_job(&name, line), plain.get(&name)) {
                        (Err(since), Some((_, placed))) => prop_assert_eq!(since, *placed),
                        (Ok(key), None) => {
                            prop_assert!(plain.values().all(|(k, _)| *k != key));
                            plain.insert(name, (key, line));
                        }
                        other => prop_assert!(false, "{:?}", other),
                    }
                } else {
                    prop_assert_eq!(live.end_job(&name), plain.remove(&name).map(|(key, _)| key));
                }
                most = most.max(plain.len());
                prop_assert_eq!(live.table.len(), plain.len());
                prop_assert_eq!(live.jobs.len(), most);
            }
        }
    }
}
