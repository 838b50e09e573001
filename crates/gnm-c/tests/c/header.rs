//! `include/afterimage_gnm.h` and the library have the same structs and constants, in C and in C++.

use crate::compile::{compiler, include, succeeded};
use afterimage_gnm_c::types::{CONSTANTS, STRUCTS};
use std::fmt::Write as _;

#[test]
fn compilers_agree_with_the_tables() {
    let mut checks = String::from("#include <afterimage_gnm.h>\n#include <afterimage_gnm_library.h>\n");
    let mut check = |what: String, value: usize| {
        let n = checks.len();
        let _ = writeln!(checks, "typedef char check_{n}[({what}) == {value}u ? 1 : -1];");
    };
    for of in STRUCTS {
        let name = format!("AfterimageGnm{}", of.name);
        check(format!("sizeof({name})"), of.size);
        for field in of.fields {
            check(format!("offsetof({name}, {})", field.name), field.offset);
            check(format!("sizeof((({name} *)0)->{})", field.name), field.size);
        }
        let covered: usize = of.fields.iter().map(|field| field.size).sum();
        assert_eq!(covered, of.size, "{name}: every byte has a name");
    }
    for (name, value) in CONSTANTS {
        check(format!("AFTERIMAGE_GNM_{name}"), *value as usize);
    }
    let header = std::fs::read_to_string(include().join("afterimage_gnm.h")).expect("the header");
    let defined = header.lines().filter(|line| line.starts_with("#define AFTERIMAGE_GNM_") && line.ends_with('u'));
    assert_eq!(defined.count(), CONSTANTS.len(), "constants of the header");
    let scratch = tempfile::tempdir().expect("temporary directory");
    for (name, file, strict) in [("cc", "check.c", "-std=c99"), ("c++", "check.cc", "-std=c++11")] {
        let (file, object) = (scratch.path().join(file), scratch.path().join("check.o"));
        std::fs::write(&file, &checks).expect("written");
        let (file, object) = (file.display().to_string(), object.display().to_string());
        let arguments = [strict, "-Wall", "-Wextra", "-Werror", "-c", &file, "-o", &object];
        if let Some(output) = compiler(name, &arguments) {
            succeeded(&output);
        }
    }
}
