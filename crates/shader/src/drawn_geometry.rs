//! Geometry shaders that are drawn where there is no such stage: see [`draw_geometry`](afterimage_passes::feedback::draw_geometry).

use crate::lowered_feedback::with_defaults;
use crate::shader::{CacheKey, CompileError, Profile, Shader};
use crate::{RuntimeInfo, msl};
use afterimage_passes::feedback::table::Provoking;
use afterimage_passes::feedback::{Drawn, Emits, Made, Options, draw_geometry, draw_made};
use xxhash_rust::xxh3::Xxh3;

/// What stands for this use of a geometry shader in its key.
const DRAWN: &[u8] = b"drawn geometry";
/// And of a vertex shader whose primitives are made.
const MADE: &[u8] = b"made geometry";

/// A geometry shader that a kernel runs, whose vertices a vertex function reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnGeometry {
    /// The kernel.
    pub kernel: msl::Artifact,
    /// The vertex function.
    pub vertex: msl::Artifact,
    /// How much the kernel stores.
    pub emits: Emits,
}

/// How a geometry shader is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The pipeline's convention.
    pub provoking: Provoking,
    /// Whether what comes out is drawn as points, whatever it is.
    pub points: bool,
}

impl Shader {
    /// The key under which [`Shader::drawn_geometry_msl`] is kept.
    pub fn drawn_geometry_key(
        &self,
        vertex: &Shader,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
        drawing: Drawing,
    ) -> CacheKey {
        let mut hash = Xxh3::new();
        hash.update(DRAWN);
        let key = self.geometry_feedback_key(vertex, profile, runtime, options, drawing.provoking);
        hash.update(&key.0.to_le_bytes());
        hash.update(&[drawing.points.into()]);
        CacheKey(hash.digest128())
    }

    /// Compiles a geometry shader, and the vertex shader in front of it, to a kernel and a vertex function in Metal's language.
    ///
    /// # Errors
    /// What cannot be translated, and what [`draw_geometry`] says of the shaders.
    pub fn drawn_geometry_msl(
        &self,
        vertex: &Shader,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
        drawing: Drawing,
    ) -> Result<DrawnGeometry, CompileError> {
        let (geometry, vertex) = (self.module(profile, runtime)?, vertex.module(profile, runtime)?);
        let attributes = with_defaults(&vertex, options).attributes;
        written(draw_geometry(&vertex, &geometry, &attributes, drawing.provoking)?, profile, drawing)
    }

    /// The key under which [`Shader::made_geometry_msl`] is kept.
    pub fn made_geometry_key(
        &self,
        made: Made,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
        drawing: Drawing,
    ) -> CacheKey {
        let mut hash = Xxh3::new();
        hash.update(MADE);
        hash.update(&self.feedback_key(profile, runtime, options).0.to_le_bytes());
        hash.update(&[made as u8, drawing.provoking as u8, drawing.points.into()]);
        CacheKey(hash.digest128())
    }

    /// As [`Shader::drawn_geometry_msl`], of a vertex shader alone, whose primitives are made of triangles.
    ///
    /// # Errors
    /// What cannot be translated, and what [`draw_made`] says of the shader.
    pub fn made_geometry_msl(
        &self,
        made: Made,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &Options,
        drawing: Drawing,
    ) -> Result<DrawnGeometry, CompileError> {
        let vertex = self.module(profile, runtime)?;
        let attributes = with_defaults(&vertex, options).attributes;
        written(draw_made(&vertex, made, &attributes, drawing.provoking)?, profile, drawing)
    }
}

/// The kernel and the vertex function in Metal's language.
fn written(drawn: Drawn, profile: &Profile, drawing: Drawing) -> Result<DrawnGeometry, CompileError> {
    let Drawn { mut kernel, vertex: mut reader, emits } = drawn;
    if drawing.points {
        afterimage_passes::point_size::run(&mut reader);
    }
    for module in [&mut kernel, &mut reader] {
        afterimage_passes::optimize(module, &afterimage_passes::Options { float_rules: profile.float_rules });
    }
    let options = msl::Options::default();
    Ok(DrawnGeometry { kernel: msl::emit(&kernel, &options)?, vertex: msl::emit(&reader, &options)?, emits })
}
