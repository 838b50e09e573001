//! Stages of the pipeline.

use crate::numbers;

numbers! {
    /// A stage of the pipeline, by its number in packets.
    Stage {
        /// Runs per vertex.
        Vertex = 0,
        /// Runs per pixel, in quads.
        Pixel = 1,
        /// Runs in work groups.
        Compute = 2,
        /// Runs per primitive, whose vertices it reads, and makes others. Has the constants, textures and buffers of the vertex stage.
        Geometry = 3,
    }
}

impl Stage {
    /// Those that have bindings of their own.
    pub const WITH_BINDINGS: [Self; 3] = [Self::Vertex, Self::Pixel, Self::Compute];

    /// Its name, also in the text form of the IR.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Pixel => "pixel",
            Self::Compute => "compute",
            Self::Geometry => "geometry",
        }
    }

    /// The stage of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|stage| stage.name() == name)
    }

    /// The stage whose bindings it has.
    #[must_use]
    pub const fn bindings(self) -> Self {
        match self {
            Self::Geometry => Self::Vertex,
            other => other,
        }
    }
}

// Tables by stage are of those with bindings.
const _: () = {
    let mut at = 0;
    while at < Stage::WITH_BINDINGS.len() {
        assert!(Stage::WITH_BINDINGS[at] as usize == at);
        at += 1;
    }
};
