//! Windows that nobody sees: the last picture of each is kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::memory::Turn;
use crate::texture::{Place, SoftTexture};

/// What a layer has.
#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub(crate) size: Option<[u32; 2]>,
    /// What is seen.
    pub(crate) shown: Option<SoftTexture>,
    /// Pictures that are drawn.
    pub(crate) drawn: usize,
}

/// `CAMetalLayer` in software.
#[derive(Clone, Debug, Default)]
pub struct SoftLayer(Arc<Mutex<Inner>>);

impl SoftLayer {
    pub(crate) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a picture.
    pub(crate) fn show(&self, texture: &SoftTexture) {
        self.inner().shown = Some(texture.clone());
    }

    /// What is seen: width, height, and rows of blue, green, red and alpha from the top left. Nothing before the first picture.
    #[must_use]
    pub fn picture(&self) -> Option<([u32; 2], Vec<u8>)> {
        let texture = self.inner().shown.clone()?;
        let [width, height, _] = texture.size(0);
        let turn = Turn::take();
        let mut out = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            for x in 0..width {
                let mut bytes = [0; 16];
                texture.bytes(&turn, Place { at: [x, y, 0], ..Place::default() }, &mut bytes)?;
                out.extend(&bytes[..4]);
            }
        }
        Some(([width, height], out))
    }
}
