//! What in the source has an attribute, and a model of what Metal allows there: nothing twice, nothing beyond the limits.

use std::fmt;

use afterimage_abi::metal;
use afterimage_ir::{Input, Interp, Output, Spec, Stage};

use crate::interface::Lane;

/// Where in the source something stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// Outside of the function: function constants.
    Program,
    /// A member of the `[[stage_in]]` structure.
    Input,
    /// A member of the structure that the function returns.
    Output,
    /// An argument of the function.
    Argument,
}

/// An attribute. `Display` gives its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // They are Metal's.
pub enum Attribute {
    FunctionConstant(u32),
    Buffer(u32),
    Texture(u32),
    Sampler(u32),
    /// A vertex attribute.
    Attribute(u32),
    /// A varying, `user(locN)`.
    User(u32),
    /// The same varying, interpolated in another way than the first one is: see [`user_as`].
    UserAs(u32, Interp),
    Color(u32),
    /// The second colour of target 0.
    SecondColor,
    Position,
    PointSize,
    /// With the number of distances.
    ClipDistance(u32),
    Depth,
    Stencil,
    SampleMask,
    SampleId,
    PrimitiveId,
    VertexId,
    InstanceId,
    FrontFacing,
    PointCoord,
    ThreadPositionInThreadgroup,
    ThreadIndexInThreadgroup,
    ThreadgroupPositionInGrid,
    ThreadgroupsPerGrid,
    ThreadIndexInSimdgroup,
    ThreadsPerSimdgroup,
    ThreadIndexInQuadgroup,
    RenderTargetArrayIndex,
    ViewportArrayIndex,
}

/// The name of a varying that a pixel function reads a second time, interpolated in this way. Whoever draws with it has the vertex function
/// give the varying by this name, too: a member of a structure is interpolated in one way.
pub fn user_as(location: u32, interp: Interp) -> String {
    format!("loc{location}_{}", interp.name())
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::FunctionConstant(n) => write!(f, "function_constant({n})"),
            Attribute::Buffer(n) => write!(f, "buffer({n})"),
            Attribute::Texture(n) => write!(f, "texture({n})"),
            Attribute::Sampler(n) => write!(f, "sampler({n})"),
            Attribute::Attribute(n) => write!(f, "attribute({n})"),
            Attribute::User(n) => write!(f, "user(loc{n})"),
            Attribute::UserAs(n, interp) => write!(f, "user({})", user_as(*n, *interp)),
            Attribute::Color(n) => write!(f, "color({n})"),
            Attribute::SecondColor => f.write_str("color(0), index(1)"),
            Attribute::Position => f.write_str("position"),
            Attribute::PointSize => f.write_str("point_size"),
            Attribute::ClipDistance(_) => f.write_str("clip_distance"),
            Attribute::Depth => f.write_str("depth(any)"),
            Attribute::Stencil => f.write_str("stencil"),
            Attribute::SampleMask => f.write_str("sample_mask"),
            Attribute::SampleId => f.write_str("sample_id"),
            Attribute::PrimitiveId => f.write_str("primitive_id"),
            Attribute::VertexId => f.write_str("vertex_id"),
            Attribute::InstanceId => f.write_str("instance_id"),
            Attribute::FrontFacing => f.write_str("front_facing"),
            Attribute::PointCoord => f.write_str("point_coord"),
            Attribute::ThreadPositionInThreadgroup => f.write_str("thread_position_in_threadgroup"),
            Attribute::ThreadIndexInThreadgroup => f.write_str("thread_index_in_threadgroup"),
            Attribute::ThreadgroupPositionInGrid => f.write_str("threadgroup_position_in_grid"),
            Attribute::ThreadgroupsPerGrid => f.write_str("threadgroups_per_grid"),
            Attribute::ThreadIndexInSimdgroup => f.write_str("thread_index_in_simdgroup"),
            Attribute::ThreadsPerSimdgroup => f.write_str("threads_per_simdgroup"),
            Attribute::ThreadIndexInQuadgroup => f.write_str("thread_index_in_quadgroup"),
            Attribute::RenderTargetArrayIndex => f.write_str("render_target_array_index"),
            Attribute::ViewportArrayIndex => f.write_str("viewport_array_index"),
        }
    }
}

/// What something in the source stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A specialisation constant.
    Spec(Spec),
    /// An input of the module.
    Input(Input),
    /// An output of the module.
    Output(Output),
    /// The position that Metal wants of every vertex function, and the module does not write.
    NoPosition,
    /// All clip distances.
    ClipDistances,
    /// The constants of the stage.
    Constants,
    /// The system block.
    System,
    /// The system values of a lowered transform feedback.
    Feedback,
    /// The storage buffer of the bank with this id.
    Storage(u8),
    /// The texture in this slot.
    Texture(u8),
    /// The sampler of this slot.
    Sampler(u8),
    /// The sampler of this slot with a white border.
    WhiteSampler(u8),
    /// What samplers have that Metal's have not.
    Samplers,
    /// The storage image in this slot.
    Image(u8),
    /// What a lane knows of its wave.
    Lane(Lane),
}

/// Something in the source that has an attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Binding {
    /// Its name in the source.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// Its attribute.
    pub attribute: Attribute,
    /// Components of an input or output; 0 for all else.
    pub lanes: u8,
    /// What it stands for.
    pub source: Source,
}

/// A limit of Metal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limit {
    /// What is limited, in the plural.
    pub what: &'static str,
    /// How many there can be.
    pub count: u32,
}

impl Limit {
    const fn new(what: &'static str, count: u32) -> Limit {
        Limit { what, count }
    }
}

// What Metal's Feature Set Tables allow per function, the least of all GPUs that have Metal 2.4 (Apple family 2 and later, Mac
// family 2): 32 varyings on the Mac, 60 components on Apple's families 2 and 3. 128 textures are those of all Macs; the oldest telephones
// have 31. (Clip distances are from the language's specification.)
const BUFFERS: Limit = Limit::new("buffers", 31);
const TEXTURES: Limit = Limit::new("textures", 128);
pub(crate) const SAMPLERS: Limit = Limit::new("samplers", 16);
const ATTRIBUTES: Limit = Limit::new("vertex attributes", 31);
const COLORS: Limit = Limit::new("colour attachments", 8);
const CLIP_DISTANCES: Limit = Limit::new("clip distances", 8);
const FUNCTION_CONSTANTS: Limit = Limit::new("function constants", 65536);
const VARYINGS: Limit = Limit::new("varyings", 32);
const VARYING_COMPONENTS: Limit = Limit::new("components of varyings", 124);
// Of GPUs whose buffers have addresses (Metal 3), without which a kernel has nothing to do. All of them run 1024 threads in a group,
// which is the most that the IR has.
const THREADGROUP_MEMORY: Limit = Limit::new("bytes of threadgroup memory", 32768);

impl Attribute {
    /// Its index, and the limit that it keeps to.
    fn limit(self) -> Option<(u32, Limit)> {
        Some(match self {
            Attribute::FunctionConstant(n) => (n, FUNCTION_CONSTANTS),
            Attribute::Buffer(n) => (n, BUFFERS),
            Attribute::Texture(n) => (n, TEXTURES),
            Attribute::Sampler(n) => (n, SAMPLERS),
            Attribute::Attribute(n) => (n, ATTRIBUTES),
            Attribute::Color(n) => (n, COLORS),
            Attribute::ClipDistance(n) => (n.saturating_sub(1), CLIP_DISTANCES),
            // The number in the name of a varying is only a name.
            Attribute::User(_)
            | Attribute::UserAs(..)
            | Attribute::SecondColor
            | Attribute::Position
            | Attribute::PointSize
            | Attribute::Depth
            | Attribute::Stencil
            | Attribute::SampleMask
            | Attribute::SampleId
            | Attribute::PrimitiveId
            | Attribute::VertexId
            | Attribute::InstanceId
            | Attribute::FrontFacing
            | Attribute::PointCoord
            | Attribute::ThreadPositionInThreadgroup
            | Attribute::ThreadIndexInThreadgroup
            | Attribute::ThreadgroupPositionInGrid
            | Attribute::ThreadgroupsPerGrid
            | Attribute::ThreadIndexInSimdgroup
            | Attribute::ThreadsPerSimdgroup
            | Attribute::ThreadIndexInQuadgroup
            | Attribute::RenderTargetArrayIndex
            | Attribute::ViewportArrayIndex => return None,
        })
    }
}

/// Why Metal would not take the bindings of a function.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BindingError {
    /// Two things have the same attribute.
    #[error("`{first}` and `{second}` are both [[{attribute}]]")]
    Twice {
        /// The attribute.
        attribute: Attribute,
        /// Name of the one.
        first: String,
        /// Name of the other.
        second: String,
    },
    /// An index is too large.
    #[error("`{name}` is [[{attribute}]], but Metal has {} {}", limit.count, limit.what)]
    Index {
        /// Whose index.
        name: String,
        /// The attribute with the index.
        attribute: Attribute,
        /// The limit.
        limit: Limit,
    },
    /// There are too many of something.
    #[error("`{name}` makes it {count} {}, but Metal has {}", limit.what, limit.count)]
    Count {
        /// The one that is too many.
        name: String,
        /// How many there are with it.
        count: u32,
        /// The limit.
        limit: Limit,
    },
}

/// Checks the bindings of a function against the model.
///
/// # Errors
/// The first thing that Metal would refuse.
pub fn check_bindings(bindings: &[Binding]) -> Result<(), BindingError> {
    for (i, binding) in bindings.iter().enumerate() {
        let same = |other: &&Binding| {
            other.place == binding.place
                && match (other.attribute, binding.attribute) {
                    (Attribute::ClipDistance(_), Attribute::ClipDistance(_)) => true,
                    (one, other) => one == other,
                }
        };
        if let Some(first) = bindings[..i].iter().find(same) {
            let (first, second) = (first.name.clone(), binding.name.clone());
            return Err(BindingError::Twice { attribute: binding.attribute, first, second });
        }
        if let Some((index, limit)) = binding.attribute.limit()
            && index >= limit.count
        {
            let (name, attribute) = (binding.name.clone(), binding.attribute);
            return Err(BindingError::Index { name, attribute, limit });
        }
    }
    let (mut count, mut components) = (0, 0);
    for binding in bindings.iter().filter(|b| matches!(b.attribute, Attribute::User(_) | Attribute::UserAs(..))) {
        count += 1;
        components += u32::from(binding.lanes);
        for (count, limit) in [(count, VARYINGS), (components, VARYING_COMPONENTS)] {
            if count > limit.count {
                return Err(BindingError::Count { name: binding.name.clone(), count, limit });
            }
        }
    }
    Ok(())
}

/// Whether Metal has as many bytes for a threadgroup.
pub(crate) fn check_threadgroup_memory(name: &str, bytes: u32) -> Result<(), BindingError> {
    let limit = THREADGROUP_MEMORY;
    if bytes > limit.count {
        return Err(BindingError::Count { name: name.to_owned(), count: bytes, limit });
    }
    Ok(())
}

/// Index of a texture slot, and of its sampler, in the argument tables of the stage.
pub fn texture_index(stage: Stage, slot: u8) -> u32 {
    let first = metal::first_texture(stage) as u8;
    u32::from(slot.checked_sub(first).unwrap_or(slot))
}

/// Index of a storage image in the table of textures of the stage.
pub fn image_index(slot: u8) -> u32 {
    metal::IMAGES + u32::from(slot)
}

/// Index of the storage buffer of the bank with this id in the argument table of the stage.
pub fn storage_index(bank: u8) -> u32 {
    metal::STORAGE + u32::from(bank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(name: &str, place: Place, attribute: Attribute, lanes: u8) -> Binding {
        Binding { name: name.to_owned(), place, attribute, lanes, source: Source::Constants }
    }

    #[test]
    fn nothing_twice() {
        let two = |a, b| {
            check_bindings(&[binding("a", a, Attribute::Texture(3), 0), binding("b", b, Attribute::Texture(3), 0)])
        };
        assert_eq!(two(Place::Argument, Place::Input), Ok(()));
        let error = two(Place::Argument, Place::Argument).unwrap_err();
        assert_eq!(error.to_string(), "`a` and `b` are both [[texture(3)]]");
        let clip = |n| binding("clip", Place::Output, Attribute::ClipDistance(n), n as u8);
        assert!(check_bindings(&[clip(2), clip(4)]).is_err());
    }

    #[test]
    fn indices_keep_to_their_limits() {
        type Make = fn(u32) -> Attribute;
        let make: [(Make, u32); 7] = [
            (Attribute::Buffer, 31),
            (Attribute::Texture, 128),
            (Attribute::Sampler, 16),
            (Attribute::Attribute, 31),
            (Attribute::Color, 8),
            (Attribute::FunctionConstant, 65536),
            (|n| Attribute::ClipDistance(n + 1), 8),
        ];
        for (make, count) in make {
            let check = |n| check_bindings(&[binding("x", Place::Argument, make(n), 0)]);
            assert_eq!(check(count - 1), Ok(()));
            assert!(matches!(check(count), Err(BindingError::Index { .. })), "{}", make(count));
        }
        let error = check_bindings(&[binding("s16", Place::Argument, Attribute::Sampler(16), 0)]).unwrap_err();
        assert_eq!(error.to_string(), "`s16` is [[sampler(16)]], but Metal has 16 samplers");
    }

    #[test]
    fn varyings_keep_to_their_limits() {
        let varyings = |count: u32, lanes| -> Vec<Binding> {
            (0..count).map(|n| binding(&format!("o{n}"), Place::Output, Attribute::User(n + 40), lanes)).collect()
        };
        assert_eq!(check_bindings(&varyings(31, 4)), Ok(()));
        let error = check_bindings(&varyings(32, 4)).unwrap_err();
        assert_eq!(error.to_string(), "`o31` makes it 128 components of varyings, but Metal has 124");
        assert_eq!(check_bindings(&varyings(32, 1)), Ok(()));
        assert!(check_bindings(&varyings(33, 1)).is_err());
    }
}
