//! Machines of different sizes and prices, side by side.
