//! What programs read is found, and named as the guest evaluates it.

use afterimage_shader_gcn::io::{BufferAt, Expr, HwStage, Registers, Resources, Source, WINDOWS};
use afterimage_shader_gcn::{LiftError, Reason, assemble, lift, resources};

fn source(stage: HwStage, text: &str, fetch: &str) -> Source {
    let assembled = |text: &str| assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Source {
        stage,
        code: assembled(text),
        fetch: if fetch.is_empty() { Vec::new() } else { assembled(fetch) },
        // Sixteen user registers.
        registers: Registers { rsrc2: 16 << 1, num_thread: [1; 3], ..Registers::default() },
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    }
}

fn found(text: &str) -> Resources {
    resources(&source(HwStage::Cs, text, "")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// An expression as text.
fn show(resources: &Resources, id: u32) -> String {
    let show = |id| show(resources, id);
    match resources.exprs[id as usize] {
        Expr::User(n) => format!("u{n}"),
        Expr::Const(value) => format!("{value:#x}"),
        Expr::Program(half) => format!("program{half}"),
        Expr::Load { base, offset } => format!("[{}:{} + {}]", show(base[0]), show(base[1]), show(offset)),
        Expr::Table { base, entry, word, .. } => format!("table({})[{entry}].{word}", base[0]),
        Expr::LoadBuffer { descriptor, offset } => {
            format!("{{{} + {}}}", descriptor.map(show).join(","), show(offset))
        }
        Expr::Binary(op, a, b) => format!("{op:?}({}, {})", show(a), show(b)),
    }
}

fn words(resources: &Resources) -> Vec<String> {
    resources.words.iter().map(|&id| show(resources, id)).collect()
}

fn buffers(resources: &Resources) -> Vec<String> {
    let show = |at: &BufferAt| match at {
        BufferAt::Descriptor(ids) => ids.map(|id| show(resources, id)).join(" "),
        BufferAt::Pointer(ids) => ids.map(|id| show(resources, id)).join(":"),
        BufferAt::SharedMemory => "shared".into(),
        BufferAt::Tessellator => "tessellator".into(),
        BufferAt::GlobalShare => "global share".into(),
        BufferAt::Window(n) => format!("window {n}"),
    };
    resources.buffers.iter().map(|buffer| show(&buffer.at)).collect()
}

const STORE: &str = "v_mov_b32 v1, s20\nbuffer_store_dword v1, v0, s[0:3], 0 offen\ns_endpgm";

#[test]
fn tables_are_followed() {
    let text = format!(
        "s_load_dwordx2 s[16:17], s[4:5], 0x10
         s_load_dwordx4 s[0:3], s[16:17], 0x4
         s_load_dword s20, s[16:17], 0x1
         {STORE}"
    );
    let found = found(&text);
    assert_eq!(words(&found), ["[[u4:u5 + 0x40]:[u4:u5 + 0x44] + 0x4]"]);
    let word = |at: u32| format!("[[u4:u5 + 0x40]:[u4:u5 + 0x44] + {at:#x}]");
    assert_eq!(buffers(&found), [[0x10, 0x14, 0x18, 0x1c].map(word).join(" ")]);
    assert!(found.buffers[0].written && !found.buffers[0].typed);
}

#[test]
fn only_what_is_read_is_delivered() {
    let text = format!(
        "s_buffer_load_dwordx8 s[16:23], s[8:11], 0x2
         s_add_u32 s20, s20, s6
         {STORE}"
    );
    assert_eq!(words(&found(&text)), ["u6", "{u8,u9,u10,u11 + 0x18}"]);
}

#[test]
fn addresses_are_computed() {
    let text = format!(
        "s_lshl_b32 s16, s6, 4
         s_add_u32 s16, s4, s16
         s_addc_u32 s17, s5, 0
         s_load_dword s20, s[16:17], 0x0
         {STORE}"
    );
    assert_eq!(words(&found(&text)), ["[Add(u4, Shl(u6, 0x4)):Add(u5, Carry(u4, Shl(u6, 0x4))) + 0x0]"]);
}

#[test]
fn equal_ways_join_and_others_do_not() {
    let branch = |first: &str, second: &str| {
        format!(
            "v_readfirstlane_b32 s22, v0
             s_cmp_eq_u32 s22, 0
             s_cbranch_scc1 other
             s_load_dwordx4 s[0:3], s[4:5], {first}
             s_branch join
             other:
             s_load_dwordx4 s[0:3], s[4:5], {second}
             join:
             s_mov_b32 s20, 1
             {STORE}"
        )
    };
    assert_eq!(buffers(&found(&branch("0x4", "0x4"))).len(), 1);
    // Which of two it is the registers say while the program runs: guest memory is seen through windows.
    let either = buffers(&found(&branch("0x4", "0x8")));
    assert_eq!((either.len(), either[0].as_str()), (WINDOWS as usize, "window 0"));
    // Images come out of tables; where there is none, nobody knows which.
    let text = "v_readfirstlane_b32 s8, v0\ns_mul_i32 s8, s8, s8\nimage_load v0, v[0:1], s[8:15] dmask:0x1\ns_endpgm";
    let LiftError { text, reason, .. } = resources(&source(HwStage::Cs, text, "")).unwrap_err();
    assert_eq!(text, "image_load");
    assert_eq!(reason, Reason::Unresolved { what: "the image descriptor", register: "s8".into() });
}

#[test]
fn scalars_that_went_through_lanes_are_followed() {
    let text = "v_writelane_b32 v9, s0, 0
         v_writelane_b32 v9, s1, 40
         v_writelane_b32 v9, s2, 2
         v_writelane_b32 v9, s3, 63
         s_cmp_eq_u32 s4, 0
         s_cbranch_scc1 join
         v_add_i32 v3, vcc, v0, v0
         join:
         s_mov_b32 s0, 0
         v_readlane_b32 s16, v9, 0
         v_readlane_b32 s17, v9, 40
         v_readlane_b32 s18, v9, 2
         v_readlane_b32 s19, v9, 63
         buffer_store_dword v1, v0, s[16:19], 0 offen
         s_endpgm";
    assert_eq!(buffers(&found(text)), ["u0 u1 u2 u3"]);
    // A vector instruction on one of the ways writes all lanes.
    let written = text.replace("v_add_i32 v3,", "v_add_i32 v9,");
    assert_eq!(buffers(&found(&written))[0], "window 0");
}

/// Descriptors at offsets that only the program knows are looked for behind the pointer, from the constant on that is added.
#[test]
fn descriptors_out_of_tables_are_looked_for() {
    let loads = |image: &str, sampler: &str| {
        format!(
            "v_readfirstlane_b32 s8, v0
             s_mul_i32 s8, s8, 0x60
             {image}
             {sampler}
             image_sample v[0:3], v[0:1], s[16:23], s[24:27] dmask:0xf
             s_endpgm"
        )
    };
    let text =
        loads("s_load_dwordx8 s[16:23], s[4:5], s8", "s_add_i32 s9, s8, 0x50\ns_load_dwordx4 s[24:27], s[4:5], s9");
    let pairs = found(&text);
    assert_eq!((pairs.textures.len(), pairs.images.len(), pairs.samplers.len()), (16, 16, 16));
    let first = show(&pairs, pairs.images[1].descriptor[2]);
    assert!(first.starts_with("table(") && first.ends_with(")[1].2"), "{first}");
    assert_eq!(pairs.words.len() % 4, 0);
    // With one sampler for all, and with images in front that are in the same set.
    let text =
        loads("s_add_i32 s9, s8, 0x400\ns_load_dwordx8 s[16:23], s[4:5], s9", "s_load_dwordx4 s[24:27], s[4:5], 0x0");
    let one = found(&text);
    assert_eq!((one.textures.len(), one.images.len(), one.samplers.len()), (16, 16, 1));
    // Two tables: each image with each sampler.
    let text = loads("s_load_dwordx8 s[16:23], s[4:5], s8", "s_load_dwordx4 s[24:27], s[6:7], s8");
    let two = found(&text);
    assert_eq!((two.textures.len(), two.images.len(), two.samplers.len()), (16, 4, 4));
    // Addresses that lanes compute: below 4 GiB, with what a negative offset brings into the high half.
    let text = "v_ashrrev_i32 v2, 31, v0
         v_add_i32 v0, vcc, s4, v0
         v_addc_u32 v2, vcc, 0, v2, vcc
         v_readfirstlane_b32 s8, v0
         v_readfirstlane_b32 s9, v2
         s_load_dwordx8 s[16:23], s[8:9], 0x0
         s_load_dwordx4 s[24:27], s[8:9], 0x0
         image_sample v[0:3], v[0:1], s[16:23], s[24:27] dmask:0xf
         s_endpgm";
    let lanes = found(text);
    assert_eq!((lanes.textures.len(), lanes.images.len(), lanes.samplers.len()), (16, 4, 4));
}

#[test]
fn loops_do_not_change_what_they_leave_alone() {
    let text = "s_mov_b32 s20, 0
         head:
         s_buffer_load_dword s21, s[4:7], s20
         s_buffer_load_dword s22, s[4:7], 0x3
         s_add_u32 s20, s20, 4
         s_cmp_lt_u32 s21, s22
         s_cbranch_scc1 head
         v_mov_b32 v1, s20
         buffer_store_dword v1, v0, s[0:3], 0 offen
         s_endpgm";
    let found = found(text);
    assert_eq!(words(&found), ["{u4,u5,u6,u7 + 0xc}"]);
    assert_eq!(buffers(&found), ["u4 u5 u6 u7", "u0 u1 u2 u3"]);
}

#[test]
fn pointers_that_move_are_buffers() {
    let text = format!(
        "v_readfirstlane_b32 s22, v0
         s_add_u32 s16, s4, s22
         s_addc_u32 s17, s5, 0
         s_load_dword s20, s[16:17], 0x2
         {STORE}"
    );
    let found = found(&text);
    assert_eq!(buffers(&found), ["u4:u5", "u0 u1 u2 u3"]);
    assert_eq!(words(&found), ["u4"]);
}

#[test]
fn images_and_samplers_are_numbered_once() {
    let text = "image_sample v[4:7], v[0:1], s[16:23], s[8:11] dmask:0xf
         image_sample v[4:7], v[2:3], s[16:23], s[8:11] dmask:0xf
         image_load v[4:7], v[2:3], s[24:31] dmask:0xf unorm
         image_store v[4:7], v[2:3], s[24:31] dmask:0xf unorm
         s_endpgm";
    let loads = "s_load_dwordx8 s[16:23], s[4:5], 0x0\ns_load_dwordx8 s[24:31], s[4:5], 0x8\n";
    let found = found(&format!("{loads}{text}"));
    assert_eq!((found.images.len(), found.samplers.len(), found.textures.len()), (2, 1, 1));
    assert_eq!(found.storage_images.len(), 1);
    let stored = &found.images[found.storage_images[0] as usize];
    assert!(stored.storage && stored.written);
    assert!(!found.images[found.textures[0].image as usize].storage);
}

#[test]
fn the_fetch_shader_is_found_and_becomes_part_of_the_program() {
    let text = "s_swappc_b64 s[0:1], s[0:1]
         v_add_f32 v4, v4, v4
         exp pos0 v4, v5, v6, v7 done
         s_endpgm";
    let first = resources(&source(HwStage::Vs, text, "")).unwrap();
    assert_eq!(first.fetch.map(|halves| halves.map(|id| show(&first, id))), Some(["u0".into(), "u1".into()]));
    assert!(first.buffers.is_empty());
    let error = lift(&source(HwStage::Vs, text, "")).unwrap_err();
    assert_eq!(error.text, "s_swappc_b64");

    let fetch = "s_load_dwordx4 s[8:11], s[2:3], 0x0
         s_waitcnt lgkmcnt(0)
         buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen
         s_waitcnt vmcnt(0)
         s_setpc_b64 s[0:1]";
    let whole = resources(&source(HwStage::Vs, text, fetch)).unwrap();
    assert_eq!(buffers(&whole), ["[u2:u3 + 0x0] [u2:u3 + 0x4] [u2:u3 + 0x8] [u2:u3 + 0xc]"]);
    assert!(whole.buffers[0].typed);
    lift(&source(HwStage::Vs, text, fetch)).unwrap();
}

#[test]
fn constants_beside_the_code_are_found() {
    let text = format!(
        "s_getpc_b64 s[16:17]
         s_add_u32 s16, s16, 0x40
         s_addc_u32 s17, s17, 0
         s_load_dword s20, s[16:17], 0x0
         {STORE}"
    );
    let found = found(&text);
    assert_eq!(words(&found).len(), 1);
    assert!(words(&found)[0].starts_with("[Add(program0, 0x44):"), "{:?}", words(&found));
}
