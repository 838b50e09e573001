//! What every object is made of: reference counts and `QueryInterface`.
//!
//! A program counts references to a COM object. The guest knows beside that what is bound or recorded, and an object
//! that is bound outlives the program's last reference and can be asked for again. So the device owns the memory of
//! all its objects ([`crate::device::Device::adopt`]), and an object goes when the guest says that it is gone. As long as
//! the program has references to an object, the object has one to its device, as on Windows.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use afterimage_d3d9::Handle;
use afterimage_d3d9_types::{D3D_OK, E_NOINTERFACE, E_POINTER, GUID, HRESULT};

use crate::abi::{IUnknownMethods, In, OutObject};
use crate::device::Device;

/// How many references a program has.
#[derive(Debug, Default)]
pub(crate) struct Refs(AtomicU32);

impl Refs {
    /// The count.
    #[cfg(test)]
    pub(crate) fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds one; the count before.
    pub(crate) fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// Drops one; the count before. `None` where there was none to drop: Windows ignores such a `Release`.
    pub(crate) fn drop_one(&self) -> Option<u32> {
        self.0.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |count| count.checked_sub(1)).ok()
    }
}

/// An object that a device owns.
pub(crate) trait Child: Sized {
    /// Its references.
    fn refs(&self) -> &Refs;
    /// Its device.
    fn device(&self) -> &Device;
    /// Its name in the guest.
    fn handle(&self) -> Handle;

    /// The object has found its place in memory.
    ///
    /// # Safety
    /// `this` is that place, and nobody else has seen it.
    unsafe fn placed(_this: *mut Self) {}
}

/// `AddRef` of a child.
pub(crate) fn add_ref<T: Child>(child: &T) -> u32 {
    let before = child.refs().add();
    if before == 0 {
        child.device().enter().retain(child.handle());
        child.device().add_reference();
    }
    before + 1
}

/// `Release` of a child.
pub(crate) fn release<T: Child>(child: &T) -> u32 {
    match child.refs().drop_one() {
        None => 0,
        Some(1) => {
            let device = NonNull::from(child.device());
            // SAFETY: the reference to the device that this child held is dropped only at the end.
            let device = unsafe { device.as_ref() };
            device.let_go(child.handle());
            device.release_reference();
            0
        }
        Some(before) => before - 1,
    }
}

/// What `QueryInterface`, `AddRef` and `Release` of an object do.
pub(crate) trait Unknown {
    /// The identifiers it answers to beside `IUnknown`.
    fn interfaces(&self) -> &'static [GUID];
    /// `AddRef`.
    fn add_reference(&self) -> u32;
    /// `Release`.
    fn release_reference(&self) -> u32;
}

impl<T: Unknown> IUnknownMethods for T {
    fn QueryInterface(&self, riid: In<GUID>, ppvObject: OutObject<c_void>) -> HRESULT {
        if ppvObject.is_null() {
            return E_POINTER;
        }
        let known = riid.read().is_some_and(|iid| iid == crate::abi::IUnknown::IID || self.interfaces().contains(&iid));
        if !known {
            ppvObject.write(core::ptr::null_mut());
            return E_NOINTERFACE;
        }
        self.add_reference();
        ppvObject.write(core::ptr::from_ref(self).cast_mut().cast());
        D3D_OK
    }

    fn AddRef(&self) -> u32 {
        self.add_reference()
    }

    fn Release(&self) -> u32 {
        self.release_reference()
    }
}

/// Makes [`Unknown`] of a [`Child`] that counts for itself: `child!(Query: IDirect3DQuery9)`.
macro_rules! child {
    ($object:ty: $($interface:ident),+) => {
        impl crate::object::Unknown for $object {
            fn interfaces(&self) -> &'static [afterimage_d3d9_types::GUID] {
                &[$(crate::abi::$interface::IID),+]
            }
            fn add_reference(&self) -> u32 {
                crate::object::add_ref(self)
            }
            fn release_reference(&self) -> u32 {
                crate::object::release(self)
            }
        }
    };
}
pub(crate) use child;

#[cfg(test)]
mod tests {
    use super::Refs;

    #[test]
    fn a_release_too_many_changes_nothing() {
        let refs = Refs::default();
        assert_eq!(refs.add(), 0);
        assert_eq!((refs.drop_one(), refs.drop_one(), refs.count()), (Some(1), None, 0));
    }
}
