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
mod states;
mod transforms;
mod vertex_data;

pub(crate) use constants::{Bits, Constants, ConstantsOf, File, SOFTWARE_FLOATS};
pub(crate) use declaration::{Declaration, Layout, components, decl_type, fvf_elements, fvf_of};
pub use groups::Group;
pub(crate) use lights::Lights;
pub(crate) use program::{Program, Reads, fixed_inputs};
pub(crate) use registers::{CLIP_PLANES, Filtering, Registers, STREAMS, Stream, TARGETS};
pub(crate) use render_states::{RenderStates, UNDRAWN};
pub(crate) use sampler_states::{SamplerStates, sampler_slot};
pub(crate) use stage_states::StageStates;
pub use states::{DeviceState, DeviceTracker};
pub(crate) use transforms::{BLENDED_WORLDS, Matrix, Transforms, WORLDS, inverse, multiply};
pub(crate) use vertex_data::VertexSource;
#[cfg(test)]
pub(crate) use vertex_data::decode;
