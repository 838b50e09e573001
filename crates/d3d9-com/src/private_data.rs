//! Private data: bytes and objects that a program attaches to a resource under an identifier.

use core::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use afterimage_d3d9_types::*;

use crate::abi::{IUnknown, IUnknownVtable, In, Out};

enum Value {
    Bytes(Box<[u8]>),
    /// `D3DSPD_IUNKNOWN`.
    Object(Arc<ProgramObject>),
}

/// An object of the program, with one reference that is ours.
struct ProgramObject(*mut IUnknown);

// SAFETY: a program that uses its resources from several threads has objects there that can be called from them: it is what
// Direct3D does with private data.
unsafe impl Send for ProgramObject {}
// SAFETY: as above.
unsafe impl Sync for ProgramObject {}

impl ProgramObject {
    /// Takes a reference.
    ///
    /// # Safety
    /// `object` is a COM object.
    unsafe fn new(object: *mut IUnknown) -> Self {
        // SAFETY: the caller's promise.
        unsafe { (vtable(object).AddRef)(object.cast()) };
        Self(object)
    }

    /// The pointer, with a reference for the program.
    fn hand_out(&self) -> usize {
        // SAFETY: we hold a reference to it.
        unsafe { (vtable(self.0).AddRef)(self.0.cast()) };
        self.0 as usize
    }
}

impl Drop for ProgramObject {
    fn drop(&mut self) {
        // SAFETY: we hold a reference to it.
        unsafe { (vtable(self.0).Release)(self.0.cast()) };
    }
}

/// # Safety
/// `object` is a COM object.
unsafe fn vtable<'a>(object: *mut IUnknown) -> &'a IUnknownVtable {
    // SAFETY: a COM object starts with the pointer to its vtable.
    unsafe { &*(*object).vtable }
}

/// The private data of one resource. A handful of entries at most, so a list. The lock is never held while the program's
/// objects are called, which may come back here.
#[derive(Default)]
pub(crate) struct PrivateData(Mutex<Vec<(GUID, Value)>>);

impl PrivateData {
    fn entries(&self) -> MutexGuard<'_, Vec<(GUID, Value)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `SetPrivateData`.
    pub(crate) fn set(&self, name: In<GUID>, data: In<c_void>, size: u32, flags: u32) -> HRESULT {
        let Some(name) = name.read() else { return D3DERR_INVALIDCALL };
        let value = if flags & D3DSPD_IUNKNOWN != 0 {
            let object = data.as_ptr().cast_mut().cast::<IUnknown>();
            if object.is_null() || size as usize != size_of::<*mut IUnknown>() {
                return D3DERR_INVALIDCALL;
            }
            // SAFETY: not null; the flag says that it is an object of the program.
            Value::Object(Arc::new(unsafe { ProgramObject::new(object) }))
        } else {
            let Some(bytes) = data.bytes(size as usize) else { return D3DERR_INVALIDCALL };
            Value::Bytes(bytes.into())
        };
        let replaced = {
            let mut entries = self.entries();
            let replaced = take(&mut entries, &name);
            entries.push((name, value));
            replaced
        };
        drop(replaced);
        D3D_OK
    }

    /// `GetPrivateData`.
    pub(crate) fn get(&self, name: In<GUID>, mut data: Out<c_void>, size: Out<u32>) -> HRESULT {
        let Some(name) = name.read() else { return D3DERR_INVALIDCALL };
        let entries = self.entries();
        let Some((_, value)) = entries.iter().find(|entry| entry.0 == name) else { return D3DERR_NOTFOUND };
        let length = match value {
            Value::Bytes(bytes) => bytes.len(),
            Value::Object(_) => size_of::<*mut IUnknown>(),
        };
        let Some(room) = size.read() else { return D3DERR_INVALIDCALL };
        size.write(length as u32);
        if data.is_null() {
            return D3D_OK;
        }
        if (room as usize) < length {
            return D3DERR_MOREDATA;
        }
        let Some(to) = data.bytes(length) else { return D3D_OK };
        match value {
            Value::Bytes(bytes) => to.copy_from_slice(bytes),
            Value::Object(object) => {
                // Kept in case another thread takes the entry out in between.
                let object = Arc::clone(object);
                drop(entries);
                to.copy_from_slice(&object.hand_out().to_ne_bytes());
            }
        }
        D3D_OK
    }

    /// `FreePrivateData`.
    pub(crate) fn free(&self, name: In<GUID>) -> HRESULT {
        let removed = name.read().and_then(|name| take(&mut self.entries(), &name));
        if removed.is_some() { D3D_OK } else { D3DERR_NOTFOUND }
    }
}

/// Takes an entry out. It is dropped by the caller, after the list is free again: releasing an object may call back.
fn take(entries: &mut Vec<(GUID, Value)>, name: &GUID) -> Option<Value> {
    let at = entries.iter().position(|entry| entry.0 == *name)?;
    Some(entries.remove(at).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: GUID = GUID { Data1: 7, Data2: 0, Data3: 0, Data4: [0; 8] };

    fn get(data: &PrivateData, to: Option<&mut [u8]>, size: &mut u32) -> HRESULT {
        let to = to.map_or(core::ptr::null_mut(), <[u8]>::as_mut_ptr);
        // SAFETY: the pointers are null or good for what `size` says.
        unsafe { data.get(In::new(&NAME), Out::new(to.cast()), Out::new(size)) }
    }

    #[test]
    fn bytes_come_back_with_the_published_results() {
        let data = PrivateData::default();
        let mut size = 1;
        assert_eq!(get(&data, None, &mut size), D3DERR_NOTFOUND);
        assert_eq!(size, 1, "the size stays as it is");
        // SAFETY: the pointers are good for three bytes.
        let set = |flags| unsafe { data.set(In::new(&NAME), In::new([1u8, 2, 3].as_ptr().cast()), 3, flags) };
        assert_eq!(set(0), D3D_OK);
        assert_eq!(get(&data, None, &mut size), D3D_OK);
        assert_eq!(size, 3);
        let mut two = [0u8; 2];
        size = 2;
        assert_eq!(get(&data, Some(&mut two), &mut size), D3DERR_MOREDATA);
        assert_eq!((size, two), (3, [0, 0]));
        let mut four = [9u8; 4];
        size = 4;
        assert_eq!(get(&data, Some(&mut four), &mut size), D3D_OK);
        assert_eq!((size, four), (3, [1, 2, 3, 9]));
        assert_eq!(set(D3DSPD_IUNKNOWN), D3DERR_INVALIDCALL, "an object has the size of a pointer");
        // SAFETY: the pointer is good.
        let name = unsafe { In::new(&NAME) };
        assert_eq!(data.free(name), D3D_OK);
        assert_eq!(data.free(name), D3DERR_NOTFOUND);
    }
}
