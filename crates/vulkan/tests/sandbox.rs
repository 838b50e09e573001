//! A renderer in the sandbox of renderer processes draws what it draws outside, with caches cold and warm, under validation
//! (`AFTERIMAGE_VALIDATE=off` does without, for computers that have a driver and no layers).
//!
//! There is no harness, since that starts a thread for each test, and a process is confined before it has a second one: this program
//! starts itself again for each way to draw.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod common;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    linux::main()
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::common::*;
    use afterimage_process::sandbox::{Access, Outcome, WHOLE, confine_calls, confine_paths, landlock_version};
    use afterimage_stream::packets::*;
    use afterimage_stream::{Format, ObjectId, ObjectKind};
    use afterimage_vulkan::{FrameSet, Gpu, Options, Renderer, Wishes};
    use afterimage_window::Handles;
    use std::ffi::OsString;
    use std::num::NonZeroU32;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitCode};
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};
    use x11rb::wrapper::ConnectionExt as _;

    type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    type Case = (&'static str, fn() -> Result<()>);

    const CASES: &[Case] =
        &[("a_renderer_draws_the_same_inside", compare), ("a_window_shows_what_is_drawn_inside", show)];
    /// The folder that a started process draws into, whether it is confined, and the window that it shows its picture in.
    const FOLDER: &str = "AFTERIMAGE_SANDBOX_FOLDER";
    const INSIDE: &str = "AFTERIMAGE_SANDBOX_INSIDE";
    const WINDOW: &str = "AFTERIMAGE_SANDBOX_WINDOW";
    const EDGE: u32 = 96;

    pub(super) fn main() -> ExitCode {
        if let Some(folder) = std::env::var_os(FOLDER) {
            match std::env::var(WINDOW).map(|window| window.parse()) {
                Ok(window) => draw_in_window(window.expect("a window's number")),
                Err(_) => draw(Path::new(&folder), std::env::var_os(INSIDE).is_some()),
            }
            return ExitCode::SUCCESS;
        }
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        if arguments.iter().any(|argument| argument == "--list") {
            CASES.iter().for_each(|(name, _)| println!("{name}: test"));
            return ExitCode::SUCCESS;
        }
        let version = landlock_version();
        if version < WHOLE {
            println!("skipped: this needs Landlock {WHOLE} (Linux 6.12), and this kernel has {version}");
            return ExitCode::SUCCESS;
        }
        let filter = arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str);
        let mut failed = 0;
        for (name, case) in CASES.iter().filter(|(name, _)| name.contains(filter)) {
            match case() {
                Ok(()) => println!("test {name} ... ok"),
                Err(why) => {
                    failed += 1;
                    println!("test {name} ... FAILED\n---- {name} ----\n{why}");
                }
            }
        }
        println!("\ntest result: {}. {failed} failed\n", if failed > 0 { "FAILED" } else { "ok" });
        ExitCode::from(u8::from(failed > 0))
    }

    /// This program again, which is to draw; what it says.
    fn start(folder: &Path, variables: &[(&str, &str)]) -> Result<String> {
        let mut again = Command::new(std::env::current_exe()?);
        let output = again.env(FOLDER, folder).envs(variables.iter().copied()).output()?;
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if std::env::var_os("AFTERIMAGE_SANDBOX_SAY").is_some() {
            println!("{said}");
        }
        if output.status.success() { Ok(said) } else { Err(format!("{variables:?}, {}\n{said}", output.status).into()) }
    }

    /// Draws outside, then inside with caches that are empty and with those that are full.
    fn compare() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let outside = files(&folder.path().join("outside"), &[])?;
        let inside = folder.path().join("inside");
        for caches in ["cold", "warm"] {
            for ((name, one), (other, two)) in outside.iter().zip(&files(&inside, &[(INSIDE, "1")])?) {
                if name != other || one != two {
                    return Err(format!("{name:?} is not {other:?} with {caches} caches").into());
                }
            }
        }
        let kept = std::fs::read_dir(inside.join("cache"))?.count();
        if kept < 3 { Err(format!("{kept} things were kept in the caches").into()) } else { Ok(()) }
    }

    /// What a process draws: its files, by name.
    fn files(folder: &Path, variables: &[(&str, &str)]) -> Result<Vec<(OsString, Vec<u8>)>> {
        let pictures = folder.join("out/pictures");
        std::fs::create_dir_all(&pictures)?;
        start(folder, variables)?;
        let mut paths = vec![folder.join("pixels"), folder.join("out/capture.aftercap")];
        paths.extend(std::fs::read_dir(&pictures)?.flatten().map(|entry| entry.path()));
        let mut files: Vec<(OsString, Vec<u8>)> = paths
            .into_iter()
            .map(|path: PathBuf| Ok((path.file_name().unwrap_or_default().into(), std::fs::read(&path)?)))
            .collect::<std::io::Result<_>>()?;
        files.sort();
        // Two pictures, the pixels that were read back, and the capture, whose time of writing differs.
        if files.len() != 4 || files.iter().any(|(_, bytes)| bytes.is_empty()) {
            let names = files.iter().map(|(name, _)| name).collect::<Vec<_>>();
            return Err(format!("of four files there are {names:?}").into());
        }
        files.retain(|(name, _)| name != "capture.aftercap");
        Ok(files)
    }

    /// Draws inside, into a window that is there.
    fn show() -> Result<()> {
        let Some(server) = afterimage_window::xvfb::Xvfb::start("320x240x24") else {
            println!("there is no Xvfb here, so no window");
            return Ok(());
        };
        let (connection, screen) = x11rb::rust_connection::RustConnection::connect(Some(server.display()))?;
        let root = connection.setup().roots[screen].root;
        let window = connection.generate_id()?;
        let (edge, class, copied) = (EDGE as u16, WindowClass::INPUT_OUTPUT, x11rb::COPY_FROM_PARENT);
        connection.create_window(24, window, root, 0, 0, edge, edge, 0, class, copied, &CreateWindowAux::new())?;
        connection.map_window(window)?;
        connection.sync()?;
        let folder = tempfile::tempdir()?;
        start(folder.path(), &[(WINDOW, &window.to_string()), ("DISPLAY", server.display())])?;
        // What was drawn stays until the window is.
        let (width, height, pixels) = server.picture(window)?;
        let of = |color: [u8; 3]| pixels.iter().filter(|pixel| **pixel == color).count();
        match (width, height, of([255, 0, 0]), of([0, 0, 255])) {
            (EDGE, EDGE, red, blue) if red == blue && red + blue == pixels.len() => Ok(()),
            found => Err(format!("the window's size, red and blue pixels: {found:?}").into()),
        }
    }

    /// What a started process with a window does.
    fn draw_in_window(window: u32) {
        let access = Access { display: true, ..Access::default() };
        assert_eq!(confine_paths(&access), Outcome::Confined, "this test needs Linux 6.12 with Landlock");
        let validate = std::env::var("AFTERIMAGE_VALIDATE").as_deref() != Ok("off");
        let options = Options { validate, cache_dir: None, ..Options::from_env() };
        let gpu = Gpu::open(&options).unwrap();
        assert_eq!(confine_calls(&access), Outcome::Confined, "this test needs seccomp");
        x11rb::xcb_ffi::load_libxcb().unwrap();
        let (connection, screen) = x11rb::xcb_ffi::XCBConnection::connect(None).unwrap();
        let connection: &'static _ = Box::leak(Box::new(connection));
        let mut renderer = Renderer::on(gpu, options).unwrap();
        renderer.set_surface_factory(Some(Box::new(move |target, instance| {
            let window = u32::try_from(target.window).ok().and_then(NonZeroU32::new)?;
            Some(Handles::of_program(connection, screen as i32, window).surface(instance))
        })));
        let mut guest = Guest::over(renderer);
        let id = guest.id(ObjectKind::Target);
        let (window_kind, window) = (WindowKind::X11 as u32, window.into());
        guest.encoder.push(&PresentTarget { id, width: EDGE, height: EDGE, window_kind, window });
        let texture = guest.target(Format::B8G8R8A8_UNORM, EDGE, EDGE);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        for frame in 1..=4u64 {
            guest.clear(Clear::COLOR, RED, 1.0, 0);
            guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, BLUE));
            let whole = Rect::default();
            guest.encoder.push(&Present { frame, target: id, texture, src: whole, dst: whole, interval: 0, pad: 0 });
            guest.begin_frame();
            guest.run();
        }
        guest.finish();
    }

    /// What a started process does.
    fn draw(folder: &Path, inside: bool) {
        let (out, cache) = (folder.join("out"), folder.join("cache"));
        let pixels = std::fs::File::create(folder.join("pixels")).unwrap();
        let access = Access { write: vec![out.clone()], cache: Some(cache.clone()), ..Access::default() };
        if inside {
            assert_eq!(confine_paths(&access), Outcome::Confined, "this test needs Linux 6.12 with Landlock");
        }
        let options = Options {
            validate: std::env::var("AFTERIMAGE_VALIDATE").as_deref() != Ok("off"),
            cache_dir: Some(cache),
            wishes: Wishes {
                screenshots: Some(out.join("pictures")),
                screenshot_frames: FrameSet::parse("2-3"),
                capture_frames: FrameSet::parse("2"),
                capture_file: Some(out.join("capture.aftercap")),
                stats: Some(out.join("stats.json")),
                ..Wishes::default()
            },
            ..Options::from_env()
        };
        let gpu = Gpu::open(&options).unwrap();
        if inside {
            assert_eq!(confine_calls(&access), Outcome::Confined, "this test needs seccomp");
        }
        let mut guest = Guest::over(Renderer::on(gpu, options).unwrap());
        let drawn = scene(&mut guest);
        std::io::Write::write_all(&mut &pixels, &drawn).unwrap();
        println!("{}", guest.renderer.stats_json());
        let distinct = drawn.chunks_exact(4).collect::<std::collections::BTreeSet<_>>().len();
        assert!(distinct > 100, "a picture of {distinct} colours shows nothing");
        guest.finish();
        assert_eq!(std::fs::read("/etc/passwd").is_err(), inside, "whether it is confined");
        assert_eq!(Command::new("/bin/true").status().is_err(), inside, "whether it is confined");
    }

    /// A scene with shaders of both kinds, a texture with levels, depth, blending, a query and a compute shader, over four frames; its pixels.
    fn scene(guest: &mut Guest) -> Vec<u8> {
        let screen = guest.target(Format::B8G8R8A8_UNORM, EDGE, EDGE);
        let depth = guest.texture(Format::D24_UNORM_S8_UINT, EDGE, EDGE, 1, CreateTexture::TARGET);
        let texture = guest.texture(Format::R8G8B8A8_UNORM, 16, 16, 2, 0);
        for (level, edge) in [(0u16, 16u32), (1, 8)] {
            let texel = |at: u32| [at as u8, (at * 7) as u8, (at * at) as u8, 255];
            let texels: Vec<u8> = (0..edge * edge).flat_map(texel).collect();
            guest.update_texture(texture, level, 0, [edge, edge], edge * 4, &texels);
        }
        let sampler = guest.sampler(sampling(Filter::Linear));
        let sampled = [guest.shader(Stage::Vertex, VERTEX), guest.shader(Stage::Pixel, TEXTURE)];
        let tokens = [
            guest.d3d9_shader(Stage::Vertex, "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_position o0\ndcl_color o1\nmov o0, v0\nmul o1, v1, v1"),
            guest.d3d9_shader(Stage::Pixel, "ps_3_0\ndcl_color v0\nmov r0, v0\nrep i0\nmad r0.xyz, r0, c0, v0.zxy\nendrep\nmov oC0, r0\ndefi i0, 3, 0, 0, 0\n"),
        ];
        guest.layout();
        let bind = |guest: &mut Guest, [vertex, pixel]: [ObjectId; 2]| {
            guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        };
        for frame in 0..4u8 {
            guest.bind(screen, depth);
            guest.clear(Clear::COLOR | Clear::DEPTH, [0.1, 0.2, 0.3, 1.0], 1.0, 0);
            guest.bind_texture(0, texture, sampler);
            bind(guest, sampled);
            guest.draw_now(&quad([-0.9, 0.5], [-0.8, 0.6], 0.5, [1.0; 4]));
            bind(guest, tokens);
            guest.pixel_constant(0, [0.5, 0.25, 0.125 * f32::from(frame), 1.0]);
            let mut corners = quad([-0.3, 0.95], [-0.95, 0.9], 0.7, RED);
            corners[1].color = GREEN;
            corners[2].color = BLUE;
            corners[2].position[2] = 0.1;
            guest.draw_now(&corners);
            guest.present(screen);
            guest.run();
        }
        guest.read(screen, Format::B8G8R8A8_UNORM, 0, 0, [EDGE, EDGE])
    }
}
