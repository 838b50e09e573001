//! State tables with representatives, dirty groups and tracking.
#![forbid(unsafe_code)]
