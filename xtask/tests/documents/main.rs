//! What documents say is held against the tree: citations, the arrow rule between crates, numbers. What files import of each
//! other is held against the rule of circles, and in the renderer against its list of rooms.

mod circles;
mod citations;
mod imports;
mod layers;
mod numbers;
mod rooms;
mod rows;
mod tokens;
