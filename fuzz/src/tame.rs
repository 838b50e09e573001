//! What is taken from streams that are to be drawn by a CPU without a watchdog: draws of any size, and shaders that loop.

use crate::scenes::Scene;
use afterimage_ir::{Imm, Module};
use afterimage_shader::{RuntimeInfo, Shader};
use afterimage_stream::packets::{
    CreateShader, CreateTexture, Dispatch, Draw, DrawIndexed, Header, Kind, PresentTarget,
};
use bytemuck::Pod;

/// Vertices and instances of a draw.
const MOST_VERTICES: u32 = 256;
const MOST_INSTANCES: u32 = 4;
/// Groups of a dispatch in each direction.
const MOST_GROUPS: u32 = 4;
/// Texels of a texture with all layers and samples.
const MOST_TEXELS: u64 = 1 << 20;

/// Makes a stream one that is drawn in a moment.
pub fn tame(scene: &mut Scene) {
    scene.packets.retain_mut(|packet| {
        let header: Header = bytemuck::cast(packet[0]);
        let Some(kind) = Kind::from_bits(header.kind) else { return true };
        match kind {
            Kind::Draw => change(packet, |body: &mut Draw| {
                body.count = body.count.min(MOST_VERTICES);
                body.instances = body.instances.min(MOST_INSTANCES);
            }),
            Kind::DrawIndexed => change(packet, |body: &mut DrawIndexed| {
                body.count = body.count.min(MOST_VERTICES);
                body.instances = body.instances.min(MOST_INSTANCES);
            }),
            // What other packets wrote into a buffer may be billions of vertices.
            Kind::DrawByteCount | Kind::DrawIndirect => return false,
            Kind::Dispatch => change(packet, |body: &mut Dispatch| {
                body.groups = body.groups.map(|groups| groups.min(MOST_GROUPS));
            }),
            // There is no display.
            Kind::PresentTarget => change(packet, |body: &mut PresentTarget| body.window_kind = 0),
            Kind::CreateTexture => {
                let mut texels = 0;
                change(packet, |body: &mut CreateTexture| {
                    let each = [body.width, body.height, body.depth, body.layers, body.samples.into()];
                    texels = each.iter().fold(1u64, |product, n| product.saturating_mul((*n).into()));
                });
                return texels <= MOST_TEXELS;
            }
            _ => {}
        }
        true
    });
}

fn change<T: Pod>(packet: &mut [u64], f: impl FnOnce(&mut T)) {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut packet[1..]);
    if let Some(body) = bytes.get_mut(..size_of::<T>()) {
        f(bytemuck::from_bytes_mut(body));
    }
}

/// Nothing in place of a shader that loops, unless it is one of those.
pub fn replace(own: &[Vec<u8>], body: &CreateShader, code: &[u8]) -> Option<(u32, Vec<u8>)> {
    if own.iter().any(|own| own == code) {
        return None;
    }
    let shader = Shader::from_stream(body.language, code).ok()?;
    let module = shader.lift(&RuntimeInfo::default()).ok()?;
    loops(&module).then(|| (body.language, Vec::new()))
}

fn loops(module: &Module) -> bool {
    let mut found = false;
    module.for_each_inst(|_, inst| found |= matches!(inst.imm, Imm::Loop(_)));
    found
}
