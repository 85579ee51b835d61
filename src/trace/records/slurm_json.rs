//! Numbers and states as Slurm's JSON has them, since 20.11.

use serde::Deserialize;

use super::time::LONGEST;

/// A number, or none where it is null, not set or infinite.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(super) enum Number {
    Plain(f64),
    Told {
        #[serde(default = "true_by_default")]
        set: bool,
        #[serde(default)]
        infinite: bool,
        number: f64,
    },
    Null,
}

fn true_by_default() -> bool {
    true
}

impl Number {
    /// Returns the number as a count of nodes, 0 where it is none.
    pub fn node_count(self) -> u32 {
        let number = self.known_number();
        number.and_then(|n| n.try_into().ok()).unwrap_or(0)
    }

    /// Returns the number if it is whole, above 0, which stands for none, and no longer than times are.
    pub fn known_number(self) -> Option<i64> {
        let number = match self {
            Number::Plain(number) => number,
            Number::Told {
                set: true,
                infinite: false,
                number,
            } => number,
            _ => 0.0,
        };
        // Numbers up to there are exact, be they written 8 or 8.0.
        let whole = number.fract() == 0.0 && (1.0..LONGEST as f64).contains(&number);
        whole.then_some(number as i64)
    }
}

/// One state, or several.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum States {
    One(String),
    Several(Vec<String>),
}

impl States {
    pub fn into_words(self) -> Vec<String> {
        match self {
            States::One(state) => vec![state],
            States::Several(states) => states,
        }
    }
}
