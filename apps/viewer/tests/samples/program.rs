//! A sample, compiled as `cargo xtask` does, and what its captures hold.

use afterimage_capture::Reader;
use afterimage_stream::Arena;
use afterimage_stream::packets::Packet;
use afterimage_vulkan::{Gpu, Options, Renderer};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

/// Frame numbers with pictures: red, green and blue of each pixel.
pub(crate) type Pictures = Vec<(u64, Vec<u8>)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program in `folder`, or none where there is no C++ compiler.
pub(crate) fn compile(name: &str, folder: &Path) -> Option<PathBuf> {
    // Cargo puts the library beside the tests.
    let libraries = std::env::current_exe().expect("this program").parent().expect("its folder").to_owned();
    let program = folder.join(name);
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O1", "-ffp-contract=off", "-I"]).arg(root().join("include/afterimage"));
    compiler.arg(root().join(format!("samples/{name}.cpp"))).arg("-o").arg(&program);
    compiler.arg("-L").arg(&libraries).args(["-ld3d9", "-ldl", "-Wl,--disable-new-dtags"]);
    compiler.arg(format!("-Wl,-rpath,{}", libraries.display()));
    match compiler.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("not tested: there is no C++ compiler `g++`");
            None
        }
        output => {
            let output = output.expect("g++ runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
    }
}

/// A process that does not outlive us.
pub(crate) struct Guarded(pub(crate) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command in a folder, with nothing of the configuration but what it is given.
pub(crate) fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    let set = std::env::vars_os().map(|(name, _)| name);
    let set = set.filter(|name| name.to_string_lossy().starts_with("AFTERIMAGE_") && *name != "AFTERIMAGE_VALIDATE");
    set.for_each(|name| {
        command.env_remove(name);
    });
    command
        .current_dir(folder)
        .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(folder.join("cache")))
        .stdout(Stdio::null());
    command.env_remove("WAYLAND_DISPLAY").env("AFTERIMAGE_VIEWER_WAIT_MS", "60000");
    command
}

/// The pictures that a process has written into a folder.
pub(crate) fn written(folder: &Path) -> Pictures {
    let mut pictures: Pictures = std::fs::read_dir(folder)
        .expect("pictures were written")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let number = stem.strip_prefix("frame-").and_then(|number| number.parse().ok());
            (number.unwrap_or_else(|| panic!("{}: not a frame", path.display())), pixels(&path))
        })
        .collect();
    pictures.sort();
    pictures
}

/// Red, green and blue of each pixel of a file.
pub(crate) fn pixels(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("a file"));
    let mut reader = png::Decoder::new(file).read_info().expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    pixels
}

/// The last pictures of what a capture shows, drawn anew. Any packet that is refused is a failure, and any message of the validation layer.
pub(crate) fn replay(capture: &Path, last: usize) -> Pictures {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    let options = Options { validate_if_there: true, ..Options::default() };
    let gpu = GPU.get_or_init(|| Gpu::open(&options).expect("a Vulkan driver"));
    let mut renderer = Renderer::on(Arc::clone(gpu), options).expect("a renderer");
    let pictures = Arc::<Mutex<Pictures>>::default();
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        let pixels = picture.rgba.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
        let mut pictures = sink.lock().expect("no panic");
        if pictures.len() == last {
            pictures.remove(0);
        }
        pictures.push((picture.frame, pixels));
    })));
    let replayed = renderer.replay(&mut Reader::open(capture).expect("a capture")).expect("a whole capture");
    assert_eq!(replayed.errors, 0, "{}", capture.display());
    drop(renderer);
    assert_eq!(gpu.instance.validation_messages(), 0, "the validation layer reported something: see the log");
    std::mem::take(&mut *pictures.lock().expect("no panic"))
}

/// What a capture tells beside its pictures.
#[derive(Default)]
pub(crate) struct Told {
    /// Whose it is, as [`Init`](afterimage_stream::packets::Init) has it.
    pub(crate) guest: Option<(u32, String)>,
    /// The code of its shaders.
    pub(crate) code: Vec<Vec<u8>>,
    /// The names of its objects.
    pub(crate) names: Vec<String>,
}

/// Reads a capture's packets.
pub(crate) fn told(capture: &Path) -> Told {
    let mut told = Told::default();
    let mut reader = Reader::open(capture).expect("a capture");
    while let Some(batch) = reader.next().expect("no damage") {
        for located in afterimage_stream::Reader::new(&batch.words) {
            match located.expect("a packet").packet {
                Packet::Init(body, name) => {
                    told.guest = Some((body.guest, String::from_utf8_lossy(name).into_owned()));
                }
                Packet::CreateShader(body) => {
                    let mut code = vec![0; body.code.size as usize];
                    assert!(reader.arena().copy_out(&body.code, 0, &mut code));
                    told.code.push(code);
                }
                Packet::Name(_, name) => told.names.push(String::from_utf8_lossy(name).into_owned()),
                _ => {}
            }
        }
    }
    told
}

/// The shaders that a sample's source names, as `samples/shaders/shaders.h` has them: name and bytes.
pub(crate) fn shaders_of(sample: &str) -> Vec<(String, Vec<u8>)> {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a source");
    let (source, header) = (read(&format!("samples/{sample}.cpp")), read("samples/shaders/shaders.h"));
    let bytes = |text: &str| {
        let words = text.split(',').filter_map(|word| word.trim().strip_prefix("0x"));
        words.flat_map(|word| u32::from_str_radix(word, 16).expect("a number").to_le_bytes()).collect()
    };
    let all = header.split("inline const DWORD ").skip(1).map(|array| {
        let (name, rest) = array.split_once("[] = {").expect("an array");
        (name.to_owned(), bytes(rest.split_once('}').expect("its end").0))
    });
    all.filter(|(name, _)| source.contains(&format!("shaders::{name}"))).collect()
}
