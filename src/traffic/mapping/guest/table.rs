//! The table of guests.

use super::entry::Pattern;
use super::{chakra, goal, npb, numbered, one_collective, parallel, random, stencil};
use nodeorder_base::Registry;

/// Every pattern of traffic that has a name.
pub static GUESTS: Registry<Pattern> = Registry::new(
    "guest",
    "",
    &[
        numbered::ALL_TO_ALL,
        one_collective::ALL_REDUCE,
        one_collective::ALL_GATHER,
        one_collective::REDUCE_SCATTER,
        one_collective::BROADCAST,
        parallel::GUEST,
        numbered::RING,
        stencil::GUEST,
        numbered::BUTTERFLY,
        numbered::TRANSPOSE,
        random::GUEST,
        npb::BT,
        npb::CG,
        npb::FT,
        npb::IS,
        npb::LU,
        npb::MG,
        npb::SP,
        goal::GUEST,
        chakra::GUEST,
    ],
);
