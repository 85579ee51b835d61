//! Plans are checked whole before the first cell.
