//! The table of capabilities.
