//! Calls of a device, chosen and fed by numbers: for properties and for the fuzzer.
#![allow(unreachable_pub, missing_docs, reason = "the fuzzer uses it too")]

use crate::common::Rig;
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;

/// Kinds of calls.
const KINDS: u32 = 38;

/// A position, and the end of a declaration.
const ELEMENTS: [D3DVERTEXELEMENT9; 2] = [element(0, D3DDECLTYPE_FLOAT3), element(0xff, D3DDECLTYPE_UNUSED)];

const fn element(stream: u16, kind: u32) -> D3DVERTEXELEMENT9 {
    D3DVERTEXELEMENT9 { Stream: stream, Offset: 0, Type: kind as u8, Method: 0, Usage: 0, UsageIndex: 0 }
}

fn rect(n: &[u32]) -> RECT {
    RECT { left: n[0] as i32, top: n[1] as i32, right: n[2] as i32, bottom: n[3] as i32 }
}

fn lock(d: &mut Device, surface: Surface, area: Option<&RECT>, flags: u32) {
    if d.lock_surface(surface, area, flags).is_ok() {
        let _ = d.unlock_surface(surface);
    }
}

/// A program that makes them, and what it holds.
pub struct Calls {
    pub rig: Rig,
    images: Vec<ImageId>,
    buffers: Vec<BufferId>,
}

impl Default for Calls {
    fn default() -> Self {
        Self { rig: Rig::new(), images: Vec::new(), buffers: Vec::new() }
    }
}

impl Calls {
    /// What the receiver rejected of all that was called.
    pub fn rejected(&mut self) -> Vec<String> {
        self.rig.device.flush();
        std::mem::take(&mut self.rig.log().errors)
    }

    /// One call.
    pub fn call(&mut self, which: u32, n: &[u32; 8]) {
        let formats = [D3DFMT_A8R8G8B8, D3DFMT_DXT5, D3DFMT_D24S8, D3DFMT_R5G6B5, D3DFMT_L8, n[5]];
        let format = formats[n[4] as usize % formats.len()];
        let image = |index: u32| self.images.get(index as usize % self.images.len().max(1)).copied();
        let buffer = |index: u32| self.buffers.get(index as usize % self.buffers.len().max(1)).copied();
        let surface =
            |index: u32, n: &[u32]| image(index).map(|image| Surface { image, level: n[0] as u8, face: n[1] as u8 });
        // Sizes that do not ask for all of this machine's memory.
        let edge = |value: u32| if value > 4096 { u32::MAX } else { value };
        let d = &mut self.rig.device;
        let area = rect(&n[..4]);
        match which % KINDS {
            0 => self.images.extend(d.create_texture(edge(n[0]), edge(n[1]), n[2], n[3], format, n[6] % 5)),
            1 => self.images.extend(d.create_cube_texture(edge(n[0]), n[2], n[3], format, n[6] % 5)),
            2 => self.images.extend(d.create_volume_texture(
                n[0] % 64,
                n[1] % 64,
                n[2] % 64,
                n[3] % 9,
                n[5],
                format,
                n[6] % 5,
            )),
            3 => self.images.extend(d.create_render_target(
                edge(n[0]),
                edge(n[1]),
                format,
                n[2] % 18,
                n[3] % 4,
                n[6] & 1 == 1,
            )),
            4 => self.images.extend(d.create_depth_stencil(edge(n[0]), edge(n[1]), format, n[2] % 18, n[3] % 4, true)),
            5 => self.images.extend(d.create_offscreen_plain(edge(n[0]), edge(n[1]), format, n[6] % 5)),
            6 => self.buffers.extend(d.create_vertex_buffer(n[0] % 70_000, n[1], n[2], n[3] % 5)),
            7 => self.buffers.extend(d.create_index_buffer(n[0] % 70_000, n[1], 100 + n[2] % 4, n[3] % 5)),
            8 => surface(n[7], n).into_iter().for_each(|s| lock(d, s, (n[6] & 1 == 1).then_some(&area), n[5])),
            9 => {
                let locked = buffer(n[7]).filter(|b| d.lock_buffer(*b, n[0], n[1], n[2]).is_ok());
                if let Some(b) = locked {
                    let _ = d.unlock_buffer(b);
                }
            }
            10 => drop(d.set_texture(n[0], image(n[7]))),
            11 => drop(d.set_stream_source(n[0], buffer(n[7]), n[1], n[2])),
            12 => drop(d.set_indices(buffer(n[7]))),
            13 => drop(d.set_render_target(n[0] % 5, surface(n[7], &n[1..]))),
            14 => drop(d.set_depth_stencil(surface(n[7], n))),
            15 => drop(d.set_render_state(n[0], n[1])),
            16 => drop(d.set_sampler_state(n[0], n[1], n[2])),
            17 => drop(d.set_texture_stage_state(n[0], n[1], n[2])),
            18 => {
                let (min, max) = (f32::from_bits(n[4]), f32::from_bits(n[5]));
                let viewport = D3DVIEWPORT9 { X: n[0], Y: n[1], Width: n[2], Height: n[3], MinZ: min, MaxZ: max };
                let _ = d.set_viewport(&viewport);
                let _ = d.set_scissor_rect(&area);
            }
            19 => {
                let clear = D3DRECT { x1: area.left, y1: area.top, x2: area.right, y2: area.bottom };
                let rects = if n[7] & 1 == 1 { vec![clear; n[7] as usize % 5] } else { Vec::new() };
                let _ = d.clear(&rects, n[4], n[5], f32::from_bits(n[6]), n[7]);
            }
            20 => drop(d.set_fvf(n[0])),
            21 => drop(d.draw_primitive(n[0] % 8, n[1], n[2])),
            22 => drop(d.draw_indexed_primitive(n[0] % 8, n[1] as i32, n[2], n[3], n[4], n[5])),
            23 => drop(d.draw_primitive_up(n[0] % 8, n[1], &[0xff; 4096], n[2])),
            24 => {
                let bytes = [0x7f; 4096];
                let _ = d.draw_indexed_primitive_up(n[0] % 8, n[1], n[2], n[3], &bytes, 100 + n[4] % 4, &bytes, n[5]);
            }
            25 => {
                let (from, to) = (surface(n[7], &n[4..]), surface(n[6], &n[5..]));
                if let (Some(from), Some(to)) = (from, to) {
                    let _ = d.stretch_rect(
                        from,
                        (n[0] & 1 == 1).then_some(&area),
                        to,
                        (n[1] & 1 == 1).then_some(&area),
                        n[2] % 4,
                    );
                    let _ = d.update_surface(from, None, to, Some(&POINT { x: n[0] as i32, y: n[1] as i32 }));
                    let _ = d.update_texture(from.image, to.image);
                    let _ = d.render_target_data(from, to);
                    let _ = d.color_fill(to, (n[3] & 1 == 1).then_some(&area), n[5]);
                }
            }
            26 => {
                let matrix = D3DMATRIX { m: [[f32::from_bits(n[1]); 4]; 4] };
                let _ = d.set_transform(n[0], &matrix);
                let light = D3DLIGHT9 {
                    Type: n[2],
                    Range: f32::from_bits(n[3]),
                    Phi: f32::from_bits(n[4]),
                    ..D3DLIGHT9::default()
                };
                let _ = d.set_light(n[5], &light);
                let _ = d.enable_light(n[5], n[6] & 1 == 1);
                let _ = d.set_clip_plane(n[0], &[f32::from_bits(n[1]); 4]);
            }
            27 => {
                if !self.images.is_empty() {
                    let gone = self.images.swap_remove(n[0] as usize % self.images.len());
                    d.release(gone);
                }
            }
            28 => {
                if !self.buffers.is_empty() {
                    let gone = self.buffers.swap_remove(n[0] as usize % self.buffers.len());
                    d.release(gone);
                }
            }
            29 => {
                let declaration = d.create_declaration(&ELEMENTS).ok().filter(|_| n[5] & 1 == 1);
                if let Some(target) = buffer(n[7]) {
                    let _ = d.process_vertices(n[0], n[1], n[2] % 4096, target, declaration, n[4]);
                }
                if let Some(declaration) = declaration {
                    d.release(declaration);
                }
            }
            30 => {
                let info = D3DRECTPATCH_INFO {
                    StartVertexOffsetWidth: n[0],
                    StartVertexOffsetHeight: n[1],
                    Width: n[2],
                    Height: n[3],
                    Stride: n[4],
                    Basis: n[5] % 4,
                    Degree: n[6] % 6,
                };
                let segments = [n[1], n[5], n[6], n[7]].map(f32::from_bits);
                let _ =
                    d.draw_rect_patch(n[7] % 3, (n[6] & 1 == 1).then_some(segments), (n[6] & 2 == 2).then_some(&info));
            }
            31 => {
                let info =
                    D3DTRIPATCH_INFO { StartVertexOffset: n[0], NumVertices: n[1], Basis: n[2] % 4, Degree: n[3] % 6 };
                let segments = [n[4], n[5], n[6]].map(|n| n as f32);
                let _ =
                    d.draw_tri_patch(n[7] % 3, (n[6] & 1 == 1).then_some(segments), (n[6] & 2 == 2).then_some(&info));
                if n[5] & 1 == 1 {
                    let _ = d.delete_patch(n[7] % 3);
                }
            }
            32 => {
                let entry =
                    PALETTEENTRY { peRed: n[1] as u8, peGreen: n[2] as u8, peBlue: n[3] as u8, peFlags: n[4] as u8 };
                let _ = d.set_palette(n[0], &[entry; 256]);
                let _ = d.set_current_palette(n[5]);
            }
            33 => drop(d.set_stream_source_freq(n[0], n[1] << 30 | n[2])),
            34 => {
                let _ = d.begin_state_block();
                let _ = d.set_render_state(n[0], n[1]);
                let recorded = d.end_state_block();
                for block in [recorded, d.create_state_block(n[2] % 5)].into_iter().flatten() {
                    let _ = d.set_texture(n[3], image(n[7]));
                    let _ = d.capture_state_block(block);
                    let _ = d.apply_state_block(block);
                    d.release(block);
                }
            }
            35 => {
                if let Ok(query) = d.create_query(n[0] % 20) {
                    let _ = d.issue_query(query, n[1] % 4);
                    let _ = d.issue_query(query, n[2] % 4);
                    let _ = d.query_data(query, n[3] & 1 == 1);
                    d.release(query);
                }
            }
            36 => {
                let values = [[f32::from_bits(n[1]); 4]; 8];
                let _ = d.set_vertex_shader_constant_f(n[0], &values[..n[2] as usize % 9]);
                let _ = d.set_pixel_shader_constant_f(n[3], &values[..n[4] as usize % 9]);
            }
            _ => drop(self.rig.present()),
        }
    }
}
