//! Chains of structures: looked through, and copied where the layer hands on another one than the program gave.
//!
//! A program's chain is constant, and may lie where nobody can write. So a copy has every structure whose size is [known](sizes). One
//! that is not (a program may use what is newer than this layer) stays where it is; if what follows it is another structure than before, the
//! link in it is turned for as long as the copy lives.

mod sizes;

use ash::vk;
use std::ffi::c_void;

/// What every structure begins with.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Base {
    pub(crate) s_type: vk::StructureType,
    pub(crate) next: *const c_void,
}

/// The structures of a chain.
///
/// # Safety
/// `head` is null or a valid chain, for as long as the iterator is used.
pub(crate) unsafe fn each(head: *const c_void) -> impl Iterator<Item = *const Base> {
    let mut at = head.cast::<Base>();
    std::iter::from_fn(move || {
        let here = at;
        // SAFETY: the caller says that the chain is valid.
        at = unsafe { here.as_ref()? }.next.cast();
        Some(here)
    })
}

/// The structure of a type in a chain.
///
/// # Safety
/// `head` is null or a valid chain, for as long as what is found is used.
pub(crate) unsafe fn find<'a, T: vk::TaggedStructure>(head: *const c_void) -> Option<&'a T> {
    // SAFETY: as the caller says; structures of the type's number are of the type.
    unsafe { each(head).find(|base| (**base).s_type == T::STRUCTURE_TYPE).map(|base| &*base.cast()) }
}

/// Likewise, where the chain is there to be written.
///
/// # Safety
/// As for [`find`], and nothing else refers to what is found.
pub(crate) unsafe fn find_mut<'a, T: vk::TaggedStructure>(head: *mut c_void) -> Option<&'a mut T> {
    // SAFETY: as the caller says.
    unsafe { each(head).find(|base| (**base).s_type == T::STRUCTURE_TYPE).map(|base| &mut *base.cast_mut().cast()) }
}

/// A row of the table: bytes, and whether the structure points elsewhere.
fn row(s_type: vk::StructureType) -> Option<(usize, bool)> {
    let at = sizes::SIZES.binary_search_by_key(&s_type.as_raw(), |row| row.0).ok()?;
    let (_, bytes, points, _) = sizes::SIZES[at];
    Some((bytes.into(), points))
}

enum Node {
    /// A copy.
    Own(Box<[u64]>),
    /// The program's, and what its link was.
    Theirs(*mut Base, *const c_void),
}

impl Node {
    fn base(&self) -> *const Base {
        match self {
            Self::Own(words) => words.as_ptr().cast(),
            Self::Theirs(at, _) => *at,
        }
    }

    fn base_mut(&mut self) -> *mut Base {
        match self {
            Self::Own(words) => words.as_mut_ptr().cast(),
            Self::Theirs(at, _) => *at,
        }
    }
}

/// A copy of a chain, in which structures can be changed, left out and added.
pub(crate) struct Chain {
    nodes: Vec<Node>,
}

/// Copies the words of a structure.
///
/// # Safety
/// So many bytes can be read from there, which begin with a [`Base`].
unsafe fn words(from: *const Base, bytes: usize) -> Box<[u64]> {
    let mut words = vec![0u64; bytes.div_ceil(8)].into_boxed_slice();
    // SAFETY: both have as many bytes, and are not the same.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), words.as_mut_ptr().cast::<u8>(), bytes) };
    words
}

impl Chain {
    /// Of a chain.
    ///
    /// # Safety
    /// `head` is null or a valid chain, and lives and is not used by others while the copy lives.
    pub(crate) unsafe fn copy(head: *const c_void) -> Self {
        // SAFETY: as the caller says; the table has the sizes of the structures' types.
        let node = |base: *const Base| unsafe {
            match row((*base).s_type) {
                Some((bytes, _)) => Node::Own(words(base, bytes)),
                None => Node::Theirs(base.cast_mut(), (*base).next),
            }
        };
        // SAFETY: as the caller says.
        Self { nodes: unsafe { each(head) }.map(node).collect() }
    }

    /// Of a chain, to be used when the program's is long gone. `None` if there is a structure in it that cannot be copied whole. (What a structure
    /// of type `known` points to is for the caller to copy.)
    ///
    /// # Safety
    /// `head` is null or a valid chain.
    pub(crate) unsafe fn keep(head: *const c_void, known: vk::StructureType) -> Option<Self> {
        // SAFETY: as the caller says.
        let node = |base: *const Base| unsafe {
            let (bytes, points) = row((*base).s_type)?;
            (!points || (*base).s_type == known).then(|| Node::Own(words(base, bytes)))
        };
        // SAFETY: as the caller says.
        let nodes = unsafe { each(head) }.map(node).collect::<Option<_>>()?;
        Some(Self { nodes })
    }

    /// The copy of the structure of a type.
    pub(crate) fn get<T: vk::TaggedStructure>(&mut self) -> Option<&mut T> {
        let is = |node: &&mut Node| {
            // SAFETY: every node is a structure.
            matches!(node, Node::Own(words) if size_of_val(&**words) >= size_of::<T>())
                && unsafe { (*node.base()).s_type == T::STRUCTURE_TYPE }
        };
        let node = self.nodes.iter_mut().find(is)?;
        // SAFETY: it is of the type, by its number, as large, and this copy's own.
        Some(unsafe { &mut *node.base_mut().cast() })
    }

    /// Leaves a structure out.
    pub(crate) fn remove(&mut self, s_type: vk::StructureType) {
        // SAFETY: every node is a structure.
        self.nodes.retain(|node| unsafe { (*node.base()).s_type != s_type });
    }

    /// Puts a structure in front.
    pub(crate) fn push<T: vk::TaggedStructure>(&mut self, structure: &T) {
        // SAFETY: a structure begins with its type and the link, and is as large as it is.
        let words = unsafe { words(std::ptr::from_ref(structure).cast(), size_of::<T>()) };
        self.nodes.insert(0, Node::Own(words));
    }

    /// Links the structures, and gives the first.
    pub(crate) fn head(&mut self) -> *const c_void {
        let mut behind: *const c_void = std::ptr::null();
        for node in self.nodes.iter_mut().rev() {
            let at = node.base_mut();
            // SAFETY: every node is a structure; one of the program's is written only if it is to be linked to something else.
            unsafe {
                if (*at).next != behind {
                    (*at).next = behind;
                }
            }
            behind = at.cast_const().cast();
        }
        behind
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        for node in &self.nodes {
            if let Node::Theirs(at, next) = *node {
                // SAFETY: the program's structure lives as long as this copy.
                unsafe {
                    if (*at).next != next {
                        (*at).next = next;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::TaggedStructure as _;

    #[test]
    fn the_table_has_the_sizes_of_structures_by_rising_type() {
        assert!(sizes::SIZES.is_sorted_by(|a, b| a.0 < b.0));
        fn same<T: vk::TaggedStructure>() {
            assert_eq!(row(T::STRUCTURE_TYPE).unwrap().0, size_of::<T>(), "{:?}", T::STRUCTURE_TYPE);
        }
        same::<vk::PhysicalDeviceFeatures2>();
        same::<vk::PhysicalDeviceVulkan11Features>();
        same::<vk::PhysicalDeviceVulkan12Features>();
        same::<vk::PhysicalDeviceVulkan13Features>();
        same::<vk::PhysicalDeviceTransformFeedbackFeaturesEXT>();
        same::<vk::PhysicalDeviceBufferDeviceAddressFeatures>();
        same::<vk::DeviceGroupDeviceCreateInfo>();
        same::<vk::RenderPassAttachmentBeginInfo>();
        same::<vk::MemoryAllocateFlagsInfo>();
        same::<vk::PipelineRenderingCreateInfo>();
        same::<vk::MemoryBarrier2>();
    }

    #[test]
    fn a_copy_is_changed_and_the_original_is_not() {
        let mut last = vk::PhysicalDeviceVulkan12Features::default();
        let mut strange = Base { s_type: vk::StructureType::from_raw(1_999_999_999), next: (&raw mut last).cast() };
        let mut feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default().transform_feedback(true);
        feedback.p_next = (&raw mut strange).cast();
        let head = (&raw const feedback).cast::<c_void>();
        // SAFETY: all structures live until the end of the test.
        unsafe {
            let mut chain = Chain::copy(head);
            chain.remove(vk::PhysicalDeviceTransformFeedbackFeaturesEXT::STRUCTURE_TYPE);
            chain.get::<vk::PhysicalDeviceVulkan12Features>().unwrap().buffer_device_address = vk::TRUE;
            chain.push(&vk::PhysicalDeviceMultiviewFeatures::default().multiview(true));
            assert!(chain.get::<vk::PhysicalDeviceVulkan13Features>().is_none());
            let types: Vec<i32> = each(chain.head()).map(|base| (*base).s_type.as_raw()).collect();
            assert_eq!(types, [1_000_053_001, 1_999_999_999, 51]);
            let handed = chain.head();
            assert_eq!(find::<vk::PhysicalDeviceVulkan12Features>(handed).unwrap().buffer_device_address, vk::TRUE);
            drop(chain);
            let types: Vec<i32> = each(head).map(|base| (*base).s_type.as_raw()).collect();
            assert_eq!(types, [1_000_028_000, 1_999_999_999, 51]);
            assert_eq!(find::<vk::PhysicalDeviceVulkan12Features>(head).unwrap().buffer_device_address, vk::FALSE);
            // What is of nobody knows which size is not kept, nor what points elsewhere.
            let (areas, none) = (vk::DeviceGroupRenderPassBeginInfo::default(), vk::StructureType::default());
            assert!(Chain::keep(head, none).is_none());
            assert!(Chain::keep((&raw const areas).cast(), none).is_none());
            assert!(Chain::keep((&raw const areas).cast(), areas.s_type).is_some());
            assert!(Chain::keep((&raw const last).cast(), none).is_some());
        }
    }
}
