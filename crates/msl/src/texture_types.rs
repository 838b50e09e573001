//! Types of textures and storage images.

use afterimage_ir::{Component, Dim, ImageDecl, TextureDecl};

/// Metal's name of what texels are.
fn texel_name(component: Component) -> &'static str {
    match component {
        Component::Float => "float",
        Component::Sint => "int",
        Component::Uint => "uint",
    }
}

/// Metal's name of a shape.
fn shape_name(dim: Dim) -> &'static str {
    match dim {
        Dim::D2 => "2d",
        Dim::D2Array => "2d_array",
        Dim::D2Ms => "2d_ms",
        Dim::D2MsArray => "2d_ms_array",
        Dim::D3 => "3d",
        Dim::Cube => "cube",
        Dim::CubeArray => "cube_array",
    }
}

/// Type of a texture's argument.
pub(crate) fn texture_type(d: &TextureDecl) -> String {
    format!("{}{}<{}>", if d.shadow { "depth" } else { "texture" }, shape_name(d.dim), texel_name(d.component))
}

/// Type of a storage image's argument. Cubes are accessed as layers.
pub(crate) fn image_type(d: &ImageDecl, [read, written]: [bool; 2]) -> String {
    let dim = if d.dim.is_cube() { Dim::D2Array } else { d.dim };
    let access = match (read, written) {
        (true, true) => "read_write",
        (false, true) => "write",
        _ => "read",
    };
    format!("texture{}<{}, access::{access}>", shape_name(dim), texel_name(d.component))
}
