//! A translated compute shader in the interpreter, on the guest's own addresses.

use std::cell::RefCell;

use afterimage_gcn_corpus::{Place, World};
use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputDecl, MAX_WAVE, Module, TextureDecl};

use super::translate::{Bound, Translated};

/// Instructions that a work group may take.
const STEPS: u64 = 4 << 20;

struct Machine<'a> {
    shader: &'a Translated,
    places: RefCell<Vec<Place>>,
}

impl Machine<'_> {
    /// Acts on the word at an address; there may be none.
    fn at<T>(&self, address: u64, act: impl FnOnce(&mut u32) -> T) -> Option<T> {
        self.places
            .borrow_mut()
            .iter_mut()
            .find_map(|place| {
                let at = usize::try_from(address.checked_sub(place.address)? / 4).ok()?;
                place.words.get_mut(at)
            })
            .map(act)
    }
}

/// Bytes from a guest's address on that a place has, as far as the descriptor goes.
pub(crate) fn within(places: &[Place], bound: Bound) -> Option<(usize, u64, u32)> {
    places.iter().enumerate().find_map(|(at, place)| {
        let offset = bound.address.checked_sub(place.address)?;
        let left = (place.words.len() as u64 * 4).checked_sub(offset).filter(|left| *left > 0)?;
        Some((at, offset, left.min(bound.bytes.unwrap_or(left)) as u32))
    })
}

impl Environment for Machine<'_> {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let places = self.places.borrow();
        self.shader.constant(bank.id, index, &|bound| {
            within(&places, bound).map_or((0, 0), |(_, _, bytes)| (bound.address, bytes))
        })
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn load(&self, address: u64) -> u32 {
        self.at(address, |word| *word).unwrap_or(0)
    }

    fn store(&self, address: u64, new: u32) {
        self.at(address, |word| *word = new);
    }
}

/// Runs all work groups of a module that came of a shader one after the other, in waves of a size, and gives what the resources hold
/// then.
///
/// # Errors
/// When the shader does not end, or its IR is wrong.
pub(crate) fn interpret(
    shader: &Translated,
    module: &Module,
    wave: u32,
    world: &World,
    groups: [u32; 3],
) -> Result<Vec<Vec<u32>>, String> {
    let machine = Machine { shader, places: RefCell::new(world.places.clone()) };
    let interpreter = Interpreter::new(module).map_err(|error| error.to_string())?.step_limit(STEPS);
    let interpreter = if wave < MAX_WAVE { interpreter.whole_barriers() } else { interpreter };
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                let group = Group { id: [x, y, z], count: groups, wave: wave as usize };
                interpreter.run_group(&machine, group).map_err(|error| error.to_string())?;
            }
        }
    }
    let places = machine.places.into_inner();
    Ok(places.into_iter().filter(|place| place.resource.is_some()).map(|place| place.words).collect())
}
