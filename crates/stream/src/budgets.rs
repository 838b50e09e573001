//! What a stream may ask for: one row for each thing that is counted, with its limit.
//!
//! Streams come from strangers, and what they ask for takes memory and time of whoever draws them. The limits are far above what games
//! need and far below what ends a machine. A packet that would pass one is rejected with [`Cause::Budget`](crate::Cause::Budget), as any
//! bad packet is; what came before stays, and what is released gives back what it took. `docs/security.md` repeats the table.

mod spent;

use crate::ObjectKind;
use std::fmt;

pub use spent::texture_bytes;
pub(crate) use spent::{Spent, shader_bytes};

/// What a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Texels.
    Texels,
    /// Objects, calls, or whatever the name says.
    Count,
}

/// When what was spent is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Each asks for itself.
    Each,
    /// The sum over what lives: it comes back when the object is destroyed.
    Living,
    /// The sum over a frame: it comes back when the frame ends.
    Frame,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Texels => "texels",
            Self::Count => "of them",
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Each => "each",
            Self::Living => "all that live",
            Self::Frame => "a frame",
        })
    }
}

/// The row of a budget.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What is counted, in words.
    pub name: &'static str,
    /// Of what it is counted.
    pub span: Span,
    /// In which unit.
    pub unit: Unit,
    /// The limit, unless another is set.
    pub default: u64,
    /// Why no game meets it, and what it keeps from happening.
    pub why: &'static str,
}

macro_rules! budget_table {
    ($( $(#[$doc:meta])* $name:ident, $text:literal, $span:ident, $unit:ident, $default:expr, $why:literal; )*) => {
        /// Something that is counted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Budget { $( $(#[$doc])* $name ),* }

        impl Budget {
            /// Every budget, in the order of the table.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// Its row.
            #[must_use]
            pub const fn row(self) -> Row {
                match self {
                    $( Self::$name => Row {
                        name: $text, span: Span::$span, unit: Unit::$unit, default: $default, why: $why,
                    }, )*
                }
            }
        }
    };
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

budget_table! {
    /// Bytes of a shader's code.
    ShaderBytes, "code of a shader", Each, Bytes, MIB,
        "`ps_3_0` ends at 512 instructions of 20 bytes on most devices, a PlayStation 4's shaders at some 100 KiB";
    /// Bytes of the code of all shaders.
    ShaderCode, "code of all shaders", Living, Bytes, 256 * MIB,
        "the largest games have some 20,000 shaders of 4 KiB";
    /// Instructions of a shader's translation.
    ShaderInstructions, "instructions of a shader's translation", Each, Count, 1 << 16,
        "a few thousand are a long shader; nothing ends a driver that compiles";
    /// Bytes of translations.
    Translated, "translations of all shaders", Living, Bytes, 512 * MIB,
        "20,000 variants of 10 KiB; a stream can ask for a new one with each draw";
    /// Pipelines.
    Pipelines, "pipelines", Living, Count, 1 << 15,
        "large games have a few thousand; those that no draw uses go";
    /// Edge of a texture.
    TextureEdge, "edge of a texture or a window", Each, Texels, 16_384,
        "what devices have";
    /// Bytes of a texture.
    TextureBytes, "a texture with all its levels, layers and samples", Each, Bytes, 4 * GIB,
        "16384 by 16384 texels of 16 bytes";
    /// Bytes of all textures.
    TextureMemory, "all textures", Living, Bytes, 32 * GIB,
        "more than devices have; what the device's memory does not hold is an error of that texture";
    /// Bytes of a buffer.
    BufferBytes, "a buffer", Each, Bytes, 2 * GIB,
        "programs of 32 bit cannot have more, and a PlayStation 4 has 8 GiB for everything";
    /// Bytes of all buffers.
    BufferMemory, "all buffers", Living, Bytes, 16 * GIB,
        "likewise for all of them";
    /// Buffers.
    Buffers, "buffers", Living, Count, 1 << 19,
        "games have some 10,000";
    /// Textures and views.
    Textures, "textures and views", Living, Count, 1 << 18,
        "games have some 10,000; tables of descriptors end here";
    /// Samplers.
    Samplers, "samplers", Living, Count, 1 << 16,
        "guests keep one for each combination of states, a few hundred";
    /// Shaders.
    Shaders, "shaders", Living, Count, 1 << 18,
        "the largest games have some 20,000";
    /// Vertex input layouts.
    VertexInputs, "vertex input layouts", Living, Count, 1 << 16,
        "games have some hundred";
    /// Queries.
    Queries, "queries", Living, Count, 1 << 18,
        "games have some thousand";
    /// Present targets.
    Targets, "present targets", Living, Count, 256,
        "one for each swap chain";
    /// Tables of textures.
    Tables, "tables of textures", Living, Count, 1 << 16,
        "guests keep one for each table of descriptors, a few hundred";
    /// Entries of tables.
    TableEntries, "entries of tables of textures", Living, Count, 1 << 22,
        "64 MiB; games' tables have a few thousand descriptors";
    /// Draws and dispatches of a frame.
    Draws, "draws and dispatches", Frame, Count, 1 << 24,
        "games make some 10,000";
    /// Work groups of a dispatch.
    Groups, "work groups of a dispatch", Each, Count, 1 << 26,
        "one for each texel of the largest target";
    /// Bytes of an update, or of a read back.
    Transfer, "data of an update or a read back", Each, Bytes, GIB,
        "a level of 16384 by 16384 texels of 4 bytes";
    /// Bytes of vertices and indices that are bound where they were uploaded.
    Uploads, "vertices and indices that are bound where they were uploaded", Frame, Bytes, GIB,
        "guests end a frame when its uploads fill the arena, which is smaller";
}

impl Budget {
    /// The budget for the number of a kind's objects.
    pub(crate) const fn of_kind(kind: ObjectKind) -> Option<Self> {
        Some(match kind {
            ObjectKind::Buffer => Self::Buffers,
            ObjectKind::Texture => Self::Textures,
            ObjectKind::Sampler => Self::Samplers,
            ObjectKind::Shader => Self::Shaders,
            ObjectKind::VertexInput => Self::VertexInputs,
            ObjectKind::Query => Self::Queries,
            ObjectKind::Target => Self::Targets,
            ObjectKind::Table => Self::Tables,
            ObjectKind::Upload => return None,
        })
    }
}

/// The limits of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets([u64; Budget::ALL.len()]);

impl Default for Budgets {
    fn default() -> Self {
        Self(std::array::from_fn(|number| Budget::ALL[number].row().default))
    }
}

impl Budgets {
    /// A limit.
    #[must_use]
    #[inline]
    pub const fn limit(&self, budget: Budget) -> u64 {
        self.0[budget as usize]
    }

    /// The same with another limit.
    #[must_use]
    pub const fn with(mut self, budget: Budget, limit: u64) -> Self {
        self.0[budget as usize] = limit;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_row() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
        let text = std::fs::read_to_string(path).expect("docs/security.md is there");
        let table = text.split("## Budgets").nth(1).expect("the section is there");
        let table = table.split("\n## ").next().unwrap_or(table);
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        let wanted: Vec<String> = Budget::ALL
            .iter()
            .map(|budget| {
                let Row { name, span, unit, default, why } = budget.row();
                let limit = match unit {
                    Unit::Bytes if default % GIB == 0 => format!("{} GiB", default / GIB),
                    Unit::Bytes => format!("{} MiB", default / MIB),
                    Unit::Texels | Unit::Count => default.to_string(),
                };
                format!("| {name} | {span} | {limit} | {why} |")
            })
            .collect();
        assert_eq!(rows, wanted, "docs/security.md repeats the table of crates/stream/src/budgets.rs");
    }
}
