//! Agreement with LLVM's assembler for gfx7. `listings/llvm.txt` has a line for every form that LLVM knows: our text, and the
//! words that `llvm-mc` made of it. `AFTERIMAGE_BLESS=1` writes it anew, where there is an `llvm-mc`.

use crate::Words;
use afterimage_shader_gcn::inst::{Fields, Inst, Modifiers};
use afterimage_shader_gcn::tables::{Atomic, Encoding, Kind};
use afterimage_shader_gcn::{Op, assemble, generate};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The words of each line that `llvm-mc` takes, by the line's index; none where there is no `llvm-mc`.
fn llvm_mc(lines: &[String]) -> Option<BTreeMap<usize, Vec<u32>>> {
    let spawn = |name: &str| {
        Command::new(name)
            .args(["-triple=amdgcn", "-mcpu=bonaire", "-show-encoding"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()
    };
    let mut child = ["llvm-mc-14", "llvm-mc", "llvm-mc-19"].into_iter().find_map(spawn)?;
    let mut stdin = child.stdin.take()?;
    // A label before each line tells in the output which line it is, whether or not it was taken.
    let mut text = String::new();
    for (n, line) in lines.iter().enumerate() {
        writeln!(text, "line{n}:\n{line}").ok()?;
    }
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let mut out = BTreeMap::new();
    let mut line = 0;
    for text in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(n) = text.strip_prefix("line").and_then(|text| text.split(':').next()?.parse().ok()) {
            line = n;
        } else if let Some((_, bytes)) = text.split_once("encoding: [") {
            let bytes = bytes.trim_end_matches(']').split(',');
            let bytes: Option<Vec<u8>> =
                bytes.map(|byte| u8::from_str_radix(byte.trim().strip_prefix("0x")?, 16).ok()).collect();
            let words = bytes?.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            out.insert(line, words);
        }
    }
    Some(out)
}

/// Forms that this assembler has and LLVM's has not, by a part of their text.
const UNKNOWN_TO_LLVM: &[&str] = &[
    // Not for tests, but for hardware that injects errors; not in LLVM at all.
    "_mov_fed_b32",
    "s_mov_regrd_b32",
    "ds_condxchg32_rtn_b128",
    // LLVM has only the short form.
    "v_readlane_b32_e64",
    "v_writelane_b32_e64",
    "v_readfirstlane_b32_e64",
];

/// Leaves out what LLVM has only where it means something: modifiers and immediates.
fn bare(inst: &mut Inst) {
    inst.mods = Modifiers::default();
    if inst.enc == Encoding::Sopp {
        inst.simm = 0;
    }
    let kind = inst.kind();
    match &mut inst.fields {
        Fields::Ds(fields) => (fields.offset0, fields.offset1) = (0, 0),
        Fields::Buffer(fields) => (fields.tfe, fields.lds, fields.addr64) = (false, false, false),
        Fields::Flat(fields) => fields.tfe = false,
        Fields::Image(fields) => {
            (fields.tfe, fields.r128) = (false, false);
            match kind {
                Kind::Atomic(Atomic::CmpSwap | Atomic::FcmpSwap) => fields.dmask = 3,
                Kind::Atomic(_) | Kind::Gather(_) => fields.dmask = 1,
                _ => {}
            }
        }
        _ => {}
    }
}

fn text_of(line: &str) -> (&str, Vec<u32>) {
    let (text, words) = line.split_once(" = ").expect("text = words");
    (text, words.split(' ').map(|word| u32::from_str_radix(word, 16).expect("a word")).collect())
}

#[test]
fn llvm_gives_the_same_words() {
    let mut random = Words(14);
    let mut lines = Vec::new();
    let mut forms = Vec::new();
    for (n, (row, enc)) in generate::forms().enumerate() {
        let made = (0..4000).filter_map(|_| generate::instruction(row, enc, random.pair()));
        for (sample, inst) in made.take(60).enumerate() {
            let mut plain = generate::plain(inst);
            if sample % 2 == 0 {
                bare(&mut plain);
            }
            let Ok(words) = plain.encode() else { continue };
            let Ok(plain) = Inst::decode(&words, 0) else { continue };
            // LLVM reads a compressed export's components in pairs, and what is only in the global share it puts there.
            let global = plain.kind() == Kind::Gws || plain.op == Op::DsOrderedCount;
            if global && plain.ds().is_some_and(|ds| !ds.gds)
                || plain.export().is_some_and(|export| export.compr && (export.en & 5) != (export.en >> 1 & 5))
            {
                continue;
            }
            lines.push(plain.to_string());
            forms.push(n);
        }
    }
    let Some(theirs) = llvm_mc(&lines) else {
        println!("there is no llvm-mc here: only listings/llvm.txt was compared");
        return;
    };
    let mut listing = BTreeMap::new();
    let mut wrong = Vec::new();
    for (&n, words) in &theirs {
        if assemble(&lines[n]).as_ref() != Ok(words) {
            wrong.push(format!("{}: {words:08x?}, not {:08x?}", lines[n], assemble(&lines[n])));
        }
        listing.entry(forms[n]).or_insert((&lines[n], words));
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        theirs.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
    let missing: Vec<_> = generate::forms()
        .enumerate()
        .filter(|(n, _)| !listing.contains_key(n))
        .map(|(_, (row, enc))| format!("{}{}", row.name, if enc == row.encoding { "" } else { "_e64" }))
        .filter(|name| !UNKNOWN_TO_LLVM.iter().any(|part| name.contains(part)))
        .collect();
    assert!(missing.is_empty(), "llvm-mc takes no line of these forms: {missing:#?}");
    println!("{} of {} lines are llvm-mc's too", theirs.len(), lines.len());

    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        let mut out = String::new();
        for (text, words) in listing.values() {
            let words: Vec<_> = words.iter().map(|word| format!("{word:08x}")).collect();
            writeln!(out, "{text} = {}", words.join(" ")).expect("a string");
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/isa/listings/llvm.txt");
        std::fs::write(path, out).expect("the listing is written");
    }
}

#[test]
fn the_listing_reads_and_writes_as_llvm_had_it() {
    let listing = include_str!("listings/llvm.txt");
    assert!(listing.lines().count() > 1000, "there is a line for every form");
    for line in listing.lines() {
        let (text, words) = text_of(line);
        assert_eq!(assemble(text).as_ref(), Ok(&words), "{text}");
        let inst = Inst::decode(&words, 0).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(inst.to_string(), text);
    }
}
