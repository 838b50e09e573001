//! The Xbox Direct3D draw API, which writes push buffers.
