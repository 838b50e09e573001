//! The parts of a texture: levels, and the layers, faces or slices of each.

use afterimage_stream::packets::{CreateTexture, Dimension, View};

/// Levels of a texture that are looked at: more than any can have.
const LEVELS: u32 = 32;

/// Slices of a level, or layers.
fn slices(texture: &CreateTexture, level: u32) -> u32 {
    match texture.depth {
        0 | 1 => texture.layers,
        depth => depth.checked_shr(level).unwrap_or(0).max(1),
    }
}

/// Every subresource of a texture, in the order in which a file of all of it has them: layer by layer with the levels of each, or level by
/// level with the slices of each.
#[must_use]
pub fn subresources(texture: &CreateTexture) -> Vec<View> {
    let view = |level: u32, layer: u32| {
        Some(View { texture: texture.id, level: level.try_into().ok()?, layer: layer.try_into().ok()? })
    };
    let levels = texture.levels.min(LEVELS);
    if texture.depth > 1 {
        let of_level = |level| (0..slices(texture, level)).filter_map(move |slice| view(level, slice));
        return (0..levels).flat_map(of_level).collect();
    }
    (0..texture.layers).flat_map(|layer| (0..levels).filter_map(move |level| view(level, layer))).collect()
}

/// Where in its texture a subresource is: `level2`, `level0_face_px`, `level1_slice3`, `level0_layer4`, `level0_layer2_face_nz`.
#[must_use]
pub fn subresource_name(texture: &CreateTexture, view: View) -> String {
    const FACES: [&str; 6] = ["px", "nx", "py", "ny", "pz", "nz"];
    let View { level, layer, .. } = view;
    if texture.dimension == Dimension::D3 as u8 {
        format!("level{level}_slice{layer}")
    } else if texture.dimension == Dimension::Cube as u8 {
        let of_array = if texture.layers > 6 { format!("_layer{}", layer / 6) } else { String::new() };
        format!("level{level}{of_array}_face_{}", FACES[usize::from(layer % 6)])
    } else if texture.layers > 1 {
        format!("level{level}_layer{layer}")
    } else {
        format!("level{level}")
    }
}
