//! A shader of the corpus through all of the translation, and what its constant banks hold in a world.

use afterimage_gcn_corpus::{Program, Shader, World};
use afterimage_ir::Module;
use afterimage_passes::{FloatRules, optimize};
use afterimage_shader_gcn::io::{BufferAt, Resources, Source, Values, WINDOW_PAGE, bank};
use afterimage_shader_gcn::{lift, resources};

use super::source::{Guest, source};

/// A translated shader.
pub(crate) struct Translated {
    /// Its IR, after all passes.
    pub(crate) module: Module,
    pub(crate) resources: Resources,
    pub(crate) values: Values,
    /// Where resources lie, and their bytes.
    places: Vec<(u64, u64)>,
}

/// A buffer that a shader accesses, as its descriptor says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// The guest's address.
    pub(crate) address: u64,
    /// Bytes, as far as the descriptor says; none of pointers.
    pub(crate) bytes: Option<u64>,
    /// `NUM_RECORDS`.
    pub(crate) records: u32,
}

/// Translates a shader.
///
/// # Errors
/// In words, what cannot be translated.
pub(crate) fn translate(program: &Program, shader: &Shader, world: &World) -> Result<Translated, String> {
    let (source, resources, values) = source(program, shader, world)?;
    of(&source, resources, values, world)
}

/// Translates what was sent of a shader with these user registers.
///
/// # Errors
/// In words, what cannot be translated.
pub(crate) fn sent(source: &Source, world: &World, user: [u32; 16]) -> Result<Translated, String> {
    let found = resources(source).map_err(|error| error.to_string())?;
    let values = found.evaluate(&Guest { world, user });
    of(source, found, values, world)
}

fn of(source: &Source, resources: Resources, values: Values, world: &World) -> Result<Translated, String> {
    let mut module = lift(source).map_err(|error| error.to_string())?;
    optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    let places = world.places.iter().filter(|place| place.resource.is_some());
    let places = places.map(|place| (place.address, place.words.len() as u64 * 4)).collect();
    Ok(Translated { module, resources, values, places })
}

impl Translated {
    /// The buffers in order.
    pub(crate) fn buffers(&self) -> Vec<Bound> {
        let bound = |at| match at {
            BufferAt::Descriptor(words) => {
                let words = self.values.all(words);
                let stride = u64::from(words[1] >> 16 & 0x3fff).max(1);
                let address = u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32;
                Bound { address, bytes: Some(u64::from(words[2]) * stride), records: words[2] }
            }
            BufferAt::Pointer(halves) => Bound { address: self.values.address(halves), bytes: None, records: 0 },
            BufferAt::Window(n) => {
                let last = self.places.len().saturating_sub(1);
                let (address, bytes) = self.places.get((n as usize).min(last)).copied().unwrap_or_default();
                Bound { address, bytes: Some(bytes), records: (address / WINDOW_PAGE) as u32 }
            }
            _ => Bound { address: 0, bytes: Some(0), records: 0 },
        };
        self.resources.buffers.iter().map(|buffer| bound(buffer.at)).collect()
    }

    /// A constant register; `place` says where a buffer lies for the shader, and how many bytes it may access.
    pub(crate) fn constant(&self, bank_id: u8, index: u32, place: &dyn Fn(Bound) -> (u64, u32)) -> [u32; 4] {
        match bank_id {
            bank::WORDS => {
                let word = |at| self.resources.words.get(at).map_or(0, |word| self.values.get(*word));
                std::array::from_fn(|n| word(index as usize * 4 + n))
            }
            bank::BUFFERS => self.buffers().get(index as usize).map_or([0; 4], |&bound| {
                let (address, bytes) = place(bound);
                [address as u32, (address >> 32) as u32, bytes, bound.records]
            }),
            _ => [0; 4],
        }
    }
}
