//! What documents say is held against the tree: citations, the arrow rule between crates, numbers.

mod citations;
mod layers;
mod numbers;
