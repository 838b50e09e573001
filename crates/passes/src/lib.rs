//! Passes over the IR, one file per pass, and the pipeline function.
#![forbid(unsafe_code)]
