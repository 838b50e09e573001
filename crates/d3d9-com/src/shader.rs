//! Vertex declarations and shaders: `IDirect3DVertexDeclaration9`, `IDirect3DVertexShader9`, `IDirect3DPixelShader9`.

use core::ffi::c_void;
use core::ptr::NonNull;

use afterimage_d3d9::{DeclarationId, Handle, PixelShaderId, VertexShaderId};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::device::Device;
use crate::object::{Child, Refs, child};
use crate::resource::get_device;

/// An object that has nothing but a device, a name in the guest, and one interface.
macro_rules! plain {
    ($(#[$doc:meta])* $name:ident($id:ty): $interface:ident, $vtable:ident, $static:ident) => {
        static $static: $vtable = $vtable::of::<$name>();

        $(#[$doc])*
        #[repr(C)]
        pub(crate) struct $name {
            vtable: *const $vtable,
            refs: Refs,
            device: NonNull<Device>,
            pub(crate) id: $id,
        }

        // SAFETY: the interface is only ever given out for this type.
        unsafe impl Interface for $interface {
            type Object = $name;
        }

        impl $name {
            /// The object of what the guest has just made.
            pub(crate) fn new(device: &Device, id: $id) -> Self {
                Self { vtable: &$static, refs: Refs::default(), device: NonNull::from(device), id }
            }
        }

        impl Child for $name {
            fn refs(&self) -> &Refs {
                &self.refs
            }
            fn device(&self) -> &Device {
                // SAFETY: a device owns its objects and frees them before itself.
                unsafe { self.device.as_ref() }
            }
            fn handle(&self) -> Handle {
                self.id.into()
            }
        }

        child!($name: $interface);
    };
}
pub(crate) use plain;

plain! {
    /// A vertex declaration.
    Declaration(DeclarationId): IDirect3DVertexDeclaration9, IDirect3DVertexDeclaration9Vtable, DECLARATION
}
plain! {
    /// A vertex shader.
    VertexShader(VertexShaderId): IDirect3DVertexShader9, IDirect3DVertexShader9Vtable, VERTEX_SHADER
}
plain! {
    /// A pixel shader.
    PixelShader(PixelShaderId): IDirect3DPixelShader9, IDirect3DPixelShader9Vtable, PIXEL_SHADER
}

impl IDirect3DVertexDeclaration9Methods for Declaration {
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.device(), ppDevice)
    }

    fn GetDeclaration(&self, mut pElement: Out<D3DVERTEXELEMENT9>, pNumElements: Out<u32>) -> HRESULT {
        let guest = self.device().enter();
        let elements = match guest.declaration_elements(self.id) {
            Ok(elements) => elements,
            Err(error) => return error.code(),
        };
        if !pNumElements.write(elements.len() as u32) {
            return D3DERR_INVALIDCALL;
        }
        if let Some(to) = pElement.slice(elements.len()) {
            to.copy_from_slice(elements);
        }
        D3D_OK
    }
}

/// `GetFunction`: the size, or the tokens where there is room for all of them.
fn get_function(tokens: afterimage_d3d9::Result<&[u32]>, mut data: Out<c_void>, size: Out<u32>) -> HRESULT {
    let bytes: &[u8] = match tokens {
        Ok(tokens) => bytemuck::cast_slice(tokens),
        Err(error) => return error.code(),
    };
    let Some(room) = size.read() else { return D3DERR_INVALIDCALL };
    if data.is_null() {
        size.write(bytes.len() as u32);
        return D3D_OK;
    }
    if (room as usize) < bytes.len() {
        return D3DERR_INVALIDCALL;
    }
    if let Some(to) = data.bytes(bytes.len()) {
        to.copy_from_slice(bytes);
    }
    D3D_OK
}

impl IDirect3DVertexShader9Methods for VertexShader {
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.device(), ppDevice)
    }
    fn GetFunction(&self, pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT {
        get_function(self.device().enter().vertex_shader_code(self.id), pData, pSizeOfData)
    }
}

impl IDirect3DPixelShader9Methods for PixelShader {
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.device(), ppDevice)
    }
    fn GetFunction(&self, pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT {
        get_function(self.device().enter().pixel_shader_code(self.id), pData, pSizeOfData)
    }
}
