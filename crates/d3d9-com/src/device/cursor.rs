//! The mouse pointer: `SetCursorProperties`, `ShowCursor`.

use std::sync::PoisonError;

use afterimage_d3d9_types::*;

use super::Device;
use crate::abi::{IDirect3DSurface9, Object};
use crate::platform;

/// The pointer that a program has set.
#[derive(Default)]
pub(super) struct Cursor {
    image: Option<platform::Pointer>,
    shown: bool,
}

impl Device {
    /// `SetCursorProperties`.
    pub(super) fn set_cursor(&self, hot_spot: (u32, u32), surface: Object<IDirect3DSurface9>) -> HRESULT {
        let Ok(id) = self.surface(surface) else { return D3DERR_INVALIDCALL };
        let Ok(desc) = self.enter().surface_desc(id) else { return D3DERR_INVALIDCALL };
        let mode = self.desktop();
        let fits = desc.Width.is_power_of_two() && desc.Height.is_power_of_two();
        let too_large = desc.Width > mode.Width || desc.Height > mode.Height;
        if desc.Format != D3DFMT_A8R8G8B8 || !fits || too_large {
            return D3DERR_INVALIDCALL;
        }
        let mut pixels = Vec::with_capacity((desc.Width * desc.Height) as usize);
        {
            let mut guest = self.enter();
            let locked = match guest.lock_surface(id, None, D3DLOCK_READONLY) {
                Ok(locked) => locked,
                Err(error) => return error.code(),
            };
            for y in 0..desc.Height as usize {
                // SAFETY: the lock covers every row of the surface, each of so many pixels of four bytes.
                let row = unsafe {
                    let row = locked.bits.add(y * locked.row_pitch as usize);
                    core::slice::from_raw_parts(row, desc.Width as usize * 4)
                };
                let (row, _) = row.as_chunks::<4>();
                pixels.extend(row.iter().map(|pixel| u32::from_le_bytes(*pixel)));
            }
            if let Err(error) = guest.unlock_surface(id) {
                return error.code();
            }
        }
        let Some(image) = platform::Pointer::new(desc.Width, desc.Height, hot_spot, &pixels) else {
            return D3DERR_INVALIDCALL;
        };
        let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        if cursor.shown {
            image.show(true);
        }
        // The one before goes once it is not shown any more.
        cursor.image = Some(image);
        D3D_OK
    }

    /// `ShowCursor`: whether the pointer was shown before. Without a picture there is nothing to show.
    pub(super) fn show_cursor(&self, show: bool) -> BOOL {
        let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        if cursor.image.is_none() {
            return FALSE;
        }
        let before = core::mem::replace(&mut cursor.shown, show);
        cursor.show();
        before.into()
    }
}

impl Cursor {
    fn show(&self) {
        if let Some(image) = &self.image {
            image.show(self.shown);
        }
    }
}
