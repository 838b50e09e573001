//! What the parts of a pixel shader share: the builder, and what the pixel reads from outside.

use super::constants::PixelRegister;
use super::key::Key;
use crate::banks::Bank;
use crate::io;
use afterimage_ir::{Builder, InputAt, InputDecl, Interp, Kind, OutputAt, OutputDecl, Type, Value};

/// What is added to the coordinates of a point sprite: the texel that begins at a point's middle has the pixel there (suite Point
/// params), where hosts' coordinates are a rounding error off to either side.
const SPRITE_AHEAD: f32 = 1.0 / (1u32 << 19) as f32;
/// What a sprite's size is greater by, in pixels, where pixels lie on its edges: they have texels of its inside, and so have pixels
/// between two texels.
const SPRITE_INSIDE: f32 = 1.0 / 128.0;

/// What the parts of a pixel shader share while it is built.
pub(super) struct Lift<'k> {
    pub(super) b: Builder,
    pub(super) key: &'k Key,
}

impl Lift<'_> {
    /// The diffuse and specular colour of the face that is seen.
    pub(super) fn colors(&mut self) -> [Value; 2] {
        let front = [io::FRONT_DIFFUSE, io::FRONT_SPECULAR].map(|location| self.color(location));
        if !self.key.has(Key::TWO_SIDED) {
            return front;
        }
        let back = [io::BACK_DIFFUSE, io::BACK_SPECULAR].map(|location| self.color(location));
        let is_front = self.input("front", InputAt::FrontFacing, Type::BOOL, Interp::Smooth);
        [0, 1].map(|n| self.b.select(is_front, front[n], back[n]))
    }

    fn color(&mut self, location: u8) -> Value {
        if self.key.has(Key::FLAT) {
            return self.input("color", InputAt::Location(location), Type::F32X4, Interp::Flat);
        }
        self.interpolated("color", location, Type::F32X4)
    }

    /// Texture coordinates s, t, r, q of a stage.
    pub(super) fn coordinates(&mut self, stage: usize) -> Value {
        if stage == 3 && self.key.has(Key::POINT_SPRITE) {
            let place = self.input("sprite", InputAt::PointCoord, Type::F32X2, Interp::Smooth);
            let place = self.sprite_of_guest(place);
            let (one, ahead) = (self.b.f32(1.0), self.b.f32(SPRITE_AHEAD));
            let place = self.b.fadd(place, ahead);
            return self.b.construct(&[place, one, one]);
        }
        let location = io::TEXTURE_0 + stage as u8;
        self.interpolated("texture", location, Type::F32X4)
    }

    /// A place on the host's point as one on the guest's, which may be smaller by [`io::POINT_EDGE`], and a little nearer to the
    /// middle then. The host's size is found from how fast places change; it is a multiple of an eighth of a pixel where it is the
    /// guest's.
    fn sprite_of_guest(&mut self, place: Value) -> Value {
        let b = &mut self.b;
        let step = b.extract(place, 0);
        let step = b.ddx(step);
        let (steps, edge, half) = (b.f32(1.0 / io::POINT_EDGE), b.f32(io::POINT_EDGE), b.f32(0.5));
        let wider = b.f32(io::POINT_EDGE - SPRITE_INSIDE);
        let size = b.fdiv(steps, step);
        let size = b.fround(size);
        let halves = b.fmul(size, half);
        let whole = b.ffloor(halves);
        let is_wider = b.fne(halves, whole);
        let size = b.fmul(size, edge);
        let guests = b.fsub(size, wider);
        let scale = b.fdiv(size, guests);
        let from_middle = b.fsub(place, half);
        let on_guests = b.fmad(from_middle, scale, half);
        b.select(is_wider, on_guests, place)
    }

    /// What is not flat, at this pixel.
    pub(super) fn interpolated(&mut self, name: &str, location: u8, ty: Type) -> Value {
        let value = self.input(name, InputAt::Location(location), ty, Interp::Smooth);
        let shared = self.key.has(Key::CORNERS) && self.key.has(Key::SHARED);
        if !self.key.has(Key::AFFINE) && !shared {
            return value;
        }
        let position = self.frag_coord();
        let rcp_w = self.b.extract(position, 3);
        let linear = self.b.fmul(value, rcp_w);
        if !shared {
            return linear;
        }
        let linear = self.in_middle(linear);
        if self.key.has(Key::AFFINE) {
            return linear;
        }
        let rcp_w = self.in_middle(rcp_w);
        self.b.fdiv(linear, rcp_w)
    }

    /// What is linear on the screen, from the corner of a pixel of two columns to its middle.
    fn in_middle(&mut self, value: Value) -> Value {
        let (across, down, half) = (self.b.ddx(value), self.b.ddy(value), self.b.f32(0.5));
        let value = self.b.fadd(value, across);
        self.b.fmad(down, half, value)
    }

    /// Pixel position, depth and 1/w.
    pub(super) fn frag_coord(&mut self) -> Value {
        self.input("position", InputAt::FragCoord, Type::F32X4, Interp::Smooth)
    }

    /// The value of an input; declared once however often it is read.
    pub(super) fn input(&mut self, name: &str, at: InputAt, ty: Type, interp: Interp) -> Value {
        self.b.input_at(at, || InputDecl { name: name.to_owned(), ty, at, interp, semantic: None })
    }

    /// A register of the constant bank as four floats.
    pub(super) fn constant(&mut self, register: PixelRegister, element: u16) -> Value {
        self.constant_as(Kind::Float, register, element)
    }

    /// The same as components of any kind.
    pub(super) fn constant_as(&mut self, kind: Kind, register: PixelRegister, element: u16) -> Value {
        let bank = io::bank(&mut self.b, Bank::Pixel, PixelRegister::COUNT);
        self.b.load_const_as(kind, bank, register.element(element).into())
    }

    pub(super) fn store(&mut self, name: &str, at: OutputAt, ty: Type, value: Value) {
        let output = self.b.output(OutputDecl { name: name.to_owned(), ty, at, semantic: None });
        self.b.store_output(output, value);
    }

    /// `value` clamped to `low..high`.
    pub(super) fn clamp(&mut self, value: Value, low: f32, high: f32) -> Value {
        io::clamp(&mut self.b, value, low, high)
    }
}
