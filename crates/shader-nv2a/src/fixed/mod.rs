//! Fixed-function transform and lighting.
