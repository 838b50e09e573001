//! The register file.
