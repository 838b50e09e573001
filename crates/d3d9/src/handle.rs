//! Names of a device's objects, and the tables that hold them.
//!
//! A handle is an index. The layer above owns an object as long as the program holds references to its COM object
//! ([`Slot::held`]); the device itself owns it as long as it is bound or recorded ([`Slot::binds`]). It goes when
//! neither does, which is Direct3D's rule.

use std::num::NonZeroU32;

/// A kind of handle.
pub(crate) trait Id: Copy {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(NonZeroU32);

            impl Id for $name {
                #[inline]
                fn from_index(index: usize) -> Self {
                    Self(NonZeroU32::MIN.saturating_add(index as u32))
                }
                #[inline]
                fn index(self) -> usize {
                    self.0.get() as usize - 1
                }
            }
        )*
    };
}

ids! {
    /// A texture of any dimension with all its levels, or a surface that stands alone: a render target, a depth
    /// buffer, a back buffer, an offscreen plain surface.
    ImageId;
    /// A vertex or index buffer.
    BufferId;
    /// A vertex declaration.
    DeclarationId;
    /// A vertex shader.
    VertexShaderId;
    /// A pixel shader.
    PixelShaderId;
    /// A query.
    QueryId;
    /// A state block.
    StateBlockId;
    /// A swap chain; the first is the implicit one.
    SwapChainId;
}

/// A handle of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the ids")]
pub enum Handle {
    Image(ImageId),
    Buffer(BufferId),
    Declaration(DeclarationId),
    VertexShader(VertexShaderId),
    PixelShader(PixelShaderId),
    Query(QueryId),
    StateBlock(StateBlockId),
    SwapChain(SwapChainId),
}

macro_rules! into_handle {
    ($($name:ident $variant:ident),*) => {
        $(impl From<$name> for Handle {
            fn from(id: $name) -> Self {
                Self::$variant(id)
            }
        })*
    };
}
into_handle!(
    ImageId Image, BufferId Buffer, DeclarationId Declaration, VertexShaderId VertexShader,
    PixelShaderId PixelShader, QueryId Query, StateBlockId StateBlock, SwapChainId SwapChain
);

/// One level of one face of an image: what Direct3D calls a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surface {
    /// The texture, or the image of a surface that stands alone.
    pub image: ImageId,
    /// Mip level; 0 for a surface that stands alone.
    pub level: u8,
    /// Cube face (`D3DCUBEMAP_FACES`); 0 for all else.
    pub face: u8,
}

impl Surface {
    /// The only surface of an image that stands alone, or level 0 of a texture.
    #[must_use]
    pub const fn of(image: ImageId) -> Self {
        Self { image, level: 0, face: 0 }
    }
}

/// An object in its table.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    pub(crate) value: T,
    /// How often the device itself binds or records it.
    pub(crate) binds: u32,
    /// Whether the program holds it.
    pub(crate) held: bool,
    /// What the layer above stored with it.
    pub(crate) user: usize,
}

/// The objects of one kind.
#[derive(Debug)]
pub(crate) struct Slab<I, T> {
    slots: Vec<Option<Slot<T>>>,
    free: Vec<u32>,
    id: std::marker::PhantomData<I>,
}

impl<I: Id, T> Default for Slab<I, T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), id: std::marker::PhantomData }
    }
}

impl<I: Id, T> Slab<I, T> {
    /// Adds an object that the program holds (`held`) or that only the device knows.
    pub(crate) fn insert(&mut self, value: T, held: bool) -> I {
        let slot = Some(Slot { value, binds: 0, held, user: 0 });
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = slot;
            return I::from_index(index as usize);
        }
        self.slots.push(slot);
        I::from_index(self.slots.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        Some(&self.slots.get(id.index())?.as_ref()?.value)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: I) -> Option<&mut T> {
        Some(&mut self.slots.get_mut(id.index())?.as_mut()?.value)
    }

    #[inline]
    pub(crate) fn slot(&mut self, id: I) -> Option<&mut Slot<T>> {
        self.slots.get_mut(id.index())?.as_mut()
    }

    /// The device binds or records it once more.
    #[inline]
    pub(crate) fn bind(&mut self, id: Option<I>) {
        if let Some(slot) = id.and_then(|id| self.slot(id)) {
            slot.binds += 1;
        }
    }

    /// The device binds or records it once less; true if nothing owns it any more.
    #[inline]
    #[must_use]
    pub(crate) fn unbind(&mut self, id: Option<I>) -> bool {
        let Some(slot) = id.and_then(|id| self.slot(id)) else { return false };
        slot.binds = slot.binds.saturating_sub(1);
        slot.binds == 0 && !slot.held
    }

    pub(crate) fn user(&self, id: I) -> usize {
        self.slots.get(id.index()).and_then(Option::as_ref).map_or(0, |slot| slot.user)
    }

    pub(crate) fn remove(&mut self, id: I) -> Option<Slot<T>> {
        let slot = self.slots.get_mut(id.index())?.take()?;
        self.free.push(id.index() as u32);
        Some(slot)
    }

    /// Takes an object out for a moment; its handle stays taken.
    pub(crate) fn take(&mut self, id: I) -> Option<Slot<T>> {
        self.slots.get_mut(id.index())?.take()
    }

    /// Puts an object back that was taken.
    pub(crate) fn put(&mut self, id: I, slot: Slot<T>) {
        if let Some(place) = self.slots.get_mut(id.index()) {
            *place = Some(slot);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &Slot<T>)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| Some((I::from_index(index), slot.as_ref()?)))
    }

    pub(crate) fn ids(&self) -> Vec<I> {
        self.iter().map(|(id, _)| id).collect()
    }
}
