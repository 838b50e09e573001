//! The register file: everything that a program can set, and the groups that a change marks.

mod constants;
mod declaration;
mod groups;
mod lights;
mod program;
mod registers;
mod render_states;
mod sampler_states;
mod stage_states;
mod transforms;
mod vertex_data;

pub(crate) use constants::{Bits, Constants, ConstantsOf, SOFTWARE_FLOATS};
pub(crate) use declaration::{Declaration, Layout, components, decl_type, fvf_elements};
pub(crate) use groups::{FixedParts, Group};
pub(crate) use lights::Lights;
pub(crate) use program::{Language, Program, Reads, Wants, fixed_inputs};
pub(crate) use registers::{CLIP_PLANES, Registers, STREAMS, Stream, TARGETS};
pub(crate) use render_states::RenderStates;
pub(crate) use sampler_states::{SamplerStates, sampler_slot};
pub(crate) use stage_states::StageStates;
pub(crate) use transforms::{Matrix, Transforms, inverse, multiply};
pub(crate) use vertex_data::{VertexSource, encode};
