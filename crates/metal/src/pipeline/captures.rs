//! Kernels that capture vertices: a vertex shader, or a geometry shader with the vertex shader before it, in the forms that
//! [`feedback`] makes of them, for a vertex layout.

use crate::pipeline::shaders::{Library, Variant};
use afterimage_metal_calls::Device;
use afterimage_shader::feedback::table::Provoking;
use afterimage_shader::feedback::{FeedbackError, Options};
use afterimage_shader::{CompileError, RuntimeInfo, Shader, Stage};
use afterimage_stream::{FEEDBACK_BUFFERS, ObjectId};

/// A kernel that captures.
#[derive(Debug)]
pub(crate) struct Captured<D: Device> {
    /// Of the variant.
    pub(crate) number: u32,
    pub(crate) kernel: D::ComputePipeline,
    /// Bytes of a captured vertex in each buffer; 0 for those that are not captured into.
    pub(crate) strides: [u32; FEEDBACK_BUFFERS],
    /// Whether it runs a geometry shader.
    pub(crate) geometry: bool,
}

/// The shaders whose outputs are captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stages<'a> {
    pub(crate) vertex: &'a Shader,
    /// The geometry shader, and in which order its strips record vertices.
    pub(crate) geometry: Option<(&'a Shader, Provoking)>,
    /// The one that captures, for messages.
    pub(crate) id: ObjectId,
}

impl<D: Device> Library<D> {
    /// The number of the kernel that captures the outputs of shaders; none where nothing is captured, or it cannot be made.
    pub(crate) fn capture(
        &mut self,
        device: &D,
        stages: Stages<'_>,
        runtime: &RuntimeInfo,
        options: &Options,
    ) -> Option<u32> {
        let Stages { vertex, geometry, id } = stages;
        let key = match geometry {
            None => vertex.feedback_key(&self.profile, runtime, options),
            Some((shader, order)) => shader.geometry_feedback_key(vertex, &self.profile, runtime, options, order),
        };
        if let Some(known) = self.captures.get(&key) {
            return *known;
        }
        let made = match geometry {
            None => vertex.feedback_msl(&self.profile, runtime, options),
            Some((shader, order)) => shader.geometry_feedback_msl(vertex, &self.profile, runtime, options, order),
        };
        let number = match made {
            Err(CompileError::Feedback(FeedbackError::NoFeedback)) => None,
            Err(error) => {
                tracing::error!("what {id} captures cannot be compiled: {error}; nothing is captured");
                self.failures += 1;
                None
            }
            Ok(artifact) => {
                let strides = artifact.reflection.feedback_strides();
                let of = (id, geometry.map_or(vertex, |(shader, _)| shader).hash());
                self.add(device, of, artifact, Stage::Vertex).inspect(|number| {
                    self.strides.insert(*number, strides);
                })
            }
        };
        self.captures.insert(key, number);
        number
    }

    /// Bytes of a captured vertex in each buffer, of a kernel that captures.
    pub(crate) fn strides(&self, number: u32) -> [u32; FEEDBACK_BUFFERS] {
        self.strides.get(&number).copied().unwrap_or_default()
    }

    /// Keeps a variant, if there is room; its number.
    pub(crate) fn add(
        &mut self,
        device: &D,
        (id, hash): (ObjectId, u128),
        artifact: afterimage_shader::msl::Artifact,
        banks: Stage,
    ) -> Option<u32> {
        let say = |error: &dyn std::fmt::Display| tracing::error!("{id} cannot be compiled: {error}");
        self.count_source(id, artifact.source.len() as u64).inspect_err(|error| say(error)).ok()?;
        let variant = Variant::new(artifact, (id, hash), device, banks).inspect_err(|error| say(error)).ok()?;
        self.variants.push(variant);
        Some(self.variants.len() as u32 - 1)
    }
}
