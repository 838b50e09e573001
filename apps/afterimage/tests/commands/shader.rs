//! `afterimage shader` as a user calls it.

use afterimage_shader_gcn::assemble;
use afterimage_shader_gcn::binary::{Binary, BinaryStage, Usage, UsageSlot};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const GOOD: &[u8] = b"vs_2_0\ndcl_position v0\nmov oPos, v0\n";
const BAD: &[u8] = b"ps_2_0\nmov oC0, r0\nmul r0, r99, r1\n";

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.arg("shader").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

fn finish(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may end without reading all of it.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("the program ends")
}

fn afterimage(args: &[&str], input: &[u8]) -> Output {
    finish(command().args(args), input)
}

fn succeeds(args: &[&str], input: &[u8]) -> Vec<u8> {
    let output = afterimage(args, input);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    output.stdout
}

/// What it says when it fails with this exit code.
fn fails(code: i32, args: &[&str], input: &[u8]) -> String {
    let output = afterimage(args, input);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    assert!(said.starts_with("afterimage: "), "{said}");
    said
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/shader-d3d9/tests/filetests/ps_3_0_mrt.asm")
}

/// A folder with two good shaders, one of them in a folder of its own, a bad one, and something else.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temporary directory");
    fs::create_dir(dir.path().join("more")).expect("folder");
    for (name, content) in [("a.asm", GOOD), ("bad.asm", BAD), ("more/b.vs.asm", GOOD), ("readme.md", b"no shader")] {
        fs::write(dir.path().join(name), content).expect("written");
    }
    dir
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8 path")
}

#[test]
fn text_tokens_and_back() {
    let file = example();
    let tokens = succeeds(&["asm", path(&file)], b"");
    assert_eq!(tokens[..4], [0, 3, 0xFF, 0xFF]);
    let text = succeeds(&["disasm", "-"], &tokens);
    assert!(text.starts_with(b"ps_3_0\n"));
    assert_eq!(succeeds(&["asm", "-"], &text), tokens);
    assert_eq!(succeeds(&["translate", "-", "--to", "disasm"], &tokens), text);
}

#[test]
fn microcode_is_words_or_text() {
    let source = b"; a program\nxvs_1_1\n    dp4 oPos.x, v0, c[A0.x + 96]\n    mov oD0, -v3 + rcp R1.x, -v3.w\n";
    let listing = text(succeeds(&["disasm", "-", "--from", "nv2a"], source));
    assert!(source.ends_with(listing.as_bytes()), "{listing}");
    let words = succeeds(&["asm", "-"], source);
    assert_eq!(words.len(), 32);
    // As it comes from a compiler of Xbox Direct3D.
    let function = [&[0x78, 0x20, 2, 0][..], &words].concat();
    let folder = tempfile::tempdir().expect("temporary directory");
    let file = folder.path().join("program.xvu");
    fs::write(&file, &function).expect("write");
    let ir = succeeds(&["translate", "-", "--to", "ir"], &words);
    for (args, input) in
        [(&["disasm", "-"][..], &words), (&["disasm", "-"], &function), (&["disasm", path(&file)], &words)]
    {
        assert_eq!(text(succeeds(args, input)), listing);
    }
    assert_eq!(succeeds(&["translate", path(&file), "--to", "ir"], b""), ir);
    assert_eq!(succeeds(&["translate", "-", "--from", "nv2a", "--to", "ir"], source), ir);
    let uses = text(succeeds(&["translate", path(&file), "--reflect"], b""));
    assert!(uses.contains("vertex") && uses.contains("location 3"), "{uses}");

    let error = fails(1, &["translate", "-"], b"xvs_1_1\nmov oPos, v0 + rcp R2.x, v0.x\n");
    assert!(error.contains("line 2, column 20: beside an opcode of the MAC"), "{error}");
    let error = fails(1, &["disasm", "-", "--from", "nv2a"], &words[..20]);
    assert!(error.contains("20 bytes"), "{error}");
    let mut wrong = words;
    wrong[28] ^= 8;
    let error = fails(1, &["disasm", "-", "--from", "nv2a"], &wrong);
    assert!(error.contains("slot 1: the output address has the value 2"), "{error}");
}

/// Code as bytes.
fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn content_tells_gcn_code_from_direct3d_tokens() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let place = |name: &str| path(&dir.path().join(name)).to_owned();
    let (code, tokens) = (place("code.bin"), place("tokens.bin"));
    let source = b"s_mov_b32 s0, 1.0\nv_mov_b32_e32 v0, s0\nexp mrt0 v0, v0, v0, v0 done vm\ns_endpgm\n";
    let words = succeeds(&["asm", "-", "--from", "gcn"], source);
    fs::write(&code, &words).expect("written");
    succeeds(&["asm", path(&example()), "-o", &tokens], b"");
    assert!(succeeds(&["disasm", &tokens], b"").starts_with(b"ps_3_0\n"));
    for (args, input) in [(&["disasm", &code][..], &b""[..]), (&["disasm", "-"], &words)] {
        let listing = text(succeeds(args, input));
        assert!(listing.contains("v_mov_b32_e32 v0, s0") && listing.contains("s_endpgm"), "{listing}");
    }
    let ir = text(succeeds(&["translate", &code, "--stage", "pixel", "--to", "ir"], b""));
    assert!(ir.starts_with("pixel "), "{ir}");
    let error = fails(1, &["translate", &code], b"");
    assert!(error.contains("code.bin: raw GCN code does not say what it is for: say it with --stage"), "{error}");
    // A folder has both.
    let said = stderr(&afterimage(&["translate", path(dir.path()), "--stage", "pixel"], b""));
    assert!(said.contains("2 of 2 to SPIR-V"), "{said}");
    // Its footer says what it is for.
    let footer = Binary { stage: BinaryStage::Pixel as u8, ..Binary::default() };
    let words: Vec<u32> = words.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    fs::write(&code, bytes_of(&footer.append_to(&words).expect("it fits"))).expect("written");
    assert_eq!(text(succeeds(&["translate", &code, "--to", "ir"], b"")), ir);
    let error = fails(1, &["translate", &code, "--stage", "compute"], b"");
    assert!(error.contains("it is a pixel shader, and --stage asks for a compute shader"), "{error}");
    fs::write(&code, [0x55; 10]).expect("written");
    assert!(fails(1, &["disasm", &code], b"").contains("say what it is with --from"));
}

#[test]
fn an_assembler_s_errors_are_all_listed() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let place = |name: &str| path(&dir.path().join(name)).to_owned();
    let (source, output) = (place("x.gcnasm"), place("x.gcn"));
    fs::write(&source, "  v_ad_f32 v0, v1, v2\ns_mov_b32 s0, s200\ns_mov_b32 v0, s1\ns_endpgm\n").expect("written");
    let error = fails(1, &["asm", &source, "-o", &output], b"");
    let lines: Vec<&str> = error.lines().collect();
    assert!(
        lines[0].ends_with("x.gcnasm: line 1, column 3: \"v_ad_f32\" is no gfx7 instruction; did you mean v_add_f32?")
    );
    assert_eq!(lines[1], "line 2, column 15: a scalar register is 0 to 103, not s200");
    assert_eq!(lines[2], "line 3, column 11: s_mov_b32 takes a scalar register here, not v0");
    assert!(lines.len() == 3 && !Path::new(&output).exists(), "{error}");
    let many = fails(1, &["asm", "-", "--from", "gcn"], "fish\n".repeat(1000).as_bytes());
    assert!(many.lines().count() == 21 && many.ends_with("and 980 other lines are wrong\n"), "{many}");
}

/// A shader file of the console: a header with the stage's part, code that says where its footer is, and that.
fn shader_file(number: u8, part: &[u32], source: &str, footer: &Binary) -> Vec<u8> {
    let code = assemble(&format!("s_mov_b32 vcc_hi, lit(0x0)\n{source}\ns_endpgm")).expect("code");
    let mut file = b"Shdr".to_vec();
    file.extend([7, 0, 2, 0, number, part.len() as u8, 0, 0, 0, 0, 0, 0]);
    file.extend(bytes_of(&[part, &footer.append_to(&code).expect("it fits")].concat()));
    file
}

#[test]
fn shader_files_of_the_console_are_read_with_their_header() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let place = |name: &str| path(&dir.path().join(name)).to_owned();
    let slot = |usage: Usage, register| UsageSlot { usage: usage as u8, api_slot: 0, register, flags: 0 };
    let slots = vec![slot(Usage::FetchShader, 0), slot(Usage::VertexBufferTablePointer, 2)];
    let footer = Binary { stage: BinaryStage::Vertex as u8, hash: 0xF00D, slots, ..Binary::default() };
    // Two user data slots, two inputs: v[4:7] and v[8:9].
    let inputs = [2, 0x12, 0x0002_0017, 0x0004_0400, 0x0002_0801];
    let part = [&[2 << 24, 0, 4 * 14, u32::MAX, 0x030C_0080, 4 << 1, 1 << 1, 4, 0][..], &inputs].concat();
    let source = "s_swappc_b64 s[0:1], s[0:1]\nexp pos0 v4, v5, v6, v7 done\nexp param0 v8, v9, v8, v9";
    let vertex = shader_file(1, &part, source, &footer);
    let (file, spirv) = (place("scene.sb"), place("scene.spv"));
    fs::write(&file, &vertex).expect("written");
    let listing = text(succeeds(&["disasm", &file], b""));
    for line in [
        "; shader file 7.2, stage vs",
        "; input 0 in v[4:7]",
        "; input 1 in v[8:9]",
        "; footer: vertex, hash 000000000000f00d",
        "; pointer to fetch shader 0 in s[0:1]",
        "; attribute v[4:7] = s[2:3]+0x0 by vertex",
        "s_swappc_b64 s[0:1], s[0:1]",
    ] {
        assert!(listing.contains(line), "{line}\n{listing}");
    }
    assert!(!listing.contains("warning"), "slots and code say the same: {listing}");
    let inspected = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(["inspect", &file]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&inspected.stdout).contains("; footer: vertex, hash 000000000000f00d"));
    let again = text(succeeds(&["disasm", "-", "--from", "gcn"], listing.as_bytes()));
    assert!(listing.ends_with(&again), "what stands in front are comments: {again}");
    succeeds(&["translate", &file, "-o", &spirv], b"");
    assert_eq!(fs::read(&spirv).expect("written")[..4], [0x03, 0x02, 0x23, 0x07]);
    // By what is in it, and as a compiler writes it; with the fetch shader that its inputs ask for.
    let ir = text(succeeds(&["translate", "-", "--to", "ir"], &vertex));
    assert!(ir.starts_with("vertex "), "{ir}");
    assert_eq!(text(succeeds(&["translate", "-", "--to", "ir"], &[&[0; 0x24][..], &vertex].concat())), ir);
    assert!(fails(1, &["translate", &file, "--stage", "pixel"], b"").contains("it is a vertex shader"));

    // A slot that the code knows nothing of is told.
    let wrong = Binary { slots: vec![slot(Usage::FetchShader, 0), slot(Usage::Sampler, 8)], ..footer };
    fs::write(&file, shader_file(1, &part, source, &wrong)).expect("written");
    let warning = "; warning: the usage slot \"sampler 0 in s[8:11]\" is not used by the code";
    assert!(text(succeeds(&["disasm", &file], b"")).contains(warning));
    fs::write(&file, &vertex).expect("written");

    let footer = |stage: BinaryStage| Binary { stage: stage as u8, ..Binary::default() };
    let compute = [0, 0, 4 * 9, u32::MAX, 0x000C_0080, 2 << 1 | 7 << 7 | 2 << 11, 8, 4, 2];
    fs::write(&file, shader_file(4, &compute, "s_nop 0", &footer(BinaryStage::Compute))).expect("written");
    let uses = text(succeeds(&["translate", &file, "--reflect"], b""));
    assert!(uses.contains("group     8, 4, 2 lanes"), "{uses}");
    let pixel = [0, 0, 4 * 15, u32::MAX, 0x000C_0000, 0, 0, 4, 2, 2, 1, 0, 0, 15, 0];
    let source = "v_mov_b32 v0, 0\nexp mrt0 v0, v0, v0, v0 done compr vm";
    fs::write(&file, shader_file(2, &pixel, source, &footer(BinaryStage::Pixel))).expect("written");
    assert!(succeeds(&["translate", &file, "--to", "ir"], b"").starts_with(b"pixel "));

    fs::write(&file, shader_file(3, &compute, "s_nop 0", &footer(BinaryStage::Geometry))).expect("written");
    assert!(text(succeeds(&["disasm", &file], b"")).contains("stage gs"));
    let error = fails(1, &["translate", &file], b"");
    assert!(error.contains("scene.sb: it is for hardware stage gs"), "{error}");
    fs::write(&file, &vertex[..20]).expect("written");
    let error = fails(1, &["translate", &file], b"");
    assert!(
        error.contains("scene.sb: the shader file ends within its stage's part, which is bytes 0x10 to 0x18"),
        "{error}"
    );
}

#[test]
fn every_input_translates_to_the_same() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let place = |name: &str| path(&dir.path().join(name)).to_owned();
    let file = example();
    let file = path(&file);
    let (spirv, air, tokens) = (place("a.spv"), place("a.air"), place("a.cso"));
    succeeds(&["translate", file, "-o", &spirv], b"");
    succeeds(&["translate", file, "-o", &air, "--emit-after", "lift", "--verify-each"], b"");
    succeeds(&["asm", file, "-o", &tokens], b"");
    let direct = fs::read(&spirv).expect("written");
    assert_eq!(direct[..4], [0x03, 0x02, 0x23, 0x07]);
    assert_eq!(succeeds(&["translate", &tokens], b""), direct);
    assert_eq!(succeeds(&["translate", &air], b""), direct);
    let listing = text(succeeds(&["translate", file, "--to", "spirv-asm"], b""));
    assert!(listing.starts_with("; SPIR-V\n") && listing.contains("OpEntryPoint Fragment"), "{listing}");
    assert_eq!(text(succeeds(&["disasm", &spirv], b"")), listing);
    let again = text(succeeds(&["translate", &spirv, "--to", "msl", "--entry", "main", "--stage", "fragment"], b""));
    assert!(again.contains("[[depth(any)]]"), "{again}");
    let metal = place("a.metal");
    succeeds(&["translate", file, "-o", &metal], b"");
    let metal = fs::read_to_string(metal).expect("written");
    assert!(metal.contains("using namespace metal") && metal.contains("[[depth(any)]]"), "{metal}");
}

#[test]
fn reflection_is_text_or_json() {
    let file = example();
    let reflection = text(succeeds(&["translate", path(&file), "--reflect"], b""));
    assert!(reflection.contains("texture   slot 2 2d") && reflection.contains("frag_depth"), "{reflection}");
    let reflection = succeeds(&["translate", path(&file), "--reflect=json"], b"");
    let value: serde_json::Value = serde_json::from_slice(&reflection).expect("JSON");
    assert_eq!(value["stage"], "pixel");
    assert!(value["outputs"].as_array().is_some_and(|outputs| outputs.iter().any(|o| o["at"] == "frag_depth")));
    let attributes = text(succeeds(&["translate", path(&file), "--to", "msl", "--reflect", "-o", "/dev/null"], b""));
    assert!(attributes.contains("[[texture(2)]]") && attributes.contains("[[depth(any)]]"), "{attributes}");
    let kernel = b"compute { group 4, 2, 1 shared 32  v0: i32 = const 4  store_shared v0, v0  barrier  return }";
    let group =
        text(succeeds(&["translate", "-", "--from", "ir", "--to", "msl", "--reflect", "-o", "/dev/null"], kernel));
    assert!(group.contains("group     4, 2, 1 lanes, 32 bytes shared"), "{group}");
    let source = text(succeeds(&["translate", "-", "--from", "ir", "--to", "msl"], kernel));
    assert!(source.contains("[[max_total_threads_per_threadgroup(8)]]\nkernel void main0()"), "{source}");
    let hlsl = example().with_file_name("../../../shader/tests/hlsl/matrices.vs_3_0.cso");
    let names = text(succeeds(&["translate", path(&hlsl), "--reflect"], b""));
    assert!(names.contains("named     ") && names.contains("float4x4"), "{names}");
    let spirv = succeeds(&["translate", path(&file)], b"");
    let places = text(succeeds(&["translate", "-", "--reflect"], &spirv));
    assert!(places.contains("image     slot 2 is set 0 binding 0[2], sampler set 0 binding 3[2]"), "{places}");
    // Where the shader itself goes to standard output, this goes to the other one.
    let output = afterimage(&["translate", path(&file), "--reflect", "--to", "ir"], b"");
    assert!(output.stdout.starts_with(b"pixel ") && stderr(&output).contains("frag_depth"));
}

#[test]
fn a_folder_is_translated_around_what_is_wrong_in_it() {
    let (dir, out) = (folder(), tempfile::tempdir().expect("temporary directory"));
    let out = out.path().join("new");
    let said = fails(1, &["translate", path(dir.path()), "-o", path(&out)], b"");
    assert!(said.contains("bad.asm: line 3, column 9: token 6 (mul): source 0"), "{said}");
    assert!(said.contains("2 of 3 to SPIR-V, 1 failed"), "{said}");
    for name in ["a.spv", "more/b.vs.spv"] {
        assert_eq!(fs::read(out.join(name)).expect(name)[..4], [0x03, 0x02, 0x23, 0x07], "{name}");
    }
    assert!(!out.join("bad.spv").exists());
    // Nothing is written when nothing is asked for.
    let good = dir.path().join("more");
    let output = afterimage(&["translate", path(&good), path(&example())], b"");
    assert!(output.status.success() && output.stdout.is_empty(), "{}", stderr(&output));
    assert!(stderr(&output).contains("2 of 2 to SPIR-V"), "{}", stderr(&output));
    // Texts come in the order of the inputs, each with its name.
    let both = text(succeeds(&["translate", path(&good), path(&example()), "--to", "ir", "--quiet"], b""));
    let (first, second) = both.split_once("; ").and_then(|(_, rest)| rest.split_once("; ")).expect("two headings");
    assert!(first.contains("b.vs.asm\nvertex ") && second.contains("mrt.asm\npixel "), "{both}");
}

#[test]
fn errors_name_the_file_and_the_place() {
    let error = fails(1, &["translate", "-"], BAD);
    assert!(error.contains("standard input: line 3, column 9: token 6 (mul): source 0"), "{error}");
    let error = fails(1, &["disasm", "-"], &[0xFF; 9]);
    assert!(error.contains("standard input"), "{error}");
    let error = fails(1, &["translate", "-", "--from", "asm"], b"vs_1_1\n\xFF");
    assert!(error.contains("byte 7 is not UTF-8"), "{error}");
    let error = fails(1, &["translate", "-"], b"hello");
    assert!(error.contains("--from"), "{error}");
    let error = fails(1, &["translate", "-", "--entry", "main"], GOOD);
    assert!(error.contains("--entry is for SPIR-V"), "{error}");
    let error = fails(1, &["translate", "-"], &[3, 2, 0x23, 7, 0, 6, 1, 0]);
    assert!(error.contains("standard input: SPIR-V") && error.contains("word 2"), "{error}");
    let error = fails(1, &["translate", "-", "--stage", "pixel"], GOOD);
    assert!(error.contains("is a vertex shader"), "{error}");
}

#[test]
fn wrong_command_lines_say_the_way_out() {
    let file = example();
    let file = path(&file);
    let error = fails(2, &["translate", "-", "--emit-after", "nothing"], GOOD);
    assert!(error.contains("lift, ") && error.contains("ssa"), "{error}");
    let error = fails(2, &["translate", file, file, "--to", "spirv"], b"");
    assert!(error.contains("-o FOLDER"), "{error}");
    let error = fails(2, &["translate", file, file, "-o", "/nonexistent"], b"");
    assert!(error.contains("would both become"), "{error}");
    let error = fails(2, &["translate", file, "-o", file], b"");
    assert!(error.contains("written over while it is read"), "{error}");
    for wrong in
        [&["-o", "a.metal", "--validate"][..], &["--emit-after", "ssa", "--reflect"], &["--validate", "--to", "ir"]]
    {
        let error = fails(2, &[&["translate", file], wrong].concat(), b"");
        assert!(error.contains("--validate checks") || error.contains("--reflect tells"), "{error}");
    }
    let empty = tempfile::tempdir().expect("temporary directory");
    let error = fails(2, &["translate", path(empty.path())], b"");
    assert!(error.contains("no shaders"), "{error}");
    assert_eq!(afterimage(&["translate", "--no-such-option"], b"").status.code(), Some(2));
    let help = text(succeeds(&["translate", "--help"], b""));
    assert!((0..=5).all(|code| help.contains(&format!("\n  {code}  "))), "{help}");
}

#[test]
fn files_and_tools_have_codes_of_their_own() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let error = fails(3, &["translate", "no/such.asm"], b"");
    assert!(error.contains("no/such.asm: cannot be read") || error.contains("no/such.asm: cannot read"), "{error}");
    fs::write(dir.path().join("file"), "").expect("written");
    let error = fails(3, &["translate", "-", "-o", path(&dir.path().join("file/a.spv"))], GOOD);
    assert!(error.contains("cannot write"), "{error}");

    let output = finish(command().args(["translate", "-", "--validate"]).env("PATH", dir.path()), GOOD);
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("spirv-val is not installed"), "{}", stderr(&output));
    let tool = dir.path().join("spirv-val");
    fs::write(&tool, "#!/bin/sh\n/bin/cat >/dev/null; echo no good; exit 1\n").expect("written");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("executable");
    let output = finish(command().args(["translate", "-", "--validate"]).env("PATH", dir.path()), GOOD);
    assert_eq!(output.status.code(), Some(5));
    assert!(stderr(&output).contains("no good"), "{}", stderr(&output));
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let said = |variables: &[(&str, &str)]| {
        stderr(&finish(command().args(["translate", "-"]).envs(variables.iter().copied()), BAD))
    };
    assert!(!said(&[]).contains('\x1b'));
    assert!(said(&[("CLICOLOR_FORCE", "1")]).contains('\x1b'));
    assert!(!said(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).contains('\x1b'));
}

/// Text of SPIR-V can be assembled again, to words that are listed in the same way.
#[test]
fn listings_assemble_to_what_they_list() {
    let folder = example().with_file_name("");
    let dir = tempfile::tempdir().expect("temporary directory");
    let mut listed = 0;
    for entry in fs::read_dir(folder).expect("folder") {
        let file = entry.expect("entry").path();
        let listing = text(succeeds(&["translate", path(&file), "--to", "spirv-asm"], b""));
        let (source, binary) = (dir.path().join("listing"), dir.path().join("again.spv"));
        fs::write(&source, &listing).expect("written");
        // Names take the place of numbers, and the highest number may change with them.
        let assembled = Command::new("spirv-as")
            .args(["--target-env", "vulkan1.3", "--preserve-numeric-ids", "-o"])
            .args([&binary, &source])
            .output();
        let Ok(assembled) = assembled else {
            assert!(std::env::var_os("CI").is_none(), "spirv-as is not installed: run cargo xtask setup");
            eprintln!("spirv-as is not installed (run cargo xtask setup): listings are not assembled");
            return;
        };
        assert!(assembled.status.success(), "{}: {}\n{listing}", file.display(), stderr(&assembled));
        let body = |text: String| text.lines().filter(|line| !line.starts_with(';')).collect::<Vec<_>>().join("\n");
        assert_eq!(body(text(succeeds(&["disasm", path(&binary)], b""))), body(listing), "{}", file.display());
        listed += 1;
    }
    assert!(listed >= 7);
}
