//! What each packet does.

mod bindings;
mod buffers;
mod clear;
mod compute;
mod copy;
mod draw;
mod executor;
mod feedback;
mod frames;
mod geometry;
mod indices;
mod objects;
mod present;
mod query;
mod readback;
mod samples;
mod state;
mod targets;
mod upload;
mod variants;
mod vertices;
