//! What programs read is found, and named as the guest evaluates it.

use afterimage_shader_gcn::io::{BufferAt, Expr, HwStage, Registers, Resources, Source};
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
    let error = resources(&source(HwStage::Cs, &branch("0x4", "0x8"), "")).unwrap_err();
    let LiftError { text, reason, .. } = error;
    assert_eq!(text, "buffer_store_dword");
    assert_eq!(reason, Reason::Unresolved { what: "the buffer descriptor", register: "s0".into() });
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
