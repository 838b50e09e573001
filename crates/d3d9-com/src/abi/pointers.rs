//! Parameters that are pointers.
//!
//! COM's contract is that a pointer which a program passes is null or good for the call. These types are what a pointer
//! looks like once it came through a vtable: null is an `Option`, everything else is safe. They can be made from
//! raw pointers only by `unsafe` code, so the contract is stated once, here, instead of in each method. Reads and
//! writes of single values tolerate misaligned addresses, as the hardware does.

use core::ffi::c_void;

/// Whether so many values can be in memory at all, which slices demand.
const fn fits<T>(count: usize) -> bool {
    matches!(count.checked_mul(size_of::<T>()), Some(bytes) if bytes <= isize::MAX as usize)
}

/// `const T *`: read by the method.
#[derive(Debug)]
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> In<T> {
    /// Wraps a pointer.
    ///
    /// # Safety
    /// It is null, or good for reads of as many values as the method will be told, as long as this exists.
    pub const unsafe fn new(pointer: *const T) -> Self {
        Self(pointer)
    }

    /// Whether the program passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The bare address.
    pub fn as_ptr(self) -> *const T {
        self.0
    }

    /// The value, or `None` for null.
    pub fn read(self) -> Option<T>
    where
        T: Copy,
    {
        // SAFETY: not null, so good for a read (`new`); `T: Copy` types here are plain data.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// `count` values, or `None` for a null or misaligned pointer.
    pub fn slice(&self, count: usize) -> Option<&[T]> {
        if self.0.is_null() || !self.0.is_aligned() || !fits::<T>(count) {
            return None;
        }
        // SAFETY: not null and aligned, and good for `count` values (`new`).
        Some(unsafe { core::slice::from_raw_parts(self.0, count) })
    }

    /// The value `index` places further on, or `None` for null. For arrays that end with a marker.
    ///
    /// # Safety
    /// The array reaches that far: no earlier value was its end.
    pub unsafe fn read_at(self, index: usize) -> Option<T>
    where
        T: Copy,
    {
        // SAFETY: not null, and the caller has found no end before `index`.
        (!self.0.is_null()).then(|| unsafe { self.0.add(index).read_unaligned() })
    }
}

impl In<c_void> {
    /// `count` bytes, or `None` for null.
    pub fn bytes(&self, count: usize) -> Option<&[u8]> {
        // SAFETY: not null, so good for `count` bytes (`new`).
        (!self.0.is_null() && fits::<u8>(count)).then(|| unsafe { core::slice::from_raw_parts(self.0.cast(), count) })
    }
}

/// `T *`: written by the method, and read where the method says so.
#[derive(Debug)]
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Wraps a pointer.
    ///
    /// # Safety
    /// It is null, or good for reads and writes of as many values as the method will be told, as long as this exists.
    pub const unsafe fn new(pointer: *mut T) -> Self {
        Self(pointer)
    }

    /// Whether the program passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Stores a value; false for null.
    pub fn write(self, value: T) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: not null, so good for a write (`new`).
        unsafe { self.0.write_unaligned(value) };
        true
    }

    /// The value that is there, or `None` for null.
    pub fn read(self) -> Option<T>
    where
        T: Copy,
    {
        // SAFETY: not null, so good for a read (`new`); `T: Copy` types here are plain data.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// `count` values, or `None` for a null or misaligned pointer.
    pub fn slice(&mut self, count: usize) -> Option<&mut [T]> {
        if self.0.is_null() || !self.0.is_aligned() || !fits::<T>(count) {
            return None;
        }
        // SAFETY: not null and aligned, and good for `count` values (`new`), which only this call touches.
        Some(unsafe { core::slice::from_raw_parts_mut(self.0, count) })
    }
}

impl Out<c_void> {
    /// `count` bytes, or `None` for null.
    pub fn bytes(&mut self, count: usize) -> Option<&mut [u8]> {
        // SAFETY: not null, so good for `count` bytes (`new`), which only this call touches.
        (!self.0.is_null() && fits::<u8>(count))
            .then(|| unsafe { core::slice::from_raw_parts_mut(self.0.cast(), count) })
    }
}

/// `T **`: where a method puts an object, or an address.
#[derive(Debug)]
#[repr(transparent)]
pub struct OutObject<T>(*mut *mut T);

impl<T> OutObject<T> {
    /// Wraps a pointer.
    ///
    /// # Safety
    /// It is null, or good for a write of a pointer, as long as this exists.
    pub const unsafe fn new(pointer: *mut *mut T) -> Self {
        Self(pointer)
    }

    /// Whether the program passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Stores an address; false for null.
    #[allow(clippy::not_unsafe_ptr_arg_deref, reason = "the address is stored, not followed")]
    pub fn write(self, value: *mut T) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: not null, so good for a write (`new`).
        unsafe { self.0.write_unaligned(value) };
        true
    }
}

impl<T> OutObject<T> {
    /// The same place, for an interface that `T` extends or is extended by.
    pub fn cast<U>(self) -> OutObject<U> {
        OutObject(self.0.cast())
    }
}

/// An interface whose objects are ours.
///
/// # Safety
/// A pointer to the interface, given out by this library, points to an `Object`.
pub(crate) unsafe trait Interface {
    /// The object behind it.
    type Object;
}

/// `T *` of an interface: an object that the program passes in.
#[derive(Debug)]
#[repr(transparent)]
pub struct Object<T>(*mut T);

impl<T> Object<T> {
    /// Wraps a pointer.
    ///
    /// # Safety
    /// It is null, or an object of this library that lives as long as this exists.
    pub const unsafe fn new(pointer: *mut T) -> Self {
        Self(pointer)
    }

    /// Whether the program passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The object, or `None` for null.
    pub(crate) fn get(&self) -> Option<&T::Object>
    where
        T: Interface,
    {
        // SAFETY: null, or one of our objects (`new`), whose type the trait promises.
        unsafe { self.0.cast::<T::Object>().as_ref() }
    }
}

/// Pointers are copied whatever they point to, which a derive would not allow.
macro_rules! copy {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
    )*};
}
copy!(In Out OutObject Object);

/// How a parameter is cleared when its method is not done yet.
pub trait Clear: Copy {
    /// Sets a returned object to null; all else stays as it is.
    fn clear(self) {}
}

impl<T> Clear for OutObject<T> {
    fn clear(self) {
        self.write(core::ptr::null_mut());
    }
}
impl<T> Clear for In<T> {}
impl<T> Clear for Out<T> {}
impl<T> Clear for Object<T> {}
impl Clear for u32 {}
impl Clear for i32 {}
impl Clear for f32 {}
impl Clear for usize {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_lengths_are_refused() {
        let values = [1u32, 2];
        // SAFETY: good for the two values that are read.
        let pointer = unsafe { In::new(values.as_ptr()) };
        assert_eq!(pointer.slice(2), Some(&values[..]));
        assert_eq!(pointer.slice(usize::MAX / 4), None);
        // SAFETY: misaligned; single values may be.
        let odd = unsafe { In::new(values.as_ptr().byte_add(1)) };
        assert_eq!((odd.slice(1), odd.read().is_some()), (None, true));
    }
}
