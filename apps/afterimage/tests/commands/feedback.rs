//! `afterimage shader feedback` as a user calls it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// One attribute, one capture.
const PLACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/feedback/tests/shaders/place.vert.spv");
/// Blocks, push constants, two buffers.
const WAVES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/feedback/tests/shaders/waves.vert.spv");
/// No decorations of captures.
const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/feedback/tests/shaders/plain.vert.spv");
/// A geometry shader with decorations.
const FINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/feedback/tests/shaders/fins.geom.spv");

fn feedback(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command
        .args(["shader", "feedback"])
        .args(args)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    command.output().expect("the program runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

fn succeeds(args: &[&str]) -> Vec<u8> {
    let output = feedback(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    output.stdout
}

fn text(args: &[&str]) -> String {
    String::from_utf8(succeeds(args)).expect("text")
}

fn fails(code: i32, args: &[&str]) -> String {
    let output = feedback(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    stderr(&output)
}

fn file(folder: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let text = path.to_str().expect("UTF-8 path").to_owned();
    (path, text)
}

fn stage(module: &Path) -> &'static str {
    let bytes = fs::read(module).expect("written");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    assert_eq!(words[0], 0x0723_0203);
    // OpEntryPoint: opcode 15, then the execution model.
    let mut at = 5;
    while words[at] & 0xffff != 15 {
        at += (words[at] >> 16) as usize;
    }
    match words[at + 1] {
        0 => "vertex",
        5 => "compute",
        _ => "another",
    }
}

#[test]
fn modules_are_written() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let (out, out_name) = file(&folder, "out.spv");
    let (prepare, prepare_name) = file(&folder, "prepare.spv");
    for shader in [PLACE, WAVES] {
        assert_eq!(text(&[shader, "-o", &out_name, "--prepare", &prepare_name]), "");
        assert_eq!((stage(&out), stage(&prepare)), ("compute", "compute"));
        succeeds(&[shader, "-o", &out_name, "--form", "scatter"]);
        assert_eq!(stage(&out), "vertex");
    }
    let ir = text(&[PLACE, "--to", "ir"]);
    assert!(ir.starts_with("compute ") && ir.contains("feedback"), "{ir}");
    let (air, air_name) = file(&folder, "out.air");
    succeeds(&[PLACE, "-o", &air_name]);
    assert_eq!(fs::read_to_string(air).expect("written"), ir);
    assert!(text(&[PLACE, "--to", "spirv-asm"]).contains("OpEntryPoint GLCompute"));
    // Where only the other shader is wanted, only that is written.
    assert_eq!(text(&[PLACE, "--prepare", &prepare_name]), "");
}

/// Metal has no transform feedback: what takes its place there is written in its language.
#[test]
fn metal_is_written() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let (out, out_name) = file(&folder, "out.metal");
    let (prepare, prepare_name) = file(&folder, "prepare.metal");
    for shader in [PLACE, WAVES] {
        for (form, function) in [("gather", "kernel void main0("), ("scatter", "vertex void main0(")] {
            succeeds(&[shader, "--form", form, "-o", &out_name, "--prepare", &prepare_name]);
            let written = fs::read_to_string(&out).expect("written");
            assert!(written.contains(function) && written.contains("feedback [[buffer(2)]]"), "{written}");
            assert_eq!(text(&[shader, "--form", form, "--to", "msl"]), written);
            let written = fs::read_to_string(&prepare).expect("written");
            assert!(written.contains("kernel void main0(") && written.contains("threadgroup_barrier"), "{written}");
        }
    }
    let geometry = text(&[PLAIN, "--geometry", FINS, "--to", "msl"]);
    assert!(geometry.contains("kernel void main0(") && geometry.contains("threadgroup uint shared["), "{geometry}");

    let listing = text(&[WAVES, "-o", &out_name, "--layout"]);
    for line in [
        "metal     constants [[buffer(0)]]",
        "metal     feedback [[buffer(2)]]: a Draw block, 640 bytes",
        "constants registers 0..=0 of push constants at byte 0",
        "constants registers 0..=0 of set 1 binding 3 at byte 144",
    ] {
        assert!(listing.lines().any(|l| l == line), "{line}\n{listing}");
    }
    assert!(!listing.contains("push      byte"), "{listing}");
    let layout = text(&[WAVES, "-o", &out_name, "--layout", "json"]);
    let json: serde_json::Value = serde_json::from_str(&layout).expect("JSON");
    assert_eq!(json["metal"]["threads"], serde_json::json!([64, 1, 1]));
    assert_eq!(
        json["metal"]["constants"][2],
        serde_json::json!({ "of": "set 1 binding 3", "first": 0, "count": 1, "byte": 144 })
    );
    let json: serde_json::Value = serde_json::from_str(&text(&[WAVES, "--layout", "json"])).expect("JSON");
    assert!(json["metal"].is_null());
}

#[test]
fn the_validator_takes_what_is_written() {
    if Command::new("spirv-val").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("not tested: spirv-val is not installed");
        return;
    }
    for form in ["gather", "scatter"] {
        for shader in [PLACE, WAVES] {
            assert_eq!(text(&[shader, "--form", form, "--validate"]), "");
        }
    }
}

#[test]
fn what_has_to_be_supplied_is_listed() {
    let listing = text(&[
        WAVES,
        "--layout",
        "--attribute",
        "1=R8G8B8A8_UNORM@0+12",
        "--attribute",
        "2=R32G32_SFLOAT@5/instance 3",
    ]);
    for line in [
        "form      gather, a compute shader",
        "dispatch  work groups of 64, as many as plan or prepare says",
        "push      byte 16, 8 bytes: device address of a Draw block (640 bytes)",
        "capture   location 0.xyz in buffer 0 at byte 20",
        "capture   location 1.xy in buffer 1 at byte 4",
        "buffer    1: 28 bytes a vertex",
        "attribute location 0: R32G32B32_SFLOAT in slot 0 at byte 0, each vertex",
        "attribute location 1: R8G8B8A8_UNORM in slot 0 at byte 12, each vertex",
        "attribute location 2: R32G32_SFLOAT in slot 5 at byte 0, every 3 instances",
        "block     push constants, 12 bytes",
        "block     set 1 binding 3, 16 bytes",
    ] {
        assert!(listing.lines().any(|l| l == line), "{line}\n{listing}");
    }
    let json: serde_json::Value = serde_json::from_str(&text(&[WAVES, "--layout", "json"])).expect("JSON");
    assert_eq!(json["strides"], serde_json::json!([48, 28, 0, 0]));
    assert_eq!(json["push"], serde_json::json!({ "offset": 16, "size": 8, "block": "Draw" }));
    let blocks = json["system"].as_array().expect("blocks");
    let request = blocks.iter().find(|block| block["name"] == "Request").expect("a request");
    let counters = request["fields"].as_array().expect("fields").iter().find(|field| field["name"] == "counters");
    assert_eq!(counters.expect("counters")["size"], 8);
    // A shader on standard output has it to itself.
    let output = feedback(&[PLACE, "--layout", "--to", "ir"]);
    assert!(output.stdout.starts_with(b"compute ") && stderr(&output).contains("form      gather"));
}

#[test]
fn captures_can_be_named() {
    let listing = text(&[
        PLAIN,
        "--layout",
        "--capture",
        "position=0",
        "--capture",
        "1.xy=0",
        "--capture",
        "0=1+4",
        "--stride",
        "1=16",
    ]);
    for line in [
        "capture   position.xyzw in buffer 0 at byte 0",
        "capture   location 1.xy in buffer 0 at byte 16",
        "capture   location 0.xy in buffer 1 at byte 4",
        "buffer    0: 24 bytes a vertex",
        "buffer    1: 16 bytes a vertex",
    ] {
        assert!(listing.lines().any(|l| l == line), "{line}\n{listing}");
    }
}

#[test]
fn geometry_shaders_come_behind_vertex_shaders() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let (out, out_name) = file(&folder, "out.spv");
    let listing = text(&[PLAIN, "--geometry", FINS, "-o", &out_name, "--layout"]);
    assert_eq!(stage(&out), "compute");
    for line in [
        "dispatch  one work group; Draw::request says where captures go",
        "capture   location 0.xy in buffer 0 at byte 16",
        "attribute location 1: R32G32_SFLOAT in slot 1 at byte 0, each vertex",
    ] {
        assert!(listing.lines().any(|l| l == line), "{line}\n{listing}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&text(&[PLAIN, "--geometry", FINS, "--layout", "json"])).expect("JSON");
    assert_eq!((&json["geometry"], &json["strides"][0]), (&true.into(), &24.into()));
    let said = fails(1, &[PLAIN, "--geometry", FINS, "--form", "scatter"]);
    assert!(said.contains("lowered to a compute shader alone"), "{said}");
    let said = fails(1, &[PLAIN, "--geometry", PLAIN, "--to", "ir"]);
    assert!(said.contains("what is wanted behind the vertex shader is a geometry shader"), "{said}");
    let said = fails(2, &[PLAIN, "--geometry", "/nonexistent.spv"]);
    assert!(said.contains("--geometry /nonexistent.spv: cannot read it"), "{said}");
}

/// Each failure names the file, what is missing, and the way out.
#[test]
fn failures_say_what_to_do() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let file = folder.path().join("out.spv");
    let out = ["-o", file.to_str().expect("UTF-8")];
    for (args, says) in [
        (
            &[PLAIN][..],
            &["plain.vert.spv: ", "no transform feedback decorations", "--capture position=0", "location 1 (f32x4)"][..],
        ),
        (&[PLAIN, "--capture", "3=0"], &["capture 1 is of location 3", "outputs are position (f32x4)"]),
        (&[PLAIN, "--capture", "0.zw=0"], &["capture 1: location 0 has 2 components"]),
        (&[PLAIN, "--capture", "0=4"], &["there is no buffer 4: buffers are 0 to 3"]),
        (&[PLAIN, "--capture", "0=0+2"], &["offset 2 is no multiple of 4"]),
        (&[PLAIN, "--capture", "1=0", "--stride", "0=12"], &["buffer 0 cannot have a stride of 12", "at least 16"]),
        (&[PLAIN, "--capture", "1=0", "--stride", "7=16"], &["buffer 7 has a stride"]),
        (&[PLAIN, "--capture", "1=0", "--capture", "0=0+8"], &["captured twice"]),
        (
            &[PLACE, "--attribute", "7=R32_SFLOAT"],
            &["the attribute at location 7 is none of the shader's", "location 0 (f32x2)"],
        ),
        (&[FINS], &["fins.geom.spv: ", "main (Geometry)", "what is lowered is a vertex shader"]),
        (&[concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], &["Cargo.toml: it is no SPIR-V", "shader translate"]),
        (&[PLACE, "--entry", "other"], &["no entry point fits"]),
        (&[WAVES, "--feedback-push", "8"], &["byte 8"]),
    ] {
        let said = fails(1, &[args, &out].concat());
        assert!(said.starts_with("afterimage: "), "{said}");
        assert!(says.iter().all(|text| said.contains(text)), "{args:?}: {said}");
    }
    assert!(!file.exists());
    for (args, says) in [
        (&[PLACE, "--attribute", "0=R32G32B33"][..], "no vertex format R32G32B33"),
        (&[PLAIN, "--capture", "0"], "WHAT[.COMPONENTS]=BUFFER"),
        (&[PLAIN, "--stride", "0=16"], "--capture"),
    ] {
        let said = fails(2, args);
        assert!(said.contains(says), "{args:?}: {said}");
    }
    assert!(fails(3, &["/nonexistent/in.spv"]).contains("/nonexistent/in.spv: cannot read it"));
    assert!(fails(3, &[PLACE, "-o", "/proc/nonexistent/out.spv"]).contains("cannot write"));
}

#[test]
fn the_help_teaches() {
    let help = text(&["--help"]);
    for text in [
        "--capture WHAT[.COMPONENTS]=BUFFER[+OFFSET]",
        "--geometry fins.geom.spv",
        "vertexPipelineStoresAndAtomics",
        "Exit codes",
    ] {
        assert!(help.contains(text), "{text}\n{help}");
    }
}
