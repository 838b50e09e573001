//! What the renderer draws, computes and answers, a file for each part of it. One program, since linking many takes longer than
//! running them; what ends processes, counts memory or asks for a process of its own is a program beside this one.

mod ahead;
mod blocks;
mod clear;
#[path = "../common/mod.rs"]
mod common;
mod compute;
mod depth_texels;
mod draw;
mod feedback;
mod feedback_inputs;
mod float_rules;
mod formats;
mod geometry;
mod guest_code;
mod keyframes;
mod linked;
mod merged;
mod null_images;
mod overlay;
mod pixel_interface;
mod pixel_operations;
mod raster;
mod replay;
mod same;
mod samplers;
mod stages;
mod state;
mod step;
mod tables;
mod texture;
