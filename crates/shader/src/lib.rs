//! Facade over shader front ends and back ends: compile, cache key, disk cache.
#![forbid(unsafe_code)]
