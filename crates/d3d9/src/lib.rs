//! Direct3D 9 guest: device state, resources and translation to the stream.
#![forbid(unsafe_code)]
