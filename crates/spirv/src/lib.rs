//! SPIR-V back end of the IR.
#![forbid(unsafe_code)]
