//! A device that executes nothing: it lists the calls as text. What is wrong with them it does not know.

use super::watched::{Value, Watched};
use afterimage_metal_calls::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Anything that was made: what it is, and its number.
#[derive(Clone)]
pub struct Handle {
    name: String,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// The device.
#[derive(Clone, Debug)]
pub struct Recorder {
    facts: Arc<Facts>,
    next: Arc<AtomicU32>,
    lines: Arc<Mutex<Vec<String>>>,
    listens: bool,
    /// Whether no command buffer completes until somebody waits for it.
    pub lags: Arc<AtomicBool>,
    /// What encoders have at draws, for whoever asks.
    pub watched: Option<Arc<Mutex<Watched>>>,
}

/// A number for a text.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Recorder {
    /// A Mac's GPU of a family.
    pub fn new(family: Family) -> Self {
        let facts = Facts {
            name: format!("{family:?} on paper"),
            family,
            limits: family.limits(),
            max_buffer: 1 << 30,
            working_set: 8 << 30,
            unified_memory: family.is_apple(),
            samples: 0b111,
            float32_filtering: true,
            msaa32: true,
            bc: true,
            depth24: false,
            addresses: true,
            depth_bounds: true,
            language: 320,
        };
        Self {
            facts: Arc::new(facts),
            next: Arc::default(),
            lines: Arc::default(),
            listens: true,
            lags: Arc::default(),
            watched: None,
        }
    }

    /// One that lists nothing.
    pub fn silent(family: Family) -> Self {
        Self { listens: false, ..Self::new(family) }
    }

    /// One that notes what encoders have at draws; with `forgets` what was set for each draw alone.
    pub fn watching(family: Family, forgets: bool) -> Self {
        let watched = Watched { forgets, ..Watched::default() };
        Self { watched: Some(Arc::new(Mutex::new(watched))), ..Self::silent(family) }
    }

    fn watch(&self, call: impl FnOnce(&mut Watched)) {
        if let Some(watched) = &self.watched {
            call(&mut watched.lock().unwrap());
        }
    }

    /// A number of what something is made of, where that is of interest.
    fn detail(&self, what: impl FnOnce() -> String) -> String {
        if self.watched.is_some() { format!(" {:x}", hash(&what())) } else { String::new() }
    }

    /// What was called since the last time.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().unwrap())
    }

    fn line(&self, text: impl FnOnce() -> String) {
        if self.listens {
            self.lines.lock().unwrap().push(text());
        }
    }

    fn handle(&self, kind: &str, what: &str) -> Result<Handle> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let _number = number;
        Ok(Handle { name: format!("{kind}({what})"), bytes: Arc::default() })
    }
}

impl Device for Recorder {
    type Buffer = Handle;
    type Texture = Handle;
    type Sampler = Handle;
    type Function = Handle;
    type RenderPipeline = Handle;
    type ComputePipeline = Handle;
    type DepthStencil = Handle;
    type Queue = Recording;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn new_buffer(&self, descriptor: &BufferDescriptor) -> Result<Handle> {
        let handle = self.handle("buffer", &descriptor.label)?;
        *handle.bytes.lock().unwrap() = vec![0; descriptor.length as usize];
        Ok(handle)
    }

    fn gpu_address(&self, _: &Handle) -> u64 {
        0x1_0000_0000
    }

    fn write(&self, buffer: &Handle, offset: u64, bytes: &[u8]) -> Result {
        buffer.bytes.lock().unwrap()[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, buffer: &Handle, offset: u64, bytes: &mut [u8]) -> Result {
        bytes.copy_from_slice(&buffer.bytes.lock().unwrap()[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn new_texture(&self, descriptor: &TextureDescriptor) -> Result<Handle> {
        self.handle("texture", &descriptor.label)
    }

    fn new_view(&self, texture: &Handle, view: &TextureView) -> Result<Handle> {
        self.handle("view", &format!("{texture:?}, {}, {:?}, {:?}", view.format.name(), view.ty, view.swizzle))
    }

    fn new_sampler(&self, descriptor: &SamplerDescriptor) -> Result<Handle> {
        let detail = self.detail(|| format!("{descriptor:?}"));
        self.handle("sampler", &format!("{:?}, {:?}{detail}", descriptor.min, descriptor.address[0]))
    }

    fn new_function(&self, descriptor: &FunctionDescriptor<'_>) -> Result<Handle> {
        let detail = self.detail(|| descriptor.source.to_owned());
        self.handle("function", &format!("{} {:?}{detail}", descriptor.label, descriptor.constants))
    }

    fn new_render_pipeline(&self, descriptor: &RenderPipelineDescriptor<'_, Self>) -> Result<Handle> {
        self.line(|| format!("pipeline {descriptor:?}"));
        let detail = self.detail(|| format!("{descriptor:?}"));
        self.handle("pipeline", &format!("{}{detail}", descriptor.label))
    }

    fn new_compute_pipeline(&self, function: &Handle, _: &str) -> Result<Handle> {
        self.handle("kernel", &format!("{function:?}"))
    }

    fn new_depth_stencil(&self, descriptor: &DepthStencilDescriptor) -> Result<Handle> {
        let stencil = if descriptor.front.is_some() { " stencil" } else { "" };
        let detail = self.detail(|| format!("{descriptor:?}"));
        self.handle("tests", &format!("{:?} write {}{stencil}{detail}", descriptor.compare, descriptor.write))
    }

    fn new_queue(&self, _: &str) -> Result<Recording> {
        Ok(Recording { device: self.clone(), committed: 0, waited: 0 })
    }

    fn label_buffer(&self, _: &Handle, _: &str) {}

    fn label_texture(&self, _: &Handle, _: &str) {}
}

/// Its queue.
#[derive(Debug)]
pub struct Recording {
    device: Recorder,
    committed: Serial,
    waited: Serial,
}

macro_rules! calls {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {
        $( fn $name(&mut self, $($argument: $ty),*) {
            self.device.line(|| {
                let arguments: &[String] = &[$(format!("{:?}", $argument)),*];
                format!("{} {}", stringify!($name), arguments.join(", "))
            });
            self.device.watch(|watched| watched.called(stringify!($name), &[$(format!("{:?}", $argument)),*]));
        } )*
    };
}

impl Queue for Recording {
    type Device = Recorder;

    fn commit(&mut self) -> Serial {
        self.device.line(|| "commit".to_owned());
        self.committed += 1;
        self.committed
    }

    fn completed(&mut self) -> Serial {
        if self.device.lags.load(Ordering::Relaxed) { self.waited } else { self.committed }
    }

    fn wait(&mut self, serial: Serial, _: Duration) -> bool {
        self.waited = self.waited.max(serial);
        true
    }

    fn times(&self, _: Serial) -> Option<(f64, f64)> {
        Some((1.0, 2.0))
    }

    fn faults(&mut self) -> Vec<Fault> {
        Vec::new()
    }

    fn set_bytes(&mut self, stage: Stage, index: u32, bytes: &[u8]) {
        self.device.line(|| format!("set_bytes {stage:?}, {index}, {} bytes", bytes.len()));
        self.device.watch(|watched| watched.bind(stage, index, Value::Text(format!("{bytes:?}"))));
    }

    fn set_buffer(&mut self, stage: Stage, index: u32, buffer: &Handle, offset: u64) {
        self.device.line(|| format!("set_buffer {stage:?}, {index}, {buffer:?}, {offset}"));
        self.device.watch(|watched| watched.bind(stage, index, Value::Bytes(buffer.bytes.clone(), offset)));
    }

    fn set_buffer_offset(&mut self, stage: Stage, index: u32, offset: u64) {
        self.device.line(|| format!("set_buffer_offset {stage:?}, {index}, {offset}"));
        self.device.watch(|watched| watched.move_to(stage, index, offset));
    }

    fn draw_indexed(&mut self, primitive: PrimitiveType, count: DrawCount, indices: Indices<'_, Recorder>) {
        self.device.line(|| format!("draw_indexed {primitive:?}, {count:?}, {indices:?}"));
        let bytes = if indices.ty == IndexType::UInt16 { 2 } else { 4 } * u64::from(count.count);
        self.device.watch(|watched| {
            let all = indices.buffer.bytes.lock().unwrap();
            let read = &all[indices.offset as usize..][..bytes as usize];
            watched.drawn(&format!("{primitive:?}, {count:?}, {:?} {read:?}", indices.ty));
        });
    }

    fn draw(&mut self, primitive: PrimitiveType, count: DrawCount) {
        self.device.line(|| format!("draw {primitive:?}, {count:?}"));
        self.device.watch(|watched| watched.drawn(&format!("{primitive:?}, {count:?}")));
    }

    fn begin_render(&mut self, pass: &RenderPass<'_, Recorder>) {
        self.device.line(|| format!("begin_render {}", pass.label));
        self.device.watch(|watched| watched.state.clear());
        for (index, color) in pass.colors.iter().enumerate() {
            if let Some(color) = color {
                self.device.line(|| {
                    format!("    color {index}: {:?}, {:?}, {:?}", color.target.texture, color.load, color.store)
                });
            }
        }
        if let Some(depth) = &pass.depth {
            self.device.line(|| format!("    depth: {:?}, {:?}, {:?}", depth.target.texture, depth.load, depth.store));
        }
        if let Some(stencil) = &pass.stencil {
            self.device
                .line(|| format!("    stencil: {:?}, {:?}, {:?}", stencil.target.texture, stencil.load, stencil.store));
        }
    }

    calls! {
        push_debug_group(label: &str);
        pop_debug_group();
        end_encoding();
        set_render_pipeline(pipeline: &Handle);
        set_depth_stencil(state: &Handle);
        set_stencil_references(references: StencilReferences);
        set_viewport(viewport: Viewport);
        set_viewports(viewports: &[Viewport]);
        set_scissor(rect: ScissorRect);
        set_scissors(rects: &[ScissorRect]);
        set_cull_mode(mode: CullMode);
        set_winding(winding: Winding);
        set_fill_mode(mode: FillMode);
        set_depth_bias(bias: f32, slope_scale: f32, clamp: f32);
        set_depth_clip(mode: DepthClipMode);
        set_depth_bounds(bounds: [f32; 2]);
        set_blend_color(color: [f32; 4]);
        set_visibility(mode: VisibilityMode, offset: u64);
        draw_indirect(primitive: PrimitiveType, arguments: &Handle, offset: u64);
        draw_indexed_indirect(primitive: PrimitiveType, indices: Indices<'_, Recorder>, arguments: &Handle, offset: u64);
        set_texture(stage: Stage, index: u32, texture: &Handle);
        set_sampler(stage: Stage, index: u32, sampler: &Handle);
        use_buffer(stage: Stage, buffer: &Handle, write: bool);
        begin_compute(label: &str);
        set_compute_pipeline(pipeline: &Handle);
        dispatch(groups: [u32; 3], threads: [u32; 3]);
        dispatch_indirect(arguments: &Handle, offset: u64, threads: [u32; 3]);
        begin_blit(label: &str);
        copy_buffer(from: &Handle, from_offset: u64, to: &Handle, to_offset: u64, size: u64);
        fill_buffer(buffer: &Handle, offset: u64, size: u64, value: u8);
        copy_buffer_to_texture(buffer: &Handle, layout: BufferLayout, texture: &Handle, region: Region, aspect: Aspect);
        copy_texture_to_buffer(texture: &Handle, region: Region, aspect: Aspect, buffer: &Handle, layout: BufferLayout);
        copy_texture(from: &Handle, region: Region, to: &Handle, destination: Region);
        generate_mipmaps(texture: &Handle);
        copy_buffer_ahead(from: &Handle, from_offset: u64, to: &Handle, to_offset: u64, size: u64);
        copy_buffer_to_texture_ahead(buffer: &Handle, layout: BufferLayout, texture: &Handle, region: Region, aspect: Aspect);
    }
}
