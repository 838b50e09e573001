//! `GetFrontBufferData`: what the screen shows.

use afterimage_d3d9::{self as guest, SwapChainId};
use afterimage_d3d9_types::*;

use super::Device;
use crate::abi::{IDirect3DSurface9, Object};
use crate::platform::{self, CanvasMemory};
use crate::results::code;

impl Device {
    /// `GetFrontBufferData`. Of a full-screen device, the picture that was presented last. Of one in a window, the screen with
    /// the window's own picture, which may not have arrived on the screen yet, at its place. Where there is no screen to read,
    /// the picture alone.
    pub(crate) fn front_buffer_data(&self, chain: SwapChainId, destination: Object<IDirect3DSurface9>) -> HRESULT {
        code(self.surface(destination).and_then(|surface| self.read_front(chain, surface)))
    }

    fn read_front(&self, chain: SwapChainId, surface: guest::Surface) -> guest::Result<()> {
        let parameters = {
            let guest = self.enter();
            guest.check_front_destination(surface)?;
            guest.present_parameters(chain)?
        };
        let mut at = POINT::default();
        if parameters.Windowed != FALSE
            && let (Some(area), Some(client)) =
                (self.output().area(), platform::client_origin(parameters.hDeviceWindow))
        {
            self.read_screen(surface, area)?;
            at = POINT { x: client.x - area.x, y: client.y - area.y };
        }
        self.enter().front_buffer_data(chain, surface, at)
    }

    /// Fills a surface with a part of the desktop.
    fn read_screen(&self, surface: guest::Surface, area: platform::Area) -> guest::Result<()> {
        let desc = self.enter().surface_desc(surface)?;
        let locked = self.enter().lock_surface(surface, None, 0)?;
        let (width, height, pitch) = (desc.Width, desc.Height, locked.row_pitch as usize);
        let (bits, format) = (locked.bits, desc.Format);
        platform::copy_screen(&CanvasMemory { bits, pitch, width, height, format, depth: 32, masks: [0; 3] }, area);
        self.enter().unlock_surface(surface)
    }
}
