//! What calls become: each file in `tests/translate` is a list of calls, and under each the packets that it sends.
//!
//! `AFTERIMAGE_BLESS=1 cargo test -p afterimage-d3d9 --test guest translate` writes the packets anew.

use crate::common::{self, Rig};
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use std::collections::HashMap;
use std::path::Path;

/// A device, and the objects that a file has named.
struct Script {
    rig: Rig,
    names: HashMap<String, Handle>,
}

/// One call's arguments.
struct Args<'a> {
    words: std::str::SplitWhitespace<'a>,
    names: &'a HashMap<String, Handle>,
}

impl Args<'_> {
    fn word(&mut self) -> &str {
        self.words.next().expect("another argument")
    }

    fn more(&self) -> bool {
        self.words.clone().next().is_some()
    }

    /// A number, or the name of a constant.
    fn number(&mut self) -> u32 {
        let word = self.word().to_owned();
        let mut value = 0;
        for part in word.split('|') {
            value |= if let Some(hex) = part.strip_prefix("0x") {
                u32::from_str_radix(hex, 16).unwrap()
            } else if let Ok(number) = part.parse::<i64>() {
                number as u32
            } else if let Ok(float) = part.parse::<f32>() {
                float.to_bits()
            } else {
                constant(part)
            };
        }
        value
    }

    fn float(&mut self) -> f32 {
        self.word().parse().unwrap()
    }

    fn handle(&mut self) -> Option<Handle> {
        let names = self.names;
        match self.word() {
            "none" => None,
            name => Some(*names.get(name).unwrap_or_else(|| panic!("no object {name}"))),
        }
    }

    fn image(&mut self) -> Option<ImageId> {
        self.handle().map(|handle| match handle {
            Handle::Image(id) => id,
            other => panic!("{other:?} is no image"),
        })
    }

    fn buffer(&mut self) -> Option<BufferId> {
        self.handle().map(|handle| match handle {
            Handle::Buffer(id) => id,
            other => panic!("{other:?} is no buffer"),
        })
    }

    fn rect(&mut self) -> Option<RECT> {
        self.more().then(|| RECT {
            left: self.number() as i32,
            top: self.number() as i32,
            right: self.number() as i32,
            bottom: self.number() as i32,
        })
    }
}

fn constant(name: &str) -> u32 {
    let enums = ENUMS.iter().flat_map(|e| e.items.iter().copied());
    let constants = CONSTANTS.iter().flat_map(|(_, list)| list.iter().map(|c| (c.name, c.value)));
    enums.chain(constants).find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no constant {name}")).1
}

impl Script {
    fn call(&mut self, text: &str) -> Result<()> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap();
        let names = self.names.clone();
        let mut a = Args { words, names: &names };
        let d = &mut self.rig.device;
        match name {
            "texture" => {
                let key = a.word().to_owned();
                let (w, h, levels, usage) = (a.number(), a.number(), a.number(), a.number());
                let id = d.create_texture(w, h, levels, usage, a.number(), a.number())?;
                self.names.insert(key, id.into());
            }
            "cube" => {
                let key = a.word().to_owned();
                let (edge, levels, usage) = (a.number(), a.number(), a.number());
                let id = d.create_cube_texture(edge, levels, usage, a.number(), a.number())?;
                self.names.insert(key, id.into());
            }
            "target" => {
                let key = a.word().to_owned();
                let (w, h) = (a.number(), a.number());
                let id = d.create_render_target(w, h, a.number(), 0, 0, false)?;
                self.names.insert(key, id.into());
            }
            "plain" => {
                let key = a.word().to_owned();
                let (w, h) = (a.number(), a.number());
                let id = d.create_offscreen_plain(w, h, a.number(), a.number())?;
                self.names.insert(key, id.into());
            }
            "vertex_buffer" => {
                let key = a.word().to_owned();
                let id = d.create_vertex_buffer(a.number(), a.number(), 0, a.number())?;
                self.names.insert(key, id.into());
            }
            "index_buffer" => {
                let key = a.word().to_owned();
                let id = d.create_index_buffer(a.number(), a.number(), D3DFMT_INDEX16, a.number())?;
                self.names.insert(key, id.into());
            }
            "vertex_shader" => {
                let id = d.create_vertex_shader(&common::assemble(common::VS))?;
                self.names.insert(a.word().to_owned(), id.into());
            }
            "pixel_shader" => {
                let id = d.create_pixel_shader(&common::assemble(common::PS))?;
                self.names.insert(a.word().to_owned(), id.into());
            }
            "SetVertexShader" => {
                let shader = a.handle().map(|h| match h {
                    Handle::VertexShader(id) => id,
                    other => panic!("{other:?}"),
                });
                d.set_vertex_shader(shader)?;
            }
            "SetPixelShader" => {
                let shader = a.handle().map(|h| match h {
                    Handle::PixelShader(id) => id,
                    other => panic!("{other:?}"),
                });
                d.set_pixel_shader(shader)?;
            }
            "SetFVF" => d.set_fvf(a.number())?,
            "SetRenderState" => d.set_render_state(a.number(), a.number())?,
            "SetSamplerState" => d.set_sampler_state(a.number(), a.number(), a.number())?,
            "SetTextureStageState" => d.set_texture_stage_state(a.number(), a.number(), a.number())?,
            "SetTexture" => d.set_texture(a.number(), a.image())?,
            "SetStreamSource" => d.set_stream_source(a.number(), a.buffer(), a.number(), a.number())?,
            "SetStreamSourceFreq" => d.set_stream_source_freq(a.number(), a.number())?,
            "SetIndices" => d.set_indices(a.buffer())?,
            "SetVertexShaderConstantF" | "SetPixelShaderConstantF" => {
                let first = a.number();
                let mut values = Vec::new();
                while a.more() {
                    values.push([a.float(), a.float(), a.float(), a.float()]);
                }
                match name {
                    "SetVertexShaderConstantF" => d.set_vertex_shader_constant_f(first, &values)?,
                    _ => d.set_pixel_shader_constant_f(first, &values)?,
                }
            }
            "SetTransform" => {
                let state = a.number();
                let mut matrix = D3DMATRIX::default();
                for index in 0..4 {
                    matrix.m[index][index] = a.float();
                }
                d.set_transform(state, &matrix)?;
            }
            "SetViewport" => {
                let viewport = D3DVIEWPORT9 {
                    X: a.number(),
                    Y: a.number(),
                    Width: a.number(),
                    Height: a.number(),
                    MinZ: a.float(),
                    MaxZ: a.float(),
                };
                d.set_viewport(&viewport)?;
            }
            "SetScissorRect" => d.set_scissor_rect(&a.rect().unwrap())?,
            "SetLight" => {
                let light = D3DLIGHT9 {
                    Type: D3DLIGHT_DIRECTIONAL,
                    Diffuse: D3DCOLORVALUE { r: 1.0, g: 0.5, b: 0.25, a: 1.0 },
                    Direction: D3DVECTOR { x: 0.0, y: -2.0, z: 0.0 },
                    ..D3DLIGHT9::default()
                };
                d.set_light(a.number(), &light)?;
            }
            "LightEnable" => d.enable_light(a.number(), a.number() != 0)?,
            "SetRenderTarget" => {
                let index = a.number();
                d.set_render_target(index, a.image().map(Surface::of))?;
            }
            "SetDepthStencilSurface" => d.set_depth_stencil(a.image().map(Surface::of))?,
            "Clear" => {
                let (flags, color, depth, stencil) = (a.number(), a.number(), a.float(), a.number());
                let mut rects = Vec::new();
                while let Some(r) = a.rect() {
                    rects.push(D3DRECT { x1: r.left, y1: r.top, x2: r.right, y2: r.bottom });
                }
                d.clear(&rects, flags, color, depth, stencil)?;
            }
            "DrawPrimitive" => d.draw_primitive(a.number(), a.number(), a.number())?,
            "DrawIndexedPrimitive" => {
                d.draw_indexed_primitive(
                    a.number(),
                    a.number() as i32,
                    a.number(),
                    a.number(),
                    a.number(),
                    a.number(),
                )?;
            }
            "DrawPrimitiveUP" => {
                let (primitive, count, stride) = (a.number(), a.number(), a.number());
                let vertices = Device::up_vertex_count(primitive, count).unwrap();
                d.draw_primitive_up(primitive, count, &vec![1; (vertices * stride) as usize], stride)?;
            }
            "DrawIndexedPrimitiveUP" => {
                let (primitive, count, stride) = (a.number(), a.number(), a.number());
                let indices = vec![0; 2 * Device::up_vertex_count(primitive, count).unwrap() as usize];
                let (first, vertices) = (a.number(), a.number());
                let bytes = vec![1; ((first + vertices) * stride) as usize];
                d.draw_indexed_primitive_up(
                    primitive,
                    first,
                    vertices,
                    count,
                    &indices,
                    D3DFMT_INDEX16,
                    &bytes,
                    stride,
                )?;
            }
            "LockBuffer" => {
                let buffer = a.buffer().unwrap();
                d.lock_buffer(buffer, a.number(), a.number(), a.number())?;
                d.unlock_buffer(buffer)?;
            }
            "LockRect" => {
                let surface = Surface { image: a.image().unwrap(), level: a.number() as u8, face: a.number() as u8 };
                let flags = a.number();
                d.lock_surface(surface, a.rect().as_ref(), flags)?;
                d.unlock_surface(surface)?;
            }
            "UpdateTexture" => d.update_texture(a.image().unwrap(), a.image().unwrap())?,
            "StretchRect" => {
                let (from, to) = (Surface::of(a.image().unwrap()), Surface::of(a.image().unwrap()));
                let filter = a.number();
                let (from_rect, to_rect) = (a.rect(), a.rect());
                d.stretch_rect(from, from_rect.as_ref(), to, to_rect.as_ref(), filter)?;
            }
            "GetRenderTargetData" => {
                d.render_target_data(Surface::of(a.image().unwrap()), Surface::of(a.image().unwrap()))?;
            }
            "ColorFill" => {
                let (surface, color) = (Surface::of(a.image().unwrap()), a.number());
                d.color_fill(surface, a.rect().as_ref(), color)?;
            }
            "Release" => {
                let handle = a.handle().unwrap();
                d.release(handle);
            }
            "Present" => self.rig.present()?,
            other => panic!("no call {other}"),
        }
        Ok(())
    }
}

/// The file as it should be.
fn replay(text: &str) -> String {
    let mut script = Script { rig: Rig::new(), names: HashMap::new() };
    script.rig.packets();
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.starts_with("  ")) {
        out += line;
        out += "\n";
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let result = script.call(line);
        for packet in script.rig.packets() {
            out += &format!("  {packet}\n");
        }
        if let Err(error) = result {
            out += &format!("  = {error}\n");
        }
    }
    script.rig.check();
    out
}

#[test]
fn calls_become_packets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/translate");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some();
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let before = std::fs::read_to_string(&path).unwrap();
        let after = replay(&before);
        files += 1;
        if bless {
            std::fs::write(&path, after).unwrap();
        } else {
            for (number, (before, after)) in before.lines().zip(after.lines()).enumerate() {
                assert_eq!(after, before, "{}:{}", path.display(), number + 1);
            }
            assert_eq!(after.lines().count(), before.lines().count(), "{}", path.display());
        }
    }
    assert!(files > 0);
}
