//! `afterimage replay` as a user meets it: calls, loops, times, other shaders.

use crate::scene::{self, A, B, EDGE, SCREEN, Variant};
use afterimage_inspect::Capture;
use afterimage_stream::ObjectId;
use afterimage_vulkan::{Options, Renderer, Stepper};
use afterimage_window::xvfb::{Xvfb, key};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn replay(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let all = [&["replay", "scene.aftercap"], arguments].concat();
    command.current_dir(folder).args(all).env("NO_COLOR", "1").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scene() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    scene::capture(&temp.path().join("scene.aftercap"), Variant::Plain);
    temp
}

/// Names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn pictures_of_calls_are_those_of_their_targets() {
    let temp = scene();
    let output = replay(temp.path(), &["-o", "calls", "--screenshots", "1,5-9/draw"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(names(&temp.path().join("calls")), ["000001.png", "000005.png", "000008.png", "000009.png"]);
    assert!(text(&output.stdout).contains("4 pictures of calls"), "{}", text(&output.stdout));
    // Up to a call, and its picture; equal to that of the whole.
    let output = replay(temp.path(), &["-o", "one", "--calls", "5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("calls 0 to 5, 1 pictures"), "{}", text(&output.stdout));
    let read = |path: &str| std::fs::read(temp.path().join(path)).unwrap();
    assert!(read("one/000005.png") == read("calls/000005.png"));
    for (set, said) in [("99", "names none"), ("7-x", "7-x")] {
        let output = replay(temp.path(), &["--calls", set]);
        assert!(!output.status.success() && text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}

/// Pixels of a picture: red, green and blue.
#[cfg(target_os = "linux")]
fn pixels(path: &Path) -> Vec<u8> {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// Call by call with Metal: the same pictures, and times of calls.
#[cfg(target_os = "linux")]
#[test]
fn calls_are_drawn_with_metal_as_with_vulkan() {
    if let Err(why) = afterimage_metal_soft::compiler() {
        return eprintln!("not tested: the software Metal needs clang: {why}");
    }
    let temp = scene();
    let metal = ["--renderer", "metal-soft"];
    for (folder, more) in [("vulkan", &[][..]), ("metal", &metal[..])] {
        let output =
            replay(temp.path(), &[&["-o", folder, "--calls", "0-9", "--screenshots", "1,5-9/draw"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let [vulkan, metal_soft] = ["vulkan", "metal"].map(|folder| temp.path().join(folder));
    let all = names(&vulkan);
    assert_eq!((all.len(), &all), (4, &names(&metal_soft)));
    for name in all {
        let (one, two) = (pixels(&vulkan.join(&name)), pixels(&metal_soft.join(&name)));
        assert!(one.len() == two.len() && one.iter().zip(&two).all(|(a, b)| a.abs_diff(*b) <= 1), "{name}");
    }
    let output = replay(temp.path(), &[&["--times=-", "--calls", "0-9"], &metal[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let times: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(times["device"].as_str().is_some_and(|name| name.contains("Metal")), "{times}");
    let of = |kind: &str| {
        times["calls"].as_array().unwrap().iter().find(|call| call["kind"] == kind).unwrap()["gpu_us"].clone()
    };
    assert!(of("draw").as_f64().is_some_and(|time| time > 0.0), "{times}");
    for option in ["--loop=2", "--measure"] {
        let output = replay(temp.path(), &[&[option], &metal[..]].concat());
        assert!(!output.status.success() && text(&output.stderr).contains("is for the renderer on Vulkan"));
    }
}

#[test]
fn a_stepper_and_the_model_number_calls_alike() {
    let temp = scene();
    let file = temp.path().join("scene.aftercap");
    let capture = Capture::open(&file).unwrap();
    let mut stepper = Stepper::open(Renderer::new(Options::from_env()).unwrap(), &file).unwrap();
    assert_eq!(stepper.calls(), capture.calls().len() as u64);
    let shown = |stepper: &mut Stepper, call| -> ObjectId {
        stepper.run_to(call).unwrap();
        stepper.shown().unwrap().texture
    };
    for (call, texture) in [(9, SCREEN), (1, A), (3, B), (5, SCREEN), (0, A)] {
        assert_eq!(shown(&mut stepper, call), texture, "call {call}");
    }
    let look = stepper.picture(stepper.shown().unwrap()).unwrap().unwrap();
    assert_eq!((look.width, look.height), (EDGE, EDGE));
    for kind in afterimage_stream::Kind::ALL.iter().filter(|kind| kind.is_call()) {
        assert!(!kind.name().starts_with("Set") && !kind.name().starts_with("Create"), "{}", kind.name());
    }
}

#[test]
fn replays_are_repeated_and_measured() {
    let temp = scene();
    let output = replay(temp.path(), &["-o", "first"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = replay(temp.path(), &["-o", "again", "--loop=3", "--measure=times.json", "--warmup", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let folders = ["first", "again"].map(|name| temp.path().join(name));
    assert_eq!(names(&folders[0]).len(), 2);
    for name in names(&folders[0]) {
        let [first, again] = folders.each_ref().map(|folder| std::fs::read(folder.join(&name)).unwrap());
        assert!(first == again, "{name}");
    }
    let times: serde_json::Value =
        serde_json::from_slice(&std::fs::read(temp.path().join("times.json")).unwrap()).unwrap();
    assert_eq!((&times["frames"], &times["replays"], &times["warmup"]), (&6.into(), &3.into(), &2.into()));
    assert_eq!(times["times_ms"].as_array().unwrap().len(), 6);
    assert!(times["cpu_ms"]["p99"].as_f64().unwrap() >= times["cpu_ms"]["median"].as_f64().unwrap());
    let output = replay(temp.path(), &["--measure"]);
    assert!(text(&output.stdout).contains("median"), "{}", text(&output.stdout));
}

#[test]
fn calls_are_timed() {
    let temp = scene();
    let capture = Capture::open(&temp.path().join("scene.aftercap")).unwrap();
    let output = replay(temp.path(), &["--times=times.json", "--validate"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let times: serde_json::Value =
        serde_json::from_slice(&std::fs::read(temp.path().join("times.json")).unwrap()).unwrap();
    let calls = times["calls"].as_array().unwrap();
    assert_eq!(calls.len(), capture.calls().len());
    for (call, said) in capture.calls().iter().zip(calls) {
        assert_eq!((&said["call"], &said["frame"]), (&call.number.into(), &call.frame.into()));
        assert_eq!((&said["kind"], &said["packet"]), (&call.kind.name().into(), &call.packet.name().into()));
        // Presents wait for their own answer, draws do not.
        assert!(said["kind"] != "present" || said["gpu_us"].is_null(), "{said}");
        assert!(said["kind"] != "draw" || said["gpu_us"].is_number(), "{said}");
    }
    let sum: f64 = calls.iter().filter_map(|call| call["gpu_us"].as_f64()).sum();
    assert!((sum - times["sum_us"].as_f64().unwrap()).abs() < 0.01, "{sum}: {times}");
    // For people only the draws, the longest first.
    let output = replay(temp.path(), &["--times", "--calls", "draw"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let rows: Vec<&str> = said.lines().filter(|line| line.contains("  Draw")).collect();
    let draws = capture.calls().iter().filter(|call| call.kind == afterimage_stream::CallKind::Draw).count();
    assert_eq!((rows.len(), said.starts_with(&format!("{draws} of {draws} calls timed on "))), (draws, true), "{said}");
    let long: Vec<f64> = rows.iter().map(|row| row.split_whitespace().next().unwrap().parse().unwrap()).collect();
    assert!(long.is_sorted_by(|a, b| a >= b), "{said}");
    let output = replay(temp.path(), &["--times", "--calls", "99"]);
    assert!(!output.status.success() && text(&output.stderr).contains("names none"), "{}", text(&output.stderr));
}

#[test]
fn a_shader_is_replaced_by_a_file() {
    let temp = scene();
    let capture = Capture::open(&temp.path().join("scene.aftercap")).unwrap();
    // The one that call 5 draws with.
    let pixel = capture.state_before(5).shaders.pixel;
    let hash = format!("{:032x}", capture.shader(pixel, 5).unwrap().hash.unwrap());
    let white = "pixel \"white\" {\n  output out0 : f32x4 location 0\n  v0: f32x4 = const 1.0, 1.0, 1.0, 1.0\n  \
                 store_output out0, v0\n  return\n}\n";
    std::fs::write(temp.path().join("white.air"), white).unwrap();
    let option = format!("{}=white.air", &hash[..12]);
    let output = replay(temp.path(), &["-o", "white", "--calls", "5", "--replace-shader", &option]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let picture = std::fs::File::open(temp.path().join("white/000005.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert!(pixels.chunks_exact(4).any(|pixel| pixel == [255, 255, 255, 255]));
    let output = replay(temp.path(), &["--replace-shader", "00000000000000000000=white.air"]);
    assert!(text(&output.stderr).contains("no shader that was created"), "{}", text(&output.stderr));
}

/// Red, green and blue of a picture.
fn rgb(path: &Path) -> Vec<[u8; 3]> {
    let file = std::fs::File::open(path).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    assert_eq!(reader.next_frame(&mut bytes).unwrap().color_type, png::ColorType::Rgb);
    bytes.as_chunks().0.to_vec()
}

/// A replay in a window of this display.
fn windowed(folder: &Path, display: &str, arguments: &[&str]) -> Child {
    let all = [&["replay", "scene.aftercap", "--window"], arguments].concat();
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.current_dir(folder).args(all).env("DISPLAY", display).env_remove("WAYLAND_DISPLAY").env("NO_COLOR", "1");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Some(found) => return found,
            None => assert!(start.elapsed() < Duration::from_secs(120), "{what}: not in two minutes"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_window_plays_pauses_and_steps() {
    let Some(screen) = Xvfb::start("640x480x24") else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = scene();
    assert!(replay(temp.path(), &["-o", "pictures"]).status.success());
    let frames = [1, 2].map(|frame| rgb(&temp.path().join(format!("pictures/frame-{frame:06}.png"))));
    let mut player = windowed(temp.path(), screen.display(), &["--validate"]);
    let titled = |title: &str| screen.windows().unwrap().into_iter().find(|(_, found)| found == title);
    let shows = |window: u32, frame: usize| {
        wait_for(&format!("frame {frame}"), || {
            (screen.picture(window).ok()? == (EDGE, EDGE, frames[frame - 1].clone())).then_some(())
        });
    };
    // To the end, where it stays.
    let end = "scene.aftercap - frame 2, the last one, Space plays again";
    let (window, _) = wait_for("the end", || titled(end));
    shows(window, 2);
    // From the start again, frame by frame.
    for frame in [1, 2] {
        screen.press(window, key::N).unwrap();
        if frame == 1 {
            wait_for("the title of frame 1", || titled("scene.aftercap - frame 1, paused"));
        }
        shows(window, frame);
    }
    wait_for("the end", || titled(end));
    // A window of another size shows the picture in its own.
    screen.resize(window, 2 * EDGE, 3 * EDGE).unwrap();
    wait_for("the larger picture", || {
        let (width, height, pixels) = screen.picture(window).ok()?;
        let right = pixels.chunks(width as usize).map(|row| row[width as usize * 3 / 4]);
        let blue = frames[1][EDGE as usize - 1];
        ((width, height) == (2 * EDGE, 3 * EDGE) && right.into_iter().all(|pixel| pixel == blue)).then_some(())
    });
    screen.press(window, key::ESCAPE).unwrap();
    let status = wait_for("the end of the replay", || player.try_wait().unwrap());
    let output = player.wait_with_output().unwrap();
    assert!(status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("4 frames"), "{}", text(&output.stdout));
}

#[test]
fn a_window_goes_on_with_loop_at_the_pace_of_the_recording() {
    let Some(screen) = Xvfb::start("640x480x24") else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = scene();
    let mut player = windowed(temp.path(), screen.display(), &["--loop"]);
    // 400 ms between the frames: five pictures take 1.6 seconds at least, which no clock makes shorter.
    let start = Instant::now();
    let title = |frame: u32| {
        let begins = format!("scene.aftercap - frame {frame}, ");
        wait_for("a frame", || screen.windows().unwrap().into_iter().find(|(_, title)| title.starts_with(&begins)))
    };
    for frame in [1, 2, 1, 2, 1] {
        assert!(title(frame).1.ends_with(" frames a second"));
    }
    assert!(start.elapsed() >= Duration::from_millis(1600), "{:?}", start.elapsed());
    let (window, _) = title(1);
    screen.press(window, key::SPACE).unwrap();
    wait_for("the pause", || screen.windows().unwrap().into_iter().find(|(_, title)| title.ends_with(", paused")));
    screen.press(window, key::ESCAPE).unwrap();
    assert!(player.wait().unwrap().success());
}

#[test]
fn without_a_display_a_window_says_what_to_do() {
    let temp = scene();
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.current_dir(temp.path()).args(["replay", "scene.aftercap", "--window"]).env("NO_COLOR", "1");
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("no window") && said.contains("--screenshots"), "{said}");
    let output = command.env("DISPLAY", ":99999").output().unwrap();
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("no window") && said.contains("--screenshots"), "{said}");
}
