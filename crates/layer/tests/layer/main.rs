//! Programs that only use Vulkan, through the real loader: with the driver's own transform feedback, and with the layer's. What they leave
//! in memory and in pictures is the same, and the validation layer, above or below, has nothing to say.
//!
//! Each runs in a process of its own, whose environment says which layers there are.

mod client;
mod more;
mod objects;
mod parts;
mod program;
mod random;
mod robust;
mod samplers;
mod scenes;
mod sets;
mod subpasses;
mod survive;
mod views;

use std::path::{Path, PathBuf};
use std::process::Command;

const LAYER: &str = "VK_LAYER_AFTERIMAGE_transform_feedback";
const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";
/// The one whose calls fail where a test wants them to.
const FAILING: &str = "VK_LAYER_AFTERIMAGE_test_failing";
/// What the child runs, and where its results go.
const SCENE: &str = "AFTERIMAGE_LAYER_TEST_SCENE";
const RESULT: &str = "AFTERIMAGE_LAYER_TEST_RESULT";
/// Layers that the child's instance asks for.
const LAYERS: &str = "AFTERIMAGE_LAYER_TEST_LAYERS";
/// What stands before the device's kind in what a child says.
const DEVICE: &str = "the scene's device: ";
/// How far floats may lie apart that a device computes in a vertex shader and in a compute shader: numbers between them. The processor's are equal.
const ULPS: u32 = 4;

/// What stands before the bytes that stay behind each time that an instance comes and goes; and how many the layer may add: those of its log.
const BEHIND: &str = "bytes that stay behind each time: ";
const MOST_BEHIND: usize = 2 << 10;
/// A scene, and what the validation layer of Debian 12 says in it, below, without need: that pipelines which read no descriptors be made for where
/// they would lie.
const KNOWN: (&str, &std::ffi::CStr) = ("descriptor buffers", c"VUID-vkCmdDispatch-None-08115");

/// How a scene is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Without the layer.
    Native,
    /// The layer answers for the extension.
    Layered,
    /// Likewise, with the validation layer between the program and the layer.
    Above,
    /// Likewise, between the layer and the driver.
    Below,
    /// The layer is there, and leaves the extension to the driver.
    Aside,
    /// Switched on as an implicit layer, by its variable.
    Implicit,
    /// Likewise, in a tree as a release has it, with its manifest as it is.
    Installed,
    /// Likewise as layered, and below it the layer that fails.
    Failing,
    /// Likewise, with the validation layer at the bottom.
    FailingBelow,
}

impl Way {
    /// The layers that are asked for: the first stands at the top.
    fn layers(self) -> &'static [&'static str] {
        match self {
            Self::Native | Self::Implicit | Self::Installed => &[],
            Self::Layered | Self::Aside => &[LAYER],
            Self::Above => &[VALIDATION, LAYER],
            Self::Below => &[LAYER, VALIDATION],
            Self::Failing => &[LAYER, FAILING],
            Self::FailingBelow => &[LAYER, FAILING, VALIDATION],
        }
    }
}

/// The library, beside the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let name = format!("{}afterimage_layer{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = test.with_file_name(name);
    assert!(library.exists(), "{}: cargo builds it with the test", library.display());
    library
}

/// A folder with the layer's manifest, that says where the library is.
fn manifest(folder: &Path) {
    let text = afterimage_layer::manifest(&library().display().to_string());
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join("VkLayer_afterimage_transform_feedback.json"), text).expect("a file");
}

/// Likewise of the layer that fails, which is an example of this crate's.
fn manifest_of_failing(folder: &Path) {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = library().with_file_name("..").join(format!("examples/{prefix}afterimage_layer_failing{suffix}"));
    assert!(library.exists(), "{}: cargo builds it with all tests of the crate, or --examples", library.display());
    let text = afterimage_layer::manifest(&library.display().to_string()).replace(LAYER, FAILING);
    std::fs::write(folder.join("VkLayer_afterimage_test_failing.json"), text).expect("a file");
}

/// Says to a program, by its environment, which layers there are; a folder is for their manifests.
fn environment(child: &mut Command, way: Way, folder: &Path) {
    for variable in
        ["VK_INSTANCE_LAYERS", "VK_ADD_LAYER_PATH", "AFTERIMAGE_XFB", "ENABLE_AFTERIMAGE_TRANSFORM_FEEDBACK"]
    {
        child.env_remove(variable);
    }
    if way == Way::Installed {
        let [to, manifest] = ["libafterimage_layer.so", SHIPPED].map(|file| {
            let to = folder.join(packed(file));
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            to
        });
        std::fs::copy(library(), to).expect("a file");
        let shipped = include_str!("../../manifest/VkLayer_afterimage_transform_feedback.json");
        std::fs::write(manifest, shipped).expect("a file");
        // As if it were a system's folder: those of the drivers' manifests stay.
        let folders = std::env::var("XDG_DATA_DIRS").unwrap_or_else(|_| "/usr/local/share:/usr/share".to_owned());
        child.env("XDG_DATA_DIRS", format!("{}:{folders}", folder.join("share").display()));
        child.env("ENABLE_AFTERIMAGE_TRANSFORM_FEEDBACK", "1");
    } else if way == Way::Implicit {
        manifest(&folder.join("vulkan/implicit_layer.d"));
        child.env("XDG_DATA_HOME", folder).env("ENABLE_AFTERIMAGE_TRANSFORM_FEEDBACK", "1");
    } else {
        manifest(folder);
        manifest_of_failing(folder);
        child.env("VK_ADD_LAYER_PATH", folder);
    }
    // (Loaders may add those of their variable in an order of their own, but before the program's.)
    let (first, rest) = way.layers().split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    child.env("VK_INSTANCE_LAYERS", first).env(LAYERS, rest.join(":"));
    if !matches!(way, Way::Native | Way::Aside) {
        child.env("AFTERIMAGE_XFB", "force");
    }
}

/// Where the manifest is that is shipped.
const SHIPPED: &str = "crates/layer/manifest/VkLayer_afterimage_transform_feedback.json";

/// Where a release has a file: a row of the tables that `cargo xtask dist` stages it by.
fn packed(file: &str) -> PathBuf {
    let tables = include_str!("../../../../release/src/stage.rs");
    let row = tables.split_once(&format!("\"{file}\",")).unwrap_or_else(|| panic!("no release has {file}")).1;
    PathBuf::from(row.split('"').nth(1).expect("where it goes"))
}

/// Runs a scene in a process of its own.
fn run(scene: &str, way: Way) -> Vec<u8> {
    run_and_hear(scene, way).0
}

/// Likewise: what it leaves, and what was in the log.
fn run_and_hear(scene: &str, way: Way) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let result = folder.path().join("result");
    let mut child = Command::new(std::env::current_exe().expect("a path"));
    child.args(["--exact", "child", "--ignored", "--nocapture"]).env(SCENE, scene).env(RESULT, &result);
    environment(&mut child, way, folder.path());
    if scene == "report" {
        child.env("VK_LOADER_DEBUG", "layer");
    }
    // It has an instance without them, too.
    if scene == "random" {
        child.env("VK_INSTANCE_LAYERS", "").env(LAYERS, way.layers().join(":"));
    }
    if scene == "lost" && way == Way::Failing {
        child.env("AFTERIMAGE_TEST_LOSE_DEVICE", "1");
    }
    let output = child.output().expect("the test itself");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{scene}, {way:?}: {}\n{said}", output.status);
    let left = std::fs::read(&result).unwrap_or_else(|error| panic!("{scene}, {way:?}: {error}\n{said}"));
    (left, said)
}

/// What the process of a scene does.
#[test]
#[ignore = "the other tests run it"]
fn child() {
    let scene = std::env::var(SCENE).expect("run by the other tests");
    let result = PathBuf::from(std::env::var_os(RESULT).expect("run by the other tests"));
    std::fs::write(result, scenes::run(&scene)).expect("a file");
}

/// Runs a scene natively and with the layer.
fn compare(scene: &str) {
    compare_in(scene, &[Way::Layered, Way::Above, Way::Below]);
}

/// Likewise, with the layer in some ways.
fn compare_in(scene: &str, ways: &[Way]) {
    let (native, said) = run_and_hear(scene, Way::Native);
    assert!(!native.is_empty(), "nothing was captured");
    if native.starts_with(b"VK_") {
        println!("skipped: the driver lacks {}", String::from_utf8_lossy(&native));
    }
    let exact = said.contains(&format!("{DEVICE}CPU"));
    for &way in ways {
        let layered = run(scene, way);
        assert_eq!(layered.len(), native.len(), "{scene}, {way:?}");
        let words = |bytes: &[u8]| bytes.chunks(4).map(|word| word.to_vec()).collect::<Vec<_>>();
        let (ours, theirs) = (words(&layered), words(&native));
        let differs = ours.iter().zip(&theirs).position(|(a, b)| a != b && (exact || !are_near(a, b)));
        let what = differs.map(|n| (n, &ours[n], &theirs[n]));
        assert_eq!(what, None, "{scene}, {way:?}: first word that differs, of {}", theirs.len());
    }
}

/// Whether words are floats of the size that scenes capture, near each other. Numbers that scenes count are too small to be such floats, and what
/// nothing is captured over is too great.
fn are_near(a: &[u8], b: &[u8]) -> bool {
    let (Ok(a), Ok(b)) = (<[u8; 4]>::try_from(a), <[u8; 4]>::try_from(b)) else { return false };
    let (a, b) = (f32::from_le_bytes(a), f32::from_le_bytes(b));
    let captured = |float: f32| (1.0 / 65536.0..65536.0).contains(&float.abs());
    captured(a) && captured(b) && a.to_bits().abs_diff(b.to_bits()) <= ULPS
}

#[test]
fn floats_are_near_and_nothing_else() {
    let near = |a: u32, b: u32| are_near(&a.to_le_bytes(), &b.to_le_bytes());
    assert!(near(1.5f32.to_bits(), 1.5f32.to_bits() + ULPS) && near((-0.75f32).to_bits(), (-0.75f32).to_bits() - 1));
    assert!(!near(1.5f32.to_bits(), 1.5f32.to_bits() + ULPS + 1) && !near(1.0f32.to_bits(), (-1.0f32).to_bits()));
    assert!(!near(7, 8) && !near(0xdead_beef, 0xdead_bef0) && !near(0xffff_0000, 0xffff_0001) && !near(0, 0x8000_0000));
    assert!(!are_near(&[0, 0, 0], &[0, 0, 1]));
}

#[test]
fn the_extension_is_reported_in_every_query() {
    for way in [Way::Layered, Way::Implicit, Way::Installed, Way::Above, Way::Below] {
        assert_eq!(run("report", way), b"the layer's", "{way:?}");
    }
    for way in [Way::Native, Way::Aside] {
        assert_eq!(run("report", way), b"the driver's", "{way:?}");
    }
    // Each of the layers stands where it should.
    for (way, order) in [(Way::Above, [VALIDATION, LAYER]), (Way::Below, [LAYER, VALIDATION])] {
        let said = run_and_hear("report", way).1;
        let stack = said.rsplit("<Application>").next().unwrap_or_default();
        let places = order.map(|layer| stack.find(layer));
        assert!(places[0].is_some() && places.is_sorted(), "{way:?}\n{said}");
    }
}

#[test]
fn draws_in_dynamic_rendering_are_captured() {
    compare("dynamic");
}

#[test]
fn draws_in_render_passes_are_captured() {
    compare("passes");
}

#[test]
fn draws_in_secondary_command_buffers_are_captured() {
    compare("secondary");
}

#[test]
fn draws_in_later_subpasses_are_captured() {
    compare("subpasses");
}

#[test]
fn captures_that_other_subpasses_come_before_are_refused() {
    let names = ["first", "second", "chained", "secondary", "within", "secondary within"];
    let text = |second: bool, counted: bool| {
        let line = |name: &&str| format!("{name}: [true, {second}, true], true\n");
        names.iter().map(line).collect::<String>() + &format!("counted: [false, true, false], {counted}\n")
    };
    assert_eq!(String::from_utf8(run("behind", Way::Native)), Ok(text(true, true)));
    for way in [Way::Layered, Way::Above, Way::Below] {
        let (left, said) = run_and_hear("behind", way);
        assert_eq!(String::from_utf8(left), Ok(text(false, false)), "{way:?}\n{said}");
        let told = |what: &str| said.matches(what).count();
        let dependency = "a dependency of its subpass on an earlier one makes something visible to draws";
        assert_eq!(told(&format!("a draw behind {dependency}: nothing of it is captured")), 4, "{way:?}\n{said}");
        let barrier = "a barrier in its subpass that makes something visible to draws";
        assert_eq!(told(&format!("a draw behind {barrier}: nothing of it is captured")), 1, "{way:?}\n{said}");
        let secondary = "nothing of what a secondary command buffer captures is captured";
        assert_eq!(told(&format!("{barrier}: {secondary}")), 1, "{way:?}\n{said}");
        assert_eq!(told(&format!("behind {dependency}: nothing is drawn")), 1, "{way:?}\n{said}");
    }
}

#[test]
fn captures_in_render_passes_of_several_views_are_refused() {
    // (Natively, and above, it is the program that is wrong.)
    for way in [Way::Layered, Way::Below] {
        let (left, said) = run_and_hear("views", way);
        let names = ["Rendering", "First", "Second", "Secondary", "SecondaryRendering"];
        let text = names.map(|name| format!("{name}: [false, true]\n")).concat();
        assert_eq!(String::from_utf8(left), Ok(text), "{way:?}\n{said}");
        let told =
            said.matches("transform feedback in a render pass of several views: nothing of it is captured").count();
        assert_eq!(told, names.len(), "{way:?}\n{said}");
    }
}

#[test]
fn what_is_bound_and_pushed_stays() {
    compare("state");
}

#[test]
fn queries_streams_libraries_and_what_is_pushed_are_captured() {
    compare("more");
}

#[test]
fn what_random_commands_capture_is_captured() {
    for way in [Way::Layered, Way::Above, Way::Below] {
        let left = String::from_utf8(run("random", way)).expect("text");
        assert!(left.ends_with(" sequences"), "{way:?}: {left}");
    }
}

#[test]
fn instances_and_devices_of_several_threads_are_apart() {
    compare_in("threads", &[Way::Layered]);
}

#[test]
fn descriptors_in_buffers_are_read_and_stay() {
    compare("descriptor buffers");
}

#[test]
fn shader_objects_that_capture_are_refused() {
    // (The validation layer of Debian 12 is older than they are.)
    let native = run("objects", Way::Native);
    let (left, said) = run_and_hear("objects", Way::Layered);
    if native.starts_with(b"VK_") {
        return assert_eq!(native, left);
    }
    let text = |result: &str, there: u32| format!("captures: {result}, {there}\ncaptures nothing: SUCCESS, 1\n");
    assert_eq!(String::from_utf8(native), Ok(text("SUCCESS", 1)));
    assert_eq!(String::from_utf8(left), Ok(text("ERROR_FEATURE_NOT_PRESENT", 0)), "{said}");
    assert!(said.contains("a shader object that captures is refused: only pipelines are lowered"), "{said}");
}

#[test]
fn a_program_that_names_a_shader_by_an_identifier_comes_again_with_the_code() {
    let native = run("identified", Way::Native);
    let (left, said) = run_and_hear("identified", Way::Layered);
    assert!(said.contains("by its identifier: Some(PIPELINE_COMPILE_REQUIRED)"), "{said}");
    assert!(native.starts_with(b"VK_") || native == left, "what is captured differs");
}

#[test]
fn attributes_outside_of_what_is_bound_are_zeros() {
    compare("robust");
}

#[test]
fn samplers_of_set_layouts_are_read() {
    // (The validation layer of Debian 12 is older than the second generation of commands.)
    compare_in("embedded samplers", &[Way::Layered]);
}

#[test]
fn what_the_commands_of_maintenance6_bind_and_push_is_read_and_stays() {
    // (The validation layer of Debian 12 is older than the extension.)
    compare_in("maintenance6", &[Way::Layered]);
}

#[test]
fn devices_of_an_instance_are_apart() {
    compare("devices");
}

#[test]
fn memory_that_is_used_up_is_said_where_it_may_be_and_leaves_nothing() {
    let native = run("memory", Way::Native);
    for way in [Way::Failing, Way::FailingBelow] {
        assert!(run("memory", way) == native, "{way:?}: what is captured differs");
    }
}

#[test]
fn a_lost_device_is_said_where_it_may_be_and_leaves_nothing() {
    let native = run("lost", Way::Native);
    for way in [Way::Failing, Way::FailingBelow] {
        assert!(run("lost", way) == native, "{way:?}: what is captured differs");
    }
}

#[test]
fn nothing_is_left_of_the_layer_when_it_is_unloaded() {
    let behind = |said: &str| -> usize {
        let number = said.split_once(BEHIND).and_then(|(_, rest)| rest.lines().next()?.trim().parse().ok());
        number.unwrap_or_else(|| panic!("no number\n{said}"))
    };
    let (native, said) = run_and_hear("again", Way::Native);
    let left = behind(&said);
    for way in [Way::Layered, Way::Implicit, Way::Installed] {
        let (layered, said) = run_and_hear("again", way);
        assert!(layered == native, "{way:?}: what is captured differs");
        let more = behind(&said).saturating_sub(left);
        println!("{way:?}: {more} bytes more than {left} stay behind each time");
        assert!(more <= MOST_BEHIND, "{way:?}: {more} bytes more than {left} stay behind each time");
    }
}

#[test]
fn what_cannot_be_lowered_is_refused_and_the_program_goes_on() {
    let lines = |result: &str, second: bool| {
        let line = |name: &&str| format!("{name}: {result}, [true, {second}]\n");
        ["tessellated", "stores", "counts"].iter().map(line).collect::<String>()
    };
    let native = run("refused", Way::Native);
    let captured = native.strip_prefix(lines("SUCCESS", true).as_bytes()).expect("they are made");
    for way in [Way::Layered, Way::Above, Way::Below] {
        let (left, said) = run_and_hear("refused", way);
        let refused = lines("ERROR_FEATURE_NOT_PRESENT", false);
        assert!(left.starts_with(refused.as_bytes()), "{way:?}: {}\n{said}", String::from_utf8_lossy(&left));
        assert!(left[refused.len()..] == *captured, "{way:?}: what is captured differs");
        let told = |why: &str| said.contains(&format!("a pipeline that captures is refused: {why}"));
        assert!(told("what a tessellator makes cannot be captured"), "{way:?}\n{said}");
        assert!(said.matches("a pipeline that captures is refused: ").count() == 3, "{way:?}\n{said}");
    }
}
