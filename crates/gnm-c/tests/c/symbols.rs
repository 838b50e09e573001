//! The shared library has every call of the console's library that the driver knows, and all other names of it.

use crate::compile::{compiler, include, libraries};
use afterimage_gnm::driver::CALLS;
use afterimage_gnm_c::absent::ABSENT;
use afterimage_gnm_c::library::present;
use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn every_call_has_a_symbol() {
    let calls: BTreeSet<&str> = present().iter().map(|(_, call)| *call).filter(|call| !call.is_empty()).collect();
    // A pixel shader that is none is set by the call that sets one.
    let known: BTreeSet<&str> =
        CALLS.iter().map(|(_, _, name)| *name).filter(|name| *name != "SetNoPsShader").collect();
    assert_eq!(calls, known);
}

#[test]
fn symbols_are_exported_and_declared() {
    let library = libraries().join("libafterimage_gnm_c.so");
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().expect("nm of binutils");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let exported: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    let header = std::fs::read_to_string(include().join("afterimage_gnm_library.h")).expect("the header");
    for (symbol, _) in present() {
        assert!(exported.contains(symbol), "{symbol} is not exported");
        assert_eq!(header.matches(&format!(" {symbol}(")).count(), 1, "{symbol} in the header");
    }
    for symbol in ABSENT {
        assert!(exported.contains(symbol), "{symbol} is not exported");
        assert!(!header.contains(symbol), "{symbol} is in the header");
    }
    let ours: Vec<&&str> = exported.iter().filter(|name| name.starts_with("sceGnm")).collect();
    assert_eq!(ours.len(), present().len() + ABSENT.len(), "a symbol has no row: {ours:?}");
    // Each that is declared for C is there.
    let header = std::fs::read_to_string(include().join("afterimage_gnm.h")).expect("the header");
    let functions = header.lines().filter(|line| line.starts_with("uint32_t ") || line.starts_with("const char *"));
    let functions: BTreeSet<&str> = functions
        .filter_map(|line| line.split_once('('))
        .filter_map(|(head, _)| head.rsplit([' ', '*']).next())
        .collect();
    let ours: BTreeSet<&str> = exported.iter().copied().filter(|name| name.starts_with("afterimage_gnm_")).collect();
    assert_eq!(functions, ours);
}

#[test]
fn what_is_absent_says_so() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let source = scratch.path().join("absent.c");
    let text = "#include <stdio.h>\n__attribute__((sysv_abi)) int sceGnmAddEqEvent(void *, unsigned long, void *);\n\
                int afterimage_gnm_create(unsigned, void *, void **);\n\
                int main(void) { void *gnm, *options[12] = {(void *)96, 0}; afterimage_gnm_create(1, options, &gnm);\n\
                int first = sceGnmAddEqEvent(0, 1, 0); printf(\"%x %x\\n\", first, sceGnmAddEqEvent(0, 1, 0)); }\n";
    std::fs::write(&source, text).expect("written");
    let program = scratch.path().join("absent");
    let (source, out, folder) = (source.display().to_string(), program.display().to_string(), libraries());
    let (folder, rpath) = (folder.display().to_string(), format!("-Wl,-rpath,{}", folder.display()));
    let arguments = [&source, "-o", &out, "-L", &folder, "-lafterimage_gnm_c", &rpath];
    let Some(output) = compiler("cc", &arguments) else { return };
    crate::compile::succeeded(&output);
    let output = Command::new(program).env("AFTERIMAGE_LOG", "warn").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "8eee00ff 8eee00ff\n");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(log.matches("sceGnmAddEqEvent is called, and is not there").count(), 1, "{log}");
}
