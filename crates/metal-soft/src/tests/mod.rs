//! Tests of what cannot be seen from outside.

mod raster;
mod texel;
mod text;
