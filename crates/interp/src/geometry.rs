//! Geometry shaders: one primitive, one invocation.

use afterimage_ir::{FEEDBACK_STREAMS, Input, Op, OutputPrimitive, Stage, Value};

use crate::active::Active;
use crate::run::{Group, Interpreter, Run, RunError, cut};
use crate::{Environment, Lanes};

/// Bits of every declared output in an emitted vertex; those never stored are 0.
pub type Vertex = Vec<[u32; 4]>;
/// Vertices in succession. Of points each is a primitive; a strip of fewer than a primitive has gives none.
pub type Strip = Vec<Vertex>;

/// What an invocation of a geometry shader emits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Emitted {
    /// Strips of each stream, none of which is empty.
    pub strips: [Vec<Strip>; FEEDBACK_STREAMS as usize],
    /// Instructions executed.
    pub steps: u64,
    /// Vertices so far.
    vertices: u32,
    /// Streams whose next vertex begins a strip.
    ended: [bool; FEEDBACK_STREAMS as usize],
}

impl Emitted {
    /// The primitives of a stream in their order, each of as many vertices as [`OutputPrimitive::corners`] says. The vertices of every
    /// second triangle of a strip are in the order that keeps its facing, and the first vertex first: 0, 1, 2, then 1, 3, 2.
    pub fn primitives(&self, output: OutputPrimitive, stream: usize) -> Vec<Vec<&Vertex>> {
        let corners = output.corners() as usize;
        let strips = self.strips.get(stream).map_or(&[][..], Vec::as_slice);
        let windows = strips.iter().flat_map(|strip| strip.windows(corners).enumerate());
        windows
            .map(|(at, window)| {
                let mut primitive: Vec<&Vertex> = window.iter().collect();
                if corners == 3 && at % 2 == 1 {
                    primitive.swap(1, 2);
                }
                primitive
            })
            .collect()
    }
}

impl Interpreter<'_> {
    /// Runs one invocation of a geometry shader for one primitive. Its number and that of the invocation are inputs of the environment,
    /// those of the primitive's vertices are asked of [`Environment::vertex_input`].
    ///
    /// # Errors
    /// When the step limit is reached, or it is no geometry shader.
    pub fn run_primitive(&self, environment: &dyn Environment) -> Result<Emitted, RunError> {
        let m = self.module;
        if m.stage != Stage::Geometry {
            return Err(RunError::Stage(m.stage.name(), "primitives"));
        }
        let mut run = self.prepare(environment, 1, Group { id: [0; 3], count: [1; 3], wave: 1 });
        run.region(m.body, Active::all(1), None, None)?;
        Ok(Emitted { steps: run.steps, ..run.emitted })
    }
}

impl Run<'_> {
    /// An input of a vertex of the primitive.
    pub(crate) fn vertex_input(&self, input: Input, vertex: Value) -> [u32; 4] {
        let decl = &self.m.inputs[input.index()];
        let last = self.m.geometry.map_or(0, |geometry| geometry.input.corners() - 1);
        cut(self.environment.vertex_input(decl, self.bits(vertex, 0)[0].min(last)), decl.ty)
    }

    /// Emits a vertex, or ends a strip.
    pub(crate) fn emit(&mut self, op: Op, stream: u8) {
        let stream = usize::from(stream);
        if op == Op::EndPrimitive {
            self.emitted.ended[stream] = true;
            return;
        }
        let most = self.m.geometry.map_or(0, |geometry| geometry.vertices);
        if self.emitted.vertices >= most {
            return;
        }
        self.emitted.vertices += 1;
        let strips = &mut self.emitted.strips[stream];
        if std::mem::take(&mut self.emitted.ended[stream]) || strips.is_empty() {
            strips.push(Strip::new());
        }
        let vertex: Vertex = self.outputs.iter().map(|lanes: &Lanes| lanes[0]).collect();
        strips.last_mut().expect("one was pushed").push(vertex);
    }
}
