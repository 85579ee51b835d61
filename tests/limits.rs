//! What is refused before the work begins, and what ends in time.
