//! `afterimage diff`: of captures that are made here, and of ones of which a few bytes were changed.

mod captures;
mod diff;
mod mutated;
#[path = "../scene/mod.rs"]
mod scene;
