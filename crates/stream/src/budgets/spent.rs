//! What objects take of the budgets that last as long as they live.

use super::Budget;
use crate::packets::{CreateShader, CreateTexture};
use crate::state::Created;
use crate::{Format, ObjectKind};

/// What lives, as far as it is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent([u64; Budget::ALL.len()]);

impl Spent {
    pub(crate) fn of(&self, budget: Budget) -> u64 {
        self.0[budget as usize]
    }

    pub(crate) fn take(&mut self, kind: ObjectKind, created: &Created) {
        for (budget, amount) in costs(kind, created).into_iter().flatten() {
            self.0[budget as usize] = self.of(budget).saturating_add(amount);
        }
    }

    pub(crate) fn give_back(&mut self, kind: ObjectKind, created: &Created) {
        for (budget, amount) in costs(kind, created).into_iter().flatten() {
            self.0[budget as usize] = self.of(budget).saturating_sub(amount);
        }
    }
}

/// What an object takes of the budgets that last as long as it lives.
fn costs(kind: ObjectKind, created: &Created) -> [Option<(Budget, u64)>; 2] {
    let one = Budget::of_kind(kind).map(|budget| (budget, 1));
    let bytes = match created {
        Created::Buffer(buffer) => Some((Budget::BufferMemory, buffer.size)),
        Created::Texture(texture) => Some((Budget::TextureMemory, texture_bytes(texture))),
        Created::Shader(shader) => Some((Budget::ShaderCode, shader_bytes(shader))),
        Created::Table(entries) => Some((Budget::TableEntries, entries.len() as u64)),
        Created::View(..) | Created::Sampler(_) | Created::VertexInput(_) | Created::Query(_) | Created::Target(_) => {
            None
        }
    };
    [one, bytes]
}

/// Bytes of a shader's code. An empty one is not free either.
pub(crate) fn shader_bytes(shader: &CreateShader) -> u64 {
    u64::from(shader.code.size).max(1 << 10)
}

/// Bytes of a texture, all its levels, layers and samples.
#[must_use]
pub fn texture_bytes(texture: &CreateTexture) -> u64 {
    let Some(format) = Format::from_bits(texture.format) else { return 0 };
    let level = |level: u32| {
        let edge = |edge: u32| edge.checked_shr(level).unwrap_or(0).max(1);
        let depth = u64::from(edge(texture.depth));
        format.packed_size(edge(texture.width), edge(texture.height)).saturating_mul(depth)
    };
    let layer = (0..texture.levels.min(32)).fold(0u64, |sum, number| sum.saturating_add(level(number)));
    layer.saturating_mul(u64::from(texture.layers) * u64::from(texture.samples.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectId;

    #[test]
    fn textures_are_counted_with_all_they_have() {
        let plain = CreateTexture::plain(ObjectId::NONE, Format::R8G8B8A8_UNORM, [4, 4]);
        assert_eq!(texture_bytes(&plain), 64);
        assert_eq!(texture_bytes(&CreateTexture { levels: 3, ..plain }), 64 + 16 + 4);
        assert_eq!(texture_bytes(&CreateTexture { layers: 6, samples: 4, ..plain }), 64 * 24);
        assert_eq!(texture_bytes(&CreateTexture { depth: 4, levels: 2, ..plain }), 64 * 4 + 16 * 2);
        let huge = CreateTexture { width: !0, height: !0, depth: !0, layers: !0, samples: 255, levels: 99, ..plain };
        assert_eq!(texture_bytes(&huge), u64::MAX);
    }
}
