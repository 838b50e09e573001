//! What the two stages run: the results of [`Group::VertexShader`] and [`Group::PixelShader`].

use super::Source;
use crate::machine::{DeviceState, Group, Program, Reads};
use afterimage_state::trace;
use afterimage_stream::ObjectId;

/// What is bound to a stage now, in short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageInfo {
    /// Which program it is; `None` before the first draw.
    pub(crate) source: Option<Source>,
    pub(crate) id: ObjectId,
    pub(crate) reads: Reads,
    pub(crate) samplers: u32,
    pub(crate) model: u8,
}

impl Default for StageInfo {
    fn default() -> Self {
        Self { source: None, id: ObjectId::NONE, reads: Reads::default(), samplers: 0, model: 0 }
    }
}

impl StageInfo {
    pub(crate) fn of(source: Source, program: &Program) -> Self {
        Self {
            source: Some(source),
            id: program.id,
            reads: program.reads,
            samplers: program.samplers,
            model: program.model,
        }
    }

    /// Whether it is the same program.
    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.source, self.id) == (other.source, other.id)
    }

    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.source, Some(Source::Fixed(_) | Source::Processing { fixed: true, .. }))
    }

    /// Whether the program's own shader is bound, not the fixed stage.
    pub(crate) fn is_own(&self) -> bool {
        use Source::{PixelProgram, Processing, VertexProgram};
        matches!(self.source, Some(VertexProgram(_) | PixelProgram(_) | Processing { fixed: false, .. }))
    }
}

/// Both stages.
#[derive(Debug, Default)]
pub(crate) struct Stages {
    vertex: StageInfo,
    pixel: StageInfo,
}

impl Stages {
    pub(crate) fn vertex(&self) -> &StageInfo {
        trace::read_result::<DeviceState>(Group::VertexShader);
        &self.vertex
    }

    pub(crate) fn pixel(&self) -> &StageInfo {
        trace::read_result::<DeviceState>(Group::PixelShader);
        &self.pixel
    }

    /// The groups that the bound vertex stage needs of those that are parked while it does not. Not a read of the result: they
    /// are woken when it becomes another.
    pub(crate) fn fixed_groups(&self) -> afterimage_state::Dirty<Group> {
        match self.vertex.is_fixed() {
            true if self.vertex.reads.beyond => Group::FIXED_INDEXED,
            true => Group::FIXED_VERTEX,
            false => afterimage_state::Dirty::none(),
        }
    }

    /// Another vertex stage.
    pub(crate) fn set_vertex(&mut self, info: StageInfo) {
        self.vertex = info;
    }

    /// Another pixel stage.
    pub(crate) fn set_pixel(&mut self, info: StageInfo) {
        self.pixel = info;
    }

    /// Nothing is known of what is bound.
    pub(crate) fn forget(&mut self) {
        self.vertex.source = None;
        self.pixel.source = None;
    }
}
