//! Tables of textures: what they hold, and what that must have gone through before shaders look.
//!
//! A draw cannot tell which textures of a table it reads, so all of them are ready for it: what was never written is zeros when it comes
//! into a table, and what is drawn to is noted, so that the next draw or dispatch that reads tables waits for it.

use crate::error::{Error, Result};
use crate::renderer::Renderer;
use crate::resources::layouts::Table;
use crate::resources::texture_tables::{InTables, TextureTable};
use afterimage_abi::tables::what;
use afterimage_stream::packets::{CreateTable, TableEntry, UpdateTable};
use afterimage_stream::{ObjectId, ObjectKind};

impl Renderer {
    /// [`CreateTable`].
    pub(crate) fn create_table(&mut self, body: &CreateTable) -> Result {
        if !self.gpu.profile.texture_tables {
            let what = "tables of textures".to_owned();
            return Err(Error::Unsupported { device: self.gpu.profile.name.clone(), what });
        }
        self.resources.texture_tables.all.insert(body.id, TextureTable::new(body.entries));
        Ok(())
    }

    /// [`UpdateTable`].
    pub(crate) fn update_table(&mut self, body: &UpdateTable, entries: &[TableEntry]) -> Result {
        self.count_move(body.id);
        self.limit_outstanding()?;
        for (at, entry) in (body.first as usize..).zip(entries) {
            let Some(table) = self.resources.texture_tables.all.get(body.id) else { return Ok(()) };
            let Some(&before) = table.entries.get(at) else { return Ok(()) };
            if before == *entry {
                continue;
            }
            self.put_entry(body.id, at, *entry)?;
            for (named, more) in [(entry, true), (&before, false)] {
                self.count_in_table(body.id, named.texture, more);
                self.count_in_table(body.id, named.sampler, more);
            }
            self.enter_table(entry.texture)?;
        }
        Ok(())
    }

    /// A table changes: what it has now waits for the GPU, like a buffer that gets other memory.
    fn count_move(&mut self, table: ObjectId) {
        let completed = self.recorder.submissions.completed;
        let moved = self.resources.texture_tables.all.get(table).filter(|table| table.would_move(completed));
        self.memory.large_renames += moved.map_or(0, |table| u64::from(table.bytes()));
    }

    fn put_entry(&mut self, table: ObjectId, at: usize, entry: TableEntry) -> Result {
        let shape = Table::ALL[usize::from(entry.shape) % Table::COUNT];
        let index = self.texture_index(entry.texture, shape, entry.srgb != 0)?;
        let found = index.map(|(index, kind)| (index, what(shape, kind)));
        let sampler = match entry.sampler {
            ObjectId::NONE => 0,
            id => self.resources.samplers.get(id).map_or(0, |sampler| sampler.index),
        };
        if let Some(table) = self.resources.texture_tables.all.get_mut(table) {
            table.set(at, entry, found, sampler);
        }
        Ok(())
    }

    /// A texture, with the one whose texels it shows, or a sampler is in one entry of a table more, or in one less.
    fn count_in_table(&mut self, table: ObjectId, id: ObjectId, more: bool) {
        match id.kind() {
            Some(ObjectKind::Texture) => {
                let root = self.root(id);
                let view = (id != root).then_some(id);
                for id in [root].into_iter().chain(view) {
                    if let Some(texture) = self.resources.textures.get_mut(id) {
                        texture.in_tables.count(table, more);
                    }
                }
            }
            Some(ObjectKind::Sampler) => {
                if let Some(sampler) = self.resources.samplers.get_mut(id) {
                    sampler.in_tables.count(table, more);
                }
            }
            _ => {}
        }
    }

    /// A texture comes into a table: from now on any draw may read it.
    fn enter_table(&mut self, id: ObjectId) -> Result {
        if id.is_none() {
            return Ok(());
        }
        let root = self.root(id);
        self.make_live(root)?;
        if self.resources.textures.get(root).is_some_and(|texture| texture.written) {
            self.drawn_in_table(root);
        }
        Ok(())
    }

    /// A texture that is in a table was drawn to.
    pub(crate) fn drawn_in_table(&mut self, root: ObjectId) {
        let drawn = &mut self.resources.texture_tables.drawn;
        if !drawn.contains(&root) {
            drawn.push(root);
        }
    }

    /// Draws read tables: they find what was drawn into the textures there.
    pub(crate) fn ready_tables(&mut self) -> Result {
        self.resources.texture_tables.last_used = self.recorder.submissions.current;
        for id in std::mem::take(&mut self.resources.texture_tables.drawn) {
            match self.resources.textures.get(id) {
                // It is read when something else is drawn to.
                Some(texture) if texture.is_target => self.resources.texture_tables.drawn.push(id),
                Some(texture) if !texture.in_tables.is_empty() => self.touch_texture(id)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a texture was drawn to that draws would find in a table as it was before.
    pub(crate) fn lags_in_tables(&self) -> Option<ObjectId> {
        let lags = |id: &&ObjectId| {
            self.resources.textures.get(**id).is_some_and(|texture| {
                let seen = texture.is_target || texture.in_tables.is_empty();
                texture.written && !seen
            })
        };
        self.resources.texture_tables.drawn.iter().find(lags).copied()
    }

    /// Whether commands of this submission may have read a texture out of a table.
    pub(crate) fn was_read_in_table(&self, id: ObjectId) -> bool {
        self.resources.texture_tables.last_used == self.recorder.submissions.current
            && self.resources.textures.get(id).is_some_and(|texture| !texture.in_tables.is_empty())
    }

    /// A texture or sampler is about to be destroyed: it is in no table any more.
    pub(crate) fn forget_in_tables(&mut self, id: ObjectId) {
        let held = match id.kind() {
            Some(ObjectKind::Texture) => self.resources.textures.get(id).map(|texture| &texture.in_tables),
            _ => self.resources.samplers.get(id).map(|sampler| &sampler.in_tables),
        };
        let tables: Vec<ObjectId> = held.into_iter().flat_map(InTables::all).collect();
        for table in tables {
            let Some(held) = self.resources.texture_tables.all.get(table) else { continue };
            let named = |entry: &TableEntry| entry.texture == id || entry.sampler == id;
            let places = held.entries.iter().enumerate().filter(|(_, entry)| named(entry));
            let found: Vec<(usize, TableEntry)> = places.map(|(at, entry)| (at, *entry)).collect();
            self.count_move(table);
            for (at, mut entry) in found {
                for name in [&mut entry.texture, &mut entry.sampler].into_iter().filter(|name| **name == id) {
                    *name = ObjectId::NONE;
                }
                self.count_in_table(table, id, false);
                if let Err(error) = self.put_entry(table, at, entry) {
                    self.fail(error);
                }
            }
            self.state.object_changed(table);
        }
    }

    /// A table is no more.
    pub(crate) fn destroy_table(&mut self, id: ObjectId) {
        let submissions = &mut self.recorder.submissions;
        let table = self.resources.texture_tables.remove(id, |trash| submissions.discard(trash));
        for entry in table.into_iter().flat_map(|table| table.entries) {
            self.count_in_table(id, entry.texture, false);
            self.count_in_table(id, entry.sampler, false);
        }
    }
}
