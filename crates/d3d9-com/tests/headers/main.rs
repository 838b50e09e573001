//! The headers of native programs (`include/afterimage`), written from the tables that the library itself is made of.
//!
//! `AFTERIMAGE_BLESS=1 cargo test -p afterimage-d3d9-com --test headers` writes them; without it, the test says which
//! one is out of date. The hand-written parts are the `.h.in` files beside this one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use afterimage_d3d9_types::{CONSTANTS, ENUMS, STRUCTS, Struct};
use d3d9::abi::{INTERFACES, InterfaceInfo, MethodInfo};

const NOTICE: &str = "/* Generated from the tables of afterimage-d3d9-types and afterimage-d3d9-com; do not edit.\n \
                      * AFTERIMAGE_BLESS=1 cargo test -p afterimage-d3d9-com --test headers */\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include/afterimage")
}

/// Name and text of every header.
fn headers() -> Vec<(&'static str, String)> {
    let windows =
        |name: &str| !name.starts_with("D3D") && !name.starts_with("MAXD3D") && !name.starts_with("S_PRESENT");
    let fill = |template: &str, of_windows: bool| {
        let interfaces = INTERFACES.iter().filter(|i| (i.name == "IUnknown") == of_windows);
        let text = template
            .replace("@STRUCTS@\n", &structs(&|name| windows(name) == of_windows))
            .replace("@ENUMS@\n", &enums())
            .replace("@CONSTANTS@\n", &constants(&|name| windows(name) == of_windows))
            .replace("@INTERFACES@\n", &interfaces_text(&interfaces.collect::<Vec<_>>()));
        format!("{NOTICE}{text}")
    };
    vec![
        ("windows.h", fill(include_str!("windows.h.in"), true)),
        ("d3d9types.h", fill(include_str!("d3d9types.h.in"), false)),
        ("d3d9caps.h", format!("{NOTICE}/* Here for programs that include it by name. */\n#include \"d3d9types.h\"\n")),
        ("d3d9.h", fill(include_str!("d3d9.h.in"), false)),
        ("afterimage.h", format!("{NOTICE}{}", include_str!("afterimage.h.in"))),
    ]
}

/// A type of the tables in C.
fn c_type(ty: &str) -> String {
    let inside = |prefix: &str| ty.strip_prefix(prefix).map(|rest| c_type(rest.trim_end_matches('>')));
    if let Some(to) = inside("In<") {
        return format!("const {to} *");
    }
    if let Some(to) = inside("Out<").or_else(|| inside("Object<")).or_else(|| ty.strip_prefix("*mut ").map(c_type)) {
        return format!("{to} *");
    }
    if let Some(to) = inside("OutObject<") {
        return format!("{to} **");
    }
    match ty {
        "" | "c_void" => "void",
        "u8" => "BYTE",
        "i8" => "char",
        "u16" => "WORD",
        "i16" => "SHORT",
        "u32" => "UINT",
        "i32" => "INT",
        "i64" => "LARGE_INTEGER",
        "f32" => "float",
        other => other,
    }
    .into()
}

/// A declaration: `float m[4]` of `[f32; 4]`.
fn declare(ty: &str, name: &str) -> String {
    match ty.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(|rest| rest.rsplit_once("; ")) {
        Some((of, len)) => declare(of, &format!("{name}[{len}]")),
        None => {
            let ty = c_type(ty);
            format!("{ty}{}{name}", if ty.ends_with('*') { "" } else { " " })
        }
    }
}

fn structs(wanted: &dyn Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for s in STRUCTS.iter().filter(|s| wanted(s.name)) {
        let Struct { name, doc, fields, .. } = s;
        writeln!(text, "/* {doc} */\ntypedef struct {} {{", tag(name)).unwrap();
        if *name == "D3DMATRIX" {
            text += "    union {\n        __extension__ struct {\n";
            for row in 1..=4 {
                writeln!(text, "            float _{row}1, _{row}2, _{row}3, _{row}4;").unwrap();
            }
            text += "        };\n        float m[4][4];\n    };\n";
        } else {
            for field in *fields {
                writeln!(text, "    {};", declare(field.ty, field.name)).unwrap();
            }
        }
        writeln!(text, "}} {name};\n").unwrap();
    }
    text
}

/// The struct tag. Programs forward-declare some by the published tag, which is the name with an underscore.
fn tag(name: &str) -> String {
    if name.ends_with('9') { name.to_string() } else { format!("_{name}") }
}

fn enums() -> String {
    let mut text = String::new();
    for e in ENUMS {
        writeln!(text, "/* {} */\ntypedef enum _{} {{", e.doc, e.name).unwrap();
        for (name, value) in e.items {
            writeln!(text, "    {name} = {},", c_value(*value)).unwrap();
        }
        writeln!(text, "}} {};\n", e.name).unwrap();
    }
    text
}

/// FOURCC codes as such, flags in hexadecimal, small numbers in decimal.
fn c_value(value: u32) -> String {
    let characters = value.to_le_bytes();
    if characters.iter().all(u8::is_ascii_alphanumeric) {
        let [a, b, c, d] = characters.map(char::from);
        return format!("MAKEFOURCC('{a}', '{b}', '{c}', '{d}')");
    }
    if value > 0xffff { format!("{value:#010x}") } else { value.to_string() }
}

fn constants(wanted: &dyn Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for (doc, group) in CONSTANTS {
        // MAX_DEVICE_IDENTIFIER_STRING and the like belong to Direct3D; only plain results are the system's.
        let rows: Vec<_> = group.iter().filter(|c| wanted(if c.result { c.name } else { "D3D" })).collect();
        if rows.is_empty() {
            continue;
        }
        writeln!(text, "/* {doc} */").unwrap();
        for c in rows {
            let value = match c.name {
                _ if c.result => format!("((HRESULT){:#010x}u)", c.value),
                name if name.starts_with("D3DTS_WORLD") => format!("((D3DTRANSFORMSTATETYPE){})", c.value),
                _ => format!("{}u", c_value(c.value)),
            };
            writeln!(text, "#define {} {value}", c.name).unwrap();
        }
        text += "\n";
    }
    text
}

/// Its own methods and those of its bases, with the interface each comes from.
fn all_methods(interface: &InterfaceInfo) -> Vec<&'static MethodInfo> {
    let base = INTERFACES.iter().find(|i| i.name == interface.base);
    base.map(all_methods).unwrap_or_default().into_iter().chain(interface.methods).collect()
}

fn parameters(method: &MethodInfo, first: Option<String>) -> String {
    let parameters = method.parameters.iter().map(|(name, ty)| match *ty {
        "In<GUID>" => format!("REFGUID {name}"),
        _ => declare(ty, name),
    });
    let all: Vec<_> = first.into_iter().chain(parameters).collect();
    if all.is_empty() { "void".into() } else { all.join(", ") }
}

fn interfaces_text(interfaces: &[&InterfaceInfo]) -> String {
    let mut text = String::new();
    for i in interfaces {
        writeln!(text, "typedef struct {0} {0};", i.name).unwrap();
        if i.base.is_empty() {
            continue;
        }
        let upper = i.name[1..].to_uppercase();
        writeln!(text, "typedef struct {} *LP{upper}, *P{upper};", i.name).unwrap();
    }
    text += "\n#if defined(__GNUC__)\n#define AFTERIMAGE_IID __attribute__((unused)) static const\n#else\n#define \
             AFTERIMAGE_IID static const\n#endif\n";
    for i in interfaces {
        let g = i.iid;
        let tail: Vec<_> = g.Data4.iter().map(|b| format!("{b:#04x}")).collect();
        let (a, b, c) = (g.Data1, g.Data2, g.Data3);
        writeln!(
            text,
            "AFTERIMAGE_IID GUID IID_{} = {{ {a:#010x}, {b:#06x}, {c:#06x}, {{ {} }} }};",
            i.name,
            tail.join(", ")
        )
        .unwrap();
    }
    text += "#undef AFTERIMAGE_IID\n\n#if defined(__cplusplus) && !defined(CINTERFACE)\n\n";
    for i in interfaces {
        let base = if i.base.is_empty() { String::new() } else { format!(" : public {}", i.base) };
        writeln!(text, "/* {} */\nstruct {}{base} {{", i.doc.replace(['[', ']', '`'], ""), i.name).unwrap();
        for m in i.methods {
            let parameters = parameters(m, None);
            writeln!(text, "    virtual {} STDMETHODCALLTYPE {}({parameters}) = 0;", c_type(m.result), m.name).unwrap();
        }
        text += "};\n";
        writeln!(
            text,
            "template <> struct AfterimageUuid<{0}> {{ static const GUID &value() {{ return IID_{0}; }} }};\n",
            i.name
        )
        .unwrap();
    }
    text += "#else\n\n";
    for i in interfaces {
        writeln!(text, "typedef struct {}Vtbl {{", i.name).unwrap();
        for m in all_methods(i) {
            let parameters = parameters(m, Some(format!("{} *This", i.name)));
            writeln!(text, "    {} (STDMETHODCALLTYPE *{})({parameters});", c_type(m.result), m.name).unwrap();
        }
        writeln!(text, "}} {0}Vtbl;\nstruct {0} {{ const {0}Vtbl *lpVtbl; }};", i.name).unwrap();
        for m in all_methods(i) {
            let names: Vec<_> = (0..m.parameters.len()).map(|n| format!("{}", char::from(b'a' + n as u8))).collect();
            let list = |first: &str| [&[first.to_string()][..], &names[..]].concat().join(", ");
            let (name, method) = (i.name, m.name);
            writeln!(text, "#define {name}_{method}({}) (p)->lpVtbl->{method}({})", list("p"), list("p")).unwrap();
        }
        text += "\n";
    }
    text + "#endif\n\n"
}

#[test]
fn headers_are_up_to_date() {
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|v| v == "1");
    for (name, text) in headers() {
        let path = folder().join(name);
        if bless {
            std::fs::create_dir_all(folder()).unwrap();
            std::fs::write(&path, text).unwrap();
        } else {
            let there = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(there == text, "{} is out of date: run with AFTERIMAGE_BLESS=1", path.display());
        }
    }
}

/// The library's functions have the types that the header gives them: `tests/embed.rs` calls them from C.
#[test]
fn our_own_functions_are_as_the_header_says() {
    let _: unsafe extern "system" fn(*const core::ffi::c_char, u32) -> u32 = d3d9::exports::AfterimageCaptureFrames;
    let text = include_str!("afterimage.h.in");
    let parameters = "(const char *path, uint32_t frames);";
    assert!(text.contains(&format!("uint32_t AFTERIMAGE_CALL AfterimageCaptureFrames{parameters}")));
    assert!(text.contains(&format!("uint32_t (AFTERIMAGE_CALL *AfterimageCaptureFramesFn){parameters}")));
    let exports = include_str!("../../src/exports.rs").matches(" fn Afterimage").count();
    assert_eq!(text.matches("AFTERIMAGE_CALL Afterimage").count(), exports, "each has its place in the header");
}

/// Compiles with the platform's compilers, if there are any, and asks them for sizes and slots.
#[test]
fn compilers_agree_with_the_tables() {
    let folder = folder();
    let scratch = std::env::temp_dir().join(format!("afterimage-headers-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    let mut checks = String::from("#include <afterimage.h>\n#include <stddef.h>\n#include <d3d9.h>\n");
    for s in STRUCTS {
        writeln!(checks, "ASSERT(sizeof({}) == {}, size_{0});", s.name, s.size).unwrap();
        for f in s.fields {
            writeln!(checks, "ASSERT(offsetof({}, {}) == {}, offset_{0}_{1});", s.name, f.name, f.offset).unwrap();
        }
    }
    let c = "#define ASSERT(that, name) typedef char name[(that) ? 1 : -1]\n";
    let slots = "#define CINTERFACE\nASSERT(sizeof(IDirect3DDevice9ExVtbl) == 134 * sizeof(void *), slots);\n";
    let call = "HRESULT clear(IDirect3DDevice9 *device) { return IDirect3DDevice9_Clear(device, 0, NULL, \
                D3DCLEAR_TARGET, D3DCOLOR_XRGB(1, 2, 3), 1.0f, 0); }\n";
    let cpp = "IDirect3DDevice9 *of(IDirect3D9 *d3d, SDL_Window *window) { IDirect3DDevice9 *device = nullptr; \
               D3DPRESENT_PARAMETERS p = {}; p.hDeviceWindow = window; const D3DVERTEXELEMENT9 elements[] = { { 0, 0, \
               D3DDECLTYPE_FLOAT3, 0, D3DDECLUSAGE_POSITION, 0 }, D3DDECL_END() }; (void)elements; \
               d3d->CreateDevice(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &p, \
               &device); device->QueryInterface(__uuidof(IDirect3DDevice9Ex), (void **)&device); \
               device->SetTransform(D3DTS_WORLD, NULL); return device; }\n";
    let sources = [
        ("cc", "check.c", format!("{c}{checks}{slots}{call}")),
        ("c++", "check.cpp", format!("struct SDL_Window;\n{c}{checks}{cpp}")),
    ];
    for (compiler, name, source) in sources {
        let path = scratch.join(name);
        std::fs::write(&path, source).unwrap();
        let command = Command::new(compiler)
            .args(["-fsyntax-only", "-Wall", "-Wno-unused-local-typedefs", "-Werror", "-I"])
            .args([&folder, &path])
            .output();
        match command {
            Ok(output) => {
                assert!(
                    output.status.success(),
                    "{compiler} refuses {name}:\n{}",
                    String::from_utf8_lossy(&output.stderr)
                );
            }
            Err(error) => eprintln!("skipped: no {compiler} here ({error})"),
        }
    }
    std::fs::remove_dir_all(&scratch).unwrap();
}
