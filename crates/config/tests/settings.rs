//! The effective configuration, as a process with such surroundings gets it.
#![allow(missing_docs)]

use afterimage_config::*;
use proptest::prelude::*;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

fn load(program: &Path, variables: &[(&str, &str)]) -> Settings {
    let variables: HashMap<String, OsString> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
    Settings::load(&Surroundings { program: program.into(), variable: &|name| variables.get(name).cloned() })
}

fn whence(settings: &Settings, name: &str) -> String {
    let one = settings.effective().find(|one| OPTIONS[one.option].name == name).unwrap();
    format!("{} ({})", one.value.display(), settings.whence(&one))
}

#[test]
fn profiles_win_over_the_file_and_the_environment_over_all() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("afterimage.conf");
    let text = "renderer = viewer\nvram_mb = 1\n[GAME*]\nvram_mb = 2\nfps_limit = 30\n[other.exe]\nvram_mb = 3\n\
                [game.exe]\nfps_limit = 60\nshader_model = 2\n";
    std::fs::write(&path, text).unwrap();
    let settings = load(&temp.path().join("Game.exe"), &[("AFTERIMAGE_SHADER_MODEL", "1")]);
    assert_eq!(settings.problems, []);
    assert_eq!(settings.renderer, Renderer::Viewer);
    assert_eq!((settings.vram_mb, settings.fps_limit), (Some(2), 60.0));
    assert_eq!(settings.shader_model, ShaderModel::One);
    let file = path.display();
    assert_eq!(whence(&settings, "renderer"), format!("viewer ({file}:1)"));
    assert_eq!(whence(&settings, "vram_mb"), format!("2 ({file}:4 [GAME*])"));
    assert_eq!(whence(&settings, "shader_model"), "1 (AFTERIMAGE_SHADER_MODEL)");
    assert_eq!(whence(&settings, "cache_mb"), "1024 (default)");
    assert_eq!(settings.changed().count(), 4);
}

#[test]
fn an_empty_value_takes_an_earlier_one_back() {
    let settings = Settings::of_text("a", Path::new("f"), "cache_mb = 5\ndevice = x\n[a]\ncache_mb =\ndevice =\n");
    assert_eq!((settings.cache_mb, &settings.device), (1024, &None));
    assert_eq!(load(Path::new("/none/a"), &[("AFTERIMAGE_CACHE_MB", "")]).cache_mb, 1024);
}

#[test]
fn the_file_is_the_named_one_else_the_program_s_else_the_user_s() {
    let temp = tempfile::tempdir().unwrap();
    let place = |folder: &str, value: &str| {
        let folder = temp.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(FILE_NAME), format!("device = {value}\n")).unwrap();
    };
    let program = temp.path().join("game/game.exe");
    let home = temp.path().to_str().unwrap().to_owned();
    let config = temp.path().join("xdg").to_str().unwrap().to_owned();
    let named = temp.path().join("named/afterimage.conf").to_str().unwrap().to_owned();
    let device = |variables: &[(&str, &str)]| load(&program, variables).device.clone();
    assert_eq!(device(&[("HOME", &home)]), None);
    place(".config/afterimage", "home");
    assert_eq!(device(&[("HOME", &home)]).as_deref(), Some("home"));
    place("xdg/afterimage", "xdg");
    assert_eq!(device(&[("HOME", &home), ("XDG_CONFIG_HOME", &config)]).as_deref(), Some("xdg"));
    place("game", "beside");
    assert_eq!(device(&[("HOME", &home)]).as_deref(), Some("beside"));
    place("named", "named");
    assert_eq!(device(&[("HOME", &home), (VARIABLE, &named)]).as_deref(), Some("named"));

    let absent = load(&program, &[(VARIABLE, "/no/such/file")]);
    assert_eq!(absent.device, None);
    let said = absent.problems[0].to_string();
    assert!(said.starts_with("/no/such/file: ") && said.contains(VARIABLE), "{said}");
}

#[test]
fn a_built_in_profile_holds_where_the_user_says_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let program = temp.path().join("DEAD SPACE.EXE");
    let settings = load(&program, &[]);
    assert_eq!((settings.fps_limit, settings.present_interval), (60.0, PresentInterval::One));
    assert_eq!(settings.built_in.map(|row| row.title), Some("Dead Space"));
    assert_eq!(whence(&settings, "fps_limit"), "60 (built-in profile)");
    let said = settings.to_string();
    assert!(said.contains("  built-in profile: Dead Space has a mouse and physics"), "{said}");
    assert!(said.contains("(https://github.com/doitsujin/dxvk/pull/2704)\n"), "{said}");
    assert_eq!(load(&temp.path().join("game.exe"), &[]).built_in.map(|row| row.title), None);

    // The user's word goes before, wherever it is said, and an empty one is the default.
    let conf = temp.path().join(FILE_NAME);
    std::fs::write(&conf, "fps_limit = 120\n").unwrap();
    let settings = load(&program, &[("AFTERIMAGE_PRESENT_INTERVAL", "two")]);
    assert_eq!((settings.fps_limit, settings.present_interval), (120.0, PresentInterval::Two));
    std::fs::write(&conf, "[dead space.exe]\nfps_limit =\n").unwrap();
    let settings = load(&program, &[]);
    assert_eq!((settings.fps_limit, settings.present_interval), (0.0, PresentInterval::One));

    // None at all.
    std::fs::write(&conf, "built_in_profiles = off\nfps_limit = 30\n").unwrap();
    let settings = load(&program, &[]);
    assert_eq!((settings.fps_limit, settings.present_interval), (30.0, PresentInterval::Program));
    assert_eq!((settings.built_in.map(|row| row.title), settings.changed().count()), (None, 2));
}

#[test]
fn problems_name_their_place() {
    let settings = Settings::of_text("a", Path::new("/x/afterimage.conf"), "\nrendrer = viewer\n");
    let said = settings.problems[0].to_string();
    assert_eq!(said, "/x/afterimage.conf:2: rendrer: there is no such option; did you mean renderer?");
    let settings = load(Path::new("a"), &[("AFTERIMAGE_RENDERER", "gpu")]);
    let said = settings.problems[0].to_string();
    assert_eq!(
        said,
        "environment variable AFTERIMAGE_RENDERER: renderer = gpu: expected one of auto, in-process, viewer"
    );
    assert_eq!(settings.renderer, Renderer::Auto);
}

#[test]
fn what_is_not_text_or_too_large_is_refused_as_a_whole() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join(FILE_NAME);
    std::fs::write(&path, b"device = \xff\n").unwrap();
    let said = load(&temp.path().join("a"), &[]).problems[0].to_string();
    assert!(said.contains("not UTF-8 from byte 9 on"), "{said}");
    std::fs::write(&path, vec![b'#'; MAX_BYTES + 1]).unwrap();
    let said = load(&temp.path().join("a"), &[]).problems[0].to_string();
    assert!(said.contains("no configuration"), "{said}");
}

/// What variables and values have meant before there was a file.
#[test]
fn the_environment_means_what_it_meant() {
    let settings = load(
        Path::new("a"),
        &[
            ("AFTERIMAGE_VALIDATE", "1"),
            ("AFTERIMAGE_ASYNC", "0"),
            ("AFTERIMAGE_OWN_WINDOWS", "1"),
            ("AFTERIMAGE_WITHOUT", "bindless, raster_options"),
            ("AFTERIMAGE_FLOAT_RULES", "strict"),
            ("AFTERIMAGE_SCREENSHOT_FRAMES", "1,5-7"),
            ("AFTERIMAGE_CACHE_DIR", "/c"),
            ("AFTERIMAGE_ARENA_MB", "64"),
        ],
    );
    assert_eq!(settings.problems, []);
    assert_eq!((settings.validate, settings.async_pipelines, settings.own_windows), (Switch::On, false, true));
    assert_eq!(settings.without, [Ability::Bindless, Ability::RasterOptions]);
    assert_eq!(settings.float_rules, FloatRules::Strict);
    assert_eq!(settings.screenshot_frames.as_ref().unwrap().ranges(), [1..=1, 5..=7]);
    assert_eq!((settings.cache_dir.clone(), settings.arena_mb), (Some(PathBuf::from("/c")), Some(64)));
}

/// The generated files are the table's. `AFTERIMAGE_BLESS=1` writes them.
#[test]
fn generated_files_are_up_to_date() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, text) in [("afterimage.conf", conf()), ("configuration.md", markdown()), ("profiles.md", profiles())] {
        let path = docs.join(name);
        if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, &text).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == text, "{} is out of date: `cargo xtask bless afterimage-config`", path.display());
    }
}

#[test]
fn the_generated_file_sets_nothing_and_all_of_it_can_be_uncommented() {
    let (entries, mistakes) = parse(&conf());
    assert!(entries.is_empty() && mistakes.is_empty());
    let option = |line: &str| line.starts_with('#') && !line.starts_with("# ") && line.contains(" =");
    let set: String = conf().lines().filter(|line| option(line)).map(|line| format!("{}\n", &line[1..])).collect();
    let (entries, mistakes) = parse(&set);
    assert_eq!(mistakes, []);
    assert!(entries.len() >= OPTIONS.len());
}

proptest! {
    /// No text makes the parser fail, and what it accepts can be written and read again.
    #[test]
    fn any_text_is_read(text in "(\\PC|\n|\r|=|\\[|\\]|\"){0,200}") {
        let (entries, mistakes) = parse(&text);
        prop_assert!(entries.len() + mistakes.len() <= text.lines().count() + 1);
        for entry in entries {
            let line = format!("{} = \"{}\"", OPTIONS[entry.option].name, entry.value);
            let (again, mistakes) = parse(&line);
            prop_assert_eq!(mistakes, []);
            prop_assert_eq!(&again[0].value, &entry.value);
        }
    }

    /// Any value for any option is either taken or told.
    #[test]
    fn any_value_is_taken_or_told(option in 0..OPTIONS.len(), value in "[^\n\r\"]{0,30}") {
        let text = format!("{} = {value}\n", OPTIONS[option].name);
        let settings = Settings::of_text("x", Path::new("f"), &text);
        prop_assert_eq!(settings.changed().count() + settings.problems.len(), 1);
    }

    /// Wildcards against the plain definition.
    #[test]
    fn wildcards(pattern in "[ab*?]{0,8}", name in "[ab]{0,8}") {
        fn plain(p: &[u8], n: &[u8]) -> bool {
            match (p.split_first(), n.split_first()) {
                (None, _) => n.is_empty(),
                (Some((b'*', rest)), _) => (0..=n.len()).any(|skip| plain(rest, &n[skip..])),
                (Some((p, ps)), Some((n, ns))) => (*p == b'?' || p == n) && plain(ps, ns),
                (Some(_), None) => false,
            }
        }
        prop_assert_eq!(matches(&pattern, &name), plain(pattern.as_bytes(), name.as_bytes()));
    }
}
