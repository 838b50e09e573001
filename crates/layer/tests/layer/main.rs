//! Programs that only use Vulkan, through the real loader: with the driver's own transform feedback, and with the layer's. What they leave
//! in memory and in pictures is the same, and the validation layer, above or below, has nothing to say.
//!
//! Each runs in a process of its own, whose environment says which layers there are.

mod client;
mod more;
mod scenes;

use std::path::{Path, PathBuf};
use std::process::Command;

const LAYER: &str = "VK_LAYER_AFTERIMAGE_transform_feedback";
const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";
/// What the child runs, and where its results go.
const SCENE: &str = "AFTERIMAGE_LAYER_TEST_SCENE";
const RESULT: &str = "AFTERIMAGE_LAYER_TEST_RESULT";

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

/// Runs a scene in a process of its own.
fn run(scene: &str, way: Way) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let result = folder.path().join("result");
    let mut child = Command::new(std::env::current_exe().expect("a path"));
    child.args(["--exact", "child", "--ignored", "--nocapture"]).env(SCENE, scene).env(RESULT, &result);
    for variable in
        ["VK_INSTANCE_LAYERS", "VK_ADD_LAYER_PATH", "AFTERIMAGE_XFB", "ENABLE_AFTERIMAGE_TRANSFORM_FEEDBACK"]
    {
        child.env_remove(variable);
    }
    if way == Way::Implicit {
        manifest(&folder.path().join("vulkan/implicit_layer.d"));
        child.env("XDG_DATA_HOME", folder.path()).env("ENABLE_AFTERIMAGE_TRANSFORM_FEEDBACK", "1");
    } else {
        manifest(folder.path());
        child.env("VK_ADD_LAYER_PATH", folder.path());
    }
    let layers = match way {
        Way::Native | Way::Implicit => String::new(),
        Way::Layered | Way::Aside => LAYER.to_owned(),
        Way::Above => format!("{VALIDATION}:{LAYER}"),
        Way::Below => format!("{LAYER}:{VALIDATION}"),
    };
    child.env("VK_INSTANCE_LAYERS", layers);
    if !matches!(way, Way::Native | Way::Aside) {
        child.env("AFTERIMAGE_XFB", "force");
    }
    let output = child.output().expect("the test itself");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{scene}, {way:?}: {}\n{said}", output.status);
    std::fs::read(&result).unwrap_or_else(|error| panic!("{scene}, {way:?}: {error}\n{said}"))
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
    let native = run(scene, Way::Native);
    assert!(!native.is_empty(), "nothing was captured");
    for way in [Way::Layered, Way::Above, Way::Below] {
        let layered = run(scene, way);
        assert_eq!(layered.len(), native.len(), "{scene}, {way:?}");
        let differs = layered.iter().zip(&native).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{scene}, {way:?}: first byte that differs, of {}", native.len());
    }
}

#[test]
fn the_extension_is_reported_in_every_query() {
    for way in [Way::Layered, Way::Implicit, Way::Above, Way::Below] {
        assert_eq!(run("report", way), b"the layer's", "{way:?}");
    }
    for way in [Way::Native, Way::Aside] {
        assert_eq!(run("report", way), b"the driver's", "{way:?}");
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
fn what_is_bound_and_pushed_stays() {
    compare("state");
}

#[test]
fn queries_streams_libraries_and_what_is_pushed_are_captured() {
    compare("more");
}

#[test]
fn what_random_commands_capture_is_captured() {
    compare("random");
}

#[test]
fn instances_and_devices_of_several_threads_are_apart() {
    let native = run("threads", Way::Native);
    assert!(run("threads", Way::Layered) == native, "what threads captured differs");
}

#[test]
fn what_a_tessellator_makes_is_refused() {
    assert_eq!(run("tessellated", Way::Native), b"made");
    for way in [Way::Layered, Way::Above, Way::Below] {
        assert_eq!(run("tessellated", way), b"ERROR_FEATURE_NOT_PRESENT, true", "{way:?}");
    }
}
