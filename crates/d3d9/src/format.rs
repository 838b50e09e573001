//! Direct3D's formats and what each is in the stream.

use afterimage_d3d9_types::D3DFORMAT;

/// One row of the format table.
#[derive(Clone, Copy, Debug)]
pub struct FormatRow {
    /// Direct3D's number.
    pub format: D3DFORMAT,
    /// Bytes of a block in this process's memory.
    pub bytes: u32,
    /// Edge of a block in texels.
    pub block: u32,
}

/// The row of a format, if we know it.
#[must_use]
pub fn format_row(_format: D3DFORMAT) -> Option<&'static FormatRow> {
    None
}
