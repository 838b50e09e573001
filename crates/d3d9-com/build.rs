//! Linker arguments that give the library the names which programs import.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    match (target("OS").as_str(), target("ENV").as_str(), target("ARCH").as_str()) {
        // stdcall functions are called `_Name@8`; programs import `Name`.
        ("windows", "gnu", "x86") => println!("cargo::rustc-cdylib-link-arg=-Wl,--kill-at"),
        ("linux", ..) => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libd3d9.so"),
        _ => {}
    }
}
