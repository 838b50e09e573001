//! Data that a program passes without saying how long it is.

use afterimage_d3d9 as guest;
use afterimage_d3d9_types::*;

use crate::abi::In;

/// The elements of a declaration up to its end mark.
pub(super) fn declaration_elements(first: In<D3DVERTEXELEMENT9>) -> Result<Vec<D3DVERTEXELEMENT9>, HRESULT> {
    let mut elements = Vec::new();
    for index in 0..MAXD3DDECLLENGTH as usize + 1 {
        // SAFETY: no element before this one was the end.
        let element = unsafe { first.read_at(index) }.ok_or(D3DERR_INVALIDCALL)?;
        elements.push(element);
        if element.Stream == D3DDECL_END.Stream {
            return Ok(elements);
        }
    }
    Err(E_FAIL)
}

/// The tokens of a shader up to its end token.
pub(super) fn shader_tokens(first: In<u32>) -> Option<Vec<u32>> {
    let mut tokens = Vec::new();
    let length = afterimage_shader_d3d9::token_length(|index| {
        // SAFETY: tokens are asked for in order, and none before this one was the end.
        let token = unsafe { first.read_at(index) }?;
        tokens.push(token);
        Some(token)
    });
    match length {
        Ok(length) => {
            tokens.truncate(length);
            Some(tokens)
        }
        Err(error) => {
            tracing::warn!("a shader is refused: {error}");
            None
        }
    }
}

/// Segments of the edges of a patch; none if the program passes none.
pub(super) fn edges<const N: usize>(segments: In<f32>) -> Option<[f32; N]> {
    segments.slice(N)?.try_into().ok()
}

/// Bytes of the vertices of `DrawPrimitiveUP`.
pub(super) fn vertex_bytes(primitive: D3DPRIMITIVETYPE, count: u32, stride: u32) -> Option<usize> {
    (guest::Device::up_vertex_count(primitive, count)? as usize).checked_mul(stride as usize)
}

/// Bytes of the indices and of the vertices of `DrawIndexedPrimitiveUP`; `range` is the first vertex and their number.
pub(super) fn indexed_bytes(
    primitive: D3DPRIMITIVETYPE,
    count: u32,
    format: D3DFORMAT,
    range: (u32, u32),
    stride: u32,
) -> Option<(usize, usize)> {
    let index_size = match format {
        D3DFMT_INDEX16 => 2,
        D3DFMT_INDEX32 => 4,
        _ => return None,
    };
    let indices = (guest::Device::up_vertex_count(primitive, count)? as usize).checked_mul(index_size)?;
    let vertices = (range.0.checked_add(range.1)? as usize).checked_mul(stride as usize)?;
    Some((indices, vertices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_without_an_end_is_refused() {
        let endless = [D3DVERTEXELEMENT9::default(); MAXD3DDECLLENGTH as usize + 1];
        // SAFETY: good for as many elements as are read.
        assert_eq!(declaration_elements(unsafe { In::new(endless.as_ptr()) }), Err(E_FAIL));
        // SAFETY: null.
        assert_eq!(declaration_elements(unsafe { In::new(core::ptr::null()) }), Err(D3DERR_INVALIDCALL));
        let ended = [D3DVERTEXELEMENT9::default(), D3DDECL_END, D3DVERTEXELEMENT9::default()];
        // SAFETY: good for as many elements as are read.
        assert_eq!(declaration_elements(unsafe { In::new(ended.as_ptr()) }), Ok(ended[..2].to_vec()));
    }

    #[test]
    fn a_shader_ends_with_its_end_token() {
        let tokens = [0xffff0200, 0x0000ffff, 0xdead_beef];
        // SAFETY: good for as many tokens as are read.
        assert_eq!(shader_tokens(unsafe { In::new(tokens.as_ptr()) }), Some(tokens[..2].to_vec()));
        // SAFETY: null.
        assert_eq!(shader_tokens(unsafe { In::new(core::ptr::null()) }), None);
    }
}
