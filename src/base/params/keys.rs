//! Which keys a text may give.

use super::{Given, Params};
use crate::error::{Error, Result};

impl Params {
    /// Refuses keys other than `known`; suggests the nearest of these.
    ///
    /// # Errors
    /// The first such key.
    pub fn check_keys<'k>(&self, known: impl IntoIterator<Item = &'k str>) -> Result<()> {
        let mut known: Vec<&str> = known.into_iter().collect();
        // Entries share options, and declare them in any order: messages list each once, in one order.
        known.sort_unstable();
        known.dedup();
        match self.given.iter().find(|e| !known.contains(&e.key.as_str())) {
            None => Ok(()),
            Some(Given {
                key, key_location, ..
            }) => {
                let what = format!("key for {}", self.kind);
                Err(Error::unknown(key_location.clone(), &what, key, known))
            }
        }
    }

    /// Refuses the declared keys `unread`, which mean nothing beside the other values.
    ///
    /// # Errors
    /// One of them is given.
    pub fn refuse_unread(&self, unread: &[&str]) -> Result<()> {
        self.check_keys(self.known_keys().filter(|key| !unread.contains(key)))
    }

    /// Lists the keys of the declared options, and `kind` where a file names it.
    fn known_keys(&self) -> impl Iterator<Item = &'static str> {
        let declared = self.declared.iter().flatten().map(|option| option.key);
        declared.chain(self.has_key("kind").then_some("kind"))
    }
}
