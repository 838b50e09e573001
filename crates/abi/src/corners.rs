//! What pixel shaders read of the vertices of their primitive: inputs at locations that the vertex stage does not write, which a geometry
//! shader of the renderer fills. [`Corner::index`] and [`USAGE`] are the semantic of such an input.

/// The usage of their semantics; no guest has it.
pub const USAGE: u8 = 0x80;

/// Which of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Corner {
    /// What one of the primitive's vertices (0 to 2, the provoking vertex first) has at a location: four floats, not interpolated.
    Vertex {
        /// The location in the vertex stage.
        location: u8,
        /// Which vertex; of those that the primitive does not have, the last.
        vertex: u8,
    },
    /// The weights of the second and the third vertex, twice: four floats, of which the first two and the last two may be interpolated
    /// in different ways.
    Weights,
}

/// In the place of a vertex.
const WEIGHTS: u8 = 3;

impl Corner {
    /// The index of its semantic.
    #[must_use]
    pub const fn index(self) -> u8 {
        match self {
            Corner::Vertex { location, vertex } => location & 31 | (vertex & 3) << 5,
            Corner::Weights => WEIGHTS << 5,
        }
    }

    /// What has an index.
    #[must_use]
    pub const fn of_index(index: u8) -> Self {
        match index >> 5 & 3 {
            WEIGHTS => Corner::Weights,
            vertex => Corner::Vertex { location: index & 31, vertex },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Corner;

    #[test]
    fn what_they_are_comes_back_from_their_numbers() {
        let vertices = (0..32).flat_map(|location| [0, 1, 2].map(|vertex| Corner::Vertex { location, vertex }));
        for corner in vertices.chain([Corner::Weights]) {
            assert_eq!(Corner::of_index(corner.index()), corner);
        }
    }
}
