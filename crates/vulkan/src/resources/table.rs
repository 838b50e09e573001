//! Objects by id.

use afterimage_stream::ObjectId;

/// Objects of one kind. The validator has checked kinds and limits of ids before they come here.
pub(crate) struct Table<T>(Vec<Option<T>>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Table<T> {
    #[inline]
    pub(crate) fn get(&self, id: ObjectId) -> Option<&T> {
        self.0.get(id.serial() as usize)?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ObjectId) -> Option<&mut T> {
        self.0.get_mut(id.serial() as usize)?.as_mut()
    }

    pub(crate) fn insert(&mut self, id: ObjectId, value: T) {
        let serial = id.serial() as usize;
        if serial >= self.0.len() {
            self.0.resize_with(serial + 1, || None);
        }
        self.0[serial] = Some(value);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    pub(crate) fn remove(&mut self, id: ObjectId) -> Option<T> {
        self.0.get_mut(id.serial() as usize)?.take()
    }
}
