//! Value types: vectors of one to four 32-bit components.

use std::fmt;

/// What the 32 bits of a component mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// Untyped bits, as guest registers hold them. Type inference replaces this where it can.
    Bits,
    /// IEEE 754 binary32.
    Float,
    /// A 32-bit integer without a sign of its own: opcodes say whether they read it as signed.
    Int,
    /// A truth value. It has no bit pattern that a program can see.
    Bool,
}

impl Kind {
    /// Every kind, in the order of their text names.
    pub const ALL: [Kind; 4] = [Kind::Bits, Kind::Float, Kind::Int, Kind::Bool];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bits => "b32",
            Kind::Float => "f32",
            Kind::Int => "i32",
            Kind::Bool => "bool",
        }
    }
}

/// A vector type. One lane is a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type {
    /// Kind of every component.
    pub kind: Kind,
    /// Number of components, 1 to 4.
    pub lanes: u8,
}

impl Type {
    /// A scalar float.
    pub const F32: Type = Type::new(Kind::Float, 1);
    /// Two floats.
    pub const F32X2: Type = Type::new(Kind::Float, 2);
    /// Three floats.
    pub const F32X3: Type = Type::new(Kind::Float, 3);
    /// Four floats.
    pub const F32X4: Type = Type::new(Kind::Float, 4);
    /// A scalar integer.
    pub const I32: Type = Type::new(Kind::Int, 1);
    /// Two integers: a 64-bit number, low half first.
    pub const I32X2: Type = Type::new(Kind::Int, 2);
    /// Three integers.
    pub const I32X3: Type = Type::new(Kind::Int, 3);
    /// Four integers.
    pub const I32X4: Type = Type::new(Kind::Int, 4);
    /// A scalar truth value.
    pub const BOOL: Type = Type::new(Kind::Bool, 1);
    /// Four truth values.
    pub const BOOLX4: Type = Type::new(Kind::Bool, 4);
    /// A scalar of untyped bits.
    pub const B32: Type = Type::new(Kind::Bits, 1);
    /// Four components of untyped bits: a guest register.
    pub const B32X4: Type = Type::new(Kind::Bits, 4);

    /// The type of `lanes` (1 to 4) components of `kind`.
    pub const fn new(kind: Kind, lanes: u8) -> Type {
        Type { kind, lanes }
    }

    /// The same lanes, of another kind.
    pub const fn with_kind(self, kind: Kind) -> Type {
        Type { kind, ..self }
    }

    /// The same kind, with another number of lanes (1 to 4).
    pub const fn with_lanes(self, lanes: u8) -> Type {
        Type { lanes, ..self }
    }

    /// Parses `f32`, `b32x4`, `boolx2`...
    pub fn from_text(text: &str) -> Option<Type> {
        let kind = Kind::ALL.into_iter().find(|k| text.starts_with(k.name()))?;
        let lanes = match &text[kind.name().len()..] {
            "" => 1,
            "x2" => 2,
            "x3" => 3,
            "x4" => 4,
            _ => return None,
        };
        Some(Type { kind, lanes })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.lanes == 1 { Ok(()) } else { write!(f, "x{}", self.lanes) }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Which components a store writes. Bit 0 is x.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mask(pub u8);

impl Mask {
    /// All four components.
    pub const XYZW: Mask = Mask(15);

    /// The first `lanes` components.
    pub fn first(lanes: u8) -> Mask {
        Mask((1u8 << lanes.min(4)) - 1)
    }

    /// Whether component `lane` is written.
    pub fn has(self, lane: u8) -> bool {
        self.0 >> lane & 1 != 0
    }

    /// Number of components written.
    pub fn count(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Components written, lowest first.
    pub fn lanes(self) -> impl Iterator<Item = u8> {
        (0..4).filter(move |&l| self.has(l))
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lanes().try_for_each(|l| write!(f, "{}", LETTERS[l as usize] as char))
    }
}

pub(crate) const LETTERS: &[u8; 4] = b"xyzw";

/// One to four selected components. In `swizzle` an index is 0 to 3; in `shuffle` the indices go on from the first operand's
/// components into the second's, so they are 0 to 7.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swizzle {
    select: [u8; 4],
    len: u8,
}

impl Swizzle {
    /// `.xyzw`.
    pub const XYZW: Swizzle = Swizzle { select: [0, 1, 2, 3], len: 4 };

    /// Selects `lanes`, of which there must be one to four, each below 8.
    ///
    /// # Panics
    /// When there are none, or more than four, or one is out of range.
    pub fn new(lanes: &[u8]) -> Swizzle {
        assert!((1..=4).contains(&lanes.len()) && lanes.iter().all(|&l| l < 8), "bad swizzle {lanes:?}");
        let mut select = [0; 4];
        select[..lanes.len()].copy_from_slice(lanes);
        Swizzle { select, len: lanes.len() as u8 }
    }

    /// All of it in one number, another for each other one.
    pub fn bits(self) -> u32 {
        u32::from_le_bytes(self.select) << 3 | u32::from(self.len)
    }

    /// Component `lane` (0 to 3) in `count` (1 to 4) copies.
    pub fn splat(lane: u8, count: u8) -> Swizzle {
        Swizzle::new(&[lane; 4][..count as usize])
    }

    /// From `x`, `xy`, `wzyx`...
    pub fn from_text(text: &str) -> Option<Swizzle> {
        let mut lanes = [0; 4];
        if text.is_empty() || text.len() > 4 {
            return None;
        }
        for (lane, letter) in lanes.iter_mut().zip(text.bytes()) {
            *lane = LETTERS.iter().position(|&l| l == letter)? as u8;
        }
        Some(Swizzle::new(&lanes[..text.len()]))
    }

    /// The selected components in order.
    pub fn lanes(&self) -> &[u8] {
        &self.select[..self.len as usize]
    }

    /// Number of components selected, 1 to 4.
    pub fn count(&self) -> u8 {
        self.len
    }

    /// Whether applying it to a vector of `lanes` components changes nothing.
    pub fn is_identity(&self, lanes: u8) -> bool {
        self.len == lanes && self.lanes().iter().enumerate().all(|(i, &l)| i == l as usize)
    }

    /// Each index changed by `change`, which must give one below 8.
    pub fn map(mut self, change: impl Fn(u8) -> u8) -> Swizzle {
        for lane in &mut self.select[..self.len as usize] {
            *lane = change(*lane) & 7;
        }
        self
    }

    /// The swizzle that does `self` first and `then` afterwards. `then` must not select beyond `self`.
    pub fn then(&self, then: Swizzle) -> Swizzle {
        let mut out = then;
        for lane in &mut out.select[..then.len as usize] {
            *lane = self.select[*lane as usize & 3];
        }
        out
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lanes().iter().try_for_each(|&l| write!(f, "{}", LETTERS[l as usize & 3] as char))
    }
}

impl fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.lanes())
    }
}
