//! The command line as a user meets it.

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, ObjectId, ObjectKind};
use bytemuck::Zeroable;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn afterimage() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
        if name != "AFTERIMAGE_VALIDATE" {
            command.env_remove(name);
        }
    }
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn failed(output: &Output) -> String {
    assert!(!output.status.success());
    text(&output.stderr)
}

/// A folder with something that passes for our library, and a script that can be run with it.
fn scripted(script: &str) -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    std::fs::copy(std::env::current_exe().unwrap(), temp.path().join("libd3d9.so")).unwrap();
    let program = temp.path().join("program");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (temp, program)
}

fn run(temp: &Path, arguments: &[&str], program: &Path, more: &[&str]) -> Output {
    let mut command = afterimage();
    command.env("AFTERIMAGE_DLL_DIR", temp).arg("run").args(arguments).arg(program).args(more).output().unwrap()
}

#[test]
fn run_passes_arguments_library_and_settings_and_mirrors_the_status() {
    let script =
        "echo \"$1 $LD_LIBRARY_PATH $AFTERIMAGE_RENDERER $AFTERIMAGE_SCREENSHOTS $AFTERIMAGE_CAPTURE_FRAMES\"\nexit 7";
    let (temp, program) = scripted(script);
    let pictures = temp.path().join("pictures");
    let arguments = ["--renderer", "in-process", "--capture", "3-5", "c.aftercap", "-o", pictures.to_str().unwrap()];
    let output = run(temp.path(), &arguments, &program, &["--frames"]);
    assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
    let expected = format!("--frames {} in-process {} 3-5", temp.path().display(), pictures.display());
    // The user's own search path may follow ours.
    let said = text(&output.stdout);
    let words: Vec<&str> = said.split_whitespace().collect();
    let wanted: Vec<&str> = expected.split_whitespace().collect();
    assert!(words[1].starts_with(wanted[1]), "{said}");
    assert_eq!((words[0], &words[2..]), (wanted[0], &wanted[2..]));
}

#[test]
fn run_turns_a_signal_into_a_status() {
    let (temp, program) = scripted("kill -SEGV $$");
    let output = run(temp.path(), &["--renderer", "in-process"], &program, &[]);
    assert_eq!(output.status.code(), Some(139));
}

#[test]
fn run_starts_a_viewer_and_ends_it() {
    if !Path::new(env!("CARGO_BIN_EXE_afterimage")).with_file_name("afterimage-viewer").is_file() {
        // Built together with this program by everything that builds the workspace.
        eprintln!("afterimage-viewer is not built: nothing to start");
        return;
    }
    let (temp, program) =
        scripted("for i in $(seq 500); do [ -s \"$AFTERIMAGE_DIR/viewer.pid\" ] && exit 3; sleep 0.02; done; exit 4");
    let mut command = afterimage();
    command.env("AFTERIMAGE_DLL_DIR", temp.path()).env("AFTERIMAGE_DIR", temp.path().join("run"));
    let output = command.args(["run", "--renderer", "viewer", "--headless"]).arg(&program).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert_eq!(afterimage_ipc::shared::running(&temp.path().join("run")), None, "the viewer is still there");
}

#[test]
fn run_says_what_is_no_program() {
    let temp = tempfile::tempdir().unwrap();
    let says = |name: &str, bytes: &[u8], text: &str| {
        let program = temp.path().join(name);
        std::fs::write(&program, bytes).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = run(temp.path(), &[], &program, &[]);
        let said = failed(&output);
        assert!(said.contains(name) && said.contains(text) && said.lines().count() == 1, "{said}");
    };
    says("empty.exe", b"", "is empty");
    says("text.exe", b"echo hello\n", "neither a Windows program nor a Linux one");
    let mut pe = vec![0; 0x98];
    pe[..2].copy_from_slice(b"MZ");
    (pe[0x18], pe[0x3C]) = (0x40, 0x80);
    pe[0x80..0x86].copy_from_slice(b"PE\0\0\x64\xAA");
    says("phone.exe", &pe, "ARM64");
    pe[0x84..0x86].copy_from_slice(b"\x64\x86");
    pe[0x94] = 240;
    says("half.exe", &pe, "cut short");
    says("hole.exe", &pe[..0x50], "cut short");
    pe[0x97] = 0x20;
    says("library.exe", &pe, "library (DLL)");
    // Relocations begin before the word that names a new header, which is anything here.
    let mut dos = [b"MZ", &[0x90; 200][..]].concat();
    dos[0x18..0x1A].copy_from_slice(&[0x1C, 0]);
    says("old.exe", &dos, "DOS");
    let output = run(temp.path(), &[], temp.path(), &[]);
    assert!(failed(&output).contains("is a folder"), "{output:?}");
}

#[test]
fn info_says_which_libraries_windows_lack() {
    let temp = tempfile::tempdir().unwrap();
    for name in ["libXcursor.so.1", "libXcursor.so", "libXi.so.6", "libXi.so"] {
        std::fs::write(temp.path().join(name), "no library").unwrap();
    }
    let output = afterimage().arg("info").env("LD_LIBRARY_PATH", temp.path()).output().unwrap();
    let said = text(&output.stdout);
    let row = said.lines().find(|line| line.starts_with("window libraries")).unwrap_or_else(|| panic!("{output:?}"));
    assert!(row.contains("libXcursor.so.1, libXi.so.6") && row.contains("apt-get install libxcursor1 libxi6"), "{row}");
}

#[test]
fn run_says_what_is_missing() {
    let output = afterimage().args(["run", "no-such-program-anywhere"]).output().unwrap();
    assert!(failed(&output).contains("no-such-program-anywhere"), "{output:?}");
    let (temp, program) = scripted("exit 0");
    let output = afterimage().args(["run", "--capture", "1"]).arg(&program).output().unwrap();
    assert!(failed(&output).contains("--capture"), "{output:?}");
    let output = afterimage().args(["run", "--capture", "x", "c.aftercap"]).arg(&program).output().unwrap();
    assert!(failed(&output).contains("--capture x"), "{output:?}");
    let mut command = afterimage();
    command.env("AFTERIMAGE_RENDERER", "nonsense").env("AFTERIMAGE_DLL_DIR", temp.path()).arg("run").arg(&program);
    let output = command.output().unwrap();
    assert!(output.status.success() && text(&output.stderr).contains("nonsense"), "{output:?}");
}

/// A capture of one frame in one colour.
fn capture(path: &Path) {
    let (texture, target) = (ObjectId::new(ObjectKind::Texture, 1), ObjectId::new(ObjectKind::Target, 1));
    let mut stream = Encoder::new();
    stream.push(&PresentTarget { id: target, width: 4, height: 4, window_kind: 0, window: 0 });
    stream.push(&CreateTexture {
        usage: CreateTexture::TARGET,
        ..CreateTexture::plain(texture, Format::B8G8R8A8_UNORM, [4, 4])
    });
    let mut writer = Writer::create(path, &Info { program: "one colour".into(), ..Info::default() }).unwrap();
    writer.keyframe(stream.batch(), &MemoryArena::default()).unwrap();
    stream.batch().clear();
    stream.push(&BeginFrame { frame: 12 });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = texture;
    stream.push(&targets);
    let color = [1.0, 0.0, 0.0, 1.0];
    stream.push_tail(
        &Clear { flags: Clear::COLOR, count: 0, color, depth: 1.0, stencil: 0, stencil_keep: 0, pad: [0; 2] },
        &[],
    );
    stream.push(&Present { frame: 12, target, texture, ..Present::zeroed() });
    writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_capture_is_replayed_and_shown_as_text() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("one.aftercap");
    capture(&file);
    let pictures = temp.path().join("pictures");
    let output = afterimage().arg("replay").arg(&file).arg("-o").arg(&pictures).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 frames"));
    let picture = std::fs::File::open(pictures.join("frame-000012.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert!(pixels.chunks_exact(3).all(|pixel| pixel == [255, 0, 0]));

    let output = afterimage().arg("info").arg(&file).output().unwrap();
    assert!(text(&output.stdout).contains("frames   1 (12 to 12)"), "{output:?}");

    let output = afterimage().arg("dump").arg(&file).output().unwrap();
    assert!(output.status.success());
    let dump = text(&output.stdout);
    assert!(dump.contains("one colour") && dump.contains("BeginFrame { frame: 12 }"), "{dump}");
}

#[test]
fn a_damaged_capture_names_file_chunk_and_field() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("bad.aftercap");
    capture(&file);
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    for command in ["replay", "dump"] {
        let output = afterimage().arg(command).arg(&file).output().unwrap();
        let said = failed(&output);
        assert!(said.contains("bad.aftercap") && said.contains("chunk") && said.contains("field"), "{said}");
    }
    let output = afterimage().arg("replay").arg(temp.path().join("none")).output().unwrap();
    assert!(failed(&output).contains("none"));
    let output = afterimage().arg("dump").arg(std::env::current_exe().unwrap()).output().unwrap();
    assert!(failed(&output).contains("no capture"), "{}", failed(&output));
}

#[test]
fn info_knows_the_device_and_json() {
    let output = afterimage().args(["info", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(value["devices"].as_array().is_some_and(|devices| !devices.is_empty()));
}

#[test]
fn config_shows_values_and_where_they_come_from() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("afterimage.conf");
    std::fs::write(&file, "cache_mb = 7\n[game.exe]\nvram_mb = 512\n").unwrap();
    let config = |arguments: &[&str]| {
        afterimage()
            .env("AFTERIMAGE_CONF", &file)
            .env("AFTERIMAGE_HUD", "fps")
            .arg("config")
            .args(arguments)
            .output()
            .unwrap()
    };
    let output = config(&["--changed", "Game.exe"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for (name, value, whence) in [
        ("cache_mb", "7", format!("{}:1", file.display())),
        ("vram_mb", "512", format!("{}:3 [game.exe]", file.display())),
        ("hud", "fps", "AFTERIMAGE_HUD".to_owned()),
    ] {
        let line = said.lines().find(|line| line.split_whitespace().next() == Some(name)).expect(name);
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!((words[1], words[2..].join(" ")), (value, whence));
    }
    assert!(!said.contains("renderer"), "at its default: {said}");
    assert!(text(&config(&[]).stdout).contains("renderer"));

    std::fs::write(&file, "rendrer = viewer\n").unwrap();
    let said = failed(&config(&[]));
    assert!(said.contains("afterimage.conf:1: rendrer: there is no such option; did you mean renderer?"), "{said}");
}

#[test]
fn config_shows_built_in_profiles() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("afterimage.conf");
    let config = |conf: &str| {
        std::fs::write(&file, conf).unwrap();
        let output =
            afterimage().env("AFTERIMAGE_CONF", &file).args(["config", "--changed", "BGE.exe"]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = config("");
    assert!(said.contains("built-in profile: Beyond Good and Evil draws its menus wrongly"), "{said}");
    assert!(said.contains("fps_limit 60 built-in profile"), "{said}");
    let said = config("fps_limit = 100\n");
    assert!(said.contains("fps_limit 100 ") && !said.contains("60 built-in"), "{said}");
    let said = config("built_in_profiles = off\n");
    assert!(said.contains("built-in profiles are off") && !said.contains("fps_limit"), "{said}");
}

#[test]
fn config_writes_a_file_and_explains() {
    let temp = tempfile::tempdir().unwrap();
    let config = |arguments: &[&str]| afterimage().current_dir(&temp).arg("config").args(arguments).output().unwrap();
    assert!(config(&["--write"]).status.success());
    let written = std::fs::read_to_string(temp.path().join("afterimage.conf")).unwrap();
    assert_eq!(written, text(&config(&["--write", "-"]).stdout));
    assert!(written.contains("#renderer = auto"));
    assert!(failed(&config(&["--write"])).contains("--force"));
    assert!(config(&["--write", "--force"]).status.success());
    let said = text(&config(&["--explain", "AFTERIMAGE_RENDERER"]).stdout);
    assert!(said.contains("in-process") && said.contains("AFTERIMAGE_RENDERER"), "{said}");
    assert!(failed(&config(&["--explain", "rendrer"])).contains("did you mean renderer?"));
}

#[test]
fn run_goes_by_the_program_s_profile() {
    let (temp, program) = scripted("echo \"$AFTERIMAGE_DEVICE $AFTERIMAGE_RENDERER\"");
    let file = temp.path().join("mine.conf");
    std::fs::write(&file, "[program]\nrenderer = in-process\ndevice = nothing like it\n").unwrap();
    let mut command = afterimage();
    command.env("AFTERIMAGE_DLL_DIR", temp.path()).env("AFTERIMAGE_CONF", &file).arg("run").arg(&program);
    let output = command.output().unwrap();
    assert_eq!(text(&output.stdout), " in-process\n", "the program reads the file itself");
}

/// Every process treats what it cannot understand in the same way; what the viewer and the library say is in their tests.
#[test]
fn a_wrong_line_is_left_out_and_said_and_the_rest_holds() {
    let (temp, program) = scripted("echo \"drawn by $AFTERIMAGE_RENDERER\"");
    let file = temp.path().join("mine.conf");
    std::fs::write(&file, "vram = 5\nrenderer = in-process\nlog = loud\n").unwrap();
    let warned = |output: &Output| {
        let said = text(&output.stderr);
        for wrong in
            ["mine.conf:1: vram: there is no such option", "mine.conf:3: log = loud: expected one of off, error"]
        {
            let lines = said.lines().filter(|line| line.contains(wrong)).count();
            assert_eq!(lines, 1, "{said}");
        }
        assert!(output.status.success(), "{said}");
    };
    let with = |level: &str| {
        let mut command = afterimage();
        command.env("AFTERIMAGE_DLL_DIR", temp.path()).env("AFTERIMAGE_CONF", &file).env("AFTERIMAGE_LOG", level);
        command
    };
    // However little is logged.
    for level in ["", "off"] {
        let output = with(level).arg("run").arg(&program).output().unwrap();
        assert_eq!(text(&output.stdout), "drawn by in-process\n");
        warned(&output);
        warned(&with(level).arg("info").output().unwrap());
    }
    let asked = with("").arg("config").output().unwrap();
    assert_eq!(asked.status.code(), Some(1), "it is what was asked about");
    assert!(text(&asked.stderr).contains("mine.conf:1: vram: there is no such option"));
}

#[test]
fn a_machine_that_cannot_draw_is_told_what_is_missing() {
    let info = |name: &str, value: &str| {
        let output = afterimage().env(name, value).arg("info").output().unwrap();
        let said = failed(&output);
        (text(&output.stdout), said)
    };
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        let (listed, said) = info(name, "/nonexistent.json");
        let cause = format!("{name}=/nonexistent.json names the only one that is looked for");
        assert!(said.contains("there is no Vulkan driver") && said.contains(&cause), "{said}");
        let row = listed.lines().find(|line| line.starts_with("Vulkan device")).expect("a row");
        assert!(row.contains("MISSING") && row.contains(&cause), "{listed}");
    }
    let temp = tempfile::tempdir().unwrap();
    capture(&temp.path().join("one.aftercap"));
    let mut replay = afterimage();
    replay
        .args(["replay", "-o", "pictures", "one.aftercap"])
        .current_dir(&temp)
        .env("AFTERIMAGE_WITHOUT", "vulkan_1_3");
    let advice = afterimage_distribution::advice(afterimage_distribution::Need::VulkanDriver);
    let said = failed(&replay.output().unwrap());
    assert!(said.contains("Vulkan 1.2.0) lacks Vulkan 1.3") && said.contains(&advice), "{said}");
    let (listed, said) = info("AFTERIMAGE_WITHOUT", "vulkan_1_3");
    assert!(said.contains("no device has all that is needed"), "{said}");
    let row = listed.lines().find(|line| line.trim_start().starts_with("MISSING")).expect("a row");
    assert!(row.contains("Vulkan 1.3") && row.contains(&advice), "{listed}");
    assert!(listed.contains("Vulkan               1.2.0"), "{listed}");
}

/// What helps to find a fault: the stream's packets by name and fields, and a group of states that is applied at every draw.
#[test]
fn packets_are_traced_and_groups_are_applied() {
    let temp = tempfile::tempdir().unwrap();
    capture(&temp.path().join("one.aftercap"));
    let replay = |name: &str, value: &str| {
        let mut command = afterimage();
        command.args(["replay", "one.aftercap"]).current_dir(&temp).env(name, value);
        let output = command.output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        said
    };
    let said = replay("AFTERIMAGE_TRACE_PACKETS", "1");
    let line = said.lines().find(|line| line.contains("PresentTarget")).expect(&said);
    assert!(line.contains("packets: ") && line.contains("width: 4, height: 4"), "{line}");
    for packet in ["CreateTexture", "BeginFrame frame: 12", "SetRenderTargets", "Present "] {
        assert!(said.contains(packet), "{packet}: {said}");
    }
    assert!(!replay("AFTERIMAGE_TRACE_PACKETS", "0").contains("PresentTarget"));
    let said = replay("AFTERIMAGE_APPLY", "blend,nothing");
    assert!(
        said.contains("apply = blend,nothing: Blend of these groups at every draw: ") && said.contains("Raster"),
        "{said}"
    );
}

#[test]
fn run_gives_windows_a_display_where_there_is_none() {
    let (temp, program) = scripted("echo \"$DISPLAY|$WAYLAND_DISPLAY|$AFTERIMAGE_HEADLESS\"; [ -s \"$XAUTHORITY\" ]");
    let with = |display: Option<&str>, arguments: &[&str]| {
        let mut command = afterimage();
        command.env("AFTERIMAGE_DLL_DIR", temp.path()).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command.envs(display.map(|display| ("DISPLAY", display)));
        command.args(["run", "--renderer", "in-process"]).args(arguments).arg(&program).output().unwrap()
    };
    if !Command::new("Xvfb").arg("-help").output().is_ok_and(|output| !output.stderr.is_empty()) {
        let said = text(&with(None, &[]).stderr);
        return assert!(said.contains("there is no display") && said.contains("xvfb"), "{said}");
    }
    for arguments in [&[][..], &["--headless"]] {
        let output = with(None, arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        assert!(said.starts_with(':') && said.ends_with("||1\n"), "{said}");
        let socket = format!("/tmp/.X11-unix/X{}", &said[1..said.find('|').unwrap()]);
        assert!(std::os::unix::net::UnixStream::connect(&socket).is_err(), "{socket} is still there");
    }
    // The user's own stays.
    assert_eq!(text(&with(Some(":7"), &[]).stdout), ":7||\n");
    assert_eq!(text(&with(Some(":7"), &["--headless"]).stdout), ":7||1\n");
}

#[test]
fn run_names_a_log_beside_the_program() {
    let (temp, program) =
        scripted("echo \"$AFTERIMAGE_LOG_FILE\"; [ -z \"$1\" ] || echo wrong > \"$AFTERIMAGE_LOG_FILE\"; exit ${1:-0}");
    let beside = temp.path().join("afterimage-program.log");
    let output = run(temp.path(), &["--renderer", "in-process"], &program, &[]);
    assert_eq!(text(&output.stdout), format!("{}\n", beside.display()));
    assert!(!text(&output.stderr).contains("log is"), "it has none");
    let output = run(temp.path(), &["--renderer", "in-process"], &program, &["3"]);
    assert!(text(&output.stderr).contains(&format!("the program's log is {}", beside.display())));
    // A program of the system's has it where the user's files are.
    let mut command = afterimage();
    command.env("AFTERIMAGE_DLL_DIR", temp.path()).env("PATH", format!("{}:/usr/bin:/bin", temp.path().display()));
    command.env("XDG_STATE_HOME", temp.path().join("state")).args(["run", "--renderer", "in-process", "program"]);
    let wanted = temp.path().join("state/afterimage/log/afterimage-program.log");
    assert_eq!(text(&command.output().unwrap().stdout), format!("{}\n", wanted.display()));
    // Who names one has that.
    command.env("AFTERIMAGE_LOG_FILE", "/dev/null");
    assert_eq!(text(&command.output().unwrap().stdout), "/dev/null\n");
}

/// A Wine that has no 32-bit libraries ends such programs with status 0 and without a word.
#[test]
fn run_says_that_wine_runs_no_32_bit_programs() {
    let temp = tempfile::tempdir().unwrap();
    let (prefix, tree) = (temp.path().join("prefix"), temp.path().join("tree"));
    std::fs::create_dir_all(prefix.join("drive_c/windows/syswow64")).unwrap();
    std::fs::create_dir_all(tree.join("bin")).unwrap();
    std::fs::write(prefix.join("system.reg"), "WINE REGISTRY Version 2\n").unwrap();
    let wine = tree.join("bin/wine");
    std::fs::write(&wine, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&wine, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut pe = vec![0; 0x200];
    pe[..2].copy_from_slice(b"MZ");
    (pe[0x18], pe[0x3C]) = (0x40, 0x80);
    pe[0x80..0x86].copy_from_slice(b"PE\0\0\x4c\x01");
    (pe[0x94], pe[0x96]) = (224, 2);
    let program = temp.path().join("old.exe");
    for file in [&program, &temp.path().join("d3d9.dll")] {
        std::fs::write(file, &pe).unwrap();
    }
    let start = || {
        let mut command = afterimage();
        command
            .env("WINE", &wine)
            .env("WINEPREFIX", &prefix)
            .env("AFTERIMAGE_DLL_DIR", temp.path())
            .env("DISPLAY", ":7");
        command.args(["run", "--renderer", "in-process"]).arg(&program).output().unwrap()
    };
    if !Path::new("/usr/lib/i386-linux-gnu/wine").exists() {
        let said = failed(&start());
        let advice = afterimage_distribution::advice(afterimage_distribution::Need::Wine32);
        assert!(said.contains("old.exe") && said.contains("64-bit programs only") && said.contains(&advice), "{said}");
    }
    // One that has them, beside itself or in the prefix.
    for library in [tree.join("lib/wine/i386-windows/ntdll.dll"), prefix.join("drive_c/windows/syswow64/ntdll.dll")] {
        std::fs::create_dir_all(library.parent().unwrap()).unwrap();
        std::fs::write(&library, "x").unwrap();
        let output = start();
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::remove_file(&library).unwrap();
    }
}

/// What a shell makes of it, where there is one.
#[test]
fn completions_are_read_by_bash() {
    let temp = tempfile::tempdir().unwrap();
    let script = temp.path().join("completions");
    let output = afterimage().args(["completions", "bash"]).output().unwrap();
    assert!(output.status.success(), "{}", failed(&output));
    std::fs::write(&script, &output.stdout).unwrap();
    let complete = |words: &str, last: &str| {
        let line = format!(
            "source '{}' && COMP_WORDS=({words} {last}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) \
             && _afterimage afterimage '{last}' '' && echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let output = Command::new("bash").args(["-c", &line]).output().expect("bash");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).trim().to_owned()
    };
    assert_eq!(complete("afterimage", "re"), "replay report");
    assert_eq!(complete("afterimage shader", "tr"), "translate");
    assert_eq!(complete("afterimage run", "--headl"), "--headless");
    assert_eq!(complete("afterimage completions", "f"), "fish");

    let output = afterimage().args(["completions", "dos"]).output().unwrap();
    assert!(failed(&output).contains("fish"), "it says which there are");
}

#[test]
fn every_command_has_a_manual_page() {
    let temp = tempfile::tempdir().unwrap();
    let output = afterimage().arg("manual").arg(temp.path().join("pages")).output().unwrap();
    assert!(output.status.success(), "{}", failed(&output));
    let read = |name: &str| {
        let file = temp.path().join("pages").join(name);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let first = read("afterimage.1");
    for command in ["run", "replay", "info", "completions", "manual", "shader"] {
        assert!(first.contains(&format!("afterimage\\-{command}(1)")), "{command}: {first}");
        assert!(read(&format!("afterimage-{command}.1")).contains(".SH SYNOPSIS"), "{command}");
    }
    assert!(read("afterimage-shader-translate.1").contains("afterimage shader translate"));
    // Options as the help has them, and lines of examples as they are.
    let run = read("afterimage-run.1");
    assert!(run.contains("\\-\\-headless") && run.contains(".EX\n  afterimage run game.exe \\-windowed\n"), "{run}");
}
