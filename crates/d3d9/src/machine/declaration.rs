//! Vertex declarations, and flexible vertex formats as declarations.

use crate::error::{Error, Result};
use crate::handle::VertexShaderId;
use afterimage_d3d9_types::*;
use afterimage_stream::{ObjectId, VertexFormat};
use smallvec::SmallVec;

/// Host format and size in bytes of a `D3DDECLTYPE_*`. From the published documentation of `D3DDECLTYPE`.
pub(crate) fn decl_type(ty: u8) -> Option<(VertexFormat, u32)> {
    use VertexFormat as F;
    Some(match u32::from(ty) {
        D3DDECLTYPE_FLOAT1 => (F::R32_SFLOAT, 4),
        D3DDECLTYPE_FLOAT2 => (F::R32G32_SFLOAT, 8),
        D3DDECLTYPE_FLOAT3 => (F::R32G32B32_SFLOAT, 12),
        D3DDECLTYPE_FLOAT4 => (F::R32G32B32A32_SFLOAT, 16),
        D3DDECLTYPE_D3DCOLOR => (F::B8G8R8A8_UNORM, 4),
        D3DDECLTYPE_UBYTE4 => (F::R8G8B8A8_USCALED, 4),
        D3DDECLTYPE_SHORT2 => (F::R16G16_SSCALED, 4),
        D3DDECLTYPE_SHORT4 => (F::R16G16B16A16_SSCALED, 8),
        D3DDECLTYPE_UBYTE4N => (F::R8G8B8A8_UNORM, 4),
        D3DDECLTYPE_SHORT2N => (F::R16G16_SNORM, 4),
        D3DDECLTYPE_SHORT4N => (F::R16G16B16A16_SNORM, 8),
        D3DDECLTYPE_USHORT2N => (F::R16G16_UNORM, 4),
        D3DDECLTYPE_USHORT4N => (F::R16G16B16A16_UNORM, 8),
        D3DDECLTYPE_UDEC3 => (F::A2B10G10R10_USCALED, 4),
        D3DDECLTYPE_DEC3N => (F::A2B10G10R10_SNORM, 4),
        D3DDECLTYPE_FLOAT16_2 => (F::R16G16_SFLOAT, 4),
        D3DDECLTYPE_FLOAT16_4 => (F::R16G16B16A16_SFLOAT, 8),
        _ => return None,
    })
}

/// Components that a `D3DDECLTYPE_*` feeds.
pub(crate) fn components(ty: u8) -> u8 {
    match u32::from(ty) {
        D3DDECLTYPE_FLOAT1 => 1,
        D3DDECLTYPE_FLOAT2
        | D3DDECLTYPE_SHORT2
        | D3DDECLTYPE_SHORT2N
        | D3DDECLTYPE_USHORT2N
        | D3DDECLTYPE_FLOAT16_2 => 2,
        D3DDECLTYPE_FLOAT3 | D3DDECLTYPE_UDEC3 | D3DDECLTYPE_DEC3N => 3,
        _ => 4,
    }
}

/// A layout in the stream that was made from a declaration.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The vertex shader whose inputs it feeds; none for the fixed vertex stage.
    pub(crate) shader: Option<VertexShaderId>,
    /// Frequencies of the streams, where one is not 1.
    pub(crate) instancing: Option<Box<[u32; 16]>>,
    pub(crate) id: ObjectId,
}

/// A vertex declaration.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// The elements, `D3DDECL_END` included.
    pub(crate) elements: Box<[D3DVERTEXELEMENT9]>,
    /// The FVF code that it stands for, or 0.
    pub(crate) fvf: u32,
    /// Positions are in window coordinates (`POSITIONT`): no vertex shader runs.
    pub(crate) transformed: bool,
    /// What has been made from it.
    pub(crate) layouts: SmallVec<[Layout; 2]>,
}

impl Declaration {
    /// A declaration of elements that Direct3D accepts.
    pub(crate) fn new(elements: &[D3DVERTEXELEMENT9], fvf: u32) -> Result<Self> {
        let end = elements.iter().position(|e| e.Stream == 0xff).unwrap_or(elements.len());
        let elements = &elements[..end];
        if elements.len() > MAXD3DDECLLENGTH as usize {
            return Err(Error::InvalidCall);
        }
        for (index, element) in elements.iter().enumerate() {
            let fits = decl_type(element.Type).is_some() && element.Offset % 4 == 0;
            let in_range = element.Stream < 16
                && u32::from(element.Usage) <= D3DDECLUSAGE_SAMPLE
                && u32::from(element.UsageIndex) <= MAXD3DDECLUSAGEINDEX
                && u32::from(element.Method) <= MAXD3DDECLMETHOD
                && element.Offset < 2048;
            let repeated =
                elements[..index].iter().any(|e| (e.Usage, e.UsageIndex) == (element.Usage, element.UsageIndex));
            if !fits || !in_range || repeated {
                tracing::debug!(?element, "vertex element refused");
                return Err(if fits { Error::InvalidCall } else { Error::Fail });
            }
        }
        let transformed = elements.iter().any(|e| u32::from(e.Usage) == D3DDECLUSAGE_POSITIONT && e.UsageIndex == 0);
        let elements = elements.iter().copied().chain([D3DDECL_END]).collect();
        Ok(Self { elements, fvf, transformed, layouts: SmallVec::new() })
    }

    /// The layout that was made for a vertex shader and frequencies.
    pub(crate) fn layout(&self, shader: Option<VertexShaderId>, instancing: Option<&[u32; 16]>) -> Option<ObjectId> {
        let found = self.layouts.iter().find(|l| l.shader == shader && l.instancing.as_deref() == instancing);
        found.map(|layout| layout.id)
    }

    /// The elements without the end.
    pub(crate) fn used(&self) -> &[D3DVERTEXELEMENT9] {
        &self.elements[..self.elements.len() - 1]
    }
}

/// The FVF code that stands for these elements, all of them as they are; 0 if none does. Elements without a position have none:
/// Wine's `test_fvf_decl_conversion` has what Windows says.
pub(crate) fn fvf_of(elements: &[D3DVERTEXELEMENT9]) -> u32 {
    let used = || elements.iter().take_while(|element| element.Stream != 0xff);
    let find = |usage: u32, index: u8| used().find(|e| u32::from(e.Usage) == usage && e.UsageIndex == index);
    let weights = find(D3DDECLUSAGE_BLENDWEIGHT, 0).map_or(0, |e| u32::from(components(e.Type)));
    let indices = find(D3DDECLUSAGE_BLENDINDICES, 0);
    let mut fvf = match (find(D3DDECLUSAGE_POSITION, 0), find(D3DDECLUSAGE_POSITIONT, 0)) {
        (Some(_), None) if weights > 0 || indices.is_some() => {
            D3DFVF_XYZB1 + 2 * (weights + u32::from(indices.is_some()) - 1)
        }
        (Some(position), None) if u32::from(position.Type) == D3DDECLTYPE_FLOAT4 => D3DFVF_XYZW,
        (Some(_), None) => D3DFVF_XYZ,
        (None, Some(_)) => D3DFVF_XYZRHW,
        _ => return 0,
    };
    fvf |= match indices.map(|e| u32::from(e.Type)) {
        Some(D3DDECLTYPE_UBYTE4) => D3DFVF_LASTBETA_UBYTE4,
        Some(D3DDECLTYPE_D3DCOLOR) => D3DFVF_LASTBETA_D3DCOLOR,
        _ => 0,
    };
    let others = [
        (D3DDECLUSAGE_NORMAL, 0, D3DFVF_NORMAL),
        (D3DDECLUSAGE_PSIZE, 0, D3DFVF_PSIZE),
        (D3DDECLUSAGE_COLOR, 0, D3DFVF_DIFFUSE),
        (D3DDECLUSAGE_COLOR, 1, D3DFVF_SPECULAR),
    ];
    for (usage, index, flag) in others {
        fvf |= if find(usage, index).is_some() { flag } else { 0 };
    }
    let sets = (0..D3DDP_MAXTEXCOORD).map_while(|set| find(D3DDECLUSAGE_TEXCOORD, set as u8));
    for (set, element) in sets.enumerate() {
        let size = match components(element.Type) {
            1 => D3DFVF_TEXTUREFORMAT1,
            3 => D3DFVF_TEXTUREFORMAT3,
            4 => D3DFVF_TEXTUREFORMAT4,
            _ => D3DFVF_TEXTUREFORMAT2,
        };
        fvf += 1 << D3DFVF_TEXCOUNT_SHIFT;
        fvf |= size << (16 + 2 * set);
    }
    // What the code cannot say (other types, places, semantics) shows here.
    let same = fvf_elements(fvf).is_ok_and(|whole| used().eq(whole.iter()));
    if same { fvf } else { 0 }
}

/// The elements that an FVF code stands for, by the rules of the published documentation ("Mapping FVF Codes").
pub(crate) fn fvf_elements(fvf: u32) -> Result<Vec<D3DVERTEXELEMENT9>> {
    let mut elements = Vec::new();
    let mut offset = 0;
    let mut add = |ty: u32, usage: u32, index: u32| {
        elements.push(D3DVERTEXELEMENT9 {
            Stream: 0,
            Offset: offset as u16,
            Type: ty as u8,
            Method: 0,
            Usage: usage as u8,
            UsageIndex: index as u8,
        });
        offset += decl_type(ty as u8).map_or(0, |(_, size)| size);
    };
    let position = fvf & D3DFVF_POSITION_MASK;
    let mut weights = 0;
    match position {
        0 => {}
        D3DFVF_XYZ => add(D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_POSITION, 0),
        D3DFVF_XYZRHW => add(D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_POSITIONT, 0),
        D3DFVF_XYZW => add(D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_POSITION, 0),
        D3DFVF_XYZB1 | D3DFVF_XYZB2 | D3DFVF_XYZB3 | D3DFVF_XYZB4 | D3DFVF_XYZB5 => {
            add(D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_POSITION, 0);
            weights = (position - D3DFVF_XYZB1) / 2 + 1;
        }
        _ => return Err(Error::InvalidCall),
    }
    if weights > 0 {
        // The last of the weights may be indices instead; with five there are only four weights.
        let indices = if fvf & D3DFVF_LASTBETA_UBYTE4 != 0 {
            Some(D3DDECLTYPE_UBYTE4)
        } else if fvf & D3DFVF_LASTBETA_D3DCOLOR != 0 {
            Some(D3DDECLTYPE_D3DCOLOR)
        } else if weights == 5 {
            Some(D3DDECLTYPE_FLOAT1)
        } else {
            None
        };
        let floats = weights - u32::from(indices.is_some());
        match (weights, indices) {
            // Windows swaps the roles here.
            (2, Some(D3DDECLTYPE_D3DCOLOR)) => {
                add(D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_BLENDWEIGHT, 0);
                add(D3DDECLTYPE_UBYTE4, D3DDECLUSAGE_BLENDINDICES, 0);
            }
            _ => {
                if floats > 0 {
                    add(D3DDECLTYPE_FLOAT1 + floats - 1, D3DDECLUSAGE_BLENDWEIGHT, 0);
                }
                if let Some(ty) = indices {
                    add(ty, D3DDECLUSAGE_BLENDINDICES, 0);
                }
            }
        }
    }
    if fvf & D3DFVF_NORMAL != 0 {
        add(D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_NORMAL, 0);
    }
    if fvf & D3DFVF_PSIZE != 0 {
        add(D3DDECLTYPE_FLOAT1, D3DDECLUSAGE_PSIZE, 0);
    }
    if fvf & D3DFVF_DIFFUSE != 0 {
        add(D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 0);
    }
    if fvf & D3DFVF_SPECULAR != 0 {
        add(D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 1);
    }
    let count = (fvf & D3DFVF_TEXCOUNT_MASK) >> D3DFVF_TEXCOUNT_SHIFT;
    if count > D3DDP_MAXTEXCOORD {
        return Err(Error::InvalidCall);
    }
    for set in 0..count {
        let ty = match fvf >> (16 + set * 2) & 3 {
            D3DFVF_TEXTUREFORMAT1 => D3DDECLTYPE_FLOAT1,
            D3DFVF_TEXTUREFORMAT3 => D3DDECLTYPE_FLOAT3,
            D3DFVF_TEXTUREFORMAT4 => D3DDECLTYPE_FLOAT4,
            _ => D3DDECLTYPE_FLOAT2,
        };
        add(ty, D3DDECLUSAGE_TEXCOORD, set);
    }
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(fvf: u32) -> Vec<(u32, u32, u32, u16)> {
        let elements = fvf_elements(fvf).unwrap();
        elements.iter().map(|e| (e.Usage.into(), e.UsageIndex.into(), e.Type.into(), e.Offset)).collect()
    }

    #[test]
    fn fvf_codes_become_elements_in_the_published_order() {
        let fvf = D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_TEX2 | D3DFVF_TEXTUREFORMAT3 << 18;
        assert_eq!(
            shape(fvf),
            [
                (D3DDECLUSAGE_POSITION, 0, D3DDECLTYPE_FLOAT3, 0),
                (D3DDECLUSAGE_NORMAL, 0, D3DDECLTYPE_FLOAT3, 12),
                (D3DDECLUSAGE_COLOR, 0, D3DDECLTYPE_D3DCOLOR, 24),
                (D3DDECLUSAGE_TEXCOORD, 0, D3DDECLTYPE_FLOAT2, 28),
                (D3DDECLUSAGE_TEXCOORD, 1, D3DDECLTYPE_FLOAT3, 36),
            ]
        );
        assert_eq!(
            shape(D3DFVF_XYZB3 | D3DFVF_LASTBETA_UBYTE4),
            [
                (D3DDECLUSAGE_POSITION, 0, D3DDECLTYPE_FLOAT3, 0),
                (D3DDECLUSAGE_BLENDWEIGHT, 0, D3DDECLTYPE_FLOAT2, 12),
                (D3DDECLUSAGE_BLENDINDICES, 0, D3DDECLTYPE_UBYTE4, 20),
            ]
        );
        assert!(Declaration::new(&fvf_elements(D3DFVF_XYZRHW | D3DFVF_SPECULAR).unwrap(), 0).unwrap().transformed);
        assert_eq!(fvf_elements(D3DFVF_TEX8 + 0x100).unwrap_err(), Error::InvalidCall);
    }

    #[test]
    fn elements_that_a_code_stands_for_have_it() {
        let textured = D3DFVF_TEX2 | D3DFVF_TEXTUREFORMAT3 << 16 | D3DFVF_TEXTUREFORMAT1 << 18;
        for fvf in [
            D3DFVF_XYZ,
            D3DFVF_XYZRHW,
            D3DFVF_XYZW,
            D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_PSIZE | D3DFVF_DIFFUSE | D3DFVF_SPECULAR | textured,
            D3DFVF_XYZB1 | D3DFVF_LASTBETA_UBYTE4,
            D3DFVF_XYZB3 | D3DFVF_NORMAL,
            D3DFVF_XYZB4 | D3DFVF_LASTBETA_D3DCOLOR | D3DFVF_TEX1,
        ] {
            let mut elements = fvf_elements(fvf).unwrap();
            assert_eq!(fvf_of(&elements), fvf, "{fvf:#x}");
            elements.push(D3DDECL_END);
            assert_eq!(fvf_of(&elements), fvf, "{fvf:#x} and its end");
            elements[0].Stream = 1;
            assert_eq!(fvf_of(&elements), 0, "{fvf:#x} of another stream");
        }
        for fvf in [D3DFVF_NORMAL, D3DFVF_DIFFUSE, D3DFVF_TEX1] {
            assert_eq!(fvf_of(&fvf_elements(fvf).unwrap()), 0, "{fvf:#x} has no position");
        }
        assert_eq!(fvf_of(&[]), 0);
    }

    #[test]
    fn bad_elements_are_refused() {
        let good = fvf_elements(D3DFVF_XYZ | D3DFVF_DIFFUSE).unwrap();
        assert!(Declaration::new(&good, 0).is_ok());
        type Change = fn(&mut D3DVERTEXELEMENT9);
        let changes: [(Change, Error); 7] = [
            (|e| e.Type = 18, Error::Fail),
            (|e| e.Type = D3DDECLTYPE_UNUSED as u8, Error::Fail),
            (|e| e.Offset = 2, Error::Fail),
            (|e| e.Stream = 16, Error::InvalidCall),
            (|e| e.Usage = 14, Error::InvalidCall),
            (|e| e.UsageIndex = 16, Error::InvalidCall),
            (|e| (e.Usage, e.UsageIndex) = (0, 0), Error::InvalidCall),
        ];
        for (change, error) in changes {
            let mut bad = good.clone();
            change(&mut bad[1]);
            assert_eq!(Declaration::new(&bad, 0).unwrap_err(), error);
        }
    }
}
