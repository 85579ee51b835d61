//! Groups of ranks of a training job, by the text that describes it.

use super::RankGroups;
use super::parallel::{GUEST, Training};
use super::table::GUESTS;
use nodeorder_base::Result;

/// Lists the groups of the training that `text` describes; none if it is another guest.
///
/// # Errors
/// Bad options.
///
/// # Examples
/// ```
/// use nodeorder_traffic::mapping::guest::list_training_groups;
/// let all = list_training_groups("parallel:tp=2,dp=2")?.unwrap();
/// assert_eq!((all[2].kind, &all[2].groups[0][..]), ("dp-cp", &[0, 2][..]));
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub fn list_training_groups(text: &str) -> Result<Option<Vec<RankGroups>>> {
    match GUESTS.get(text).filter(|entry| entry.name == GUEST.name) {
        Some(entry) => {
            let params = GUESTS.read_options(entry, text, 1)?;
            Ok(Some(Training::parse(&params)?.list_groups()))
        }
        None => Ok(None),
    }
}
