//! Tests of what cannot be seen from outside.

mod blocks;
mod raster;
mod texel;
mod text;
