//! The mouse pointer: `SetCursorProperties`, `ShowCursor`.

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
        let (desc, mode) = {
            let guest = self.enter();
            let mode = guest.swap_chain(0).and_then(|chain| guest.display_mode(chain, self.desktop()));
            (guest.surface_desc(id), mode)
        };
        let (Ok(desc), Ok(mode)) = (desc, mode) else { return D3DERR_INVALIDCALL };
        let fits = desc.Width.is_power_of_two() && desc.Height.is_power_of_two();
        if desc.Format != D3DFMT_A8R8G8B8 || !fits || desc.Width > mode.Width || desc.Height > mode.Height {
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
        let mut cursor = self.cursor.borrow_mut();
        cursor.image = platform::Pointer::new(desc.Width, desc.Height, hot_spot, &pixels);
        if cursor.shown {
            cursor.show();
        }
        if cursor.image.is_some() { D3D_OK } else { D3DERR_INVALIDCALL }
    }

    /// `ShowCursor`: whether the pointer was shown before. Without a picture there is nothing to show.
    pub(super) fn show_cursor(&self, show: bool) -> BOOL {
        let mut cursor = self.cursor.borrow_mut();
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
