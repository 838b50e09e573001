//! What documents say is held against the tree: citations, the arrow rule between crates, numbers. What files import of each
//! other is held against the rule of circles, and in the renderer against its list of rooms. Crates that can be published are held against what their
//! users need.

mod circles;
mod citations;
mod imports;
mod layers;
mod manifests;
mod numbers;
mod rooms;
mod rows;
mod tokens;
