//! `afterimage inspect` and `afterimage dump` on captures that the tests make.

use crate::common;
use crate::scene;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn two_frames() -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("scene.aftercap");
    std::fs::write(&file, common::file()).unwrap();
    (temp, file)
}

fn afterimage(command: &str, file: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_afterimage")).arg(command).arg(file).args(arguments).output().unwrap()
}

fn text(command: &str, file: &Path, arguments: &[&str]) -> String {
    let output = afterimage(command, file, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn value(file: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&text("inspect", file, &[arguments, &["--json"]].concat())).unwrap()
}

fn refused(command: &str, file: &Path, arguments: &[&str]) -> String {
    let output = afterimage(command, file, arguments);
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn calls_by_set_by_frame_and_alone() {
    let (_temp, file) = two_frames();
    let all = text("inspect", &file, &[]);
    assert_eq!(all.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count(), 7 + 1, "{all}");
    assert!(all.contains("1 packets are refused") && all.contains("Texture#9 does not exist"), "{all}");
    let numbers = |arguments: &[&str]| -> Vec<u64> {
        let calls = value(&file, arguments);
        calls.as_array().unwrap().iter().map(|call| call["call"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&["--calls", "draw"]), [1, 4]);
    assert_eq!(numbers(&["--frame", "8"]), [3, 4, 5, 6]);
    assert_eq!(numbers(&["calls", "--frame", "8", "--calls", "*/draw,present"]), [4, 6]);
    let call = value(&file, &["--call", "4"]);
    assert_eq!((&call["packet"], &call["fields"]["count"]), (&json!("DrawIndexed"), &json!(5)));
    assert_eq!(call["writes"], json!([{ "id": "Texture#1", "level": 0, "layer": 0, "as": "color 0" }]));
    assert_eq!(call["before"][0]["packet"], "SetDepthStencil");
    let alone = text("inspect", &file, &["--call", "4"]);
    assert!(alone.contains("writes  Texture#1 as color 0") && alone.contains("depth_compare: LessEqual"), "{alone}");
}

#[test]
fn states_and_changes_in_the_names_of_host_and_guest() {
    let (_temp, file) = two_frames();
    let state = value(&file, &["state", "--call", "4"]);
    assert_eq!(state["host"]["depth_stencil.depth_compare"], "LessEqual");
    assert_eq!(state["host"]["textures[3].sampler.mag"], "Linear");
    assert_eq!(state["constants"]["vertex float[4]"], json!([1.5, 0.0, 0.0, -1.0]));
    let terms = state["guest"].as_array().unwrap();
    let find = |name: &str| terms.iter().find(|term| term["name"] == name).map(|term| term["value"].clone());
    assert_eq!(find("D3DRS_ZENABLE"), Some(json!("D3DZB_FALSE")), "{terms:?}");
    let shown = text("inspect", &file, &["state", "--call", "4"]);
    assert!(shown.contains("D3DRS_ZENABLE") && shown.contains("vertex float[4]"), "{shown}");
    let changes = value(&file, &["changes", "--call", "4"]);
    let changes = changes[0]["changes"].as_array().unwrap();
    let depth = json!({ "field": "depth_stencil.depth_compare", "before": "Never", "after": "LessEqual" });
    assert!(changes.contains(&depth), "{changes:?}");
    let guest = value(&file, &["changes", "--call", "4"])[0]["guest"].clone();
    let stream = guest.as_array().unwrap().iter().find(|change| change["name"] == "SetStreamSource(0)").unwrap();
    assert_eq!((&stream["group"], &stream["before"]), (&json!("Streams"), &json!("Buffer#1, offset 0, stride 16")));
    assert!(stream["after"].as_str().unwrap().starts_with("Upload#0, offset"), "{stream}");
    let shown = text("inspect", &file, &["changes", "--calls", "draw"]);
    let words = "    Streams: SetStreamSource(0): Buffer#1, offset 0, stride 16 -> Upload#0";
    assert!(shown.contains("  in the guest's words:\n") && shown.contains(words), "{shown}");
    assert!(shown.contains("call 1: Draw") && shown.contains("call 4: DrawIndexed"), "{shown}");
    assert!(refused("inspect", &file, &["state"]).contains("--call N"));
}

#[test]
fn resources_shaders_and_vertices() {
    let (_temp, file) = two_frames();
    let resources = value(&file, &["resources"]);
    let skin = resources.as_array().unwrap().iter().find(|resource| resource["id"] == "Texture#2").unwrap();
    assert_eq!((&skin["name"], &skin["reads"]["calls"]), (&json!("skin"), &json!(2)));
    assert!(text("inspect", &file, &["resources"]).contains("\"skin\" B8G8R8A8_UNORM 64 x 32, 2 levels"));
    assert_eq!(
        value(&file, &["resources", "--call", "6"]).as_array().unwrap().len() + 1,
        resources.as_array().unwrap().len()
    );

    let shaders = value(&file, &["shaders", "--call", "1"]);
    assert_eq!(shaders.as_array().unwrap().len(), 2);
    let hash = shaders[1]["hash"].as_str().unwrap();
    let code = text("inspect", &file, &["shaders", "--shader", &hash[..10]]);
    assert!(code.starts_with("ps_2_0") && code.contains("texld r0, t0, s3"), "{code}");
    assert_eq!(code, text("inspect", &file, &["shaders", "--shader", "Shader#2"]));
    assert!(text("inspect", &file, &["shaders", "--shader", "2", "--as", "msl"]).contains("fragment"));
    let all = text("inspect", &file, &["shaders", "--shader", "2", "--as", "all"]);
    assert!(
        ["==== guest", "==== ir\n", "==== ir-optimized", "==== spirv", "==== msl"]
            .iter()
            .all(|part| all.contains(part))
    );
    let both = text("inspect", &file, &["shaders", "--call", "1", "--as", "msl"]);
    assert!(both.contains("======== Shader#1 vertex ") && both.contains("======== Shader#2 pixel "), "{both}");
    let both = value(&file, &["shaders", "--call", "1", "--as", "all"]);
    assert!(both.as_array().unwrap().iter().all(|shader| shader["spirv"].is_string()), "{both}");
    assert!(refused("inspect", &file, &["shaders", "--shader", "xyz"]).contains("no shader has"));

    let vertices = value(&file, &["vertices", "--call", "4"]);
    assert_eq!(vertices["columns"][0]["name"], "POSITION");
    assert_eq!(vertices["rows"][0]["vertex"], 1);
    assert_eq!(vertices["rows"][1]["values"][1], json!([1.0, -1.0]));
    let shown = text("inspect", &file, &["vertices", "--call", "4", "--most", "2"]);
    assert!(shown.contains("TEXCOORD1 (R16G16_SNORM, location 3)") && shown.contains("3 more"), "{shown}");
    assert!(refused("inspect", &file, &["vertices", "--call", "0"]).contains("call 0 is no draw"));
}

#[test]
fn vertices_as_csv_and_as_obj() {
    let (_temp, file) = two_frames();
    let csv = text("inspect", &file, &["vertices", "--call", "1", "--as", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "index,vertex,POSITION.x,POSITION.y,POSITION.z,TEXCOORD1.x,TEXCOORD1.y");
    assert_eq!((lines.len(), lines[2]), (1 + 6, "1,1,1,1.1,1.2,1,-1"));
    let output = afterimage("inspect", &file, &["vertices", "--call", "1", "--as", "csv", "--most", "2"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1 + 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the first 2 of 6 are written"), "{output:?}");

    // Indices 1, 0, 5, 4, 3: one triangle, and two vertices that are none.
    let obj = text("inspect", &file, &["vertices", "--call", "4", "--as", "obj"]);
    let of = |kind: &str| obj.lines().filter(|line| line.split(' ').next() == Some(kind)).collect::<Vec<_>>();
    assert_eq!(of("v")[..2], ["v 11 11.1 11.2", "v 10 10.1 10.2"]);
    assert_eq!((of("v").len(), of("vt").len(), of("vt")[0]), (5, 5, "vt 1 2"));
    assert_eq!(of("f"), ["f 1/1 2/2 3/3"]);
    assert!(obj.starts_with("# Call 4: what its vertex shader reads"), "{obj}");

    assert!(refused("inspect", &file, &["vertices", "--call", "1", "--as", "msl"]).contains("are csv, obj"));
    assert!(refused("inspect", &file, &["shaders", "--shader", "2", "--as", "obj"]).contains("are guest, ir,"));
    assert!(refused("inspect", &file, &["calls", "--as", "csv"]).contains("for shaders and vertices, not for calls"));
}

/// The bytes of a DDS file behind its header, if that says what it should.
fn dds(path: &Path, format: ddsfile::DxgiFormat, levels: u32) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let read = ddsfile::Dds::read(&bytes[..]).expect("a file that others can read");
    assert_eq!((read.get_dxgi_format(), read.get_num_mipmap_levels()), (Some(format), levels));
    read.data
}

fn png(path: &Path) -> (u32, u32, Vec<u8>) {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn textures_are_listed_and_exported_to_the_bit() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("scene.aftercap");
    scene::capture(&file, scene::Variant::Plain);
    let listed = value(&file, &["textures", "--call", "1"]);
    let ids: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, ["Texture#2", "Texture#4"], "what the draw reads and draws to");
    assert_eq!(value(&file, &["textures"]).as_array().unwrap().len(), 5);

    // A folder called as what is shown is written into twice.
    let export = |arguments: &[&str], folder: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        command.args(["inspect", "scene.aftercap", "textures", "--export", folder]).args(arguments);
        let output = command.current_dir(&temp).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    export(&["--call", "1"], "textures");
    let said = export(&["--call", "1"], "textures");
    assert!(
        said.contains("Texture#4  call 1  1    1") && said.ends_with("4 files of 2 textures in textures\n"),
        "{said}"
    );
    let edge = scene::EDGE;
    let checks: Vec<u8> =
        (0..edge * edge).flat_map(|at| [(at % edge * 8) as u8, (at / edge * 8) as u8, 0, 255]).collect();
    let name = "textures/texture_4_32x32_R8G8B8A8_UNORM";
    let at = |name: &str| temp.path().join(name);
    assert_eq!(dds(&at(&format!("{name}.dds")), ddsfile::DxgiFormat::R8G8B8A8_UNorm, 1), checks);
    assert_eq!(png(&at(&format!("{name}_level0.png"))), (edge, edge, checks));

    // A target as it is at the time: before anything was drawn to it, and then the texture that was.
    let screen = "texture_1_32x32_R8G8B8A8_UNORM.dds";
    export(&["--call", "4"], "early");
    let early = dds(&at("early").join(screen), ddsfile::DxgiFormat::R8G8B8A8_UNorm, 1);
    assert_eq!(early, [0, 0, 0, 255].repeat(early.len() / 4));
    let files: Value = serde_json::from_str(&export(&["--json"], "all")).unwrap();
    let files = files.as_array().unwrap();
    assert!(files.len() == 5 && files.iter().all(|one| one["files"].as_array().unwrap().len() == 2), "{files:?}");
    let late = dds(&at("all").join(screen), ddsfile::DxgiFormat::R8G8B8A8_UNorm, 1);
    assert!(
        late != early && late.chunks(4).any(|texel| texel[..2] == [0, 0] && (127..=128).contains(&texel[2])),
        "half of it has the colour of B"
    );
    let unused = dds(&at("all/texture_5_32x32_R8G8B8A8_UNORM.dds"), ddsfile::DxgiFormat::R8G8B8A8_UNorm, 1);
    assert_eq!(unused, scene::noise(unused.len()));
}

#[test]
fn textures_that_end_and_levels_and_names() {
    let (temp, file) = two_frames();
    let folder = temp.path().join("out");
    let said = text("inspect", &file, &["textures", "--export", folder.to_str().unwrap()]);
    // The last call before its end.
    assert!(said.contains("Texture#3  call 5   2    1"), "{said}");
    assert!(said.contains("Texture#2  the end  2    1    \"skin\" B8G8R8A8_UNORM 64 x 32, 2 levels"), "{said}");
    let texels = dds(&folder.join("texture_2_skin_64x32_B8G8R8A8_UNORM.dds"), ddsfile::DxgiFormat::B8G8R8A8_UNorm, 2);
    assert_eq!(texels.len(), (64 * 32 + 32 * 16) * 4);
    let (width, height, _) = png(&folder.join("texture_2_skin_64x32_B8G8R8A8_UNORM_level1.png"));
    assert_eq!((width, height), (32, 16));
    let export = ["--export", folder.to_str().unwrap()];
    assert!(refused("inspect", &file, &export).contains("inspect FILE textures --export DIR"));
    let other = temp.path().join("other.kcap");
    std::fs::write(&other, b"KELVCAP1").unwrap();
    assert!(refused("inspect", &other, &export).contains("--export is for captures"));
}

#[test]
fn info_says_what_a_capture_is_made_of() {
    let (temp, file) = two_frames();
    let said = text("info", &file, &[]);
    for expected in [
        "program  teapot.exe\nguest    Direct3D 9\n",
        "frames   2 (7 to 8)\n",
        "draws    2\ncalls    2 clear, 1 copy, 2 draw, 2 present\n",
        "shaders  1 d3d9 pixel, 1 different\nshaders  1 d3d9 vertex, 1 different\n",
        "objects  3 textures, 30 kB, 1 with names\n",
        "chunks   KEYF 1, ",
        "refused  1 packets",
        "damage   none\n",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    let value: Value = serde_json::from_str(&text("info", &file, &["--json"])).unwrap();
    assert_eq!(value["calls"], json!({ "clear": 2, "copy": 1, "draw": 2, "present": 2 }));
    assert_eq!((&value["refused"], &value["damage"]), (&json!(1), &Value::Null));
    assert_eq!(value["bytes"]["file"], json!(common::file().len()));
    let chunks = value["bytes"]["chunks"].as_object().unwrap();
    let stored: u64 = chunks.values().map(|chunk| chunk["stored"].as_u64().unwrap()).sum();
    assert_eq!(stored + 24, common::file().len() as u64);
    let cut = temp.path().join("cut.aftercap");
    std::fs::write(&cut, &common::file()[..common::file().len() - 80]).unwrap();
    let said = text("info", &cut, &[]);
    assert!(said.contains("damage   chunk "), "{said}");
}

#[test]
fn what_cannot_be_shown_is_said() {
    let (temp, file) = two_frames();
    assert!(refused("inspect", &file, &["colours"]).contains("one of calls, state"));
    assert!(refused("inspect", &file, &["--call", "7"]).contains("calls 0 to 6"));
    assert!(refused("inspect", &file, &["--frame", "9"]).contains("frames 7 to 8"));
    assert!(refused("inspect", &file, &["--calls", "1,x"]).contains("character 3"));
    let other = temp.path().join("other.kcap");
    std::fs::write(&other, b"KELVCAP1").unwrap();
    for command in ["inspect", "info"] {
        assert!(refused(command, &other, &["--json"]).contains("--json is for captures"), "{command}");
    }
    std::fs::write(&other, b"something else").unwrap();
    assert!(refused("inspect", &other, &["--json"]).contains("other.kcap is no capture"));
    let cut = temp.path().join("cut.aftercap");
    let bytes = common::file();
    std::fs::write(&cut, &bytes[..bytes.len() - 40]).unwrap();
    let output = afterimage("inspect", &cut, &[]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!output.status.success() && out.contains("Clear") && err.contains("cut.aftercap: chunk"), "{out}{err}");
}

#[test]
fn dumps_in_text_and_in_json() {
    let (_temp, file) = two_frames();
    let all = text("dump", &file, &[]);
    assert!(
        all.contains("program teapot.exe") && all.contains("Draw { topology: TriangleList, first: 0, count: 6"),
        "{all}"
    );
    assert!(all.contains("frame 8: replay hash") && all.contains("! SetTextures: packet"), "{all}");
    assert!(all.contains("language: d3d9"), "{all}");
    let some = text("dump", &file, &["--calls", "5-6"]);
    assert!(some.contains("Blit") && some.contains("Destroy") && !some.contains("DrawIndexed"), "{some}");
    let guest = text("dump", &file, &["--calls", "draw", "--guest"]);
    assert!(guest.contains("= ") && guest.contains("D3DRS_"), "{guest}");
    let lines: Vec<Value> =
        text("dump", &file, &["--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let draw = lines.iter().find(|line| line["packet"] == "DrawIndexed").unwrap();
    assert_eq!((&draw["call"], &draw["frame"], &draw["fields"]["first"]), (&json!(4), &json!(8), &json!(1)));
    assert!(lines.iter().any(|line| line["refused"].as_str().is_some_and(|why| why.contains("Texture#9"))));
    assert!(lines.iter().filter(|line| line["replay_hash"].is_string()).count() == 2);
}
