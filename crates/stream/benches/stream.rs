//! Writing, checking and applying packets, against copying the same words.
#![forbid(unsafe_code)]

#[path = "../tests/common/mod.rs"]
mod common;

use afterimage_bench::Bench;
use afterimage_stream::packets::*;
use afterimage_stream::*;
use common::*;

const DRAWS: u32 = 2_000;

/// What a draw with texture, eight constants and four render states sends.
fn heavy(out: &mut Encoder, first: u32) {
    let registers = [[first; 4]; 8];
    out.push_tail(&SetConstants { bank: 0, first: 0, count: 8 }, &registers);
    out.push_tail(&SetTextures { first: 0, count: 1 }, &[TextureBinding::default()]);
    out.push_tail(&SetBlend { enable: first as u8 & 1, write_masks: [15; 8], ..SetBlend::default() }, &[]);
    out.push(&SetRaster { cull: first as u8 % 3, ..SetRaster::default() });
    out.push(&SetDepthStencil { depth_write: first as u8 & 1, ..SetDepthStencil::default() });
    out.push(&draw(first));
}

fn filled(mut per_draw: impl FnMut(&mut Encoder, u32)) -> Vec<u64> {
    let mut out = Encoder::new();
    prologue(&mut out);
    (0..DRAWS).for_each(|first| per_draw(&mut out, first));
    out.push(&present(1));
    std::mem::take(out.batch())
}

fn receive(batch: &[u64]) -> State {
    let mut state = State::default();
    let mut validator = Validator::default();
    for located in Reader::new(batch).flatten() {
        if validator.check(&state, &located, &OneSlot).is_ok() {
            state.apply(&located.packet);
        }
    }
    state
}

fn main() -> std::io::Result<()> {
    let light_batch = filled(|out, first| out.push(&draw(first)));
    let heavy_batch = filled(heavy);
    let mut copy = Vec::with_capacity(heavy_batch.len());
    let mut out = Encoder::new();
    Bench::new("stream")
        .case("baseline: copy the words of a heavy draw", DRAWS as usize, || {
            copy.clear();
            copy.extend_from_slice(&heavy_batch);
        })
        .case("write a draw", DRAWS as usize, || {
            out.restart();
            (0..DRAWS).for_each(|first| out.push(&draw(first)));
        })
        .case("write a heavy draw", DRAWS as usize, || {
            let mut out = Encoder::new();
            (0..DRAWS).for_each(|first| heavy(&mut out, first));
        })
        .case("check and apply a draw", DRAWS as usize, || receive(&light_batch))
        .case("check and apply a heavy draw", DRAWS as usize, || receive(&heavy_batch))
        .finish()
}
