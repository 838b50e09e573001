//! Objects by id.

use afterimage_stream::ObjectId;

/// Objects of one kind. The validator has checked kinds and limits of ids before they come here.
#[derive(Debug)]
pub struct Table<T>(Vec<Option<T>>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Table<T> {
    #[inline]
    /// The object, if it is there.
    pub fn get(&self, id: ObjectId) -> Option<&T> {
        self.0.get(id.serial() as usize)?.as_ref()
    }

    #[inline]
    /// The object, to be changed.
    pub fn get_mut(&mut self, id: ObjectId) -> Option<&mut T> {
        self.0.get_mut(id.serial() as usize)?.as_mut()
    }

    /// Puts an object in its place; what was there is gone.
    pub fn insert(&mut self, id: ObjectId, value: T) {
        let serial = id.serial() as usize;
        if serial >= self.0.len() {
            self.0.resize_with(serial + 1, || None);
        }
        self.0[serial] = Some(value);
    }

    /// All that are there, by serial.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    /// Takes an object out.
    pub fn remove(&mut self, id: ObjectId) -> Option<T> {
        self.0.get_mut(id.serial() as usize)?.take()
    }
}
