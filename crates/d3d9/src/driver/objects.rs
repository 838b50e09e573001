//! The tables of objects, and who owns what.

use super::Device;
use super::present::SwapChain;
use super::query::Query;
use super::state_block::StateBlock;
use crate::handle::*;
use crate::machine::{Declaration, Program};
use crate::memory::{Buffer, Image};
use crate::translate::Processings;
use afterimage_stream::ObjectId;

/// Every object of a device.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) images: Slab<ImageId, Image>,
    pub(crate) buffers: Slab<BufferId, Buffer>,
    pub(crate) declarations: Slab<DeclarationId, Declaration>,
    pub(crate) vertex_shaders: Slab<VertexShaderId, Program>,
    pub(crate) pixel_shaders: Slab<PixelShaderId, Program>,
    pub(crate) queries: Slab<QueryId, Query>,
    pub(crate) state_blocks: Slab<StateBlockId, StateBlock>,
    pub(crate) swap_chains: Slab<SwapChainId, SwapChain>,
    /// Shaders of the fixed stages; they stay for as long as the device.
    pub(crate) fixed: Vec<Program>,
    pub(crate) processings: Processings,
}

/// Runs the same expression on the table that a handle belongs to.
macro_rules! table {
    ($objects:expr, $handle:expr, |$table:ident, $id:ident| $body:expr) => {
        match $handle {
            Handle::Image($id) => {
                let $table = &mut $objects.images;
                $body
            }
            Handle::Buffer($id) => {
                let $table = &mut $objects.buffers;
                $body
            }
            Handle::Declaration($id) => {
                let $table = &mut $objects.declarations;
                $body
            }
            Handle::VertexShader($id) => {
                let $table = &mut $objects.vertex_shaders;
                $body
            }
            Handle::PixelShader($id) => {
                let $table = &mut $objects.pixel_shaders;
                $body
            }
            Handle::Query($id) => {
                let $table = &mut $objects.queries;
                $body
            }
            Handle::StateBlock($id) => {
                let $table = &mut $objects.state_blocks;
                $body
            }
            Handle::SwapChain($id) => {
                let $table = &mut $objects.swap_chains;
                $body
            }
        }
    };
}

impl Device {
    /// The program's last reference to an object is gone. True: the object is too. False: it is bound or recorded and
    /// will come out of [`Device::take_dead`] later.
    pub fn release(&mut self, handle: impl Into<Handle>) -> bool {
        let handle = handle.into();
        let gone = table!(self.objects, handle, |table, id| match table.slot(id) {
            Some(slot) => {
                slot.held = false;
                slot.binds == 0
            }
            None => return true,
        });
        if gone {
            self.remove(handle);
        }
        gone
    }

    /// The program holds an object (again).
    pub fn retain(&mut self, handle: impl Into<Handle>) {
        table!(self.objects, handle.into(), |table, id| if let Some(slot) = table.slot(id) {
            slot.held = true;
        });
    }

    /// Stores a value with an object, such as the address of its COM object.
    pub fn set_user(&mut self, handle: impl Into<Handle>, user: usize) {
        table!(self.objects, handle.into(), |table, id| if let Some(slot) = table.slot(id) {
            slot.user = user;
        });
    }

    /// The value stored with an object; 0 if none was.
    #[must_use]
    pub fn user(&self, handle: impl Into<Handle>) -> usize {
        match handle.into() {
            Handle::Image(id) => self.objects.images.user(id),
            Handle::Buffer(id) => self.objects.buffers.user(id),
            Handle::Declaration(id) => self.objects.declarations.user(id),
            Handle::VertexShader(id) => self.objects.vertex_shaders.user(id),
            Handle::PixelShader(id) => self.objects.pixel_shaders.user(id),
            Handle::Query(id) => self.objects.queries.user(id),
            Handle::StateBlock(id) => self.objects.state_blocks.user(id),
            Handle::SwapChain(id) => self.objects.swap_chains.user(id),
        }
    }

    /// Whether [`Device::take_dead`] has something. Cheap: ask after every setter.
    #[must_use]
    #[inline]
    pub fn has_dead(&self) -> bool {
        !self.dead.is_empty()
    }

    /// An object that was released while bound and is gone now, with the value stored with it.
    pub fn take_dead(&mut self) -> Option<(Handle, usize)> {
        self.dead.pop()
    }

    /// The device owns an object once more.
    pub(crate) fn bind(&mut self, handle: Handle) {
        table!(self.objects, handle, |table, id| table.bind(Some(id)));
    }

    /// The device owns an object once less.
    pub(crate) fn unbind_handle(&mut self, handle: Handle) {
        let gone = table!(self.objects, handle, |table, id| table.unbind(Some(id)));
        if gone {
            self.bury(handle);
        }
    }

    /// Removes an object that nothing owns any more, and tells the layer above.
    #[cold]
    pub(crate) fn bury(&mut self, handle: Handle) {
        let user = self.user(handle);
        self.remove(handle);
        if user != 0 {
            self.dead.push((handle, user));
        }
    }

    /// Destroys an object in the stream, after taking it out of every binding there.
    pub(super) fn destroy(&mut self, id: ObjectId) {
        if !id.is_none() {
            self.unbind(id);
            self.port.destroy(id);
        }
    }

    /// Takes an object out of its table and destroys what stands for it in the stream.
    fn remove(&mut self, handle: Handle) {
        match handle {
            Handle::Image(id) => {
                if let Some(slot) = self.objects.images.remove(id) {
                    self.destroy(slot.value.id);
                }
            }
            Handle::Buffer(id) => {
                if let Some(slot) = self.objects.buffers.remove(id) {
                    self.locked_buffers.retain(|locked| *locked != id);
                    self.destroy(slot.value.id);
                }
            }
            Handle::Declaration(id) => {
                if let Some(slot) = self.objects.declarations.remove(id) {
                    self.fvf_declarations.retain(|_, declaration| *declaration != id);
                    for layout in slot.value.layouts {
                        self.destroy(layout.id);
                    }
                }
            }
            Handle::VertexShader(id) => {
                if let Some(slot) = self.objects.vertex_shaders.remove(id) {
                    self.forget_layouts(id);
                    for processing in self.objects.processings.forget(id) {
                        self.destroy(processing.layout);
                        self.destroy(processing.program.id);
                    }
                    self.destroy(slot.value.id);
                    if let Some(program) = slot.value.in_software {
                        self.destroy(program.id);
                    }
                }
            }
            Handle::PixelShader(id) => {
                if let Some(slot) = self.objects.pixel_shaders.remove(id) {
                    self.destroy(slot.value.id);
                }
            }
            Handle::Query(id) => {
                if let Some(slot) = self.objects.queries.remove(id) {
                    if let Some(token) = slot.value.token() {
                        self.port.forget(token);
                    }
                    self.destroy(slot.value.id);
                }
            }
            Handle::StateBlock(id) => {
                if let Some(slot) = self.objects.state_blocks.remove(id) {
                    self.disown(&slot.value.settings);
                }
            }
            Handle::SwapChain(id) => {
                if let Some(slot) = self.objects.swap_chains.remove(id) {
                    for image in slot.value.images.into_iter().chain(slot.value.front.map(|front| front.image)) {
                        self.unbind_handle(Handle::Image(image));
                    }
                }
            }
        }
        self.port.flush_if_due();
    }

    /// Layouts that were made for a vertex shader go with it: its handle may name another one soon.
    fn forget_layouts(&mut self, shader: VertexShaderId) {
        let mut gone = Vec::new();
        for id in self.objects.declarations.ids() {
            if let Some(declaration) = self.objects.declarations.get_mut(id) {
                declaration.layouts.retain(|layout| {
                    let keep = layout.shader != Some(shader);
                    if !keep {
                        gone.push(layout.id);
                    }
                    keep
                });
            }
        }
        for id in gone {
            self.destroy(id);
        }
    }
}
