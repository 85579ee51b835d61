//! The table of guests.

use super::entry::Pattern;
use super::{
    all_gather, all_reduce, all_to_all, butterfly, chakra, goal, npb, parallel, random, ring,
    stencil, transpose,
};
use nodeorder_base::registry::Registry;

/// Every pattern of traffic that has a name.
pub static GUESTS: Registry<Pattern> = Registry::new(
    "guest",
    "",
    &[
        all_to_all::GUEST,
        all_reduce::GUEST,
        all_gather::GUEST,
        parallel::GUEST,
        ring::GUEST,
        stencil::GUEST,
        butterfly::GUEST,
        transpose::GUEST,
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
