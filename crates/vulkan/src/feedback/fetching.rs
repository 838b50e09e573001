//! How vertices of lowered feedback are fetched.

use crate::state::vertices::Needs;
use afterimage_shader::feedback::Options;
use afterimage_stream::VERTEX_BUFFERS;
use afterimage_stream::packets::VertexAttribute;

/// How the vertices of the last draw were fetched, and from what that follows.
#[derive(Default)]
pub(crate) struct Fetching {
    pub(crate) attributes: Vec<VertexAttribute>,
    pub(crate) options: Options,
    pub(crate) slots: u32,
    pub(crate) needs: [Needs; VERTEX_BUFFERS],
}
