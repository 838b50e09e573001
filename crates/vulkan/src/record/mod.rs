//! Captures that are written while a program runs.

pub(crate) mod captures;
