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
mod hud;
mod indices;
mod look;
mod objects;
mod over;
mod present;
mod query;
mod readback;
mod record;
mod samples;
mod state;
mod stats;
mod targets;
mod upload;
mod variants;
mod vertices;
