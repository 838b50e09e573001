//! Each `filetests/*.asm` is a shader with the IR that it is lifted to behind it, as comments. The text must assemble,
//! disassemble to text that assembles to the same tokens, and lift to that IR. `AFTERIMAGE_BLESS=1` writes the IR anew.

use afterimage_shader_d3d9::tables::Stage;
use afterimage_shader_d3d9::{LinkInfo, RuntimeInfo, assemble, disassemble, io, lift, signature};
use std::path::Path;

const MARK: &str = "; --- IR\n";

#[test]
fn filetests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value != "0");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.extension().is_none_or(|extension| extension != "asm") {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(&path).expect("readable");
        let source = text.split(MARK).next().expect("split gives one");
        let name = path.display();
        let tokens = assemble(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = disassemble(&tokens).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(assemble(&again).as_ref(), Ok(&tokens), "{name}: the disassembly is another shader:\n{again}");

        let signature = signature(&tokens).unwrap_or_else(|error| panic!("{name}: {error}"));
        let link = match signature.stage() {
            Stage::Vertex => LinkInfo::default(),
            Stage::Pixel => io::link_of_pixel_shader(&signature),
        };
        let module = lift(&tokens, &RuntimeInfo { link, ..RuntimeInfo::default() });
        let module = module.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(afterimage_ir::verify(&module), Ok(()), "{name}");
        let ir: String = module.to_string().lines().map(|line| format!("; {line}\n")).collect();
        let expected = format!("{}\n\n{MARK}{ir}", source.trim_end());
        if text != expected {
            match bless {
                true => std::fs::write(&path, expected).expect("writable"),
                false => wrong.push(name.to_string()),
            }
        }
    }
    assert!(count >= 7, "{} has lost its files", folder.display());
    assert!(wrong.is_empty(), "the IR differs (AFTERIMAGE_BLESS=1 accepts it): {wrong:#?}");
}
