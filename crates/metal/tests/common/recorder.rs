//! A device that executes nothing: it lists the calls as text. What is wrong with them it does not know.

use afterimage_metal_calls::*;
use std::sync::atomic::{AtomicU32, Ordering};
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
            language: 320,
        };
        Self { facts: Arc::new(facts), next: Arc::default(), lines: Arc::default(), listens: true }
    }

    /// One that lists nothing.
    pub fn silent(family: Family) -> Self {
        Self { listens: false, ..Self::new(family) }
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
        self.handle("sampler", &format!("{:?}, {:?}", descriptor.min, descriptor.address[0]))
    }

    fn new_function(&self, descriptor: &FunctionDescriptor<'_>) -> Result<Handle> {
        self.handle("function", &format!("{} {:?}", descriptor.label, descriptor.constants))
    }

    fn new_render_pipeline(&self, descriptor: &RenderPipelineDescriptor<'_, Self>) -> Result<Handle> {
        self.line(|| format!("pipeline {descriptor:?}"));
        self.handle("pipeline", descriptor.label)
    }

    fn new_compute_pipeline(&self, function: &Handle, _: &str) -> Result<Handle> {
        self.handle("kernel", &format!("{function:?}"))
    }

    fn new_depth_stencil(&self, descriptor: &DepthStencilDescriptor) -> Result<Handle> {
        let stencil = if descriptor.front.is_some() { " stencil" } else { "" };
        self.handle("tests", &format!("{:?} write {}{stencil}", descriptor.compare, descriptor.write))
    }

    fn new_queue(&self, _: &str) -> Result<Recording> {
        Ok(Recording { device: self.clone(), committed: 0 })
    }

    fn label_buffer(&self, _: &Handle, _: &str) {}

    fn label_texture(&self, _: &Handle, _: &str) {}
}

/// Its queue.
#[derive(Debug)]
pub struct Recording {
    device: Recorder,
    committed: Serial,
}

macro_rules! calls {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {
        $( fn $name(&mut self, $($argument: $ty),*) {
            self.device.line(|| {
                let arguments: &[String] = &[$(format!("{:?}", $argument)),*];
                format!("{} {}", stringify!($name), arguments.join(", "))
            });
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
        self.committed
    }

    fn wait(&mut self, _: Serial, _: Duration) -> bool {
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
    }

    fn begin_render(&mut self, pass: &RenderPass<'_, Recorder>) {
        self.device.line(|| format!("begin_render {}", pass.label));
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
        set_scissor(rect: ScissorRect);
        set_cull_mode(mode: CullMode);
        set_winding(winding: Winding);
        set_fill_mode(mode: FillMode);
        set_depth_bias(bias: f32, slope_scale: f32, clamp: f32);
        set_depth_clip(mode: DepthClipMode);
        set_blend_color(color: [f32; 4]);
        set_visibility(mode: VisibilityMode, offset: u64);
        draw(primitive: PrimitiveType, count: DrawCount);
        draw_indexed(primitive: PrimitiveType, count: DrawCount, indices: Indices<'_, Recorder>);
        draw_indirect(primitive: PrimitiveType, arguments: &Handle, offset: u64);
        draw_indexed_indirect(primitive: PrimitiveType, indices: Indices<'_, Recorder>, arguments: &Handle, offset: u64);
        set_buffer(stage: Stage, index: u32, buffer: &Handle, offset: u64);
        set_buffer_offset(stage: Stage, index: u32, offset: u64);
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
    }
}
