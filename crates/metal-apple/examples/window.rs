//! Shows a triangle that turns, in a window: what is to be run on a Mac when `triangle` has drawn one.
//!
//! `cargo run -p afterimage-metal-apple --example window [PICTURES]`. It ends after so many pictures (600), or when the window is closed, and
//! says how many were shown and what was wrong. With `MTL_DEBUG_LAYER=1` in the environment Apple's validation layer looks on.

fn main() -> std::process::ExitCode {
    match window() {
        Ok(text) => {
            println!("{text}");
            std::process::ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "macos"))]
fn window() -> Result<String, String> {
    Err("there is Metal on macOS alone".into())
}

#[cfg(target_os = "macos")]
fn window() -> Result<String, String> {
    let pictures = match std::env::args().nth(1) {
        Some(text) => text.parse().map_err(|error| format!("{text}: {error}"))?,
        None => 600,
    };
    shown::run(pictures)
}

#[cfg(target_os = "macos")]
mod shown {
    use afterimage_metal_apple::{Device, Layer, Queue, RenderPipeline, pool};
    use afterimage_metal_calls::{
        ColorAttachment, ColorTarget, Device as _, DrawCount, Fault, FunctionDescriptor, LayerDescriptor, LoadAction,
        PixelFormat, Presents as _, PrimitiveType, Queue as _, RenderPass, RenderPipelineDescriptor, Result, Stage,
        StoreAction, Subresource, TopologyClass, VertexDescriptor,
    };
    use std::time::{Duration, Instant};
    use winit::application::ApplicationHandler;
    use winit::event::WindowEvent;
    use winit::event_loop::{ActiveEventLoop, EventLoop};
    use winit::raw_window_handle::HasWindowHandle as _;
    use winit::window::{Window, WindowAttributes, WindowId};

    const SOURCE: &str = "
        #include <metal_stdlib>
        using namespace metal;
        struct Vertex { float4 position [[position]]; float3 colour; };
        vertex Vertex corners(uint id [[vertex_id]], constant float& turn [[buffer(0)]]) {
            float angle = turn + float(id) * 2.0943951;
            float3 colour = float3(0.0);
            colour[id % 3] = 1.0;
            return { float4(0.8 * sin(angle), 0.8 * cos(angle), 0.0, 1.0), colour };
        }
        fragment float4 colour(Vertex in [[stage_in]]) { return float4(in.colour, 1.0); }
    ";

    struct App {
        device: Device,
        queue: Queue,
        pipeline: RenderPipeline,
        window: Option<(Window, Layer)>,
        began: Instant,
        wanted: u64,
        shown: u64,
        skipped: u64,
        wrong: Result,
    }

    /// Shows so many pictures, and says what came of it.
    pub(crate) fn run(pictures: u64) -> Result<String, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let mut app = pool(|| App::new(pictures)).map_err(|error| text(&error))?;
        let events = EventLoop::new().map_err(|error| text(&error))?;
        events.run_app(&mut app).map_err(|error| text(&error))?;
        app.wrong.as_ref().map_err(|error| text(error))?;
        let last = app.queue.commit();
        let in_time = app.queue.wait(last, Duration::from_secs(10));
        let faults: Vec<Fault> = app.queue.faults();
        let seconds = app.began.elapsed().as_secs_f64();
        let App { shown, skipped, .. } = app;
        Ok(format!("{shown} pictures in {seconds:.2} s, {skipped} skipped; all done: {in_time}; faults: {faults:?}"))
    }

    impl App {
        fn new(wanted: u64) -> Result<Self> {
            let device = Device::choose(None)?;
            let function =
                |name| device.new_function(&FunctionDescriptor { source: SOURCE, name, constants: &[], label: name });
            let color = ColorTarget { format: PixelFormat::BGRA8Unorm, blending: None, write: [true; 4] };
            let pipeline = device.new_render_pipeline(&RenderPipelineDescriptor {
                label: "triangle",
                vertex: &function("corners")?,
                fragment: Some(&function("colour")?),
                input: &VertexDescriptor::default(),
                colors: &[Some(color)],
                depth: None,
                stencil: None,
                samples: 1,
                alpha_to_coverage: false,
                alpha_to_one: false,
                rasterization: true,
                topology: TopologyClass::Triangle,
            })?;
            let queue = device.new_queue("window")?;
            let began = Instant::now();
            Ok(Self { device, queue, pipeline, window: None, began, wanted, shown: 0, skipped: 0, wrong: Ok(()) })
        }

        /// Draws a picture and has it shown.
        fn picture(&mut self) -> Result {
            let Some((window, layer)) = &self.window else { return Ok(()) };
            let size = <[u32; 2]>::from(window.inner_size()).map(|edge| edge.max(1));
            self.queue.configure(layer, &LayerDescriptor { size, sync: true })?;
            let Some(drawable) = self.queue.next_drawable(layer) else {
                self.skipped += 1;
                return Ok(());
            };
            let texture = Queue::drawable_texture(&drawable);
            let color = ColorAttachment {
                target: Subresource { texture: &texture, level: 0, slice: 0, depth_plane: 0 },
                resolve: None,
                load: LoadAction::Clear([0.1, 0.1, 0.1, 1.0]),
                store: StoreAction::Store,
            };
            self.queue.begin_render(&RenderPass {
                label: "picture",
                colors: &[Some(color)],
                depth: None,
                stencil: None,
                layers: 0,
                without_attachments: None,
                visibility: None,
            });
            self.queue.set_render_pipeline(&self.pipeline);
            self.queue.set_bytes(Stage::Vertex, 0, &self.began.elapsed().as_secs_f32().to_le_bytes());
            let count = DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 };
            self.queue.draw(PrimitiveType::Triangle, count);
            self.queue.end_encoding();
            self.queue.present(drawable);
            self.queue.commit();
            self.shown += 1;
            Ok(())
        }

        fn open(&self, events: &ActiveEventLoop) -> Result<(Window, Layer), String> {
            let attributes = WindowAttributes::default().with_title("Afterimage on Metal");
            let window = events.create_window(attributes).map_err(|error| error.to_string())?;
            let handle = window.window_handle().map_err(|error| error.to_string())?.as_raw();
            // SAFETY: the handle of a window that is there, on the main thread.
            let layer = unsafe { Layer::of_window(&self.device, handle) }.map_err(|error| error.to_string())?;
            Ok((window, layer))
        }
    }

    impl ApplicationHandler for App {
        fn resumed(&mut self, events: &ActiveEventLoop) {
            match self.open(events) {
                Ok(opened) => self.window = Some(opened),
                Err(text) => {
                    eprintln!("{text}");
                    events.exit();
                }
            }
        }

        fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
            match event {
                WindowEvent::CloseRequested => events.exit(),
                WindowEvent::RedrawRequested => {
                    self.wrong = pool(|| self.picture());
                    if self.wrong.is_err() || self.shown + self.skipped >= self.wanted {
                        return events.exit();
                    }
                    if let Some((window, _)) = &self.window {
                        window.request_redraw();
                    }
                }
                _ => {}
            }
        }
    }
}
