//! The calls of the API, in files by subject.

mod api;

pub use api::{Device, QueryData, Window};
