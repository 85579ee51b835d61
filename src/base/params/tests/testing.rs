//! Values that no option takes, for tests that each option is read.

use super::{Given, Params, Value};

impl Params {
    /// Gives `key` a value that every getter refuses.
    #[doc(hidden)]
    pub fn spoil_value(&mut self, key: &str) {
        let location = self.location.clone();
        // No getter takes a list within a list.
        let list = Value::List(vec![(Value::List(Vec::new()), location.clone())]);
        self.given.retain(|e| e.key != key);
        self.given.push(Given {
            key: key.to_string(),
            key_location: location.clone(),
            value: list,
            location,
        });
    }
}
