//! A receiver without a GPU: checks every packet, keeps the state, writes the packets down as text, answers.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test file uses a part of it")]

use afterimage_d3d9::{Device, Window};
use afterimage_d3d9_types::*;
use afterimage_stream::packets::*;
use afterimage_stream::*;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// What the receiver has seen.
pub struct Log {
    pub lines: Vec<String>,
    pub errors: Vec<String>,
    /// The state at each draw, if that is wanted.
    pub draws: Vec<State>,
    pub keep_states: bool,
    pub state: State,
    /// Bytes of updates, by object.
    pub uploads: Vec<(ObjectId, Vec<u8>)>,
    pub present_frames: Vec<u64>,
    validator: Validator,
    arena: Vec<u8>,
    replies: VecDeque<Reply>,
    /// What queries answer; none keeps them waiting.
    pub query_value: Option<u64>,
    /// The byte that read backs are filled with.
    pub read_value: u8,
    epoch: u32,
    lost: bool,
    /// Bytes that an upload may have.
    pub room: u32,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            errors: Vec::new(),
            draws: Vec::new(),
            keep_states: false,
            state: State::default(),
            uploads: Vec::new(),
            present_frames: Vec::new(),
            validator: Validator::default(),
            arena: Vec::new(),
            replies: VecDeque::new(),
            query_value: Some(7),
            read_value: 0xab,
            epoch: 1,
            lost: false,
            room: u32::MAX,
        }
    }
}

impl Arena for Log {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(self.arena.len() as u64)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let start = range.offset as usize + at as usize;
        match self.arena.get(start..start + out.len()) {
            Some(bytes) => {
                out.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }

    fn copy_in(&self, _: &UploadRef, _: u32, _: &[u8]) -> bool {
        false
    }
}

impl Log {
    /// The receiver dies.
    pub fn kill(&mut self) {
        self.lost = true;
    }

    /// A new one takes its place, knowing nothing.
    pub fn restart(&mut self) {
        let epoch = self.epoch + 1;
        let keep_states = self.keep_states;
        let arena = std::mem::take(&mut self.arena);
        *self = Self { epoch, keep_states, arena, ..Self::default() };
    }

    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    fn data(&self, range: &UploadRef) -> Vec<u8> {
        let start = range.offset as usize;
        self.arena[start..start + range.size as usize].to_vec()
    }

    fn run(&mut self, batch: &[u64]) {
        for located in Reader::new(batch) {
            let located = match located {
                Ok(located) => located,
                Err(error) => {
                    self.errors.push(error.to_string());
                    continue;
                }
            };
            let mut validator = std::mem::take(&mut self.validator);
            let checked = validator.check(&self.state, &located, self);
            self.validator = validator;
            if let Err(error) = checked {
                self.errors.push(error.to_string());
                self.lines.push(format!("REJECTED {error}"));
                continue;
            }
            // How often something was applied is not what this is about.
            if !matches!(located.packet, Packet::StateFigures(_)) {
                self.lines.push(line(&located.packet));
            }
            self.state.apply(&located.packet);
            self.execute(&located.packet);
        }
    }

    fn execute(&mut self, packet: &Packet<'_>) {
        match packet {
            Packet::Draw(_) | Packet::DrawIndexed(_) if self.keep_states => self.draws.push(self.state.clone()),
            Packet::UpdateBuffer(body) => self.uploads.push((body.id, self.data(&body.data))),
            Packet::UpdateTexture(body) => self.uploads.push((body.id, self.data(&body.data))),
            Packet::CreateShader(body) => self.uploads.push((body.id, self.data(&body.code))),
            Packet::Present(body) => {
                self.present_frames.push(body.frame);
                self.replies.push_back(Reply::FrameDone { frame: body.frame });
            }
            Packet::EndQuery(body) => {
                if let Some(value) = self.query_value {
                    self.replies.push_back(Reply::Query { id: body.id, token: body.token, value });
                }
            }
            Packet::ReadBack(body) => {
                let start = body.data.offset as usize;
                let value = self.read_value;
                self.arena[start..start + body.data.size as usize].fill(value);
                self.replies.push_back(Reply::ReadBack { token: body.token, ok: true });
            }
            Packet::ReadBuffer(body) => {
                let start = body.data.offset as usize;
                let value = self.read_value;
                self.arena[start..start + body.data.size as usize].fill(value);
                self.replies.push_back(Reply::ReadBack { token: body.token, ok: true });
            }
            _ => {}
        }
    }
}

/// A packet as text: Rust's own rendering, less what says nothing.
pub fn line(packet: &Packet<'_>) -> String {
    let mut text = match packet {
        Packet::SetConstants(body, registers) => {
            let floats: Vec<_> = registers.iter().map(|r| r.map(f32::from_bits)).collect();
            format!("SetConstants {} {}.. {floats:?}", Bank::ALL[usize::from(body.bank)].name(), body.first)
        }
        Packet::Init(..) => "Init".to_owned(),
        Packet::Name(body, name) => format!("Name {} {:?}", body.id, String::from_utf8_lossy(name)),
        Packet::SetBlend(body, []) => format!("{body:?}").replace(", count: 0", ""),
        other => format!("{other:?}"),
    };
    // `Draw(Draw { .. })` is `Draw { .. }`.
    if let Some((name, rest)) = text.split_once('(')
        && rest.starts_with(name)
    {
        text = rest.strip_suffix(')').unwrap_or(rest).to_owned();
    }
    for nothing in [
        ", pad: 0",
        ", pad2: 0.0",
        ", pad2: 0",
        ", shared: 0",
        ", discard: 0",
        ", geometry: none",
        ", first_instance: 0",
        ", restart: 0",
        ", pad: [0, 0, 0]",
        ", pad: [0, 0, 0, 0]",
        ", own_back: StencilBack { enable: 0, reference: 0, read_mask: 0, write_mask: 0 }",
        ", pad: [0, 0]",
        ", View { texture: none, level: 0, layer: 0 }",
        "slot: 0, ",
    ] {
        text = text.replace(nothing, "");
    }
    text
}

/// The guest's end of the receiver.
pub struct Recorder {
    log: Arc<Mutex<Log>>,
    info: DeviceInfo,
}

impl Link for Recorder {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        let mut log = self.log.lock().unwrap();
        if log.lost {
            batch.clear();
            return Err(LinkError::Lost);
        }
        log.run(batch);
        batch.clear();
        Ok(())
    }

    fn is_idle(&self) -> bool {
        false
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        let mut log = self.log.lock().unwrap();
        if log.lost {
            return Err(LinkError::Lost);
        }
        if size > log.room {
            return Err(LinkError::ArenaFull { wanted: size.into(), limit: log.room.into() });
        }
        let offset = log.arena.len().next_multiple_of(align as usize);
        log.arena.resize(offset + size as usize, 0);
        Ok(UploadRef { slot: 0, size, offset: offset as u64 })
    }

    fn frame_bytes(&self) -> u64 {
        u64::MAX
    }

    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        let start = range.offset as usize + at as usize;
        let end = (range.offset as usize + range.size as usize).min(start + bytes.len());
        self.log.lock().unwrap().arena[start..end].copy_from_slice(&bytes[..end - start]);
    }

    fn read(&mut self, range: &UploadRef, at: u32, out: &mut [u8]) {
        self.log.lock().unwrap().copy_out(range, at, out);
    }

    fn end_frame(&mut self, _: u64) -> Result<(), LinkError> {
        if self.log.lock().unwrap().lost { Err(LinkError::Lost) } else { Ok(()) }
    }

    fn poll(&mut self) -> Option<Reply> {
        self.log.lock().unwrap().replies.pop_front()
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        self.poll().ok_or(LinkError::Lost)
    }

    fn epoch(&mut self) -> u32 {
        self.log.lock().unwrap().epoch
    }

    fn device(&self) -> &DeviceInfo {
        &self.info
    }

    fn capture_frames(&mut self, _: &Path, _: u64) -> bool {
        false
    }
}

/// A device that can do everything.
pub fn info() -> DeviceInfo {
    let mut info = DeviceInfo {
        max_texture_2d: 16_384,
        max_texture_cube: 16_384,
        max_texture_3d: 2_048,
        max_anisotropy: 16.0,
        sample_counts: 0b1000_1011,
        max_point_size: 256.0,
        max_color_targets: 8,
        max_clip_planes: 8,
        memory: 1 << 30,
        pipeline_statistics: 1,
        features: DeviceFeatures::FEEDBACK | DeviceFeatures::SMOOTH_LINES,
        ..DeviceInfo::default()
    };
    for format in Format::ALL {
        info.formats[*format as usize] = FormatFeatures::SAMPLED
            | FormatFeatures::VERTEX_TEXTURE
            | if format.is_depth() {
                FormatFeatures::DEPTH
            } else if format.info().block == 4 {
                FormatFeatures::LINEAR | FormatFeatures::BLIT_SOURCE
            } else {
                FormatFeatures::LINEAR
                    | FormatFeatures::TARGET
                    | FormatFeatures::BLEND
                    | FormatFeatures::BLIT
                    | FormatFeatures::BLIT_SOURCE
            };
    }
    info
}

/// A device and its receiver.
pub struct Rig {
    pub device: Device,
    pub log: Arc<Mutex<Log>>,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(false, TRUE)
    }

    pub fn with(extended: bool, depth: BOOL) -> Self {
        Self::create(Self::creation(), extended, depth)
    }

    /// A device with other `D3DCREATE_*` flags.
    pub fn with_behavior(flags: u32) -> Self {
        Self::create(D3DDEVICE_CREATION_PARAMETERS { BehaviorFlags: flags, ..Self::creation() }, false, TRUE)
    }

    fn create(creation: D3DDEVICE_CREATION_PARAMETERS, extended: bool, depth: BOOL) -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let link = Box::new(Recorder { log: log.clone(), info: info() });
        let mut parameters = Self::parameters(depth);
        let device = Device::new(link, creation, &mut parameters, Self::window(), extended, "test").unwrap();
        Self { device, log }
    }

    pub fn creation() -> D3DDEVICE_CREATION_PARAMETERS {
        D3DDEVICE_CREATION_PARAMETERS {
            DeviceType: D3DDEVTYPE_HAL,
            BehaviorFlags: D3DCREATE_HARDWARE_VERTEXPROCESSING,
            ..D3DDEVICE_CREATION_PARAMETERS::default()
        }
    }

    pub fn parameters(depth: BOOL) -> D3DPRESENT_PARAMETERS {
        D3DPRESENT_PARAMETERS {
            SwapEffect: D3DSWAPEFFECT_DISCARD,
            Windowed: TRUE,
            EnableAutoDepthStencil: depth,
            AutoDepthStencilFormat: D3DFMT_D24S8,
            ..D3DPRESENT_PARAMETERS::default()
        }
    }

    pub fn window() -> Window {
        Window { kind: WindowKind::Headless, handle: 0, width: 64, height: 48 }
    }

    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap()
    }

    /// Hands over what is pending and returns the packets since the last time.
    pub fn packets(&mut self) -> Vec<String> {
        self.device.flush();
        self.log().take_lines()
    }

    /// No packet was rejected.
    pub fn check(&mut self) {
        self.device.flush();
        let errors = std::mem::take(&mut self.log().errors);
        assert!(errors.is_empty(), "{errors:#?}");
    }

    pub fn present(&mut self) -> afterimage_d3d9::Result<()> {
        let chain = self.device.swap_chain(0)?;
        self.device.present(chain, None, None, None, 0)
    }
}

/// A vertex shader that reads constants 0 to 3 and transforms a position.
pub const VS: &str = "vs_2_0
dcl_position v0
dcl_texcoord v1
dp4 oPos.x, v0, c0
dp4 oPos.y, v0, c1
dp4 oPos.z, v0, c2
dp4 oPos.w, v0, c3
mov oT0, v1";

/// A pixel shader that reads sampler 0 and constant 0.
pub const PS: &str = "ps_2_0
dcl t0
dcl_2d s0
texld r0, t0, s0
mul r0, r0, c0
mov oC0, r0";

pub fn assemble(text: &str) -> Vec<u32> {
    afterimage_shader_d3d9::assemble(text).unwrap()
}
