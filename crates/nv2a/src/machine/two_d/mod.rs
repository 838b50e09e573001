//! The 2D classes: what copies and fills rectangles without the 3D engine.
//!
//! Sources: `docs/sources/nv2a.md#methods`, and the class descriptions of envytools (`rnndb/graph/nv01_2d.xml`).

mod blit;
mod copy;
mod line;
mod pattern;
mod surfaces;

use super::instance::Address;
use super::{Bus, Handles};
use crate::memory::DmaObject;
use blit::Blit;
use copy::Copy;
use line::Line;
use pattern::Pattern;
use rustc_hash::FxHashMap;
use surfaces::Surfaces;

/// A rectangle: corner and size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rectangle {
    x: u16,
    y: u16,
    width: u16,
    height: u16,
}

/// State of an object, by its class.
#[derive(Clone, Debug)]
enum Object {
    /// 0x30: says that something is not used.
    Null,
    /// 0x12: one factor for blits, 0 to 255.
    Beta(u8),
    /// 0x72: a factor for each channel, A8R8G8B8.
    Beta4(u32),
    /// 0x19: what 2D objects may draw on.
    Clip(Rectangle),
    /// 0x43: raster operation, one of 256.
    Rop(u8),
    /// 0x44.
    Pattern(Box<Pattern>),
    /// 0x42 and 0x62: where blits read and write.
    Surfaces(Surfaces),
    /// 0x39: copies memory.
    Copy(Copy),
    /// 0x9F, and 0x5F before it: copies rectangles.
    Blit(Blit),
    /// 0x5C: solid lines.
    Line(Line),
}

impl Object {
    fn of(class: u8) -> Option<Self> {
        Some(match class {
            0x30 => Self::Null,
            0x12 => Self::Beta(0xFF),
            0x72 => Self::Beta4(u32::MAX),
            0x19 => Self::Clip(Rectangle::default()),
            0x43 => Self::Rop(0xCC),
            0x44 => Self::Pattern(Box::default()),
            0x42 | 0x62 => Self::Surfaces(Surfaces::default()),
            0x39 => Self::Copy(Copy::default()),
            0x5F | 0x9F => Self::Blit(Blit::default()),
            0x5C => Self::Line(Line::default()),
            _ => return None,
        })
    }
}

/// All 2D objects that were bound, by their address.
#[derive(Debug, Default)]
pub(super) struct TwoD {
    objects: FxHashMap<Address, Slot>,
}

#[derive(Debug)]
struct Slot {
    class: u8,
    object: Object,
    notifies: Option<DmaObject>,
}

/// Why a method was not carried out, or not wholly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The class does not have it.
    Method,
    /// Its argument, and what is done with it.
    Argument(&'static str),
}

/// What drawing needs of the objects that an object refers to.
#[derive(Clone, Debug, Default)]
struct Context {
    surfaces: Option<Surfaces>,
    clip: Option<Rectangle>,
    pattern: Option<Box<Pattern>>,
    rop: Option<u8>,
    beta: Option<u8>,
    beta4: Option<u32>,
}

/// Objects that a blit or a line refers to.
#[derive(Clone, Copy, Debug, Default)]
struct References {
    clip: Option<Address>,
    pattern: Option<Address>,
    rop: Option<Address>,
    beta: Option<Address>,
    beta4: Option<Address>,
    surfaces: Option<Address>,
}

/// Methods that all classes have.
const NO_OPERATION: u16 = 0x0100;
const NOTIFY: u16 = 0x0104;
const SET_CONTEXT_DMA_NOTIFIES: u16 = 0x0180;

impl TwoD {
    /// Makes the object at an address if its class is one of ours. An object that is there keeps its state, unless its class
    /// is another now.
    pub(super) fn create(&mut self, address: Address, class: u8) -> bool {
        if self.objects.get(&address).is_some_and(|slot| slot.class == class) {
            return true;
        }
        let Some(object) = Object::of(class) else { return false };
        self.objects.insert(address, Slot { class, object, notifies: None });
        true
    }

    /// Executes a method.
    pub(super) fn method(
        &mut self,
        address: Address,
        method: u16,
        word: u32,
        bus: &mut Bus<'_>,
        handles: Handles<'_>,
    ) -> Result<(), Refused> {
        let Some(Slot { object, notifies, .. }) = self.objects.get_mut(&address) else { return Err(Refused::Method) };
        match method {
            NO_OPERATION => return Ok(()),
            NOTIFY => {
                // What came before is done already. A notification's status is 0.
                let written = bus.write_dma(*notifies, 0, &[0; 16]);
                return written.then_some(()).ok_or(Refused::Argument("has no DMA object to write into"));
            }
            SET_CONTEXT_DMA_NOTIFIES => return set_dma(notifies, word, handles),
            _ => {}
        }
        match object {
            Object::Null => Ok(()),
            Object::Beta(_) | Object::Beta4(_) | Object::Rop(_) if method != SET_VALUE => Err(Refused::Method),
            Object::Beta(beta) => {
                *beta = beta_of(word);
                Ok(())
            }
            Object::Beta4(beta) => {
                *beta = word;
                Ok(())
            }
            Object::Rop(rop) => {
                *rop = word as u8;
                Ok(())
            }
            Object::Clip(clip) => clip.method(method, word),
            Object::Pattern(pattern) => pattern.method(method, word),
            Object::Surfaces(surfaces) => surfaces.method(method, word, handles),
            Object::Copy(copy) => copy.method(method, word, bus, handles),
            Object::Blit(blit) => {
                blit.method(method, word, handles)?;
                let blit = *blit;
                if method != blit::SIZE {
                    return Ok(());
                }
                let context = self.context(&blit.references, handles);
                blit.run(&context, bus)
            }
            Object::Line(line) => {
                line.method(method, word, handles)?;
                let line = *line;
                let Some(ends) = line.ends else { return Ok(()) };
                let context = self.context(&line.references, handles);
                line.run(ends, &context, bus)
            }
        }
    }

    fn get(&mut self, address: Option<Address>, handles: Handles<'_>) -> Option<&Object> {
        let address = address?;
        let ours = self.create(address, handles.instance.class(address));
        self.objects.get(&address).filter(|_| ours).map(|slot| &slot.object)
    }

    fn context(&mut self, references: &References, handles: Handles<'_>) -> Context {
        let mut context = Context::default();
        let References { clip, pattern, rop, beta, beta4, surfaces } = *references;
        for address in [clip, pattern, rop, beta, beta4, surfaces] {
            match self.get(address, handles) {
                Some(Object::Clip(clip)) => context.clip = Some(*clip),
                Some(Object::Pattern(pattern)) => context.pattern = Some(pattern.clone()),
                Some(Object::Rop(rop)) => context.rop = Some(*rop),
                Some(Object::Beta(beta)) => context.beta = Some(*beta),
                Some(Object::Beta4(beta)) => context.beta4 = Some(*beta),
                Some(Object::Surfaces(surfaces)) => context.surfaces = Some(*surfaces),
                _ => {}
            }
        }
        context
    }
}

/// `SET_BETA`, `SET_ROP`: the one value of their classes.
const SET_VALUE: u16 = 0x0300;

/// A signed fraction of 31 bits, of which the hardware keeps eight; what is negative is nothing.
fn beta_of(word: u32) -> u8 {
    if word >> 31 == 1 { 0 } else { (word >> 23) as u8 }
}

impl Rectangle {
    fn method(&mut self, method: u16, word: u32) -> Result<(), Refused> {
        let (low, high) = halves(word);
        match method {
            0x0300 => (self.x, self.y) = (low, high),
            0x0304 => (self.width, self.height) = (low, high),
            _ => return Err(Refused::Method),
        }
        Ok(())
    }
}

impl References {
    /// Methods by which blits and lines take the objects that they refer to, in the order of their offsets from `first`.
    fn method(&mut self, first: u16, method: u16, word: u32, handles: Handles<'_>) -> Result<(), Refused> {
        let place = match method.wrapping_sub(first) {
            0x00 => &mut self.clip,
            0x04 => &mut self.pattern,
            0x08 => &mut self.rop,
            0x0C => &mut self.beta,
            0x10 => &mut self.beta4,
            0x14 => &mut self.surfaces,
            _ => return Err(Refused::Method),
        };
        *place = handles.find(word);
        if place.is_some() || word == 0 { Ok(()) } else { Err(Refused::Argument("is the handle of no object")) }
    }
}

/// Binds the DMA object that a handle names.
fn set_dma(place: &mut Option<DmaObject>, handle: u32, handles: Handles<'_>) -> Result<(), Refused> {
    *place = handles.dma(handle);
    if place.is_some() || handle == 0 { Ok(()) } else { Err(Refused::Argument("is the handle of no DMA object")) }
}

fn halves(word: u32) -> (u16, u16) {
    (word as u16, (word >> 16) as u16)
}
