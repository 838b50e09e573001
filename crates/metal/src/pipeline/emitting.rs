//! Geometry shaders that are drawn: the kernels that run them, and the vertex functions that read what they emit, in the forms that
//! [`feedback`] makes of them, for a vertex layout.

use crate::pipeline::shaders::Library;
use afterimage_metal_calls::Device;
use afterimage_shader::feedback::{Emits, Made, Options};
use afterimage_shader::{Drawing, RuntimeInfo, Shader, Stage};
use afterimage_stream::ObjectId;

/// A kernel that runs a geometry shader, and the vertex function behind it.
#[derive(Debug)]
pub(crate) struct Emitting<D: Device> {
    /// Of the kernel's variant.
    pub(crate) number: u32,
    pub(crate) kernel: D::ComputePipeline,
    /// Of the vertex function's.
    pub(crate) reader: u32,
    /// How much it stores.
    pub(crate) emits: Emits,
}

/// Numbers of the kernel and of the vertex function, and how much is stored between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emitted {
    numbers: [u32; 2],
    emits: Emits,
}

/// What makes primitives of vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Emitter<'a> {
    /// A guest's geometry shader.
    Guest(&'a Shader),
    /// One that is made for primitives which Metal lacks.
    Made(Made),
}

impl<D: Device> Library<D> {
    /// The kernel and the vertex function of a geometry shader with a vertex shader in front of it; none where they cannot be made.
    pub(crate) fn emitting(
        &mut self,
        device: &D,
        vertex: &Shader,
        (id, emitter): (ObjectId, Emitter<'_>),
        runtime: &RuntimeInfo,
        options: &Options,
        drawing: Drawing,
    ) -> Option<([u32; 2], Emits)> {
        let profile = &self.profile;
        let key = match emitter {
            Emitter::Guest(geometry) => geometry.drawn_geometry_key(vertex, profile, runtime, options, drawing),
            Emitter::Made(made) => vertex.made_geometry_key(made, profile, runtime, options, drawing),
        };
        if let Some(known) = self.emitted.get(&key) {
            return known.map(|known| (known.numbers, known.emits));
        }
        let made = match emitter {
            Emitter::Guest(geometry) => geometry.drawn_geometry_msl(vertex, profile, runtime, options, drawing),
            Emitter::Made(made) => vertex.made_geometry_msl(made, profile, runtime, options, drawing),
        };
        let made = made.inspect_err(|error| {
            tracing::error!("{id} cannot be compiled: {error}; its draws are skipped");
            self.failures += 1;
        });
        let emitted = made.ok().and_then(|made| {
            let hash = match emitter {
                Emitter::Guest(geometry) => geometry.hash(),
                Emitter::Made(_) => vertex.hash(),
            };
            let of = (id, hash);
            let kernel = self.add(device, of, made.kernel, Stage::Vertex)?;
            let reader = self.add(device, of, made.vertex, Stage::Vertex)?;
            Some(Emitted { numbers: [kernel, reader], emits: made.emits })
        });
        self.emitted.insert(key, emitted);
        emitted.map(|emitted| (emitted.numbers, emitted.emits))
    }
}
