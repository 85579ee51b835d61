//! Nodes, switches and the cables between them mean the same in every family.
