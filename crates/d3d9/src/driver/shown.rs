//! What happens to pictures on their way to a window: gamma, and what the user wants to see over them.

use super::Device;
use super::present::Target;
use crate::handle::{Handle, SwapChainId};
use afterimage_d3d9_types::*;
use afterimage_stream::packets::{Marker, Overlay, SetGamma};
use afterimage_stream::{ObjectId, Port};

/// The ramp that changes nothing.
fn identity() -> D3DGAMMARAMP {
    let channel = std::array::from_fn(|index| (index * 257) as u16);
    D3DGAMMARAMP { red: channel, green: channel, blue: channel }
}

fn send(port: &mut Port, target: &Target) {
    let id = target.packet.id;
    match &target.gamma {
        Some(ramp) => {
            let steps = [ramp.red, ramp.green, ramp.blue].concat();
            port.push_tail(&SetGamma { id, count: steps.len() as u32 }, &steps);
        }
        None => port.push_tail(&SetGamma { id, count: 0 }, &[]),
    }
}

impl Device {
    /// `SetGammaRamp`. In a window it is only kept: Direct3D applies it to the screen that a full-screen chain has. There is no
    /// calibration that `D3DSGR_CALIBRATE` could ask for, so both flags are the same.
    pub fn set_gamma_ramp(&mut self, chain: SwapChainId, ramp: &D3DGAMMARAMP) {
        if let Some(chain) = self.objects.swap_chains.get_mut(chain) {
            chain.gamma = (*ramp != identity()).then(|| Box::new(*ramp));
        }
    }

    /// `GetGammaRamp`.
    #[must_use]
    pub fn gamma_ramp(&self, chain: SwapChainId) -> D3DGAMMARAMP {
        let chain = self.objects.swap_chains.get(chain);
        chain.and_then(|chain| chain.gamma.as_deref().copied()).unwrap_or_else(identity)
    }

    /// A chain is about to be shown on a target: tells the receiver where its gamma is another than before.
    pub(super) fn send_gamma(&mut self, chain: SwapChainId, target: ObjectId) {
        let chain = self.objects.swap_chains.get(chain);
        let wanted = chain.filter(|chain| chain.parameters.Windowed == FALSE).and_then(|chain| chain.gamma.as_ref());
        let Some(target) = self.targets.iter_mut().find(|known| known.packet.id == target) else { return };
        if target.gamma.as_ref() != wanted {
            target.gamma = wanted.cloned();
            send(&mut self.port, target);
        }
    }

    /// Names an image or a buffer as the program does; `None` takes the name away. Captures and graphics debuggers show it before
    /// what the object is.
    pub fn set_name(&mut self, object: Handle, name: Option<&str>) {
        let name = name.map(Box::from);
        let (id, title) = match object {
            Handle::Image(id) => {
                let Some(image) = self.objects.images.get_mut(id) else { return };
                image.name = name;
                (image.id, image.title())
            }
            Handle::Buffer(id) => {
                let Some(buffer) = self.objects.buffers.get_mut(id) else { return };
                buffer.name = name;
                (buffer.id, buffer.title())
            }
            _ => return,
        };
        self.port.name(id, &title);
        self.port.flush_if_due();
    }

    /// Whether somebody is known to look for [`Device::put_marker`]'s marks. Captures have them in any case.
    #[must_use]
    pub fn shows_markers(&self) -> bool {
        self.port.device().markers != 0
    }

    /// Puts one of [`Marker`]'s actions between what was called before and what is called next, for captures and graphics
    /// debuggers. Of the text, the first 256 characters count.
    pub fn put_marker(&mut self, action: u32, color: D3DCOLOR, text: &str) {
        let text = text.char_indices().nth(256).map_or(text, |(end, _)| &text[..end]);
        self.port.push_tail(&Marker { action, count: text.len() as u32, color, pad: 0 }, text.as_bytes());
        self.port.flush_if_due();
    }

    /// What the user wants to see over this program's pictures, in its windows.
    pub fn set_overlay(&mut self, overlay: Overlay) {
        self.overlay = overlay;
        self.port.push(&overlay);
    }

    /// What the renderer was told to show over them.
    #[must_use]
    pub fn overlay(&self) -> Overlay {
        self.overlay
    }

    /// Declares every present target to a new receiver, with what is done to its pictures.
    pub(crate) fn send_targets(&mut self) {
        for target in &self.targets {
            self.port.push(&target.packet);
            if target.gamma.is_some() {
                send(&mut self.port, target);
            }
        }
        if !self.overlay.is_off() {
            self.port.push(&self.overlay);
        }
    }
}
