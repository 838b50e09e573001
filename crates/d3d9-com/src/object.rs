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
use crate::device::{Device, Entered};

/// How many references a program has.
#[derive(Debug, Default)]
pub(crate) struct Refs(AtomicU32);

impl Refs {
    /// The count.
    pub(crate) fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds one; the count before.
    pub(crate) fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds one to others; the count before. `None` where there are none.
    fn add_another(&self) -> Option<u32> {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count > 0).then(|| count + 1)).ok()
    }

    /// Drops one of several; the count before. `None` where there are not several.
    fn drop_one_of_several(&self) -> Option<u32> {
        self.0.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |count| (count > 1).then(|| count - 1)).ok()
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
    match child.refs().add_another() {
        Some(before) => before + 1,
        None => add_ref_inside(child, &mut child.device().enter()),
    }
}

/// `AddRef` of a child by a call that is inside of its device, where an object that is bound cannot go before it has the
/// reference, whatever other threads do.
pub(crate) fn add_ref_inside<T: Child>(child: &T, guest: &mut Entered<'_>) -> u32 {
    let before = child.refs().add();
    if before == 0 {
        guest.retain(child.handle());
        child.device().add_reference();
    }
    before + 1
}

/// `Release` of a child. The last reference is dropped inside of the device: see [`add_ref_inside`].
pub(crate) fn release<T: Child>(child: &T) -> u32 {
    if let Some(before) = child.refs().drop_one_of_several() {
        return before - 1;
    }
    let device = NonNull::from(child.device());
    // SAFETY: the reference to the device that this child holds is dropped only at the end; a child without references has
    // none to drop, and its device is alive since the program called.
    let device = unsafe { device.as_ref() };
    match device.let_go(child) {
        None => 0,
        Some(1) => {
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
