//! Two descriptions of one machine, compared link by link.
