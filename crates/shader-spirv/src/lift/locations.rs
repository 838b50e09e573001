//! Where the scalars and vectors of an input's or output's variable are: locations, builtins, and places in what is captured.

use afterimage_ir::{InputAt, Interp, Kind, Type};

use super::{LiftErrorKind, Lifter};
use crate::tables::{builtin, decoration};
use crate::types::{Decoration, Ty, find};

/// Where an input comes from or an output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// Location and first component.
    Location(u8, u8),
    /// Builtin and its element.
    BuiltIn(u32, u32),
}

/// Where transform feedback puts something.
#[derive(Clone, Copy)]
pub(super) struct Capture {
    pub(super) buffer: u32,
    /// 0 if something else says it.
    pub(super) stride: u32,
    pub(super) offset: u32,
}

/// A scalar or vector of an interface variable.
pub(super) struct Assigned {
    pub(super) leaf: usize,
    pub(super) element: u32,
    pub(super) ty: Type,
    pub(super) at: At,
    pub(super) interp: Interp,
    /// First index into the variable that leads here.
    pub(super) member: u32,
    pub(super) stream: u32,
    pub(super) capture: Option<Capture>,
}

impl Lifter<'_> {
    /// Locations and builtins of the scalars and vectors of an interface variable.
    pub(super) fn assign(
        &self,
        ty: &Ty,
        leaf: usize,
        element: u32,
        start: &mut Start<'_>,
        out: &mut Vec<Assigned>,
    ) -> Result<(), LiftErrorKind> {
        match ty {
            Ty::Struct { id, members } => {
                let mut leaf = leaf;
                for (&member, at) in members.iter().zip(0..) {
                    let ty = self.d.ty(member)?;
                    let decorations = self.d.member_decorations(*id, at);
                    let mut inner = start.member(decorations, at);
                    self.assign(ty, leaf, element, &mut inner, out)?;
                    start.location = inner.location;
                    // Members of what is captured as a whole lie one behind the other.
                    start.offset = start.offset.and(inner.offset);
                    leaf += self.leaf_count(ty);
                }
            }
            Ty::Array { element: part, len: Some(len), .. } => {
                let blocks = self.d.decoration(*part, decoration::Block).is_some();
                let part = self.d.ty(*part)?;
                let first = start.buffer;
                for at in 0..*len {
                    if blocks {
                        // Each block of an array is captured into a buffer of its own.
                        start.buffer = first.saturating_add(at);
                    }
                    self.assign(part, leaf, element.saturating_mul(*len).saturating_add(at), start, out)?;
                }
                start.buffer = first;
            }
            Ty::Matrix { rows, columns, wide } => {
                let column = Ty::column(*rows, *wide);
                for at in 0..u32::from(*columns) {
                    self.assign(&column, leaf, element * u32::from(*columns) + at, start, out)?;
                }
            }
            Ty::Wide { lanes, .. } => {
                let first =
                    start.location.ok_or(LiftErrorKind::Malformed("a 64-bit input or output has no location"))?;
                let component = find(start.decorations, decoration::Component).unwrap_or(0);
                if !component.is_multiple_of(2) || component > 2 {
                    return Err(LiftErrorKind::Malformed("an input or output goes beyond its location"));
                }
                start.offset = start.offset.map(|offset| offset.saturating_add(7) & !7);
                for lane in 0..u32::from(*lanes) {
                    let word = component + 2 * lane;
                    let location = first.saturating_add(word / 4);
                    let at = located(location, (word % 4) as u8)?;
                    let leaf = Assigned {
                        leaf,
                        element: element.saturating_mul((*lanes).into()).saturating_add(lane),
                        ty: Type::I32X2,
                        at,
                        interp: Interp::Flat,
                        member: start.member.unwrap_or(0),
                        stream: start.stream,
                        capture: start.captured(8),
                    };
                    out.push(leaf);
                    start.location = Some(location.saturating_add(1));
                }
            }
            Ty::Leaf(ty) => {
                let at = match (start.builtin, start.location) {
                    (Some((number, element)), _) => {
                        start.builtin = Some((number, element + 1));
                        At::BuiltIn(number, element)
                    }
                    (None, Some(location)) => {
                        start.location = Some(location.saturating_add(1));
                        let component = find(start.decorations, decoration::Component).unwrap_or(0);
                        if component.saturating_add(u32::from(ty.lanes)) > 4 {
                            return Err(LiftErrorKind::Malformed("an input or output goes beyond its location"));
                        }
                        located(location, component as u8)?
                    }
                    (None, None) => {
                        return Err(LiftErrorKind::Malformed("an input or output has neither location nor builtin"));
                    }
                };
                let interp = self.interpolation(start.decorations, ty.kind)?;
                let capture = start.captured(u32::from(ty.lanes) * 4);
                let (member, stream) = (start.member.unwrap_or(0), start.stream);
                out.push(Assigned { leaf, element, ty: *ty, at, interp, member, stream, capture });
            }
            _ => {
                return Err(LiftErrorKind::Malformed(
                    "an input or output is no scalar, vector, matrix, array or struct",
                ));
            }
        }
        Ok(())
    }

    fn interpolation(&self, decorations: &[Decoration], kind: Kind) -> Result<Interp, LiftErrorKind> {
        let mut interp = if kind == Kind::Float { Interp::Smooth } else { Interp::Flat };
        for decoration in decorations {
            match decoration.kind {
                decoration::Flat => interp = Interp::Flat,
                decoration::NoPerspective if interp == Interp::Smooth => interp = Interp::Linear,
                decoration::Centroid if interp == Interp::Smooth => interp = Interp::Centroid,
                decoration::Sample => return Err(LiftErrorKind::Decoration("Sample")),
                decoration::Patch => return Err(LiftErrorKind::Decoration("Patch")),
                decoration::Index if decoration.value != 0 => return Err(LiftErrorKind::Decoration("Index")),
                _ => {}
            }
        }
        Ok(interp)
    }
}

/// What is inherited on the way into an interface variable.
pub(super) struct Start<'a> {
    pub(super) decorations: &'a [Decoration],
    /// The next location.
    pub(super) location: Option<u32>,
    /// A builtin and its next element.
    pub(super) builtin: Option<(u32, u32)>,
    /// First index on the way.
    pub(super) member: Option<u32>,
    pub(super) stream: u32,
    /// Buffer and stride of feedback.
    pub(super) buffer: u32,
    pub(super) stride: u32,
    /// Place of the next capture, if this is captured.
    pub(super) offset: Option<u32>,
}

impl<'a> Start<'a> {
    pub(super) fn new(decorations: &'a [Decoration], location: Option<u32>, member: Option<u32>) -> Start<'a> {
        let location = find(decorations, decoration::Location).or(location);
        let builtin = find(decorations, decoration::BuiltIn).map(|number| (number, 0));
        let of = |kind| find(decorations, kind);
        let [stream, buffer, stride] =
            [decoration::Stream, decoration::XfbBuffer, decoration::XfbStride].map(|kind| of(kind).unwrap_or(0));
        Start { decorations, location, builtin, member, stream, buffer, stride, offset: of(decoration::Offset) }
    }

    /// Where the next `bytes` are captured.
    fn captured(&mut self, bytes: u32) -> Option<Capture> {
        let offset = self.offset?;
        self.offset = Some(offset.saturating_add(bytes));
        Some(Capture { buffer: self.buffer, stride: self.stride, offset })
    }

    fn member(&self, decorations: &'a [Decoration], at: u32) -> Start<'a> {
        let mut start = Start::new(decorations, self.location, self.member.or(Some(at)));
        let own = |kind| find(decorations, kind);
        start.stream = own(decoration::Stream).unwrap_or(self.stream);
        start.buffer = own(decoration::XfbBuffer).unwrap_or(self.buffer);
        start.stride = own(decoration::XfbStride).unwrap_or(self.stride);
        start.offset = own(decoration::Offset).or(self.offset);
        start
    }
}

/// Location and component.
pub(super) fn located(location: u32, component: u8) -> Result<At, LiftErrorKind> {
    let location = u8::try_from(location).ok().filter(|&location| location < 64);
    Ok(At::Location(location.ok_or(LiftErrorKind::TooMany("locations"))?, component))
}

/// The input that an element of an array of distances is in, and its component.
pub(super) fn distance(number: u32, element: u32) -> Option<(InputAt, u8)> {
    let (first, lane) = (u8::try_from(element / 4 * 4).ok().filter(|&first| first < 8)?, (element % 4) as u8);
    match number {
        builtin::ClipDistance => Some((InputAt::ClipDistance(first), lane)),
        builtin::CullDistance => Some((InputAt::CullDistance(first), lane)),
        _ => None,
    }
}
