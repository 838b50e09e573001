//! Names and types of the program's source, from the constant table to both languages.

use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};

/// A shader of our own as Wine's compiler left it, with its constant table.
fn shader(file: &str) -> (Shader, RuntimeInfo) {
    let path = format!("{}/tests/hlsl/{file}", env!("CARGO_MANIFEST_DIR"));
    let code = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let shader = Shader::new(Language::D3d9, &code).unwrap_or_else(|error| panic!("{path}: {error}"));
    let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
    (shader, runtime)
}

/// The words of a module as text: names are stored as they are.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn constants_keep_their_names() {
    let (shader, runtime) = shader("blinn.vs_3_0.cso");
    let profile = Profile { debug_names: true, ..Profile::default() };
    let module = shader.module(&profile, &runtime).expect("compiles");
    let ir = module.to_string();
    assert!(ir.contains(" \"projection\" \"float4x4\""), "{ir}");

    let words = shader.compile(&profile, &runtime).expect("compiles").words;
    assert!((0..4).all(|row| text(&words).contains(&format!("projection[{row}]\0"))), "a row has no name");
    let plain = shader.compile(&Profile { debug_names: false, ..profile }, &runtime).expect("compiles").words;
    assert!(!text(&plain).contains("projection"), "names where none were asked for");

    let metal = shader.compile_msl(&profile, &runtime).expect("compiles").source;
    assert!(metal.contains("// float4x4 projection at 0\n"), "{metal}");
}

#[test]
fn textures_keep_their_names() {
    let (shader, runtime) = shader("blur.ps_3_0.cso");
    let profile = Profile { debug_names: true, ..Profile::default() };
    let metal = shader.compile_msl(&profile, &runtime).expect("compiles").source;
    assert!(metal.contains("texture2d<float> picture [[texture(0)]]"), "{metal}");
    assert!(metal.contains("sampler picture_sampler [[sampler(0)]]"), "{metal}");
    let words = shader.compile(&profile, &runtime).expect("compiles").words;
    assert!(text(&words).contains("picture\0"), "the texture has no name");
}
