//! Where Vulkan's shaders find textures, samplers and storage images.

/// The descriptor set of textures and samplers; its bindings are the [`Table`]s.
pub const TEXTURES: u32 = 0;
/// The descriptor set of storage images: the image of each slot at the binding of that number.
pub const STORAGE_IMAGES: u32 = 1;

/// Tables of textures and samplers, by binding. With descriptor indexing they are runtime arrays, else arrays of
/// [`TEXTURE_SLOTS`](crate::slots::TEXTURE_SLOTS) by slot. Textures of integers lie in the same tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Table {
    /// `texture2D`.
    D2 = 0,
    /// `textureCube`.
    Cube = 1,
    /// `texture3D`.
    D3 = 2,
    /// `sampler`.
    Sampler = 3,
    /// `texture2DArray`.
    D2Array = 4,
    /// `textureCubeArray`.
    CubeArray = 5,
    /// `texture2DMS`.
    D2Ms = 6,
    /// `texture2DMSArray`.
    D2MsArray = 7,
}

impl Table {
    /// Number of tables.
    pub const COUNT: usize = 8;

    /// Every table, by number.
    pub const ALL: [Self; Self::COUNT] =
        [Self::D2, Self::Cube, Self::D3, Self::Sampler, Self::D2Array, Self::CubeArray, Self::D2Ms, Self::D2MsArray];
}

const _: () = {
    let mut at = 0;
    while at < Table::COUNT {
        assert!(Table::ALL[at] as usize == at);
        at += 1;
    }
};
